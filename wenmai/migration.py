"""Moving libraries, memories and documents between embedded engines and servers; nothing is embedded again.

Several data folders may share the catalog of a server, and name their libraries alike: one is replaced where it is a
copy, or has nothing of its own.
"""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, is_dataclass, replace
from hashlib import sha256
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeVar

from tools.documents.records import Chunk, DocumentScope
from tools.errors import InputError, LibraryNotFound, StoreForeign, StoreGone
from tools.memory.records import Memory
from tools.messages import Message
from tools.records import PLACE_NOTE, Chapter, LibraryInfo, Passage, PassageFilter, SummaryFilter
from wenmai.ingestion.contracts import Stores
from wenmai.ingestion.library.decisions import apply_decisions, load_decisions, load_extractions
from wenmai.ingestion.library.entity_writes import rewrite_entities
from wenmai.ingestion.library.known_state import UNFINISHED_COPY, lost_chapters
from wenmai.ingestion.library.notes import imports
from wenmai.ingestion.library.sightings import NOTE as SIGHTINGS
from wenmai.ingestion.passages import chapter_key
from wenmai.stores.files.owners import Owner
from wenmai.stores.vectors.documents import VectorDocumentStore
from wenmai.stores.vectors.memories import VectorMemoryStore

if TYPE_CHECKING:
    from wenmai.stores.catalog.catalog import SqliteCatalog
    from wenmai.stores.catalog.postgres_catalog import PostgresCatalog

    MovableCatalog = SqliteCatalog | PostgresCatalog


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """The stores of one side. Where both sides have the very same store, there is nothing to move."""

    stores: Stores
    catalog: "MovableCatalog"


async def chapters_of(side: Side, library: str) -> list[tuple[Chapter, list[str]]]:
    """Return the chapters in reading order, each with the ids of its passages."""
    chapters = await side.catalog.chapters(library)
    return [(one, await side.catalog.passage_ids(library, *chapter_key(one))) for one in chapters]


T = TypeVar("T")
BATCH = 500
SAME_FLOATS = 1e-5  # both engines keep 32 bits, and make unit vectors of what they are given
CHECKSUM_DIGITS = 12
Progress = Callable[[str, int, int | None], None]  # shows of a part how much is done, of how much in all


@dataclass(frozen=True, slots=True)
class Tally:
    """How many records of a kind a side holds, and a checksum that does not depend on their order."""

    count: int
    checksum: str

    @classmethod
    def of(cls, records: Iterable[Any]) -> "Tally":
        count = total = 0
        for record in records:
            count += 1
            total += int.from_bytes(sha256(canonical(record).encode("utf-8", "surrogatepass")).digest())
        return cls(count, f"{total % 2**256:064x}"[:CHECKSUM_DIGITS])


@dataclass(frozen=True, slots=True, kw_only=True)
class Moved:
    """One kind of records: what the source holds, what the target holds of it now, and how many had to be written."""

    kind: str
    source: Tally
    target: Tally
    written: int

    @property
    def is_same(self) -> bool:
        return self.source == self.target


def canonical(record: Any) -> str:
    plain = asdict(record) if is_dataclass(record) and not isinstance(record, type) else record
    return json.dumps(plain, ensure_ascii=False, sort_keys=True, default=str)


def same_vector(one: Sequence[float] | None, other: Sequence[float] | None) -> bool:
    """Return True if two vectors are equal but for what the engines round."""
    if one is None or other is None or len(one) != len(other):
        return False
    return all(abs(a - b) <= SAME_FLOATS for a, b in zip(one, other, strict=True))


def batches(rows: Iterable[T]) -> Iterable[list[T]]:
    left = iter(rows)
    return iter(lambda: list(islice(left, BATCH)), [])


ORIGIN = "origin"  # the note of a copy: the catalog that it was copied from


async def require_replaceable(source: Side, target: Side, library: str) -> None:
    """Raise StoreForeign where the target has a library of this name that is no copy of the source's.

    A copy was made from the source's catalog, or is what the source was copied from, or has nothing that the source
    has not, as a copy of a version that left no note.
    """
    if source.catalog is target.catalog:
        return
    try:
        info = await target.catalog.info(library)
    except LibraryNotFound:
        return
    here, there = await source.catalog.owner(), await target.catalog.owner()
    came_from = _origin(await target.catalog.note(library, ORIGIN))
    if came_from is None:
        own = _origin(await source.catalog.note(library, ORIGIN))
        is_kin = own is not None and own.id == there.id
    else:
        is_kin = came_from.id == here.id
    if not is_kin and not await _is_contained(source, target, library):
        copied = came_from and Message("migration.copied_from", place=came_from.place)
        origin = copied or Message("migration.ingested_there")
        held = {kind: info.counts[kind] for kind in ("chapters", "passages")}
        raise StoreForeign(
            Message("migration.name_taken", place=there.place, name=info.name, title=info.title, origin=origin, **held)
        )


def carried(notes: Mapping[str, Any]) -> dict[str, Any]:
    """Return the notes that a copy has in common with its source."""
    return {key: value for key, value in notes.items() if key not in (ORIGIN, UNFINISHED_COPY, SIGHTINGS)}


def _origin(note: Any) -> Owner | None:
    return Owner(**note) if note else None


async def _is_contained(source: Side, target: Side, library: str) -> bool:
    """Return True if the source has every chapter and every note of the target, but where its readers are now."""
    chapters, notes = await chapters_of(source, library), await source.catalog.notes(library)
    if any(row not in chapters for row in await chapters_of(target, library)):
        return False
    held = carried(await target.catalog.notes(library))
    own = {key: value for key, value in held.items() if not key.startswith(PLACE_NOTE)}
    return all(key in notes and notes[key] == value for key, value in own.items())


ANY, EVERY = PassageFilter(), SummaryFilter()
CUT_OFF = {"why": Message("migration.copy_interrupted"), "remedy": Message("migration.copy_again")}


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
    info = await source.catalog.info(library)
    await _require_whole(source, info)
    if source.catalog is not target.catalog:
        if not replacing:
            await require_replaceable(source, target, library)
        await target.catalog.create(info.name, info.title, info.embedder, info.dimension, info.language)
        await target.catalog.put_note(library, UNFINISHED_COPY, True)
        await target.catalog.put_note(library, ORIGIN, asdict(await source.catalog.owner()))
        await _forget_graph(source, target, library)
    moved: list[Moved] = []
    if source.stores.passages is not target.stores.passages:
        moved.append(await move_passages(source, target, library, progress))
    if source.catalog is not target.catalog:
        moved += [await move_chapters(source, target, library, progress), await move_notes(source, target, library)]
        if summaries := await move_summaries(source, target, library):
            moved.append(summaries)
    if source.stores.graph is not target.stores.graph:
        moved.append(await move_graph(source, target, library, progress))
    for at, one in enumerate(moved):
        if one.kind == "passages":  # counted once more: a chapter that came in meanwhile was copied without its own
            moved[at] = replace(one, source=Tally.of(await source.stores.passages.scroll(library, ANY)))
    if source.catalog is not target.catalog and all(one.is_same for one in moved):
        await target.catalog.put_note(library, UNFINISHED_COPY, None)
    return moved


async def _require_whole(source: Side, info: LibraryInfo) -> None:
    """Raise InputError or StoreGone for a source that a copy has not finished, or that has lost vectors."""
    if await source.catalog.note(info.name, UNFINISHED_COPY):
        raise InputError(Message("migration.source_not_whole", library=info.name, **CUT_OFF))
    if lost := await lost_chapters(source.stores, info):
        raise StoreGone(
            Message(
                "migration.source_not_whole",
                library=info.name,
                why=Message("migration.vectors_not_here", chapters=len(lost)),
                remedy=Message("migration.check_direction"),
            )
        )


async def _forget_graph(source: Side, target: Side, library: str) -> None:
    """Delete from the target's graph what the source has not, as long as the target's catalog knows of it."""
    if source.stores.graph is not target.stores.graph:
        for owner in sorted(await _graph_owners(target, library) - await _graph_owners(source, library)):
            await target.stores.graph.delete_source(library, owner)


async def _graph_owners(side: Side, library: str) -> set[str]:
    """Return the owners of the records of a graph: tasks, and the stems of imported files."""
    return {*(await side.catalog.info(library)).sources, *await imports(side.catalog, library)}


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
    return Tally.of([{**asdict(chapter), "passages": ids} for chapter, ids in rows])


async def move_notes(source: Side, target: Side, library: str) -> Moved:
    """Copy what the catalog keeps besides: sources, decisions, what was extracted from each chapter."""
    notes, held = carried(await source.catalog.notes(library)), carried(await target.catalog.notes(library))
    changed = [key for key in {*notes, *held} if notes.get(key) != held.get(key)]
    for key in changed:
        await target.catalog.put_note(library, key, notes.get(key))
    now = carried(await target.catalog.notes(library))
    return Moved(kind="notes", source=Tally.of(notes.items()), target=Tally.of(now.items()), written=len(changed))


async def move_summaries(source: Side, target: Side, library: str) -> Moved | None:
    """Copy what a model wrote of chapters and people; None where neither side has any."""
    rows, held = await source.catalog.summaries(library, EVERY), await target.catalog.summaries(library, EVERY)
    changed = [row for row in rows if row not in held]
    await target.catalog.delete_summaries(library, held_alone := [row for row in held if row not in rows])
    await target.catalog.put_summaries(library, changed)
    if not rows and not held_alone:
        return None
    now = await target.catalog.summaries(library, EVERY)
    return Moved(kind="summaries", source=Tally.of(rows), target=Tally.of(now), written=len(changed))


async def move_graph(source: Side, target: Side, library: str, progress: Progress) -> Moved:
    """Write the graph of a library from what was extracted from its chapters, as a merge does; no model is asked.

    Raises InputError where a chapter has no record of it.
    """
    catalog, graph = target.catalog, target.stores.graph
    before = await tally_graph(source, library, progress)
    for chapter in await catalog.chapters(library):
        if await load_extractions(catalog, library, chapter_key(chapter)) is None:
            raise InputError(Message("migration.no_graph_record", library=library, number=chapter.number))
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
    if not (await side.catalog.info(library)).counts.get("passages") and not await graph.names(library, None):
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


Pair = tuple[Memory, list[float]]


async def move_memories(source: VectorMemoryStore, target: VectorMemoryStore, progress: Progress) -> Moved:
    """Copy the memories of all users that the target lacks or has otherwise."""
    rows: list[Memory] = []
    held: list[Memory] = []
    written = 0
    batch: list[Pair] = []
    async for pair in source.everything():
        batch.append(pair)
        if len(batch) == BATCH:
            written += await _put(target, batch, rows, held)
            progress("memories", len(rows), None)
            batch = []
    written += await _put(target, batch, rows, held)
    progress("memories", len(rows), len(rows))
    now = Tally.of([memory async for memory, _ in source.everything()])  # what came in meanwhile was not copied
    return Moved(kind="memories", source=now, target=Tally.of(held), written=written)


async def _put(target: VectorMemoryStore, batch: list[Pair], rows: list[Memory], held: list[Memory]) -> int:
    """Write the memories of a batch that differ, read the batch back, and return how many were written."""
    stale: list[Pair] = []
    by_user: dict[str, list[Pair]] = {}
    for pair in batch:
        by_user.setdefault(pair[0].user_id, []).append(pair)
    for user, pairs in by_user.items():
        keys = [memory.memory_key for memory, _ in pairs]
        known = {one.memory_key: one for one in await target.get(user, keys)}
        vectors = await target.vectors(user, keys)
        stale += [
            (one, vector)
            for one, vector in pairs
            if known.get(one.memory_key) != one or not same_vector(vectors.get(one.memory_key), vector)
        ]
    await target.put([memory for memory, _ in stale], [vector for _, vector in stale])
    for user, pairs in by_user.items():
        rows += [memory for memory, _ in pairs]
        held += await target.get(user, [memory.memory_key for memory, _ in pairs])
    return len(stale)


async def move_documents(source: VectorDocumentStore, target: VectorDocumentStore, progress: Progress) -> Moved:
    """Copy the documents of all owners, each whole, that the target lacks or has otherwise."""
    rows: list[Chunk] = []
    held: list[Chunk] = []
    written = 0
    async for chunks, vectors in source.everything():
        owner = chunks[0].document.owner
        scope = DocumentScope(owner.user_id, owner.session_id)
        if await _of(target, scope, chunks) != chunks:
            await target.put(chunks, vectors)
            written += len(chunks)
        rows += chunks
        held += await _of(target, scope, chunks)
        progress("documents", len(rows), None)
    progress("documents", len(rows), len(rows))
    now = Tally.of([chunk async for chunks, _ in source.everything() for chunk in chunks])
    return Moved(kind="documents", source=now, target=Tally.of(held), written=written)


async def _of(target: VectorDocumentStore, scope: DocumentScope, chunks: list[Chunk]) -> list[Chunk]:
    return [row.chunk for row in await target.fetch(scope, [chunk.chunk_id for chunk in chunks])]
