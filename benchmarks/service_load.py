"""Fifty questions at a time while a server is struck, and what came of each (`service_faults.py`)."""

import asyncio
import time
from collections import Counter
from collections.abc import Callable, Coroutine, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import cycle, islice
from typing import Any

from benchmarks.measures import quantiles
from nodes.prompts.planner import user_text
from tools.errors import StoreUnavailable, WenmaiError
from tools.records import PassageFilter, Relation
from wenmai.agent import Agent

AT_ONCE = 50
APOLOGIES = frozenset(user_text("error", language) for language in ("zh", "en"))
NOTES = "notes"  # the library that is written to while questions are asked
PAUSE_S = 0.5  # between two writes
CHECKED = 20  # questions whose answers are compared before and after


@dataclass(slots=True)
class Asked:
    """What came of one question: its warning or error is `said`; `at` is when it ended, from the load's beginning."""

    thread: str
    question: str
    outcome: str
    seconds: float
    at: float = 0.0
    answer: str = ""
    said: str | None = None


@dataclass
class Load:
    """A load on one agent, and what it left."""

    agent: Agent
    library: str
    questions: Sequence[str]
    seconds: float
    mark: str
    asked: list[Asked] = field(default_factory=list)
    acknowledged: list[int] = field(default_factory=list)
    refused: int = 0
    began: float = field(default_factory=time.monotonic)

    async def run(self, strike: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """Ask until the time is over, write beside it, and strike."""
        self.began = time.monotonic()
        turns = cycle(enumerate(self.questions))
        async with asyncio.TaskGroup() as group:
            for worker in range(AT_ONCE):
                group.create_task(self._ask(worker, turns))
            group.create_task(self._write())
            group.create_task(strike())

    @property
    def elapsed(self) -> float:
        """Seconds since the beginning."""
        return time.monotonic() - self.began

    async def _ask(self, worker: int, turns: Iterator[tuple[int, str]]) -> None:
        for turn in range(10**6):
            if self.elapsed >= self.seconds:
                return
            _, question = next(turns)
            self.asked.append(await self._one(f"{self.mark}-{worker}-{turn}", question))

    async def _one(self, thread: str, question: str) -> Asked:
        """Ask one question and note when it ended."""
        one = await asked(self.agent, self.library, thread, question)
        return replace(one, at=self.elapsed)

    async def _write(self) -> None:
        """Write one relation after the other; what was acknowledged must be there afterwards."""
        graph = self.agent.services.graph
        for number in range(10**6):
            if self.elapsed >= self.seconds:
                return
            edge = Relation(source=f"甲{number}", type="KNOWS", target="乙", part=1, chapter=number, task_id=NOTES)
            try:
                await graph.put_chapter(NOTES, NOTES, 1, number, [edge], [])
                self.acknowledged.append(number)
            except StoreUnavailable:
                self.refused += 1
            await asyncio.sleep(PAUSE_S)

    def meanwhile(self, since: float) -> list[Asked]:
        """Return the first answers of a load from some second on that say nothing of a fault, one to a question."""
        answered = (one for one in self.asked if one.at >= since and one.outcome == "answered")
        firsts = {one.question: one for one in sorted(answered, key=lambda one: -one.at)}
        return sorted(firsts.values(), key=lambda one: one.at)[:CHECKED]

    async def lost(self) -> dict[str, int]:
        """Count what was acknowledged and is no longer there."""
        graph = self.agent.services.graph
        kept = {edge.chapter for edge in await graph.relations(NOTES, "乙", None)} if self.acknowledged else set()
        threads = [one for one in self.asked if one.outcome in ("answered", "degraded", "apology")]
        states = [(await self.agent.graph.aget_state(self.agent.config(one.thread))).values for one in threads]
        answers = [state["messages"][-1].text if state.get("messages") else None for state in states]
        return {
            "writes": len(set(self.acknowledged) - kept),
            "checkpoints": sum(one.answer != there for one, there in zip(threads, answers, strict=True)),
        }

    def figures(self) -> dict[str, Any]:
        """Return the counts and times of the questions."""
        outcomes = Counter(one.outcome for one in self.asked)
        known = ("answered", "degraded", "apology", "error")
        return {
            "questions": len(self.asked),
            **{name: outcomes[name] for name in known},
            "other": {name: count for name, count in outcomes.items() if name not in known},
            **quantiles([one.seconds * 1e3 for one in self.asked]),
            "slowest_s": round(max(one.seconds for one in self.asked), 1),
            "acknowledged_writes": len(self.acknowledged),
            "refused_writes": self.refused,
        }


async def asked(agent: Agent, library: str, thread: str, question: str) -> Asked:
    """Ask one question; an error of ours is one clear line, any other is a fault of the product."""
    since = time.monotonic()
    said: str | None = None
    try:
        record = (await agent.ask(question, library=library, thread_id=thread)).record
        outcome, answer, said = outcome_of(record), record["answer"], record["warning"]
    except WenmaiError as error:
        outcome, answer, said = "error" if "\n" not in str(error) else "unclear", "", str(error)
    except Exception as error:  # noqa: BLE001  # whatever it is, it is what the table is to show
        outcome, answer = f"{type(error).__name__}", ""
    return Asked(thread, question, outcome, time.monotonic() - since, answer=answer, said=said)


def outcome_of(record: dict[str, Any]) -> str:
    """Return what a result record is: an answer, one that says what it lacks, or an apology."""
    if record["answer"] in APOLOGIES:
        return "apology"
    failed = any(not call["ok"] for call in record["tool_calls"])
    return "degraded" if record["degraded"] or record["warning"] or failed else "answered"


async def held(agent: Agent, library: str) -> dict[str, Any]:
    """Return how much a library holds."""
    services = agent.services
    passages = await services.passages.count(library, PassageFilter())
    return {"passages": passages, **await services.graph.counts(library)}


async def sampled(agent: Agent, library: str, questions: Sequence[str], mark: str) -> list[Asked]:
    """Return what came of some questions, each on a thread of its own."""
    return [
        await asked(agent, library, f"{mark}-{number}", question)
        for number, question in enumerate(islice(questions, CHECKED))
    ]


def changed(before: Sequence[Asked], after: Sequence[Asked]) -> list[dict[str, Any]]:
    """Return every answer that is another one than before, with what was said of it."""
    return [
        {"outcome": other.outcome, "said": other.said, "before": one.answer, "after": other.answer}
        for one, other in zip(before, after, strict=True)
        if one.answer != other.answer
    ]
