"""`wenmai model`: which model service answers; it is chosen and tried here where the settings let it."""

import sys
from getpass import getpass
from typing import TYPE_CHECKING, Annotated

import typer

from tools.messages import Message, Names, say
from wenmai.cli.output.terminal import print_line
from wenmai.cli.placing import run
from wenmai.settings.models import ProviderName

if TYPE_CHECKING:
    from wenmai.application.settings import ModelView

app = typer.Typer(help="help.model.about", no_args_is_help=True, rich_markup_mode=None)

AddressOption = Annotated[str | None, typer.Option("--base-url", help="help.model.set.base_url")]
ModelOption = Annotated[str | None, typer.Option("--model", help="help.model.set.model")]
KeyOption = Annotated[bool, typer.Option("--key", help="help.model.set.key")]


@app.command()
def show(as_json: Annotated[bool, typer.Option("--json", help="help.model.show.as_json")] = False) -> None:
    """Show which model service answers."""
    found = run(lambda app: app.settings.model())
    if as_json:
        print_line(found.model_dump_json())
    else:
        print_model(found)


@app.command("set")
def choose(
    provider: Annotated[ProviderName, typer.Option(help="help.model.set.provider")],
    base_url: AddressOption = None,
    model: ModelOption = None,
    key: KeyOption = False,
) -> None:
    """Choose the model service, from the next question on."""
    given = {"base_url": base_url, "model": model, "key": read_key() if key else None}
    print_model(run(lambda app: app.settings.set_model(provider, **given)))
    print_line(say(when_it_holds()))


@app.command()
def unset() -> None:
    """Forget the model service that was chosen."""
    print_model(run(lambda app: app.settings.unset_model()))
    print_line(say(when_it_holds()))


@app.command()
def test(
    provider: Annotated[ProviderName | None, typer.Option(help="help.model.test.provider")] = None,
    base_url: AddressOption = None,
    model: ModelOption = None,
    key: KeyOption = False,
) -> None:
    """Ask the model service two short questions; exit 1 where it does not answer."""
    given = {"base_url": base_url, "model": model, "key": read_key() if key else None}
    found = run(lambda app: app.settings.test_model(provider, **given))
    print_line(found.text)
    if not found.ok:
        raise typer.Exit(1)


def read_key() -> str:
    """Return a key that is typed without being shown, or the first line of a pipe."""
    return (getpass(say("cli.model.ask_key")) if sys.stdin.isatty() else sys.stdin.readline()).strip()


def when_it_holds() -> str:
    """Return the key of what says when a choice holds: servers that share their stores are not asked, but read it."""
    from wenmai.settings.settings import load_settings

    return "cli.model.next_start" if load_settings().shares_libraries else "cli.model.next_question"


def print_model(found: "ModelView") -> None:
    if found.model is None:
        print_line(say("cli.model.offline"))
    else:
        place, key = found.base_url or Message("cli.model.own_place"), found.key or Message("cli.model.without_key")
        print_line(say("cli.model.answers", model=found.model, provider=found.provider, place=place, key=key))
    if found.is_chosen:
        print_line(say("cli.model.chosen"), "dim")
    if names := sorted({*found.service_variables, *found.model_variables}):
        print_line(say("cli.model.named_by", names=Names(names)), "dim")
