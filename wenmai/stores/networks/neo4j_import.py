"""Writing a knowledge network to Neo4j: in batches under a home of its own, which one transaction makes current."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from tools.errors import StoreLocked
from tools.wording import Words
from wenmai.knowledge.content import Content, key_of
from wenmai.knowledge.keeping import Progress
from wenmai.knowledge.spec import ObjectSpec
from wenmai.stores.neo4j.connection import Ask, Neo4jConnection
from wenmai.stores.networks.neo4j_read import Home, link_type, marked_words, scope_of
from wenmai.stores.records.knowledge import BETWEEN, elements, exact, folded, key_text

BUSY = Words(
    "知识网络 {id} 正被另一个进程导入或删除：请等它结束后重试",
    "network {id} is being imported or deleted by another process: try again when that is done",
)
BATCH = 500  # instances of one transaction
PAIRS = 5_000  # links of one
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
    """One import of a network's content."""

    connection: Neo4jConnection
    content: Content
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
                for begin in range(0, len(pairs), PAIRS):
                    batch = pairs[begin : begin + PAIRS]
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
    """Return the nodes of values, each once for its field."""
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


async def remove(ask: Ask, network_id: str) -> None:
    """Remove a network; from here on there is none of this id."""
    await ask(REMOVE, {"id": network_id})
