"""Measures of one answered turn, pure functions of expectation and result record.

Each returns 0.0 to 1.0, or None where the turn says nothing about it. Quotes are compared without blanks.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from wenmai.experiments.datasets import HISTORIES, Turn

TOP = 10
"""Pieces of evidence that recall looks at."""

Record = Mapping[str, Any]
Names = Mapping[str, Sequence[str]]
Measure = Callable[[Turn, Record, Names], float | None]


def squeeze(text: str) -> str:
    return "".join(text.split())


def holds_gold(turn: Turn, text: str) -> bool:
    squeezed = squeeze(text)
    return any(squeeze(gold.quote) in squeezed for gold in turn.gold)


def recall(turn: Turn, record: Record, names: Names) -> float | None:
    """Return True if a gold quote stands in one of the first ten pieces of evidence."""
    if not turn.gold:
        return None
    return float(any(holds_gold(turn, piece["text"]) for piece in record["evidence"][:TOP]))


def cited(turn: Turn, record: Record, names: Names) -> float | None:
    """Return True if a gold quote stands in a cited piece of evidence, or in the quote of a citation."""
    if not turn.gold:
        return None
    texts = {piece["id"]: piece["text"] for piece in record["evidence"]}
    shown = [text for c in record["citations"] for text in (c["quote"], texts.get(c["evidence"], ""))]
    return float(any(holds_gold(turn, text) for text in shown))


def words(turn: Turn, record: Record, names: Names) -> float | None:
    """Return True if the answer holds a word of each expected group, upper and lower case being equal."""
    if not turn.expect:
        return None
    answer = squeeze(record["answer"]).casefold()
    return float(all(any(squeeze(word).casefold() in answer for word in group) for group in turn.expect))


def chapters(turn: Turn, record: Record, names: Names) -> float | None:
    """Return the share of gold chapters that stand among the evidence, for histories."""
    if turn.type not in HISTORIES or not turn.gold:
        return None
    found = {(piece["part"], piece["chapter"]) for piece in record["evidence"]}
    found |= {(None, chapter) for _, chapter in found}
    gold = {(item.part, item.chapter) for item in turn.gold}
    return len(gold & found) / len(gold)


def refused(turn: Turn, record: Record, names: Names) -> float | None:
    """Return True if a question without an answer in the story was refused."""
    return None if turn.answerable else float(is_refusal(record))


def wrongly_refused(turn: Turn, record: Record, names: Names) -> float | None:
    """Return True if a question that the story answers was refused; the less the better."""
    return float(is_refusal(record)) if turn.answerable else None


def resolved(turn: Turn, record: Record, names: Names) -> float | None:
    """Return True if the resolved question of a follow-up holds every right name, or an alias of it."""
    if turn.self_contained is not False or not turn.names:
        return None
    question = record["resolved_question"]
    return float(all(any(spelling in question for spelling in names.get(name, (name,))) for name in turn.names))


def unchanged(turn: Turn, record: Record, names: Names) -> float | None:
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


def measure(turn: Turn, record: Record, names: Names) -> dict[str, float | None]:
    return {name: evaluate(turn, record, names) for name, evaluate in MEASURES.items()}
