"""How often the passages that a reader knows name each entity."""

from collections import Counter

from tools.ports import PassageStore
from tools.records import Horizon, PassageFilter


async def mentions_as_read(passages: PassageStore, library: str, horizon: Horizon | None) -> Counter[str]:
    """Return for each entity the passages that name it, up to a guard. Raises StoreError."""
    where = PassageFilter(horizon=horizon)
    return Counter(name for one in await passages.scroll(library, where, texts=False) for name in set(one.entities))
