"""Which values a question wants of the instances of a type: 三桅货船, 籍贯是云州的人."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from tools.networks.lexicon import Known, Lexicon, TypeKey
from tools.networks.records import ObjectType
from wenmai.minds.offline.networks.bounds import Bound
from wenmai.minds.offline.networks.labels import BEFORE_NOUN, english_noun

LONGEST, SHORTEST = 20, 2  # characters of a value that a question may quote
NOUN = re.compile(r"[\u4e00-\u9fff]{2,8}")


@dataclass(frozen=True, slots=True)
class Filter:
    """A text that the value under a label holds."""

    label: str
    text: str

    def holds(self, one: Known) -> bool:
        """Return True if an instance is meant."""
        return any(self.text in value for value in one.values.get(self.label, ()))


def filters_of(rest: str, members: Sequence[Known]) -> tuple[Filter, ...]:
    """Return the values that a question, its type blanked, names: each of one label, the one that it names too."""
    held: dict[str, set[str]] = {}
    for one in members:
        for label, value in short_values(one):
            if value in rest and stands(value, rest):
                held.setdefault(value, set()).add(label)
    longest = [value for value in held if not any(value in other for other in held if other != value)]
    return tuple(Filter(chosen(held[value], rest), value) for value in sorted(longest))


def stands(value: str, text: str) -> bool:
    """Return True if a value stands in a text as a word: not 18 in 1851, not a in barque; barque in barques."""
    if not value.isascii():
        return True
    return not value.isdecimal() and english_noun(value).search(text) is not None


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


def of_noun(plain: str, lexicon: Lexicon) -> list[tuple[int, int, TypeKey, Filter]]:
    """Return the types whose values a question names the kind of by its own noun: 货船 of 三桅货船, longest first."""
    found: Counter[tuple[int, int, TypeKey, Filter]] = Counter()
    labels = "\n".join(lexicon.labels)  # 公司 of 出品公司 is a label that is asked for, no kind of company
    nouns = [(at, noun[0]) for at in range(len(plain)) if asks_at(plain, at) and (noun := NOUN.match(plain, at))]
    for key, members in lexicon.members.items() if nouns else ():
        for label, value in (pair for one in members for pair in short_values(one)):
            for start, word in nouns:
                if word[:SHORTEST] in value and (size := kind_of(word, value)) and word[:size] not in labels:
                    found[start, start + size, key, Filter(label, word[:size])] += 1
    return sorted(found, key=lambda row: (row[0] - row[1], -found[row]))


def asks_at(plain: str, at: int) -> bool:
    """Return True if what stands before a place asks for instances."""
    return at > 0 and BEFORE_NOUN.search(plain[:at]) is not None


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


def fitting(members: tuple[Known, ...], filters: Sequence[Filter | Bound]) -> tuple[Known, ...]:
    """Return the instances that every filter holds for."""
    return tuple(one for one in members if all(wanted.holds(one) for wanted in filters))


def rarest(filters: Sequence[Filter], members: Sequence[Known]) -> str:
    """Return the text of the filter that fewest instances fit."""
    return min(filters, key=lambda one: sum(map(one.holds, members))).text
