"""Moving a library: passages with their vectors, the catalog, the graph. Every step can be done again."""

from dataclasses import replace
from typing import Any

from state.context import Language
from tools.errors import InputError, StoreGone
from tools.records import Chapter, LibraryInfo, Passage, PassageFilter
from tools.wording import Words
from wenmai.ingestion.library.decisions import apply_decisions, load_decisions, load_extractions
from wenmai.ingestion.library.entity_writes import rewrite_entities
from wenmai.ingestion.library.known_state import UNFINISHED_COPY, lost_chapters
from wenmai.ingestion.library.notes import imports
from wenmai.ingestion.passages import chapter_key
from wenmai.migration.side import (
    MovableCatalog,
    Moved,
    Progress,
    Side,
    Tally,
    batches,
    carried,
    chapters_of,
    note_origin,
    require_replaceable,
    same_vector,
)

NO_RECORD = Words(
    "资料库 {library} 的第 {number} 章没有图谱的记录：请先再次运行 wenmai ingest",
    "chapter {number} of library {library} has no record of its graph: run wenmai ingest again first",
)
ANY = PassageFilter()
NOT_WHOLE = Words(
    "资料库 {library} 在来源一边不完整（{why}），复制会删去目标一边的内容，所以两边都没有改动：{remedy}",
    "library {library} is not whole at its source ({why}); a copy would delete what the target has, so neither side "
    "was changed: {remedy}",
)
CUT_OFF = {
    "why": Words("复制到这里时中断了", "a copy to it was broken off"),
    "remedy": Words(
        "请先再次运行 wenmai migrate，方向与中断的那次相同",
        "first run wenmai migrate again in the direction of that copy",
    ),
}
LOST = Words("登记库里有 {chapters} 章的向量不在这里", "the vectors of {chapters} chapters of the catalog are not here")
LOOK = Words(
    "请检查 --to 的方向；若已丢失，请先再次用 wenmai ingest 导入各来源",
    "check --to; if they are lost, first wenmai ingest its sources again",
)


async def move_library(
    source: Side, target: Side, library: str, progress: Progress, *, replacing: bool = False
) -> list[Moved]:
    """Copy a library and compare both sides; what the target has already is not written again.

    Raises StoreForeign where the target has another library of this name, unless `replacing`.

    The chapters follow their passages, as in an ingest: a target that is not whole has passages without a chapter,
    and the next run finishes it. The source stays as it is.

    Raises:
        InputError, StoreGone: the source is not whole, and its copy would delete what the target has.
    """
    info = await source.info(library)
    await _require_whole(source, info)
    if source.catalog is not target.catalog:
        if not replacing:
            await require_replaceable(source, target, library)
        await _created(target.catalog, info)
        await note_origin(source, target, library)
        await _forget_graph(source, target, library)
    moved: list[Moved] = []
    if source.stores.passages is not target.stores.passages:
        moved.append(await move_passages(source, target, library, progress))
    if source.catalog is not target.catalog:
        moved += [await move_chapters(source, target, library, progress), await move_notes(source, target, library)]
    if source.stores.graph is not target.stores.graph:
        moved.append(await move_graph(source, target, library, progress))
    moved = [await _counted_again(one, source, library) for one in moved]
    if source.catalog is not target.catalog and all(one.is_same for one in moved):
        await target.catalog.put_note(library, UNFINISHED_COPY, None)
    return moved


async def _require_whole(source: Side, info: LibraryInfo) -> None:
    """Raise InputError or StoreGone for a source that a copy has not finished, or that has lost vectors."""
    if await source.catalog.note(info.name, UNFINISHED_COPY):
        raise InputError(NOT_WHOLE.of(library=info.name, **CUT_OFF))
    if lost := await lost_chapters(source.stores, info):
        raise StoreGone(NOT_WHOLE.of(library=info.name, why=LOST.of(chapters=len(lost)), remedy=LOOK))


async def _counted_again(moved: Moved, source: Side, library: str) -> Moved:
    """Count the source's passages once more: a chapter that came in meanwhile was copied without its own."""
    if moved.kind != "passages":
        return moved
    return replace(moved, source=Tally.of(await source.stores.passages.scroll(library, ANY)))


async def _created(catalog: MovableCatalog, info: LibraryInfo) -> None:
    language: Language = info.language
    await catalog.create(info.name, info.title, info.embedder, info.dimension, language)
    await catalog.put_note(info.name, UNFINISHED_COPY, True)


async def _forget_graph(source: Side, target: Side, library: str) -> None:
    """Delete from the target's graph what the source has not, as long as the target's catalog knows of it."""
    if source.stores.graph is target.stores.graph:
        return
    for owner in sorted(await _graph_owners(target, library) - await _graph_owners(source, library)):
        await target.stores.graph.delete_source(library, owner)


async def _graph_owners(side: Side, library: str) -> set[str]:
    """Return the owners of the records of a graph: tasks, and the stems of imported files."""
    return {*(await side.info(library)).sources, *await imports(side.catalog, library)}


async def move_passages(source: Side, target: Side, library: str, progress: Progress) -> Moved:
    """Copy the passages that the target lacks or has otherwise, with the vectors that they have."""
    there, here = source.stores.passages, target.stores.passages
    passages = await there.scroll(library, ANY)
    written = done = 0
    for batch in batches(passages):
        vectors = await there.vectors(library, batch)
        stale = await _stale(target, library, batch, vectors)
        await here.upsert(library, stale, [vectors[passage.id] for passage in stale])
        written += len(stale)
        done += len(batch)
        progress("passages", done, len(passages))
    known = {passage.id for passage in passages}
    await here.delete(library, [row.id for row in await here.scroll(library, ANY) if row.id not in known])
    kept = await here.scroll(library, ANY)
    return Moved(kind="passages", source=Tally.of(passages), target=Tally.of(kept), written=written)


async def _stale(target: Side, library: str, passages: list[Passage], vectors: dict[str, list[float]]) -> list[Passage]:
    """Return the passages that the target has not, or not with these fields and this vector."""
    here = target.stores.passages
    rows = {row.passage.id: row.passage for row in await here.fetch(library, [one.id for one in passages])}
    known = await here.vectors(library, passages) if rows else {}
    return [
        one for one in passages if rows.get(one.id) != one or not same_vector(known.get(one.id), vectors.get(one.id))
    ]


async def move_chapters(source: Side, target: Side, library: str, progress: Progress) -> Moved:
    """Copy the chapters that differ, each with the ids of its passages, and delete those that the source has not."""
    rows, held = await chapters_of(source, library), await chapters_of(target, library)
    wanted = {chapter_key(chapter) for chapter, _ in rows}
    for chapter, _ in held:
        if chapter_key(chapter) not in wanted:
            await target.catalog.delete_chapter(library, *chapter_key(chapter))
    written = 0
    for done, (chapter, ids) in enumerate(rows, 1):
        if (chapter, ids) not in held:
            await target.catalog.put_chapter(chapter, ids)
            written += 1
        progress("chapters", done, len(rows))
    now = await chapters_of(target, library)
    return Moved(kind="chapters", source=_tally(rows), target=_tally(now), written=written)


def _tally(rows: list[tuple[Chapter, list[str]]]) -> Tally:
    return Tally.of([{**_plain(chapter), "passages": ids} for chapter, ids in rows])


def _plain(chapter: Chapter) -> dict[str, Any]:
    return {name: getattr(chapter, name) for name in Chapter.__dataclass_fields__}


async def move_notes(source: Side, target: Side, library: str) -> Moved:
    """Copy what the catalog keeps besides: sources, decisions, what was extracted from each chapter."""
    notes, held = carried(await source.catalog.notes(library)), carried(await target.catalog.notes(library))
    changed = [key for key in {*notes, *held} if notes.get(key) != held.get(key)]
    for key in changed:
        await target.catalog.put_note(library, key, notes.get(key))
    now = carried(await target.catalog.notes(library))
    return Moved(kind="notes", source=Tally.of(notes.items()), target=Tally.of(now.items()), written=len(changed))


async def move_graph(source: Side, target: Side, library: str, progress: Progress) -> Moved:
    """Write the graph of a library from what was extracted from its chapters, as a merge does; no model is asked.

    Raises InputError where a chapter has no record of it.
    """
    catalog, graph = target.catalog, target.stores.graph
    before = await tally_graph(source, library, progress)
    for chapter in await catalog.chapters(library):
        if await load_extractions(catalog, library, chapter_key(chapter)) is None:
            raise InputError(NO_RECORD.of(library=library, number=chapter.number))
    stems = await imports(catalog, library)
    for owner in await _graph_owners(target, library):
        await graph.delete_source(library, owner)
    decisions = await load_decisions(catalog, library)
    await apply_decisions(target.stores, library, decisions, decisions, stems, everything=True)
    await rewrite_entities(target.stores, library, decisions)
    after = await tally_graph(target, library, progress)
    return Moved(kind="graph", source=before, target=after, written=sum((await graph.counts(library)).values()))


async def tally_graph(side: Side, library: str, progress: Progress) -> Tally:
    """Count entities, relations and events as a reader without a spoiler guard sees them."""
    graph = side.stores.graph
    if not (await side.info(library)).counts.get("passages") and not await graph.names(library, None):
        return Tally.of([])
    names = await graph.names(library, None)
    people = sorted({name.entity for name in names})
    records: set[Any] = set()
    for done, name in enumerate(people, 1):
        records.add(await graph.entity(library, name, None))
        records.update(await graph.relations(library, name, None))
        records.update(await graph.events(library, name, None, None))
        progress("graph", done, len(people))
    return Tally.of(records)
