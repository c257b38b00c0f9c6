"""The start of a turn: its question, language, thread, limits and the keys that every later node reads."""

import hashlib
from contextvars import ContextVar
from datetime import datetime
from typing import Any

from langgraph.runtime import Runtime

from nodes.modes import documents_alone, mode_of, offered_toolkits
from nodes.policy import Policy
from state.context import Context, Language
from state.schema import AgentState, Limits
from tools.errors import InputError
from tools.language import is_chinese
from tools.language import language_of as spoken
from tools.wording import Words

NO_THREAD = Words("没有这个会话：请换一个 thread_id。", "There is no such conversation: take another thread_id.")
# The thread whose question runs, for who watches calls of models: a recall within a question has no thread of its own.
TURN: ContextVar[str | None] = ContextVar("wenmai_turn", default=None)
# The user whose question runs, for who counts calls of models.
ASKER: ContextVar[str | None] = ContextVar("wenmai_asker", default=None)


def thread_of(runtime: Runtime[Context]) -> str | None:
    thread = runtime.execution_info.thread_id if runtime.execution_info else None
    return None if thread is None else str(thread)  # LangGraph's server has UUIDs


def begun(now: datetime, runtime: Runtime[Context]) -> float:
    """Return the time (Unix seconds) at which the question came; a retried node does not start its time anew."""
    info = runtime.execution_info
    return min(now.timestamp(), (info.node_first_attempt_time if info else None) or now.timestamp())


def last_question(state: AgentState) -> str:
    """Return the text of the last message. Raises InputError when there is none."""
    text = state["messages"][-1].text if state["messages"] else ""
    if not text.strip():
        raise InputError("Question cannot be empty")
    return text


def own_thread(state: AgentState, context: Context) -> None:
    """Check that a thread belongs to this user. Raises InputError: to other users it does not exist."""
    if "owner" in state and state.get("owner") != context.user_id:
        raise InputError(NO_THREAD)


def language_of(question: str, context: Context) -> Language:
    """Return the language of texts to the user: the question's own unless the run names one."""
    if context.language != "auto":
        return context.language
    return spoken(question) or ("zh" if is_chinese(question) else "en")


def fresh_turn(now: datetime, question: str, context: Context, policy: Policy) -> dict[str, Any]:
    """Return the per-turn keys that do not depend on the resolver; a run's own limits before the deployment's."""
    return {
        "trace_id": trace_id(now, question),
        "started_at": now.isoformat(),
        "attempt_started_at": now.isoformat(),
        "deadline_at": now.timestamp() + context.deadline_s,
        "question": question,
        "mode": mode_of(context, policy),
        "toolkits": offered_toolkits(context),
        "remember": context.remember,
        "limits": Limits(
            # One attempt on documents alone, so that their calls are bounded.
            attempts=context.max_attempts or (1 if documents_alone(context) else policy.max_attempts),
            turns=context.max_turns,
            calls=context.max_tool_calls or policy.max_calls,
            search=list(context.search_limits or policy.search_limits),
        ),
        "session_context": None,
        "attempt": 1,
        "turns": 0,
        "executed_calls": 0,
        "queries": [],
        "thoughts": [],
        "tool_calls": [],
        "evidence": [],
        "draft": None,
        "stop_reason": None,
        "grade": None,
        "attempts": [],
        "usage": [],
        "status": "open",
        "degraded": False,
        "warning": None,
        "result": {},
    }


def trace_id(now: datetime, question: str) -> str:
    """Return date-time-query_hash: the hash is the first 6 hex digits of the question's md5."""
    digest = hashlib.md5(question.encode("utf-8", "surrogatepass"), usedforsecurity=False).hexdigest()
    return f"{now:%Y%m%d-%H%M%S}-{digest[:6]}"
