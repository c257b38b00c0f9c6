"""A question to one network by its schema: the types that it may be about, conditions, what it wants of numbers."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from tools.language import is_chinese
from tools.networks.figures import Wanted, nearest, ways_from
from tools.networks.lexicon import KnownInstance, Lexicon
from tools.networks.records import NetworkSchema, ObjectType, Property
from tools.networks.words import (
    Term,
    Where,
    blank,
    counted_of,
    days_of,
    filters_of,
    in_labels,
    is_flag,
    numbers_of,
    of_noun,
    property_name,
    relation_of,
    terms_in,
)
from tools.story.names import NameMention
from tools.tables.names import words_listed
from tools.tables.rows import EQUAL, NOT, OF_ADJECTIVE, Limit, by_value, date_in, limits_in, negations_in
from tools.tables.units import UNITS, number_in, unit_of
from wenmai.minds.offline.networks.asking import (
    ASKED,
    LISTING,
    TABLES,
    asks_for,
    instances_meant,
    is_person,
    label_pattern,
)
from wenmai.minds.offline.questions.question import content_words

WHO = re.compile(r"谁|\bwho(?:se|m)?\b", re.IGNORECASE)
NOUN_BEFORE, NOUN_BEHIND = re.compile(r"(?:['’]s|的|\bthe)\s*$", re.IGNORECASE), re.compile(r"\s*of\b", re.IGNORECASE)
AGENT = re.compile(r"(?:\bby|[由归被受])\s*$", re.IGNORECASE)
DOES, FORM = re.compile(r"\b(?:do|does|did)\b", re.IGNORECASE), re.compile(r"(?:e?s|ed|ing)$")
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
class QuestionReading:
    """A question with its names blanked, and what it names of the schema."""

    plain: str
    schema: NetworkSchema
    lexicon: Lexicon
    mentions: Sequence[NameMention]
    terms: list[Term] = field(init=False)

    def __post_init__(self) -> None:
        """Find the terms; the type beside its own instance, customer Iris Imports, says nothing more."""
        found = terms_in(self.plain, self.schema)
        beside = {span for one in self.mentions for span in beside_own(self.plain, found, one, self.known(one))}
        object.__setattr__(self, "terms", [one for one in found if (one.start, one.end) not in beside])

    def known(self, mention: NameMention) -> list[KnownInstance]:
        """Return what a name may mean in the network."""
        return [one for one in instances_meant(mention, self.lexicon) if one.network_id == self.schema.id]

    def members(self, type: ObjectType) -> tuple[KnownInstance, ...]:
        return self.lexicon.members.get((self.schema.id, type.id), ())

    def rest(self, noun: Noun) -> str:
        """Return the question without its noun, in the network's labels."""
        return in_labels(f"{self.plain[: noun.start]} {self.plain[noun.end :]}", self.lexicon)

    def names(self, relation_id: str) -> bool:
        return any(one.kind == "relation" and one.id == relation_id for one in self.terms)

    def path(self, source: ObjectType, target: ObjectType) -> str:
        """Return the path between two types, along relations that the question names where there are several."""
        named = [one.id for one in self.terms if one.kind == "relation"]
        return nearest(self.schema, source.id, target.id, named)

    def within(self, *spans: tuple[int, int]) -> "QuestionReading":
        """Return the reading of these parts of the question alone, at their places."""
        kept = [any(start <= at < end for start, end in spans) for at in range(len(self.plain))]
        text = "".join(char if is_kept else " " for char, is_kept in zip(self.plain, kept, strict=True))
        return QuestionReading(text, self.schema, self.lexicon, [one for one in self.mentions if kept[one.start]])

    def types_named(self, noun: Noun) -> list[ObjectType]:
        ids = {one.id for one in self.terms if one.kind == "type"} - {noun.type.id}
        return [one for one in self.schema.object_types if one.id in ids]

    def is_flag(self, term: Term) -> bool:
        type = self.schema.object_type(term.type_id)
        prop = type.property(term.id) if type and term.kind == "property" else None
        return type is not None and prop is not None and is_flag(self.members(type), prop.label)

    def measure(self, rest: str) -> tuple[ObjectType, Property] | None:
        """Return the number that the question asks for, with its type: one that it names, else by the usual words."""
        named = {(term.type_id, term.id) for term in self.terms if term.kind == "property"}
        types = {term.id for term in self.terms if term.kind == "type"}
        ranked = [
            (max(NAMED * ((type.id, one.name) in named), asks_for(rest, one.label)), type.id in types, type, one)
            for type in self.schema.object_types
            for one in numbers_of(type, self.schema)
        ]
        best = max(ranked, key=lambda row: row[:2], default=None)
        return best[2:] if best and best[0] >= ASKED else None


def beside_own(
    plain: str, terms: Sequence[Term], mention: NameMention, owners: Sequence[KnownInstance]
) -> Iterator[tuple[int, int]]:
    """Give where the type of an instance stands beside its name: customer Iris Imports."""
    types = {one.type.id for one in owners}
    for term in terms:
        between = plain[min(term.end, mention.end) : max(term.start, mention.start)]
        if term.kind == "type" and term.id in types and not between.strip():
            yield term.start, term.end


def asks_sources(plain: str, term: Term, mention: NameMention) -> bool:
    """Return True if the instances are asked that a relation of a type with itself leads from: who reports to X.

    As a noun, X's superior, a name asks for what the relation leads to; a verb asks for its other side.
    """
    if NOUN_BEFORE.search(plain[: term.start]) or NOUN_BEHIND.match(plain, term.end):
        return term.is_back
    before = plain[: mention.start]
    # The name of a role, said as a verb, has the role before it: does X mentor, who mentors X.
    word = plain[term.start : term.end].lower()
    is_verb = FORM.sub("", word) in words_listed("roles") and bool(FORM.search(word) or DOES.search(before))
    is_back = term.is_back or is_verb
    first = mention.start < term.start and not (is_chinese(plain) and (LISTING.search(before) or WHO.search(before)))
    return is_back == (first or AGENT.search(before) is not None)


def unexplained(reading: QuestionReading, noun: Noun, where: Sequence[Where]) -> list[str]:
    """Return the words of a question that neither the schema nor a condition explains: red drugs."""
    spans = [(one.start, one.end) for one in reading.terms] + [(noun.start, noun.end)]
    text = GENERIC.sub(" ", blank(reading.plain, spans))
    for known in (reading.schema.name, *(part for one in where for part in (one.text, one.value))):
        text = re.sub(f"{re.escape(known)}(?:e?s\\b)?", " ", text, flags=re.IGNORECASE) if known else text
    return [word for word in content_words(text) if not (len(word) > 1 and word in reading.schema.name)]


NUMBER = re.compile(r"[\d,]+(?:\.\d+)?")
UNIT = re.compile(r"(?<=[\d\s])[^\d\s]+$")  # at the end of a limit


@dataclass(frozen=True, slots=True)
class DegreeRule:
    """Words of a degree, the labels that they may speak of, and whether they mean the upper end."""

    words: re.Pattern[str]
    labels: re.Pattern[str]
    upper: bool


def degree_rule(text: str) -> DegreeRule:
    words, labels, end = text.split(" | ")
    english = "|".join(word for word in words.split("|") if not is_chinese(word))
    chinese = "|".join(word for word in words.split("|") if is_chinese(word))
    either = "|".join(part for part in (chinese, rf"\b(?:{english})\b" if english else "") if part)
    return DegreeRule(re.compile(either, re.IGNORECASE), re.compile(labels.strip(), re.IGNORECASE), end.strip() == "+")


ROWS = tuple(map(degree_rule, TABLES["degrees"].strip().splitlines()))


@dataclass(frozen=True, slots=True)
class Degree:
    """By which label things are compared, in which word, and whether more of it is meant.

    `rank` is 0 where the question asks for the label, else the place of the row that joins word and label.
    """

    label: str
    word: str
    upper: bool
    rank: int = 0


def degree_of(question: str, labels: Sequence[str]) -> Degree | None:
    """Return what a question, its names blanked, compares by; None where no label fits its word of degree."""
    asked = sorted(labels, key=lambda label: -asks_for(question, label))
    if asked and asks_for(question, asked[0]) >= ASKED:
        rest = question.replace(asked[0], " ")
        fitting = [
            row for row in ROWS if row.labels.search(asked[0])
        ]  # by a row of this label, else by any of the word
        if found := next((row for row in (*fitting, *ROWS) if row.words.search(rest)), None):
            word = found.words.search(rest)
            return Degree(asked[0], word[0] if word else "", found.upper)
    for rank, row in enumerate(ROWS, 1):
        word = row.words.search(question)
        label = next((one for one in labels if row.labels.search(one)), None)
        if word and label:
            return Degree(label, word[0], row.upper, rank)
    return None


def ends(values: Sequence[tuple[str, str]], label: str, *, upper: bool) -> list[str]:
    """Return whose value is at the end of the scale, several where they are equal; [] where their units differ."""
    unit = unit_of(label, [value for _, value in values])
    if len({rest for _, value in values if (rest := NUMBER.sub("", value).strip()).lower() not in UNITS} - {""}) > 1:
        return []
    order = by_value(dict(values), descending=upper, label=label)
    return [name for name, value in order if number_in(value, unit) == number_in(order[0][1], unit)]


COUNTING, SUPERLATIVE, TOTAL, AVERAGE = (
    re.compile(TABLES[name], re.IGNORECASE) for name in ("counting", "superlative", "total", "average")
)
MOST_BEFORE = re.compile(rf"(?:{TABLES['most_before']})\s+$", re.IGNORECASE)
MOST_BEHIND = re.compile(TABLES["most_behind"])
VALUE_ASKED = re.compile(
    r"(?<![总个人]数)(?<!数量)[是为]\s*(?:多少|几)"
)  # 沸点是多少 asks for one value, 床位有多少 for a sum
OF_WHAT = re.compile(r"\s+of\s+(?:all\s+)?(?:the\s+)?", re.IGNORECASE)
EACH = re.compile(rf"(?:{TABLES['each']})\s*$", re.IGNORECASE)


def is_figure(plain: str) -> bool:
    """Return True if a question asks for a total, an average or the greatest of something."""
    return any(pattern.search(plain) for pattern in (SUPERLATIVE, TOTAL, AVERAGE))


def how_much(reading: QuestionReading) -> Wanted:
    """Return whether a question asks for a sum, an average or for the instances."""
    if AVERAGE.search(reading.plain):
        return "average"
    kinds = {one.kind for one in reading.terms}
    counts = COUNTING.search(reading.plain) and not VALUE_ASKED.search(reading.plain)
    number_of_property = counts and "property" in kinds and "type" not in kinds
    labels = {(one.start, one.end) for one in reading.terms if one.kind == "property" and one.is_name}
    # The name of a column, TOTAL, asks for no sum, but where it is that of another: the total of the population.
    starts = {start for start, _ in labels}
    is_total = any(
        match.span() not in labels or ((behind := OF_WHAT.match(reading.plain, match.end())) and behind.end() in starts)
        for match in TOTAL.finditer(reading.plain)
    )
    return "sum" if is_total or number_of_property else "list"


def most_counted(reading: QuestionReading) -> ObjectType | None:
    """Return the type that a question says there are most or fewest of: the most orders, 订单最多."""
    for one in reading.terms:
        most = MOST_BEFORE.search(reading.plain[: one.start]) or MOST_BEHIND.match(reading.plain, one.end)
        if one.kind == "type" and most:
            return reading.schema.object_type(one.id)
    return None


def by_degree(reading: QuestionReading, rest: str, type: ObjectType) -> Degree | None:
    """Return by which label of a type a superlative is meant."""
    counted, question = counted_of(type, reading.schema, reading.members(type)), COUNTING.sub(" ", rest)
    amounts = [one.label for one in counted if not one.is_numbering]
    return degree_of(question, amounts) or degree_of(question, [one.label for one in counted])


DAY = re.compile(r"(?:19|20)\d\d\s*年|\d{4}-\d{2}")
YEAR = re.compile(r"1[0-9]\d\d|20\d\d")
YEAR_LABEL = re.compile(r"年份|年$|\byear\b|^(?:built|founded|released|published|born|opened|made)$", re.IGNORECASE)
OUT_OF = re.compile(r"\bout of\s+$", re.IGNORECASE)
NUMBERED = re.compile(
    r"\s*(?:no\.?\s*)?(?P<value>\d+)(?![\d.,]*\d|\s*[A-Za-z%年月日元以及之到至或~-])", re.I
)  # period 6
ORDINAL = re.compile(r"第\s*(?P<value>\d+)\s*$")  # 第 2 周期


def conditions(reading: QuestionReading, noun: Noun, skip: str = "") -> tuple[Where, ...] | None:
    """Return the conditions that a question sets for a type; None where one cannot be expressed.

    A type that is skipped has no conditions in its own values.
    """
    denials = denied(reading, noun)
    if not denials:
        return stated(reading, noun, skip)
    starts, ends = [start for start, _, _ in denials], [scope for _, _, scope in denials]
    found = stated(reading.within(*zip([0, *ends], [*starts, len(reading.plain)], strict=True)), noun, skip)
    opposites = [opposite(reading.within((end, scope)), noun) for _, end, scope in denials]
    told = [one for one in opposites if one]
    return (*found, *told) if found is not None and len(told) == len(opposites) else None


def denied(reading: QuestionReading, noun: Noun) -> list[tuple[int, int, int]]:
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


def opposite(reading: QuestionReading, noun: Noun) -> Where | None:
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


def stated(reading: QuestionReading, noun: Noun, skip: str = "") -> tuple[Where, ...] | None:
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
    if date := date_in(reading.plain):
        found += on_date(reading, noun.type, date)
    return tuple(dict.fromkeys(found))


def on_date(reading: QuestionReading, type: ObjectType, date: str) -> list[Where]:
    """Return the condition that a day of a type lies in a year, month or day, or that its year is this one."""
    named = {term.id for term in reading.terms if term.kind == "property"}
    if days := sorted(days_of(type), key=lambda one: one.name not in named):
        return [Where(days[0].name, "starts", date, days[0].label, date)]
    years = [one for one in numbers_of(type, reading.schema) if YEAR_LABEL.search(one.label)]
    years = [one for one in years if one.name in named] or years
    return [Where(years[0].name, "==", date, years[0].label, date)] if len(years) == 1 and YEAR.fullmatch(date) else []


DIMENSIONS = tuple(re.compile(one, re.IGNORECASE) for one in TABLES["dimensions"])


def of_dimension(limit: Limit, properties: Sequence[Property]) -> list[str]:
    """Return the labels that a limit with a unit may be of, where it names none: above 5000 feet, the altitude."""
    found = UNIT.search(limit.text)
    kind = UNITS.get(found[0].lower()) if found else None
    if kind is None or kind[0] >= len(DIMENSIONS):
        return []
    return [one.label for one in properties if DIMENSIONS[kind[0]].search(f"{one.label} {one.comment}")]


def limited(reading: QuestionReading, type: ObjectType, rest: str, limit: Limit) -> Where | None:
    """Return the condition of a limit: on the number of a type that is named nearest to it, else that is asked for."""
    held = reading.members(type)
    labels = [one.label for one in counted_of(type, reading.schema, held) if not is_flag(held, one.label)]
    places = [
        (abs(found.start() - limit.start), label) for label in labels for found in label_pattern(label).finditer(rest)
    ]
    asked = [one for label in labels if (one := (asks_for(rest.replace(limit.text, " "), label), label))[0] >= ASKED]
    if not places and not asked and (degree := degree_of(limit.text, labels)):
        asked = [(0.0, degree.label)]  # deeper than 10
    if not places and not asked and len(fitting := of_dimension(limit, numbers_of(type, reading.schema, held))) == 1:
        asked = [(0.0, fitting[0])]
    if not places and not asked:
        days = days_of(type) if DAY.search(limit.text) else []
        if days or not YEAR.fullmatch(limit.value):
            return Where(days[0].name, limit.operation, limit.value, days[0].label, limit.text) if days else None
        asked = [(0.0, label) for label in labels if YEAR_LABEL.search(label)]  # films after 2010, of one year each
        if len(asked) != 1:
            return None
    label = min(places)[1] if places else max(asked)[1]
    return Where(property_name(type, label), limit.operation, limit.value, label, limit.text)


def flags(reading: QuestionReading, type: ObjectType) -> Iterator[Where]:
    """Give the conditions of properties that are named with a value, or as an adjective: discontinued = 1, 停产的."""
    for term in reading.terms:
        prop = type.property(term.id) if (term.kind, term.type_id) == ("property", type.id) else None
        explicit = EQUAL.match(reading.plain, term.end)
        if prop and prop.is_number and not explicit:
            explicit = NUMBERED.match(reading.plain, term.end) or ORDINAL.search(reading.plain[: term.start])
        if prop and explicit:
            yield Where(prop.name, "==", explicit["value"], prop.label, explicit["value"])
        elif prop and OUT_OF.search(reading.plain[: term.start]):
            yield Where(prop.name, "==", "0", prop.label, "0")
        elif prop and reading.is_flag(term):
            wanted = "0" if NOT.search(reading.plain[: term.start]) else "1"
            yield Where(prop.name, "==", wanted, prop.label, "" if wanted == "1" else wanted)


def linked(reading: QuestionReading, type: ObjectType, one: KnownInstance, mention: NameMention) -> Where | None:
    same = reading.lexicon.known(one.name)  # of one type all of them are meant, and told apart
    value = one.name if len({(each.network_id, each.type.id) for each in same}) == 1 else one.id
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


def nouns(reading: QuestionReading) -> Iterator[Noun]:
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
    who = None if asked else WHO.search(plain)
    if who and (unit or not SUPERLATIVE.search(plain)):
        # The types of who does something with one of these: 谁供应产品.
        spans = {(one.start, one.end) for one in reading.terms if one.kind == "type"}
        behind = [one for one in reading.terms if one.kind == "relation" and one.start >= who.end()]
        verbs = [one.id for one in behind if (one.start, one.end) not in spans][:1]
        for type in [unit] if unit else [one.type for one in named]:
            ways = [way for way in ways_from(type.id, schema) if way.relation.id in verbs and way.is_outgoing]
            yield from (Noun(types[way.end], is_asked=True) for way in ways)
        if unit:
            yield from (Noun(types[way.end]) for way in ways_from(unit.id, schema) if reading.names(way.relation.id))
    yield from dict.fromkeys([*(replace(one, is_asked=True) for one in asked), *others])
    if not named:
        yield from map(Noun, unnamed(reading))
    whole = [one for one in types.values() if len(one.properties) > 1]  # the others are only values of it
    if len(types) == 1 or len(whole) == 1:  # of a single table everything is asked
        yield from (Noun(one, is_named=True) for one in whole or types.values())


def unnamed(reading: QuestionReading) -> list[ObjectType]:
    """Return the type that a question means without naming it: by a relation, a measure, a label or a value."""
    schema, rest = reading.schema, reading.rest(Noun(reading.schema.object_types[0]))
    own = {one.type.id for mention in reading.mentions for one in reading.known(mention)}
    held = reading.measure(rest) if how_much(reading) != "list" else None
    found = [schema.object_type(end) for end in led_to(reading, own)]
    found += [held[0]] if held and held[0].id not in own else []
    if (
        reading.mentions and not any(found) and not WHO.search(reading.plain)
    ):  # what is asked for stands beside the instance: the boiling point of tin
        types = dict.fromkeys(one.type_id for one in reading.terms if one.kind == "property")
        found += [] if own & {*types} else [schema.object_type(one) for one in types]
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


def led_to(reading: QuestionReading, types: set[str]) -> Iterator[str]:
    """Give the types that a question reaches from others by a verb, not by a label of their own."""
    for type_id in types:
        for way in ways_from(type_id, reading.schema):
            terms = [one for one in reading.terms if one.kind == "relation" and one.id == way.relation.id]
            if way.relation.reflexive:  # as a label of its own it is told of the instance: 主演都有谁
                mention = reading.mentions[0]
                terms = [one for one in terms if not one.is_name or asks_sources(reading.plain, one, mention)]
            if any(way.relation.reflexive or not (way.is_outgoing and one.is_name) for one in terms):
                yield way.end
