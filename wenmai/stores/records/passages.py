"""Passages as every vector engine stores them, and which of them a search may find for a reader at a horizon."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, fields, replace
from typing import Any

from tools.records import Horizon, Passage, PassageFilter, Ranked, ScoredPassage, VisibleName
from wenmai.stores.records.conditions import Condition, Equals, Filter, Nested, Within, all_of, any_of, one_of
from wenmai.stores.records.points import NewPoint, StoredPoint


def of_library(library: str, *more: Condition) -> Filter:
    """Return the condition that every query holds."""
    return all_of(Equals("library", library), *more)


def passage_filter(library: str, where: PassageFilter) -> Filter:
    """Return the library and the conditions of `where`."""
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
    """Return the condition that a passage names one of these."""
    if horizon is None:
        return one_of("entities", names)
    return any_of(*(branch for name in names for branch in _known(name, horizon)))


def _known(name: str, horizon: Horizon) -> list[Filter]:
    """Return the conditions that may hold: the name is no secret here, it is revealed by now, or a guise bears it."""
    hidden = _guise(Equals("entity", name), _after("until", horizon))
    worn = _guise(Equals("known_as", name), _reached("since", horizon), _after("until", horizon))
    entity, veiled = Equals("entities", name), Equals("veiled", name)
    return [
        Filter(must=(entity,), must_not=(veiled,)),
        Filter(must=(entity, veiled), must_not=(hidden,)),
        all_of(Equals("known_as", name), worn),
    ]


def _guise(*must: Condition) -> Nested:
    """Return the condition that one guise of a passage meets all of these."""
    return Nested("guises", all_of(*must))


def _after(bound: str, horizon: Horizon) -> Filter:
    """Return the condition that a position of a guise lies beyond the horizon."""
    in_part = all_of(Equals(f"{bound}_part", horizon.part), Within(f"{bound}_chapter", gt=horizon.chapter))
    return any_of(Within(f"{bound}_part", gt=horizon.part), in_part)


def _reached(bound: str, horizon: Horizon) -> Filter:
    """Return the condition that a position of a guise lies before the horizon or at it."""
    return Filter(must_not=(_after(bound, horizon),))


def _visible(horizon: Horizon) -> Filter:
    in_part = all_of(Equals("part", horizon.part), Within("chapter", lte=horizon.chapter))
    # A passage of an earlier part is hidden too when it has no chapter: the range asks for one.
    earlier = all_of(Within("part", lt=horizon.part), Within("chapter", gte=0))
    return any_of(earlier, in_part)


WITHOUT_TEXT = [field.name for field in fields(Passage) if field.name not in ("id", "text")]
"""The fields of a payload but for the text, which is most of it."""


def to_payload(passage: Passage) -> dict[str, Any]:
    """Return a passage as the engine stores it; the id is the point's."""
    payload = asdict(replace(passage, guises=()))
    del payload["id"], payload["guises"]
    payload |= {"entities": list(passage.entities), "characters": list(passage.characters)}
    return payload | _veil(passage.guises) if passage.guises else payload


def to_point(passage: Passage, vector: Sequence[float]) -> NewPoint:
    """Return a passage with its vector as a point to write."""
    return NewPoint(passage.id, vector, passage.text, to_payload(passage))


def to_passage(record: StoredPoint) -> Passage:
    """Return a stored point as a passage; one that was read without its text has ''."""
    payload = {"text": "", **(record.payload or {})}
    payload["entities"] = tuple(payload["entities"])
    payload["characters"] = tuple(payload["characters"])
    rows = payload.pop("guises", ())
    for field in ("veiled", "known_as"):
        payload.pop(field, None)
    return Passage(id=str(record.id), **payload, guises=tuple(_to_guise(row) for row in rows))


def passage_text(record: StoredPoint) -> str:
    """Return what is embedded of a passage, and indexed by its words."""
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


def _to_guise(row: dict[str, Any]) -> VisibleName:
    return VisibleName(
        entity=row["entity"],
        known_as=row["known_as"],
        since=(row["since_part"], row["since_chapter"]),
        until=(row["until_part"], row["until_chapter"]),
    )
