"""Which values a question wants of the instances of a type: 三桅货船, 籍贯是云州的人."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from tools.networks.instances import NUMBER_KINDS
from tools.networks.labels import label_of
from tools.networks.lexicon import Known, Lexicon, TypeKey
from tools.networks.query.paths import keys_of
from tools.networks.records import NetworkSchema, ObjectType, Property
from tools.networks.words import BEFORE_NOUN, noun_of
from tools.tables.rows import NONE_OF, Operation, is_counted
from tools.tables.spoken import FLAGS

LONGEST, SHORTEST = 20, 2  # characters of a value that a question may quote
NOUN = re.compile(r"[\u4e00-\u9fff]{2,8}")


@dataclass(frozen=True, slots=True)
class Where:
    """A condition on what a path leads to; `label` and `text` are how an answer tells it."""

    path: str
    operation: Operation
    value: str
    label: str
    text: str

    def along(self, way: str) -> "Where":
        """Return the condition from the type that a path to it begins at."""
        return replace(self, path=f"{way}.{self.path}") if way else self

    def denied(self) -> "Where | None":
        """Return the condition that no value fits; None for a limit: what is not above it need not be below."""
        opposite: dict[Operation, Operation] = {"==": "!=", "contains": "lacks"}
        return replace(self, operation=opposite[self.operation]) if self.operation in opposite else None

    @property
    def is_denial(self) -> bool:
        """Whether nothing may fit."""
        return self.operation in NONE_OF

    @property
    def condition(self) -> str:
        """The condition as the tool reads it."""
        return f"{self.path} {self.operation} {self.value}"


def filters_of(rest: str, members: Sequence[Known]) -> tuple[Where, ...]:
    """Return the values that a question, its type blanked, names: each of one label, the one that it names too."""
    held: dict[str, set[str]] = {}
    for one in members:
        for label, value in short_values(one):
            if value in rest and stands(value, rest):
                held.setdefault(value, set()).add(label)
    longest = [value for value in held if not any(value in other for other in held if other != value)]
    return tuple(holding(members[0].type, chosen(held[value], rest), value) for value in sorted(longest))


def holding(type: ObjectType, label: str, text: str) -> Where:
    """Return the condition that the value under a label of a type has a text."""
    return Where(property_name(type, label), "contains", text, label, text)


def stands(value: str, text: str) -> bool:
    """Return True if a value stands in a text as a word: not 18 in 1851, not a in barque; barque in barques."""
    if not value.isascii():
        return True
    return not value.isdecimal() and noun_of(value).search(text) is not None


def short_values(one: Known) -> list[tuple[str, str]]:
    """Return the labelled values of an instance that a question may quote; its name is none."""
    name = name_label(one.type)
    return [
        (label, value)
        for label, values in one.values.items()
        if label != name
        for value in values
        if SHORTEST <= len(value) <= LONGEST
    ]


def of_noun(plain: str, lexicon: Lexicon) -> list[tuple[int, int, TypeKey, Where]]:
    """Return the types whose values a question names the kind of by its own noun: 货船 of 三桅货船, longest first."""
    labels = "\n".join(lexicon.labels)  # 公司 of 出品公司 is a label that is asked for, no kind of company
    places = [at for at in range(1, len(plain)) if BEFORE_NOUN.search(plain[:at])]
    nouns = [(at, noun[0]) for at in places if (noun := NOUN.match(plain, at))]
    found = {
        (at, at + size, key, holding(lexicon.members[key][0].type, label, word[:size])): None
        for value, held in lexicon.held.items()
        for at, word in nouns
        if word[:SHORTEST] in value and (size := kind_of(word, value)) and word[:size] not in labels
        for key, label in held
    }
    return sorted(found, key=lambda row: row[0] - row[1])


def kind_of(noun: str, value: str) -> int:
    """Return how many characters of a noun a value is a kind of, it ends with them; 0 for none."""
    return next((size for size in range(len(noun), SHORTEST - 1, -1) if value.endswith(noun[:size])), 0)


def chosen(labels: set[str], rest: str) -> str:
    """Return the label that a value is meant under: one that the question names, else the first."""
    return min(labels, key=lambda label: (label not in rest, label))


def name_label(type: ObjectType) -> str:
    """Return the label of the property that names an instance."""
    found = type.property(type.display_key)
    return (found.display_name or found.name) if found else ""


def property_name(type: ObjectType, label: str) -> str:
    """Return the name of the property of a label."""
    return next((one.name for one in type.properties if label in (one.display_name, one.name)), label)


def numbers_of(type: ObjectType, schema: NetworkSchema, members: Sequence[Known] = ()) -> list[Property]:
    """Return the properties of a type that are counted: by the schema, or by a value that is known; keys are none."""
    hidden = keys_of(type, schema)
    return [
        one
        for one in type.properties
        if one.name not in hidden
        and (one.type in NUMBER_KINDS or any(is_counted(known.values.get(label_of(one), ())) for known in members))
    ]


def counted_of(type: ObjectType, schema: NetworkSchema, members: Sequence[Known]) -> list[Property]:
    """Return the properties of a type that have an order: numbers, and days."""
    return [*numbers_of(type, schema, members), *days_of(type)]


def days_of(type: ObjectType) -> list[Property]:
    """Return the properties of a type that are days."""
    return [one for one in type.properties if one.type in ("date", "datetime")]


def is_flag(members: Sequence[Known], label: str) -> bool:
    """Return True if the values under a label only say yes or no."""
    values = {value.lower() for one in members for value in one.values.get(label, ())}
    return bool(values) and values <= FLAGS
