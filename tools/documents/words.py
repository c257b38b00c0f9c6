"""The words that texts are compared by: stems of English, single characters and pairs of Chinese."""

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise

from tools.documents.records import Chunk, MatchedChunk, Matches, MatchMode, place_of
from tools.text.scripts import folded


def searched_text(chunk: Chunk) -> str:
    """Return the text whose words are indexed: the headings that the content does not contain, and the content."""
    above = [title for title in chunk.location.heading if title not in chunk.content]
    return "\n".join([*above, chunk.content])


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


RUN = re.compile(r"[\u3400-\u9fff]+|[^\W_\u3400-\u9fff]+")
HAN = re.compile(r"[\u3400-\u9fff]")
ENDINGS = ("'s", "’s", "ing", "ed", "es", "s")
LEAST_STEM = 3
# Function words of English questions and answers; pairs of Chinese characters are nearly all content.
FUNCTION_WORDS = (
    "a about above after again all also am an and any are as at be because been being but by can could did do does "
    "doing don down during each few for from further had has have having he her here hers him his how i if in into is "
    "it its itself just let like me more most my no nor not now of off on once only or other our ours out over own "
    "please s same she should so some such t than that the their theirs them then there these they this those through "
    "to too under until up us very was we were what when where which while who whom why will with would you your yours "
    "tell know want need give show explain describe mean means"
)
STOP = frozenset(FUNCTION_WORDS.split())


def words_of(text: str) -> list[str]:
    found: list[str] = []
    for run in RUN.findall(folded(text)):
        if HAN.match(run):
            found += [*run, *(first + second for first, second in pairwise(run))]
        elif run not in STOP:
            found.append(stem(run))
    return found


@lru_cache(maxsize=20_000)
def stem(word: str) -> str:
    for ending in ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= LEAST_STEM:
            return word[: -len(ending)]
    return word


K1 = 1.2  # the usual constants
B = 0.75


def idf(term: str, counts: Sequence[Mapping[str, int]]) -> float:
    """Return the inverse document frequency of a term among these texts."""
    return inverse_frequency(sum(term in count for count in counts), len(counts))


def inverse_frequency(held: int, total: int) -> float:
    """Return the inverse document frequency of BM25, kept positive, of what `held` of `total` texts have."""
    return math.log(1 + (total - held + 0.5) / (held + 0.5))


def bm25(
    counts: Sequence[Counter[str]], rarity: Mapping[str, float], lengths: Sequence[int] | None = None
) -> list[float]:
    """Return the BM25 score of each text; `lengths` where the counts are not of all its words, in any one unit."""
    lengths = [count.total() for count in counts] if lengths is None else lengths
    mean = sum(lengths) / max(1, len(lengths)) or 1.0
    return [
        sum(
            rare * count[term] * (K1 + 1) / (count[term] + K1 * (1 - B + B * length / mean))
            for term, rare in rarity.items()
            if term in count
        )
        for count, length in zip(counts, lengths, strict=True)
    ]


def shares_of_best(query: Sequence[str], texts: Sequence[Sequence[str]]) -> list[float]:
    """Return 0..1 for each text, both given as words: its score among these texts as a share of the best one."""
    words = set(query)
    counts = [Counter(word for word in text if word in words) for text in texts]
    scores = bm25(counts, {word: idf(word, counts) for word in words}, [len(text) for text in texts])
    best = max(scores, default=0.0)
    return [score / best for score in scores] if best else scores
