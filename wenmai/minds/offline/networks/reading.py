"""A question to one network as far as its schema goes: the terms, instances and conditions that it names."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from tools.language import is_chinese
from tools.networks.figures import nearest
from tools.networks.lexicon import Known, Lexicon
from tools.networks.records import NetworkSchema, ObjectType, Property
from tools.networks.words import Term, Where, blank, in_labels, is_flag, numbers_of, terms_in
from tools.story.names import Mention
from tools.tables.names import words_listed
from wenmai.minds.offline.networks.asking import ASKED, TABLES, asks_for
from wenmai.minds.offline.networks.focus import meant
from wenmai.minds.offline.networks.ranking import LISTING
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
        beside = {span for one in self.mentions for span in beside_own(self.plain, found, one, self.known(one))}
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
        return type is not None and prop is not None and is_flag(self.members(type), prop.label)

    def measure(self, rest: str) -> tuple[ObjectType, Property] | None:
        """Return the number that the question asks for, with its type: one that it names, else by the usual words."""
        named = {(term.type_id, term.id) for term in self.terms if term.kind == "property"}
        types = {term.id for term in self.terms if term.kind == "type"}
        ranked = [
            (NAMED if (type.id, one.name) in named else asks_for(rest, one.label), type.id in types, type, one)
            for type in self.schema.object_types
            for one in numbers_of(type, self.schema)
        ]
        best = max(ranked, key=lambda row: row[:2], default=None)
        return best[2:] if best and best[0] >= ASKED else None


def beside_own(
    plain: str, terms: Sequence[Term], mention: Mention, owners: Sequence[Known]
) -> Iterator[tuple[int, int]]:
    """Give where the type of an instance stands beside its name: customer Iris Imports."""
    types = {one.type.id for one in owners}
    for term in terms:
        between = plain[min(term.end, mention.end) : max(term.start, mention.start)]
        if term.kind == "type" and term.id in types and not between.strip():
            yield term.start, term.end


def asks_sources(plain: str, term: Term, mention: Mention) -> bool:
    """Return True if the instances are asked that a relation of a type with itself leads from: who reports to X.

    As a noun, X's superior, a name asks for what the relation leads to; a verb asks for its other side.
    """
    if NOUN_BEFORE.search(plain[: term.start]) or NOUN_BEHIND.match(plain, term.end):
        return term.is_back
    before = plain[: mention.start]
    is_back = term.is_back or acts(plain, term, before)
    first = mention.start < term.start and not (is_chinese(plain) and (LISTING.search(before) or WHO.search(before)))
    return is_back == (first or AGENT.search(before) is not None)


def acts(plain: str, term: Term, before: str) -> bool:
    """Return True if the name of a role is said as a verb, who has the role before it: does X mentor, who mentors X."""
    word = plain[term.start : term.end].lower()
    return FORM.sub("", word) in words_listed("roles") and bool(FORM.search(word) or DOES.search(before))


def unexplained(reading: Reading, noun: Noun, where: Sequence[Where]) -> list[str]:
    """Return the words of a question that neither the schema nor a condition explains: red drugs."""
    spans = [(one.start, one.end) for one in reading.terms] + [(noun.start, noun.end)]
    text = GENERIC.sub(" ", blank(reading.plain, spans))
    for known in (reading.schema.name, *(part for one in where for part in (one.text, one.value))):
        text = re.sub(f"{re.escape(known)}(?:e?s\\b)?", " ", text, flags=re.IGNORECASE) if known else text
    return [word for word in content_words(text) if not (len(word) > 1 and word in reading.schema.name)]
