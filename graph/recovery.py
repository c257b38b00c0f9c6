"""What becomes of a question whose step fails or whose run is cut short: an answer where one is due, always a trace."""

import asyncio
import logging
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal
from uuid import UUID

from langchain_core.callbacks import AsyncCallbackHandler
from langgraph.errors import NodeError
from langgraph.graph import END
from langgraph.types import Command, Send

from nodes.answer import TraceSink
from nodes.drafts import pack, turn_by_code
from nodes.modes import rag_call
from nodes.notices import joined_warning
from nodes.policy import Policy
from nodes.record import open_attempts, open_result, trace_record
from nodes.roles import Mind
from nodes.scope import Clock
from nodes.turn import fresh_turn, last_question
from nodes.usage import usage_record
from state.context import Context, Language
from state.schema import AgentState, Rescue
from tools.errors import InputError, LibraryNotFound, ModelError, WenmaiError
from tools.language import spoken_in
from tools.messages import say, speaking
from tools.toolboxes import DOCUMENT_TOOLKIT

logger = logging.getLogger(__name__)

# `trace_id` alone is shared by equal questions of one second.
KEY = ("trace_id", "thread_id", "started_at")


@dataclass(frozen=True, slots=True)
class TraceOnce:
    """Hands traces on and notes whose writing has begun, until `ended` is asked."""

    sink: TraceSink
    begun: dict[tuple[Any, ...], asyncio.Task[str | None]] = field(default_factory=dict)

    async def write(self, record: dict[str, Any]) -> str | None:
        """Write the first trace of a question and return where it stands; a cancelled caller does not stop it."""
        key = key_of(record)
        if key not in self.begun:
            self.begun[key] = asyncio.create_task(self.sink.write(record))
        return await asyncio.shield(self.begun[key])

    async def amend(self, path: str, more: dict[str, Any]) -> None:
        await self.sink.amend(path, more)

    async def ended(self, state: Mapping[str, Any]) -> bool:
        """Wait for the trace of a finished run, forget it, and return True if there is one."""
        writing = self.begun.pop(key_of(state), None)
        if writing is None:
            return False
        await asyncio.wait([writing])
        if writing.cancelled():
            return False
        if error := writing.exception():
            logger.warning("the answer's trace was not written: %s", error)
        return error is None


def key_of(record: Mapping[str, Any]) -> tuple[Any, ...]:
    """Return the key of a running question; a state and its trace have the same."""
    return tuple(record.get(name) for name in KEY)


OPENING_NODE = "resolve_pronouns"

log = logging.getLogger("wenmai.loop")


@dataclass(frozen=True, slots=True)
class Recovery:
    """Decides what becomes of a question whose step failed for good."""

    policy: Policy
    has_fallback: bool

    async def __call__(self, state: AgentState, error: NodeError) -> Command[Any]:
        """Let the fallback mind go on, or answer with the error message; wrong input fails the run."""
        cause, node = error.error, error.node
        # A traceback of a bug only: with an error of ours the line says what to do.
        log.error("%s failed: %s", node, cause, exc_info=None if isinstance(cause, WenmaiError) else cause)
        if node == "remember" and state["result"]:  # the answer is there already
            return Command(goto=END)
        # A library that is missing after the opening was lost by a store: the caller cannot correct that.
        is_lost = isinstance(cause, LibraryNotFound) and node != OPENING_NODE
        if (isinstance(cause, InputError) and not is_lost) or node == "answer":
            raise cause
        if node == OPENING_NODE:
            return self.reopened(state, cause)
        usage = [*state["usage"], *(cause.paid if isinstance(cause, ModelError) else [])]
        reason = reason_of(cause, state["language"])
        # FALLBACK_TO_RAG, on documents alone, while no call of a model's ran: its one retrieval, then one model call,
        # for which ON_MODEL_FAILURE holds again.
        is_alone = state["toolkits"] == [DOCUMENT_TOOLKIT] and state["mode"] == "agent" and not state["turns"]
        if node == "plan" and self.policy.fallback_to_rag and is_alone:
            log.info("Using RAG mode")
            call = rag_call(state["toolkits"], state["resolved_question"], self.policy)
            transcript = [*state["transcript"][:1], *pack([turn_by_code(call)])]
            update = {"mode": "rag", "pending": [call], "transcript": transcript, "usage": usage}
            return Command(update=update, goto="tool_call")
        if node == "plan" and self.degrades and not state["degraded"]:
            warning = joined_warning(state["warning"], reason)
            return Command(update={"degraded": True, "warning": warning, "pending": [], "usage": usage}, goto=node)
        failed = {"status": "failed", "warning": joined_warning(state["warning"], reason)}
        return Command(update={**failed, "pending": [], "usage": usage}, goto="answer")

    @property
    def degrades(self) -> bool:
        return self.has_fallback and self.policy.on_model_failure == "offline"

    def reopened(self, state: AgentState, cause: BaseException) -> Command[Any]:
        """Begin the turn again: with the fallback mind behind a failed model, else only for the apology.

        The state still holds the turn before: why the turn begins again is sent along, so that nothing stale is read.
        """
        before = state.get("rescue")
        if before and not before["degraded"]:  # the apology asks neither model nor store
            raise cause
        paid = [*(before["usage"] if before else []), *(cause.paid if isinstance(cause, ModelError) else [])]
        degraded = self.degrades and isinstance(cause, ModelError) and before is None
        reason = reason_of(cause, spoken_in(last_question(state)))
        rescue = Rescue(reason=reason, degraded=degraded, usage=paid)
        return Command(goto=Send(OPENING_NODE, {**state, "rescue": rescue}))


def reason_of(cause: BaseException, language: Language) -> str:
    with speaking(language):
        is_ours = isinstance(cause, WenmaiError)
        return str(cause) if is_ours else say("turn.internal_error", error=type(cause).__name__)


@dataclass(slots=True)
class RunningQuestion:
    """A question on its way: the state as far as it is known, and whether its first node has finished.

    Attributes:
        step: LangGraph's name for the step under way.
        context: that of the run, None before its first node has begun.
    """

    state: dict[str, Any]
    thread: str | None
    is_open: bool
    step: str
    context: Context | None = None


@dataclass(frozen=True, slots=True, eq=False)  # LangChain hashes its handlers
class InterruptedTurnTracer(AsyncCallbackHandler):
    """Writes the trace of a run that ends by cancellation or an error.

    A callback of the graph, because a run may be cancelled between two nodes, where no node could notice.
    """

    traces: TraceOnce
    policy: Policy
    clock: Clock
    mind: Mind
    run_inline: bool = True
    questions: dict[UUID, RunningQuestion] = field(default_factory=dict)
    nodes: dict[UUID, UUID] = field(default_factory=dict)

    @property
    def ignore_chat_model(self) -> bool:
        """Heed nodes alone: LangChain would write each prompt out as text to report a model's start."""
        return True

    async def on_chain_start(
        self,
        serialized: dict[str, Any],
        inputs: Any,
        *,
        run_id: UUID,
        parent_run_id: UUID | None = None,
        tags: list[str] | None = None,
        metadata: dict[str, Any] | None = None,
        **kwargs: Any,
    ) -> None:
        known = metadata or {}
        name = str(kwargs.get("name"))
        is_node = name == known.get("langgraph_node") and not name.startswith("__")  # the error handler is none
        if parent_run_id and is_node and isinstance(inputs, dict):
            self.nodes[run_id] = parent_run_id
            self.questions[parent_run_id] = RunningQuestion(
                inputs, known.get("thread_id"), name != OPENING_NODE, str(known.get("langgraph_checkpoint_ns"))
            )

    def begin(self, step: str, context: Context) -> None:
        """Note the context of the run to which a step belongs that begins: no callback gets it."""
        for question in self.questions.values():
            if question.step == step:
                question.context = context

    async def on_chain_end(self, outputs: Any, *, run_id: UUID, **kwargs: Any) -> None:
        """Note what a node has changed; forget a run that came to its end."""
        question = self.questions.get(self.nodes.pop(run_id, run_id))
        if run_id in self.questions:
            await self.traces.ended(self.questions.pop(run_id).state)
        elif question and isinstance(outputs, dict):
            question.state = {**question.state, **outputs}
            question.is_open = True

    async def on_chain_error(self, error: BaseException, *, run_id: UUID, **kwargs: Any) -> None:
        """Write the trace of a run that is over, unless its answer, or the answer's trace, is there already."""
        self.nodes.pop(run_id, None)
        question = self.questions.pop(run_id, None)
        if question is None or await self.traces.ended(question.state):
            return
        if not question.is_open and question.context is None:  # whose it is nobody knows, and nothing has run
            return
        if not (question.is_open and question.state["result"]):
            # Cancellation and a reader that went away are no Exception.
            status: Literal["cancelled", "failed"] = "failed" if isinstance(error, Exception) else "cancelled"
            await self.traces.sink.write(self.trace(question, status))

    def trace(self, question: RunningQuestion, status: Literal["cancelled", "failed"]) -> dict[str, Any]:
        """Return the trace of a question without an answer, with the attempt that was open."""
        now = self.clock()
        state: AgentState = question.state if question.is_open else self.unopened(question)  # type: ignore[assignment]  # what the nodes were given
        result = open_result(state, usage_record(state["usage"], self.policy.prices))
        return trace_record(state, open_attempts(state, now), result, now, self.mind, status)

    def unopened(self, question: RunningQuestion) -> dict[str, Any]:
        """Return the state of a question that was never opened; the thread may still hold an older one's."""
        messages = question.state["messages"]
        text = messages[-1].text if messages else ""
        context = question.context or Context()
        fresh = fresh_turn(self.clock(), text, context, self.policy)
        own: dict[str, Any] = {"resolved_question": text, "resolutions": [], "candidates": []}
        own |= {"thread_id": question.thread, "library": context.library, "owner": context.user_id}
        own |= {"as_of": None, "language": spoken_in(text)}
        return {**question.state, **fresh, **own}
