"""Lexicons of networks, read when they are asked for and kept until the network changes."""

import asyncio
import logging
from collections import OrderedDict
from dataclasses import dataclass, field
from time import monotonic

from tools.clock import MonotonicClock
from tools.errors import KnowledgeRefused, StoreError
from tools.networks.lexicon import EMPTY, Known, Lexicon, Networks, known, lexicon_of, relations_of
from tools.networks.policy import CALL_S
from tools.networks.records import MOST_INSTANCES, Account, InstanceQuery, NetworkSchema
from tools.ports import KnowledgeNetwork

logger = logging.getLogger(__name__)

MOST_ROWS = 20_000  # of one network: beyond it names are not looked for in questions
KEPT_NETWORKS = 16
FRESH_S = 600.0  # for a service that does not tell when its content changes


@dataclass(frozen=True, slots=True)
class Part:
    """What was read of one network; `whole`: nothing is missing. `until` is when a service's part is read again."""

    schema: NetworkSchema | None = None
    rows: tuple[Known, ...] = ()
    whole: bool = False
    until: float = 0.0


@dataclass(slots=True)
class Lexicons:
    """Reads lexicons from networks and keeps them until the network changes."""

    networks: KnowledgeNetwork
    clock: MonotonicClock = monotonic
    most_rows: int = MOST_ROWS
    _kept: OrderedDict[tuple[str, str], Part] = field(default_factory=OrderedDict)
    _built: OrderedDict[Networks, tuple[list[Part], Lexicon]] = field(default_factory=OrderedDict)

    async def __call__(self, asked: Networks | None) -> Lexicon:
        """Return the names of these networks; of one that does not answer there are none."""
        if asked is None or not asked.ids:
            return EMPTY
        parts = await asyncio.gather(*(self.network(id, asked.account) for id in asked.ids))
        built = self._built.get(asked)
        if built is None or any(a is not b for a, b in zip(built[0], parts, strict=True)):
            built = parts, await asyncio.to_thread(joined, parts)
            self._built[asked] = built
            while len(self._built) > KEPT_NETWORKS:
                self._built.popitem(last=False)
        return built[1]

    async def network(self, id: str, account: Account) -> Part:
        """Return the instances of one network, read anew where it has changed."""
        key = account.id, id
        kept = self._kept.get(key)
        if kept and kept.schema and not kept.schema.revision and self.clock() < kept.until:
            return kept
        try:
            schema = await self.networks.schema(id, account, timeout_s=CALL_S)
            if kept and kept.schema and schema.revision and kept.schema.revision == schema.revision:
                return kept
            part = await self.read(schema, account)
        except KnowledgeRefused as refusal:  # taken away or out of bounds: its names too
            logger.warning("Names of %s: %s", id, refusal)
            self._kept.pop(key, None)
            return NOTHING
        except StoreError as failure:
            logger.warning("Names of %s: %s", id, failure)
            return kept or NOTHING
        self._kept[key] = part
        while len(self._kept) > KEPT_NETWORKS:
            self._kept.popitem(last=False)
        return part

    async def read(self, schema: NetworkSchema, account: Account) -> Part:
        """Return all instances of a network, page by page, up to `most_rows`."""
        rows: list[Known] = []
        for type in schema.object_types:
            relations = relations_of(schema, type)
            after: tuple[object, ...] = ()
            while True:
                limit = min(MOST_INSTANCES, self.most_rows - len(rows))
                if limit <= 0:
                    return Part(schema, tuple(rows), whole=False, until=self.clock() + FRESH_S)
                query = InstanceQuery(object_type_id=type.id, limit=limit, search_after=after)
                page = await self.networks.instances(schema.id, query, account, timeout_s=CALL_S)
                rows += [known(schema.id, type, instance, relations) for instance in page.rows]
                after = page.search_after
                if not after or len(page.rows) < limit:
                    break
        return Part(schema, tuple(rows), whole=True, until=self.clock() + FRESH_S)


NOTHING = Part()


def joined(parts: list[Part]) -> Lexicon:
    """Return one lexicon of several networks."""
    rows = [one for part in parts for one in part.rows]
    return lexicon_of(rows, all(part.whole for part in parts), [part.schema for part in parts if part.schema])
