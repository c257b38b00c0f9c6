"""Passages as both Qdrant engines store them, and as they come back."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any, Protocol

from tools.records import Guise, Passage


class StoredPoint(Protocol):
    """A point as either engine returns it."""

    @property
    def id(self) -> object:
        """The point's id."""
        ...

    @property
    def payload(self) -> Mapping[str, Any] | None:
        """What is stored beside the vectors."""
        ...


class ScoredPoint(StoredPoint, Protocol):
    """A point of a ranking."""

    @property
    def score(self) -> float:
        """Its cosine, or BM25."""
        ...


def to_payload(passage: Passage) -> dict[str, Any]:
    """Return a passage as the engine stores it; the id is the point's."""
    payload = asdict(replace(passage, guises=()))
    del payload["id"], payload["guises"]
    payload |= {"entities": list(passage.entities), "characters": list(passage.characters)}
    return payload | _veil(passage.guises) if passage.guises else payload


def to_passage(record: StoredPoint) -> Passage:
    """Return a stored point as a passage."""
    payload = dict(record.payload or {})
    payload["entities"] = tuple(payload["entities"])
    payload["characters"] = tuple(payload["characters"])
    rows = payload.pop("guises", ())
    for field in ("veiled", "known_as"):
        payload.pop(field, None)
    return Passage(id=str(record.id), **payload, guises=tuple(_guise(row) for row in rows))


def _veil(guises: Sequence[Guise]) -> dict[str, Any]:
    """Return guises as the engine stores them, with whom they hide and whom they show as fields of their own.

    A condition on these two has an index; so only passages that hide somebody are looked into.
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
