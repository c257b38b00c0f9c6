"""Where the command line writes, and when it logs."""

import json
import logging
import os
import re
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from tools.errors import InputError
from tools.messages import Message, say

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from tools.records import Horizon
    from wenmai.application.passages import LastPlace
    from wenmai.settings.settings import Settings


@dataclass(frozen=True, slots=True)
class TerminalLine:
    """A line with its style; text is never markup."""

    text: str
    style: str = ""


# Control characters but tab and line end, and marks that turn the direction of writing or break lines: stored texts
# are not ours, and may hold what moves a cursor or shows a line as another one.
UNPRINTABLE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
INSTEAD = "\ufffd"
AGREED = ("y", "yes", "是")
PIPE_WIDTH = 200
"""Columns of a table that no terminal limits."""


def out() -> "Console":
    from rich.console import Console

    return Console(highlight=False, width=None if sys.stdout.isatty() or "COLUMNS" in os.environ else PIPE_WIDTH)


def err() -> "Console":
    """Return standard error: progress and remarks, so that standard output holds results only."""
    from rich.console import Console

    return Console(stderr=True, highlight=False)


def is_watched(screen: "Console") -> bool:
    """Return True if a person sees the screen change."""
    return screen.is_terminal and not screen.is_dumb_terminal


def visible(text: str) -> str:
    """Return a text with a sign in place of each character that a terminal would obey instead of showing it."""
    return UNPRINTABLE.sub(INSTEAD, text)


def print_on(console: "Console", line: TerminalLine) -> None:
    """Print a line as it is: no markup, and no line breaks of ours in what another program may read."""
    console.print(visible(line.text), style=line.style or None, markup=False, soft_wrap=True)


def print_line(text: str, style: str = "") -> None:
    print_on(out(), TerminalLine(text, style))


def print_lines(lines: Iterable[TerminalLine]) -> None:
    screen = out()
    for line in lines:
        print_on(screen, line)


def remark(text: str, style: str = "") -> None:
    print_on(err(), TerminalLine(text, style))


def print_json(value: object) -> None:
    """Print a value as JSON on a line of standard output; times in ISO format."""
    sys.stdout.write(json.dumps(value, ensure_ascii=False, default=datetime.isoformat) + "\n")


def print_table(titles: Message, rows: Iterable[Sequence[str]]) -> None:
    out().print(table(str(titles).split(","), rows))


def table(titles: Sequence[str], rows: Iterable[Sequence[str]]) -> "Table":
    """Return a table of texts; nothing in them is markup."""
    from rich.table import Table
    from rich.text import Text

    drawn = Table(*titles)
    for row in rows:
        drawn.add_row(*(Text(visible(cell)) for cell in row))
    return drawn


def print_place(place: "LastPlace | Horizon | None") -> None:
    """Print which part and chapter a spoiler guard means; nothing without one."""
    if place:
        print_line(say("guard.visible_until", part=place.part, chapter=place.chapter), "dim")


def dollars(usd: float | None) -> str:
    return say("cli.unknown_price") if usd is None else f"${usd:.4f}"


def require_yes(question: str, yes: bool) -> None:
    """Ask before something is lost, unless it was said already; a no ends the command.

    From a pipe the answer is read without asking. Raises InputError where there is none.
    """
    import typer

    if yes:
        return
    if sys.stdin is not None and sys.stdin.isatty():
        agreed = typer.confirm(question, err=True)
    elif line := sys.stdin.readline() if sys.stdin is not None else "":
        agreed = line.strip().lower() in AGREED
    else:
        raise InputError(say("cli.cannot_confirm", question=question))
    if not agreed:
        raise typer.Exit(1)


REPORTED = ("wenmai.loop", "wenmai.model")
"""Loggers of what the answer, or the report of an ingest, says anyway."""


class Once(logging.Filter):
    """Lets each line through once: a store or a service that fails, fails at every call."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: set[tuple[str, str]] = set()

    def filter(self, record: logging.LogRecord) -> bool:
        line = record.name, record.getMessage()
        is_new = line not in self.seen
        self.seen.add(line)
        return is_new


def open_log(settings: "Settings | None" = None) -> None:
    """Log to standard error: warnings, or from LOG_LEVEL on when it was set; by default no line appears twice."""
    from wenmai.observability.logs import handler_of
    from wenmai.settings.settings import load_settings

    settings = settings or load_settings()
    chosen = settings.log_level if "log_level" in settings.model_fields_set else "WARNING"
    logging.basicConfig(level=chosen, handlers=[handler_of(settings, sys.stderr)])
    if "log_level" not in settings.model_fields_set:
        for name in REPORTED:
            logging.getLogger(name).setLevel(logging.CRITICAL)
        for handler in logging.getLogger().handlers:
            handler.addFilter(Once())
