"""What a turn taught: who finds it, and the memory that it becomes, with its key, type and origin."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, Protocol
from uuid import NAMESPACE_OID, uuid5

from nodes.results.citations import letters
from state.context import Language
from state.result import KeptMemory, Outcome
from tools.memory.records import FROM_TURN, GENERAL, Keyword, Memory

LessonKind = Literal["fact", "preference", "decision", "summary"]
TYPES: dict[LessonKind, str] = {
    "fact": "fact",
    "preference": "user_preference",
    "decision": "decision",
    "summary": GENERAL,
}
AGENT = "wenmai"
SUMMARY_CHARACTERS = 80
MARK = re.compile(r"\[\d+\]")


@dataclass(frozen=True, slots=True, kw_only=True)
class LearnRequest:
    """A finished turn, and memories of the user.

    Attributes:
        answer: '' if the turn was not answered.
        known: active memories that the turn may repeat or contradict, the nearest first.
        names: entities of the library in the question.
    """

    question: str
    resolved: str
    answer: str
    known: Sequence[Memory]
    language: Language
    names: Sequence[str] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Lesson:
    """What a turn taught; a newer lesson with the same `slot` replaces an older one."""

    kind: LessonKind
    content: str
    summary: str
    keywords: tuple[str, ...] = ()
    supersedes: tuple[str, ...] = ()
    slot: str | None = None


class Learner(Protocol):
    """Finds what is worth remembering in a turn."""

    async def learn(self, request: LearnRequest) -> list[Lesson]:
        """Return facts, preferences and decisions, or a summary; `supersedes` holds keys of `request.known`."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """Where a lesson comes from; `as_of` is the spoiler guard of its turn."""

    user_id: str
    thread_id: str | None
    trace_id: str
    library: str
    as_of: list[int] | None
    now: datetime


def lesson_memory(lesson: Lesson, turn: Turn, *, again: bool = False) -> Memory:
    """Return a lesson as a memory; its key depends on its text, so that a turn that runs again writes the same."""
    content = MARK.sub("", lesson.content).strip()
    name = f"{turn.user_id}\n{letters(content)}{turn.trace_id if again else ''}"
    origin: dict[str, Any] = {
        "source": FROM_TURN,
        "library": turn.library,
        "as_of": turn.as_of,
        "trace": turn.trace_id,
    }
    return Memory(
        memory_key=str(uuid5(NAMESPACE_OID, name)),
        user_id=turn.user_id,
        content=content,
        created_at=turn.now,
        memory_type=TYPES[lesson.kind],
        summary=(lesson.summary or content)[:SUMMARY_CHARACTERS],
        content_metadata={**origin, **({"slot": lesson.slot} if lesson.slot else {})},
        keywords=tuple(Keyword(word.lower()) for word in dict.fromkeys(lesson.keywords) if word.strip()),
        agent_id=AGENT,
        thread_id=turn.thread_id,
    )


def same_text(one: str, other: str) -> bool:
    """Return True if two texts are equal without punctuation and citation marks."""
    return letters(MARK.sub("", one)) == letters(MARK.sub("", other))


def kept_row(memory: Memory, outcome: Outcome, supersedes: Sequence[str] = ()) -> KeptMemory:
    """Return the outcome of a lesson as the result lists it."""
    return KeptMemory(
        memory_key=memory.memory_key,
        summary=memory.summary or "",
        memory_type=memory.memory_type,
        outcome=outcome,
        supersedes=list(supersedes),
    )
