"""The spoiler guard of commands that show a library without asking it."""

from typing import TYPE_CHECKING

from wenmai.cli.options import check_guard

if TYPE_CHECKING:
    from tools.records import Horizon
    from wenmai.app.container import Services


async def horizon_of(services: "Services", library: str, chapter: int | None, part: int | None) -> "Horizon | None":
    """Return the guard that the options mean for a library, None without one. Raises InputError, StoreError."""
    from tools.story.guard import read_horizon

    check_guard(chapter, part)
    return await read_horizon(services.catalog, library, chapter, part)
