"""How far a caller has read: the one place where the spoiler guard of an operation becomes a place in a story."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from tools.memory.records import StoryGuard
from tools.records import Horizon
from tools.story.guard import read_horizon
from tools.wording import Words
from wenmai.application.models.paging import Guard
from wenmai.inputs import PART_ALONE, FieldError

if TYPE_CHECKING:
    from wenmai.app.container import Services
    from wenmai.app.engines import Catalog
    from wenmai.application.caller import Caller

NEEDS_LIBRARY = Words("as_of_chapter 需要与 library 一起使用", "as_of_chapter needs library")


@asynccontextmanager
async def read_library(
    services: "Services", caller: "Caller", library: str, guard: Guard | None = None
) -> AsyncIterator[Horizon | None]:
    """Read a library that is whole; give the last place that a guard shows, None without one.

    Raises:
        LibraryNotFound: there is no such library, or none for this caller.
        StoreLocked, StoreUnfinished: it is being changed, or a change was broken off.
        FieldError: a guard that hides nothing.
    """
    caller.require_library(library)
    async with services.libraries.reading(library):
        yield await horizon_of(services.catalog, library, guard)


def check_guard(fields: Mapping[str, Any]) -> None:
    """Refuse a part without a chapter: it would hide nothing. Raises FieldError."""
    if fields.get("as_of_part") is not None and fields.get("as_of_chapter") is None:
        raise FieldError("as_of_part", PART_ALONE)


async def horizon_of(catalog: "Catalog", library: str, guard: Guard | None) -> Horizon | None:
    """Return the last place of a library that a guard shows, None without one. Raises FieldError, StoreError."""
    if guard is None:
        return None
    check_guard(guard.model_dump())
    return await read_horizon(catalog, library, guard.as_of_chapter, guard.as_of_part)


async def story_guard_of(catalog: "Catalog", library: str | None, guard: Guard | None) -> StoryGuard | None:
    """Return the guard for memories of a library's story, None without one. Raises FieldError, StoreError."""
    if library is None:
        if guard is not None and (guard.as_of_chapter is not None or guard.as_of_part is not None):
            raise FieldError("library", NEEDS_LIBRARY)
        return None
    horizon = await horizon_of(catalog, library, guard)
    return None if horizon is None else StoryGuard(library, horizon)
