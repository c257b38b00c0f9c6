"""In-memory doubles of the store ports: no engine, no files, same contract (tests/contracts)."""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any, TypeVar, get_args
from zlib import crc32

from state.context import Language
from tools.errors import EmbedderMismatch, LibraryNotFound, ModelError
from tools.records import (
    GRAPH_COUNTS,
    Chapter,
    ChapterOutline,
    Entity,
    EventType,
    Horizon,
    LibraryInfo,
    MajorEvent,
    Name,
    Neighbour,
    Neighbourhood,
    Participant,
    Passage,
    PassageFilter,
    Ranked,
    Relation,
    ScoredPassage,
    Summary,
    SummaryFilter,
    SummaryKind,
    slot_of,
)
from tools.story.windows import Embedded
from tools.text.books import BOOKS, books_of
from wenmai.stores.files.owners import Owner

END = math.inf
T = TypeVar("T")


def bigrams(text: str) -> Counter[str]:
    """Count pairs of neighbouring characters, and single words of letters."""
    words = text.lower().split()
    pairs = ["".join(pair) for word in words if not word.isascii() for pair in pairwise(word)]
    return Counter(pairs + [word for word in words if word.isascii() or len(word) == 1])


async def somebody() -> Owner:
    """Return the catalog to which the libraries of a test belong."""
    return Owner("somebody", "DATA_DIR=/somewhere")


async def unknown(library: str) -> None:
    """Know no library beside those that have passages. Raises LibraryNotFound."""
    raise LibraryNotFound(library)


class FakeEmbedder:
    """Hashes character pairs into a unit vector: texts that share pairs are near each other."""

    def __init__(self, name: str = "fake", dimension: int = 32) -> None:
        self.name = name
        self.dimension = dimension
        self.history: list[str] = []

    def expect_queries(self, texts: Sequence[str]) -> None:
        """Nothing to prepare."""

    async def embed_query(self, text: str) -> list[float]:
        self.history.append(text)
        return self._vector(text)

    async def embed_passages(self, texts: Sequence[str]) -> list[list[float]]:
        self.history.extend(texts)
        return [self._vector(text) for text in texts]

    async def embed_windows(self, texts: Sequence[str]) -> list[Embedded]:
        return [Embedded(vector) for vector in await self.embed_passages(texts)]

    def _vector(self, text: str) -> list[float]:
        vector = [0.0] * self.dimension
        for pair, times in bigrams(text).items():
            vector[crc32(pair.encode()) % self.dimension] += times
        length = math.hypot(*vector)
        return [x / length for x in vector] if length else [1.0, *vector[1:]]


class DeadEmbedder(FakeEmbedder):
    """An embedder whose service is down."""

    async def embed_query(self, text: str) -> list[float]:
        raise ModelError("503")


class FakePassageStore:
    """Passages in a dictionary. Every call raises `failure` when it is set; `history` keeps the methods called."""

    def __init__(self) -> None:
        self.failure: Exception | None = None
        self.history: list[str] = []
        self._rows: dict[str, dict[str, tuple[Passage, list[float]]]] = {}

    async def dense(self, library: str, vector: Sequence[float], where: PassageFilter, limit: int) -> list[Ranked]:
        rows = self._library("dense", library)
        return _ranked(((p, cosine(vector, v)) for p, v in rows.values() if _matches(p, library, where)), limit)

    async def sparse(self, library: str, text: str, where: PassageFilter, limit: int) -> list[Ranked]:
        rows = self._library("sparse", library)
        asked = set(bigrams(text))
        scored = (
            (p, float(len(asked & set(bigrams(p.text))))) for p, _ in rows.values() if _matches(p, library, where)
        )
        return _ranked(((p, score) for p, score in scored if score), limit)

    async def fetch(
        self,
        library: str,
        ids: Sequence[str],
        vector: Sequence[float] | None = None,
        horizon: Horizon | None = None,
    ) -> list[ScoredPassage]:
        rows = self._library("fetch", library)
        found = [(p.as_of(horizon), v) for p, v in (rows[id] for id in ids if id in rows)]
        return [ScoredPassage(p, None if vector is None else min(1.0, max(0.0, cosine(vector, v)))) for p, v in found]

    async def scroll(
        self, library: str, where: PassageFilter, limit: int | None = None, *, texts: bool = True
    ) -> list[Passage]:
        rows = self._library("scroll", library)
        found = [p.as_of(where.horizon) for p, _ in rows.values() if _matches(p, library, where)]
        found = found if texts else [replace(p, text="") for p in found]
        return sorted(found, key=lambda p: (p.event_order, p.id))[:limit]

    async def count(self, library: str, where: PassageFilter) -> int:
        rows = self._library("count", library)
        return sum(_matches(p, library, where) for p, _ in rows.values())

    async def upsert(self, library: str, passages: Sequence[Passage], vectors: Sequence[Sequence[float]]) -> None:
        rows = self._rows.setdefault(library, {}) if passages else {}
        self._called("upsert")
        rows.update({p.id: (p, list(v)) for p, v in zip(passages, vectors, strict=True)})

    async def vectors(self, library: str, passages: Sequence[Passage]) -> dict[str, list[float]]:
        rows = self._library("vectors", library)
        return {p.id: rows[p.id][1] for p in passages if p.id in rows and rows[p.id][0].text == p.text}

    async def reorder(self, library: str, orders: Mapping[str, int]) -> None:
        rows = self._library("reorder", library)
        for id in orders.keys() & rows.keys():
            passage, vector = rows[id]
            rows[id] = (replace(passage, event_order=orders[id]), vector)

    async def delete(self, library: str, ids: Iterable[str]) -> int:
        rows = self._library("delete", library)
        return sum(rows.pop(id, None) is not None for id in ids)

    async def optimize(self, library: str) -> None:
        self._library("optimize", library)

    async def close(self) -> None:
        self._called("close")

    def _called(self, method: str) -> None:
        self.history.append(method)
        if self.failure is not None:
            raise self.failure

    def _library(self, method: str, library: str) -> dict[str, tuple[Passage, list[float]]]:
        self._called(method)
        return _known(self._rows, library)


class FakeStoryGraph:
    """A story graph in lists. Every call raises `failure` when it is set; `history` keeps the methods called."""

    def __init__(self) -> None:
        self.failure: Exception | None = None
        self.history: list[str] = []
        self._entities: dict[str, dict[str, Entity]] = {}
        self._relations: dict[str, dict[tuple[object, ...], list[Relation]]] = {}
        self._events: dict[str, dict[tuple[object, ...], dict[tuple[object, ...], MajorEvent]]] = {}

    async def names(self, library: str, horizon: Horizon | None) -> list[Name]:
        entities = self._library("names", library)
        shown = [_shown_entity(entity, horizon) for entity in entities.values() if _visible(entity, horizon)]
        names = [name for entity in shown for name in _spellings(entity)]
        return sorted(names, key=lambda name: (name.text, name.entity))

    async def entity(self, library: str, name: str, horizon: Horizon | None) -> Entity | None:
        entity = self._library("entity", library).get(name)
        return _shown_entity(entity, horizon) if entity and _visible(entity, horizon) else None

    async def relation_types(self, library: str, horizon: Horizon | None) -> list[str]:
        self._library("relation_types", library)
        return sorted({edge.type for edge in self._edges(library, horizon)})

    async def neighbourhood(
        self, library: str, name: str, relation: str | None, depth: int, limit: int, horizon: Horizon | None
    ) -> Neighbourhood:
        self._library("neighbourhood", library)
        edges = [edge for edge in self._edges(library, horizon) if relation in (None, edge.type)]
        hops = _hops(edges, name, depth)
        tree = [edge for edge in edges if abs(hops.get(edge.source, END) - hops.get(edge.target, END)) == 1]
        found = sorted((_neighbour(tree, other, hops) for other in hops if other != name), key=_nearest)
        kept = {name, *(neighbour.name for neighbour in found[:limit])}
        shown = [edge for edge in tree if {edge.source, edge.target} <= kept]
        shown.sort(key=lambda edge: max(hops[edge.source], hops[edge.target]))
        return Neighbourhood(neighbours=tuple(found[:limit]), edges=tuple(shown), total=len(found))

    async def relations(
        self, library: str, name: str, horizon: Horizon | None, *, other: str | None = None, type: str | None = None
    ) -> list[Relation]:
        self._library("relations", library)
        ends = {name} if other is None else {name, other}
        return [
            edge
            for edge in self._edges(library, horizon)
            if (ends == {edge.source, edge.target} if other is not None else name in (edge.source, edge.target))
            and type in (None, edge.type)
        ]

    async def path(
        self, library: str, start: str, end: str, max_hops: int, avoid_kinds: Sequence[str], horizon: Horizon | None
    ) -> list[Relation]:
        entities = self._library("path", library)
        inner = {name for name, entity in entities.items() if entity.kind not in avoid_kinds} | {start, end}
        edges = [edge for edge in self._edges(library, horizon) if {edge.source, edge.target} <= inner]
        walks = [[start]] if start in entities and start != end else []
        for _ in range(max_hops):
            walks = [[*walk, far] for walk in walks for far in _next(edges, walk[-1]) if far not in walk]
            found = [walk for walk in walks if walk[-1] == end]
            if found:
                return [_first(edges, here, there) for here, there in pairwise(min(found))]
        return []

    async def events(
        self, library: str, name: str, event_type: EventType | None, horizon: Horizon | None
    ) -> list[MajorEvent]:
        shown = await self.every_event(library, horizon)
        return [
            event
            for event in shown
            if name in {who.name for who in event.participants} and event_type in (None, event.event_type)
        ]

    async def every_event(self, library: str, horizon: Horizon | None) -> list[MajorEvent]:
        entities = self._library("events", library)
        shown = [
            replace(event, participants=_cast(event, entities, horizon))
            for batch in self._events.get(library, {}).values()
            for event in batch.values()
            if _told(event, horizon)
        ]
        return sorted(shown, key=lambda event: (_position(event), event.event_type, event.name))

    async def put_entities(self, library: str, entities: Sequence[Entity]) -> None:
        self._called("put_entities")
        self._entities.setdefault(library, {}).update({entity.name: _tidy(entity) for entity in entities})

    async def put_chapter(
        self,
        library: str,
        task_id: str,
        part: int,
        chapter: int | None,
        relations: Sequence[Relation],
        events: Sequence[MajorEvent],
    ) -> None:
        self._called("put_chapter")
        self._put(library, (task_id, "chapter", part, chapter), relations, events)

    async def put_imported(
        self, library: str, task_id: str, relations: Sequence[Relation], events: Sequence[MajorEvent]
    ) -> None:
        self._called("put_imported")
        self._put(library, (task_id, "import"), relations, events)

    async def delete_source(self, library: str, task_id: str) -> dict[str, int]:
        self._library("delete_source", library)
        relations, events = self._relations.get(library, {}), self._events.get(library, {})
        return {
            "relations": sum(
                _told(edge, None) for batch in [*relations] if batch[0] == task_id for edge in relations.pop(batch)
            ),
            "events": sum(
                _told(one, None) for batch in [*events] if batch[0] == task_id for one in events.pop(batch).values()
            ),
        }

    async def delete_entities(self, library: str, names: Sequence[str]) -> int:
        entities = self._library("delete_entities", library)
        gone = {name for name in names if entities.pop(name, None)}
        for batch in self._relations.get(library, {}).values():
            batch[:] = [edge for edge in batch if not gone & {edge.source, edge.target}]
        return len(gone)

    async def counts(self, library: str, horizon: Horizon | None = None) -> dict[str, int]:
        entities = [
            _shown_entity(one, horizon) for one in self._library("counts", library).values() if _visible(one, horizon)
        ]
        events = [one for batch in self._events.get(library, {}).values() for one in batch.values()]
        return {
            "entities": len(entities),
            "aliases": sum(len(entity.aliases) for entity in entities),
            "relations": len(self._edges(library, horizon)),
            "events": sum(_told(one, horizon) for one in events),
        }

    async def close(self) -> None:
        self._called("close")

    def _called(self, method: str) -> None:
        self.history.append(method)
        if self.failure is not None:
            raise self.failure

    def _library(self, method: str, library: str) -> dict[str, Entity]:
        self._called(method)
        return _known(self._entities, library)

    def _put(
        self, library: str, batch: tuple[object, ...], relations: Sequence[Relation], events: Sequence[MajorEvent]
    ) -> None:
        entities = self._entities.setdefault(library, {})
        keyed = {_event_key(event): event for event in events}
        stored = self._events.setdefault(library, {})
        for others in stored.values():
            for key in keyed:
                others.pop(key, None)
        stored[batch] = keyed
        self._relations.setdefault(library, {})[batch] = list(dict.fromkeys(relations))
        for entity in _ends(relations, list(keyed.values())):
            entities.setdefault(entity.name, entity)

    def _edges(self, library: str, horizon: Horizon | None) -> list[Relation]:
        entities = self._entities[library]
        edges = [
            replace(edge, source_kind=entities[edge.source].kind, target_kind=entities[edge.target].kind)
            for batch in self._relations.get(library, {}).values()
            for edge in batch
            if _told(edge, horizon)
            and _visible(entities[edge.source], horizon)
            and _visible(entities[edge.target], horizon)
        ]
        return sorted(edges, key=_edge_order)


class FakeCatalog:
    """Libraries and chapters in dictionaries, with the writes that ingestion needs."""

    def __init__(self, *libraries: LibraryInfo) -> None:
        self._libraries = {info.name: info for info in libraries}
        self._chapters: dict[str, dict[tuple[str, int, int | None], tuple[Chapter, list[str]]]] = {}
        self._notes: dict[tuple[str, str], object] = {}
        self._summaries: dict[tuple[object, ...], Summary] = {}

    async def libraries(self) -> list[LibraryInfo]:
        return [await self.info(name) for name in sorted(self._libraries)]

    async def info(self, library: str) -> LibraryInfo:
        info = _known(self._libraries, library)
        if library not in self._chapters:
            return info
        chapters = await self.chapters(library)
        passages = sum(len(ids) for _, ids in self._chapters[library].values())
        return replace(
            info,
            sources=tuple(dict.fromkeys(chapter.task_id for chapter in chapters)),
            counts={**(await self.counted(library)), "chapters": len(chapters), "passages": passages},
            books=books_of(
                list(dict.fromkeys((chapter.task_id, chapter.part) for chapter in chapters)),
                await self.note(library, BOOKS) or {},
                info.title,
            ),
        )

    async def chapters(
        self,
        library: str,
        task_id: str | None = None,
        horizon: Horizon | None = None,
        *,
        at: tuple[int, int | None] | None = None,
    ) -> list[Chapter]:
        return [
            chapter
            for chapter, _ in self._sorted(library)
            if task_id in (None, chapter.task_id)
            and at in (None, (chapter.part, slot_of(chapter.number, chapter.copy)))
            and (horizon is None or horizon.shows(chapter.part, chapter.number))
        ]

    async def outline(
        self, library: str, horizon: Horizon | None = None, *, measured: bool = False
    ) -> list[ChapterOutline]:
        return [
            ChapterOutline(
                task_id=c.task_id,
                part=c.part,
                number=c.number,
                digest=c.digest,
                order=c.order,
                passages=len(ids),
                copy=c.copy,
                title=c.title,
                characters=len(c.text) if measured else 0,
            )
            for c, ids in self._sorted(library)
            if horizon is None or horizon.shows(c.part, c.number)
        ]

    async def summaries(self, library: str, where: SummaryFilter) -> list[Summary]:
        _known(self._libraries, library)
        low, high = where.chapters or (0, END)
        found = [
            one
            for one in self._summaries.values()
            if one.library == library
            and (not where.kinds or one.kind in where.kinds)
            and (not where.subjects or one.subject in where.subjects)
            and where.part in (None, one.part)
            and (where.chapters is None or (one.chapter is not None and low <= one.chapter <= high))
            and (where.horizon is None or where.horizon.shows(one.part, one.chapter))
        ]
        ranks = {kind: at for at, kind in enumerate(get_args(SummaryKind))}
        return sorted(
            found,
            key=lambda one: (one.part, one.chapter or -1, one.copy, ranks[one.kind], one.task_id, one.subject),
        )

    async def put_summaries(self, library: str, summaries: Sequence[Summary]) -> None:
        _known(self._libraries, library)
        self._summaries |= {_summary_key(library, one): one for one in summaries}

    async def delete_summaries(self, library: str, summaries: Sequence[Summary]) -> int:
        _known(self._libraries, library)
        return sum(self._summaries.pop(_summary_key(library, one), None) is not None for one in summaries)

    async def create(self, library: str, title: str, embedder: str, dimension: int, language: Language) -> LibraryInfo:
        if library in self._libraries:
            await self.require_embedder(library, embedder, dimension)
        self._libraries[library] = LibraryInfo(
            name=library, title=title, embedder=embedder, dimension=dimension, language=language
        )
        self._chapters.setdefault(library, {})
        return await self.info(library)

    async def require_embedder(self, library: str, embedder: str, dimension: int) -> LibraryInfo:
        info = await self.info(library)
        if (embedder, dimension) != (info.embedder, info.dimension):
            raise EmbedderMismatch(f"{library}: {info.embedder} ({info.dimension}), {embedder} ({dimension})")
        return info

    async def put_chapter(self, chapter: Chapter, passage_ids: Sequence[str]) -> None:
        _known(self._libraries, chapter.library)
        key = (chapter.task_id, chapter.part, slot_of(chapter.number, chapter.copy))
        self._chapters.setdefault(chapter.library, {})[key] = (chapter, list(passage_ids))

    async def delete_chapter(self, library: str, task_id: str, part: int, number: int | None) -> None:
        _known(self._libraries, library)
        self._chapters.get(library, {}).pop((task_id, part, number), None)

    async def reorder(self, library: str, orders: Sequence[tuple[str, int, int | None, int]]) -> None:
        _known(self._libraries, library)
        rows = self._chapters.get(library, {})
        for task, part, number, order in orders:
            if (task, part, number) in rows:
                chapter, ids = rows[task, part, number]
                rows[task, part, number] = (replace(chapter, order=order), ids)

    async def passage_ids(
        self, library: str, task_id: str | None = None, part: int | None = None, number: int | None = None
    ) -> list[str]:
        return [
            id
            for chapter, ids in self._sorted(library)
            if task_id in (None, chapter.task_id)
            and (part is None or (part, number) == (chapter.part, slot_of(chapter.number, chapter.copy)))
            for id in ids
        ]

    async def delete_source(self, library: str, task_id: str) -> int:
        _known(self._libraries, library)
        rows = self._chapters.get(library, {})
        return sum(rows.pop(key, None) is not None for key in [*rows] if key[0] == task_id)

    async def notes(self, library: str) -> dict[str, Any]:
        _known(self._libraries, library)
        return {key: value for (name, key), value in self._notes.items() if name == library and value is not None}

    async def note(self, library: str, key: str) -> Any:
        _known(self._libraries, library)
        return self._notes.get((library, key))

    async def counted(self, library: str) -> dict[str, int]:
        kept = self._notes.get((library, GRAPH_COUNTS))
        return kept if isinstance(kept, dict) else {}

    async def put_note(self, library: str, key: str, value: object) -> None:
        _known(self._libraries, library)
        self._notes[library, key] = value

    async def close(self) -> None:
        return None

    def _sorted(self, library: str) -> list[tuple[Chapter, list[str]]]:
        _known(self._libraries, library)
        rows = self._chapters.get(library, {}).values()
        return sorted(rows, key=lambda row: (row[0].order, row[0].part, row[0].number or 0, row[0].task_id))


def _summary_key(library: str, one: Summary) -> tuple[object, ...]:
    return library, one.kind, one.subject, one.task_id, one.part, one.chapter, one.copy


def _known(libraries: Mapping[str, T], library: str) -> T:
    if library not in libraries:
        raise LibraryNotFound(f"没有名为 {library} 的资料库")
    return libraries[library]


def _matches(passage: Passage, library: str, where: PassageFilter) -> bool:
    low, high = where.chapters or (0, END)
    passage = passage.as_of(where.horizon)
    return (
        passage.library == library
        and (where.chapters is None or (passage.chapter is not None and low <= passage.chapter <= high))
        and where.part in (None, passage.part)
        and (where.entity is None or where.entity in passage.entities)
        and (not where.any_entity or bool({*where.any_entity} & {*passage.entities}))
        and where.task_id in (None, passage.task_id)
        and (where.horizon is None or where.horizon.shows(passage.part, passage.chapter))
    )


def cosine(one: Sequence[float], other: Sequence[float]) -> float:
    lengths = math.hypot(*one) * math.hypot(*other)
    return sum(x * y for x, y in zip(one, other, strict=True)) / lengths if lengths else 0.0


def _ranked(scored: Iterable[tuple[Passage, float]], limit: int) -> list[Ranked]:
    rows = [Ranked(passage.id, score, passage.event_order) for passage, score in scored]
    return sorted(rows, key=lambda row: (-row.score, row.event_order, row.id))[:limit]


def _visible(entity: Entity, horizon: Horizon | None) -> bool:
    if horizon is None:
        return entity.until is None
    shown = entity.first is not None and horizon.shows(*entity.first)
    return shown and not (entity.until and horizon.shows(*entity.until))


def _told(record: Relation | MajorEvent, horizon: Horizon | None) -> bool:
    if horizon is None:
        return record.until is None
    begun = horizon.shows(record.part, record.chapter) and (record.since is None or horizon.shows(*record.since))
    return begun and not (record.until and horizon.shows(*record.until))


def _tidy(entity: Entity) -> Entity:
    firsts = entity.alias_first or (None,) * len(entity.aliases)
    known = {text: first for text, first in reversed([*zip(entity.aliases, firsts, strict=True)])}
    order = [text for text in dict.fromkeys(entity.aliases) if text != entity.name]
    return replace(entity, aliases=tuple(order), alias_first=tuple(known[text] for text in order))


def _shown_entity(entity: Entity, horizon: Horizon | None) -> Entity:
    if horizon is None:
        return entity
    pairs = [*zip(entity.aliases, entity.alias_first, strict=True)]
    shown = [(text, first) for text, first in pairs if first is not None and horizon.shows(*first)]
    return replace(
        entity,
        description="",
        aliases=tuple(text for text, _ in shown),
        alias_first=tuple(first for _, first in shown),
    )


def _spellings(entity: Entity) -> list[Name]:
    own = Name(text=entity.name, entity=entity.name, kind=entity.kind, first=entity.first, mentions=entity.mentions)
    pairs = zip(entity.aliases, entity.alias_first, strict=True)
    aliases = [replace(own, text=text, first=first) for text, first in pairs]
    return [replace(own, description=entity.description), *aliases]


def _position(record: Relation | MajorEvent) -> tuple[float, ...]:
    return tuple(END if value is None else value for value in (record.part, record.chapter, record.event_order))


def _placed(record: Relation | MajorEvent) -> tuple[int, int] | None:
    return None if record.part is None or record.chapter is None else (record.part, record.chapter)


def _edge_order(edge: Relation) -> tuple[object, ...]:
    start = -1 if edge.start is None else edge.start
    return (_position(edge), edge.source, edge.type, edge.target, edge.evidence, start)


def _next(edges: Sequence[Relation], name: str) -> list[str]:
    return sorted({*(e.target for e in edges if e.source == name), *(e.source for e in edges if e.target == name)})


def _first(edges: Sequence[Relation], here: str, there: str) -> Relation:
    return next(edge for edge in edges if {edge.source, edge.target} == {here, there})


def _hops(edges: Sequence[Relation], start: str, depth: int) -> dict[str, int]:
    hops = {start: 0}
    for hop in range(1, depth + 1):
        beyond = {far for name, at in hops.items() if at == hop - 1 for far in _next(edges, name)}
        hops |= dict.fromkeys(beyond - hops.keys(), hop)
    return hops


def _neighbour(tree: Sequence[Relation], name: str, hops: Mapping[str, int]) -> Neighbour:
    last = [edge for edge in tree if name in (edge.source, edge.target) and _nearer(edge, name, hops)]
    edge = min(last, key=lambda edge: (edge.type, edge.target != name))
    out = edge.target == name
    return Neighbour(
        name=name,
        kind=edge.target_kind if out else edge.source_kind,
        relation=edge.type,
        direction="out" if out else "in",
        hop=hops[name],
        description=edge.description,
    )


def _nearer(edge: Relation, name: str, hops: Mapping[str, int]) -> bool:
    return hops[edge.source if edge.target == name else edge.target] < hops[name]


def _nearest(neighbour: Neighbour) -> tuple[int, str, str]:
    return neighbour.hop, neighbour.relation, neighbour.name


def _cast(event: MajorEvent, entities: Mapping[str, Entity], horizon: Horizon | None) -> tuple[Participant, ...]:
    once = {who.name: who for who in reversed(event.participants)}
    order = dict.fromkeys(who.name for who in event.participants)
    return tuple(once[name] for name in order if name in entities and _visible(entities[name], horizon))


def _event_key(event: MajorEvent) -> tuple[object, ...]:
    return (event.task_id, event.chapter, event.event_type, event.primary_character, event.name, event.until)


def _ends(relations: Sequence[Relation], events: Sequence[MajorEvent]) -> list[Entity]:
    named = [
        Entity(name=name, kind=kind, first=_placed(edge), until=edge.until)
        for edge in relations
        for name, kind in ((edge.source, edge.source_kind), (edge.target, edge.target_kind))
    ]
    named += [
        Entity(name=who.name, first=_placed(event), until=event.until) for event in events for who in event.participants
    ]
    earliest = sorted(named, key=lambda entity: (entity.until is not None, entity.first or (END, END)))
    return [*{entity.name: entity for entity in reversed(earliest)}.values()]
