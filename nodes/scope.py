"""What a run's context lets tools and minds see."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime, tzinfo
from typing import Any

from langchain_core.messages import AIMessage, HumanMessage
from langgraph.runtime import Runtime
from langgraph_sdk.auth.types import BaseUser

from nodes.modes import NETWORK_TOOLKIT, NO_LIBRARY, offered_toolkits, rag_toolkits, reads_stories
from nodes.policy import limit_of
from nodes.usage import tokens_left
from state.context import Context
from state.recall import HistoryMessage, RecallState
from state.schema import AgentState
from tools.base import Scope
from tools.dispatch import Toolbox
from tools.documents.records import visible_name
from tools.memory.days import zone_named
from tools.networks.lexicon import NetworkSelection
from tools.networks.records import NOBODY, Account
from tools.records import Horizon

Clock = Callable[[], datetime]
Toolboxes = Callable[[Sequence[str]], Toolbox]


def context_of(runtime: Runtime[Context]) -> Context:
    """Return the run's context, the default one if there is none. Runs on documents alone have no library."""
    given: Context | None = runtime.context
    context = given or Context()
    if runtime.server_info is not None:
        context = identified(context, runtime.server_info.user)
    return context if reads_stories(context) else replace(context, library=NO_LIBRARY)


def identified(context: Context, user: BaseUser | None) -> Context:
    """Return the context with the identity from the server's authentication, whatever the caller wrote.

    Without authentication (on loopback without keys, or in Python) the caller's own statement counts.
    """
    if user is None or not user.is_authenticated or not user.identity:
        return context
    return replace(
        context,
        user_id=user.identity,
        permissions=list(known(user, "permissions", ())),
        account=known(user, "account", None),
        account_type=known(user, "account_type", "user"),
    )


def known(user: BaseUser, name: str, default: Any) -> Any:
    """Return a property of an authenticated user; the user of a stored run may have none but the identity."""
    return user[name] if name in user else default  # noqa: SIM401 - a user of the server has no `get`


def zone_of(context: Context) -> tzinfo:
    return zone_named(context.time_zone)


def networks_of(context: Context) -> NetworkSelection | None:
    """Return the networks of a run and the account that queries them, None without the toolkit."""
    if NETWORK_TOOLKIT not in context.toolkits:
        return None
    return NetworkSelection(tuple(context.kn_ids), account_of(context) or NOBODY)


def folders_of(context: Context) -> tuple[str, ...] | None:
    return None if context.folders is None else tuple(map(visible_name, context.folders))


def horizon_of(state: AgentState | RecallState) -> Horizon | None:
    """Return the spoiler guard of a turn, which its first step has decided."""
    return Horizon(*state["as_of"]) if state["as_of"] else None


def place_of(horizon: Horizon | None) -> list[int] | None:
    """Return a spoiler guard as states, sessions and memories keep it."""
    return [horizon.part, horizon.chapter] if horizon else None


def toolkits_of(state: AgentState, context: Context) -> Sequence[str]:
    """Return the toolkits that calls may use; rag mode has its own, whatever the run names."""
    return rag_toolkits(context.toolkits)[:1] if state["mode"] == "rag" else offered_toolkits(context)


def scope_of(state: AgentState, context: Context, clock: Clock) -> Scope:
    """Return identity and limits for the tools of this attempt; no part of them comes from a model."""
    return Scope(
        library=context.library,
        horizon=horizon_of(state),
        user_id=context.user_id,
        thread_id=state["thread_id"],
        limit=limit_of(state["attempt"], state["limits"]["search"]),
        language=state["language"],
        seconds=seconds_left(state, clock),
        tokens=tokens_left(state, context),
        permissions=frozenset(context.permissions),
        history=history_of(state),
        session_id=state["thread_id"] or state["trace_id"],
        account=account_of(context) or NOBODY,
        kn_ids=tuple(context.kn_ids),
        folders=folders_of(context),
        earlier=state["session"]["turns"],
    )


def account_of(context: Context) -> Account | None:
    id = context.account or context.user_id
    return Account(id, context.account_type) if id else None


def history_of(state: AgentState) -> list[HistoryMessage]:
    """Return a session's messages as a recall takes them; under a guard the turns that are left of it."""
    if not state["as_of"]:
        return [
            HistoryMessage(role="user" if isinstance(message, HumanMessage) else "assistant", content=message.text)
            for message in state["messages"]
            if isinstance(message, HumanMessage | AIMessage)
        ]
    history = list[HistoryMessage]()
    for turn in state["session"]["turns"]:
        history.append(HistoryMessage(role="user", content=turn["question"]))
        if turn["answer"]:  # a turn may have lost it
            history.append(HistoryMessage(role="assistant", content=turn["answer"]))
    return [*history, HistoryMessage(role="user", content=state["question"])]


def seconds_left(state: AgentState, clock: Clock) -> float:
    return state["deadline_at"] - clock().timestamp()
