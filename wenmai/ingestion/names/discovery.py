"""Names of a text by its own evidence, with or without a dictionary beside it.

Chinese: the segmenter proposes words that it tags as names, and words that speak (…曰：“) or begin with a surname. A
proposal is kept when it is frequent, coheres (its characters occur together far more often than by chance) and stands
free (many different neighbours on both sides), and when its surroundings tell what it is: it speaks and acts like a
person, is gone to like a place, or ends like an organisation. English: runs of capitalised words that also stand
inside sentences, with titles, first and last names.
"""

from collections.abc import Iterable, Sequence

from state.context import Language
from wenmai.ingestion.names.discovery_en import discover_english
from wenmai.ingestion.names.discovery_zh import discover_chinese
from wenmai.ingestion.sources.aliases import KnownName


def discover(texts: Sequence[str], known: Iterable[KnownName], language: Language) -> list[KnownName]:
    """Find the names of a text that `known` does not hold under any spelling."""
    taken = {spelling for entry in known for spelling in (entry.name, entry.base, *entry.aliases)}
    return discover_chinese(texts, taken) if language == "zh" else discover_english(texts, taken)
