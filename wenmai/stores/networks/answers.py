"""What the content of a network answers, whatever engine holds it."""

import asyncio
import json
import re
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from typing import Any, Protocol, TypeVar

from tools.errors import InputError, KnowledgeQueryError, KnowledgeRefused, KnowledgeTimeout
from tools.networks.records import (
    MOST_INSTANCES,
    TEXT_TYPES,
    Condition,
    Instance,
    InstancePage,
    InstanceQuery,
    NetworkSchema,
    PathQuery,
    PathResult,
)
from tools.text.patterns import BoundedPattern
from tools.wording import Words
from wenmai.knowledge.content import CheckedContent, Link, NetworkSpec, ObjectSpec, Row, key_of, sortable, to_schema

WORD = re.compile(r"[0-9a-z_]+|[\u3400-\u9fff]+")
CHINESE = "\u3400"
BETWEEN = "\0"  # between the values of a field that has several
LONGEST = 200  # characters; longer values are distinguished by a digest, so that the index stays small


def folded(text: str) -> str:
    """Return a text as `like` and `match` compare it: without case."""
    return text.casefold()


def pairs(text: str) -> list[str]:
    return [text[at : at + 2] for at in range(len(text) - 1)]


def words(text: str) -> set[str]:
    """Return the words of a text: pairs of Chinese characters, a single one where it stands alone, other words."""
    found: set[str] = set()
    for run in WORD.findall(folded(text)):
        found.update(pairs(run) if run[0] >= CHINESE and len(run) > 1 else (run,))
    return found


def terms(text: str, kind: int) -> set[str]:
    """Return what the full-text index keeps of a value: its pairs and its words, each as one token of its type."""
    return {pair_term(pair, kind) for pair in pairs(folded(text))} | {word_term(word, kind) for word in words(text)}


def pair_term(pair: str, kind: int) -> str:
    """Return a pair as a token that no tokenizer cuts or changes."""
    return f"p{kind}x{pair.encode().hex()}"


def word_term(word: str, kind: int) -> str:
    return f"w{kind}x{word[:LONGEST].encode().hex()}"


def exact(value: Any) -> str:
    """Return a scalar as the index finds it: 5 and 5.0 are one, "5" and true are others."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    text = f'"{value}' if isinstance(value, str) else json.dumps(value, ensure_ascii=False, sort_keys=True)
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}{sha256(text.encode()).hexdigest()}"


def key_text(key: Iterable[Any]) -> str:
    """Return a primary key as an index finds it; JSON keeps its parts apart."""
    return json.dumps([exact(part) for part in key], ensure_ascii=False)


def elements(value: Any) -> Iterable[Any]:
    return [one for one in (value if isinstance(value, list) else [value]) if one is not None]


MOST = 100  # parts of a group
Scores = dict[int, float]  # by place
Where = dict[int, Scores]  # by property
Rows = Mapping[int, Row]  # properties of instances by their place

OF_TEXTS = frozenset({"like", "not_like", "match_phrase", "regex"})
FULL_TEXT = frozenset({"match", "multi_match", "match_phrase"})
OF_LISTS = frozenset({"in", "not_in", "range", "out_range"})
OPPOSITES = {"!=": "==", "not_in": "in", "not_like": "like", "out_range": "range", "not_exist": "exist"}
INDEXED = frozenset({"==", "in", "like", "match", "multi_match", "match_phrase"})


def by_property(counts: Mapping[tuple[int, int], int]) -> Where:
    """Return scores by property and place, given by place and property."""
    found: Where = {}
    for (place, number), count in counts.items():
        found.setdefault(number, {})[place] = float(count)
    return found


@dataclass(slots=True)
class Evaluation:
    """One query's condition on one object type; what the content says of a value is asked once for all fields."""

    content: "NetworkContent"
    kind: ObjectSpec
    number: int
    _found: dict[tuple[str, str], Where] = field(default_factory=dict)
    _rows: Rows | None = None

    async def scores(self, condition: Condition) -> Scores:
        """Return the score of every instance that matches, by place. Raises KnowledgeQueryError."""
        if condition.operation in ("and", "or"):
            parts = [await self.scores(one) for one in group(condition)]
            first, *others = map(set, parts)
            places = first.intersection(*others) if condition.operation == "and" else first.union(*others)
            return {place: sum(part.get(place, 0.0) for part in parts) for place in places}
        at = checked(self.kind, condition)
        name = OPPOSITES.get(condition.operation, condition.operation)
        if name in INDEXED:
            hits = (await self._indexed(name, condition.value)).get(at, {})
        else:
            hits = await self._scanned(name, condition)
        return hits if name == condition.operation else {p: 1.0 for p in await self._every() if p not in hits}

    async def _indexed(self, operation: str, value: Any) -> Where:
        key = (operation, exact(value))
        if key not in self._found:
            if operation in ("==", "in"):
                found = await self.content.equal(self.number, value if operation == "in" else [value])
            elif operation in ("like", "match_phrase"):
                found = await self.content.containing(self.number, value)
            else:
                found = await self.content.sharing(self.number, str(value))
            self._found[key] = found
        return self._found[key]

    async def _scanned(self, operation: str, condition: Condition) -> Scores:
        holds, rows = SCANNED[operation], await self._every()
        try:
            asked = BoundedPattern(condition.value) if operation == "regex" else condition.value
            return {place: 1.0 for place, row in rows.items() if holds(row.get(condition.field), asked)}
        except InputError as error:
            raise KnowledgeQueryError(f"condition [regex]: {error}") from error

    async def _every(self) -> Rows:
        if self._rows is None:
            self._rows = await self.content.of_kind(self.number)
        return self._rows


def group(condition: Condition) -> tuple[Condition, ...]:
    """Return the parts of `and` or `or`. Raises KnowledgeQueryError."""
    parts = condition.sub_conditions
    if not parts:
        raise KnowledgeQueryError("sub condition size is 0")
    if len(parts) > MOST:
        raise KnowledgeQueryError(f"sub condition size limit {MOST} but {len(parts)}")
    return parts


def checked(kind: ObjectSpec, condition: Condition) -> int:
    """Return which property of its type a comparison is about. Raises KnowledgeQueryError."""
    operation, value = condition.operation, condition.value
    if operation not in INDEXED | set(SCANNED) | set(OPPOSITES):
        raise KnowledgeQueryError(f"not support condition's operation: {operation}")
    found = [(at, one) for at, one in enumerate(kind.properties) if one.name == condition.field]
    if not found or found[0][1].type == "binary":
        raise KnowledgeQueryError(f"{kind.id} has no data property {condition.field} for conditions")
    at, known = found[0]
    if not known.mapped:
        raise KnowledgeQueryError(f"property {known.name} of {kind.id} has no mapped_field")
    if operation in OF_TEXTS and not (known.type in TEXT_TYPES and isinstance(value, str)):
        raise KnowledgeQueryError(f"condition [{operation}] needs a string field and a string: {known.name}")
    if operation in FULL_TEXT and not (known.type == "text" or known.fulltext):
        raise KnowledgeQueryError(f"condition [{operation}] needs type text or a full-text index: {known.name}")
    if operation == "==" and isinstance(value, list):
        raise KnowledgeQueryError("condition [==] right value should be a single value")
    if operation in OF_LISTS and not isinstance(value, list):
        raise KnowledgeQueryError(f"condition [{operation}] right value should be an array")
    if operation in ("range", "out_range") and len(value) != 2:
        raise KnowledgeQueryError(f"condition [{operation}] right value should be an array of length 2")
    return at


def ordered(test: Callable[[Any, Any], bool]) -> Callable[[Any, Any], bool]:
    """Return a test of order for any element of a value; a text and a number are in no order."""
    return lambda kept, asked: any(
        isinstance(one, str) == isinstance(asked, str) and test(one, asked) for one in elements(kept)
    )


def within(kept: Any, asked: Any) -> bool:
    """Return True if a value is at least the first and less than the second."""
    low, high = asked
    return any(
        isinstance(one, str) == isinstance(low, str) == isinstance(high, str) and low <= one < high
        for one in elements(kept)
    )


def fits(kept: Any, pattern: BoundedPattern) -> bool:
    """Return True if a text as a whole fits a pattern. Raises InputError when its time is up."""
    return any(isinstance(one, str) and pattern.fits(one) for one in elements(kept))


SCANNED: dict[str, Callable[[Any, Any], bool]] = {
    ">": ordered(lambda kept, asked: kept > asked),
    ">=": ordered(lambda kept, asked: kept >= asked),
    "<": ordered(lambda kept, asked: kept < asked),
    "<=": ordered(lambda kept, asked: kept <= asked),
    "range": within,
    "regex": fits,
    "exist": lambda kept, _: kept is not None,
}


NO_RELATION = Words("知识网络 {network} 没有关系类型 {id}", "network {network} has no relation type {id}")
NO_TYPE = Words("知识网络 {network} 没有对象类型 {id}", "network {network} has no object type {id}")


@dataclass(frozen=True)
class Types:
    """Object types and relation types of one content of a network."""

    spec: NetworkSpec
    revision: str

    @cached_property
    def schema(self) -> NetworkSchema:
        return to_schema(self.spec, self.revision)

    def kind(self, id: str) -> tuple[int, ObjectSpec]:
        """Return an object type and its number. Raises KnowledgeRefused (404)."""
        for number, kind in enumerate(self.spec.object_types):
            if kind.id == id:
                return number, kind
        raise KnowledgeRefused(NO_TYPE.of(network=self.spec.id, id=id), 404)

    def relation(self, id: str) -> int:
        """Return the number of a relation type. Raises KnowledgeRefused (404)."""
        for number, relation in enumerate(self.spec.relation_types):
            if relation.id == id:
                return number
        raise KnowledgeRefused(NO_RELATION.of(network=self.spec.id, id=id), 404)


BAD_LIMIT = Words("limit 必须在 1..{most} 之间，收到 {limit}", "limit is 1 to {most}, got {limit}")
TIMED_OUT = Words("知识网络 {id} 在 {seconds:g} 秒内没有回答", "network {id} did not answer within {seconds:g} seconds")
T = TypeVar("T")


class ContentChanged(Exception):
    """An import has ended meanwhile, and what was read is being deleted: read again."""


class NetworkContent(Protocol):
    """One content of a network. Instances are known by their place, types by their number."""

    @property
    def types(self) -> Types: ...

    async def places(self, number: int) -> list[int]: ...

    async def equal(self, number: int, values: Iterable[Any]) -> Where:
        """Return where one of these values is in a type, with score 1."""
        ...

    async def containing(self, number: int, text: str) -> Where:
        """Return where texts of a type contain this one, with score 1."""
        ...

    async def sharing(self, number: int, text: str) -> Where:
        """Return where texts of a type share words with this one, with the number of words as score."""
        ...

    async def at(self, places: Sequence[int]) -> Rows:
        """Return the instances at these places. Raises ContentChanged."""
        ...

    async def of_kind(self, number: int) -> Rows: ...

    async def pairs(self, number: int) -> list[tuple[int, int]]:
        """Return the places that a relation joins, in order."""
        ...

    async def place(self, number: int, key: Sequence[Any]) -> int | None:
        """Return the place of the instance of a type with this primary key, None if there is none."""
        ...

    async def beside(self, relation: int, place: int, *, outgoing: bool, limit: int) -> Rows:
        """Return the first neighbours of an instance along a relation, in order."""
        ...


async def in_time(network_id: str, timeout_s: float, answer: Awaitable[T]) -> T:
    """Return the answer of a network. Raises KnowledgeTimeout where it takes longer than `timeout_s` seconds."""
    try:
        async with asyncio.timeout(timeout_s):
            return await answer
    except TimeoutError as error:
        raise KnowledgeTimeout(TIMED_OUT.of(id=network_id, seconds=timeout_s)) from error


def require_limit(query: InstanceQuery) -> None:
    """Raise KnowledgeQueryError unless a page of a query has an allowed length."""
    if not 1 <= query.limit <= MOST_INSTANCES:
        raise KnowledgeQueryError(BAD_LIMIT.of(most=MOST_INSTANCES, limit=query.limit))


async def schema(content: NetworkContent) -> NetworkSchema:
    return content.types.schema


async def page(content: NetworkContent, query: InstanceQuery) -> InstancePage:
    """Return the matching instances. Raises KnowledgeRefused, KnowledgeQueryError."""
    number, kind = content.types.kind(query.object_type_id)
    if query.condition is None:
        scores = dict.fromkeys(await content.places(number), 1.0)
    else:
        scores = await Evaluation(content, kind, number).scores(query.condition)
    order = sorted(scores, key=lambda place: (-scores[place], place))  # places ascend by primary keys
    rows = await content.at(list(scores)) if query.sort else {}
    for one in reversed(query.sort):
        order.sort(key=lambda place: sortable([rows[place].get(one.field)]), reverse=one.direction == "desc")
    begin = int(query.search_after[0]) if query.search_after else 0
    chosen = order[begin : begin + query.limit]
    end, rows = begin + len(chosen), await content.at(chosen)
    return InstancePage(
        rows=tuple(to_instance(kind, rows[place], query.properties, scores[place]) for place in chosen),
        total_count=len(order) if query.need_total and not query.search_after and order else None,
        search_after=(end,) if end < len(order) else (),
    )


async def neighbours(content: NetworkContent, query: PathQuery) -> PathResult:
    """Return the neighbours of an instance. Raises KnowledgeRefused."""
    number, kind = content.types.kind(query.object_type_id)
    relation = content.types.relation(query.relation.id)
    _, other = content.types.kind(query.neighbour_type_id)
    place = await content.place(number, [query.key.get(name) for name in kind.primary_keys])
    if place is None:
        return PathResult()
    rows = await content.beside(relation, place, outgoing=query.direction == "outgoing", limit=query.limit)
    return PathResult(neighbours=tuple(to_instance(other, row) for row in rows.values()))


async def whole(content: NetworkContent) -> CheckedContent:
    """Return all that a network holds. Raises ContentChanged."""
    spec = content.types.spec
    rows = {kind.id: await content.of_kind(number) for number, kind in enumerate(spec.object_types)}
    links: dict[str, list[Link]] = {}
    for number, relation in enumerate(spec.relation_types):
        source, target = spec.object_type(relation.source), spec.object_type(relation.target)
        pairs = await content.pairs(number)
        if any(one not in rows[source.id] or other not in rows[target.id] for one, other in pairs):
            raise ContentChanged
        links[relation.id] = [
            (key_of(rows[source.id][one], source), key_of(rows[target.id][other], target)) for one, other in pairs
        ]
    return CheckedContent(spec, {id: list(kept.values()) for id, kept in rows.items()}, links)


def to_instance(kind: ObjectSpec, row: Row, wanted: Sequence[str] = (), score: float | None = None) -> Instance:
    """Return a row as an instance; with `wanted` it has these properties alone."""
    properties: Mapping[str, Any] = {name: row[name] for name in row if name in wanted} if wanted else row
    return Instance(
        object_type_id=kind.id,
        object_type_name=kind.name,
        properties=properties,
        identity={name: row.get(name) for name in kind.primary_keys},
        display=str(row.get(kind.display_key) or ""),
        score=score,
    )
