"""What a question asks of a network beyond one label of one instance, by the network's own names.

A walk over several steps, all instances of a type under conditions, two instances compared, two connected.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from itertools import islice, product
from typing import Any

from tools.language import is_chinese
from tools.networks.figures import BACK, Wanted, Way, interval_of, keys_of, ways_from
from tools.networks.lexicon import ALIASES, KnownInstance, Lexicon, TypeKey
from tools.networks.records import Direction, NetworkSchema, ObjectType, Property
from tools.networks.words import (
    MEASURES,
    Term,
    Where,
    blank,
    blanked,
    filters_of,
    identified,
    in_labels,
    is_ambiguous,
    label_of_term,
    numbers_of,
    property_name,
    relation_of,
    terms_in,
)
from tools.tables.rows import is_counted, limits_in, negations_in
from wenmai.minds.offline.networks.asking import (
    ASKED,
    CONNECTION,
    LISTING,
    TABLES,
    TOLD,
    asks_for,
    instances_meant,
    is_person,
)
from wenmai.minds.offline.networks.naming import POINTS, in_full, means_several, types_in_full
from wenmai.minds.offline.networks.reading import (
    ASKING_NOUN,
    COUNTING,
    EACH,
    SUPERLATIVE,
    VALUE_ASKED,
    WHO,
    Degree,
    Noun,
    QuestionReading,
    beside_own,
    by_degree,
    conditions,
    degree_of,
    how_much,
    is_figure,
    led_to,
    most_counted,
    nouns,
    unexplained,
)

FEWEST = re.compile(TABLES["fewest"], re.IGNORECASE)
COUNTED = re.compile(r"最[多少]|\b(?:most|fewest|least)\b", re.IGNORECASE)
MOST_GROUPS = 50
MULTIPLES = {"万": 1e4, "百万": 1e6, "千万": 1e7, "亿": 1e8, "thousand": 1e3, "million": 1e6, "billion": 1e9}
MANY = re.compile(
    r"(?<![\w.])(?P<number>\d+(?:\.\d+)?)\s*(?P<unit>[百千]?万|亿|(?:thousand|million|billion)\b)", re.IGNORECASE
)
APPOSITION = re.compile(rf"\s*[这那该]一?[{MEASURES}](?=[\u4e00-\u9fffA-Za-z])")


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
        at: the time of which rows are asked; `said` how the question says it, or what it names of them or of groups.
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
    start: KnownInstance | None = None
    role: str = ""
    counts: bool = False
    named: bool = True
    asked: bool = False
    network: str = ""
    others: tuple["Query", ...] = ()
    at: str = ""
    said: str = ""

    def arguments(self) -> dict[str, Any]:
        order = "" if self.degree is None else "desc" if self.degree.upper else "asc"
        told = {"property": self.property, "group_by": self.group, "order": order, "at": self.at}
        return {
            "object_type_id": self.type.id,
            "filters": [one.condition for one in self.where],
            "aggregate": self.wanted,
            **{name: value for name, value in told.items() if value},
            **({"limit": MOST_GROUPS} if self.group and not self.degree else {}),
        }


def query_of(question: str, lexicon: Lexicon) -> Query | None:
    """Return what a question asks of the instances of a type, of each network; None where it asks nothing of the kind.

    Where the question names the type of one network, it is not asked of others whose types it does not name.
    """
    limits = limits_in(question)
    mentions = [
        one for one in lexicon.named_in(question) if not any(limit.start <= one.start < limit.end for limit in limits)
    ]
    plain = blanked(question, mentions)
    if POINTS.search(plain) or not (is_figure(plain) or LISTING.search(plain) or WHO.search(plain)):
        return None
    readings = [QuestionReading(plain, schema, lexicon, mentions) for schema in lexicon.schemas.values()]
    found = list[Query]()
    for reading in readings:  # one network each
        if all(map(reading.known, reading.mentions)):
            queries = (asked_of_noun(reading, noun) for noun in nouns(reading))
            query = of_groups(reading) or next((one for one in queries if one is not None), None)
            found += [replace(query, network=reading.schema.name or reading.schema.id)] if query else []
    asked = [one for one in found if one.named] or found
    return replace(asked[0], others=tuple(asked[1:])) if asked else None


def asked_of_noun(reading: QuestionReading, noun: Noun) -> Query | None:
    """Return what is asked of a type; None where something that the question says does not fit it."""
    plain, rest, how = reading.plain, reading.rest(noun), how_much(reading)
    key = (reading.schema.id, noun.type.id)
    counts = COUNTING.search(plain) is not None and VALUE_ASKED.search(plain) is None
    base = Query(key, noun.type, noun.type, named=noun.is_named, asked=noun.is_asked, counts=counts)
    held = reading.measure(rest) or (only_number(reading, noun) if how != "list" and not counts else None)
    if SUPERLATIVE.search(plain):
        return foremost(reading, noun, base, held, how)
    if held and held[1].is_numbering and how == "sum":  # how many versions asks for a number of rows
        how, base = "list", replace(base, counts=True)
    if how == "average" and not held:
        return None  # of what is not known: a list is no mean
    if how != "list" and held:
        one = held[1].label
        base = replace(base, type=held[0], told=held[0], wanted=how, property=held[1].name, label=one)
        return started(base, reading, noun if held[0] == noun.type else Noun(held[0]))
    found = started(base, reading, noun)
    if found is None:
        return None
    # A word that nothing explains means another one if more than one relation leads to a named instance.
    names = {one.name for mention in reading.mentions for one in reading.known(mention)}
    is_far = any("." in one.path and one.text in names for one in found.where)
    is_sure = bool(found.where) and bool(noun.is_named or reading.mentions) and not is_far
    if not is_sure and unexplained(reading, noun, found.where):
        return None
    path, label = ("", "") if counts else label_of_each(reading, noun, found.where)
    return replace(found, property=path, label=label)


def foremost(reading: QuestionReading, noun: Noun, base: Query, held: Any, how: Wanted) -> Query | None:
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
    if not COUNTED.search(plain):  # the widest port: of a scale that the network lacks nothing else is told
        return None
    ends = [way.end for way in ways_from(noun.type.id, reading.schema) if reading.names(way.relation.id)]
    unit = next((one for one in reading.schema.object_types if one.id in ends and one != noun.type), None)
    return grouped(reading, replace(base, type=unit, wanted="count"), Degree(unit.name, word, upper)) if unit else None


def only_number(reading: QuestionReading, noun: Noun) -> tuple[ObjectType, Property] | None:
    """Return the number that is meant where a sum of things is asked for and they have one alone."""
    held = numbers_of(noun.type, reading.schema) if noun.is_named else []
    return (noun.type, held[0]) if len(held) == 1 else None


def of_groups(reading: QuestionReading) -> Query | None:
    """Return the query for a figure of each group, customers per country, or for the group that has most of them.

    A group is what one value of a property has, or one instance of a type.
    """
    plain = reading.plain
    most = most_counted(reading) if SUPERLATIVE.search(plain) else None
    before = ASKING_NOUN if most else EACH
    named = [one for one in reading.terms if before.search(plain[: one.start]) and one.kind != "relation"]
    named = [one for one in named if one.kind == "property"] if most else named
    if not named or (SUPERLATIVE.search(plain) and not most):
        return None
    places = [(one.start, one.end) for one in named if one.start == named[0].start]
    held = reading.measure(blank(plain, places)) if how_much(reading) != "list" else None
    wanted: Wanted = how_much(reading) if held else "count"
    counted = [one for one in reading.terms if one.kind == "type" and (one.start, one.end) not in places]
    units = [most] if most else [held[0]] if held else [reading.schema.object_type(one.id) for one in counted]
    for unit in units:
        ways = [(path_to(reading, unit, one), one) for one in named if one.start == named[0].start] if unit else []
        way, term = min(
            (pair for pair in ways if pair[0]), key=lambda pair: len(pair[0].split(".")), default=("", None)
        )
        if unit is None or term is None:
            continue
        skip = term.id if term.kind == "type" else ""
        where = conditions(reading.within((0, places[0][0]), (places[0][1], len(plain))), Noun(unit), skip)
        if where is None:
            return None
        word = SUPERLATIVE.search(plain)
        degree = Degree(unit.name, word[0], FEWEST.search(plain) is None) if most and word else None
        base = Query((reading.schema.id, unit.id), unit, unit, where, wanted, group=way, degree=degree)
        base = replace(base, said=plain[places[0][0] : places[0][1]])
        return replace(base, property=held[1].name, label=held[1].label) if held else base
    return None


def path_to(reading: QuestionReading, unit: ObjectType, term: Term) -> str:
    """Return the path from a type to what a term names: its own property first, else that of the nearest type."""
    if term.kind == "type":
        return reading.path(unit, owner) if (owner := reading.schema.object_type(term.id)) and owner != unit else ""
    if term.type_id == unit.id:
        return term.id
    owner = reading.schema.object_type(term.type_id)
    way = reading.path(unit, owner) if owner else ""
    return f"{way}.{term.id}" if way else ""


def started(query: Query, reading: QuestionReading, noun: Noun) -> Query | None:
    """Return a query under the conditions of a question; one instance and nothing else is its start."""
    where = conditions(reading, noun)
    if where is None or not len(reading.mentions) == len(where) == 1 or where[0].is_denial:
        return None if where is None else replace(query, where=where)
    one = reading.known(reading.mentions[0])[0]
    out = {way.relation.id: way.relation.name for way in ways_from(one.type.id, reading.schema) if way.is_outgoing}
    way = where[0].path if query.told.id != one.type.id else where[0].path.partition(BACK)[2]
    return replace(query, where=where, start=one, role=out.get(way, query.told.name))


def grouped(reading: QuestionReading, query: Query, degree: Degree) -> Query | None:
    """Return the query for which instance has most of another type, or the greatest figure of it."""
    way, where = reading.path(query.type, query.told), conditions(reading, Noun(query.type), skip=query.told.id)
    return replace(query, where=where, group=way, degree=degree) if way and where is not None else None


def label_of_each(reading: QuestionReading, noun: Noun, where: Sequence[Where]) -> tuple[str, str]:
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


MOST_STEPS = 4
LAST = 1.2  # how much the rest of a question must ask for a property at the end of a walk
OUTGOING: Direction = "outgoing"
INCOMING: Direction = "incoming"


@dataclass(frozen=True, slots=True)
class WalkStep:
    """One step: along a relation, or to a property where `direction` is None; `said` is how an answer calls its end."""

    label: str
    said: str
    direction: Direction | None
    leads_to: ObjectType


def steps_of(
    before: str, behind: str, type: ObjectType, schema: NetworkSchema, *, english: bool
) -> tuple[WalkStep, ...]:
    """Return the steps that a question takes from an instance; () where it asks for one label of the instance itself.

    What stands before the name is read in English too: the birthplace of the captain of ….
    """
    steps = list(forward(behind, type, schema))
    if english and not (steps and steps[-1].direction is None):
        steps += backward(before, behind, steps[-1].leads_to if steps else type, schema)
    return tuple(steps) if len(steps) > 1 else ()


def forward(text: str, type: ObjectType, schema: NetworkSchema) -> Iterator[WalkStep]:
    """Give the steps that a text names one behind the other, the longest of those that begin there; a property last."""
    taken = ""
    for _ in range(MOST_STEPS):
        named = [*relations_named(text, type, schema), *neighbours_named(text, type, schema)]
        found = min(named, key=lambda one: (one[0], one[0] - one[1]), default=None)
        if found is None or found[2].label == taken:  # 哪条船的船长 goes back where it came from
            break
        _, end, step = found
        yield step
        text, type, taken = text[end:], step.leads_to, step.label
    if (last := last_step(text, type, schema)) is not None:
        yield last


def backward(text: str, behind: str, type: ObjectType, schema: NetworkSchema) -> Iterator[WalkStep]:
    """Give the steps that an English text names before the instance, the nearest first: birthplace of the captain of.

    What is asked of the last may stand behind the name: where was the captain of … born.
    """
    for _ in range(MOST_STEPS):
        named = list(relations_named(text, type, schema))
        if not named:
            break
        start, _, step = max(named, key=lambda one: (one[1], one[1] - one[0]))
        yield step
        text, type = text[:start], step.leads_to
    if (last := last_step(f"{text} {behind}", type, schema)) is not None:
        yield last


def relations_named(text: str, type: ObjectType, schema: NetworkSchema) -> Iterator[tuple[int, int, WalkStep]]:
    """Give where a text names a relation that leads out of a type."""
    for term in terms_in(text, schema):
        if term.kind == "relation" and term.type_id == type.id:
            relation = relation_of(schema, term.id)
            if other := schema.object_type(relation.target_object_type_id):
                yield term.start, term.end, WalkStep(relation.name, relation.name, OUTGOING, other)


def neighbours_named(text: str, type: ObjectType, schema: NetworkSchema) -> Iterator[tuple[int, int, WalkStep]]:
    """Give where a text names the type of what leads to a type: 船 behind a house that ships belong to."""
    types = [term for term in terms_in(text, schema) if term.kind == "type"]
    ends = [{one.source_object_type_id, one.target_object_type_id} for one in schema.relation_types]
    for relation in schema.relation_types:
        # The only one between its ends: else a type does not tell which one is meant.
        is_only = ends.count({relation.source_object_type_id, relation.target_object_type_id}) == 1
        if relation.target_object_type_id == type.id and not relation.reflexive and is_only:
            for term in types:
                other = schema.object_type(relation.source_object_type_id)
                if other and term.id == other.id:
                    yield term.start, term.end, WalkStep(relation.name, other.name, INCOMING, other)


def last_step(text: str, type: ObjectType, schema: NetworkSchema) -> WalkStep | None:
    """Return the property that the rest of a question asks for; a name and a text on the whole are none."""
    hidden = (*keys_of(type, schema), type.display_key)
    labels = [one.label for one in type.properties if one.name not in hidden]
    asked = [
        (asks_for(text, one), one) for one in labels if one in text or not (TOLD.search(one) or ALIASES.search(one))
    ]
    worth, label = max(asked, default=(0.0, ""))
    return WalkStep(label, label, None, type) if worth >= LAST else None


NOW = re.compile(
    r"现在|目前|如今|现任|当前|今天|\b(?:now|today|currently|current|at present|nowadays)\b", re.IGNORECASE
)
ASKS_WHEN = re.compile(r"什么时候|何时|几时|哪一?[年天]|哪段时间|\bwhen\b|\bhow long\b", re.IGNORECASE)
ASKS_PERIOD = re.compile(
    r"从(?:什么时候|何时|哪一?年)到|任期|多长时间|多久|\b(?:from|since|until|till) when\b|\bhow long\b|\bwhich years\b",
    re.IGNORECASE,
)
DECADE = re.compile(r"(?P<year>(?:1[5-9]|20)\d0)(?:['’]?s\b|\s*年代)", re.IGNORECASE)
YEARS = re.compile(
    r"(?:\bbetween|\bfrom|从)?\s*(?P<first>(?:1[5-9]|20)\d\d)\s*年?\s*(?:and|to|和|到|至|-|~|–)\s*(?P<last>(?:1[5-9]|20)\d\d)"
    r"\s*(?:年之?间?|之间)?",
    re.IGNORECASE,
)
UNENDED = "9999-12-31"


@dataclass(frozen=True, slots=True)
class NamedTime:
    """A time that a question names: its place, and how the tool is told of it."""

    start: int
    end: int
    at: str


def time_in(plain: str, today: date | None) -> NamedTime | None:
    """Return the time that a question, its names blanked, asks about: a year, month, day, span, or the present."""
    if found := YEARS.search(plain):
        return NamedTime(*found.span(), f"{found['first']}/{found['last']}")
    if found := DECADE.search(plain):
        return NamedTime(*found.span(), f"{found['year']}/{int(found['year']) + 9}")
    if found := NOW.search(plain):
        return NamedTime(*found.span(), today.isoformat() if today else UNENDED)
    from tools.text.dates import named_days  # its patterns cost a start 25 ms

    limits = limits_in(plain)
    for one in named_days(plain, today) if today else ():
        if one.days.year and not any(limit.start < one.end and one.start < limit.end for limit in limits):
            return NamedTime(one.start, one.end, str(one.days))
    return None


def row_query(question: str, lexicon: Lexicon, today: date | None) -> Query | None:
    """Return what is asked of rows that join others: of those of a time, or of what two named instances have together.

    Who kept it in 1950, from when to when did she, which role does he play in it.
    """
    mentions = lexicon.named_in(question)
    plain = blanked(question, mentions)
    time, asks_when = time_in(plain, today), ASKS_WHEN.search(plain) is not None
    for schema in lexicon.schemas.values():
        reading = QuestionReading(plain, schema, lexicon, mentions)
        if not all(map(reading.known, mentions)):
            continue
        for type in schema.object_types:
            ends = {way.end: way for way in ways_from(type.id, schema) if way.is_outgoing}
            named = [next((one for one in reading.known(mention) if one.type.id in ends), None) for mention in mentions]
            if len(ends) < PAIR or type.display_key or None in named:
                continue
            known = [one for one in named if one]
            if len({one.type.id for one in known}) < len(known):
                continue
            where = tuple(Where(ends[one.type.id].text, "==", one.name, one.type.name, one.name) for one in known)
            found = of_time(reading, type, ends, where, time) if time else None
            if found is None and len(known) == 1 and ASKS_PERIOD.search(plain):
                found = of_periods(reading, type, ends, where)
            found = found or (of_pair(reading, type, where, asks_when=asks_when) if len(known) == PAIR else None)
            if found:
                return replace(found, network=schema.name or schema.id)
    return None


def of_time(
    reading: QuestionReading, type: ObjectType, ends: Mapping[str, Way], where: tuple[Where, ...], time: NamedTime
) -> Query | None:
    """Return the query for who or what stood in rows at a time; None of rows that hold at no time of their own."""
    own = {one.type.id for mention in reading.mentions for one in reading.known(mention)}
    others = [reading.schema.object_type(id) for id in ends if id not in own]
    free = [one for one in others if one]
    terms = {one.id for one in reading.terms if one.kind == "type"}
    asked = [one for one in free if one.id in terms]
    if not asked and where and (WHO.search(reading.plain) or any(led_to(reading, own))):
        people = [one for one in free if reading.members(one) and is_person(reading.members(one)[0].labels)]
        asked = free if len(free) == 1 else people
    if interval_of(type) is None or len(asked) != 1:
        return None
    [told] = asked
    rest = blank(reading.plain, [(time.start, time.end)])
    own_values = () if told.id in own else filters_of(rest, reading.members(told))
    way = ends[told.id].text
    query = Query((reading.schema.id, type.id), type, told, (*where, *(one.along(way) for one in own_values)))
    words = reading.plain[time.start : time.end].strip()
    return replace(query, property=way, label=told.name, at=time.at, said=words, asked=True)


def of_periods(
    reading: QuestionReading, type: ObjectType, ends: Mapping[str, Way], where: tuple[Where, ...]
) -> Query | None:
    """Return the query for the rows of one instance with the time of each: from when to when."""
    own = {one.type.id for mention in reading.mentions for one in reading.known(mention)}
    others = [one for id in ends if id not in own and (one := reading.schema.object_type(id))]
    if interval_of(type) is None or len(others) != 1:
        return None
    query = Query((reading.schema.id, type.id), type, others[0], where, property=ends[others[0].id].text)
    return replace(query, label=others[0].name, said=where[0].text, asked=True)


def of_pair(reading: QuestionReading, type: ObjectType, where: tuple[Where, ...], *, asks_when: bool) -> Query | None:
    """Return the query for what the rows of two named instances have under the label that is asked for."""
    hidden = keys_of(type, reading.schema)
    period = interval_of(type)
    named = {one.id for one in reading.terms if (one.kind, one.type_id) == ("property", type.id)}
    own = [one for one in type.properties if one.name not in hidden]
    ranked = [((one.name in named) + asks_for(reading.plain, one.label), one) for one in own]
    worth, best = max(ranked, key=lambda row: row[0], default=(0.0, None))
    if asks_when and period:
        best, worth = period[0], ASKED
    if best is None or worth < ASKED:
        return None
    query = Query((reading.schema.id, type.id), type, type, where)
    return replace(query, property=best.name, label=best.label, said=" / ".join(one.text for one in where), asked=True)


COMPARING = re.compile(TABLES["comparing"], re.IGNORECASE)
PAIR = 2
MOST_READINGS = 64


@dataclass(frozen=True, slots=True)
class Walk:
    """From an instance along relations, perhaps to a property at the end: 云雀号的船长的籍贯."""

    start: KnownInstance
    steps: tuple[WalkStep, ...]


@dataclass(frozen=True, slots=True)
class Comparison:
    """Several instances by one label."""

    members: tuple[KnownInstance, ...]
    degree: Degree


@dataclass(frozen=True, slots=True)
class InstanceConnection:
    """What two instances have to do with each other."""

    one: KnownInstance
    other: KnownInstance

    @property
    def is_of_one_network(self) -> bool:
        return self.one.network_id == self.other.network_id


Shape = Walk | Query | Comparison | InstanceConnection


def asked_of(question: str, lexicon: Lexicon, today: date | None = None) -> tuple[str, Shape | None]:
    """Return a question in the network's own labels, and what it asks; None for one label of one instance."""
    question = without_apposition(in_digits(question), lexicon)
    said = identified(types_in_full(question, lexicon), lexicon, bare=True)[0]
    question, _ = in_full(said, lexicon)
    mentions = lexicon.named_in(question)
    english = not is_chinese(blanked(question, mentions))
    text = in_labels(question, lexicon)
    shape = row_query(question, lexicon, today) or shape_of(question, text, lexicon, english=english)
    if isinstance(shape, Query) and len(shape.where) > 1 and means_several(said, lexicon):
        shape = None  # what each of them has is asked for, not what has all of them
    # Without the types beside their instances, which are no labels: the owner of project Delta.
    mentions = lexicon.named_in(text)
    plain = blanked(text, mentions)
    spans = [
        span
        for schema in lexicon.schemas.values()
        for mention in mentions
        for span in beside_own(plain, terms_in(plain, schema), mention, instances_meant(mention, lexicon))
    ]
    return blank(text, spans), shape


def in_digits(question: str) -> str:
    """Return a question with 2000 万 and 3 million in digits alone."""
    return MANY.sub(lambda found: f"{float(found['number']) * MULTIPLES[found['unit'].lower()]:.0f}", question)


def without_apposition(question: str, lexicon: Lexicon) -> str:
    """Return a question without what joins a name with its type: Rock 这个流派 points back to nothing."""
    for mention in reversed(lexicon.named_in(question)):
        if found := APPOSITION.match(question, mention.end):
            question = f"{question[: found.start()]} {question[found.end() :]}"
    return question


def shape_of(question: str, text: str, lexicon: Lexicon, *, english: bool) -> Shape | None:
    """Return what a question asks; None for one label of one instance, and for what is none of these."""
    mentions = lexicon.named_in(text)
    plain = blanked(text, mentions)
    meanings = [owners for mention in mentions if (owners := instances_meant(mention, lexicon))]
    found: Shape | None = None
    if len(meanings) >= PAIR:
        # What the names may mean together: those of one network first, and of one type.
        chosen = sorted(
            islice(product(*meanings), MOST_READINGS),
            key=lambda named: (len({one.network_id for one in named}), len({one.type.id for one in named})),
        )
        is_pair = len(meanings) == PAIR and CONNECTION.search(plain)
        shapes = (InstanceConnection(*named) if is_pair else comparison(plain, named) for named in chosen)
        found = next((one for one in shapes if one), None)
    elif len(meanings) == 1 and not is_figure(plain) and not negations_in(plain):
        sides = plain[: mentions[0].start], plain[mentions[0].end :]
        for start in instances_meant(mentions[0], lexicon):  # it goes on from what stands beside an instance
            schema = lexicon.schemas.get(start.network_id)
            if schema and (steps := steps_of(*sides, start.type, schema, english=english)):
                found = Walk(start, steps)
                break
    if isinstance(found, Walk) and (query := query_of(question, lexicon)) and query.asked:
        return (
            found if found.steps[-1].leads_to == query.told and not query.counts else query
        )  # it stops before what is asked for
    return found or query_of(question, lexicon)


def comparison(plain: str, named: Sequence[KnownInstance]) -> Comparison | None:
    """Read a question that compares instances by a label which all of them hold."""
    if not COMPARING.search(plain):
        return None
    shared = [label for label in named[0].values if all(is_counted(one.values.get(label, ())) for one in named)]
    degree = degree_of(plain, shared)
    return Comparison(tuple(named), degree) if degree else None
