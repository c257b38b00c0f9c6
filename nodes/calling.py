"""What becomes of the calls of a turn: which of them run, what they bring, and when retrieval ends."""

from collections.abc import Sequence
from dataclasses import replace

from nodes.modes import PASSAGES
from nodes.policy import OPENING_CHARACTERS, OPENING_WHOLE
from state.schema import AgentState, CallRecord, Evidence, PendingCall, StopReason
from tools import control
from tools.base import Scope
from tools.control import STOP
from tools.dispatch import Outcome


def over_cap(state: AgentState, call: PendingCall, executed: int) -> bool:
    """Return True if no further call of a model may run."""
    return "rows" not in call and executed >= state["limits"]["calls"]


def scoped(scope: Scope, call: PendingCall) -> Scope:
    """Return the limits of a call: a search by the code has its own rows, and characters for passages."""
    if "rows" not in call:
        return scope
    if call["name"] not in PASSAGES.values():
        return replace(scope, limit=call["rows"])
    return replace(scope, limit=call["rows"], budget=OPENING_CHARACTERS, whole=OPENING_WHOLE)


def recorded(state: AgentState, call: PendingCall, limit: int) -> CallRecord | None:
    """Return an earlier successful call of the question with the same name, arguments and limit."""
    for record in state["tool_calls"]:
        if (
            record["ok"]
            and record["executed"]
            and (record["tool"], record["args"], record["limit"]) == (call["name"], call["args"], limit)
        ):
            return record
    return None


def items_of(outcome: Outcome) -> int:
    """Return the number of rows of a call."""
    return outcome.result.items if outcome.result else 0


def merged(known: Sequence[Evidence], new: Sequence[Evidence]) -> list[Evidence]:
    """Append new pieces; known ones keep their place and number."""
    pieces = {piece["id"]: piece for piece in known}
    for piece in new:
        pieces.setdefault(piece["id"], piece)
    return list(pieces.values())


def stop_reason(state: AgentState, executed: int) -> StopReason | None:
    """Return the reason why retrieval ends after this turn, None if it goes on."""
    for call in state["pending"]:
        if call["name"] == STOP:
            return control.stop_reason(call["args"])
    capped = state["turns"] >= state["limits"]["turns"] or executed >= state["limits"]["calls"]
    return "max_turns" if capped else None
