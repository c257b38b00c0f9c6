"""The conditions that a question sets for the instances of a type, and those that it denies."""

import re
from collections.abc import Iterator
from dataclasses import replace

from tools.networks.lexicon import Known
from tools.networks.records import ObjectType, RelationType
from tools.networks.words import Where, counted_of, days_of, filters_of, is_flag, label_of, property_name, relation_of
from tools.story.linking import Mention
from tools.tables.spoken import EQUAL, NOT, OF_ADJECTIVE, Limit, date_in, limits_in, negations_in
from wenmai.minds.offline.networks.asking import ASKED, asks_for
from wenmai.minds.offline.networks.reading import Noun, Reading, asks_sources

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
    named += [Where(one.name, "lacks", "", label_of(one), "") for one in own]
    if not named:
        named = [Where(one.id, "lacks", "", one.name, "") for one in relations_from(reading, noun.type)]
    return named[0] if len(named) == 1 else None


def relations_from(reading: Reading, type: ObjectType) -> list[RelationType]:
    """Return the relations of a type that a question names by what they lead to."""
    terms = [one for one in reading.terms if one.kind == "relation" and one.type_id == type.id and not one.is_back]
    return [relation_of(reading.schema, id) for id in dict.fromkeys(one.id for one in terms)]


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
    labels = [one for one in map(label_of, counted_of(type, reading.schema, held)) if not is_flag(held, one)]
    places = [
        (abs(found.start() - limit.start), label) for label in labels for found in re.finditer(re.escape(label), rest)
    ]
    asked = [one for label in labels if (one := (asks_for(rest.replace(limit.text, " "), label), label))[0] >= ASKED]
    if not places and not asked:
        days = days_of(type) if DAY.search(limit.text) else []
        return Where(days[0].name, limit.operation, limit.value, label_of(days[0]), limit.text) if days else None
    label = min(places)[1] if places else max(asked)[1]
    return Where(property_name(type, label), limit.operation, limit.value, label, limit.text)


def flags(reading: Reading, type: ObjectType) -> Iterator[Where]:
    """Give the conditions of properties that are named with a value, or as an adjective: discontinued = 1, 停产的."""
    for term in reading.terms:
        prop = type.property(term.id) if (term.kind, term.type_id) == ("property", type.id) else None
        explicit = EQUAL.match(reading.plain, term.end)
        if prop and explicit:
            yield Where(prop.name, "==", explicit["value"], label_of(prop), explicit["value"])
        elif prop and OUT_OF.search(reading.plain[: term.start]):
            yield Where(prop.name, "==", "0", label_of(prop), "0")
        elif prop and reading.is_flag(term):
            wanted = "0" if NOT.search(reading.plain[: term.start]) else "1"
            yield Where(prop.name, "==", wanted, label_of(prop), "" if wanted == "1" else wanted)


def in_time(reading: Reading, type: ObjectType) -> list[Where]:
    """Return the condition that a day of a type lies in the year, month or day that a question names."""
    date, named = date_in(reading.plain), {term.id for term in reading.terms if term.kind == "property"}
    days = sorted(days_of(type), key=lambda one: one.name not in named) if date else []
    return [Where(one.name, "starts", date, label_of(one), date) for one in days[:1]]


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
