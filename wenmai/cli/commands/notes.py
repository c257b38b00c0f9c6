"""`wenmai notes`: what stood in the texts of a library and is no story."""

from typing import TYPE_CHECKING, Annotated

import typer

from tools.wording import Words
from wenmai.cli.guarding import guard_of
from wenmai.cli.options import ChapterOption, PartOption
from wenmai.cli.placing import run
from wenmai.cli.refusals import NO_KIND

if TYPE_CHECKING:
    from wenmai.application.models.passages import LastPlace, NoteView
    from wenmai.application.operations import Application
    from wenmai.client.client import Client

PLACE = Words("{task} {title}，第 {line} 行，{kind}", "{task} {title}, line {line}, {kind}")
CHAPTER = Words("第 {number} 章", "chapter {number}")
NO_NOTES = Words("资料库 {library} 里没有另存的注记", "Library {library} keeps no notes")
SHOWN = 120
LibraryOption = Annotated[str, typer.Option("--library", "-l", help="Library to look at.")]


def notes(
    library: LibraryOption,
    kind: Annotated[
        str | None,
        typer.Option(
            help="Only this kind: front, contents, end, author, translator, footnote, page, licence, site, picture."
        ),
    ] = None,
    source: Annotated[str | None, typer.Option(help="Only this source (the task id that citations show).")] = None,
    full: Annotated[bool, typer.Option("--full", help="Print each note whole, not only its beginning.")] = False,
    as_of_chapter: ChapterOption = None,
    as_of_part: PartOption = None,
) -> None:
    """Show what stood in the texts of a library and is no story: it is never searched or quoted."""
    from wenmai.cli.output.horizon import say_place
    from wenmai.cli.output.ingest import NOTE_KINDS
    from wenmai.cli.output.terminal import Line, out, say
    from wenmai.errors import InputError

    if kind not in (None, *NOTE_KINDS):
        raise InputError(NO_KIND.say(kind=kind, kinds=", ".join(NOTE_KINDS)))
    guard = guard_of(as_of_chapter, as_of_part)

    async def work(app: "Application | Client") -> "tuple[LastPlace | None, list[NoteView]]":
        from wenmai.application.models.paging import EVERY

        place = await app.passages.last_place(library, guard)
        found = await app.passages.notes(library, source=source, guard=guard, limit=EVERY)
        return place, [one for one in found.items if kind in (None, one.kind)]

    last, rows = run(work)
    say_place(last)
    if not rows:
        say(out(), Line(NO_NOTES.say(library=library)))
    for one in rows:
        title = one.title or CHAPTER.of(number=one.chapter)
        place = PLACE.say(task=one.source, title=title, line=one.line, kind=NOTE_KINDS[one.kind])
        say(out(), Line(place, "dim"))
        text = one.text if full else " ".join(one.text.split())
        say(out(), Line(text if full or len(text) <= SHOWN else f"{text[:SHOWN]}…"))
