"""Small in-memory stores for the tools' tests; they keep a history of what was asked."""

import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tools.records import (
    Entity,
    EventType,
    Horizon,
    MajorEvent,
    Name,
    Neighbour,
    Neighbourhood,
    Passage,
    PassageFilter,
    Ranked,
    Relation,
    ScoredPassage,
)

DIMENSION = 64


def vector_of(text: str) -> list[float]:
    """Return a unit vector of the text's characters."""
    counts = [0.0] * DIMENSION
    for character in text:
        counts[zlib.crc32(character.encode()) % DIMENSION] += 1.0
    length = sum(x * x for x in counts) ** 0.5 or 1.0
    return [x / length for x in counts]


def cosine(a: Sequence[float], b: Sequence[float]) -> float:
    return min(1.0, max(0.0, sum(x * y for x, y in zip(a, b, strict=True))))


def matches(passage: Passage, where: PassageFilter) -> bool:
    inside = where.chapters is None or (
        passage.chapter is not None and where.chapters[0] <= passage.chapter <= where.chapters[1]
    )
    named = where.entity is None or where.entity in passage.entities
    any_named = not where.any_entity or bool(set(where.any_entity) & set(passage.entities))
    source = where.task_id is None or passage.task_id == where.task_id
    visible = where.horizon is None or where.horizon.shows(passage.part, passage.chapter)
    return inside and named and any_named and source and visible


@dataclass
class Embedder:
    """Counts characters; `history` keeps what was embedded."""

    history: list[str] = field(default_factory=list)
    name: str = "characters"
    dimension: int = DIMENSION

    async def embed_query(self, text: str) -> list[float]:
        self.history.append(text)
        return vector_of(text)

    async def embed_passages(self, texts: Sequence[str]) -> list[list[float]]:
        return [vector_of(text) for text in texts]


@dataclass
class Passages:
    """A passage store; `history` keeps (method, filter, limit)."""

    rows: dict[str, Passage] = field(default_factory=dict)
    history: list[tuple[str, PassageFilter | None, int | None]] = field(default_factory=list)

    async def dense(self, library: str, vector: Sequence[float], where: PassageFilter, limit: int) -> list[Ranked]:
        self.history.append(("dense", where, limit))
        return self._ranked(
            library, where, limit, {p.id: cosine(vector, vector_of(p.text)) for p in self.rows.values()}
        )

    async def sparse(self, library: str, text: str, where: PassageFilter, limit: int) -> list[Ranked]:
        self.history.append(("sparse", where, limit))
        shared = {p.id: float(len(set(text) & set(p.text))) for p in self.rows.values()}
        return [row for row in self._ranked(library, where, limit, shared) if row.score > 0]

    async def fetch(
        self, library: str, ids: Sequence[str], vector: Sequence[float] | None = None
    ) -> list[ScoredPassage]:
        self.history.append(("fetch", None, len(ids)))
        found = [self.rows[id] for id in ids if id in self.rows and self.rows[id].library == library]
        return [ScoredPassage(p, None if vector is None else cosine(vector, vector_of(p.text))) for p in found]

    async def scroll(self, library: str, where: PassageFilter, limit: int | None = None) -> list[Passage]:
        self.history.append(("scroll", where, limit))
        found = [p for p in self.rows.values() if p.library == library and matches(p, where)]
        return sorted(found, key=lambda p: (p.event_order, p.id))[:limit]

    async def count(self, library: str, where: PassageFilter) -> int:
        return len(await self.scroll(library, where))

    async def upsert(self, library: str, passages: Sequence[Passage], vectors: Sequence[Sequence[float]]) -> None:
        self.rows |= {p.id: p for p in passages}

    async def reorder(self, library: str, orders: Mapping[str, int]) -> None:
        raise NotImplementedError

    async def delete(self, library: str, ids: Iterable[str]) -> int:
        raise NotImplementedError

    def _ranked(self, library: str, where: PassageFilter, limit: int, scores: Mapping[str, float]) -> list[Ranked]:
        found = [p for p in self.rows.values() if p.library == library and matches(p, where)]
        rows = [Ranked(p.id, scores[p.id], p.event_order) for p in found]
        return sorted(rows, key=lambda r: (-r.score, r.event_order, r.id))[:limit]


@dataclass
class Graph:
    """A story graph of one library."""

    entities: list[Entity] = field(default_factory=list)
    edges: list[Relation] = field(default_factory=list)
    happenings: list[MajorEvent] = field(default_factory=list)
    history: list[tuple[Any, ...]] = field(default_factory=list)

    async def names(self, library: str, horizon: Horizon | None) -> list[Name]:
        seen = [e for e in self.entities if horizon is None or horizon.shows(*(e.first or (None, None)))]
        return [Name(text=t, entity=e.name, kind=e.kind, first=e.first) for e in seen for t in (e.name, *e.aliases)]

    async def entity(self, library: str, name: str, horizon: Horizon | None) -> Entity | None:
        visible = {n.entity for n in await self.names(library, horizon)}
        return next((e for e in self.entities if e.name == name and name in visible), None)

    async def relation_types(self, library: str) -> list[str]:
        return sorted({edge.type for edge in self.edges})

    async def neighbourhood(
        self, library: str, name: str, relation: str | None, depth: int, limit: int, horizon: Horizon | None
    ) -> Neighbourhood:
        self.history.append(("neighbourhood", name, relation, depth, limit, horizon))
        hops, found = {name: 0}, dict[str, Neighbour]()
        edges = [e for e in self.visible(horizon) if relation in (None, e.type)]
        for hop in range(1, depth + 1):
            for here in [n for n, h in hops.items() if h == hop - 1]:
                for edge in [e for e in edges if here in (e.source, e.target)]:
                    other = edge.target if edge.source == here else edge.source
                    if other not in hops:
                        hops[other] = hop
                        found[other] = Neighbour(
                            name=other,
                            kind="Character",
                            relation=edge.type,
                            direction="out" if edge.source == here else "in",
                            hop=hop,
                            description=edge.description,
                        )
        first = sorted(found.values(), key=lambda n: (n.hop, n.relation, n.name))[:limit]
        kept = {name, *(n.name for n in first)}
        return Neighbourhood(
            neighbours=tuple(first),
            edges=tuple(e for e in edges if {e.source, e.target} <= kept),
            total=len(found),
        )

    async def relations(
        self, library: str, name: str, horizon: Horizon | None, *, other: str | None = None, type: str | None = None
    ) -> list[Relation]:
        found = [e for e in self.visible(horizon) if name in (e.source, e.target)]
        return [e for e in found if (other is None or other in (e.source, e.target)) and type in (None, e.type)]

    async def path(
        self, library: str, start: str, end: str, max_hops: int, avoid_kinds: Sequence[str], horizon: Horizon | None
    ) -> list[Relation]:
        self.history.append(("path", start, end, max_hops, tuple(avoid_kinds), horizon))
        hubs = {e.name for e in self.entities if e.kind in avoid_kinds} - {start, end}
        paths: dict[str, list[Relation]] = {start: []}
        for _ in range(max_hops):
            for here, walked in list(paths.items()):
                for edge in self.visible(horizon):
                    if here in (edge.source, edge.target) and here not in hubs:
                        paths.setdefault(edge.target if edge.source == here else edge.source, [*walked, edge])
        return paths.get(end, [])

    async def events(
        self, library: str, name: str, event_type: EventType | None, horizon: Horizon | None
    ) -> list[MajorEvent]:
        found = [e for e in self.happenings if name in {p.name for p in e.participants}]
        shown = [e for e in found if horizon is None or horizon.shows(e.part, e.chapter)]
        return sorted([e for e in shown if event_type in (None, e.event_type)], key=lambda e: e.event_order or 0)

    def visible(self, horizon: Horizon | None) -> list[Relation]:
        shown = [e for e in self.edges if horizon is None or horizon.shows(e.part, e.chapter)]
        return sorted(shown, key=lambda e: (e.part or 0, e.chapter is None, e.chapter or 0, e.event_order or 0))

    async def put_entities(self, library: str, entities: Sequence[Entity]) -> None:
        raise NotImplementedError

    async def put_chapter(
        self,
        library: str,
        task_id: str,
        part: int,
        chapter: int | None,
        relations: Sequence[Relation],
        events: Sequence[MajorEvent],
    ) -> None:
        raise NotImplementedError

    async def put_imported(
        self, library: str, task_id: str, relations: Sequence[Relation], events: Sequence[MajorEvent]
    ) -> None:
        raise NotImplementedError

    async def delete_source(self, library: str, task_id: str) -> dict[str, int]:
        raise NotImplementedError

    async def delete_entities(self, library: str, names: Sequence[str]) -> int:
        raise NotImplementedError

    async def counts(self, library: str) -> dict[str, int]:
        return {"entities": len(self.entities), "relations": len(self.edges)}
