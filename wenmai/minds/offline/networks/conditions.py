"""Which types a question may be about, the conditions that it sets for their instances, and those that it denies."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from tools.networks.figures import ways_from
from tools.networks.lexicon import Known
from tools.networks.records import ObjectType
from tools.networks.words import (
    Where,
    counted_of,
    days_of,
    filters_of,
    is_flag,
    of_noun,
    property_name,
    relation_of,
)
from tools.story.names import Mention
from tools.tables.rows import EQUAL, NOT, OF_ADJECTIVE, Limit, date_in, limits_in, negations_in
from wenmai.minds.offline.networks.amounts import SUPERLATIVE, by_degree, how_much, most_counted
from wenmai.minds.offline.networks.asking import ASKED, TABLES, asks_for, is_person
from wenmai.minds.offline.networks.reading import WHO, Noun, Reading, asks_sources

DAY = re.compile(r"(?:19|20)\d\d\s*年|\d{4}-\d{2}")
OUT_OF = re.compile(r"\bout of\s+$", re.IGNORECASE)


def conditions(reading: Reading, noun: Noun, skip: str = "") -> tuple[Where, ...] | None:
    """Return the conditions that a question sets for a type; None where one cannot be expressed.

    Args:
        reading: the question.
        noun: the type, with what its noun says.
        skip: a type whose own values are no conditions.
    """
    denials = denied(reading, noun)
    if not denials:
        return stated(reading, noun, skip)
    starts, ends = [start for start, _, _ in denials], [scope for _, _, scope in denials]
    found = stated(reading.within(*zip([0, *ends], [*starts, len(reading.plain)], strict=True)), noun, skip)
    opposites = [opposite(reading.within((end, scope)), noun) for _, end, scope in denials]
    told = [one for one in opposites if one]
    return (*found, *told) if found is not None and len(told) == len(opposites) else None


def denied(reading: Reading, noun: Noun) -> list[tuple[int, int, int]]:
    """Return where a question denies something, and from where to where it says what; a flag is denied by its value."""
    flags = {(one.start, one.type_id) for one in reading.terms if reading.is_flag(one)}
    texts = [one.text for one in stated(reading, noun) or () if one.text]
    values = [found.span() for text in texts for found in re.finditer(re.escape(text), reading.plain)]
    return [
        (start, end, scope)
        for start, end, scope in negations_in(reading.plain)
        if not any(first <= start < last for first, last in values)
        if not any(at == end and (id == noun.type.id or OF_ADJECTIVE.match(reading.plain, start)) for at, id in flags)
    ]


def opposite(reading: Reading, noun: Noun) -> Where | None:
    """Return the condition that what a text says does not hold; None where it says more, or less, than one thing."""
    found, types = stated(reading, replace(noun, where=())), reading.types_named(noun)
    ways = [reading.path(noun.type, one) for one in types]
    if found is None or len(found) > 1 or not all(ways):
        return None
    if found:
        return found[0].denied() if all(found[0].path.startswith(way) for way in ways) else None
    own = [prop for one in reading.terms if one.kind == "property" and (prop := noun.type.property(one.id))]
    named = [Where(way, "lacks", "", one.name, "") for way, one in zip(ways, types, strict=True)]
    named += [Where(one.name, "lacks", "", one.label, "") for one in own]
    if not named:
        own_type = (one for one in reading.terms if one.type_id == noun.type.id and not one.is_back)
        ids = dict.fromkeys(one.id for one in own_type if one.kind == "relation")  # named by what they lead to
        named = [Where(id, "lacks", "", relation_of(reading.schema, id).name, "") for id in ids]
    return named[0] if len(named) == 1 else None


def stated(reading: Reading, noun: Noun, skip: str = "") -> tuple[Where, ...] | None:
    """Return the conditions of a question that denies nothing; None where one cannot be expressed."""
    rest, found = reading.rest(noun), list(noun.where)
    for mention in reading.mentions:
        one = next(
            (where for one in reading.known(mention) if (where := linked(reading, noun.type, one, mention))), None
        )
        if one is None:
            return None
        found.append(one)
    for limit in limits_in(rest):
        if (one := limited(reading, noun.type, rest, limit)) is None:
            return None  # of what number is not known: without the limit the answer would be another one
        found.append(one)
    found += () if noun.where else filters_of(rest, reading.members(noun.type))
    named = {one.id for one in reading.terms if one.kind == "type"}
    for type in reading.schema.object_types:
        way = reading.path(noun.type, type) if type.id != noun.type.id else ""
        if type.id == noun.type.id or (way and type.id in named):
            said = [one.along(way) for one in flags(reading, type)]
            found += [replace(one, label=f"{one.label} {type.name}") for one in said] if way else said
        if way and type.id != skip:
            told = {*(one.text for one in found), *reading.lexicon.labels}  # a label is no value: 导演, who is one
            found += [one.along(way) for one in filters_of(rest, reading.members(type)) if one.text not in told]
    found += in_time(reading, noun.type)
    return tuple(dict.fromkeys(found))


def limited(reading: Reading, type: ObjectType, rest: str, limit: Limit) -> Where | None:
    """Return the condition of a limit: on the number of a type that is named nearest to it, else that is asked for."""
    held = reading.members(type)
    labels = [one.label for one in counted_of(type, reading.schema, held) if not is_flag(held, one.label)]
    places = [
        (abs(found.start() - limit.start), label) for label in labels for found in re.finditer(re.escape(label), rest)
    ]
    asked = [one for label in labels if (one := (asks_for(rest.replace(limit.text, " "), label), label))[0] >= ASKED]
    if not places and not asked:
        days = days_of(type) if DAY.search(limit.text) else []
        return Where(days[0].name, limit.operation, limit.value, days[0].label, limit.text) if days else None
    label = min(places)[1] if places else max(asked)[1]
    return Where(property_name(type, label), limit.operation, limit.value, label, limit.text)


def flags(reading: Reading, type: ObjectType) -> Iterator[Where]:
    """Give the conditions of properties that are named with a value, or as an adjective: discontinued = 1, 停产的."""
    for term in reading.terms:
        prop = type.property(term.id) if (term.kind, term.type_id) == ("property", type.id) else None
        explicit = EQUAL.match(reading.plain, term.end)
        if prop and explicit:
            yield Where(prop.name, "==", explicit["value"], prop.label, explicit["value"])
        elif prop and OUT_OF.search(reading.plain[: term.start]):
            yield Where(prop.name, "==", "0", prop.label, "0")
        elif prop and reading.is_flag(term):
            wanted = "0" if NOT.search(reading.plain[: term.start]) else "1"
            yield Where(prop.name, "==", wanted, prop.label, "" if wanted == "1" else wanted)


def in_time(reading: Reading, type: ObjectType) -> list[Where]:
    """Return the condition that a day of a type lies in the year, month or day that a question names."""
    date, named = date_in(reading.plain), {term.id for term in reading.terms if term.kind == "property"}
    days = sorted(days_of(type), key=lambda one: one.name not in named) if date else []
    return [Where(one.name, "starts", date, one.label, date) for one in days[:1]]


def linked(reading: Reading, type: ObjectType, one: Known, mention: Mention) -> Where | None:
    """Return the condition that an instance belongs to the instances of a type, by the nearest way."""
    value = one.id if len(reading.lexicon.known(one.name)) > 1 else one.name
    if one.type.id != type.id:
        way = reading.path(type, one.type)
        return Where(way, "==", value, one.type.name, one.name) if way else None
    for term in reading.terms:
        relation = relation_of(reading.schema, term.id) if term.kind == "relation" else None
        if relation and relation.reflexive and relation.source_object_type_id == type.id:
            back = "" if asks_sources(reading.plain, term, mention) else "~"
            return Where(f"{back}{relation.id}", "==", value, relation.name, one.name)
    return None


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
