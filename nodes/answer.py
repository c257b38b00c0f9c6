"""Close the turn: pick the attempt, cite, write the result record, update the session."""

import asyncio
import logging
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Protocol
from uuid import uuid4

from langgraph.runtime import Runtime

from nodes.drafts import written_by_code
from nodes.grade import CheckTurn
from nodes.notices import joined_warning
from nodes.policy import Policy
from nodes.quotes import cite
from nodes.record import final_result, open_attempts, open_result, trace_record, verdict_of
from nodes.roles import Minds
from nodes.scope import Clock, context_of, horizon_of, networks_of
from nodes.streaming import cited_message, reset, show_answer
from nodes.turn import updated_session
from nodes.usage import usage_record
from state.context import Context
from state.events import CitationsEvent, TextEvent, VerdictEvent
from state.schema import AgentState, Attempt, Evidence
from tools.errors import STORE_FAILURES, LibraryNotFound, StoreError
from tools.messages import say_in
from tools.networks.lexicon import Lexicons
from tools.ports import Catalog
from tools.story.names import EntityLinker, NameTable
from tools.text.books import Books, label

# Working keys that a checkpoint need not keep.
WORKING_KEYS = ("transcript", "evidence", "attempts", "tool_calls", "usage")

log = logging.getLogger("wenmai.loop")


class TraceSink(Protocol):
    """Store of traces; a failure to write one never fails the answer. One with `is_kept` false is not stored."""

    async def write(self, record: dict[str, Any]) -> str | None:
        """Write a trace; return its path, None if it could not be written. The file's name is the trace's id."""
        ...

    async def amend(self, path: str, more: dict[str, Any]) -> None: ...


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
        graded = next((one for one in state["attempts"] if one["attempt"] == state["attempt"]), None)
        # Who changes the state behind `grade` means to have that draft, of which no grade says anything.
        is_edited = graded is not None and state["draft"] not in (None, graded["draft"])
        if is_edited:
            state = {**state, "attempts": [one for one in state["attempts"] if one is not graded]}
        is_graded = graded is not None and not is_edited
        draft, had_draft = state["draft"], state["draft"] is not None
        if draft is None or (state["status"] == "failed" and not is_graded):
            draft = written_by_code("error", state["language"])
        elif not is_graded:
            draft = await self.check(state, context)
        state = {**state, "draft": draft}
        attempts = open_attempts(state, self.clock())
        attempt = (None if is_edited else returned_attempt(state)) or attempts[-1]
        named = partial(label, books=await self.books(context, attempt), language=state["language"])
        doubt = say_in(state["language"], "answer.doubtful")
        given = attempt["draft"]
        reader = self.check.check.reader() if given["by"] == "model" else None
        cited = partial(cite, given["sentences"], attempt["evidence"], named, doubt, reader)
        text, citations, invented = await asyncio.to_thread(cited) if reader else cited()  # reading takes time
        if invented:
            log.warning("%d citations named no evidence and were removed", invented)
        ranked, tables, warning = await self.close(state, attempt, context)
        state = {**state, "warning": joined_warning(state["warning"], warning)}
        begun = open_result(state, usage_record(state["usage"], self.policy.prices))
        result = final_result(begun, attempts, attempt, (text, citations), ranked)
        result.mind = self.minds.of(state).name
        record = trace_record(state, attempts, result, self.clock(), self.minds.first)
        if written := await self.traces.write(record):
            result.trace, result.trace_id = written, Path(written).stem  # another's where the id was taken
        elif not context.keep_trace:
            result.trace_id = None
        log.info("Successfully generated answer (length: %d)", len(text))
        message = cited_message(text, citations, str(uuid4()))
        show_answer(message, chunks(text))
        if context.stream_drafts and had_draft and attempt["attempt"] < state["attempt"]:
            runtime.stream_writer(reset(state, state["attempt"], "earlier", attempt["attempt"]))
        for chunk in chunks(text):
            runtime.stream_writer(TextEvent(event="text", text=chunk))
        runtime.stream_writer(CitationsEvent(event="citations", citations=citations))
        verdict = VerdictEvent(
            event="verdict",
            attempt=attempt["attempt"],
            status=attempt["draft"]["status"],
            passed=result.passed,
            confidence=result.confidence,
            grade=result.grade,
            notes=result.notes,
        )
        runtime.stream_writer(verdict)
        emptied: dict[str, Any] = {"draft": None} | {key: [] for key in WORKING_KEYS}
        session = updated_session(state, result, tables)
        return {"messages": [message], "result": result.record, "session": session, **emptied}

    async def close(
        self, state: AgentState, attempt: Attempt, context: Context
    ) -> tuple[Sequence[Evidence], Sequence[NameTable], str | None]:
        """Return the evidence, best first, the names that the run knows, and the message of a store that is down.

        The names of the story come before those of networks. The answer is there already: no store takes it away.
        """
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
            return ranked, [NameTable.build(())], str(error)
        return ranked, tables, None

    async def books(self, context: Context, attempt: Attempt) -> Books:
        """Return the books that may be cited; where the catalog fails, citations name their sources."""
        if not context.library or not any(one["marks"] for one in attempt["draft"]["sentences"]):
            return {}
        try:
            return (await self.catalog.info(context.library)).books
        except (LibraryNotFound, StoreError):
            return {}


def returned_attempt(state: AgentState) -> Attempt | None:
    """Return the attempt that passed, else the best (the later on ties), or a last refusal.

    An apology is worse than any draft; where the check has deleted all of the last one, an earlier one that answers is
    better than that refusal.
    """
    attempts = state["attempts"]
    if not attempts:
        return None
    last = attempts[-1]
    is_wrong = last["grade"] is not None and "refusal" in last["grade"].get("failed", ())
    is_own = last["draft"]["status"] == "not_found" and last["draft"]["refused"] != "nothing_left"
    if is_own and not (is_wrong and last["draft"]["by"] == "model"):
        return last

    def rank(attempt: Attempt) -> tuple[bool, bool, bool, int, int]:
        draft, total = attempt["draft"], attempt["grade"]["score"] if attempt["grade"] else -1
        says = draft["status"] != "failed", draft["refused"] != "nothing_left"
        return verdict_of(attempt) is True, *says, total, attempt["attempt"]

    return max(attempts, key=rank)


def chunks(text: str) -> list[str]:
    """Return a text cut into sentences for streaming; joined they are the text again."""
    return re.findall(r"[^。！？!?\n]*[。！？!?\n]+(?:\s*\[\d+\])*|[^。！？!?\n]+", text)
