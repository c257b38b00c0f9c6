"""What a question asks of all instances of a type: which, how many, how much, which most; as the tool's query."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from tools.language import is_chinese
from tools.networks.labels import blanked, is_ambiguous, label_of, label_of_term
from tools.networks.lexicon import Known, Lexicon, TypeKey
from tools.networks.query.figures import Wanted
from tools.networks.query.filters import Where, counted_of, filters_of, of_noun, property_name
from tools.networks.query.paths import BACK, keys_of, ways_from
from tools.networks.records import ObjectType
from tools.tables.spoken import limits_in, negations_in
from wenmai.minds.offline.networks.asking import ASKED, TABLES, asks_for, is_person
from wenmai.minds.offline.networks.degrees import Degree, degree_of
from wenmai.minds.offline.networks.ranking import LISTING
from wenmai.minds.offline.networks.reading import WHO, Noun, Reading, asks_sources, conditions, unexplained

COUNTING, SUPERLATIVE, POINTS, TOTAL, AVERAGE, FEWEST = (
    re.compile(TABLES[name], re.IGNORECASE)
    for name in ("counting", "superlative", "points", "total", "average", "fewest")
)
NOUN_ASKED = re.compile(TABLES["noun_asked"])
ASKING_NOUN = re.compile(rf"(?:{TABLES['asking_noun']})\s*$", re.IGNORECASE)
MOST_BEFORE = re.compile(rf"(?:{TABLES['most_before']})\s+$", re.IGNORECASE)
MOST_BEHIND = re.compile(TABLES["most_behind"])


@dataclass(frozen=True, slots=True)
class Query:
    """What the tool is asked.

    Attributes:
        type: whose instances are listed, counted or added up; `told` the type that the answer is of.
        where: conditions that all hold.
        property: path to what is listed, sorted by or added up; `label` how people call it.
        group: path to the instances that the figure is told for each of.
        degree: the word of a superlative, and which end it means.
        start: the one instance that the question starts from, where nothing else limits it; `role` is what it has.
        counts: whether the number is asked for.
        named: whether the question names the type, not only a value or label of it; `asked`: it asks for it.
        network: what the network is called; `others` are what the question asks of other networks of the run.
    """

    key: TypeKey
    type: ObjectType
    told: ObjectType
    where: tuple[Where, ...] = ()
    wanted: Wanted = "list"
    property: str = ""
    label: str = ""
    group: str = ""
    degree: Degree | None = None
    start: Known | None = None
    role: str = ""
    counts: bool = False
    named: bool = True
    asked: bool = False
    network: str = ""
    others: tuple["Query", ...] = ()

    def arguments(self) -> dict[str, Any]:
        """Return the arguments of the tool's call."""
        order = "" if self.degree is None else "desc" if self.degree.upper else "asc"
        told = {"property": self.property, "group_by": self.group, "order": order}
        return {
            "object_type_id": self.type.id,
            "filters": [one.condition for one in self.where],
            "aggregate": self.wanted,
            **{name: value for name, value in told.items() if value},
        }


def query_of(question: str, lexicon: Lexicon) -> Query | None:
    """Return what a question asks of the instances of a type, of each network; None where it asks nothing of the kind.

    Where the question names the type of one network, it is not asked of others whose types it does not name.
    """
    limits = limits_in(question)
    mentions = [
        one for one in lexicon.table.find(question) if not any(limit.start <= one.start < limit.end for limit in limits)
    ]
    plain = blanked(question, mentions)
    if POINTS.search(plain) or not (is_figure(plain) or LISTING.search(plain) or WHO.search(plain)):
        return None
    readings = [Reading(plain, schema, lexicon, mentions) for schema in lexicon.schemas.values()]
    found = [query for reading in readings if (query := asked_of_network(reading)) is not None]
    asked = [one for one in found if one.named] or found
    return replace(asked[0], others=tuple(asked[1:])) if asked else None


def asked_of_network(reading: Reading) -> Query | None:
    """Return what a question asks of the instances of a type in one network."""
    if not all(map(reading.known, reading.mentions)):
        return None
    asked = (asked_of_noun(reading, noun) for noun in nouns(reading))
    found = next((one for one in asked if one is not None), None)
    return replace(found, network=reading.schema.name or reading.schema.id) if found else None


def is_figure(plain: str) -> bool:
    """Return True if a question asks for a total, an average or the greatest of something."""
    return any(pattern.search(plain) for pattern in (SUPERLATIVE, TOTAL, AVERAGE))


def how_much(reading: Reading) -> Wanted:
    """Return whether a question asks for a sum, an average or for the instances."""
    if AVERAGE.search(reading.plain):
        return "average"
    kinds = {one.kind for one in reading.terms}
    number_of_property = COUNTING.search(reading.plain) and "property" in kinds and "type" not in kinds
    return "sum" if TOTAL.search(reading.plain) or number_of_property else "list"


def nouns(reading: Reading) -> Iterator[Noun]:
    """Give the types that a question may be about, the one that it asks for by which or how many first."""
    plain, schema = reading.plain, reading.schema
    types = {one.id: one for one in schema.object_types}
    named = [Noun(types[one.id], one.start, one.end, is_named=True) for one in reading.terms if one.kind == "type"]
    by_noun = of_noun(plain, reading.lexicon) if not reading.mentions else []
    named += [Noun(types[key[1]], start, end, (one,), True) for start, end, key, one in by_noun if key[0] == schema.id]
    named.sort(key=lambda one: (one.start - one.end, len(one.where), one.start))
    asked = [one for one in named if ASKING_NOUN.search(plain[: one.start])]
    asked = asked or [one for one in named if NOUN_ASKED.match(plain, one.end)]
    others = [one for one in named if one not in asked]
    if asked and negations_in(plain):
        others = []  # what cannot be denied of the one is not asked of another
    unit = most_counted(reading)
    if not asked and WHO.search(plain) and (unit or not SUPERLATIVE.search(plain)):
        yield from (
            Noun(types[id], is_asked=True) for id in agents(reading, [unit] if unit else [one.type for one in named])
        )
        if unit:
            yield from (Noun(types[way.end]) for way in ways_from(unit.id, schema) if reading.names(way.relation.id))
    yield from dict.fromkeys([*(replace(one, is_asked=True) for one in asked), *others])
    if not named:
        yield from map(Noun, unnamed(reading))
    if len(types) == 1:  # of a single table everything is asked
        yield from (Noun(one, is_named=True) for one in types.values())


def agents(reading: Reading, types: Sequence[ObjectType]) -> Iterator[str]:
    """Give the types of who does something with one of these: 谁供应产品."""
    who = WHO.search(reading.plain)
    nouns = {(one.start, one.end) for one in reading.terms if one.kind == "type"}
    behind = [one for one in reading.terms if one.kind == "relation" and who and one.start >= who.end()]
    verbs = [one.id for one in behind if (one.start, one.end) not in nouns][:1]
    for type in types:
        for way in ways_from(type.id, reading.schema):
            if way.relation.id in verbs and way.is_outgoing:
                yield way.end


def unnamed(reading: Reading) -> list[ObjectType]:
    """Return the type that a question means without naming it: by a relation, a measure, a label or a value."""
    schema, rest = reading.schema, reading.rest(Noun(reading.schema.object_types[0]))
    own = {one.type.id for mention in reading.mentions for one in reading.known(mention)}
    held = reading.measure(rest) if how_much(reading) != "list" else None
    found = [schema.object_type(end) for end in led_to(reading, own)]
    found += [held[0]] if held and held[0].id not in own else []
    if reading.mentions or held:
        return [one for one in found if one is not None]
    kinds = [one for one in schema.object_types if reading.members(one)]
    if WHO.search(reading.plain):
        kinds = [one for one in kinds if is_person(reading.members(one)[0].labels)]
    if SUPERLATIVE.search(reading.plain):
        ranks = [(degree.rank, one) for one in kinds if (degree := by_degree(reading, rest, one))]
        best = [one for rank, one in ranks if rank == min(ranks, key=lambda row: row[0])[0]]
        return best if len(best) == 1 else []
    labels = "\n".join(reading.lexicon.labels)
    valued = [
        (one, where) for one in kinds for where in filters_of(rest, reading.members(one)) if where.text not in labels
    ]
    asked = [one for one, where in valued if asks_for(rest, where.label) >= ASKED]
    only = list(dict.fromkeys(asked or [one for one, _ in valued]))
    return only if len(only) == 1 else []


def led_to(reading: Reading, types: set[str]) -> Iterator[str]:
    """Give the types that a question reaches from others by a verb, not by a label of their own."""
    for type_id in types:
        for way in ways_from(type_id, reading.schema):
            terms = [one for one in reading.terms if one.kind == "relation" and one.id == way.relation.id]
            if way.relation.reflexive:  # as a label of its own it is told of the instance: 主演都有谁
                mention = reading.mentions[0]
                terms = [one for one in terms if not one.is_name or asks_sources(reading.plain, one, mention)]
            if any(way.relation.reflexive or not (way.is_outgoing and one.is_name) for one in terms):
                yield way.end


def asked_of_noun(reading: Reading, noun: Noun) -> Query | None:
    """Return what is asked of a type; None where something that the question says does not fit it."""
    plain, rest, how = reading.plain, reading.rest(noun), how_much(reading)
    key = (reading.schema.id, noun.type.id)
    counts = COUNTING.search(plain) is not None
    base = Query(key, noun.type, noun.type, named=noun.is_named, asked=noun.is_asked, counts=counts)
    held = reading.measure(rest)
    if SUPERLATIVE.search(plain):
        return foremost(reading, noun, base, held, how)
    if how != "list" and held:
        one = label_of(held[1])
        base = replace(base, type=held[0], told=held[0], wanted=how, property=held[1].name, label=one)
        return started(base, reading, noun if held[0] == noun.type else Noun(held[0]))
    found = started(base, reading, noun)
    is_sure = found is not None and found.where and (noun.is_named or reading.mentions)
    if found is None or (not is_sure and unexplained(reading, noun, found.where)):
        return None
    path, label = ("", "") if counts else label_of_each(reading, noun, found.where)
    return replace(found, property=path, label=label)


def foremost(reading: Reading, noun: Noun, base: Query, held: Any, how: Wanted) -> Query | None:
    """Return the query for the instance at the end of a scale: of its own number, or of what is counted for it."""
    plain, unit = reading.plain, most_counted(reading)
    upper = FEWEST.search(plain) is None
    found = SUPERLATIVE.search(plain)
    word = found[0] if found and not is_chinese(found[0]) else plain[found.end() : found.end() + 1] if found else ""
    if unit and unit != noun.type:
        return grouped(reading, replace(base, type=unit, wanted="count"), Degree(unit.name, word, upper))
    degree = by_degree(reading, reading.rest(noun), noun.type) if how == "list" else None
    if degree:
        own = replace(base, degree=degree, property=property_name(noun.type, degree.label), label=degree.label)
        return started(own, reading, noun)
    if held and held[0] != noun.type:
        label = label_of(held[1])
        wanted: Wanted = "sum" if how == "list" else how
        own = replace(base, type=held[0], wanted=wanted, property=held[1].name, label=label)
        return grouped(reading, own, Degree(label, word, upper))
    ends = [way.end for way in ways_from(noun.type.id, reading.schema) if reading.names(way.relation.id)]
    unit = next((one for one in reading.schema.object_types if one.id in ends and one != noun.type), None)
    return grouped(reading, replace(base, type=unit, wanted="count"), Degree(unit.name, word, upper)) if unit else None


def started(query: Query, reading: Reading, noun: Noun) -> Query | None:
    """Return a query under the conditions of a question; one instance and nothing else is its start."""
    where = conditions(reading, noun)
    if where is None or not len(reading.mentions) == len(where) == 1 or where[0].is_denial:
        return None if where is None else replace(query, where=where)
    one = reading.known(reading.mentions[0])[0]
    out = {way.relation.id: way.relation.name for way in ways_from(one.type.id, reading.schema) if way.is_outgoing}
    way = where[0].path if query.told.id != one.type.id else where[0].path.partition(BACK)[2]
    return replace(query, where=where, start=one, role=out.get(way, query.told.name))


def grouped(reading: Reading, query: Query, degree: Degree) -> Query | None:
    """Return the query for which instance has most of another type, or the greatest figure of it."""
    way, where = reading.path(query.type, query.told), conditions(reading, Noun(query.type), skip=query.told.id)
    return replace(query, where=where, group=way, degree=degree) if way and where is not None else None


def most_counted(reading: Reading) -> ObjectType | None:
    """Return the type that a question says there are most or fewest of: the most orders, 订单最多."""
    for one in reading.terms:
        most = MOST_BEFORE.search(reading.plain[: one.start]) or MOST_BEHIND.match(reading.plain, one.end)
        if one.kind == "type" and most:
            return reading.schema.object_type(one.id)
    return None


def by_degree(reading: Reading, rest: str, type: ObjectType) -> Degree | None:
    """Return by which label of a type a superlative is meant."""
    counted = counted_of(type, reading.schema, reading.members(type))
    return degree_of(COUNTING.sub(" ", rest), [label_of(one) for one in counted])


def label_of_each(reading: Reading, noun: Noun, where: Sequence[Where]) -> tuple[str, str]:
    """Return path and label of what is asked of each instance, 所有船的船长; blanks where only conditions are named."""
    used = {one.label for one in where}
    hidden = {*keys_of(noun.type, reading.schema), noun.type.display_key}
    for term in reading.terms:
        outside = term.end <= noun.start or term.start >= noun.end
        label = label_of_term(term, reading.schema) if term.kind != "type" else ""
        verb = any((one.kind, one.start) == ("relation", term.start) for one in reading.terms)
        is_asked = not verb if term.kind == "property" else term.is_name and not reading.mentions
        own = outside and label and label not in used and term.type_id == noun.type.id and term.id not in hidden
        if own and is_asked and not is_ambiguous(reading.plain[term.start : term.end]):
            return term.id, label
    return "", ""
