"""The places of values in a knowledge network in Neo4j: exact ones by an index, texts by a full-text one.

The full-text index cuts runs of Chinese characters into pairs (analyzer `cjk`): its candidates are all texts that hold
a run, and `CONTAINS` keeps those that hold the whole text that is looked for. Other words are in a field of their
own, marked so that no analyzer cuts, drops or changes them; so both engines find the very same.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

from wenmai.stores.neo4j.connection import Ask
from wenmai.stores.neo4j.schema import KNOWLEDGE_TEXT
from wenmai.stores.records.knowledge_conditions import Where
from wenmai.stores.records.knowledge_words import CHINESE, LONGEST, exact, folded, words

HAN = re.compile("[\u4e00-\u9fa5]{2,16}")  # characters that every version of the analyzer takes for ideographs
EQUAL = (
    "UNWIND $values AS value MATCH (v:KnowledgeValue {scope: $scope, value: value}) RETURN DISTINCT v.place, v.property"
)
SCANNED = "MATCH (t:KnowledgeText {scope: $scope}) WHERE t.folded CONTAINS $text RETURN t.place, t.property"
CANDIDATES = (
    f"CALL db.index.fulltext.queryNodes('{KNOWLEDGE_TEXT}', '+scope:' + $scope + ' +folded:\"' + $run + '\"')"
    " YIELD node WHERE node.scope = $scope AND node.folded CONTAINS $text RETURN node.place, node.property"
)
WORDS = (
    "UNWIND $words AS word"
    f" CALL db.index.fulltext.queryNodes('{KNOWLEDGE_TEXT}', '+scope:' + $scope + ' +words:' + word) YIELD node"
    " WHERE node.scope = $scope RETURN node.place, node.property, count(word)"
)
Key = tuple[str, tuple[str, ...]]  # what is looked up, and for what


@dataclass(slots=True)
class PrefetchedIndex:
    """An index of what was fetched for it; it notes what is asked for and missing."""

    fetched: dict[Key, Where] = field(default_factory=dict)
    missing: dict[Key, None] = field(default_factory=dict)

    def equal(self, kind: int, values: Iterable[Any]) -> Where:
        """Return where one of these values is."""
        return self._of(("equal", tuple(exact(value) for value in values)))

    def containing(self, kind: int, text: str) -> Where:
        """Return where texts contain this one."""
        return self._of(("containing", (folded(text),)))

    def sharing(self, kind: int, text: str) -> Where:
        """Return where texts share words with this one."""
        return self._of(("sharing", tuple(sorted(words(text)))))

    def _of(self, key: Key) -> Where:
        if key not in self.fetched:
            self.missing[key] = None
        return self.fetched.get(key, {})


async def prefetch(ask: Ask, scope: str, index: PrefetchedIndex) -> None:
    """Fetch what an index lacks."""
    for key in index.missing:
        operation, values = key
        if operation == "equal":
            rows = await ask(EQUAL, {"scope": scope, "values": list(values)})
            index.fetched[key] = where(Counter({(place, number): 1 for place, number in rows}))
        elif operation == "containing":
            index.fetched[key] = where(Counter(dict.fromkeys(await containing(ask, scope, values[0]), 1)))
        else:
            index.fetched[key] = where(await sharing(ask, scope, values))
    index.missing.clear()


async def containing(ask: Ask, scope: str, text: str) -> list[tuple[int, int]]:
    """Return place and property of the texts that contain this one, which is folded."""
    run = HAN.search(text)
    values = {"scope": scope, "text": text, "run": run[0] if run else ""}
    return [(place, number) for place, number in await ask(CANDIDATES if run else SCANNED, values)]


async def sharing(ask: Ask, scope: str, asked: Sequence[str]) -> Counter[tuple[int, int]]:
    """Return how many of these words each text shares, by place and property."""
    counts: Counter[tuple[int, int]] = Counter()
    for pair in asked:
        if is_pair(pair):
            counts.update(await containing(ask, scope, pair))
    others = [marked(word) for word in asked if not is_pair(word)]
    for place, number, count in await ask(WORDS, {"scope": scope, "words": others}) if others else ():
        counts[place, number] += count
    return counts


def where(counts: Counter[tuple[int, int]]) -> Where:
    """Return scores by property and place."""
    found: Where = {}
    for (place, number), count in counts.items():
        found.setdefault(number, {})[place] = float(count)
    return found


def is_pair(word: str) -> bool:
    """Return True if a word is a pair of Chinese characters."""
    return word[0] >= CHINESE and len(word) > 1


def marked(word: str) -> str:
    """Return a word as one token: the mark keeps it from being a stop word, and a lone character from being joined."""
    return f"x{word.encode().hex()}" if word[0] >= CHINESE else f"w{word[:LONGEST]}"


def marked_words(texts: Iterable[str]) -> str:
    """Return the words of texts that are no pairs of Chinese characters, as the full-text index keeps them."""
    found = set[str]().union(*(words(text) for text in texts))
    return " ".join(sorted(marked(word) for word in found if not is_pair(word)))


def scope_of(home: str, number: int) -> str:
    """Return the mark of one object type of one content: a single token that no other content has."""
    return f"s{sha256(f'{home}/{number}'.encode()).hexdigest()[:40]}"
