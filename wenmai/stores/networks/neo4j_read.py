"""What a knowledge network in Neo4j answers. Every query names the home of one network's content.

The full-text index cuts runs of Chinese characters into pairs (analyzer `cjk`): its candidates are all texts that hold
a run, and `CONTAINS` keeps those that hold the whole text that is looked for. Other words are in a field of their own,
marked so that no analyzer cuts, drops or changes them; so both engines find the very same.
"""

import json
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

from tools.networks.records import Condition
from wenmai.knowledge.spec import NetworkSpec, ObjectSpec
from wenmai.stores.neo4j.connection import KNOWLEDGE_TEXT, Ask
from wenmai.stores.networks.answers import ContentChanged, Rows
from wenmai.stores.records.knowledge import (
    CHINESE,
    LONGEST,
    Evaluation,
    Scores,
    Types,
    Where,
    exact,
    folded,
    key_text,
    words,
)

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


NETWORK = "MATCH (n:KnowledgeNetwork {id: $id}) WHERE n.home IS NOT NULL RETURN n.home, n.revision"
KNOWN = "MATCH (n:KnowledgeNetwork) WHERE n.home = $home RETURN n.revision, n.spec, n.counts"
HOMES = "MATCH (n:KnowledgeNetwork) WHERE n.home IS NOT NULL RETURN n.home, n.revision, n.spec, n.counts ORDER BY n.id"
PLACES = "MATCH (i:KnowledgeInstance {scope: $scope}) RETURN i.place ORDER BY i.place"
OF_KIND = "MATCH (i:KnowledgeInstance {scope: $scope}) RETURN i.place, i.content ORDER BY i.place"
AT = "UNWIND $places AS place MATCH (i:KnowledgeInstance {home: $home, place: place}) RETURN i.place, i.content"
PLACE = "MATCH (i:KnowledgeInstance {scope: $scope, key: $key}) RETURN i.place"
BESIDE = (
    "MATCH (:KnowledgeInstance {home: $home, place: $place})%s(o:KnowledgeInstance {home: $home})"
    " RETURN o.place, o.content ORDER BY o.place LIMIT $limit"
)
PAIRS = (
    "MATCH (i:KnowledgeInstance {home: $home})-[:%s]->(o:KnowledgeInstance {home: $home})"
    " RETURN i.place, o.place ORDER BY i.place, o.place"
)


@dataclass(frozen=True, slots=True)
class Home:
    """The content of a network that is read now."""

    id: str
    types: Types
    counts: dict[str, int]


@dataclass(frozen=True, slots=True)
class Neo4jContent:
    """The NetworkContent on a server, within a transaction."""

    ask: Ask
    home: Home

    @property
    def types(self) -> Types:
        """The types of the network."""
        return self.home.types

    async def scores(self, number: int, kind: ObjectSpec, condition: Condition | None) -> Scores:
        """Return the score of every instance of a type that matches, by place. Raises KnowledgeQueryError.

        The condition is evaluated twice: what the first time would look up is fetched for the second.
        """
        scope = scope_of(self.home.id, number)
        if condition is None:
            return {place: 1.0 for (place,) in await self.ask(PLACES, {"scope": scope})}
        index, is_scanned = PrefetchedIndex(), list[bool]()

        def scanned() -> Rows:
            is_scanned.append(True)
            return {}

        Evaluation(kind, number, index, scanned).scores(condition)
        await prefetch(self.ask, scope, index)
        rows = await self.of_kind(number) if is_scanned else {}
        return Evaluation(kind, number, index, lambda: rows).scores(condition)

    async def rows(self, query: str, **values: Any) -> Rows:
        """Return properties by place."""
        found = await self.ask(query, {"home": self.home.id, **values})
        return {place: json.loads(content) for place, content in found}

    async def at(self, places: Sequence[int]) -> Rows:
        """Return the properties of the instances at these places. Raises ContentChanged."""
        rows = await self.rows(AT, places=list(places))
        if len(rows) < len(places):
            raise ContentChanged
        return rows

    async def of_kind(self, number: int) -> Rows:
        """Return the properties of all instances of a type, by place, in order."""
        return await self.rows(OF_KIND, scope=scope_of(self.home.id, number))

    async def place(self, number: int, key: Sequence[Any]) -> int | None:
        """Return the place of the instance of a type with this primary key, None if there is none."""
        rows = await self.ask(PLACE, {"scope": scope_of(self.home.id, number), "key": key_text(key)})
        return int(rows[0][0]) if rows else None

    async def beside(self, relation: int, place: int, *, outgoing: bool, limit: int) -> Rows:
        """Return the first neighbours of an instance along a relation, in order."""
        edge = f"-[:{link_type(relation)}]->" if outgoing else f"<-[:{link_type(relation)}]-"
        return await self.rows(BESIDE % edge, place=place, limit=limit)

    async def pairs(self, number: int) -> list[tuple[int, int]]:
        """Return the places that a relation joins, in order."""
        found = await self.ask(PAIRS % link_type(number), {"home": self.home.id})
        return [(one, other) for one, other in found]


async def revision_of(ask: Ask, network_id: str) -> str | None:
    """Return the current revision of a network, None where there is none of this id."""
    rows = await ask(NETWORK, {"id": network_id})
    return str(rows[0][1]) if rows else None


async def home_of(ask: Ask, network_id: str, kept: Home | None) -> Home | None:
    """Return the current home of a network; it is `kept` itself where that still holds."""
    rows = await ask(NETWORK, {"id": network_id})
    if not rows:
        return None
    home = rows[0][0]
    if kept is not None and kept.id == home:
        return kept
    found = await ask(KNOWN, {"home": home})
    return read_home([home, *found[0]]) if found else None


async def homes(ask: Ask) -> list[Home]:
    """Return the current homes of all networks, by id of the network."""
    return [read_home(row) for row in await ask(HOMES, {})]


def read_home(row: list[Any]) -> Home:
    """Return a home as it is stored."""
    home, revision, spec, counts = row
    return Home(home, Types(NetworkSpec.model_validate_json(spec), revision), json.loads(counts))


def link_type(number: int) -> str:
    """Return the type of a knowledge network's links; types go by number, so that no id can be a part of a query."""
    return f"KN_{int(number)}"
