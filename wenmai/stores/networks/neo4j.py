"""Knowledge networks on a Neo4j server: instances as nodes, links as relations, values under indexes.

The content of a network is stored under a home, `<id>/<import>`; the node of the network names the current one. So an
import is seen as a whole or not at all, and a reader beside it notices that the home has changed.

The full-text index cuts runs of Chinese characters into pairs (analyzer `cjk`): its candidates are all texts that hold
a run, and `CONTAINS` keeps those that hold the whole text that is looked for. Other words are in a field of their own,
marked so that no analyzer cuts, drops or changes them; so both engines find the very same.

An import writes in batches under a home of its own, which one transaction makes current.
"""

import json
import re
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from hashlib import sha256
from typing import Any, TypeVar
from uuid import uuid4

from tools.errors import (
    InputError,
    KnowledgeFailed,
    KnowledgeQueryError,
    KnowledgeRefused,
    StoreError,
    StoreLocked,
)
from tools.networks.records import (
    Account,
    InstancePage,
    InstanceQuery,
    NetworkSchema,
    PathQuery,
    PathResult,
)
from tools.wording import Words
from wenmai.knowledge.content import (
    CheckedContent,
    ImportedNetwork,
    NetworkSpec,
    ObjectSpec,
    Progress,
    StoredNetwork,
    key_of,
    sizes,
)
from wenmai.stores.neo4j import KNOWLEDGE_TEXT, Ask, Neo4jConnection
from wenmai.stores.networks.answers import (
    BETWEEN,
    CHINESE,
    LONGEST,
    ContentChanged,
    Rows,
    Types,
    Where,
    by_property,
    elements,
    exact,
    folded,
    in_time,
    key_text,
    neighbours,
    page,
    require_limit,
    schema,
    whole,
    words,
)
from wenmai.stores.networks.local import unknown

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


def is_pair(word: str) -> bool:
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
        return self.home.types

    async def places(self, number: int) -> list[int]:
        return [place for (place,) in await self.ask(PLACES, {"scope": scope_of(self.home.id, number)})]

    async def equal(self, number: int, values: Iterable[Any]) -> Where:
        found = await self.ask(EQUAL, {"scope": scope_of(self.home.id, number), "values": list(map(exact, values))})
        return by_property({(place, at): 1 for place, at in found})

    async def containing(self, number: int, text: str) -> Where:
        return by_property(dict.fromkeys(await self._containing(number, folded(text)), 1))

    async def sharing(self, number: int, text: str) -> Where:
        counts: Counter[tuple[int, int]] = Counter()
        others: list[str] = []
        for word in sorted(words(text)):
            if is_pair(word):
                counts.update(await self._containing(number, word))
            else:
                others.append(marked(word))
        values = {"scope": scope_of(self.home.id, number), "words": others}
        for place, at, count in await self.ask(WORDS, values) if others else ():
            counts[place, at] += count
        return by_property(counts)

    async def _containing(self, number: int, text: str) -> list[tuple[int, int]]:
        """Return place and property of the texts that contain this one, which is folded."""
        run = HAN.search(text)
        values = {"scope": scope_of(self.home.id, number), "text": text, "run": run[0] if run else ""}
        return [(place, at) for place, at in await self.ask(CANDIDATES if run else SCANNED, values)]

    async def rows(self, query: str, **values: Any) -> Rows:
        found = await self.ask(query, {"home": self.home.id, **values})
        return {place: json.loads(content) for place, content in found}

    async def at(self, places: Sequence[int]) -> Rows:
        rows = await self.rows(AT, places=list(places))
        if len(rows) < len(places):
            raise ContentChanged
        return rows

    async def of_kind(self, number: int) -> Rows:
        """Return the properties of all instances of a type, by place, in order."""
        return await self.rows(OF_KIND, scope=scope_of(self.home.id, number))

    async def place(self, number: int, key: Sequence[Any]) -> int | None:
        rows = await self.ask(PLACE, {"scope": scope_of(self.home.id, number), "key": key_text(key)})
        return int(rows[0][0]) if rows else None

    async def beside(self, relation: int, place: int, *, outgoing: bool, limit: int) -> Rows:
        edge = f"-[:{link_type(relation)}]->" if outgoing else f"<-[:{link_type(relation)}]-"
        return await self.rows(BESIDE % edge, place=place, limit=limit)

    async def pairs(self, number: int) -> list[tuple[int, int]]:
        found = await self.ask(PAIRS % link_type(number), {"home": self.home.id})
        return [(one, other) for one, other in found]


async def revision_of(ask: Ask, network_id: str) -> str | None:
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


def read_home(row: list[Any]) -> Home:
    home, revision, spec, counts = row
    return Home(home, Types(NetworkSpec.model_validate_json(spec), revision), json.loads(counts))


def link_type(number: int) -> str:
    """Return the type of a knowledge network's links; types go by number, so that no id can be a part of a query."""
    return f"KN_{int(number)}"


BUSY = Words(
    "知识网络 {id} 正被另一个进程导入或删除：请等它结束后重试",
    "network {id} is being imported or deleted by another process: try again when that is done",
)
BATCH = 500  # instances of one transaction
LINKS_AT_ONCE = 5_000  # links of one
DROPPED = 5_000  # nodes of one
STALE_MS = 600_000  # an import without a sign of life for so long has been killed
LABELS = ("KnowledgeInstance", "KnowledgeText", "KnowledgeValue")
CLAIM = (
    "MERGE (n:KnowledgeNetwork {id: $id}) SET n.claim = CASE WHEN n.claim IS NULL OR n.claim = $home"
    " OR n.claimed < timestamp() - $stale THEN $home ELSE n.claim END"
    " WITH n WHERE n.claim = $home SET n.claimed = timestamp() RETURN n.id"
)
STILL_CLAIMED = "MATCH (n:KnowledgeNetwork {id: $id, claim: $home}) SET n.claimed = timestamp() RETURN n.id"
PUBLISH = (
    "MATCH (n:KnowledgeNetwork {id: $id, claim: $home}) SET n.home = $home, n.revision = $revision, n.spec = $spec,"
    " n.counts = $counts REMOVE n.claim, n.claimed RETURN n.id"
)
RELEASE = "MATCH (n:KnowledgeNetwork {id: $id, claim: $home}) REMOVE n.claim, n.claimed"
FORGET_EMPTY = "MATCH (n:KnowledgeNetwork {id: $id}) WHERE n.home IS NULL AND n.claim IS NULL DELETE n"
REMOVE = "MATCH (n:KnowledgeNetwork {id: $id}) DELETE n"
DROP = (
    "OPTIONAL MATCH (n:KnowledgeNetwork {id: $id}) WITH [n.home, n.claim] AS kept"
    " MATCH (x:%s {network: $id}) WHERE NOT coalesce(x.home IN kept, false)"
    " WITH x LIMIT $limit DETACH DELETE x RETURN count(*)"
)
ADD = "UNWIND $rows AS row CREATE (x:%s) SET x = row, x.network = $id, x.home = $home"
JOIN = (
    "UNWIND $pairs AS pair MATCH (a:KnowledgeInstance {home: $home, place: pair[0]})"
    " MATCH (b:KnowledgeInstance {home: $home, place: pair[1]}) CREATE (a)-[:%s]->(b)"
)


@dataclass(slots=True)
class Import:
    connection: Neo4jConnection
    content: CheckedContent
    home: Home
    progress: Progress
    done: int = 0

    async def run(self) -> None:
        """Write everything and make it current; what was there before stays until then, and goes afterwards.

        Raises StoreLocked, StoreError.
        """
        id = self.content.spec.id
        await self._do(CLAIM, stale=STALE_MS)
        try:
            await drop_homes(self.connection, id)  # what killed imports left
            for number, kind, rows in self.content.batches(BATCH):
                await self._add(number, kind, rows)
                self._step(len(rows))
            for number, pairs in self.content.pairs():
                for begin in range(0, len(pairs), LINKS_AT_ONCE):
                    batch = pairs[begin : begin + LINKS_AT_ONCE]
                    await self._join(JOIN % link_type(number), [list(pair) for pair in batch])
                    self._step(len(batch))
            note = self.content.spec.model_dump_json(), json.dumps(self.home.counts)
            await self._do(PUBLISH, revision=self.home.types.revision, spec=note[0], counts=note[1])
        finally:
            await self.connection.write(self._release)
            await drop_homes(self.connection, id)

    async def _add(self, number: int, kind: ObjectSpec, rows: Sequence[tuple[int, Mapping[str, Any]]]) -> None:
        scope = scope_of(self.home.id, number)
        nodes = zip(LABELS, (instances(scope, kind, rows), texts(scope, rows), values(scope, rows)), strict=True)
        batches = [(ADD % label, {"rows": found}) for label, found in nodes if found]

        async def work(ask: Ask) -> None:
            await self._claimed(ask, STILL_CLAIMED, {})
            for query, given in batches:
                await ask(query, {**given, **self._own})

        await self.connection.write(work)

    async def _join(self, query: str, pairs: Sequence[list[int]]) -> None:
        async def work(ask: Ask) -> None:
            await self._claimed(ask, STILL_CLAIMED, {})
            await ask(query, {"pairs": list(pairs), **self._own})

        await self.connection.write(work)

    async def _do(self, query: str, **given: Any) -> None:
        await self.connection.write(lambda ask: self._claimed(ask, query, given))

    async def _claimed(self, ask: Ask, query: str, given: Mapping[str, Any]) -> None:
        """Ask something that finds the network only while this import has it. Raises StoreLocked."""
        if not await ask(query, {**given, **self._own}):
            raise StoreLocked(BUSY.of(id=self.content.spec.id))

    async def _release(self, ask: Ask) -> None:
        await ask(RELEASE, self._own)
        await ask(FORGET_EMPTY, self._own)

    @property
    def _own(self) -> dict[str, str]:
        return {"id": self.content.spec.id, "home": self.home.id}

    def _step(self, count: int) -> None:
        self.done += count
        self.progress(self.done, self.content.instances + self.content.relations)


def instances(scope: str, kind: ObjectSpec, rows: Sequence[tuple[int, Mapping[str, Any]]]) -> list[dict[str, Any]]:
    """Return the nodes of instances; without primary keys nothing leads to one."""
    return [
        {
            "scope": scope,
            "place": place,
            "key": key_text(key_of(row, kind)) if kind.primary_keys else None,
            "content": json.dumps(row, ensure_ascii=False),
        }
        for place, row in rows
    ]


def texts(scope: str, rows: Sequence[tuple[int, Mapping[str, Any]]]) -> list[dict[str, Any]]:
    """Return the nodes of fields that hold texts, folded and with their words."""
    return [
        {
            "scope": scope,
            "place": place,
            "property": number,
            "folded": BETWEEN.join(map(folded, found)),
            "words": marked_words(found),
        }
        for place, row in rows
        for number, value in enumerate(row.values())
        if (found := [one for one in elements(value) if isinstance(one, str)])
    ]


def values(scope: str, rows: Sequence[tuple[int, Mapping[str, Any]]]) -> list[dict[str, Any]]:
    return [
        {"scope": scope, "place": place, "property": number, "value": found}
        for place, row in rows
        for number, value in enumerate(row.values())
        for found in dict.fromkeys(map(exact, elements(value)))
    ]


async def drop_homes(connection: Neo4jConnection, network_id: str) -> None:
    """Delete homes of a network that are neither current nor being built."""
    for label in LABELS:
        while await connection.write(partial(_drop_some, label, network_id)):
            pass


async def _drop_some(label: str, network_id: str, ask: Ask) -> int:
    rows = await ask(DROP % label, {"id": network_id, "limit": DROPPED})
    return int(rows[0][0])


IMPORTING = Words("知识网络 {id} 正在被导入：请稍后重试", "network {id} is being imported: try again later")
ATTEMPTS = 5  # of a question, which is asked again where an import has ended meanwhile
T = TypeVar("T")
Question = Callable[[Neo4jContent], Awaitable[T]]


@dataclass
class Neo4jKnowledge:
    """The KnowledgeStore over Neo4j."""

    connection: Neo4jConnection
    _homes: dict[str, Home] = field(default_factory=dict)

    async def schema(self, network_id: str, account: Account, *, timeout_s: float) -> NetworkSchema:
        return await in_time(network_id, timeout_s, self._answer(network_id, schema))

    async def instances(
        self, network_id: str, query: InstanceQuery, account: Account, *, timeout_s: float
    ) -> InstancePage:
        require_limit(query)
        return await in_time(network_id, timeout_s, self._answer(network_id, lambda content: page(content, query)))

    async def neighbours(self, network_id: str, query: PathQuery, account: Account, *, timeout_s: float) -> PathResult:
        found = self._answer(network_id, lambda content: neighbours(content, query))
        return await in_time(network_id, timeout_s, found)

    async def networks(self) -> list[StoredNetwork]:
        homes = map(read_home, await self.connection.read(lambda ask: ask(HOMES, {})))
        return [StoredNetwork(home.types.spec, home.counts) for home in homes]

    async def has(self, network_id: str) -> bool:
        try:
            return await self.connection.read(lambda ask: revision_of(ask, network_id)) is not None
        except StoreError as error:
            raise KnowledgeFailed(str(error)) from error

    async def content(self, network_id: str) -> CheckedContent:
        return await self._answer(network_id, whole)

    async def put(self, content: CheckedContent, progress: Progress) -> ImportedNetwork:
        id, revision, counts = content.spec.id, content.revision(), sizes(content)
        there = await self.connection.read(lambda ask: revision_of(ask, id))
        if there == revision:
            return ImportedNetwork(id, counts, content.dangling, written=False)
        types = Types(content.spec, revision)
        await Import(self.connection, content, Home(f"{id}/{uuid4().hex}", types, counts), progress).run()
        return ImportedNetwork(id, counts, content.dangling, written=True)

    async def remove(self, network_id: str) -> dict[str, int]:
        async def counts_of(content: Neo4jContent) -> dict[str, int]:
            return content.home.counts

        counts = await self._answer(network_id, counts_of)
        await self.connection.write(lambda ask: ask(REMOVE, {"id": network_id}))
        await drop_homes(self.connection, network_id)
        return counts

    async def close(self) -> None:
        await self.connection.close()

    async def _answer(self, network_id: str, question: Question[T]) -> T:
        async def work(ask: Ask) -> tuple[Home | None, T | None]:
            home = await home_of(ask, network_id, self._homes.get(network_id))
            if home is None:
                return None, None
            try:
                answer = await question(Neo4jContent(ask, home))
            except ContentChanged:
                return home, None
            return (home, answer) if await home_of(ask, network_id, home) is home else (home, None)

        try:
            for _ in range(ATTEMPTS):
                home, answer = await self.connection.read(work)
                if home is None:
                    raise unknown(network_id)
                self._homes[network_id] = home
                if answer is not None:
                    return answer
        except InputError as error:
            raise KnowledgeQueryError(str(error)) from error
        except (KnowledgeQueryError, KnowledgeRefused):
            raise
        except StoreError as error:
            raise KnowledgeFailed(str(error)) from error
        raise KnowledgeFailed(IMPORTING.of(id=network_id))
