"""What a keyword means in a network: instances, exact first, then like it; their neighbours; what a session met."""

import asyncio
import logging
import math
import re
from collections import Counter, OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from time import monotonic
from typing import Any

from tools.errors import KnowledgeTimeout
from tools.networks.records import (
    Account,
    Condition,
    Direction,
    Instance,
    InstancePage,
    InstanceQuery,
    ObjectType,
    PathQuery,
    PathResult,
    RelationType,
    any_of,
    instance_id,
)
from tools.networks.refusals import CALL_S, FAILURES, cause_of
from tools.ports import KnowledgeNetwork, MonotonicClock
from tools.text.scripts import NOT_LETTERS, holds_in_order, is_similar
from tools.wording import Words

logger = logging.getLogger(__name__)

LIMIT = 10
EVERY = "*"  # the keyword that asks for the instances of a type, whatever they are called (chosen)
LOOKED_AT = 50  # rows of the second stage that the likeness is checked on
BATCH = 100  # sub-conditions of one query
LEAST_PART = 4  # characters of a suffix or prefix, and its share of the keyword
LEAST_SHARE = 0.6
LIKE = 0.5
FUZZY_OPERATIONS = ("like", "match", "multi_match")
NUMBER = re.compile(r"[+-]?\d+(\.\d+)?")
UNSEARCHABLE = Words(
    "对象类型 {type} 没有可以按关键词查询的属性",
    "no property of object type {type} can be searched for a keyword",
)
FAILED = Words("实例查询失败（{cause}）", "the query for instances failed ({cause})")
PARTLY = Words("部分属性的实例查询失败（{cause}）", "the query for instances failed for some properties ({cause})")


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """An instance with the properties whose value is, or is like, the keyword."""

    instance: Instance
    exact: bool
    fields: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class KeywordMatches:
    """What a keyword matched, best first; `failed`: nothing could be asked, `partial`: not everything."""

    found: Sequence[Match] = ()
    total: int = 0
    warnings: Sequence[str] = ()
    partial: bool = False
    failed: bool = False

    @property
    def fields(self) -> list[str]:
        """The matched properties of all rows, the most frequent first."""
        counted = Counter(name for match in self.found for name in match.fields)
        return [name for name, _ in counted.most_common()]


@dataclass(frozen=True, slots=True)
class InstanceSearch:
    networks: KnowledgeNetwork
    call_s: float = CALL_S

    async def __call__(self, network_id: str, type: ObjectType, keyword: str, account: Account) -> KeywordMatches:
        """Return the matches of the first stage that has any. Raises KnowledgeRefused."""
        if keyword == EVERY:
            return await self.stage(network_id, type, keyword, [], account)
        stages = list(stages_of(type, keyword))
        if not any(stages):
            return KeywordMatches(warnings=[UNSEARCHABLE.say(type=type.id)])
        matches, failure = KeywordMatches(), None
        for at, conditions in enumerate(stages):
            if not conditions:
                continue
            matches = await self.stage(network_id, type, keyword, conditions, account, must_be_like=at > 0)
            if matches.found:
                return matches
            failure = failure or (matches if matches.failed or matches.partial else None)
        # A stage that failed may have had the answer: "nothing found" would be a lie.
        return failure or matches

    async def stage(
        self,
        network_id: str,
        type: ObjectType,
        keyword: str,
        conditions: Sequence[Condition],
        account: Account,
        *,
        must_be_like: bool = False,
    ) -> KeywordMatches:
        """Ask for these alternatives in batches of 100 and merge the rows; without any, for every instance.

        With `must_be_like` a row is kept only where some value is like the keyword; else what the service found equal.
        """
        batches = [any_of(*conditions[at : at + BATCH]) for at in range(0, len(conditions), BATCH)]
        alternatives: list[Condition | None] = [*batches] or [None]
        limit = LOOKED_AT if must_be_like else LIMIT
        queries = [
            InstanceQuery(object_type_id=type.id, condition=condition, limit=limit, need_total=True)
            for condition in alternatives
        ]
        asked = [self.networks.instances(network_id, query, account, timeout_s=self.call_s) for query in queries]
        answers = await asyncio.gather(*asked, return_exceptions=True)
        pages = [answer for answer in answers if isinstance(answer, InstancePage)]
        failures = [answer for answer in answers if isinstance(answer, BaseException)]
        for failure in failures:
            if not isinstance(failure, FAILURES):
                raise failure
            logger.warning("Keyword %r of %s: interface 1 failed: %s", keyword, type.id, failure)
        found = [match for match in ranked_matches(pages, type, keyword) if match.fields or not must_be_like]
        totals = [len(page.rows) if page.total_count is None else page.total_count for page in pages]
        said = PARTLY if pages else FAILED
        return KeywordMatches(
            found=found[:LIMIT],
            total=max([len(found), *(() if must_be_like else totals)]),
            warnings=[said.say(cause=cause_of(failure)) for failure in failures[:1]],
            partial=bool(failures and pages),
            failed=not pages,
        )


def ranked_matches(pages: Sequence[InstancePage], type: ObjectType, keyword: str) -> list[Match]:
    """Return the rows of all pages, each instance once, the exact ones first, then in the service's order."""
    rows: dict[str, Match] = {}
    for instance in (row for page in pages for row in page.rows):
        held = {
            one.name: values_of(value)
            for one in type.properties
            if (value := instance.properties.get(one.name)) is not None
        }
        same = [name for name, values in held.items() if any(equal(value, keyword) for value in values)]
        like = [] if same else [name for name, values in held.items() if any(is_like(v, keyword) for v in values)]
        match = Match(instance=instance, exact=bool(same), fields=tuple(same or like))
        rows.setdefault(instance_id(instance, type), match)
    return sorted(rows.values(), key=lambda match: not match.exact)


def values_of(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def equal(value: Any, keyword: str) -> bool:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return number_of(keyword) == value
    return str(value).strip() == keyword


def is_like(value: Any, keyword: str) -> bool:
    """Return True if a text holds the keyword's characters in order or shares half of its pairs."""
    return isinstance(value, str) and (holds_in_order(value, keyword) or is_similar(value, keyword, LIKE))


def number_of(keyword: str) -> int | float | None:
    if not NUMBER.fullmatch(keyword):
        return None
    number = float(keyword)
    return int(keyword) if "." not in keyword else number if math.isfinite(number) else None


def stages_of(type: ObjectType, keyword: str) -> Iterator[list[Condition]]:
    """Give the conditions of each stage: equal; like the keyword, its form without punctuation, its longer parts."""
    # a condition may name what is not binary and has a field behind it
    usable = [one for one in type.properties if one.mapped_field != "" and (one.is_text or one.is_number)]
    values = [(one, keyword if one.is_text else number_of(keyword)) for one in usable]
    yield [
        Condition("==", one.name, value)
        for one, value in values
        if value is not None and "==" in one.condition_operations
    ]
    fields = [
        (operation, one.name)
        for one in usable
        if one.is_text
        for operation in FUZZY_OPERATIONS
        if operation in one.condition_operations
    ]
    letters = NOT_LETTERS.sub("", keyword)
    for words in ([keyword], [letters] if letters not in ("", keyword) else [], parts_of(letters)):
        yield [Condition(operation, name, word) for word in words for operation, name in fields]


def parts_of(keyword: str) -> list[str]:
    """Return the suffixes and prefixes of a keyword, the longest first: 上气道梗阻 gives 气道梗阻 and 上气道梗."""
    least = max(LEAST_PART, math.ceil(LEAST_SHARE * len(keyword)))
    return [part for size in range(len(keyword) - 1, least - 1, -1) for part in (keyword[-size:], keyword[:size])]


# sliding expiry in seconds; sessions kept, and instances in each.
EXPIRY_S = 600.0
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
        """Return a session, a new one where there is none; beyond MOST_SESSIONS the one used longest ago is gone."""
        session = self.get(key) or NetworkSession()
        self._kept[key] = (self.clock() + self.expiry_s, session)
        self._kept.move_to_end(key)
        while len(self._kept) > MOST_SESSIONS:
            self._kept.popitem(last=False)
        return session


PER_RELATION = 10
IN_ALL = 50
AT_ONCE = 5
TOTAL_S = 30.0
NEIGHBOURS_FAILED = Words(
    "关系 {relation} 的邻居查询失败（{cause}）", "fetching neighbours along {relation} failed ({cause})"
)
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
        until = self.clock() + min(TOTAL_S, seconds)
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
            warnings.append(NEIGHBOURS_FAILED.say(relation=one.relation.label, cause=cause_of(answer)))
        # the first of each list, then the second of each, and so on
        shared = [link for row in zip_longest(*lists) for link in row if link is not None]
        return FetchedNeighbours(
            links=shared[:IN_ALL],
            dropped=len(shared[IN_ALL:]),
            warnings=list(dict.fromkeys(warnings)),
            partial=partial,
        )
