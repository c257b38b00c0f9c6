"""How far a caller has read: the one place where the spoiler guard of an operation becomes a place in a story."""

from typing import TYPE_CHECKING

from tools.memory.records import StoryGuard
from tools.records import Horizon
from tools.story.chapters.guard import read_horizon
from tools.wording import Words
from wenmai.application.models.paging import Guard
from wenmai.inputs import PART_ALONE, FieldError

if TYPE_CHECKING:
    from wenmai.app.engines import Catalog

NEEDS_LIBRARY = Words("as_of_chapter 需要与 library 一起使用", "as_of_chapter needs library")


async def horizon_of(catalog: "Catalog", library: str, guard: Guard | None) -> Horizon | None:
    """Return the last place of a library that a guard shows, None without one. Raises FieldError, StoreError."""
    if guard is None or guard.as_of_chapter is None:
        if guard is not None and guard.as_of_part is not None:
            raise FieldError("as_of_part", PART_ALONE)
        return None
    return await read_horizon(catalog, library, guard.as_of_chapter, guard.as_of_part)


async def story_guard_of(catalog: "Catalog", library: str | None, guard: Guard | None) -> StoryGuard | None:
    """Return the guard for memories of a library's story, None without one. Raises FieldError, StoreError."""
    if library is None:
        if guard is not None and (guard.as_of_chapter is not None or guard.as_of_part is not None):
            raise FieldError("library", NEEDS_LIBRARY)
        return None
    horizon = await horizon_of(catalog, library, guard)
    return None if horizon is None else StoryGuard(library, horizon)
