"""A talk as a thread of the agent: what was said stands in it as if the agent itself had said it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage
from langchain_core.runnables import RunnableConfig

from benchmarks.public.kdconv import Dialogue, FollowUp
from nodes.scope import networks_of
from nodes.turn import described, names_in, push
from state.context import Context
from state.session import ANSWER_CHARACTERS, MAX_TURNS, Session, SessionTurn
from tools.story.names import NameTable
from wenmai.agent import Agent

LAST = "remember"  # the node that ends a turn: nothing follows what is written in its name
EMPTY = Session(entities=[], topic=None, turns=[])


@dataclass
class Thread:
    """One dialogue, one thread.

    Each follow-up question is asked on it. Then the agent's own answer is replaced by the reply that was really given,
    in the messages and in the session, with the entities of question and reply pushed onto the stack as the node
    `answer` does; the names of the agent's own answer leave it again. Messages that are not asked are entered the same
    way. A reply that is itself the next question stands in the thread as the answer, and is then asked.
    """

    agent: Agent
    id: str
    network: str
    entered: int = 0

    @property
    def config(self) -> RunnableConfig:
        """How LangGraph knows the thread."""
        return {"configurable": {"thread_id": self.id}}

    async def asked(self, dialogue: Dialogue, question: FollowUp) -> dict[str, Any]:
        """Enter what was said before a question, ask it, enter the reply; return the agent's own result."""
        await self.enter(dialogue.messages[self.entered : question.at])
        before = (await self.values()).get("session") or EMPTY
        record = (await self.agent.ask(question.question, thread_id=self.id, **self.context)).record
        values = await self.values()
        answer: AnyMessage = values["messages"][-1]
        turn = (question.question, record["resolved_question"], question.answer)
        session = await self.after(before, [turn])
        await self.write([AIMessage(question.answer, id=answer.id)], session)
        self.entered = question.at + 2
        return record

    @property
    def context(self) -> dict[str, Any]:
        """The run's own fields."""
        return {"toolkits": ["knowledge"], "kn_ids": [self.network]}

    async def enter(self, said: Sequence[str]) -> None:
        """Enter messages that nobody is asked; the last is the assistant's, since the user asks next."""
        if not said:
            return
        padded = [*[""] * (len(said) % 2), *said]
        pairs = list(zip(padded[::2], padded[1::2], strict=True))
        session = await self.after((await self.values()).get("session") or EMPTY, [(q, q, a) for q, a in pairs])
        messages = [kind(text) for pair in pairs for kind, text in zip((HumanMessage, AIMessage), pair, strict=True)]
        await self.write([message for message in messages if message.text], session)

    async def after(self, session: Session, turns: Sequence[tuple[str, str, str]]) -> Session:
        """Return a session behind these turns (question, as it was understood, reply)."""
        networks = networks_of(Context(**self.context))
        table: NameTable = (await self.agent.services.assembly.lexicons(networks)).table
        for question, resolved, answer in turns:
            names = names_in(question, table)
            stack = push(session["entities"], [*names, *names_in(answer, table)])
            turn = SessionTurn(
                question=question, resolved=resolved, answer=answer[:ANSWER_CHARACTERS], entities=names, as_of=None
            )
            session = Session(
                entities=[described(entity, [table]) for entity in stack],
                topic=session["topic"],
                turns=[*session["turns"], turn][-MAX_TURNS:],
            )
        return session

    async def values(self) -> dict[str, Any]:
        """Return the thread's state."""
        values: dict[str, Any] = (await self.agent.graph.aget_state(self.config)).values
        return values

    async def write(self, messages: Sequence[AnyMessage], session: Session) -> None:
        """Write messages and session to the thread."""
        await self.agent.graph.aupdate_state(self.config, {"messages": messages, "session": session}, as_node=LAST)
