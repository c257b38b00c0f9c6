"""What `wenmai doctor` says of a library's story: what it holds and what will be missing, and nothing that it tells."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tools.records import ChapterOutline, LibraryInfo
from tools.wording import Words
from wenmai.ingestion.contracts import SourceNote
from wenmai.ingestion.library.notes import load_notes

if TYPE_CHECKING:
    from wenmai.app.container import Services

JOIN = Words("；", "; ")
PERSON = "Character"
STORY = Words("资料库 {name} 的内容", "what library {name} holds")
HELD = Words("{books}{parts} 部 {chapters} 章", "{books}, parts: {parts}, chapters: {chapters}")
BOOK = Words("《{title}》", "{title}")
PEOPLE = Words("人物 {count} 位", "characters: {count}")
GRAPH = Words("关系 {relations}，事件 {events}", "{relations} relations, {events} events")
NO_PEOPLE = Words(
    "没有认出主要人物，问人物只能靠检索原文：可用 --aliases 给出名单再导入",
    "no main character was found, so questions about people rest on the text alone: ingest again with --aliases",
)
NO_RELATIONS = Words(
    "没有关系，问关系和经历没有图谱可查：可用 --graph 给出，或用 --mind model 再导入",
    "there are no relations, so questions about them have no graph: ingest again with --graph, or with --mind model",
)
NO_NUMBERS = Words(
    "全书只有一章，防剧透和引文都分不出章：请用 wenmai ingest --preview 查看",
    "the whole text is one chapter, so neither the guard nor citations know chapters: see wenmai ingest --preview",
)
ODD = Words(
    "分章有 {count} 处异常：请用 wenmai ingest --preview 查看",
    "odd places in the chapters: {count}: see wenmai ingest --preview",
)


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
    books = "".join(BOOK.say(title=title) for title in titles)
    rows = [HELD.say(books=books, parts=len(info.books), chapters=len(outline))]
    rows += [PEOPLE.say(count=people)] if people else []
    rows += (
        [GRAPH.say(relations=counts["relations"], events=counts.get("events", 0))] if counts.get("relations") else []
    )
    faults = list(_faults(people, counts.get("relations", 0), outline, notes))
    return StoryFinding(JOIN.say().join([*rows, *faults]), not faults)


def _faults(
    people: int, relations: int, outline: Sequence[ChapterOutline], notes: Sequence[SourceNote]
) -> Iterator[str]:
    """Yield what will be missing in answers."""
    if len(outline) == 1:
        yield NO_NUMBERS.say()
    if not people:
        yield NO_PEOPLE.say()
    if not relations:
        yield NO_RELATIONS.say()
    if odd := [row for note in notes for row in note.odd]:
        yield ODD.say(count=len(odd))
