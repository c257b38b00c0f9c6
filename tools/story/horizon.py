"""Places in a story: what a reader up to a chapter may know, and how chapters of one number are kept apart."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

Position = tuple[int, int]  # (part, chapter)


@dataclass(frozen=True, slots=True, order=True)
class Horizon:
    """Spoiler guard: earlier parts are visible, and this part up to this chapter."""

    part: int
    chapter: int

    def shows(self, part: int | None, chapter: int | None) -> bool:
        """Return True if a record at (part, chapter) is visible; one without a chapter is hidden."""
        return part is not None and chapter is not None and (part, chapter) <= (self.part, self.chapter)

    def covers(self, guard: Mapping[str, Any] | Sequence[int] | None) -> bool:
        """Return True if a question that was asked under a guard saw no more; one without a guard saw everything."""
        place = (guard.get("part"), guard.get("chapter")) if isinstance(guard, Mapping) else guard
        return place is not None and self.shows(*place)


@dataclass(frozen=True, slots=True, kw_only=True)
class Guise:
    """The name under which a reader knows an entity from `since` to before `until`; '': it is unknown then."""

    entity: str
    known_as: str
    since: Position
    until: Position

    def worn(self, horizon: Horizon) -> bool:
        """Return True if a reader at the horizon knows the entity by this name."""
        return horizon.shows(*self.since) and not horizon.shows(*self.until)


COPIES = 10_000_000
"""Above every chapter number: keeps apart the slots of chapters that bear one number."""


def slot_of(number: int | None, copy: int) -> int | None:
    """Return the number under which a chapter is kept: its own, or for a second one with that number a free one."""
    return None if number is None else number + copy * COPIES


def number_of(slot: int | None) -> tuple[int | None, int]:
    """Return the number and the copy that are kept under a slot."""
    return (None, 0) if slot is None else (slot % COPIES, slot // COPIES)
