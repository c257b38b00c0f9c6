"""Runs conversations on an agent and measures every turn."""

import time
import uuid
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from wenmai.experiments.datasets import Conversation, Turn
from wenmai.experiments.evaluators import Names, measure


class Answered(Protocol):
    """An answer with its result record."""

    @property
    def record(self) -> dict[str, Any]:
        """The result record (LOP-08)."""
        ...


class Asker(Protocol):
    """What answers questions: `wenmai.Agent`, or a fake."""

    async def ask(self, question: str, *, thread_id: str | None = None, **context: Any) -> Answered:
        """Answer a question on a thread."""
        ...


@dataclass(frozen=True, slots=True)
class Outcome:
    """A turn with its result, its measures and its seconds."""

    turn: Turn
    record: Mapping[str, Any]
    scores: Mapping[str, float | None]
    seconds: float


async def run(
    agent: Asker,
    conversations: Iterable[Conversation],
    names: Names,
    *,
    context: Mapping[str, Any],
    clock: Callable[[], float] = time.perf_counter,
) -> AsyncIterator[Outcome]:
    """Yield the outcome of every turn; each conversation has a new thread, one turn runs at a time."""
    for conversation in conversations:
        async for outcome in play(agent, conversation, names, context=context, clock=clock):
            yield outcome


async def play(
    agent: Asker,
    conversation: Conversation,
    names: Names,
    *,
    context: Mapping[str, Any],
    clock: Callable[[], float] = time.perf_counter,
) -> AsyncIterator[Outcome]:
    """Yield the outcomes of one conversation."""
    thread = str(uuid.uuid4())
    for turn in conversation.turns:
        started = clock()
        answer = await agent.ask(turn.question, thread_id=thread, **context)
        seconds = clock() - started
        yield Outcome(turn, answer.record, measure(turn, answer.record, names), seconds)


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
