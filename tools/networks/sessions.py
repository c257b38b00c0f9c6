"""What a session knows of a network: its recalled schema, the instances met, their neighbours (knowledge.md §5)."""

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from time import monotonic
from typing import Any

from tools.errors import KnowledgeTimeout
from tools.networks.records import Account, Direction, Instance, ObjectType, PathQuery, PathResult, RelationType
from tools.networks.refusals import CALL_S, FAILURES, cause_of
from tools.ports import KnowledgeNetwork, MonotonicClock
from tools.wording import Words

# sliding expiry in seconds; sessions kept, and instances in each.
EXPIRY_S = 600.0
NOBODY = Account("anonymous", "anonymous")
MOST_SESSIONS = 1_000
MOST_INSTANCES = 500

InstanceKey = tuple[str, str]  # object type, instance id
LinkKey = tuple[InstanceKey, str, Direction]  # whose neighbours, along which relation, in which direction
Sent = tuple[LinkKey, InstanceKey]  # a neighbour that an answer has sent
SessionKey = tuple[str, str, str]  # account, session, network


@dataclass(slots=True)
class NetworkSession:
    """One session of one account with one network.

    `lock` is held from the first neighbour that a call asks for to its answer: what one call fetches the next one has,
    and the calls of a session together ask no more at once than one alone.

    Attributes:
        instances: properties of the instances that keywords matched, the most complete that were seen.
        links: neighbours that were fetched; `sent` those that an answer has sent.
    """

    object_types: dict[str, ObjectType] = field(default_factory=dict)
    relation_types: dict[str, RelationType] = field(default_factory=dict)
    instances: OrderedDict[InstanceKey, dict[str, Any]] = field(default_factory=OrderedDict)
    links: dict[LinkKey, PathResult] = field(default_factory=dict)
    sent: set[Sent] = field(default_factory=set)
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)

    @property
    def has_schema(self) -> bool:
        return bool(self.object_types or self.relation_types)

    def keep(self, key: InstanceKey, properties: dict[str, Any]) -> tuple[dict[str, Any], bool]:
        """Merge what was seen of an instance; return all that is known of it, and whether it is new.

        Beyond MOST_INSTANCES the one met longest ago is forgotten, with its neighbours.
        """
        known = self.instances.pop(key, None)
        merged = {**(known or {}), **{n: v for n, v in properties.items() if v is not None or n not in (known or {})}}
        self.instances[key] = merged
        while len(self.instances) > MOST_INSTANCES:
            self.forget(next(iter(self.instances)))
        return merged, known is None

    def forget(self, key: InstanceKey) -> None:
        del self.instances[key]
        self.links = {link: found for link, found in self.links.items() if link[0] != key}
        self.sent = {pair for pair in self.sent if pair[0][0] != key}


@dataclass(slots=True)
class NetworkSessions:
    """The sessions of a process; one that was not used for `expiry_s` seconds is gone."""

    clock: MonotonicClock = monotonic
    expiry_s: float = EXPIRY_S
    most: int = MOST_SESSIONS
    _kept: OrderedDict[SessionKey, tuple[float, NetworkSession]] = field(default_factory=OrderedDict)

    def __len__(self) -> int:
        return len(self._kept)

    def get(self, key: SessionKey) -> NetworkSession | None:
        """Return a session that is alive, and keep it alive for as long again."""
        expires, session = self._kept.get(key, (0.0, None))
        if session is None:
            return None
        if self.clock() >= expires:
            del self._kept[key]
            return None
        self._kept[key] = (self.clock() + self.expiry_s, session)
        self._kept.move_to_end(key)
        return session

    def open(self, key: SessionKey) -> NetworkSession:
        """Return a session, a new one where there is none; beyond `most` the one used longest ago is forgotten."""
        session = self.get(key) or NetworkSession()
        self._kept[key] = (self.clock() + self.expiry_s, session)
        self._kept.move_to_end(key)
        while len(self._kept) > self.most:
            self._kept.popitem(last=False)
        return session


logger = logging.getLogger(__name__)

PER_RELATION = 10
IN_ALL = 50
AT_ONCE = 5
TOTAL_S = 30.0
FAILED = Words("关系 {relation} 的邻居查询失败（{cause}）", "fetching neighbours along {relation} failed ({cause})")
PARTLY_COVERED = Words(
    "关系 {relation} 的入向邻居只覆盖了前 1000 个起点",
    "the incoming side of {relation} covers only 1000 starts",
)
KEYLESS = Words("实例 {id} 没有主键，不查询邻居", "instance {id} has no primary key: its neighbours are not fetched")


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchedNeighbours:
    """The neighbours to answer with, those beyond the limit counted; `partial`: some relation could not be asked."""

    links: Sequence["NeighbourLink"] = ()
    dropped: int = 0
    warnings: Sequence[str] = ()
    partial: bool = False


@dataclass(frozen=True, slots=True)
class NeighbourRequest:
    """One request to interface 2, from an instance along a relation."""

    start: InstanceKey
    relation: RelationType
    direction: Direction

    @property
    def link(self) -> LinkKey:
        return self.start, self.relation.id, self.direction


@dataclass(frozen=True, slots=True)
class NeighbourLink(NeighbourRequest):
    neighbour: Instance


@dataclass(frozen=True, slots=True)
class NeighbourSearch:
    """Fetches neighbours: one path a request, at most five at once, all within 30 seconds."""

    networks: KnowledgeNetwork
    call_s: float = CALL_S
    total_s: float = TOTAL_S
    clock: MonotonicClock = field(default=monotonic)

    async def __call__(
        self,
        network_id: str,
        starts: Mapping[InstanceKey, Mapping[str, Any]],
        session: NetworkSession,
        account: Account,
        seconds: float,
    ) -> FetchedNeighbours:
        """Return the neighbours of instances, in a fair share.

        Args:
            network_id: where they are.
            starts: the primary keys of each instance by name; {} where it has none.
            session: of the caller; what it has is not fetched.
            account: of the caller.
            seconds: that this may take.

        Raises:
            KnowledgeRefused: The service does not let the account see them.
        """
        # along each relation of the saved schema that touches the type, in each fitting direction
        requests = [
            NeighbourRequest(start, relation, direction)
            for start in starts
            for relation in session.relation_types.values()
            for direction in relation.directions_from(start[0])
        ]
        keyless = dict.fromkeys(one.start for one in requests if not starts[one.start])
        requests = [one for one in requests if starts[one.start]]
        until = self.clock() + min(self.total_s, seconds)
        gate = asyncio.Semaphore(AT_ONCE)

        async def fetched(one: NeighbourRequest) -> PathResult:
            if (known := session.links.get(one.link)) is not None:
                return known
            async with gate:
                left = min(self.call_s, until - self.clock())
                if left <= 0:
                    raise KnowledgeTimeout(f"no time left for {one.relation.id}")
                query = PathQuery(
                    object_type_id=one.start[0],
                    key=starts[one.start],
                    relation=one.relation,
                    direction=one.direction,
                    limit=PER_RELATION,
                )
                found = await self.networks.neighbours(network_id, query, account, timeout_s=left)
            session.links[one.link] = found
            return found

        answers = await asyncio.gather(*map(fetched, requests), return_exceptions=True)
        lists, warnings, partial = list[list[NeighbourLink]](), [KEYLESS.say(id=id) for _, id in keyless], False
        for one, answer in zip(requests, answers, strict=True):
            if isinstance(answer, PathResult):
                unique = {
                    (n.object_type_id, *map(str, (n.identity or n.properties).values())): n for n in answer.neighbours
                }
                first = list(unique.values())[:PER_RELATION]
                lists.append([NeighbourLink(one.start, one.relation, one.direction, neighbour) for neighbour in first])
                warnings += [] if answer.covered else [PARTLY_COVERED.say(relation=one.relation.label)]
                continue
            if not isinstance(answer, FAILURES):
                raise answer
            partial = True
            logger.warning("Neighbours of %s along %s: interface 2 failed: %s", one.start, one.relation.id, answer)
            warnings.append(FAILED.say(relation=one.relation.label, cause=cause_of(answer)))
        # the first of each list, then the second of each, and so on
        shared = [link for row in zip_longest(*lists) for link in row if link is not None]
        return FetchedNeighbours(
            links=shared[:IN_ALL],
            dropped=len(shared[IN_ALL:]),
            warnings=list(dict.fromkeys(warnings)),
            partial=partial,
        )
