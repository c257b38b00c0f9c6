"""Exit codes and one-line errors: 0 done, 1 failure, 2 usage, 130 interrupted."""

import os
import sys
from collections.abc import Sequence
from types import TracebackType

import typer
from typer.main import get_command

from tools.errors import ConfigError, InputError, StoreForeign, WenmaiError
from wenmai.cli import INTERRUPTED
from wenmai.cli.app import app
from wenmai.cli.output.speech import terminal_language

FAILURE = 1
USAGE = 2
ONLY_HELP = "NoArgsIsHelpError"  # a group without a command: the message is its help, in many lines
SPREAD = ("--graph", "--questions")  # options that take several values: `--graph a.csv b.csv`


def main() -> int:
    """Run the command line of this process and return its exit code."""
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
    """Run one command in the language that is set and return its exit code."""
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
        return complain(usage(error), USAGE)
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


def usage(error: typer.TyperException) -> str:
    """Return what is wrong with the command line, and the command that prints the help."""
    from wenmai.cli.refusals import of_parser

    context = getattr(error, "ctx", None)
    command = context.command_path if context else "wenmai"
    return f"{of_parser(error.format_message())} ({command} --help)"


def refusal_text(name: str, **values: object) -> str:
    """Return a message of `refusals`, which are loaded when one is due."""
    from wenmai.cli import refusals

    return str(getattr(refusals, name).say(**values))


def complain(message: str, code: int) -> int:
    """Print one line on stderr and return the exit code."""
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
