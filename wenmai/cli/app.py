"""The command line: its commands by name, each loaded when it is called, and what becomes of their errors.

Their help is in tools/messages/help.json. Exit codes: 0 done, 1 failure, 2 usage, 130 interrupted. Errors are one line.
"""

import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from types import TracebackType
from typing import Annotated, Any

import typer
from typer.core import TyperGroup
from typer.main import get_command

from tools.errors import ConfigError, InputError, StoreForeign, WenmaiError
from tools.messages import LANGUAGE, say
from wenmai.cli import INTERRUPTED
from wenmai.cli.output.speech import terminal_language

FAILURE = 1
USAGE = 2
ONLY_HELP = "NoArgsIsHelpError"  # a group without a command: the message is its help, in many lines
SPREAD = ("--graph", "--questions")  # options that take several values: `--graph a.csv b.csv`


COMMANDS = (
    "demo",
    "ingest",
    "ask",
    "chat",
    "libraries",
    "read",
    "find",
    "talks",
    "recap",
    "notes",
    "rename",
    "delete",
    "reembed",
    "migrate",
    "backup",
    "restore",
    "trace",
    "doctor",
    "experiment",
    "entities",
    "memory",
    "knowledge",
    "docs",
    "serve",
    "mcp",
    "keys",
    "model",
    "users",
)
"""In the order of `--help`."""
MODULES = {
    "chat": "ask",
    "notes": "libraries",
    "rename": "libraries",
    "delete": "libraries",
    "reembed": "migrate",
    "backup": "installation",
    "restore": "installation",
    "doctor": "installation",
    "serve": "installation",
    "mcp": "installation",
}
"""Where a command is that is not in a module of its name."""


@dataclass(frozen=True, slots=True)
class LoadedCommands(Mapping[str, Any]):
    """The commands of typer by name, each built when it is first read; their names are known without that."""

    built: dict[str, Any] = field(default_factory=dict)

    def __getitem__(self, name: str) -> Any:
        if name in COMMANDS and name not in self.built:
            self.built[name] = command_of(name)
        return self.built[name]

    def __iter__(self) -> Iterator[str]:
        return iter(COMMANDS)

    def __len__(self) -> int:
        return len(COMMANDS)


class HelpContext(typer.Context):
    def make_formatter(self) -> Any:
        """Return what writes the help."""
        from wenmai.cli.output.help import ChineseHelp, EnglishHelp

        kind = EnglishHelp if LANGUAGE.get() == "en" else ChineseHelp
        return kind(width=self.terminal_width, max_width=self.max_content_width)


class Commands(TyperGroup):
    context_class = HelpContext

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        self.commands = LoadedCommands()  # type: ignore[assignment]  # typer only reads it

    def list_commands(self, ctx: Any) -> list[str]:
        return list(self.commands)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, f"help.{name}.about") for name in COMMANDS])


def plain(**options: Any) -> typer.Typer:
    """Return an app with plain help: the framed one of rich costs more time than everything else that it does."""
    return typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False, **options)


def command_of(name: str) -> Any:
    """Load a command: the function of its name, or the `app` of a module with commands of its own."""
    module = import_module(f"wenmai.cli.commands.{MODULES.get(name, name)}")
    function, parent = getattr(module, name, None), plain()
    if function is None:
        parent.add_typer(module.app, name=name)
        command: Any = get_command(parent).commands[name]  # type: ignore[attr-defined]  # a group, for it has one
    else:
        parent.command(name)(function)
        command = get_command(parent)
    command.context_class, command.help = HelpContext, f"help.{name}.about"
    for child_name, child in getattr(command, "commands", {}).items():
        child.context_class, child.help = HelpContext, f"help.{name}.{child_name}.about"
    return command


app = plain(cls=Commands, help="help.app.about", no_args_is_help=True)


def show_version(wanted: bool) -> None:
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


def main() -> int:
    for stream in (sys.stdout, sys.stderr):
        # A character that the terminal cannot show must not cost the answer.
        stream.reconfigure(errors="replace")  # type: ignore[union-attr]  # both are text files here
    sys.excepthook = print_fault
    os.umask(0o077)  # what is stored is its owner's alone
    return run(sys.argv[1:])


def run(arguments: Sequence[str]) -> int:
    """Run one command in the language of the terminal and return its exit code.

    Args:
        arguments: the words of the command line after the program's name.

    Raises:
        Exception: a fault of the program; a process prints it as one line.
    """
    if terminal_language() == "zh":
        return run_command(arguments)
    from tools.messages import speaking

    with speaking("en"):
        return run_command(arguments)


def run_command(arguments: Sequence[str]) -> int:
    try:
        # The command itself, not the Typer object: that one would set an excepthook of its own.
        command = get_command(app)
        code = int(command.main(repeat_option_names(arguments), prog_name="wenmai", standalone_mode=False) or 0)
        sys.stdout.flush()  # here, so that a reader that has left is handled below
        # The parser takes Ctrl-C for itself.
        return complain(say("cli.cancelled"), code) if code == INTERRUPTED else code
    except typer.TyperException as error:
        if type(error).__name__ == ONLY_HELP:
            typer.echo(error.format_message(), err=True)
            return USAGE
        from wenmai.cli.refusals import of_parser

        context = getattr(error, "ctx", None)
        help_command = f"{context.command_path if context else 'wenmai'} --help"
        return complain(f"{of_parser(error.format_message())} ({help_command})", USAGE)
    except (typer.Abort, KeyboardInterrupt):
        return complain(say("cli.cancelled"), INTERRUPTED)
    except WenmaiError as error:
        return complain(line_of(error), USAGE if isinstance(error, InputError | ConfigError) else FAILURE)
    except UnicodeEncodeError:  # an argument whose bytes are no UTF-8
        return complain(say("store.lone_surrogates"), USAGE)
    except BrokenPipeError:
        # The reader of a pipe has left: the interpreter would fail again when it flushes at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FAILURE
    except OSError as error:
        return complain(say("cli.file_error", error=error), FAILURE)


def line_of(error: WenmaiError) -> str:
    """Return the line for an error. Only the command line names the place of another catalog; servers do not."""
    if isinstance(error, StoreForeign) and error.place:
        return say("cli.error_of_catalog", error=error, place=error.place)
    return str(error)


def repeat_option_names(arguments: Sequence[str]) -> list[str]:
    """Repeat an option's name before each of its values: the parser takes one value an option."""
    words: list[str] = []
    option: str | None = None
    for argument in arguments:
        if argument.startswith("-"):
            option = argument if argument in SPREAD else None
        elif option and words[-1] != option:
            words.append(option)
        words.append(argument)
    return words


def complain(message: str, code: int) -> int:
    from wenmai.cli.output.terminal import visible

    print(visible(" ".join(message.split())), file=sys.stderr)  # noqa: T201 - the one place where errors are printed
    return code


def print_fault(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """Print a fault of the program in one line; LOG_LEVEL=DEBUG adds the traceback."""
    if os.environ.get("LOG_LEVEL") == "DEBUG":
        sys.__excepthook__(kind, error, trace)
    from tools.messages import speaking

    with speaking(terminal_language()):
        complain(say("cli.internal_error", kind=kind.__name__, error=error), FAILURE)
