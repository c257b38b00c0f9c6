"""Pages that another page names: the second step to an answer that no page gives alone (whose father is the director?).

A page is called as its outermost heading or its file; where the text of a good chunk has that name, what the page says
is worth nearly as much as the chunk itself. That is the link of a wiki, and of notes whose links are plain text. The
weights were chosen on 50 questions of 2WikiMultihopQA, and measured on others: `python -m benchmarks.public.multihop`.
"""

from collections.abc import Sequence

import regex

from tools.documents.records import Chunk
from tools.documents.scores import has_title, page_of, titles_of
from tools.language import is_chinese

SOURCES, NAMED = 3, 100
"""Best chunks whose names are looked up, and chunks that are looked at for them."""
LINKED = 0.9
"""Share of the points of the chunk that names a page; the rest are the page's own."""
LEAST_LATIN_TITLE = 4  # letters; shorter names, such as It, begin any sentence
_NAME = regex.compile(r"\b\p{Lu}[\w'’.-]*(?:\s+(?:(?:[a-z]{2,3}\s+){0,2})\p{Lu}[\w'’.-]*)*")


def names_in(texts: Sequence[str]) -> str:
    """Return the words among which the names of texts are: those with a capital, of a Chinese text all."""
    return "\n".join(text if is_chinese(text) else " ".join(_NAME.findall(text)) for text in texts)


def names_page(text: str, chunk: Chunk) -> bool:
    """Return True if a text has the name of the page of a chunk, as it is written."""
    titles = (title for title in titles_of(chunk) if len(title) >= LEAST_LATIN_TITLE or is_chinese(title))
    return any(has_title(text, title) for title in titles)


def is_linked(chunk: Chunk, sources: Sequence[Chunk]) -> bool:
    """Return True if one of the sources, a chunk of another page, names the page of a chunk."""
    return any(names_page(one.content, chunk) for one in sources if page_of(one) != page_of(chunk))


def with_links(points: Sequence[float], chunks: Sequence[Chunk], sources: Sequence[int]) -> list[float]:
    """Return the points with those of links added; `sources` are the places of the best chunks."""
    linked = list(points)
    for at, chunk in enumerate(chunks):
        given = [points[one] for one in sources if is_linked(chunk, [chunks[one]])]
        if given:
            linked[at] = max(points[at], LINKED * max(given) + (1 - LINKED) * points[at])
    return linked
