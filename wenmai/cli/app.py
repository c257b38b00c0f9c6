"""The command line: its commands by name, each loaded when it is called, and what becomes of their errors.

`--help` shows the summaries of this page. Exit codes: 0 done, 1 failure, 2 usage, 130 interrupted. Errors are one line.
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
from wenmai.cli import INTERRUPTED
from wenmai.cli.output.speech import terminal_language

FAILURE = 1
USAGE = 2
ONLY_HELP = "NoArgsIsHelpError"  # a group without a command: the message is its help, in many lines
SPREAD = ("--graph", "--questions")  # options that take several values: `--graph a.csv b.csv`


COMMANDS = {
    "demo": "Ingest the sample story and ask it: facts, a follow-up with a pronoun, a question without an answer.",
    "ingest": "Read a story into a library.",
    "ask": "Ask a library one question: answer, citations, verdict, trace.",
    "chat": "Talk with a library: follow-up questions, steps, citations.",
    "libraries": "List the libraries, also those that another process holds.",
    "notes": "Show what stood in the texts of a library and is no story: it is never searched or quoted.",
    "delete": "Delete a library, or one source, from vectors, graph and catalog, and print a receipt.",
    "reembed": (
        "Make the vectors anew with the embedder of EMBEDDING_MODEL, after you changed it; texts and graph stay."
    ),
    "migrate": "Copy a library between the embedded engines and servers, with its vectors, and compare both sides.",
    "backup": "Write DATA_DIR to one file: libraries, memories, documents, networks, threads, keys.",
    "restore": "Put a backup into an empty DATA_DIR.",
    "trace": "Show the timeline of a question: attempts, calls, grades.",
    "doctor": "Check Python, engines, embedder, folders, libraries and settings; exit 1 if something is wrong.",
    "experiment": "Ask questions with known answers and print the measures per question type.",
    "entities": "List entities; merge two of them, or undo a merge.",
    "memory": "Keep, search, export and forget a user's memories.",
    "knowledge": "Import, look at, export and delete knowledge networks.",
    "docs": "Upload, list and remove documents that questions are answered from.",
    "serve": "Serve the HTTP API, MCP and metrics in one process, without another runtime.",
    "mcp": "Offer the tools over MCP to the program that starts this command, on stdin and stdout.",
    "keys": "Make, list and revoke the server's API keys.",
}
"""Each command with the first sentence of its help."""
MODULES = {
    "chat": "ask",
    "notes": "libraries",
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
        if terminal_language() == "en":
            return super().make_formatter()
        from wenmai.cli.output.help import ChineseHelp

        return ChineseHelp(width=self.terminal_width, max_width=self.max_content_width)


class Commands(TyperGroup):
    context_class = HelpContext

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        self.commands = LoadedCommands()  # type: ignore[assignment]  # typer only reads it

    def list_commands(self, ctx: Any) -> list[str]:
        return list(self.commands)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([*COMMANDS.items()])


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
    for one in (command, *getattr(command, "commands", {}).values()):
        one.context_class = HelpContext
    return command


app = plain(cls=Commands, help="Wenmai (文脉): multi-turn, cited answers over long stories.", no_args_is_help=True)


def show_version(wanted: bool) -> None:
    if wanted:
        import wenmai

        typer.echo(f"wenmai {wenmai.__version__}")
        raise typer.Exit


@app.callback()
def group(
    version: Annotated[
        bool, typer.Option("--version", callback=show_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """Make a group of the app, which has no command of its own."""


def main() -> int:
    for stream in (sys.stdout, sys.stderr):
        # A character that the terminal cannot show must not cost the answer.
        stream.reconfigure(errors="replace")  # type: ignore[union-attr]  # both are text files here
    sys.excepthook = print_fault
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
    from tools.wording import speaking

    with speaking("en"):
        return run_command(arguments)


def run_command(arguments: Sequence[str]) -> int:
    try:
        # The command itself, not the Typer object: that one would set an excepthook of its own.
        command = get_command(app)
        code = int(command.main(repeat_option_names(arguments), prog_name="wenmai", standalone_mode=False) or 0)
        sys.stdout.flush()  # here, so that a reader that has left is handled below
        # The parser takes Ctrl-C for itself.
        return complain(refusal_text("CANCELLED"), code) if code == INTERRUPTED else code
    except typer.TyperException as error:
        if type(error).__name__ == ONLY_HELP:
            typer.echo(error.format_message(), err=True)
            return USAGE
        from wenmai.cli.refusals import of_parser

        context = getattr(error, "ctx", None)
        help_command = f"{context.command_path if context else 'wenmai'} --help"
        return complain(f"{of_parser(error.format_message())} ({help_command})", USAGE)
    except (typer.Abort, KeyboardInterrupt):
        return complain(refusal_text("CANCELLED"), INTERRUPTED)
    except WenmaiError as error:
        return complain(line_of(error), USAGE if isinstance(error, InputError | ConfigError) else FAILURE)
    except UnicodeEncodeError:  # an argument whose bytes are no UTF-8
        from wenmai.stores.files.refusals import LONE

        return complain(LONE.say(), USAGE)
    except BrokenPipeError:
        # The reader of a pipe has left: the interpreter would fail again when it flushes at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FAILURE
    except OSError as error:
        return complain(refusal_text("FILES", error=error), FAILURE)


def line_of(error: WenmaiError) -> str:
    """Return the line for an error. Only the command line names the place of another catalog; servers do not."""
    if isinstance(error, StoreForeign) and error.place:
        return refusal_text("OF_CATALOG", error=error, place=error.place)
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


def refusal_text(name: str, **values: object) -> str:
    """Return a message of `refusals`, which are loaded when one is due."""
    from wenmai.cli import refusals

    return str(getattr(refusals, name).say(**values))


def complain(message: str, code: int) -> int:
    from wenmai.cli.output.terminal import visible

    print(visible(" ".join(message.split())), file=sys.stderr)  # noqa: T201 - the one place where errors are printed
    return code


def print_fault(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """Print a fault of the program in one line; LOG_LEVEL=DEBUG adds the traceback."""
    if os.environ.get("LOG_LEVEL") == "DEBUG":
        sys.__excepthook__(kind, error, trace)
    from tools.wording import speaking

    with speaking(terminal_language()):
        complain(refusal_text("FAULT", kind=kind.__name__, error=error), FAILURE)
