"""How often the passages that a reader knows name each entity."""

from collections import Counter, defaultdict

from tools.ports import PassageStore
from tools.records import Horizon, PassageFilter

Place = tuple[int, int | None]  # part and chapter


async def mentions_by_chapter(
    passages: PassageStore, library: str, horizon: Horizon | None
) -> dict[str, Counter[Place]]:
    """Return for each entity the passages of each chapter that name it, up to a guard. Raises StoreError."""
    found: defaultdict[str, Counter[Place]] = defaultdict(Counter)
    for one in await passages.scroll(library, PassageFilter(horizon=horizon), texts=False):
        for name in set(one.entities):
            found[name][one.part, one.chapter] += 1
    return found
