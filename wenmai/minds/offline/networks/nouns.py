"""The types that a question may be about, whether it names them or not."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from tools.networks.figures import ways_from
from tools.networks.records import ObjectType
from tools.networks.words import filters_of, of_noun
from tools.tables.spoken import negations_in
from wenmai.minds.offline.networks.amounts import SUPERLATIVE, by_degree, how_much, most_counted
from wenmai.minds.offline.networks.asking import ASKED, TABLES, asks_for, is_person
from wenmai.minds.offline.networks.conditions import flags
from wenmai.minds.offline.networks.reading import WHO, Noun, Reading, asks_sources

NOUN_ASKED = re.compile(TABLES["noun_asked"])
ASKING_NOUN = re.compile(rf"(?:{TABLES['asking_noun']})\s*$", re.IGNORECASE)


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
    said = [one for one in kinds if next(flags(reading, one), None)]
    if len(said) == 1:
        return said
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
