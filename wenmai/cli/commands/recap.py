"""`wenmai recap`: what has happened in a story so far."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from tools.messages import Names, say
from wenmai.cli.options import ChapterOption, PartOption, guard_of
from wenmai.cli.output.terminal import TerminalLine, print_lines, print_place
from wenmai.cli.placing import run

if TYPE_CHECKING:
    from wenmai.application.summaries import Recap


def recap(
    library: Annotated[str, typer.Option("--library", "-l", help="help.recap.library")],
    as_of_chapter: ChapterOption = None,
    as_of_part: PartOption = None,
) -> None:
    """Tell what has happened in a story so far: who there is, then each chapter in story order."""
    guard = guard_of(as_of_chapter, as_of_part)
    found = run(lambda app: app.summaries.recap(library, guard=guard))
    print_place(found.as_of)
    print_lines(recap_lines(found))


def recap_lines(found: "Recap") -> Iterator[TerminalLine]:
    if not found.sections:
        yield TerminalLine(say("evidence.nothing_found"))
        return
    yield TerminalLine(found.note, "dim")
    yield TerminalLine(say("cli.recap.people", names=Names([one.name for one in found.people])))
    for section in found.sections:
        yield TerminalLine(section.heading, "bold")
        yield from (TerminalLine(f"  {one.text}") for one in section.sentences)
