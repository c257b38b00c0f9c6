"""Story positions of passages, kept: the engine unpacks a passage's whole payload to return this one number."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager

MOST = 50_000  # ids of a library, about 8 MB: with more, the map starts again from nothing


class StoryOrders:
    """What searches have asked for, by library, until something is written there."""

    def __init__(self) -> None:
        self._known: dict[str, dict[str, int]] = {}

    def of(
        self, library: str, ids: Iterable[str], look_up: Callable[[list[str]], Mapping[str, int]]
    ) -> Mapping[str, int]:
        """Return the positions by id, from the store only those that are not known.

        What is looked up during a write goes to a map that `changing` has put aside, or is about to.
        """
        known = self._known.setdefault(library, {})
        wanted = {id: known.get(id) for id in ids}
        unknown = [id for id, order in wanted.items() if order is None]
        found = look_up(unknown) if unknown else {}
        if len(known) + len(found) > MOST:
            known.clear()
        known.update(found)
        return {**{id: order for id, order in wanted.items() if order is not None}, **found}

    @contextmanager
    def changing(self, library: str) -> Iterator[None]:
        """Drop what is known of a library behind a write, also behind one that failed."""
        try:
            yield
        finally:
            self._known.pop(library, None)

    def clear(self) -> None:
        """Drop everything."""
        self._known.clear()
