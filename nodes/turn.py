"""A turn's beginning, and the session of its thread: what its reader may see of it, and how the turn changes it."""

import hashlib
import re
from collections.abc import Sequence
from contextvars import ContextVar
from datetime import datetime
from typing import Any

from langchain_core.messages import AnyMessage, HumanMessage
from langgraph.runtime import Runtime

from nodes.modes import documents_alone, mode_of, offered_toolkits
from nodes.policy import Policy
from nodes.scope import place_of
from state.context import Context, Language
from state.messages import turns_in
from state.result import TurnResult
from state.schema import AgentState, TurnLimits
from state.session import ANSWER_CHARACTERS, MAX_ENTITIES, MAX_TURNS, EarlierTurn, Session, SessionEntity, SessionTurn
from tools.errors import InputError
from tools.formatting import shorten
from tools.language import affordable, is_chinese
from tools.language import language_of as spoken
from tools.messages import Message
from tools.records import Horizon
from tools.story.names import EntityLinker, NameTable
from tools.text.sentences import beginning

# The thread whose question runs, for who watches calls of models: a recall within a question has no thread of its own.
TURN: ContextVar[str | None] = ContextVar("wenmai_turn", default=None)
# The user whose question runs, for who counts calls of models.
ASKER: ContextVar[str | None] = ContextVar("wenmai_asker", default=None)
NO_SESSION_YET = Session(entities=[], topic=None, turns=[])


def thread_of(runtime: Runtime[Context]) -> str | None:
    thread = runtime.execution_info.thread_id if runtime.execution_info else None
    return None if thread is None else str(thread)  # LangGraph's server has UUIDs


def begun(now: datetime, runtime: Runtime[Context]) -> float:
    """Return the time (Unix seconds) at which the question came; a retried node does not start its time anew."""
    info = runtime.execution_info
    return min(now.timestamp(), (info.node_first_attempt_time if info else None) or now.timestamp())


def last_question(state: AgentState) -> str:
    """Return the question. Raises InputError for a blank one, or where the last message is not the user's."""
    last = state["messages"][-1] if state["messages"] else HumanMessage("")
    if not isinstance(last, HumanMessage):
        raise InputError(Message("question.last_message_not_users", kind=last.type))
    text = last.text
    if not text.strip():
        raise InputError("Question cannot be empty")
    return text


def language_of(question: str, context: Context) -> Language:
    if context.language != "auto":
        return context.language
    return spoken(question) or ("zh" if is_chinese(question) else "en")


def fresh_turn(now: datetime, question: str, context: Context, policy: Policy) -> dict[str, Any]:
    """Return the per-turn keys that do not depend on the resolver; a run's own limits before the deployment's."""
    return {
        "trace_id": trace_id(now, question),
        "started_at": now.isoformat(),
        "attempt_started_at": now.isoformat(),
        "deadline_at": now.timestamp() + deadline_of(context, policy),
        "question": question,
        "mode": mode_of(context, policy),
        "toolkits": offered_toolkits(context),
        "remember": context.remember,
        "keep_trace": context.keep_trace,
        "limits": TurnLimits(
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
        "kept": [],
        "result": {},
    }


def deadline_of(context: Context, policy: Policy) -> float:
    """Return the seconds of a question: the run's own before the deployment's."""
    return policy.deadline_s if context.deadline_s is None else context.deadline_s


def trace_id(now: datetime, question: str) -> str:
    """Return date-time-query_hash: the hash is the first 6 hex digits of the question's md5."""
    digest = hashlib.md5(question.encode("utf-8", "surrogatepass"), usedforsecurity=False).hexdigest()
    return f"{now:%Y%m%d-%H%M%S}-{digest[:6]}"


async def visible_session(
    linker: EntityLinker, session: Session, library: str, horizon: Horizon | None, earlier: Sequence[EarlierTurn]
) -> Session:
    """Return what a run may see of a session, which goes on with the `earlier` turns that its caller has kept.

    Of a turn with a later horizon than the run's only the user's own words remain: its answer, its resolved question
    and their entities may reveal what the reader does not know yet.
    """
    if earlier:
        session = with_turns(session, earlier, await linker.table(library, horizon))
    if horizon is None or all(horizon.covers(turn.get("as_of")) for turn in session["turns"]):
        return session
    table, turns, entities = await linker.table(library, horizon), list[SessionTurn](), list[SessionEntity]()
    for turn in session["turns"]:
        if not horizon.covers(turn.get("as_of")):  # its question alone, with the names that the reader knows in it
            names, question = names_in(turn["question"], table), turn["question"]
            turn = SessionTurn(question=question, resolved=question, answer="", entities=names, as_of=place_of(horizon))
        turns.append(turn)
        entities = push(entities, turn["entities"])
    return {**session, "entities": entities, "topic": None, "turns": turns}


def earlier_turns(messages: Sequence[AnyMessage]) -> list[EarlierTurn]:
    """Return the turns that messages tell of, oldest first: each question that was answered before the next."""
    asked = (turn for turn in turns_in(messages) if isinstance(turn[0], HumanMessage) and len(turn) > 1)
    turns = (EarlierTurn(question=turn[0].text, answer=turn[-1].text) for turn in asked)
    return [turn for turn in turns if turn["answer"]]


def unknown_to(session: Session, messages: Sequence[AnyMessage]) -> tuple[Session, list[EarlierTurn]]:
    """Return a session without the turns that were removed from its thread, and the thread's turns that it lacks.

    Those came after its own: a client sent them along, or wrote them into the state. Turns that a caller hands over
    as a session stand in no message; they are the oldest.
    """
    turns, said = list(session["turns"]), earlier_turns(messages)
    if not messages:
        return NO_SESSION_YET, []
    questions, asked = [turn["question"] for turn in said], {one.text for one in messages}
    while turns and turns[-1]["question"] not in questions and (said or turns[-1]["question"] in asked):
        turns.pop()
    if len(turns) < len(session["turns"]):
        return NO_SESSION_YET, said
    known = len(questions) - questions[::-1].index(turns[-1]["question"]) if said and turns else 0
    return session, said[known:]


def with_turns(session: Session, earlier: Sequence[EarlierTurn], table: NameTable) -> Session:
    """Return a session with later turns, oldest first, that a caller has kept: the names in them are found anew."""
    turns, entities = list(session["turns"]), session["entities"]
    for one in earlier[-MAX_TURNS:]:
        names, answer = names_in(one["question"], table), kept_answer(one["answer"])
        question, as_of = one["question"], one.get("as_of")
        turns.append(SessionTurn(question=question, resolved=question, answer=answer, entities=names, as_of=as_of))
        entities = push(entities, [*names, *names_in(answer, table)])
    first = session.get("first", (session["turns"] or earlier)[0]["question"])
    return Session(entities=entities, topic=None, turns=turns[-MAX_TURNS:], first=first)


def kept_answer(answer: str) -> str:
    """Return the first sentences of an answer, as many as a session keeps."""
    return beginning(answer, affordable(answer, ANSWER_CHARACTERS))


def names_in(text: str, table: NameTable) -> list[str]:
    """Return the unambiguous entities of a text, in order of mention."""
    return [mention.entity for mention in table.find(text) if mention.entity]


def push(stack: list[SessionEntity], names: list[str]) -> list[SessionEntity]:
    """Push names in order of mention: the last becomes the newest; no duplicates, at most 8."""
    known = {entity["name"]: entity for entity in stack}
    for name in names:
        known.setdefault(name, SessionEntity(name=name, kind=None, gloss=None))
    order = list(dict.fromkeys([*reversed(names), *(entity["name"] for entity in stack)]))
    return [known[name] for name in order[:MAX_ENTITIES]]


def updated_session(state: AgentState, result: TurnResult, tables: Sequence[NameTable]) -> Session:
    """Push the names of question, tool arguments, best results and answer; keep the last turns.

    `tables` hold the names of the story first, then those of networks. What a refusal shows beside itself was not said.
    """
    said = result.answer.partition("\n")[0] if result.status == "not_found" else result.answer
    session = state["session"]
    turn = SessionTurn(
        question=state["question"],
        resolved=state["resolved_question"],
        answer=kept_answer(said),
        entities=state["entities"],
        as_of=state["as_of"],
    )
    turns = [*session["turns"], turn][-MAX_TURNS:]
    first = session.get("first", turns[0]["question"])
    if state["status"] in ("small_talk", "failed"):
        return Session(entities=session["entities"], topic=session["topic"], turns=turns, first=first)
    arguments = [str(value) for call in state["tool_calls"] for value in call["args"].values()]
    called = [name for text in arguments for name in names_in(text, tables[0])]
    answered = [name for table in tables for name in names_in(said, table)]
    ids = {citation["evidence"] for citation in result.citations if result.status != "not_found"}
    pieces = [piece for piece in result.evidence if piece["id"] in ids and piece["kind"] != "passage"]
    cited = [name for piece in pieces for name in piece["entities"]]  # those of relations and events
    names = [*state["entities"], *called, *cited, *answered]
    stack = push(session["entities"], list(dict.fromkeys(names[::-1]))[::-1])
    entities = [described(entity, tables) for entity in stack]
    return Session(entities=entities, topic=state["topic"] or session["topic"], turns=turns, first=first)


CLAUSE_END = re.compile(r"[。！？；，\n]|[;,.](?=\s|$)")
GLOSS_CHARACTERS = 40


def described(entity: SessionEntity, tables: Sequence[NameTable]) -> SessionEntity:
    """Return a stack entry with the kind that the library, or a network, knows, and the gloss of the library."""
    name, kind = entity["name"], entity["kind"]
    kind = kind or next((known for table in tables if (known := table.kind(name))), None)
    description = next((found for table in tables if (found := table.description(name))), "")
    return SessionEntity(name=name, kind=kind, gloss=gloss_of(description) or entity["gloss"])


def gloss_of(description: str) -> str | None:
    """Return the first clause of a description, short enough to stand in brackets; None of an empty one."""
    clause = CLAUSE_END.split(description.strip(), maxsplit=1)[0]
    return shorten(clause, GLOSS_CHARACTERS) or None
