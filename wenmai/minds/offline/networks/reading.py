"""A question to one network as far as its schema goes: the terms, instances and conditions that it names."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from tools.language import is_chinese
from tools.networks.labels import blank, in_labels, label_of
from tools.networks.lexicon import Known, Lexicon
from tools.networks.query.filters import Where, counted_of, days_of, filters_of, is_flag, numbers_of, property_name
from tools.networks.query.paths import nearest
from tools.networks.records import NetworkSchema, ObjectType, Property
from tools.networks.words import Term, relation_of, terms_in
from tools.story.linking import Mention
from tools.tables.spoken import EQUAL, NOT, OF_ADJECTIVE, Limit, date_in, limits_in, negations_in
from wenmai.minds.offline.networks.asking import ASKED, TABLES, asks_for
from wenmai.minds.offline.networks.focus import meant
from wenmai.minds.offline.networks.ranking import LISTING
from wenmai.minds.offline.questions.words import content_words

WHO = re.compile(r"谁|\bwho(?:se|m)?\b", re.IGNORECASE)
NOUN_BEFORE, NOUN_BEHIND = re.compile(r"(?:['’]s|的|\bthe)\s*$", re.IGNORECASE), re.compile(r"\s*of\b", re.IGNORECASE)
AGENT = re.compile(r"(?:\bby|[由归被受])\s*$", re.IGNORECASE)
GENERIC = re.compile(TABLES["generic"], re.IGNORECASE)
NAMED = 2.0  # what a label is worth that a question names


@dataclass(frozen=True, slots=True)
class Noun:
    """A type that a question may be about, where it says so, and the conditions that lie in the very noun.

    `is_named` is False where only a value, a label or a relation tells the type, `is_asked` that this one is asked for.
    """

    type: ObjectType
    start: int = 0
    end: int = 0
    where: tuple[Where, ...] = ()
    is_named: bool = False
    is_asked: bool = False


@dataclass(frozen=True, slots=True)
class Reading:
    """A question with its names blanked, and what it names of the schema."""

    plain: str
    schema: NetworkSchema
    lexicon: Lexicon
    mentions: Sequence[Mention]
    terms: list[Term] = field(init=False)

    def __post_init__(self) -> None:
        """Find the terms; the type beside its own instance, customer Iris Imports, says nothing more."""
        found = terms_in(self.plain, self.schema)
        beside = {
            (term.start, term.end)
            for term in found
            for mention in self.mentions
            if term.kind == "type" and term.id in {one.type.id for one in self.known(mention)}
            if not self.plain[min(term.end, mention.end) : max(term.start, mention.start)].strip()
        }
        object.__setattr__(self, "terms", [one for one in found if (one.start, one.end) not in beside])

    def known(self, mention: Mention) -> list[Known]:
        """Return what a name may mean in the network."""
        return [one for one in meant(mention, self.lexicon) if one.network_id == self.schema.id]

    def members(self, type: ObjectType) -> tuple[Known, ...]:
        """Return the instances of a type."""
        return self.lexicon.members.get((self.schema.id, type.id), ())

    def rest(self, noun: Noun) -> str:
        """Return the question without its noun, in the network's labels."""
        return in_labels(f"{self.plain[: noun.start]} {self.plain[noun.end :]}", self.lexicon)

    def names(self, relation_id: str) -> bool:
        """Return True if the question names a relation."""
        return any(one.kind == "relation" and one.id == relation_id for one in self.terms)

    def path(self, source: ObjectType, target: ObjectType) -> str:
        """Return the path between two types, along relations that the question names where there are several."""
        named = [one.id for one in self.terms if one.kind == "relation"]
        return nearest(self.schema, source.id, target.id, named)

    def within(self, *spans: tuple[int, int]) -> "Reading":
        """Return the reading of these parts of the question alone, at their places."""
        kept = [any(start <= at < end for start, end in spans) for at in range(len(self.plain))]
        text = "".join(char if is_kept else " " for char, is_kept in zip(self.plain, kept, strict=True))
        return Reading(text, self.schema, self.lexicon, [one for one in self.mentions if kept[one.start]])

    def types_named(self, noun: Noun) -> list[ObjectType]:
        """Return the types that the question names but for that of its noun."""
        ids = {one.id for one in self.terms if one.kind == "type"} - {noun.type.id}
        return [one for one in self.schema.object_types if one.id in ids]

    def is_flag(self, term: Term) -> bool:
        """Return True if a term names a property that only says yes or no."""
        type = self.schema.object_type(term.type_id)
        prop = type.property(term.id) if type and term.kind == "property" else None
        return type is not None and prop is not None and is_flag(self.members(type), label_of(prop))

    def measure(self, rest: str) -> tuple[ObjectType, Property] | None:
        """Return the number that the question asks for, with its type: one that it names, else by the usual words."""
        named = {(term.type_id, term.id) for term in self.terms if term.kind == "property"}
        types = {term.id for term in self.terms if term.kind == "type"}
        ranked = [
            (NAMED if (type.id, one.name) in named else asks_for(rest, label_of(one)), type.id in types, type, one)
            for type in self.schema.object_types
            for one in numbers_of(type, self.schema)
        ]
        best = max(ranked, key=lambda row: row[:2], default=None)
        return best[2:] if best and best[0] >= ASKED else None


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
    labels = [one for one in map(label_of, counted_of(type, reading.schema, held)) if not is_flag(held, one)]
    places = [
        (abs(found.start() - limit.start), label) for label in labels for found in re.finditer(re.escape(label), rest)
    ]
    asked = [one for label in labels if (one := (asks_for(rest.replace(limit.text, " "), label), label))[0] >= ASKED]
    if not places and not asked:
        return None
    label = min(places)[1] if places else max(asked)[1]
    return Where(property_name(type, label), limit.operation, limit.value, label, limit.text)


def flags(reading: Reading, type: ObjectType) -> Iterator[Where]:
    """Give the conditions of properties that are named with a value, or as an adjective: discontinued = 1, 停产的."""
    for term in reading.terms:
        prop = type.property(term.id) if (term.kind, term.type_id) == ("property", type.id) else None
        explicit = EQUAL.match(reading.plain, term.end)
        if prop and explicit:
            yield Where(prop.name, "==", explicit["value"], label_of(prop), explicit["value"])
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


def asks_sources(plain: str, term: Term, mention: Mention) -> bool:
    """Return True if the instances are asked that a relation of a type with itself leads from: who reports to X.

    As a noun, X's superior, a name asks for what the relation leads to; a verb asks for its other side.
    """
    if NOUN_BEFORE.search(plain[: term.start]) or NOUN_BEHIND.match(plain, term.end):
        return term.is_back
    before = plain[: mention.start]
    first = mention.start < term.start and not (is_chinese(plain) and (LISTING.search(before) or WHO.search(before)))
    return term.is_back == (first or AGENT.search(before) is not None)


def unexplained(reading: Reading, noun: Noun, where: Sequence[Where]) -> list[str]:
    """Return the words of a question that neither the schema nor a condition explains: red drugs."""
    spans = [(one.start, one.end) for one in reading.terms] + [(noun.start, noun.end)]
    text = GENERIC.sub(" ", blank(reading.plain, spans))
    for known in (reading.schema.name, *(part for one in where for part in (one.text, one.value))):
        text = re.sub(f"{re.escape(known)}(?:e?s\\b)?", " ", text, flags=re.IGNORECASE) if known else text
    return [word for word in content_words(text) if not (len(word) > 1 and word in reading.schema.name)]
