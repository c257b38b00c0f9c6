"""Talks that are replayed turn by turn: with the right answers, as a live model gives them, or with the agent's own.

A talk is {"id", "turns": [{"q", "names": [[names of one who is referred to], …], "standalone": the question by itself,
"answer": the right answer}]}; a turn that stands alone has no "names".
"""

from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any
from uuid import uuid4

from state.session import MAX_TURNS, Session, SessionTurn
from tools.story.linking import NameTable
from wenmai.agent import Agent

Talk = Mapping[str, Any]
Replay = AsyncIterator[tuple[Mapping[str, Any], Session]]
"""The turns of a talk, each with the session before it."""


def named(names: Sequence[str], table: NameTable) -> list[str]:
    """Return the entities that some spellings stand for, and the spellings."""
    return [mention.entity for name in names for mention in table.find(name) if mention.entity] + list(names)


async def right_answered(talk: Talk) -> Replay:
    """Replay a talk with the right answers."""
    turns: list[SessionTurn] = []
    for turn in talk["turns"]:
        yield turn, Session(entities=[], topic=None, turns=turns[-MAX_TURNS:])
        turns.append(SessionTurn(question=turn["q"], resolved=turn["standalone"], answer=turn["answer"], entities=[]))


async def self_answered(agent: Agent, talk: Talk, library: str) -> Replay:
    """Replay a talk with what the agent answers."""
    session, thread = Session(entities=[], topic=None, turns=[]), f"replay-{uuid4()}"
    for turn in talk["turns"]:
        yield turn, session
        record = (await agent.ask(turn["q"], thread_id=thread, library=library)).record
        kept = await agent.graph.aget_state({"configurable": {"thread_id": record["thread_id"]}})
        session = kept.values["session"]
