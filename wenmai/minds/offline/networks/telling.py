"""Answers from networks: values under the asked label, walks, lists, ends of scales, comparisons, connections."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from state.context import Language
from state.draft import Sentence
from state.schema import Evidence
from tools.language import is_chinese
from tools.networks.knowledge_network_query import NAME as QUERY
from tools.networks.lexicon import Known
from tools.tables.rows import ORDERS as LIMITS
from tools.text.scripts import bigrams
from tools.text.sentences import sentence_spans
from wenmai.minds.offline.networks.amounts import Degree, ends
from wenmai.minds.offline.networks.asking import ASKED, TOLD, WEIGHTS, asks_for, asks_whole
from wenmai.minds.offline.networks.querying import Query
from wenmai.minds.offline.networks.ranking import (
    Pair,
    RankedPiece,
    called,
    is_asked,
    label_of,
    of_network,
    ranked,
    subject_of,
    value_of,
    way,
    without_names,
)
from wenmai.minds.offline.networks.shapes import PAIR, Comparison, Connection, Shape, Step, Walk
from wenmai.minds.offline.wordings import cited, listed, say, say_cited

MOST_VALUES = 10
LONGEST_VALUE = 160
LEAST_SHARED = 3  # pairs of characters that a sentence must share with a question without any label
STOPS = "。.！!？? "
FORMS = ("networks.filter", "networks.limit", "networks.denied", "networks.none")
"""How a condition is said: in general, one that limits or has no value; the same where it is denied."""
CARD = 4  # properties that tell who or what something is, where no text does
Subject = tuple[str, str]
"""Network and name of an instance: another network may have the name too."""


@dataclass(frozen=True, slots=True)
class NetworkAnswer:
    """Writes the lines of drafts from the evidence of the attempt.

    Attributes:
        plain: the question, its names blanked.
    """

    evidence: Sequence[Evidence]
    language: Language
    plain: str
    by_instance: dict[tuple[str, str | None], list[Evidence]] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        """Know which pieces are of which instance."""
        for piece in self.evidence:
            self.by_instance.setdefault((piece["library"], piece["source"]), []).append(piece)

    def lines(self, shape: Shape) -> list[Sentence] | None:
        """Return the answer; [] where what is asked is not held, None where the answer to one label may do."""
        match shape:
            case Walk():
                return self.walk(shape)
            case Query():
                return self.query(shape)
            case Comparison():
                return self.comparison(shape)
            case Connection():
                one = of_network(shape.one.network_id, self.evidence) if shape.is_of_one_network else []
                found = way(shape.one.name, shape.other.name, one)
                return [self.line(subject_of(one), label_of(one), [one]) for one in found]

    def enumerated(self, names: Sequence[tuple[str, Evidence]]) -> Sentence:
        """Return texts as one phrase, each citing its piece."""
        texts = [cited(said(text, self.plain), piece["id"], spaced=False) for text, piece in names]
        return listed(say("shared.between", self.language), texts)

    def line(self, name: str, label: str, pieces: Sequence[Evidence]) -> Sentence:
        """Return values of one instance under one label; a label that says the name too stands alone."""
        values = self.enumerated([(value_of(piece), piece) for piece in pieces[:MOST_VALUES]])
        if name in label or TOLD.search(label):
            return say_cited("networks.whole_line", self.language, name=label, values=values)
        return say_cited("networks.line", self.language, name=name, label=label, values=values)

    def walk(self, walk: Walk) -> list[Sentence] | None:
        """Tell every step of a walk; [] where one leads nowhere."""
        names, lines = [walk.start.name], list[Sentence]()
        own = of_network(walk.start.network_id, self.evidence)
        for step in walk.steps:
            found = {name: behind(step, name, own) for name in names}
            names = list(dict.fromkeys(other for pairs in found.values() for other, _ in pairs))
            if not names:
                return [] if len(walk.steps) > 1 else None
            for name, pairs in found.items():
                if pairs:
                    values = self.enumerated(pairs[:MOST_VALUES])
                    lines.append(say_cited("networks.line", self.language, name=name, label=step.said, values=values))
        return lines

    def query(self, query: Query) -> list[Sentence] | None:
        """Tell what the tool computed, network by network where several were asked."""
        if not query.others:
            return self.computed(query)
        found = [(one, self.computed(one)) for one in (query, *query.others)]
        if all(lines is None for _, lines in found):
            return None
        return [
            say_cited("networks.in_network", self.language, network=one.network, line=line)
            for one, lines in found
            for line in lines or ()
        ]

    def computed(self, query: Query) -> list[Sentence] | None:
        """Tell what the tool computed of one network: a figure, the greatest, or instances with their number."""
        own = [piece for piece in of_network(query.key[0], self.evidence) if piece["tool"] == QUERY]
        if not own or query.group:
            return [self.line(subject_of(one), label_of(one), [one]) for one in foremost(own)] or None
        total, rows = own[0], own[1:]
        if query.degree:
            return self.extreme(query, query.degree, total, rows)
        if query.wanted != "list" or (query.counts and len(names(rows, query)) < int(value_of(total) or 0)):
            return [self.line(self.what(query), label_of(total), [total])]
        if not rows:
            return [self.line(self.what(query), query.told.name, [total])] if query.counts else []
        return self.each(query.label, rows) if query.label else [self.listing(query, total, rows)]

    def listing(self, query: Query, total: Evidence, rows: Sequence[Evidence]) -> Sentence:
        """Tell the instances of a type, with their number where they are counted or many."""
        shown, count, what = names(rows, query), value_of(total), self.what(query)
        values = self.enumerated(shown)
        if query.start:
            held = say_cited("networks.counted", self.language, count=count, values=values) if query.counts else values
            return say_cited("networks.line", self.language, name=what, label=query.role, values=held)
        values = say_cited("networks.part", self.language, values=values) if len(shown) < int(count) else values
        return say_cited("networks.whole", self.language, what=what, count=count, values=values)

    def what(self, query: Query) -> str:
        """Return which instances are meant: 船型为三桅货船的船只."""
        if query.start or not query.where:
            return query.start.name if query.start else query.type.name
        told = [
            say(
                FORMS[(one.operation in LIMITS or not one.text) + 2 * one.is_denial],
                self.language,
                label=one.label,
                text=one.text,
            )
            for one in query.where
        ]
        filters = say("shared.between", self.language).join(one.strip() for one in dict.fromkeys(told))
        return say("networks.with", self.language, filters=filters, type=query.type.name)

    def each(self, label: str, rows: Sequence[Evidence]) -> list[Sentence] | None:
        """Tell what is asked of each instance of a list."""
        held = [one for one in rows if label_of(one) == label]
        return [self.line(subject_of(one), label, [one]) for one in held] or None

    def extreme(self, query: Query, degree: Degree, total: Evidence, rows: Sequence[Evidence]) -> list[Sentence]:
        """Tell who is at the end of a scale."""
        held = [one for one in rows if label_of(one) == degree.label]
        return [
            say_cited(
                "networks.most",
                spoken_in(degree.word),
                count=value_of(total),
                type=query.told.name,
                name=subject_of(one),
                word=degree.word,
                label=degree.label,
                value=cited(value_of(one), one["id"], spaced=False),
            )
            for one in foremost(held)
        ]

    def comparison(self, shape: Comparison) -> list[Sentence] | None:
        """Tell the values side by side, and whose is more."""
        label, word = shape.degree.label, shape.degree.word
        pieces = {one.name: piece for one in shape.members if (piece := self.piece_of(one, label))}
        if len(pieces) < len(shape.members):
            return None
        lines = [self.line(name, label, [piece]) for name, piece in pieces.items()]
        chosen = ends([(name, value_of(piece)) for name, piece in pieces.items()], upper=shape.degree.upper)
        names = self.enumerated([(name, pieces[name]) for name in chosen])
        if len(chosen) == len(pieces):
            lines.append(say_cited("networks.equal", self.language, label=label, names=names))
        elif chosen:
            form = "networks.more" if len(pieces) == PAIR else "networks.most_of_all"
            lines.append(say_cited(form, spoken_in(word), word=word, names=names))
        return lines

    def piece_of(self, one: Known, label: str) -> Evidence | None:
        """Return the piece with an instance's value under a label."""
        own = self.by_instance.get((one.network_id, one.id), ())
        return next((piece for piece in own if subject_of(piece) == one.name and label_of(piece) == label), None)


def names(rows: Sequence[Evidence], query: Query) -> list[tuple[str, Evidence]]:
    """Return the names of instances, each once, with the piece that tells best why: a relation, a value of a label."""
    held, labels = dict[tuple[str, str | None], list[Evidence]](), [one.label for one in query.where[:1]]
    for one in rows:
        held.setdefault((one["library"], one["source"]), []).append(one)
    why = [[one for one in own if one["kind"] == "relation" or label_of(one) in labels] for own in held.values()]
    return [(subject_of(own[0]), (best or own)[0]) for own, best in zip(held.values(), why, strict=True)]


def foremost(pieces: Sequence[Evidence]) -> list[Evidence]:
    """Return the first piece of a ranking, with those of the same value."""
    return [one for one in pieces if value_of(one) == value_of(pieces[0])]


def spoken_in(word: str) -> Language:
    """Return the language of a word that an answer takes from the question."""
    return "zh" if is_chinese(word) else "en"


def said(value: str, plain: str) -> str:
    """Return a value, of a long text the sentence that says most of the question, with what follows it."""
    if len(value) <= LONGEST_VALUE:
        return value.strip(STOPS)
    sentence = best_sentence(value, plain)
    at = value.find(sentence) if sentence else 0
    return " ".join(value[at : at + LONGEST_VALUE].split()).strip(STOPS)


def best_sentence(text: str, question: str) -> str:
    """Return the sentence of a text that shares most with a question, '' where none shares enough."""
    wanted = bigrams(re.sub(r"\s", "", question))
    sentences = [text[start:end] for start, end in sentence_spans(text)] or [text]
    best = max(sentences, key=lambda one: len(bigrams(one) & wanted))
    return best if len(bigrams(best) & wanted) >= LEAST_SHARED else ""


def behind(step: Step, name: str, evidence: Sequence[Evidence]) -> list[Pair]:
    """Return what a step leads to from an instance, each with the piece that says so."""
    pieces = [piece for piece in evidence if label_of(piece) == step.label]
    if step.direction is None:
        return [(value_of(one), one) for one in pieces if one["kind"] == "property" and subject_of(one) == name]
    relations = [one for one in pieces if one["kind"] == "relation"]
    if step.direction == "outgoing":
        return [(value_of(one), one) for one in relations if subject_of(one) == name]
    return [(subject_of(one), one) for one in relations if value_of(one) == name]


def network_lines(
    question: str, evidence: Sequence[Evidence], language: Language, labels: Sequence[str]
) -> list[Sentence]:
    """Return the answer that networks give, [] where they hold none.

    Args:
        question: the resolved one.
        evidence: all of the attempt.
        language: of the answer's own words.
        labels: every label of the networks: one that is asked for and not held here is not answered by another.
    """
    rows = ranked(question, evidence)
    if not rows:
        return []
    plain = without_names(question, [row.piece for row in rows])
    groups = [answering(rows, subject, plain, labels) for subject in subjects_of(question, rows)]
    return [line for group in groups if group for line in lines_of(group, NetworkAnswer(evidence, language, plain))]


def subjects_of(question: str, rows: Sequence[RankedPiece]) -> list[Subject]:
    """Return the instances that are asked about: all that the question names, else the first."""
    named = [subject_key(row) for row in rows if called(subject_of(row.piece), question)]
    return list(dict.fromkeys(named or [subject_key(rows[0])]))


def subject_key(row: RankedPiece) -> Subject:
    """Return network and name of the instance that a piece tells of."""
    return row.piece["library"] or "", subject_of(row.piece)


def answering(rows: Sequence[RankedPiece], subject: Subject, plain: str, labels: Sequence[str]) -> list[RankedPiece]:
    """Return the pieces of one instance that answer: those under one label, or a sentence of its text."""
    network_id, name = subject
    own = [row for row in rows if row.piece["library"] == network_id and name in row.piece["entities"]]
    asked = [row for row in own if is_asked(row)]
    elsewhere = max((asks_for(plain, label) for label in labels if not TOLD.search(label)), default=0.0)
    if asked:
        best = asked[0]
        under = [row for row in asked if label_of(row.piece) == label_of(best.piece)]
        held = [row for row in under if (subject_of(row.piece) == name) == (subject_of(best.piece) == name)]
        if best.asked >= WEIGHTS.verbatim and len(each := verbatim(asked, plain)) > 1:
            return each[:MOST_VALUES]
        # The network knows a label that is asked for in so many words: another one is no answer.
        return held[:MOST_VALUES] if best.asked >= min(elsewhere, ASKED) else []
    if asks_whole(plain):
        named = ((row, value_of(row.piece)) for row in own)  # an id or a name says no more of it
        return [row for row, value in named if value not in (row.piece["source"], subject_of(row.piece))][:CARD]
    texts = [row for row in own if best_sentence(value_of(row.piece), plain)]
    return texts[:1] if elsewhere < ASKED else []


def verbatim(asked: Sequence[RankedPiece], plain: str) -> list[RankedPiece]:
    """Return the pieces under every label that a question names: 船长和船东; a label within another one is none."""
    labels = {label_of(row.piece) for row in asked if row.asked >= WEIGHTS.verbatim}
    own = {
        one for one in labels if not any(one in other for other in labels if other != one) and f"{one}的" not in plain
    }
    found = [row for row in asked if label_of(row.piece) in own]
    return sorted(found, key=lambda row: plain.find(label_of(row.piece)))


def lines_of(rows: Sequence[RankedPiece], teller: NetworkAnswer) -> list[Sentence]:
    """Return the values of one label; a card of several labels line by line."""
    held: dict[tuple[str, str], list[Evidence]] = {}
    for row in rows:
        held.setdefault((subject_of(row.piece), label_of(row.piece)), []).append(row.piece)
    return [teller.line(subject, label, pieces) for (subject, label), pieces in held.items()]
