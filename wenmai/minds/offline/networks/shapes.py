"""What a question asks of a network beyond one label of one instance: by the network's own names.

A walk over several steps, the instances of a type, the one at the end of a scale, two compared, two connected.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from tools.language import is_chinese
from tools.networks.instances import EVERY
from tools.networks.lexicon import Known, Lexicon, TypeKey
from tools.networks.records import NetworkSchema, ObjectType
from tools.story.linking import Mention
from wenmai.minds.offline.networks.asking import ASKED, TABLES, asks_for, is_person
from wenmai.minds.offline.networks.bounds import Bound, bound_of, limit_in
from wenmai.minds.offline.networks.degrees import Degree, amount, degree_of
from wenmai.minds.offline.networks.filters import Filter, filters_of, fitting, of_noun, rarest
from wenmai.minds.offline.networks.focus import blanked, meant
from wenmai.minds.offline.networks.labels import in_labels, types_named
from wenmai.minds.offline.networks.ranking import CONNECTION, LISTING
from wenmai.minds.offline.networks.steps import Step, by_type, steps_of

COUNTING = re.compile(TABLES["counting"], re.IGNORECASE)
COMPARING = re.compile(TABLES["comparing"], re.IGNORECASE)
SUPERLATIVE = re.compile(TABLES["superlative"], re.IGNORECASE)
POINTS = re.compile(TABLES["points"], re.IGNORECASE)
WHO = re.compile(r"谁|\bwho\b", re.IGNORECASE)
PAIR = 2
Naming = Literal["type", "kind", "none"]


@dataclass(frozen=True, slots=True)
class Walk:
    """From an instance along relations, perhaps to a property at the end: 云雀号的船长的籍贯."""

    start: Known
    steps: tuple[Step, ...]
    counts: bool = False


@dataclass(frozen=True, slots=True)
class Listing:
    """The instances of a type: all, or those with some values.

    Attributes:
        keyword: that the tool is asked for: the rarest of the values, or every instance.
        label: what is asked of each of them.
        named: how the question names the type: by its name, by a kind of it, or only by a value or label.
    """

    key: TypeKey
    type: ObjectType
    members: tuple[Known, ...]
    filters: tuple[Filter | Bound, ...] = ()
    keyword: str = EVERY
    label: str = ""
    named: Naming = "type"


@dataclass(frozen=True, slots=True)
class Extreme:
    """The instances of a type at the end of a scale."""

    type: ObjectType
    members: tuple[Known, ...]
    degree: Degree
    named: Naming = "type"


@dataclass(frozen=True, slots=True)
class Comparison:
    """Several instances by one label."""

    members: tuple[Known, ...]
    degree: Degree


@dataclass(frozen=True, slots=True)
class Connection:
    """What two instances have to do with each other."""

    one: Known
    other: Known


Shape = Walk | Listing | Extreme | Comparison | Connection


@dataclass(frozen=True, slots=True)
class Asked:
    """A question in the network's own labels, and what it asks; `shape` is None for one label of one instance."""

    question: str
    shape: Shape | None


def asked_of(question: str, lexicon: Lexicon) -> Asked:
    """Read a question by the names of types, labels and instances."""
    mentions = lexicon.table.find(question)
    english = not is_chinese(blanked(question, mentions))
    text = in_labels(question, lexicon)
    return Asked(text, shape_of(text, lexicon, english=english))


def shape_of(question: str, lexicon: Lexicon, *, english: bool) -> Shape | None:
    """Return what a question asks; None for one label of one instance, and for what is none of these."""
    mentions = lexicon.table.find(question)
    plain = blanked(question, mentions)
    named = [one for mention in mentions for one in meant(mention, lexicon)[:1]]
    if len(named) >= PAIR:
        return connection(plain, named) or comparison(plain, named)
    if len(named) == 1:
        return walk(plain, mentions[0], lexicon, english=english)
    return of_type(plain, lexicon)


def connection(plain: str, named: Sequence[Known]) -> Connection | None:
    """Read a question for the connection of two instances."""
    return Connection(named[0], named[1]) if CONNECTION.search(plain) and len(named) == PAIR else None


def comparison(plain: str, named: Sequence[Known]) -> Comparison | None:
    """Read a question that compares instances by a label which all of them hold."""
    if not COMPARING.search(plain):
        return None
    shared = [label for label in named[0].values if all(is_counted(one, label) for one in named)]
    degree = degree_of(plain, shared)
    return Comparison(tuple(named), degree) if degree else None


def is_counted(one: Known, label: str) -> bool:
    """Return True if an instance has one value with a number under a label."""
    held = one.values.get(label, ())
    return len(held) == 1 and amount(held[0]) is not None


def walk(plain: str, mention: Mention, lexicon: Lexicon, *, english: bool) -> Walk | None:
    """Read a question that goes on from what stands beside an instance, or asks for its neighbours by their type."""
    sides = plain[: mention.start], plain[mention.end :]
    for start in meant(mention, lexicon):
        schema = lexicon.schemas.get(start.network_id)
        if schema is None:
            continue
        steps = steps_of(*sides, start.type, schema, english=english)
        if not steps and LISTING.search(plain):
            steps = by_type(plain, start, schema, lexicon)
        if steps:
            return Walk(start, steps, COUNTING.search(plain) is not None)
    return None


def of_type(plain: str, lexicon: Lexicon) -> Listing | Extreme | None:
    """Read a question about the instances of a type."""
    superlative = SUPERLATIVE.search(plain) is not None
    if POINTS.search(plain) or not (superlative or LISTING.search(plain) or WHO.search(plain)):
        return None
    for start, end, key, filters in kinds_of(plain, lexicon):
        schema, members = lexicon.schemas[key[0]], lexicon.members.get(key, ())
        type = schema.object_type(key[1])
        assert type is not None
        rest = f"{plain[:start]} {plain[end:]}"
        wanted: tuple[Filter | Bound, ...] = filters or filters_of(rest, members)
        if limit_in(rest):
            bound = bound_of(rest, members) if lexicon.whole else None
            if bound is None:  # of what number is not known: without the limit the answer would be another one
                return None
            wanted = (*wanted, bound)
        named: Naming = "kind" if filters else "type" if end > start else "none"
        if superlative:
            found = extreme(rest, type, fitting(members, wanted)) if lexicon.whole else None
            return replace(found, named=named) if found else None
        label = label_of_each(rest, type, schema, wanted)
        texts = [one for one in wanted if isinstance(one, Filter)]
        keyword = rarest(texts, members) if texts else EVERY
        return Listing(key, type, fitting(members, wanted), wanted, keyword, label, named)
    return None


def kinds_of(plain: str, lexicon: Lexicon) -> list[tuple[int, int, TypeKey, tuple[Filter, ...]]]:
    """Return the types that a question is about with where it says so, and what it says of them by the very noun."""
    named = [(start, end, key, ()) for start, end, key in types_named(plain, lexicon)]
    by_noun = [(start, end, key, (one,)) for start, end, key, one in of_noun(plain, lexicon)]
    found = sorted([*named, *by_noun], key=lambda row: (row[0] - row[1], len(row[3]), row[0]))
    return found or [(0, 0, key, ()) for key in untyped(plain, lexicon) or valued(plain, lexicon)]


def valued(plain: str, lexicon: Lexicon) -> list[TypeKey]:
    """Return the one type whose values alone a question names: 谁是南屿人, of people; of several the label decides."""
    who, labels = WHO.search(plain) is not None, "\n".join(lexicon.labels)
    found = {
        key: filters
        for key, members in lexicon.members.items()
        if not who or is_person(members[0].labels)
        if (filters := [one for one in filters_of(plain, members) if one.text not in labels])
    }
    asked = [key for key, filters in found.items() if any(asks_for(plain, one.label) >= ASKED for one in filters)]
    keys = asked or list(found)
    return keys if len(keys) == 1 else []


def untyped(plain: str, lexicon: Lexicon) -> list[TypeKey]:
    """Return the type whose label a superlative speaks of, where no type is named: 谁最年轻."""
    if not SUPERLATIVE.search(plain):
        return []
    found = [
        (one.degree.rank, key)
        for key, members in lexicon.members.items()
        if not WHO.search(plain) or is_person(members[0].labels)
        if (one := extreme(plain, members[0].type, members))
    ]
    best = min((rank for rank, _ in found), default=0)
    keys = [key for rank, key in found if rank == best]
    return keys if len(keys) == 1 else []


def extreme(plain: str, type: ObjectType, members: tuple[Known, ...]) -> Extreme | None:
    """Return who is to be found by which label."""
    labels = dict.fromkeys(label for one in members for label in one.values if is_counted(one, label))
    degree = degree_of(plain, list(labels))
    return Extreme(type, members, degree) if degree else None


def label_of_each(rest: str, type: ObjectType, schema: NetworkSchema, filters: Sequence[Filter | Bound]) -> str:
    """Return the label that is asked of each instance: 所有船的船长; none where the question only names a filter's."""
    names = [one.name for one in schema.relation_types if one.source_object_type_id == type.id]
    names += [one.display_name for one in type.properties if one.name not in (*type.primary_keys, type.display_key)]
    used = {one.label for one in filters}
    held = [name for name in names if name and name in rest and name not in used]
    return max(held, key=len, default="")
