"""Answers from networks: the values under the asked label, quoted with their marks; a refusal where none is held."""

from collections.abc import Sequence

from state.context import Language
from state.schema import Evidence
from wenmai.minds.offline.networks.asking import ASKED, TOLD, WEIGHTS, asks_for, asks_whole
from wenmai.minds.offline.networks.ranking import (
    RankedPiece,
    called,
    is_asked,
    label_of,
    ranked,
    subject_of,
    value_of,
    without_names,
)
from wenmai.minds.offline.networks.telling import MOST_VALUES, Teller, best_sentence

CARD = 4  # properties that tell who or what something is, where no text does
Subject = tuple[str, str]
"""Network and name of an instance: another network may have the name too."""


def network_draft(question: str, evidence: Sequence[Evidence], language: Language, labels: Sequence[str]) -> str | None:
    """Return the answer that networks give, None where they hold none.

    Args:
        question: the resolved one.
        evidence: all of the attempt; marks are numbered by it.
        language: of the answer's own words.
        labels: every label of the networks: one that is asked for and not held here is not answered by another.
    """
    rows = ranked(question, evidence)
    if not rows:
        return None
    plain = without_names(question, [row.piece for row in rows])
    groups = [answering(rows, subject, plain, labels) for subject in subjects_of(question, rows)]
    lines = [line for group in groups if group for line in lines_of(group, Teller(evidence, language, plain))]
    return "\n".join(lines) or None


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
        return [row for row in own if tells(row)][:CARD]
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


def tells(row: RankedPiece) -> bool:
    """Return True if a piece says more of an instance than its id and its name."""
    return value_of(row.piece) not in (row.piece["source"], subject_of(row.piece))


def lines_of(rows: Sequence[RankedPiece], teller: Teller) -> list[str]:
    """Return the values of one label, each with its mark; a card of several labels line by line."""
    held: dict[tuple[str, str], list[Evidence]] = {}
    for row in rows:
        held.setdefault((subject_of(row.piece), label_of(row.piece)), []).append(row.piece)
    return [teller.line(subject, label, pieces) for (subject, label), pieces in held.items()]
