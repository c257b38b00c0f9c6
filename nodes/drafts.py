"""When a draft is due, and what the code writes where the model wrote none."""

from itertools import dropwhile

from langchain_core.messages import AIMessage, ToolMessage

from nodes.checking.kinds import kind_of
from nodes.prompts.chinese import user_text
from nodes.results.citations import as_draft, marked_pieces
from nodes.transcript import unpack
from state.schema import AgentState, CallRecord
from tools.arguments import is_true
from tools.control import STOP
from tools.networks.knowledge_network_retrieval import NAME as RETRIEVAL


def speechless(state: AgentState, reply: AIMessage) -> bool:
    """Return True if a model wrote nothing, twice, before any call of its own: it was blocked, not without a find.

    In rag mode, where it makes none, what the code found is behind it.
    """
    if reply.tool_calls or reply.text.strip() or state["small_talk"] or state["mode"] == "rag":
        return False
    return not any(call["round"] or call["tool"] == STOP for call in state["tool_calls"])


def wordless(state: AgentState, reply: AIMessage) -> bool:
    """Return True if the model wrote nothing although an attempt, this one or an earlier one, found evidence.

    An empty reply then does not mean that there is nothing to find.
    """
    if reply.text.strip():
        return False
    return draft_by_code(state) is None or any(attempt["evidence"] for attempt in state["attempts"])


def draft_due(state: AgentState) -> bool:
    """Return True if retrieval has ended: the next turn has no tools."""
    return state["stop_reason"] is not None or state["mode"] == "rag"


def draft_beside_stop(state: AgentState) -> str | None:
    """Return the text beside a model's `stop` if it is an answer: it cites evidence, or says that there is none.

    What a model only says of its work ("enough was found") is no draft.
    """
    transcript = unpack(state["transcript"])
    turns = list(dropwhile(lambda one: isinstance(one, ToolMessage), reversed(transcript)))
    if not draft_due(state) or not turns or len(turns) == len(transcript):
        return None
    turn = turns[0]
    if not isinstance(turn, AIMessage) or any(call["name"] != STOP for call in turn.tool_calls):
        return None
    draft = as_draft(turn.text, state["evidence"])
    return draft if marked_pieces(draft, state["evidence"]) or state["stop_reason"] == "not_found" else None


def draft_by_code(state: AgentState) -> str | None:
    """Return the text for an attempt without evidence: error if every call failed, else not_found; None otherwise."""
    if state["small_talk"] or state["evidence"]:
        return None
    executed = [call for call in state["tool_calls"] if call["executed"] and looks_up(call)]
    failed = bool(executed) and not any(call["ok"] for call in executed)
    return user_text("error" if failed else "not_found", state["language"])


def draft_of(state: AgentState, text: str) -> str:
    """Return the draft that a model's text is: the code's own where nothing was found that it could rest on.

    A question back, and words about the assistant, rest on nothing.
    """
    draft = as_draft(text, state["evidence"])
    return draft if kind_of(draft, state["question"]) != "answer" else draft_by_code(state) or draft


def looks_up(call: CallRecord) -> bool:
    """Return True if a call could find rows; a call for the schema of a network finds none."""
    return call["tool"] != RETRIEVAL or not call["ok"] or is_true(call["args"].get("enable_keyword_context"))


def no_text(state: AgentState) -> str:
    """Return the text in place of a draft that the model did not write, even when asked again."""
    return user_text("limit" if state["stop_reason"] == "max_turns" else "no_answer", state["language"])


def is_by_code(state: AgentState, draft: str | None) -> bool:
    """Return True if the code has written a draft, in place of a model."""
    return draft in (draft_by_code(state), no_text(state))
