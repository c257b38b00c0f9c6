"""Outcomes as a table per question type, and as plain data."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from statistics import quantiles
from typing import Any

from rich.table import Table

from wenmai.experiments.evaluators import MEASURES
from wenmai.experiments.runner import Outcome

ALL = "all"
DEGRADED = "degraded"  # turns that the offline mind finished: their figures are not the model's
FAILED = "failed"  # turns without an answer: they count as wrong, though nobody answered
COUNTED = ("n", "tokens", DEGRADED, FAILED)
Row = dict[str, float | int | None]


def mean(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None


def percentile(values: Sequence[float], percent: int) -> float:
    return values[0] if len(values) == 1 else quantiles(values, n=100, method="inclusive")[percent - 1]


def summary(outcomes: Sequence[Outcome]) -> Row:
    """Return the number of turns, the mean of each measure, the seconds per turn, what they cost, what went wrong."""
    seconds = [outcome.seconds for outcome in outcomes]
    names = dict.fromkeys([*MEASURES, *(name for outcome in outcomes for name in outcome.scores)])
    means = {name: mean(outcome.scores.get(name) for outcome in outcomes) for name in names}
    times = {"p50_s": percentile(seconds, 50), "p95_s": percentile(seconds, 95)}
    return {"n": len(outcomes), **means, **times, **spent(outcomes), **troubled(outcomes)}


def troubled(outcomes: Sequence[Outcome]) -> Row:
    """Return how many turns were degraded and how many failed, each only where there are any."""
    counts = {
        DEGRADED: sum(bool(outcome.record.get("degraded")) for outcome in outcomes),
        FAILED: sum(outcome.failed for outcome in outcomes),
    }
    return {name: count for name, count in counts.items() if count}


def spent(outcomes: Sequence[Outcome]) -> Row:
    """Return tokens and USD of answers and judges; USD is None where a price is not known, {} without a model."""
    costs = [cost for outcome in outcomes for cost in outcome.costs if cost]
    if not costs:
        return {}
    sums = [cost["cost_usd"] for cost in costs]
    return {"tokens": sum(cost["total_tokens"] for cost in costs), "usd": None if None in sums else sum(sums)}


def by_type(outcomes: Sequence[Outcome]) -> dict[str, Row]:
    groups: dict[str, list[Outcome]] = {}
    for outcome in outcomes:
        groups.setdefault(outcome.turn.type, []).append(outcome)
    return {name: summary(group) for name, group in groups.items()} | ({ALL: summary(outcomes)} if outcomes else {})


def table(rows: Mapping[str, Row]) -> Table:
    # The row of all has each column that any other has.
    columns = list(rows.get(ALL, ["n", *MEASURES, "p50_s", "p95_s"]))
    drawn = Table("type", *columns)
    for name, row in rows.items():
        drawn.add_row(name, *(cell(column, row.get(column)) for column in columns), end_section=name == ALL)
    return drawn


def cell(column: str, value: float | None) -> str:
    """Return a figure as text: shares in percent, seconds in three decimals, money in four; ? is an unknown price."""
    if value is None:
        return "?" if column == "usd" else "-"
    if column in COUNTED:
        return f"{value:,}"
    if column == "usd":
        return f"{value:.4f}"
    return f"{value:.3f}" if column.endswith("_s") else f"{value:.0%}"


def plain(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    return {"types": by_type(outcomes), "turns": [plain_turn(outcome) for outcome in outcomes]}


def plain_turn(outcome: Outcome) -> dict[str, Any]:
    """Return a turn as plain data: what was asked, understood and answered, and its measures."""
    record = outcome.record
    return {
        "id": outcome.turn.id,
        "type": outcome.turn.type,
        "question": outcome.turn.question,
        "resolved_question": record["resolved_question"],
        "answer": record["answer"],
        "status": record.get("status"),
        "confidence": record.get("confidence"),
        "score": record["grade"]["score"] if record["grade"] else None,
        "passed": record["passed"],
        "scores": dict(outcome.scores),
        "seconds": round(outcome.seconds, 4),
        "trace": record["trace"],
        "mind": record.get("mind"),
        DEGRADED: bool(record.get("degraded")),
        FAILED: outcome.failed,
        "warning": record.get("warning"),
        "usage": record.get("usage") or {},
        "judged": asdict(outcome.judged) if outcome.judged else None,
    }
