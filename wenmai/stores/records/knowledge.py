"""Knowledge networks as engines keep and search them: words of texts, types by number, conditions.

A comparison that holds scores 1, `match` one for each word that is shared; `or` and `and` add up.
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from typing import Any, Protocol

from tools.errors import InputError, KnowledgeQueryError, KnowledgeRefused
from tools.networks.records import Condition, NetworkSchema
from tools.text.patterns import Pattern
from tools.wording import Words
from wenmai.knowledge.spec import TEXTS, NetworkSpec, ObjectSpec, PropertySpec, to_schema

WORD = re.compile(r"[0-9a-z_]+|[\u3400-\u9fff]+")
CHINESE = "\u3400"
BETWEEN = "\0"  # between the values of a field that has several
LONGEST = 200  # characters; longer values are distinguished by a digest, so that the index stays small


def folded(text: str) -> str:
    """Return a text as `like` and `match` compare it: without case."""
    return text.casefold()


def pairs(text: str) -> list[str]:
    """Return the pairs of neighbouring characters of a folded text."""
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
    """Return a word as such a token."""
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
    """Return the values of a field one by one, without nulls."""
    return [one for one in (value if isinstance(value, list) else [value]) if one is not None]


MOST = 100  # parts of a group
Scores = dict[int, float]  # by place
Where = dict[int, Scores]  # by property
Rows = Mapping[int, Mapping[str, Any]]
OF_TEXTS = frozenset({"like", "not_like", "match_phrase", "regex"})
FULL_TEXT = frozenset({"match", "multi_match", "match_phrase"})
OF_LISTS = frozenset({"in", "not_in", "range", "out_range"})
OPPOSITES = {"!=": "==", "not_in": "in", "not_like": "like", "out_range": "range", "not_exist": "exist"}
INDEXED = frozenset({"==", "in", "like", "match", "multi_match", "match_phrase"})


class Index(Protocol):
    """Finds values: by property and place, with scores; `kind` is the number of the object type."""

    def equal(self, kind: int, values: Iterable[Any]) -> Where:
        """Return where one of these values is, with score 1."""
        ...

    def containing(self, kind: int, text: str) -> Where:
        """Return where texts contain this one, with score 1."""
        ...

    def sharing(self, kind: int, text: str) -> Where:
        """Return where texts share words with this one, with the number of words as score."""
        ...


@dataclass(frozen=True, slots=True)
class Evaluation:
    """One query's condition on one object type; what the index says of a value is asked once for all fields.

    Attributes:
        rows: gives all instances of the type, for what the index cannot tell.
    """

    kind: ObjectSpec
    number: int
    index: Index
    rows: Callable[[], Rows]
    asked: dict[tuple[str, str], Where] = field(default_factory=dict)

    def scores(self, condition: Condition) -> Scores:
        """Return the score of every instance that matches, by place. Raises KnowledgeQueryError."""
        if condition.operation == "or":
            return added(self.scores(one) for one in group(condition))
        if condition.operation == "and":
            return common([self.scores(one) for one in group(condition)])
        at, _ = checked(self.kind, condition)
        name = OPPOSITES.get(condition.operation, condition.operation)
        found = self._indexed(name, condition.value) if name in INDEXED else {at: self._scanned(name, condition)}
        hits = found.get(at, {})
        return hits if name == condition.operation else {p: 1.0 for p in self.rows() if p not in hits}

    def _indexed(self, operation: str, value: Any) -> Where:
        key = (operation, exact(value))
        if key not in self.asked:
            self.asked[key] = self._looked_up(operation, value)
        return self.asked[key]

    def _looked_up(self, operation: str, value: Any) -> Where:
        if operation in ("==", "in"):
            return self.index.equal(self.number, value if operation == "in" else [value])
        if operation in ("like", "match_phrase"):
            return self.index.containing(self.number, value)
        return self.index.sharing(self.number, str(value))

    def _scanned(self, operation: str, condition: Condition) -> Scores:
        holds, rows = SCANNED[operation], self.rows()
        try:
            asked = Pattern(condition.value) if operation == "regex" else condition.value
            return {place: 1.0 for place, row in rows.items() if holds(row.get(condition.field), asked)}
        except InputError as error:
            raise KnowledgeQueryError(f"condition [regex]: {error}") from error


def group(condition: Condition) -> tuple[Condition, ...]:
    """Return the parts of `and` or `or`. Raises KnowledgeQueryError."""
    parts = condition.sub_conditions
    if not parts:
        raise KnowledgeQueryError("sub condition size is 0")
    if len(parts) > MOST:
        raise KnowledgeQueryError(f"sub condition size limit {MOST} but {len(parts)}")
    return parts


def added(parts: Iterator[Scores]) -> Scores:
    """Return the sums of scores."""
    total: Scores = {}
    for part in parts:
        for place, score in part.items():
            total[place] = total.get(place, 0.0) + score
    return total


def common(parts: list[Scores]) -> Scores:
    """Return the sums of scores of what is in every part."""
    shared = set(parts[0]).intersection(*parts[1:])
    return {place: sum(part[place] for part in parts) for place in shared}


def checked(kind: ObjectSpec, condition: Condition) -> tuple[int, PropertySpec]:
    """Return the property of a comparison, and which one it is. Raises KnowledgeQueryError."""
    operation, value = condition.operation, condition.value
    if operation not in INDEXED | set(SCANNED) | set(OPPOSITES):
        raise KnowledgeQueryError(f"not support condition's operation: {operation}")
    found = [(at, one) for at, one in enumerate(kind.properties) if one.name == condition.field]
    if not found or found[0][1].type == "binary":
        raise KnowledgeQueryError(f"{kind.id} has no data property {condition.field} for conditions")
    at, known = found[0]
    if not known.mapped:
        raise KnowledgeQueryError(f"property {known.name} of {kind.id} has no mapped_field")
    if operation in OF_TEXTS and not (known.type in TEXTS and isinstance(value, str)):
        raise KnowledgeQueryError(f"condition [{operation}] needs a string field and a string: {known.name}")
    if operation in FULL_TEXT and not (known.type == "text" or known.fulltext):
        raise KnowledgeQueryError(f"condition [{operation}] needs type text or a full-text index: {known.name}")
    if operation == "==" and isinstance(value, list):
        raise KnowledgeQueryError("condition [==] right value should be a single value")
    if operation in OF_LISTS and not isinstance(value, list):
        raise KnowledgeQueryError(f"condition [{operation}] right value should be an array")
    if operation in ("range", "out_range") and len(value) != 2:
        raise KnowledgeQueryError(f"condition [{operation}] right value should be an array of length 2")
    return at, known


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


def fits(kept: Any, pattern: Pattern) -> bool:
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
        """The schema as tools read it."""
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
