"""What a question asks of all instances of a type: which, how many, how much, which most; as the tool's query."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from tools.language import is_chinese
from tools.networks.figures import BACK, Wanted, keys_of, ways_from
from tools.networks.lexicon import Known, Lexicon, TypeKey
from tools.networks.records import ObjectType
from tools.networks.words import Where, blanked, is_ambiguous, label_of_term, property_name
from tools.tables.rows import limits_in
from wenmai.minds.offline.networks.amounts import (
    COUNTING,
    SUPERLATIVE,
    Degree,
    by_degree,
    how_much,
    is_figure,
    most_counted,
)
from wenmai.minds.offline.networks.asking import TABLES
from wenmai.minds.offline.networks.conditions import conditions, nouns
from wenmai.minds.offline.networks.ranking import LISTING
from wenmai.minds.offline.networks.reading import WHO, Noun, Reading, unexplained

POINTS, FEWEST = (re.compile(TABLES[name], re.IGNORECASE) for name in ("points", "fewest"))


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
        one = held[1].label
        base = replace(base, type=held[0], told=held[0], wanted=how, property=held[1].name, label=one)
        return started(base, reading, noun if held[0] == noun.type else Noun(held[0]))
    found = started(base, reading, noun)
    is_sure = found is not None and found.where and (noun.is_named or reading.mentions) and not is_far(reading, found)
    if found is None or (not is_sure and unexplained(reading, noun, found.where)):
        return None
    path, label = ("", "") if counts else label_of_each(reading, noun, found.where)
    return replace(found, property=path, label=label)


def is_far(reading: Reading, query: Query) -> bool:
    """Return True if more than one relation leads to a named instance: a word that nothing explains means another."""
    names = {one.name for mention in reading.mentions for one in reading.known(mention)}
    return any("." in one.path and one.text in names for one in query.where)


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
        label = held[1].label
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
