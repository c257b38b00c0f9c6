"""What of an instance a question asks for: labels in their own or the usual words; pieces of networks in that order."""

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Any

from state.schema import Evidence
from tools.networks.knowledge_network_query import NAME as QUERY
from tools.networks.knowledge_network_retrieval import NAME as RETRIEVAL
from tools.networks.lexicon import forms
from tools.networks.likeness import bigrams, plain
from tools.networks.words import MEASURES
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
LONGEST_KIND, NOUN = 8, "n"  # characters that are cut into words, and the tag of a noun
ASKED = 0.8  # from here on a label is asked for


@dataclass(frozen=True, slots=True)
class Rule:
    """What is asked, which labels may answer, and whether it is asked in general."""

    asked: re.Pattern[str]
    told: re.Pattern[str]
    general: bool


def _rule(row: str) -> Rule:
    asked, told = row.removeprefix("~").split(" | ")
    return Rule(re.compile(asked.strip(), re.I), re.compile(told.strip(), re.I), row.startswith("~"))


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
    text, name = plain(question), plain(label)
    if TOLD.search(name):
        return WEIGHTS.whole if asks_whole(text) else WEIGHTS.anyway
    if name in text:
        return WEIGHTS.verbatim + WEIGHTS.by_length * len(name)
    if KEY.search(name):
        return 0.0
    part = WEIGHTS.part * part_of(name, text)
    listed = WEIGHTS.listed * any(noun[0] in name for noun in LISTED_NOUN.findall(text))
    fitting = [rule for rule in RULES if rule.told.search(name)]
    return max([part, listed, *(worth(rule, found) for rule in fitting for found in rule.asked.finditer(text))])


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


def worth(rule: Rule, found: re.Match[str]) -> float:
    """Return what one rule's words are worth: long ones more."""
    return (WEIGHTS.general if rule.general else WEIGHTS.usual) + WEIGHTS.by_length * len(found[0])


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


def label_of(piece: Evidence) -> str:
    return (piece["location"] or "").rpartition(" / ")[2]


def value_of(piece: Evidence) -> str:
    """Return what a piece tells under its label."""
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
    return sorted((scored(piece, question, plain, order) for piece in pieces), key=lambda row: -row.score)


def scored(piece: Evidence, question: str, plain: str, order: Mapping[int, int]) -> RankedPiece:
    asked = asks_for(plain, label_of(piece))
    near = (piece["score"] or 0.0) * PIECE_WEIGHTS.later_call ** order[piece["call"]]
    named = any(called(name, question) for name in piece["entities"][:1])
    pairs = bigrams(plain)
    shared = len(pairs & bigrams(value_of(piece))) / max(1, len(pairs))
    total = PIECE_WEIGHTS.entity * (near + PIECE_WEIGHTS.named * named) + asked + PIECE_WEIGHTS.shared * shared
    return RankedPiece(piece, total, asked)


def called(name: str, question: str) -> bool:
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
