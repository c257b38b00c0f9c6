"""Runs conversations on an agent and measures every turn."""

import time
import uuid
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from typing_extensions import Unpack

from state.context import ContextFields
from wenmai.experiments.datasets import Conversation, Turn
from wenmai.experiments.evaluators import Names, measure

if TYPE_CHECKING:
    from wenmai.experiments.judges import Judged


class Answered(Protocol):
    @property
    def record(self) -> dict[str, Any]: ...


class Asker(Protocol):
    """What answers questions: `wenmai.Agent`, or a fake."""

    async def ask(
        self, question: str, *, thread_id: str | None = None, **context: Unpack[ContextFields]
    ) -> Answered: ...


class Judging(Protocol):
    async def __call__(self, turn: Turn, record: Mapping[str, Any]) -> "Judged":
        """Return scores, reasons and cost."""
        ...


@dataclass(frozen=True, slots=True)
class Outcome:
    """A turn with its result, its measures, its seconds, and what the judges say where there are any."""

    turn: Turn
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
        """The usage records of the answer and of the judges; {} where no model was asked."""
        return [self.record.get("usage") or {}, self.judged.usage if self.judged else {}]


async def run(
    agent: Asker,
    conversations: Iterable[Conversation],
    names: Names,
    *,
    context: Mapping[str, Any],
    clock: Callable[[], float] = time.perf_counter,
    judge: Judging | None = None,
) -> AsyncIterator[Outcome]:
    """Yield the outcome of every turn; each conversation has a new thread, one turn runs at a time."""
    for conversation in conversations:
        async for outcome in play(agent, conversation, names, context=context, clock=clock, judge=judge):
            yield outcome


async def play(
    agent: Asker,
    conversation: Conversation,
    names: Names,
    *,
    context: Mapping[str, Any],
    clock: Callable[[], float] = time.perf_counter,
    judge: Judging | None = None,
) -> AsyncIterator[Outcome]:
    thread = str(uuid.uuid4())
    for turn in conversation.turns:
        started = clock()
        answer = await agent.ask(turn.question, thread_id=thread, **context)
        seconds = clock() - started
        scores, judged = measure(turn, answer.record, names), None
        if judge:
            judged = await judge(turn, answer.record)
            scores |= judged.scores
        yield Outcome(turn, answer.record, scores, seconds, judged)


def limited(conversations: Sequence[Conversation], most: int | None) -> list[Conversation]:
    """Return the first conversations that hold at most `most` turns together; None: all."""
    kept: list[Conversation] = []
    left = most
    for conversation in conversations:
        if left is None:
            kept.append(conversation)
        elif left > 0:
            kept.append(Conversation(conversation.id, conversation.turns[:left]))
            left -= len(kept[-1].turns)
    return kept
