"""Questions with what a good answer must show, read from JSON lines, and the measures of an answer.

A measure is a pure function of expectation and result record: 0.0 to 1.0, or None where the turn says nothing about it.
Quotes are compared without blanks.
"""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter
from pydantic.dataclasses import dataclass

from tools.errors import InputError
from tools.messages import Message

HISTORIES = frozenset({"history", "growth", "evolution", "relation_over_time"})
"""Types whose answer is a course of events: their measure is the share of gold chapters among the evidence."""
SESSION = "session"
TOP = 10  # pieces of evidence that recall looks at

Record = Mapping[str, Any]
Names = Mapping[str, Sequence[str]]
Measure = Callable[["ExpectedTurn", Record, Names], float | None]


@dataclass(frozen=True, slots=True)
class Gold:
    """A verbatim quote that supports the answer; `part` is None where the story has only one."""

    quote: str
    chapter: int | None = None
    part: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpectedTurn:
    """A question with its expectations.

    Attributes:
        expect: each inner list is met by any of its words in the answer; all must be met.
        names: canonical names that the resolved question must hold; None where nothing is said about them.
        self_contained: True: must stay unchanged; None where nothing is said.
    """

    id: str
    type: str
    question: str
    gold: tuple[Gold, ...] = ()
    expect: tuple[tuple[str, ...], ...] = ()
    answerable: bool = True
    names: tuple[str, ...] | None = None
    self_contained: bool | None = None


TURN = TypeAdapter(ExpectedTurn)


@dataclass(frozen=True, slots=True)
class ExpectedTalk:
    """Turns of one thread, in order; a single question is a conversation of one turn."""

    id: str
    turns: tuple[ExpectedTurn, ...]


def load_questions(path: Path) -> list[ExpectedTalk]:
    """Read single questions; rows of the same `session` form one conversation. Raises InputError."""
    groups: dict[str, list[ExpectedTurn]] = {}
    for row in rows(path):
        groups.setdefault(str(row.get("session") or row["id"]), []).append(TURN.validate_python(row))
    return [ExpectedTalk(name, tuple(turns)) for name, turns in groups.items()]


def load_sessions(path: Path) -> list[ExpectedTalk]:
    return [
        ExpectedTalk(
            row["id"],
            tuple(
                TURN.validate_python({**entry, "id": f"{row['id']}.{number}", "type": SESSION})
                for number, entry in enumerate(row["turns"], 1)
            ),
        )
        for row in rows(path)
    ]


def rows(path: Path) -> Iterable[dict[str, Any]]:
    """Give the objects of a JSON-lines file. Raises InputError that names the line."""
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if line.strip():
            try:
                yield json.loads(line)
            except ValueError as error:
                raise InputError(Message("experiment.not_json", path=path, number=number, reason=error)) from error


def load_aliases(path: Path) -> dict[str, tuple[str, ...]]:
    mention = json.loads(path.read_text(encoding="utf-8"))["mention"]
    return {name: (name, *aliases) for name, aliases in mention.items()}


def squeeze(text: str) -> str:
    return "".join(text.split())


def holds_gold(turn: ExpectedTurn, text: str) -> bool:
    squeezed = squeeze(text)
    return any(squeeze(gold.quote) in squeezed for gold in turn.gold)


def recall(turn: ExpectedTurn, record: Record, names: Names) -> float | None:
    """Return True if a gold quote stands in one of the first ten pieces of evidence."""
    if not turn.gold:
        return None
    return float(any(holds_gold(turn, piece["text"]) for piece in record["evidence"][:TOP]))


def cited(turn: ExpectedTurn, record: Record, names: Names) -> float | None:
    """Return True if a gold quote stands in a cited piece of evidence, or in the quote of a citation."""
    if not turn.gold:
        return None
    texts = {piece["id"]: piece["text"] for piece in record["evidence"]}
    shown = [text for c in record["citations"] for text in (c["quote"], texts.get(c["evidence"], ""))]
    return float(any(holds_gold(turn, text) for text in shown))


def words(turn: ExpectedTurn, record: Record, names: Names) -> float | None:
    """Return True if the answer holds a word of each expected group, upper and lower case being equal."""
    if not turn.expect:
        return None
    answer = squeeze(record["answer"]).casefold()
    return float(all(any(squeeze(word).casefold() in answer for word in group) for group in turn.expect))


def chapters(turn: ExpectedTurn, record: Record, names: Names) -> float | None:
    """Return the share of gold chapters that stand among the evidence, for histories."""
    if turn.type not in HISTORIES or not turn.gold:
        return None
    found = {(piece["part"], piece["chapter"]) for piece in record["evidence"]}
    found |= {(None, chapter) for _, chapter in found}
    gold = {(item.part, item.chapter) for item in turn.gold}
    return len(gold & found) / len(gold)


def refused(turn: ExpectedTurn, record: Record, names: Names) -> float | None:
    """Return True if a question without an answer in the story was refused."""
    return None if turn.answerable else float(is_refusal(record))


def wrongly_refused(turn: ExpectedTurn, record: Record, names: Names) -> float | None:
    """Return True if a question that the story answers was refused; the less the better."""
    return float(is_refusal(record)) if turn.answerable else None


def resolved(turn: ExpectedTurn, record: Record, names: Names) -> float | None:
    """Return True if the resolved question of a follow-up holds every right name, or an alias of it."""
    if turn.self_contained is not False or not turn.names:
        return None
    question = record["resolved_question"]
    return float(all(any(spelling in question for spelling in names.get(name, (name,))) for name in turn.names))


def unchanged(turn: ExpectedTurn, record: Record, names: Names) -> float | None:
    """Return True if a self-contained question stayed as it was, character for character."""
    return float(record["resolved_question"] == turn.question) if turn.self_contained else None


def is_refusal(record: Record) -> bool:
    """Return True if an answer says that nothing was found; words behind the refusal make it no answer."""
    return record.get("status") == "not_found"


MEASURES: dict[str, Measure] = {
    "recall@10": recall,
    "cited": cited,
    "words": words,
    "chapters": chapters,
    "refused": refused,
    "wrongly_refused": wrongly_refused,
    "resolved": resolved,
    "unchanged": unchanged,
}


def measure(turn: ExpectedTurn, record: Record, names: Names) -> dict[str, float | None]:
    return {name: evaluate(turn, record, names) for name, evaluate in MEASURES.items()}
