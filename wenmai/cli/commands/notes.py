"""`wenmai notes`: what stood in the texts of a library and is no story."""

from typing import TYPE_CHECKING, Annotated

import typer

from tools.wording import Words
from wenmai.cli.guarding import horizon_of
from wenmai.cli.options import ChapterOption, PartOption
from wenmai.cli.placing import here_or_there
from wenmai.cli.refusals import NO_KIND
from wenmai.cli.server import libraries as there

if TYPE_CHECKING:
    from tools.records import Horizon
    from wenmai.ingestion.library.text_notes import KeptNote

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
    from wenmai.cli.output.horizon import say_horizon
    from wenmai.cli.output.ingest import NOTE_KINDS
    from wenmai.cli.output.terminal import Line, out, say
    from wenmai.errors import InputError

    if kind not in (None, *NOTE_KINDS):
        raise InputError(NO_KIND.say(kind=kind, kinds=", ".join(NOTE_KINDS)))
    guard = {"as_of_chapter": as_of_chapter, "as_of_part": as_of_part}
    found, horizon = here_or_there(
        lambda: listed(library, as_of_chapter, as_of_part), lambda server: (there.notes(server, library, guard), None)
    )
    say_horizon(horizon)
    rows = [one for one in found if kind in (None, one.kind) and source in (None, one.task_id)]
    if not rows:
        say(out(), Line(NO_NOTES.say(library=library)))
    for one in rows:
        title = one.title or CHAPTER.of(number=one.chapter)
        place = PLACE.say(task=one.task_id, title=title, line=one.line, kind=NOTE_KINDS[one.kind])
        say(out(), Line(place, "dim"))
        text = one.text if full else " ".join(one.text.split())
        say(out(), Line(text if full or len(text) <= SHOWN else f"{text[:SHOWN]}…"))


async def listed(library: str, chapter: int | None, part: int | None) -> "tuple[list[KeptNote], Horizon | None]":
    """Return the notes of a library, under a guard those that a reader may know, and the guard."""
    from wenmai.app.container import Services
    from wenmai.ingestion.library.text_notes import load_text_notes
    from wenmai.settings.settings import load_settings

    services = Services(load_settings())
    try:
        async with services.libraries.reading(library):
            horizon = await horizon_of(services, library, chapter, part)
            return await load_text_notes(services.catalog, library, horizon), horizon
    finally:
        await services.close()
