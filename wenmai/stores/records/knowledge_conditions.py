"""Which instances of a local network a condition holds for, and how well, by its index.

A comparison that holds scores 1, `match` one for each word that is shared; `or` and `and` add up.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from tools.errors import InputError, KnowledgeQueryError
from tools.networks.records import Condition
from tools.text.patterns import Pattern
from wenmai.knowledge.spec import TEXTS, ObjectSpec, PropertySpec
from wenmai.stores.records.knowledge_words import elements, exact

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
