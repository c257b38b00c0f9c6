"""Pieces of networks in order for a question: of the instance it is about, under the label it asks for."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from state.schema import Evidence
from tools.networks.knowledge_network_query import NAME as QUERY
from tools.networks.knowledge_network_retrieval import NAME as RETRIEVAL
from tools.networks.lexicon import forms
from tools.text.scripts import bigrams
from wenmai.minds.offline.networks.asking import ASKED, TABLES, TOLD, asks_for

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


WEIGHTS = PieceWeights()


@dataclass(frozen=True, slots=True)
class RankedPiece:
    """A piece with its score, and how much the question asks for its label."""

    piece: Evidence
    score: float
    asked: float


def is_network(piece: Evidence) -> bool:
    """Return True if a piece comes from a network."""
    return piece["tool"] in (RETRIEVAL, QUERY)


def label_of(piece: Evidence) -> str:
    """Return the label of a property or relation."""
    return (piece["location"] or "").rpartition(" / ")[2]


def value_of(piece: Evidence) -> str:
    """Return what a piece tells under its label."""
    return piece.get("value", "")


def subject_of(piece: Evidence) -> str:
    """Return whose property or relation it is."""
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
    """Score one piece."""
    asked = asks_for(plain, label_of(piece))
    near = (piece["score"] or 0.0) * WEIGHTS.later_call ** order[piece["call"]]
    named = any(called(name, question) for name in piece["entities"][:1])
    pairs = bigrams(plain)
    shared = len(pairs & bigrams(value_of(piece))) / max(1, len(pairs))
    total = WEIGHTS.entity * (near + WEIGHTS.named * named) + asked + WEIGHTS.shared * shared
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
