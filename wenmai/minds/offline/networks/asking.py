"""What of an instance a question asks for, pieces of networks in that order; which instances of a talk it is about."""

import re
import tomllib
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from importlib.resources import files
from typing import Any

from state.schema import Evidence
from state.session import Session
from tools.evidence import label_of
from tools.networks.knowledge_network_query import NAME as QUERY
from tools.networks.knowledge_network_retrieval import NAME as RETRIEVAL
from tools.networks.lexicon import KnownInstance, Lexicon, forms
from tools.networks.words import MEASURES, blanked
from tools.story.names import NameMention
from tools.text.scripts import bigrams, folded
from wenmai.language.segmenting import segmenter

TABLES: dict[str, Any] = tomllib.loads(
    files("wenmai.minds.offline.networks")
    .joinpath("asking.toml")
    .read_text(encoding="utf-8")
    .replace("{measures}", MEASURES)
)
WHOLE = re.compile(TABLES["whole"], re.IGNORECASE)
TOLD = re.compile(TABLES["told"])
KEY = re.compile(r"(?:编号| id)$")  # nobody means it who does not say it: the author is asked for, not its id
PART = re.compile(r"\s的[\u4e00-\u9fff]{1,6}?(?:是|叫|有|在)")  # 某人的妻子是谁
PERSON = re.compile(TABLES["person"], re.IGNORECASE)
THING = re.compile(TABLES["thing"], re.IGNORECASE)
PERSONAL = re.compile(TABLES["personal"], re.IGNORECASE)
DEMONSTRATIVE = re.compile(TABLES["demonstrative"])
LISTED_NOUN = re.compile(rf"(?:哪些|哪几)[{MEASURES}]?([\u4e00-\u9fff])")  # 有哪些船: labels about ships
WORD = re.compile(r"[a-z0-9]{3,}")  # of English; shorter ones say little
SHORT_LABEL = 4  # letters
LONGEST_KIND, NOUN = 8, "n"  # characters that are cut into words, and the tag of a noun
ASKED = 0.8  # from here on a label is asked for


@dataclass(frozen=True, slots=True)
class LabelRule:
    """What is asked, which labels may answer, and whether it is asked in general."""

    asked: re.Pattern[str]
    told: re.Pattern[str]
    general: bool


def _rule(row: str) -> LabelRule:
    asked, told = row.removeprefix("~").split(" | ")
    return LabelRule(re.compile(asked.strip(), re.I), re.compile(told.strip(), re.I), row.startswith("~"))


RULES = tuple(map(_rule, TABLES["asks"].strip().splitlines()))


@dataclass(frozen=True, slots=True)
class AskWeights:
    """What a label is worth to a question: its very words, the usual words, a part of its words.

    A text that tells what something is altogether may answer anything, and answers what asks for just that.
    """

    verbatim: float = 3.0
    usual: float = 1.5
    general: float = 0.8
    part: float = 2.5
    whole: float = 0.9
    anyway: float = 0.35
    listed: float = 1.2
    by_length: float = 0.1


WEIGHTS = AskWeights()


@lru_cache(maxsize=4_096)
def asks_for(question: str, label: str) -> float:
    """Return how much a question, its names blanked, asks for a label; 0 where it does not."""
    text, name = folded(question), folded(label)
    if TOLD.search(name):
        return WEIGHTS.whole if asks_whole(text) else WEIGHTS.anyway
    if named_in(name, text):
        return WEIGHTS.verbatim + WEIGHTS.by_length * len(name)
    if KEY.search(name):
        return 0.0
    part = WEIGHTS.part * part_of(name, text)
    listed = WEIGHTS.listed * any(noun[0] in name for noun in LISTED_NOUN.findall(text))
    fitting = [rule for rule in RULES if rule.told.search(name)]
    found = [
        (rule, len(words[0])) for rule in fitting for words in rule.asked.finditer(text)
    ]  # long ones are worth more
    usual = [(WEIGHTS.general if rule.general else WEIGHTS.usual) + WEIGHTS.by_length * size for rule, size in found]
    return max([part, listed, *usual])


@lru_cache(maxsize=4_096)
def label_pattern(label: str) -> re.Pattern[str]:
    """Return what finds a label in a text: a short one of English as a whole word, any as the beginning of one."""
    if not label.isascii():
        return re.compile(re.escape(label))
    end = "" if len(label) > SHORT_LABEL else "(?:e?s)?(?![a-z0-9])"
    return re.compile(rf"(?<![a-z0-9]){re.escape(label)}{end}", re.IGNORECASE)


def named_in(label: str, text: str) -> bool:
    return label_pattern(label).search(text) is not None


def part_of(label: str, text: str) -> float:
    """Return the share of a label that stands in a text: words of English, pairs of characters of Chinese."""
    if label.isascii():
        words = set(WORD.findall(label))
        return len(words & set(WORD.findall(text))) / len(words) if words else 0.0
    pairs = bigrams(label)
    return len(pairs & bigrams(text)) / len(pairs) if pairs else 0.0


def asks_whole(text: str) -> bool:
    """Return True if a question, its names blanked, asks for what something is altogether, not for one thing of it."""
    bare = not re.search(r"\w", text)  # a name alone
    return bare or (WHOLE.search(text) is not None and PART.search(text) is None)


def is_person(labels: tuple[str, ...]) -> bool:
    return any(PERSONAL.search(label) for label in labels)


@lru_cache(maxsize=1_024)
def kinds_meant(question: str) -> tuple[str, ...]:
    """Return the nouns behind a demonstrative: 电影 for 这部电影, 船 for 这条船的."""
    behind = [question[found.end() :] for found in DEMONSTRATIVE.finditer(question)]
    words = [segmenter().tag(rest[:LONGEST_KIND], True)[0] for rest in behind if rest.strip()]
    return tuple(word for word, tag in words if tag.startswith(NOUN))


LISTING = re.compile(TABLES["listing"], re.IGNORECASE)
CONNECTION = re.compile(TABLES["connection"], re.IGNORECASE)
WHOLE_LEAST = 0.5
LONGEST_WAY = 4  # relations
FULL_SCORE = 6.0  # of a piece of the instance meant under the very label: 1 beside the pieces of a story


Pair = tuple[str, Evidence]  # what stands behind a step, and the piece that says so


@dataclass(frozen=True, slots=True, kw_only=True)
class PieceWeights:
    """Chosen on one half of a development set of talks, checked on the other."""

    entity: float = 2.0
    later_call: float = 0.7
    named: float = 0.5
    shared: float = 1.0


PIECE_WEIGHTS = PieceWeights()


@dataclass(frozen=True, slots=True)
class RankedPiece:
    """A piece with its score, and how much the question asks for its label."""

    piece: Evidence
    score: float
    asked: float


def is_network(piece: Evidence) -> bool:
    return piece["tool"] in (RETRIEVAL, QUERY)


def value_of(piece: Evidence) -> str:
    return piece.get("value", "")


def subject_of(piece: Evidence) -> str:
    return piece["entities"][0]


def of_network(network_id: str, evidence: Sequence[Evidence]) -> list[Evidence]:
    """Return the pieces of one network: another one may have the same ids and names."""
    return [piece for piece in evidence if piece["library"] == network_id]


def ranked(question: str, evidence: Sequence[Evidence]) -> list[RankedPiece]:
    """Return the pieces of networks, best first; ties stay as they came."""
    pieces = [piece for piece in evidence if is_network(piece)]
    order = {call: at for at, call in enumerate(dict.fromkeys(piece["call"] for piece in pieces))}
    plain = without_names(question, pieces)
    pairs, rows = bigrams(plain), list[RankedPiece]()
    for piece in pieces:
        asked = asks_for(plain, label_of(piece))
        near = (piece["score"] or 0.0) * PIECE_WEIGHTS.later_call ** order[piece["call"]]
        named = any(has_name(name, question) for name in piece["entities"][:1])
        shared = len(pairs & bigrams(value_of(piece))) / max(1, len(pairs))
        total = PIECE_WEIGHTS.entity * (near + PIECE_WEIGHTS.named * named) + asked + PIECE_WEIGHTS.shared * shared
        rows.append(RankedPiece(piece, total, asked))
    return sorted(rows, key=lambda row: -row.score)


def has_name(name: str, question: str) -> bool:
    """Return True if a question has a name, in brackets' form or without."""
    return any(form in question for form in (name, *forms(name)[:1]))


def without_names(question: str, pieces: Sequence[Evidence]) -> str:
    """Return a question with the names of the pieces' instances blanked."""
    names = dict.fromkeys(form for piece in pieces for name in piece["entities"] for form in (name, *forms(name)[:1]))
    for name in sorted(names, key=len, reverse=True):
        question = question.replace(name, " ")
    return question


def is_asked(row: RankedPiece) -> bool:
    """Return True if a question asks for just this label, or for a text on the whole."""
    return row.asked >= ASKED or (TOLD.search(label_of(row.piece)) is not None and row.asked > WHOLE_LEAST)


def neighbours(name: str, evidence: Sequence[Evidence]) -> list[Pair]:
    """Return the instances that relations join with one, each with its piece."""
    relations = [one for one in evidence if one["kind"] == "relation" and name in one["entities"]]
    return [(other, one) for one in relations for other in one["entities"] if other != name]


def way(one: str, other: str, evidence: Sequence[Evidence]) -> list[Evidence]:
    """Return the shortest way of relations between two instances, [] where none is told."""
    ways: dict[str, list[Evidence]] = {one: []}
    for _ in range(LONGEST_WAY):
        for name, path in list(ways.items()):
            for beside, piece in neighbours(name, evidence):
                ways.setdefault(beside, [*path, piece])
        if other in ways:
            return ways[other]
    return []


MESSAGES = 14  # of a talk are looked at
GRAM = 4  # characters that a message and a value must share to be about the same
FULL_QUOTE = 10  # characters shared from which a message surely speaks of an instance
FULL_NAME = 3  # characters of a name from which it is no chance
LEAST = 0.02
MOST_ASKED = 3.0
READ = 200  # characters of an earlier answer


@dataclass(frozen=True, slots=True, kw_only=True)
class FocusWeights:
    """Weights chosen on one half of a development set of talks, checked on the other; small changes matter little."""

    decay: float = 0.75
    named: float = 1.6
    quoted: float = 0.6
    by_value: float = 0.5
    inside_quote: float = 0.25
    again: float = 0.2
    shared_name: float = 0.5
    on_stack: float = 0.1
    asked: float = 0.35
    said: float = 1.0
    gender: float = 0.6
    kind: float = 0.6


FOCUS_WEIGHTS = FocusWeights()


@dataclass(frozen=True, slots=True)
class Focus:
    """An instance that a question may be about; `named`: the question itself says so."""

    known: KnownInstance
    score: float
    named: bool = False


@dataclass(slots=True)
class NetworkTalk:
    """What has been said, as far as it concerns the network: how present each instance is, which values were told."""

    lexicon: Lexicon
    present: dict[int, float] = field(default_factory=lambda: defaultdict(float))
    instances: dict[int, KnownInstance] = field(default_factory=dict)
    told: set[tuple[int, str]] = field(default_factory=set)

    def fade(self) -> None:
        for key in self.present:
            self.present[key] *= FOCUS_WEIGHTS.decay

    def meet(self, known: KnownInstance) -> int:
        self.instances[id(known)] = known
        return id(known)

    def hear(self, message: str) -> None:
        """Take in one message: the instances it names, and those whose values it quotes."""
        self.fade()
        for one, worth in self.lexicon.valued(message):
            key = self.meet(one)
            self.present[key] = max(self.present[key], FOCUS_WEIGHTS.by_value * worth)
        mentions = self.lexicon.named_in(message)
        named = {self.meet(one) for mention in mentions for one in instances_meant(mention, self.lexicon)}
        quotes = self.quotes(message, named)
        most = max((sum(quote) for quote in quotes.values()), default=0)
        for key, quote in quotes.items():
            share = sum(quote) / most * min(1.0, sum(quote) / FULL_QUOTE)
            self.present[key] += FOCUS_WEIGHTS.quoted * share
        for mention in mentions:
            keys = {id(one) for one in instances_meant(mention, self.lexicon)}
            span = slice(mention.start, mention.end)
            inside = any(all(quote[span]) for key, quote in quotes.items() if key not in keys)
            worth = presence(mention, len(keys)) * (FOCUS_WEIGHTS.inside_quote if inside else 1.0)
            for key in keys:
                before = self.present[key]
                self.present[key] = max(before, worth) + FOCUS_WEIGHTS.again * min(before, worth)

    def quotes(self, message: str, named: set[int]) -> dict[int, list[bool]]:
        """Return which characters of a message are an instance's own values; names of instances are none."""
        keys = [key for key in {*self.present, *named} if self.present.get(key, 0.0) > 0 or key in named]
        names = [form for key in keys for form in (self.instances[key].name, *forms(self.instances[key].name))]
        found = {}
        for key in keys:
            one = self.instances[key]
            quote = shared(message, one.text, names)
            if any(quote):
                found[key] = quote
            for label, held in one.values.items():
                if any(value in message for value in held if value not in self.lexicon.by_name):
                    self.told.add((key, label))
        return found

    def asked(self, question: str) -> list[Focus]:
        """Return the instances that a question may be about, likeliest first."""
        self.fade()
        mentions = self.lexicon.named_in(question)
        named: set[int] = set()
        for mention in mentions:
            for one in (known := instances_meant(mention, self.lexicon)):
                key = self.meet(one)
                named.add(key)
                worth = FOCUS_WEIGHTS.named * presence(mention, len(known))
                self.present[key] = max(self.present[key], worth) + FOCUS_WEIGHTS.again * self.present[key]
        plain = blanked(question, mentions)
        found = [
            Focus(self.instances[key], worth + self.fitness(key, plain), key in named)
            for key, worth in self.present.items()
            if worth >= LEAST
        ]
        return sorted(found, key=lambda one: (-one.score, one.known.name, one.known.id))

    def fitness(self, key: int, question: str) -> float:
        """Return how well an instance fits what is asked: its labels, what was told already, its kind."""
        known = self.instances[key]
        labels = known.labels
        asked = max(
            (
                asks_for(question, label) - FOCUS_WEIGHTS.said * ((key, label) in self.told)
                for label in labels
                if not TOLD.search(label)
            ),
            default=0.0,
        )
        fit = FOCUS_WEIGHTS.asked * min(max(asked, 0.0), MOST_ASKED)
        person, thing = bool(PERSON.search(question)), bool(THING.search(question))
        if person != thing and is_person(labels) == person:
            fit += FOCUS_WEIGHTS.gender
        if any(noun in labels for noun in kinds_meant(question)):
            fit -= FOCUS_WEIGHTS.kind  # 那位船长 is the captain, not the ship that has one
        return fit


def instances_meant(mention: NameMention, lexicon: Lexicon) -> list[KnownInstance]:
    names = dict.fromkeys(candidate.entity for candidate in mention.candidates)
    return [one for name in names for one in lexicon.known(name)]


def presence(mention: NameMention, meanings: int) -> float:
    """Return what a mention is worth: a long spelling of one instance most."""
    size = min(1.0, (mention.end - mention.start) / FULL_NAME + 0.2)
    return size / float(max(1, meanings) ** FOCUS_WEIGHTS.shared_name)


def shared(message: str, text: str, names: Iterable[str]) -> list[bool]:
    """Return which characters of a message stand in a text too, in pieces of at least GRAM that are no name."""
    quote = [False] * len(message)
    at = 0
    while at + GRAM <= len(message):
        end = at + GRAM
        if message[at:end] not in text:
            at += 1
            continue
        while end < len(message) and message[at : end + 1] in text:
            end += 1
        if not any(message[at:end].strip("，。、的《》 ") in name for name in names):
            quote[at:end] = [True] * (end - at)
        at = end
    return quote


def focus_of(question: str, session: Session, lexicon: Lexicon) -> list[Focus]:
    talk = NetworkTalk(lexicon)
    for at, entity in enumerate(session["entities"]):
        for one in lexicon.known(entity["name"]):
            talk.present[talk.meet(one)] = FOCUS_WEIGHTS.on_stack / (1 + at)
    # What was said last, oldest first; who asks back with the words of the answer says them once.
    said = [text for turn in session["turns"] for text in (turn["question"], turn["answer"][:READ]) if text.strip()]
    for message in [text for at, text in enumerate(said) if at == 0 or said[at - 1] != text][-MESSAGES:]:
        talk.hear(message)
    return talk.asked(question)
