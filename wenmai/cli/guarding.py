"""The spoiler guard of commands that show a library without asking it."""

from typing import TYPE_CHECKING

from wenmai.cli.options import check_guard
from wenmai.cli.refusals import WHOSE_CHAPTER
from wenmai.errors import InputError

if TYPE_CHECKING:
    from tools.records import Horizon
    from wenmai.app.container import Services
    from wenmai.application.models.paging import Guard


def guard_of(chapter: int | None, part: int | None) -> "Guard | None":
    """Return the guard that the options mean, None without one. Raises InputError."""
    from wenmai.application.models.paging import Guard

    check_guard(chapter, part)
    return None if chapter is None else Guard(as_of_chapter=chapter, as_of_part=part)


def story_guard_of(library: str | None, chapter: int | None, part: int | None) -> "Guard | None":
    """Return the guard for memories of a library's story. Raises InputError for a chapter of no library."""
    if library is None and chapter is not None:
        raise InputError(WHOSE_CHAPTER.say())
    return guard_of(chapter, part)


async def horizon_of(services: "Services", library: str, chapter: int | None, part: int | None) -> "Horizon | None":
    """Return the guard that the options mean for a library, None without one. Raises InputError, StoreError."""
    from wenmai.application.guard import horizon_of as application_horizon

    return await application_horizon(services.catalog, library, guard_of(chapter, part))
