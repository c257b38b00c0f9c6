"""Runs conversations on an agent, measures every turn, and sums the outcomes up per question type."""

import time
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from statistics import quantiles
from typing import TYPE_CHECKING, Any, Protocol

from rich.table import Table
from typing_extensions import Unpack

from state.context import ContextFields
from wenmai.experiments.questions import MEASURES, ExpectedTalk, ExpectedTurn, Names, measure

if TYPE_CHECKING:
    from wenmai.experiments.judge import Judged

ALL = "all"
DEGRADED = "degraded"  # turns that the offline mind finished: their figures are not the model's
FAILED = "failed"  # turns without an answer: they count as wrong, though nobody answered
COUNTED = ("n", "tokens", DEGRADED, FAILED)
Row = dict[str, float | int | None]
Judging = Callable[[ExpectedTurn, Mapping[str, Any]], Awaitable["Judged"]]


class AskedAnswer(Protocol):
    @property
    def record(self) -> dict[str, Any]: ...


class QuestionAsker(Protocol):
    """What answers questions: `wenmai.Agent`, or a fake."""

    async def ask(
        self, question: str, *, thread_id: str | None = None, **context: Unpack[ContextFields]
    ) -> AskedAnswer: ...


@dataclass(frozen=True, slots=True)
class TurnOutcome:
    """A turn with its result, its measures, its seconds, and what the judge says where there is one."""

    turn: ExpectedTurn
    record: Mapping[str, Any]
    scores: Mapping[str, float | None]
    seconds: float
    judged: "Judged | None" = None

    @property
    def failed(self) -> bool:
        """Whether nobody answered: an apology stands in the answer's place."""
        return bool(self.record["status"] == "failed")

    @property
    def costs(self) -> list[Mapping[str, Any]]:
        """The usage records of the answer and of the judge; {} where no model was asked."""
        return [self.record.get("usage") or {}, self.judged.usage if self.judged else {}]


async def run(
    agent: QuestionAsker,
    conversations: Iterable[ExpectedTalk],
    names: Names,
    *,
    context: Mapping[str, Any],
    clock: Callable[[], float] = time.perf_counter,
    judge: Judging | None = None,
) -> AsyncIterator[TurnOutcome]:
    """Yield the outcome of every turn; each conversation has a new thread, one turn runs at a time."""
    for conversation in conversations:
        thread = str(uuid.uuid4())
        for turn in conversation.turns:
            started = clock()
            answer = await agent.ask(turn.question, thread_id=thread, **context)
            seconds = clock() - started
            scores, judged = measure(turn, answer.record, names), None
            if judge:
                judged = await judge(turn, answer.record)
                scores |= judged.scores
            yield TurnOutcome(turn, answer.record, scores, seconds, judged)


def first_turns(conversations: Sequence[ExpectedTalk], most: int | None) -> list[ExpectedTalk]:
    kept: list[ExpectedTalk] = []
    left = most
    for conversation in conversations:
        if left is None:
            kept.append(conversation)
        elif left > 0:
            kept.append(ExpectedTalk(conversation.id, conversation.turns[:left]))
            left -= len(kept[-1].turns)
    return kept


def mean(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None


def percentile(values: Sequence[float], percent: int) -> float:
    return values[0] if len(values) == 1 else quantiles(values, n=100, method="inclusive")[percent - 1]


def summary(outcomes: Sequence[TurnOutcome]) -> Row:
    """Return the number of turns, the mean of each measure, the seconds per turn, what they cost, what went wrong."""
    seconds = [outcome.seconds for outcome in outcomes]
    names = dict.fromkeys([*MEASURES, *(name for outcome in outcomes for name in outcome.scores)])
    means = {name: mean(outcome.scores.get(name) for outcome in outcomes) for name in names}
    times = {"p50_s": percentile(seconds, 50), "p95_s": percentile(seconds, 95)}
    troubled = {
        DEGRADED: sum(bool(outcome.record.get("degraded")) for outcome in outcomes),
        FAILED: sum(outcome.failed for outcome in outcomes),
    }
    return {"n": len(outcomes), **means, **times, **spent(outcomes), **{name: n for name, n in troubled.items() if n}}


def spent(outcomes: Sequence[TurnOutcome]) -> Row:
    """Return tokens and USD of answers and the judge; USD is None where a price is not known, {} without a model."""
    costs = [cost for outcome in outcomes for cost in outcome.costs if cost]
    if not costs:
        return {}
    sums = [cost["cost_usd"] for cost in costs]
    return {"tokens": sum(cost["total_tokens"] for cost in costs), "usd": None if None in sums else sum(sums)}


def by_type(outcomes: Sequence[TurnOutcome]) -> dict[str, Row]:
    groups: dict[str, list[TurnOutcome]] = {}
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


def plain(outcomes: Sequence[TurnOutcome]) -> dict[str, Any]:
    return {"types": by_type(outcomes), "turns": [plain_turn(outcome) for outcome in outcomes]}


def plain_turn(outcome: TurnOutcome) -> dict[str, Any]:
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
