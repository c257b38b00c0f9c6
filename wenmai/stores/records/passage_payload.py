"""Passages as every vector engine stores them, and as they come back."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, fields, replace
from typing import Any

from tools.records import Guise, Horizon, Passage, Ranked, ScoredPassage
from wenmai.stores.records.points import NewPoint, StoredPoint

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
    return Passage(id=str(record.id), **payload, guises=tuple(_guise(row) for row in rows))


def passage_text(record: StoredPoint) -> str:
    """Return what is embedded of a passage, and indexed by its words."""
    return str((record.payload or {})["text"])


def scored(record: StoredPoint, score: float | None, horizon: Horizon | None) -> ScoredPassage:
    """Return a passage as of a horizon, with its cosine cut to 0..1; None where nothing was compared."""
    return ScoredPassage(to_passage(record).as_of(horizon), None if score is None else min(1.0, max(0.0, score)))


def ranked(rows: Iterable[Ranked], limit: int) -> list[Ranked]:
    """Return the best rows, equal ones by their story position."""
    return sorted(rows, key=lambda row: (-row.score, row.event_order, row.id))[: max(0, limit)]


def _veil(guises: Sequence[Guise]) -> dict[str, Any]:
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


def _guise(row: dict[str, Any]) -> Guise:
    return Guise(
        entity=row["entity"],
        known_as=row["known_as"],
        since=(row["since_part"], row["since_chapter"]),
        until=(row["until_part"], row["until_chapter"]),
    )
