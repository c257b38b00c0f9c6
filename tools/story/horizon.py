"""The spoiler guard: what a reader of the story up to a chapter may know."""

from dataclasses import dataclass

Position = tuple[int, int]  # (part, chapter)


@dataclass(frozen=True, slots=True, order=True)
class Horizon:
    """Spoiler guard: earlier parts are visible, and this part up to this chapter."""

    part: int
    chapter: int

    def shows(self, part: int | None, chapter: int | None) -> bool:
        """Return True if a record at (part, chapter) is visible; one without a chapter is hidden."""
        return part is not None and chapter is not None and (part, chapter) <= (self.part, self.chapter)


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
