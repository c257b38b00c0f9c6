"""Where a talk stands: the chunks that its last turn was answered from, the pages around them, the pages it names.

Who asks on after an answer mostly reads on: below it, or elsewhere on the same page. The answer is at hand, so the
chunks that share most with it and its question show the page; the store is not asked once more.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tools.documents.bm25 import bm25, idf
from tools.documents.records import Chunk
from tools.documents.text import folded
from tools.language import is_chinese

SOURCES = 2  # chunks at most that a turn is taken to be answered from
REACH = 2  # chunks before and behind such a one
LEAST_TITLE = 2  # characters: a single one stands in any text
FADING = 0.7  # of a title's share from a turn to the one before it; the last turn counts as the question does
Page = tuple[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True, kw_only=True)
class PageWeights:
    """Points for a chunk on the page of a source, for the one beside a source, and on a page whose title was named.

    They weigh questions that read on against full questions behind another talk, which more points for a page lose.
    `python benchmarks/documents.py --passages FILE --questions FILE` tells recall@5 on sets of either kind.
    """

    page: float = 4.0
    beside: float = 3.0
    named: float = 5.0


PAGES = PageWeights()


def page_of(chunk: Chunk) -> Page:
    """Return the part of a document that its outermost heading stands over; without headings it is one page."""
    return chunk.document.id, chunk.location.heading[:1]


def page_points(
    told: Sequence[str], chunks: Sequence[Chunk], counts: Sequence[Counter[str]], weights: PageWeights = PAGES
) -> list[float]:
    """Return points for each chunk by its place: how near it is to what the words `told` were taken from."""
    sources = sources_of(told, counts)
    pages = dict[Page, float]()
    for at, share in sources.items():
        pages[page_of(chunks[at])] = max(pages.get(page_of(chunks[at]), 0.0), share)
    return [
        weights.page * pages.get(page_of(chunk), 0.0)
        + weights.beside * max((nearness(chunk, chunks[at]) * share for at, share in sources.items()), default=0.0)
        for chunk in chunks
    ]


def sources_of(told: Sequence[str], counts: Sequence[Counter[str]]) -> Mapping[int, float]:
    """Return which texts share most with these words; the best one counts 1, others less by the square."""
    points = bm25(counts, {word: idf(word, counts) for word in set(told)})
    first = sorted((at for at, value in enumerate(points) if value > 0), key=lambda at: (-points[at], at))[:SOURCES]
    return {at: (points[at] / points[first[0]]) ** 2 for at in first}


def nearness(chunk: Chunk, source: Chunk) -> float:
    """Return 1 for the chunk next to a source, less for one farther on its page, 0 beyond and for itself."""
    apart = abs(chunk.chunk_index - source.chunk_index)
    return 1 / apart if 0 < apart <= REACH and page_of(chunk) == page_of(source) else 0.0


def named_points(talk: Sequence[str], chunks: Sequence[Chunk], weights: PageWeights = PAGES) -> list[float]:
    """Return points for each chunk whose page's title stands in the talk, the newest text first, fewer the older."""
    texts = [folded(text) for text in talk]
    titles = {chunk.location.heading[0] for chunk in chunks if chunk.location.heading}
    shares = {title: mentioned(folded(title).strip(), texts) for title in titles}
    return [weights.named * shares[chunk.location.heading[0]] if chunk.location.heading else 0.0 for chunk in chunks]


def mentioned(title: str, texts: Sequence[str]) -> float:
    """Return 1 for a title that the newest text holds, less for one of an older text, 0 for one that none holds."""
    if len(title) < LEAST_TITLE:
        return 0.0
    whole = re.compile(re.escape(title) if is_chinese(title) else rf"(?<!\w){re.escape(title)}(?!\w)")
    return next((FADING ** max(0, at - 1) for at, text in enumerate(texts) if whole.search(text)), 0.0)
