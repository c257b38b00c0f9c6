"""The entities of a library as a reader knows them."""

from collections import Counter
from typing import TYPE_CHECKING

from tools.story.chapters.mentions import mentions_by_chapter

if TYPE_CHECKING:
    from tools.records import Horizon, Name
    from wenmai.app.container import Services


async def names_and_mentions(
    services: "Services", library: str, horizon: "Horizon | None"
) -> "tuple[list[Name], Counter[str]]":
    """Return the spellings that a reader knows, and for each entity how many of the passages read name it.

    Opening the passages takes longer than all else: without a guard the graph knows their counts.
    """
    names = await services.graph.names(library, horizon)
    if horizon is None:
        return names, Counter({one.entity: one.mentions for one in names})
    found = await mentions_by_chapter(services.passages, library, horizon)
    return names, Counter({name: places.total() for name, places in found.items()})
