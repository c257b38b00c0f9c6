"""The spoiler guard: what a reader who has come to a chapter may know."""

from dataclasses import dataclass

Position = tuple[int, int]  # (part, chapter)


@dataclass(frozen=True, slots=True, order=True)
class Horizon:
    """Spoiler guard (STO-19): visible is what lies in an earlier part, or in this part up to this chapter."""

    part: int
    chapter: int

    def shows(self, part: int | None, chapter: int | None) -> bool:
        """Tell whether a record at (part, chapter) is visible; one without a chapter is hidden."""
        return part is not None and chapter is not None and (part, chapter) <= (self.part, self.chapter)


@dataclass(frozen=True, slots=True, kw_only=True)
class Guise:
    """Who an entity is to a reader from `since` to before `until`, when the story tells it; '' is nobody (STO-19)."""

    entity: str
    known_as: str
    since: Position
    until: Position

    def worn(self, horizon: Horizon) -> bool:
        """Tell whether this is the name for a reader who is at the horizon."""
        return horizon.shows(*self.since) and not horizon.shows(*self.until)
