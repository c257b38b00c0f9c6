"""A question as searches put it: its names with their other spellings, its words with the other words for them."""

from tools.story.linking import NameTable
from wenmai.minds.offline.analysis import Analysis

SPELLINGS = 3  # other spellings of a name in an expanded query
SYNONYMS = 3  # other words for a word in an expanded query


def expanded_query(analysis: Analysis, table: NameTable) -> str:
    """Return names with their other spellings, and words with the other words for them."""
    names = [s for name in analysis.entities for s in [name, *short_spellings(name, table)]]
    words = [other for word in analysis.words for other in analysis.synonyms[word][: SYNONYMS + 1]]
    return " ".join(dict.fromkeys([*names, *words])) or analysis.question


def short_spellings(name: str, table: NameTable) -> list[str]:
    """Return the spellings of a name that passages use most."""
    others = [n for n in table.entities.get(name, ()) if n.text != name]
    return [n.text for n in sorted(others, key=lambda n: (-n.mentions, n.text))[:SPELLINGS]]
