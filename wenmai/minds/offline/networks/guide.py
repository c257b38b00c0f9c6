"""Calls to networks, turn by turn, and answers: values, walks, lists, ends of scales, comparisons, connections."""

import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

from langchain_core.messages import ToolMessage

from nodes.roles import PlanRequest
from state.context import Language
from state.draft import Sentence
from state.schema import Evidence
from tools.evidence import label_of
from tools.language import is_chinese, spoken_in
from tools.networks.figures import interval_of
from tools.networks.keyword import PER_RELATION
from tools.networks.knowledge_network_query import NAME as QUERY
from tools.networks.knowledge_network_retrieval import NAME
from tools.networks.lexicon import KnownInstance, Lexicon
from tools.networks.words import identified
from tools.tables.rows import ORDERS as LIMITS
from tools.text.scripts import bigrams
from tools.text.sentences import sentence_spans
from wenmai.minds.offline.calls import Call
from wenmai.minds.offline.networks.asking import (
    ASKED,
    TOLD,
    WEIGHTS,
    Pair,
    RankedPiece,
    asks_for,
    asks_whole,
    focus_of,
    has_name,
    is_asked,
    is_network,
    neighbours,
    of_network,
    ranked,
    subject_of,
    value_of,
    way,
    without_names,
)
from wenmai.minds.offline.networks.naming import in_full, unknown_names
from wenmai.minds.offline.networks.reading import Degree, ends
from wenmai.minds.offline.networks.shapes import (
    PAIR,
    Comparison,
    InstanceConnection,
    Query,
    Shape,
    Walk,
    WalkStep,
    asked_of,
)
from wenmai.minds.offline.networks.understanding import Understanding, row_probability, understanding
from wenmai.minds.offline.questions.question import content_words
from wenmai.minds.offline.wordings import cited, enumeration, say, say_cited

MOST_VALUES = 10
LONGEST_VALUE = 160
LEAST_SHARED = 3  # pairs of characters that a sentence must share with a question without any label
LEAST_WORDS = 0.5  # share of an English question's words
STOPS = "。.！!？? "
FORMS = ("offline.networks.filter", "offline.networks.limit", "offline.networks.denied", "offline.networks.none")
"""How a condition is said: in general, one that limits or has no value; the same where it is denied."""
CARD = 4  # properties that tell who or what something is, where no text does
Subject = tuple[str, str]
"""Network and name of an instance: another network may have the name too."""


@dataclass(frozen=True, slots=True)
class NetworkAnswer:
    """Writes the lines of drafts from the evidence of the attempt; `plain` is the question, its names blanked."""

    evidence: Sequence[Evidence]
    language: Language
    plain: str

    def lines(self, shape: Shape) -> list[Sentence] | None:
        """Return the answer; [] where what is asked is not held, None where the answer to one label may do."""
        match shape:
            case Walk():
                return self.walk(shape)
            case Query():
                return self.query(shape)
            case Comparison():
                return self.comparison(shape)
            case InstanceConnection():
                one = of_network(shape.one.network_id, self.evidence) if shape.is_of_one_network else []
                found = way(shape.one.name, shape.other.name, one)
                return [self.line(subject_of(one), label_of(one), [one]) for one in found]

    def enumerated(self, names: Sequence[tuple[str, Evidence]]) -> Sentence:
        """Return texts as one phrase, each citing its piece."""
        texts = [cited(shortened_value(text, self.plain), piece["id"], spaced=False) for text, piece in names]
        return enumeration(say("offline.shared.between", self.language), texts)

    def line(self, name: str, label: str, pieces: Sequence[Evidence]) -> Sentence:
        """Return values of one instance under one label; a label that says the name too stands alone."""
        values = self.enumerated([(value_of(piece), piece) for piece in pieces[:MOST_VALUES]])
        if name in label or TOLD.search(label):
            return say_cited("offline.networks.whole_line", self.language, name=label, values=values)
        return say_cited("offline.networks.line", self.language, name=name, label=label, values=values)

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
                    lines.append(
                        say_cited("offline.networks.line", self.language, name=name, label=step.said, values=values)
                    )
        return lines

    def query(self, query: Query) -> list[Sentence] | None:
        """Tell what the tool computed, network by network where several were asked."""
        if not query.others:
            return self.computed(query)
        found = [(one, self.computed(one)) for one in (query, *query.others)]
        if all(lines is None for _, lines in found):
            return None
        return [
            say_cited("offline.networks.in_network", self.language, network=one.network, line=line)
            for one, lines in found
            for line in lines or ()
        ]

    def computed(self, query: Query) -> list[Sentence] | None:
        """Tell what the tool computed of one network: a figure, the greatest, or instances with their number."""
        own = [piece for piece in of_network(query.key[0], self.evidence) if piece["tool"] == QUERY]
        if query.group and not query.degree and own:
            told = [(f"{subject_of(one)} {value_of(one)}", one) for one in own]
            return [self.listed_line(self.what(query), label_of(own[0]), told)]
        if query.said and not query.group:
            return self.joining_rows(query, own[1:])
        if not own or query.group:
            return [self.line(subject_of(one), label_of(one), [one]) for one in foremost(own)] or None
        total, rows = own[0], own[1:]
        if query.degree:
            return self.extreme(query, query.degree, total, rows)
        if query.wanted != "list" or (query.counts and len(names(rows, query)) < int(value_of(total) or 0)):
            return [self.line(self.what(query), label_of(total), [total])]
        if not rows:
            return [self.line(self.what(query), query.told.name, [total])] if query.counts else []
        if query.start and len(namesakes := of_each(query.start.name, rows)) > 1:
            return [self.listed_line(name, query.role, held) for name, held in namesakes.items()]
        if not query.label:
            return [self.listing(query, total, rows)]
        held = [one for one in rows if label_of(one) == query.label]  # what is asked of each instance
        return [self.line(subject_of(one), query.label, [one]) for one in held] or None

    def joining_rows(self, query: Query, pieces: Sequence[Evidence]) -> list[Sentence]:
        """Tell what rows that join others hold under the label that is asked for, each with its time; [] of none."""
        period = [one.label for one in interval_of(query.type) or ()]
        rows: dict[str, list[Evidence]] = {}
        for one in pieces:
            rows.setdefault(one["source"] or "", []).append(one)
        told = list[Sentence]()
        for held in rows.values():
            values = [one for one in held if label_of(one) == query.label and one["kind"] == "property"]
            bounds = [next((value_of(one) for one in held if label_of(one) == label), "") for label in period]
            time = " – ".join(bounds).strip() if any(bounds) else ""  # one that holds still has no end
            for one in values:
                value = time if query.label in period else value_of(one)
                aside = f" ({time})" if time and query.label not in period else ""
                told.append(cited(f"{value}{aside}", one["id"], spaced=False))
        if not told:
            return []
        names = " / ".join(one.text for one in query.where) or query.told.name
        label = query.label if query.property in (one.name for one in query.type.properties) else query.told.name
        label = " – ".join(period) if query.label in period else label
        between = say("offline.shared.between", self.language)
        label = f"{label}{between}{query.said}" if query.at else label
        values_told = enumeration(between, told[:MOST_VALUES])
        return [say_cited("offline.networks.line", self.language, name=names, label=label, values=values_told)]

    def listed_line(self, name: str, label: str, values: Sequence[tuple[str, Evidence]]) -> Sentence:
        return say_cited("offline.networks.line", self.language, name=name, label=label, values=self.enumerated(values))

    def listing(self, query: Query, total: Evidence, rows: Sequence[Evidence]) -> Sentence:
        """Tell the instances of a type, with their number where they are counted or many."""
        shown, count, what = names(rows, query), value_of(total), self.what(query)
        values = self.enumerated(shown)
        if query.start:
            held = (
                say_cited("offline.networks.counted", self.language, count=count, values=values)
                if query.counts
                else values
            )
            return say_cited("offline.networks.line", self.language, name=what, label=query.role, values=held)
        values = say_cited("offline.networks.part", self.language, values=values) if len(shown) < int(count) else values
        return say_cited("offline.networks.whole", self.language, what=what, count=count, values=values)

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
        filters = say("offline.shared.between", self.language).join(one.strip() for one in dict.fromkeys(told))
        return say("offline.networks.with", self.language, filters=filters, type=query.type.name)

    def extreme(self, query: Query, degree: Degree, total: Evidence, rows: Sequence[Evidence]) -> list[Sentence]:
        held = [one for one in rows if label_of(one) == degree.label]
        return [
            say_cited(
                "offline.networks.most",
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
        label, word = shape.degree.label, shape.degree.word
        pieces = {one.name: piece for one in shape.members if (piece := self.piece_of(one, label))}
        if len(pieces) < len(shape.members):
            return None
        lines = [self.line(name, label, [piece]) for name, piece in pieces.items()]
        chosen = ends([(name, value_of(piece)) for name, piece in pieces.items()], label, upper=shape.degree.upper)
        names = self.enumerated([(name, pieces[name]) for name in chosen])
        if len(chosen) == len(pieces):
            lines.append(say_cited("offline.networks.equal", self.language, label=label, names=names))
        elif chosen:
            form = "offline.networks.more" if len(pieces) == PAIR else "offline.networks.most_of_all"
            lines.append(say_cited(form, spoken_in(word), word=word, names=names))
        return lines

    def piece_of(self, one: KnownInstance, label: str) -> Evidence | None:
        own = [piece for piece in self.evidence if (piece["library"], piece["source"]) == (one.network_id, one.id)]
        return next((piece for piece in own if subject_of(piece) == one.name and label_of(piece) == label), None)


def names(rows: Sequence[Evidence], query: Query) -> list[tuple[str, Evidence]]:
    """Return the names of instances, each once, with the piece that tells best why: a relation, a value of a label."""
    held, labels = dict[tuple[str, str | None], list[Evidence]](), [one.label for one in query.where[:1]]
    for one in rows:
        held.setdefault((one["library"], one["source"]), []).append(one)
    why = [[one for one in own if one["kind"] == "relation" or label_of(one) in labels] for own in held.values()]
    return [(subject_of(own[0]), (best or own)[0]) for own, best in zip(held.values(), why, strict=True)]


def of_each(name: str, rows: Sequence[Evidence]) -> dict[str, list[Pair]]:
    """Return what relations lead to from each of several instances of one name, by the name that tells it apart."""
    found: dict[str, list[Pair]] = {}
    for one in rows:
        ends = one["entities"] if one["kind"] == "relation" else []
        own = next((end for end in ends if end.startswith(f"{name} (")), None)
        if own is not None and len(ends) == PAIR:
            found.setdefault(own, []).append((ends[1 - ends.index(own)], one))
    return found


def foremost(pieces: Sequence[Evidence]) -> list[Evidence]:
    return [one for one in pieces if value_of(one) == value_of(pieces[0])]


def shortened_value(value: str, plain: str) -> str:
    """Return a value, of a long text the sentence that says most of the question, with what follows it."""
    if len(value) <= LONGEST_VALUE:
        return value.strip(STOPS)
    sentence = best_sentence(value, plain)
    at = value.find(sentence) if sentence else 0
    return " ".join(value[at : at + LONGEST_VALUE].split()).strip(STOPS)


def best_sentence(text: str, question: str) -> str:
    """Return the sentence of a text that shares most with a question, '' where none shares enough."""
    sentences = [text[start:end] for start, end in sentence_spans(text)] or [text]
    if not is_chinese(question):
        words = set(content_words(question))
        best = max(sentences, key=lambda one: len(words & set(content_words(one))))
        return best if words and len(words & set(content_words(best))) >= LEAST_WORDS * len(words) else ""
    wanted = bigrams(re.sub(r"\s", "", question))
    best = max(sentences, key=lambda one: len(bigrams(one) & wanted))
    return best if len(bigrams(best) & wanted) >= LEAST_SHARED else ""


def behind(step: WalkStep, name: str, evidence: Sequence[Evidence]) -> list[Pair]:
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

    A label that the networks have, that is asked for and not held here, is not answered by another one.
    """
    rows = ranked(question, evidence)
    if not rows:
        return []
    plain = without_names(question, [row.piece for row in rows])
    keys = [(row.piece["library"] or "", subject_of(row.piece)) for row in rows]
    named = [key for key in keys if has_name(key[1], question)]  # all that the question names, else the first
    groups = [answering(rows, subject, plain, labels) for subject in dict.fromkeys(named or keys[:1])]
    lines, answer = list[Sentence](), NetworkAnswer(evidence, language, plain)
    for group in groups:  # the values of one label; a card of several labels line by line
        held: dict[tuple[str, str], list[Evidence]] = {}
        for row in group:
            held.setdefault((subject_of(row.piece), label_of(row.piece)), []).append(row.piece)
        lines += [answer.line(subject, label, pieces) for (subject, label), pieces in held.items()]
    return lines


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


KEYWORDS = 3  # looked for in one question
MARGIN = 0.35  # an instance this much less likely than the first is not looked for


def network_turns(request: PlanRequest, lexicon: Lexicon) -> list[list[Call]]:
    """Return the calls turn by turn; those of one turn do not need each other's results. [] without a network.

    What stands beside one instance is looked up by a keyword where the question names that only in part, or where the
    instances are a service's, which would be asked for all of them; where more stands there than an answer has, it is.
    """
    if request.networks is None:
        return []
    _, shape = asked_of(request.resolved, lexicon, request.today)
    if shape is None:
        return [[call] for call in network_calls(request, lexicon)]
    turns = shape_calls(shape, request.evidence, lexicon, several=len(request.networks.ids) > 1)
    if isinstance(shape, Query):
        calls = [[call] for call in network_calls(request, lexicon)]
        if is_beside_one(shape) and not (lexicon.whole and not in_full(request.resolved, lexicon)[1]):
            return calls + (turns if is_cut(request) else [])
        return turns + (calls if may_be_label(shape, request.evidence) else [])
    return [[(NAME, {"query": request.resolved})], *[[call] for call in other_schemas(request, turns, lexicon)], *turns]


def is_beside_one(query: Query) -> bool:
    """Return True for a query of what one relation leads to from one instance, all of it."""
    is_plain = query.wanted == "list" and not (query.counts or query.degree or query.property or query.others)
    return query.start is not None and is_plain and "." not in query.where[0].path


def is_cut(request: PlanRequest) -> bool:
    """Return True if a relation of an instance has as many ends as an answer may have: there may be more."""
    contexts = (answer["keyword_context"] for answer in answers(request) if "keyword_context" in answer)
    ends = Counter(
        (one["instance_id"], other["relation_type_id"], other["relation_direction"])
        for context in contexts
        for one in context["instances"]
        for other in one.get("neighbors", ())
    )
    return max(ends.values(), default=0) >= PER_RELATION


def may_be_label(query: Query, evidence: Sequence[Evidence]) -> bool:
    """Return True if nothing was found beside an instance: what is asked may be a label of its own."""
    found = [value_of(piece) for piece in evidence if piece["tool"] == QUERY]
    return found == ["0"] and query.start is not None and not query.counts and not query.others


def other_schemas(request: PlanRequest, turns: Sequence[Sequence[Call]], lexicon: Lexicon) -> list[Call]:
    """Return calls for the types that the question's own words did not recall, by their names.

    A type id that several networks have was recalled of each only if it was told as often.
    """
    saved, is_asked = Counter(saved_types(request)), any("object_types" in answer for answer in answers(request))
    types = {(schema.id, type.id): type.name for schema in lexicon.schemas.values() for type in schema.object_types}
    holders = Counter(id for _, id in types)
    calls: list[Call] = []
    wanted = dict.fromkeys(((args.get("kn_ids") or [""])[0], args["object_type_id"]) for _, args in chain(*turns))
    for only, id in wanted if is_asked else ():
        named = next(name for (network, held), name in types.items() if held == id and only in ("", network))
        place = {"kn_ids": [only]} if only and holders[id] > 1 else {}
        if saved[id] < (holders[id] if only else 1):
            calls.append((NAME, {"query": f"{request.resolved} {named}", **place}))
    return calls


def network_calls(request: PlanRequest, lexicon: Lexicon) -> list[Call]:
    """Return the calls for one label of one instance, or of a few, in their order."""
    # Of a question that left its instance out others may be meant as well: they are looked for behind the likeliest.
    question, said = in_full(identified(request.question, lexicon)[0], lexicon)
    resolved = in_full(request.resolved, lexicon)[0]
    found = focus_of(question, request.session, lexicon) or focus_of(resolved, request.session, lexicon)
    several = request.networks is not None and len(request.networks.ids) > 1
    own = [one.known for one in found if one.named]
    likely = own or [one.known for one in found if one.score >= found[0].score * MARGIN]
    once = {(one.network_id, one.type.id, one.name): one for one in reversed(likely)}  # the first of a name and type
    chosen = [one for one in likely if once[one.network_id, one.type.id, one.name] is one][:KEYWORDS]
    named = [(said.get(one.name, one.name), one) for one in chosen]
    calls = [keyword_call(words, one.type.id, one.network_id if several else None) for words, one in named]
    calls = [call for at, call in enumerate(calls) if call not in calls[:at]]
    return [(NAME, {"query": request.resolved}), *other_schemas(request, [calls], lexicon), *calls]


def saved_types(request: PlanRequest) -> list[str]:
    return [one["concept_id"] for answer in answers(request) for one in answer.get("object_types", ())]


def answers(request: PlanRequest) -> list[dict[str, Any]]:
    texts = [message.text for message in request.transcript if isinstance(message, ToolMessage)]
    return [value for text in texts if text.startswith("{") and isinstance(value := json.loads(text), dict)]


def asked_in_part(request: PlanRequest) -> bool:
    """Return True if a keyword's call of this attempt could not ask for everything: relations failed or were late."""
    contexts = [answer["keyword_context"] for answer in answers(request) if "keyword_context" in answer]
    return any(context.get("partial") for context in contexts)


@dataclass(frozen=True, slots=True)
class NetworkReply:
    """The lines of an answer, [] where nothing answers, and how probable it is that this is right.

    `is_computed` is False for rows that were looked up.
    """

    lines: list[Sentence]
    probability: float
    understood: Understanding
    is_computed: bool = False


def network_answer(request: PlanRequest, lexicon: Lexicon) -> NetworkReply:
    """Return the answer of the run's networks; a condition of the question that it does not keep is named."""
    (question, shape), evidence = asked_of(request.resolved, lexicon, request.today), request.evidence
    if unknown_names(in_full(request.resolved, lexicon)[0], lexicon):  # of a name that is not here nothing is told
        found = replace(understanding(request.resolved, None, lexicon, request.today), has_unknown=True)
        return NetworkReply([], found.refusal_probability, found)
    if shape is not None:
        plain = without_names(question, [piece for piece in evidence if is_network(piece)])
        lines = NetworkAnswer(evidence, request.language, plain).lines(shape)
        is_open = isinstance(shape, Query) and may_be_label(shape, evidence)
        if lines is not None and not is_open:
            found = understanding(request.resolved, shape, lexicon, request.today)
            likely = found.probability if lines else found.refusal_probability
            return NetworkReply(with_ignored(lines, found, request.language), likely, found, is_computed=bool(lines))
    lines = network_lines(question, evidence, request.language, lexicon.labels)
    found = understanding(request.resolved, None, lexicon, request.today)
    times = [word for word in found.ignored if any(char.isdigit() for char in word)]
    cited = [mark["piece"] for line in lines for mark in line["marks"] if mark["piece"]]
    likely = row_probability(question, evidence, cited[0]) if cited else found.refusal_probability
    return NetworkReply(with_ignored(lines, replace(found, ignored=tuple(times)), request.language), likely, found)


def with_ignored(lines: Sequence[Sentence], found: Understanding, language: Language) -> list[Sentence]:
    """Return the lines, and behind them what of the question they do not keep to."""
    marks = [piece for line in lines for mark in line["marks"] if (piece := mark["piece"])]
    if not found.ignored or not marks:
        return [*lines]
    words = say("offline.shared.between", language).join(f"“{word}”" for word in found.ignored)
    return [*lines, cited(say("offline.networks.ignored", language, words=words), marks[0])]


AT_ONCE = 3  # instances that are looked for in one turn
Wanted = tuple[str, str, str]  # keyword, object type, network


def keyword_call(keyword: str, type_id: str, only: str | None) -> Call:
    """Return a call for a keyword; `only` is its network where the run has several."""
    args = {"query": keyword, "enable_keyword_context": True, "object_type_id": type_id}
    return NAME, {**args, **({"kn_ids": [only]} if only else {})}


def shape_calls(shape: Shape, evidence: Sequence[Evidence], lexicon: Lexicon, *, several: bool) -> list[list[Call]]:
    """Return the calls for a question's shape in turns: those of one turn do not need each other's results.

    Later steps of a walk are known once the evidence of this attempt has told of the earlier ones.
    """
    if isinstance(shape, Query):
        own = [(one.arguments(), {"kn_ids": [one.key[0]]} if several else {}) for one in (shape, *shape.others)]
        return [[(QUERY, arguments | only) for arguments, only in own]]
    if isinstance(shape, Walk):
        turns = walk_turns(shape, evidence)
    elif isinstance(shape, InstanceConnection):
        turns = connection_turns(shape, evidence, lexicon)
    else:
        turns = iter([[of_known(one) for one in shape.members[:AT_ONCE]]])
    return [[keyword_call(word, kind, only if several else None) for word, kind, only in turn] for turn in turns]


def of_known(one: KnownInstance) -> Wanted:
    return one.name, one.type.id, one.network_id


def walk_turns(walk: Walk, evidence: Sequence[Evidence]) -> Iterator[list[Wanted]]:
    """Give the start, then at each step those of which the evidence says nothing yet."""
    yield [of_known(walk.start)]
    evidence = of_network(walk.start.network_id, evidence)
    names, kind = [walk.start.name], walk.start.type
    for step in walk.steps:
        found = {name: behind(step, name, evidence) for name in names}
        missing = [name for name in names if not found[name]][:AT_ONCE]
        if missing and names != [walk.start.name]:
            yield [(name, kind.id, walk.start.network_id) for name in missing]
        names = list(dict.fromkeys(other for pairs in found.values() for other, _ in pairs))
        kind = step.leads_to


def connection_turns(
    shape: InstanceConnection, evidence: Sequence[Evidence], lexicon: Lexicon
) -> Iterator[list[Wanted]]:
    """Give both instances, then what stands beside them, until a way between them is told."""
    yield [of_known(shape.one), of_known(shape.other)]
    own = of_network(shape.one.network_id, evidence)
    if not own or not shape.is_of_one_network or way(shape.one.name, shape.other.name, own):
        return
    for name in (shape.other.name, shape.one.name):
        beside = dict.fromkeys(other for other, _ in neighbours(name, own))
        named = (one for other in beside for one in lexicon.known(other))
        known = list({one.name: one for one in named if one.network_id == shape.one.network_id}.values())
        yield [of_known(one) for one in known[:AT_ONCE]]
