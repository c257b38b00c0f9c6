"""The commands by name. Each is loaded when it is called; their help is in tools/messages/help.json."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperGroup
from typer.main import get_command

from tools.messages import LANGUAGE

COMMANDS = {
    "demo": "demo:demo",
    "ingest": "ingest:ingest",
    "ask": "ask:ask",
    "chat": "chat:chat",
    "libraries": "libraries:libraries",
    "notes": "libraries:notes",
    "delete": "libraries:delete",
    "reembed": "reembed:reembed",
    "migrate": "migrate:migrate",
    "backup": "backup:backup",
    "restore": "backup:restore",
    "trace": "trace:trace",
    "doctor": "doctor:doctor",
    "experiment": "experiment:experiment",
    "entities": "entities:app",
    "memory": "memory:app",
    "knowledge": "knowledge:app",
    "docs": "docs:app",
    "serve": "serving:serve",
    "mcp": "serving:mcp",
    "keys": "keys:app",
}
"""Where each is: module and attribute."""


@dataclass(frozen=True, slots=True)
class LoadedCommands(Mapping[str, Any]):
    """The commands of typer by name, each built when it is first read; their names are known without that."""

    built: dict[str, Any] = field(default_factory=dict)

    def __getitem__(self, name: str) -> Any:
        """Return a command. Raises KeyError."""
        if name not in self.built:
            self.built[name] = command_of(name, COMMANDS[name])
        return self.built[name]

    def __iter__(self) -> Iterator[str]:
        """Give the names in the order of `--help`."""
        return iter(COMMANDS)

    def __len__(self) -> int:
        """Return the number of commands."""
        return len(COMMANDS)


class HelpContext(typer.Context):
    """A context whose help is in the language of the terminal."""

    def make_formatter(self) -> Any:
        """Return what writes the help."""
        from wenmai.cli.output.help import ChineseHelp, EnglishHelp

        kind = EnglishHelp if LANGUAGE.get() == "en" else ChineseHelp
        return kind(width=self.terminal_width, max_width=self.max_content_width)


class Commands(TyperGroup):
    """The group of all commands."""

    context_class = HelpContext

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        self.commands = LoadedCommands()  # type: ignore[assignment]  # typer only reads it

    def list_commands(self, ctx: Any) -> list[str]:
        """Return the names without loading a command."""
        return list(self.commands)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the summaries without loading a command."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, f"help.{name}.about") for name in COMMANDS])


def plain(**options: Any) -> typer.Typer:
    """Return an app with plain help: the framed one of rich costs more time than everything else that it does."""
    return typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False, **options)


def command_of(name: str, path: str) -> Any:
    """Load the command at `module:attribute`, a function or an app with commands of its own."""
    module, attribute = path.split(":")
    found = getattr(import_module(f"wenmai.cli.commands.{module}"), attribute)
    parent = plain()
    if isinstance(found, typer.Typer):
        parent.add_typer(found, name=name)
        command: Any = get_command(parent).commands[name]  # type: ignore[attr-defined]  # a group, for it has one
    else:
        parent.command(name)(found)
        command = get_command(parent)
    command.context_class, command.help = HelpContext, f"help.{name}.about"
    for child_name, child in getattr(command, "commands", {}).items():
        child.context_class, child.help = HelpContext, f"help.{name}.{child_name}.about"
    return command


app = plain(cls=Commands, help="help.app.about", no_args_is_help=True)


def show_version(wanted: bool) -> None:
    """Print the version and end, where it is asked for."""
    if wanted:
        import wenmai

        typer.echo(f"wenmai {wenmai.__version__}")
        raise typer.Exit


@app.callback()
def group(
    version: Annotated[
        bool, typer.Option("--version", callback=show_version, is_eager=True, help="help.app.version")
    ] = False,
) -> None:
    """Make a group of the app, which has no command of its own."""
