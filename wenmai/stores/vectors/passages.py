"""Passages on a server: all libraries of one embedder in one collection, the library inside every query."""

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import starmap
from typing import Any, Protocol

from tools.errors import StoreGone
from tools.messages import Message
from tools.records import Horizon, Passage, PassageFilter, Ranked, ScoredPassage, VisibleName
from wenmai.stores.files.folder import check_name
from wenmai.stores.files.owners import Owner, OwnerSource, foreign_error, require_owner
from wenmai.stores.vectors.conditions import Condition, Equals, Filter, Nested, Within, all_of, any_of, has_id, one_of
from wenmai.stores.vectors.points import (
    ALL_FIELDS,
    PASSAGE_INDEXES,
    Collection,
    CollectionPlan,
    Fields,
    NewPoint,
    PassagePoints,
    ScoredPoint,
    StoredPoint,
    dense_vector,
    event_order,
    point_ids,
)


def of_library(library: str, *more: Condition) -> Filter:
    """Return the condition that every query holds."""
    return all_of(Equals("library", library), *more)


def passage_filter(library: str, where: PassageFilter) -> Filter:
    must: list[Condition] = []
    if where.chapters is not None:
        low, high = where.chapters
        must.append(Within("chapter", gte=low, lte=high))
    if where.part is not None:
        must.append(Equals("part", where.part))
    if where.entity is not None:
        must.append(_named((where.entity,), where.horizon))
    if where.any_entity:
        must.append(_named(where.any_entity, where.horizon))
    if where.task_id is not None:
        must.append(Equals("task_id", where.task_id))
    if where.horizon is not None:
        must.append(_visible(where.horizon))
    return of_library(library, *must)


def _named(names: Sequence[str], horizon: Horizon | None) -> Condition:
    if horizon is None:
        return one_of("entities", names)
    return any_of(*(branch for name in names for branch in _known(name, horizon)))


def _known(name: str, horizon: Horizon) -> list[Filter]:
    """Return the conditions that may hold: the name is no secret here, it is revealed by now, or a guise bears it."""
    hidden = _guise(Equals("entity", name), _after("until", horizon))
    reached = Filter(must_not=(_after("since", horizon),))
    worn = _guise(Equals("known_as", name), reached, _after("until", horizon))
    entity, veiled = Equals("entities", name), Equals("veiled", name)
    return [
        Filter(must=(entity,), must_not=(veiled,)),
        Filter(must=(entity, veiled), must_not=(hidden,)),
        all_of(Equals("known_as", name), worn),
    ]


def _guise(*must: Condition) -> Nested:
    return Nested("guises", all_of(*must))


def _after(bound: str, horizon: Horizon) -> Filter:
    """Return the condition that a position of a guise lies beyond the horizon."""
    in_part = all_of(Equals(f"{bound}_part", horizon.part), Within(f"{bound}_chapter", gt=horizon.chapter))
    return any_of(Within(f"{bound}_part", gt=horizon.part), in_part)


def _visible(horizon: Horizon) -> Filter:
    in_part = all_of(Equals("part", horizon.part), Within("chapter", lte=horizon.chapter))
    # A passage of an earlier part is hidden too when it has no chapter: the range asks for one.
    earlier = all_of(Within("part", lt=horizon.part), Within("chapter", gte=0))
    return any_of(earlier, in_part)


def to_payload(passage: Passage) -> dict[str, Any]:
    """Return a passage as the engine stores it; the id is the point's."""
    payload = asdict(replace(passage, guises=()))
    del payload["id"], payload["guises"]
    payload |= {"entities": list(passage.entities), "characters": list(passage.characters)}
    return payload | _veil(passage.guises) if passage.guises else payload


def to_point(passage: Passage, vector: Sequence[float]) -> NewPoint:
    return NewPoint(passage.id, vector, passage.text, to_payload(passage))


def to_passage(record: StoredPoint) -> Passage:
    """Return a stored point as a passage; one that was read without its text has ''."""
    payload = {"text": "", **(record.payload or {})}
    payload["entities"] = tuple(payload["entities"])
    payload["characters"] = tuple(payload["characters"])
    payload["guises"] = tuple(
        VisibleName(
            entity=row["entity"],
            known_as=row["known_as"],
            since=(row["since_part"], row["since_chapter"]),
            until=(row["until_part"], row["until_chapter"]),
        )
        for row in payload.get("guises", ())
    )
    for field in ("veiled", "known_as"):
        payload.pop(field, None)
    return Passage(id=str(record.id), **payload)


def passage_text(record: StoredPoint) -> str:
    return str((record.payload or {})["text"])


def scored(record: StoredPoint, score: float | None, horizon: Horizon | None) -> ScoredPassage:
    """Return a passage as of a horizon, with its cosine cut to 0..1; None where nothing was compared."""
    return ScoredPassage(to_passage(record).as_of(horizon), None if score is None else min(1.0, max(0.0, score)))


def ranked(rows: Iterable[Ranked], limit: int) -> list[Ranked]:
    """Return the best rows, equal ones by their story position."""
    return sorted(rows, key=lambda row: (-row.score, row.event_order, row.id))[: max(0, limit)]


def _veil(guises: Sequence[VisibleName]) -> dict[str, Any]:
    """Return guises as the engine stores them, with the hidden and the shown names as fields of their own.

    These two fields are indexed, so that a condition looks only into passages that hide a name.
    """
    rows = [
        {
            "entity": one.entity,
            "known_as": one.known_as,
            "since_part": one.since[0],
            "since_chapter": one.since[1],
            "until_part": one.until[0],
            "until_chapter": one.until[1],
        }
        for one in guises
    ]
    return {
        "guises": rows,
        "veiled": sorted({one.entity for one in guises}),
        "known_as": sorted({one.known_as for one in guises if one.known_as}),
    }


PASSAGE_PLAN = CollectionPlan(Message("count.passages"), PASSAGE_INDEXES, Message("store.or_reembed"))
POSITION, TEXT, WITHOUT_TEXT = Fields(only=("event_order",)), Fields(only=("text",)), Fields(without=("text",))
Known = Callable[[str], Awaitable[object]]


MARK = "owner:{library}"  # of a library, in the metadata of its collection


class MarkedCollection(Protocol):
    async def require_made(self, dimension: int) -> None: ...

    async def mark(self, name: str) -> Any:
        """Return a mark that the collection bears, None where it does not."""
        ...

    async def set_mark(self, name: str, value: Any) -> None:
        """Set a mark of a collection that exists, None to take it away."""
        ...


@dataclass(frozen=True, slots=True)
class OwnerMarks:
    """Whose the libraries of a server are that several catalogs may share.

    Attributes:
        place: the server as errors name it.
        collection: where the libraries are.
        owner: returns the identity of the catalog in use.
    """

    place: str
    collection: MarkedCollection
    owner: OwnerSource

    async def owner_of(self, library: str) -> Owner | None:
        mark = await self.collection.mark(MARK.format(library=check_name(library)))
        return Owner(**mark) if mark else None

    async def mark(self, library: str, owner: Owner) -> None:
        """Mark what is there of a library. Raises StoreForeign where another one did so meanwhile."""
        await self.collection.set_mark(MARK.format(library=library), asdict(owner))
        found = await self.owner_of(library)  # the server knows no condition: of two that mark at once the last has it
        if found is None or found.id != owner.id:
            raise foreign_error(self.place, library, found)

    async def prepare(self, library: str, dimension: int) -> None:
        """Make the collection if need be, with the mark of the library in it. Raises StoreForeign."""
        try:
            await self.collection.require_made(dimension)
            await self.claim(library)
        except StoreGone:  # dropped since the last call: it is made again
            await self.collection.require_made(dimension)
            await self.claim(library)

    async def claim(self, library: str) -> None:
        """Mark a library that has no owner. Raises StoreForeign for another catalog's."""
        mine, found = await self.owner(), await self.owner_of(library)
        require_owner(self.place, library, found, mine)
        if found is None:
            await self.mark(library, mine)


class ServerPassageStore:
    """The PassageStore port over a server.

    A library without a row is one that `known` knows, else an error: the collection alone does not show it.
    """

    def __init__(
        self, points: PassagePoints, collection: Collection, known: Known, place: str, marks: OwnerMarks | None
    ) -> None:
        """Take the points.

        Args:
            points: of all libraries of an embedder.
            collection: where they are.
            known: raises LibraryNotFound for a library that was never made.
            place: the server as errors name it.
            marks: whose the libraries are; None where all are the catalog's, which is in the same database.
        """
        self.place = place
        self._points = points
        self._collection = collection
        self._known = known
        self._marks = marks

    async def open(self, library: str) -> None:
        """Look for a library before it is asked. Raises LibraryNotFound, StoreForeign, StoreUnavailable."""
        await self._require(library)
        await self._require_mine(library)

    async def require_room_to_open(self, library: str) -> None:
        """Leave that to the server."""

    async def owner_of(self, library: str) -> Owner | None:
        return await self._marks.owner_of(library) if self._marks else None

    async def holds(self, library: str) -> bool:
        return await self._points.count(of_library(check_name(library))) > 0

    async def mark(self, library: str, owner: Owner) -> None:
        """Mark what is there of a library as a catalog's. Raises StoreForeign where another one did so meanwhile."""
        if self._marks:
            await self._marks.mark(library, owner)

    async def dense(self, library: str, vector: Sequence[float], where: PassageFilter, limit: int) -> list[Ranked]:
        await self._collection.require_embedder(len(vector))
        rows = await self._points.nearest(vector, passage_filter(library, where), limit, POSITION)
        return await self._ranked(library, rows, limit)

    async def sparse(self, library: str, text: str, where: PassageFilter, limit: int) -> list[Ranked]:
        only = passage_filter(library, where)
        rows = await self._points.wording(text, only, limit, of_library(library), POSITION)
        return await self._ranked(library, rows, limit)

    async def fetch(
        self,
        library: str,
        ids: Sequence[str],
        vector: Sequence[float] | None = None,
        horizon: Horizon | None = None,
    ) -> list[ScoredPassage]:
        points = point_ids(ids)
        only = of_library(library, has_id(points))
        if vector is None:
            rows = await self._points.listed(only) if points else []
            found = {str(row.id): scored(row, None, horizon) for row in rows}
        else:
            nearest = await self._points.compared(vector, only, len(points))
            found = {str(row.id): scored(row, row.score, horizon) for row in nearest}
        if not found:
            await self._require(library)
        return [found[id] for id in ids if id in found]

    async def scroll(
        self, library: str, where: PassageFilter, limit: int | None = None, *, texts: bool = True
    ) -> list[Passage]:
        fields = ALL_FIELDS if texts else WITHOUT_TEXT
        rows = await self._points.in_story_order(passage_filter(library, where), limit, fields)
        if not rows:
            await self._require(library)
        return [to_passage(row).as_of(where.horizon) for row in rows]

    async def count(self, library: str, where: PassageFilter) -> int:
        count = await self._points.count(passage_filter(library, where))
        if not count:
            await self._require(library)
        return count

    async def upsert(self, library: str, passages: Sequence[Passage], vectors: Sequence[Sequence[float]]) -> None:
        check_name(library)
        if passages:
            dimension = len(vectors[0])
            if self._marks:
                await self._marks.prepare(library, dimension)
            await self._points.write(starmap(to_point, zip(passages, vectors, strict=True)), dimension)
            if self._marks:
                await self._marks.claim(library)  # the write may have made a dropped collection again

    async def vectors(self, library: str, passages: Sequence[Passage]) -> dict[str, list[float]]:
        texts = {passage.id: passage.text for passage in passages}
        only = of_library(library, has_id(texts))
        rows = await self._points.listed(only, TEXT, vectors=True) if texts else []
        if not rows:
            await self._require(library)
        return {str(row.id): dense_vector(row) for row in rows if passage_text(row) == texts[str(row.id)]}

    async def reorder(self, library: str, orders: Mapping[str, int]) -> None:
        await self._require_mine(library)
        await self._points.reorder(of_library(library), {id: orders[id] for id in point_ids(orders)})

    async def delete(self, library: str, ids: Iterable[str]) -> int:
        await self._require_mine(library)
        points = point_ids(ids)
        count = await self._points.delete(of_library(library, has_id(points))) if points else 0
        if not count:
            await self._require(library)
        return count

    async def drop(self, library: str) -> None:
        """Delete every passage of a library, of whatever catalog."""
        await self._points.delete(of_library(library))
        if self._marks and await self._marks.owner_of(library) is not None:
            await self._marks.collection.set_mark(MARK.format(library=library), None)

    async def optimize(self, library: str) -> None:
        """Leave it to the server, which builds its indexes by itself."""

    async def close(self) -> None:
        await self._collection.close()

    async def _ranked(self, library: str, rows: Sequence[ScoredPoint], limit: int) -> list[Ranked]:
        if not rows:
            await self._require(library)
        return ranked((Ranked(str(row.id), row.score, event_order(row)) for row in rows), limit)

    async def _require(self, library: str) -> None:
        """Raise LibraryNotFound for a library that has neither a passage nor a name that is known."""
        if not await self.holds(library):
            await self._known(library)

    async def _require_mine(self, library: str) -> None:
        """Raise StoreForeign for another catalog's library."""
        if self._marks:
            require_owner(self.place, library, await self._marks.owner_of(library), await self._marks.owner())
