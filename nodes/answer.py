"""Close the turn: pick the attempt, cite, write the result record, update the session."""

import logging
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol
from uuid import uuid4

from langgraph.runtime import Runtime

from nodes.drafts import written_by_code
from nodes.grade import CheckTurn
from nodes.policy import Policy
from nodes.record import final_result, open_attempts, open_result, trace_record, verdict_of
from nodes.results.citations import cite
from nodes.results.notices import joined_warning
from nodes.results.showing import cited_message, show_answer
from nodes.results.usage import usage_record
from nodes.roles import Minds
from nodes.scope import Clock, context_of, horizon_of, networks_of
from nodes.session import updated_session
from nodes.streaming import reset
from state.context import Context
from state.draft import Draft
from state.events import CitationsEvent, TextEvent, VerdictEvent
from state.result import TurnResult
from state.schema import AgentState, Attempt, Evidence
from tools.errors import STORE_FAILURES, LibraryNotFound, StoreError
from tools.networks.lexicon import Lexicons
from tools.ports import Catalog
from tools.story.names import EntityLinker, NameTable
from tools.text.books import Books, label

# Working keys that a checkpoint need not keep.
WORKING_KEYS = ("transcript", "evidence", "attempts", "tool_calls", "usage")

log = logging.getLogger("wenmai.loop")


class TraceSink(Protocol):
    """Store of traces; a failure to write one never fails the answer."""

    async def write(self, record: dict[str, Any]) -> str | None:
        """Write a trace; return its path, None if it could not be written."""
        ...

    async def amend(self, path: str, more: dict[str, Any]) -> None:
        """Add keys to a trace that was written."""
        ...


@dataclass(frozen=True, slots=True)
class TurnClosing:
    """What the stores add to a turn as it closes.

    Attributes:
        ranked: the attempt's evidence, best first.
        tables: the names that the run knows, those of the story before those of networks.
        warning: the message of a store that did not answer.
    """

    ranked: Sequence[Evidence]
    tables: Sequence[NameTable]
    warning: str | None = None


@dataclass(frozen=True, slots=True)
class AnswerQuestion:
    """Write the final message with numbered citations that exist in the evidence."""

    minds: Minds
    check: CheckTurn
    linker: EntityLinker
    traces: TraceSink
    policy: Policy
    clock: Clock
    catalog: Catalog
    lexicons: Lexicons | None = None

    async def __call__(self, state: AgentState, runtime: Runtime[Context]) -> dict[str, Any]:
        """Return message, result and session; the turn's heavy keys are emptied."""
        context = context_of(runtime)
        has_draft = state["draft"] is not None
        state = {**state, "draft": await self.final_draft(state, context)}
        attempts = open_attempts(state, self.clock())
        attempt = returned_attempt(state) or attempts[-1]
        named = partial(label, books=await self.books(context, attempt), language=state["language"])
        text, citations, invented = cite(attempt["draft"]["sentences"], attempt["evidence"], named)
        if invented:
            log.warning("%d citations named no evidence and were removed", invented)
        closing = await self.close(state, attempt, context)
        state = {**state, "warning": joined_warning(state["warning"], closing.warning)}
        begun = open_result(state, usage_record(state["usage"], self.policy.prices))
        result = final_result(begun, attempts, attempt, (text, citations), closing.ranked)
        result.mind = self.minds.of(state).name
        result.trace = await self.traces.write(trace_record(state, attempts, result, self.clock(), self.minds.first))
        log.info("Successfully generated answer (length: %d)", len(text))
        message = cited_message(text, citations, str(uuid4()))
        show_answer(message, chunks(text))
        if context.stream_drafts and has_draft and attempt["attempt"] < state["attempt"]:
            runtime.stream_writer(reset(state, state["attempt"], "earlier", attempt["attempt"]))
        for event in answer_events(result, attempt):
            runtime.stream_writer(event)
        emptied: dict[str, Any] = {"draft": None} | {key: [] for key in WORKING_KEYS}
        session = updated_session(state, result, closing.tables)
        return {"messages": [message], "result": result.record, "session": session, **emptied}

    async def close(self, state: AgentState, attempt: Attempt, context: Context) -> TurnClosing:
        """Ask the stores a last time; the answer is there already, so one that is down takes none of it away."""
        ranked: Sequence[Evidence] = attempt["evidence"]
        question, horizon = state["resolved_question"], horizon_of(state)
        try:
            calls = [call for call in state["tool_calls"] if call["attempt"] <= attempt["attempt"]]
            ranked = await self.minds.first.ranker.rank(question, ranked, calls, context.library, horizon)
            tables = [await self.linker.table(context.library, horizon)]
            if self.lexicons:
                tables.append((await self.lexicons(networks_of(context))).table)
        except STORE_FAILURES as error:
            log.warning("closed without the stores: %s", error)
            return TurnClosing(ranked, [NameTable.build(())], warning=str(error))
        return TurnClosing(ranked, tables)

    async def books(self, context: Context, attempt: Attempt) -> Books:
        """Return the books that may be cited; where the catalog fails, citations name their sources."""
        if not context.library or not any(one["marks"] for one in attempt["draft"]["sentences"]):
            return {}
        try:
            return (await self.catalog.info(context.library)).books
        except (LibraryNotFound, StoreError):
            return {}

    async def final_draft(self, state: AgentState, context: Context) -> Draft:
        """Return the draft, checked where no grader has seen it; an apology where the turn has come to none."""
        is_graded = any(attempt["attempt"] == state["attempt"] for attempt in state["attempts"])
        if state["draft"] is None or (state["status"] == "failed" and not is_graded):
            return written_by_code("error", state["language"])
        return state["draft"] if is_graded else await self.check(state, context)


def returned_attempt(state: AgentState) -> Attempt | None:
    """Return the attempt that passed, else the best (the later on ties), or a last refusal.

    An apology is worse than any draft.
    """
    attempts = state["attempts"]
    if not attempts:
        return None
    last = attempts[-1]
    is_wrong = last["grade"] is not None and "refusal" in last["grade"].get("failed", ())
    if last["draft"]["status"] == "not_found" and not (is_wrong and last["draft"]["by"] == "model"):
        return last
    return max(attempts, key=rank)


def rank(attempt: Attempt) -> tuple[bool, bool, int, int]:
    """Return what attempts are compared by."""
    total = attempt["grade"]["score"] if attempt["grade"] else -1
    return verdict_of(attempt) is True, attempt["draft"]["status"] != "failed", total, attempt["attempt"]


def answer_events(result: TurnResult, attempt: Attempt) -> Iterator[TextEvent | CitationsEvent | VerdictEvent]:
    """Yield the answer as a stream shows it: its text sentence by sentence, its citations, the verdict."""
    for chunk in chunks(result.answer):
        yield TextEvent(event="text", text=chunk)
    yield CitationsEvent(event="citations", citations=result.citations)
    yield VerdictEvent(
        event="verdict",
        attempt=attempt["attempt"],
        status=attempt["draft"]["status"],
        passed=result.passed,
        confidence=result.confidence,
        grade=result.grade,
        notes=result.notes,
    )


def chunks(text: str) -> list[str]:
    """Return a text cut into sentences for streaming; joined they are the text again."""
    return re.findall(r"[^。！？!?\n]*[。！？!?\n]+(?:\s*\[\d+\])*|[^。！？!?\n]+", text)
