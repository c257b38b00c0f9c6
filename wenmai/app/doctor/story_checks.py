"""What `wenmai doctor` says of a library's story: what it holds and what will be missing, and nothing that it tells."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tools.messages import say
from tools.records import ChapterOutline, LibraryInfo
from wenmai.ingestion.contracts import SourceNote
from wenmai.ingestion.library.source_notes import load_notes

if TYPE_CHECKING:
    from wenmai.app.container import Services

PERSON = "Character"


@dataclass(frozen=True, slots=True)
class StoryFinding:
    """What a library holds, in one line; `is_well` where nothing is missing."""

    text: str
    is_well: bool


async def story_finding(services: "Services", info: LibraryInfo) -> StoryFinding:
    """Look at parts, chapters, people and relations of a library. Raises StoreError."""
    notes = list((await load_notes(services.catalog, info.name)).values())
    outline = await services.catalog.outline(info.name)
    people = sum(one.kind == PERSON and one.text == one.entity for one in await services.graph.names(info.name, None))
    counts = await services.graph.counts(info.name)
    titles = dict.fromkeys(book.title for book in info.books.values())
    books = "".join(say("doctor.story.book_title", title=title) for title in titles)
    rows = [say("doctor.story.size", books=books, parts=len(info.books), chapters=len(outline))]
    rows += [say("doctor.story.characters", count=people)] if people else []
    rows += (
        [say("doctor.story.graph", relations=counts["relations"], events=counts.get("events", 0))]
        if counts.get("relations")
        else []
    )
    faults = list(_faults(people, counts.get("relations", 0), outline, notes))
    return StoryFinding(say("sign.semicolon").join([*rows, *faults]), not faults)


def _faults(
    people: int, relations: int, outline: Sequence[ChapterOutline], notes: Sequence[SourceNote]
) -> Iterator[str]:
    """Yield what will be missing in answers."""
    if len(outline) == 1:
        yield say("doctor.story.one_chapter")
    if not people:
        yield say("doctor.story.no_people")
    if not relations:
        yield say("doctor.story.no_relations")
    if odd := [row for note in notes for row in note.odd]:
        yield say("doctor.story.odd_chapters", count=len(odd))
