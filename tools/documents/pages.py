"""The place of a conversation in documents: the sources of its last answer, their pages, the pages it names.

A follow-up mostly concerns the text after the last answer, or another place on the same page. The chunks that share
most words with the last question and answer show the page, so that no further query of the store is needed.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tools.documents.bm25 import bm25, idf
from tools.documents.records import Chunk
from tools.documents.text import folded
from tools.language import is_chinese

SOURCES = 2  # most chunks that count as sources of a turn
REACH = 2  # chunks before and after a source
LEAST_TITLE = 2  # characters; a single one is in any text
FADING = 0.7  # share of a title's points from a turn to the one before it; the last turn counts as the question does
Page = tuple[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True, kw_only=True)
class PageWeights:
    """Points for a chunk on the page of a source, for the one beside a source, and on a page whose title was named.

    More points help follow-ups and harm full questions after another conversation.
    `python benchmarks/documents.py --passages FILE --questions FILE` measures recall@5 on sets of either kind.
    """

    page: float = 4.0
    beside: float = 3.0
    named: float = 5.0


PAGES = PageWeights()


def page_of(chunk: Chunk) -> Page:
    """Return the page of a chunk: the part of a document under its outermost heading, or all of it without headings."""
    return chunk.document.id, chunk.location.heading[:1]


def page_points(
    exchange: Sequence[str], chunks: Sequence[Chunk], counts: Sequence[Counter[str]], weights: PageWeights = PAGES
) -> list[float]:
    """Return points for each chunk by its distance from the sources of the words `exchange`."""
    sources = sources_of(exchange, counts)
    pages = dict[Page, float]()
    for at, share in sources.items():
        pages[page_of(chunks[at])] = max(pages.get(page_of(chunks[at]), 0.0), share)
    return [
        weights.page * pages.get(page_of(chunk), 0.0)
        + weights.beside * max((nearness(chunk, chunks[at]) * share for at, share in sources.items()), default=0.0)
        for chunk in chunks
    ]


def sources_of(exchange: Sequence[str], counts: Sequence[Counter[str]]) -> Mapping[int, float]:
    """Return the texts that share most with these words, by index: the best one counts 1, others quadratically less."""
    points = bm25(counts, {word: idf(word, counts) for word in set(exchange)})
    first = sorted((at for at, value in enumerate(points) if value > 0), key=lambda at: (-points[at], at))[:SOURCES]
    return {at: (points[at] / points[first[0]]) ** 2 for at in first}


def nearness(chunk: Chunk, source: Chunk) -> float:
    """Return 1 for the chunk next to a source, less for those farther on its page, 0 for all others."""
    apart = abs(chunk.chunk_index - source.chunk_index)
    return 1 / apart if 0 < apart <= REACH and page_of(chunk) == page_of(source) else 0.0


def named_points(conversation: Sequence[str], chunks: Sequence[Chunk], weights: PageWeights = PAGES) -> list[float]:
    """Return points for each chunk whose page's title is in a text (newest text first); older texts give fewer."""
    texts = [folded(text) for text in conversation]
    titles = {chunk.location.heading[0] for chunk in chunks if chunk.location.heading}
    shares = {title: mentioned(folded(title).strip(), texts) for title in titles}
    return [weights.named * shares[chunk.location.heading[0]] if chunk.location.heading else 0.0 for chunk in chunks]


def mentioned(title: str, texts: Sequence[str]) -> float:
    """Return 1 for a title in the newest text, less for one in an older text, 0 for a title in none."""
    if len(title) < LEAST_TITLE:
        return 0.0
    whole = re.compile(re.escape(title) if is_chinese(title) else rf"(?<!\w){re.escape(title)}(?!\w)")
    return next((FADING ** max(0, at - 1) for at, text in enumerate(texts) if whole.search(text)), 0.0)
