"""A tagger over all chapters: blocks of whole lines, several at a time."""

import asyncio
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Protocol

BLOCK = 4000
"""Characters of a block, which ends with the line that they end in."""
MOST_THREADS = 8
Told = Callable[[int, int], None]
"""Receives how many characters are read, and how many there are."""


class Tag(Protocol):
    """A tagged span: half-open offsets, a `NameKind`, and how sure the tagger is (0 to 1)."""

    @property
    def start(self) -> int: ...  # noqa: D102
    @property
    def end(self) -> int: ...  # noqa: D102
    @property
    def kind(self) -> int: ...  # noqa: D102
    @property
    def probability(self) -> float: ...  # noqa: D102


class NameTagger(Protocol):
    """Finds names in a text; several threads may ask it at once."""

    @property
    def name(self) -> str:
        """What tells this tagger from others: another one reads the texts anew."""
        ...

    def names(self, text: str) -> Sequence[Tag]:
        """Return the names of a text, in order."""
        ...


@dataclass(frozen=True, slots=True)
class Tagged:
    """A name where a chapter has it: half-open offsets, a `NameKind`, and how sure that is."""

    start: int
    end: int
    kind: int
    probability: float = 1.0


async def tag_all(texts: Sequence[str], tagger: NameTagger, told: Told | None = None) -> list[list[Tagged]]:
    """Return the names of each text, in order."""
    turns = asyncio.Semaphore(min(os.cpu_count() or 1, MOST_THREADS))
    total, read = sum(len(text) for text in texts), 0

    async def tag(text: str, start: int, end: int) -> list[Tagged]:
        nonlocal read
        async with turns:
            tags = await asyncio.to_thread(tagger.names, text[start:end])
        read += end - start
        if told:
            told(read, total)
        return [Tagged(start + tag.start, start + tag.end, tag.kind, tag.probability) for tag in tags]

    async def tag_text(text: str) -> list[Tagged]:
        return list(chain.from_iterable(await asyncio.gather(*(tag(text, *bounds) for bounds in _blocks(text)))))

    return await asyncio.gather(*map(tag_text, texts))


def _blocks(text: str) -> Iterator[tuple[int, int]]:
    """Yield the bounds of blocks; a line is never cut."""
    start = 0
    while start < len(text):
        line = text.find("\n", start + BLOCK)
        end = len(text) if line < 0 else line + 1
        yield start, end
        start = end
