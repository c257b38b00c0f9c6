"""Calls of chat models as LangChain reports them, with their times: what a trace sums up, one by one.

A call is kept for the question that it belongs to until that question's trace is written. Loaded only where spans are
sent.
"""

import time
from collections.abc import Callable, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, LLMResult
from langchain_core.tracers.context import register_configure_hook

from nodes.turn import TURN


@dataclass(slots=True)
class ChatCall:
    """One call; times are nanoseconds since 1970, `error` is the name of what ended it."""

    provider: str
    model: str
    thread: str | None
    messages: Sequence[BaseMessage]
    start: int
    end: int = 0
    reply: AIMessage | None = None
    error: str | None = None


@dataclass(eq=False)  # LangChain hashes its handlers
class ChatCalls(BaseCallbackHandler):
    """Collects calls; those of no question go to `alone`."""

    alone: Callable[[ChatCall], None] = lambda call: None
    running: dict[UUID, ChatCall] = field(default_factory=dict)
    ended: dict[str, list[ChatCall]] = field(default_factory=dict)
    run_inline = True  # in the context of the caller

    def on_chat_model_start(
        self,
        serialized: dict[str, Any],
        messages: list[list[BaseMessage]],
        *,
        run_id: UUID,
        metadata: dict[str, Any] | None = None,
        **kwargs: Any,
    ) -> None:
        known = metadata or {}
        provider, model = (str(known.get(name) or "unknown") for name in ("ls_provider", "ls_model_name"))
        asked = [message for batch in messages for message in batch]
        self.running[run_id] = ChatCall(provider, model, TURN.get(), asked, time.time_ns())

    def on_llm_end(self, response: LLMResult, *, run_id: UUID, **kwargs: Any) -> None:
        first = response.generations[0][0] if response.generations and response.generations[0] else None
        message = first.message if isinstance(first, ChatGeneration) else None
        self.close(run_id, reply=message if isinstance(message, AIMessage) else None)

    def on_llm_error(self, error: BaseException, *, run_id: UUID, **kwargs: Any) -> None:
        self.close(run_id, error=type(error).__qualname__)

    def close(self, run_id: UUID, *, reply: AIMessage | None = None, error: str | None = None) -> None:
        """Keep a call that ended for its question, or hand it on."""
        call = self.running.pop(run_id, None)
        if call is None:
            return
        call.end, call.reply, call.error = time.time_ns(), reply, error
        if call.thread is None:
            self.alone(call)
        else:
            self.ended.setdefault(call.thread, []).append(call)

    def of(self, thread: str | None) -> list[ChatCall]:
        """Return the calls of a thread's question, and forget them."""
        return [] if thread is None else self.ended.pop(thread, [])


# One for the process, as LangChain's hooks are.
CALLS = ChatCalls()
register_configure_hook(ContextVar("wenmai_chat_calls", default=CALLS), inheritable=True)
