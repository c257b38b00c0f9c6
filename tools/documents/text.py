"""Texts of a chunk for search: the indexed words, the embedded text, and literal terms."""

import unicodedata
from collections.abc import Iterable, Sequence

from tools.documents.records import Chunk, MatchedChunk, Matches, MatchMode, place_of
from tools.text.scripts import simplified

# Chinese punctuation that NFKC changes; replacing it first lets NFKC skip most texts.
FULL_WIDTH = "\uff0c\uff1a\uff1b\uff01\uff1f\uff08\uff09"  # comma, colon, semicolon, marks, brackets
WIDTH = 0xFEE0


def searched_text(chunk: Chunk) -> str:
    """Return the text whose words are indexed: the headings that the content does not contain, and the content."""
    above = [title for title in chunk.location.heading if title not in chunk.content]
    return "\n".join([*above, chunk.content])


def embedded_text(chunk: Chunk) -> str:
    """Return the text that is embedded."""
    return searched_text(chunk)


def folded(text: str) -> str:
    """Return a text for comparison: NFKC, without case, in simplified script; full-width characters become plain."""
    for sign in FULL_WIDTH:
        text = text.replace(sign, chr(ord(sign) - WIDTH))
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", simplified(text)).casefold())


def matches(chunks: Iterable[Chunk], terms: Sequence[str], limit: int) -> Matches:
    """Return the chunks with all terms as literal substrings, or if there are none, those with any.

    `total` counts all of them, `rows` are the first `limit`: by different terms, by occurrences, then by place.
    """
    wanted: dict[str, str] = {}
    for term in filter(folded, terms):
        wanted.setdefault(folded(term), term)
    found = [one for chunk in chunks if (one := _matched(chunk, wanted)) is not None]
    full = [one for one in found if len(one.terms) == len(wanted)]
    mode: MatchMode = "all" if full or not found else "any"
    rows = sorted(full or found, key=lambda one: (-len(one.terms), -one.occurrences, place_of(one.chunk)))
    return Matches(mode, len(rows), tuple(rows[:limit]))


def _matched(chunk: Chunk, terms: dict[str, str]) -> MatchedChunk | None:
    content = folded(chunk.content)
    counts = {term: content.count(term) for term in terms}
    held = tuple(terms[term] for term, count in counts.items() if count)
    return MatchedChunk(chunk=chunk, terms=held, occurrences=sum(counts.values())) if held else None
