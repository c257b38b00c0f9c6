"""Which thread a name is for a user of a server, beside what he and others had under it without one: DOC-02."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import wenmai
from state.account import LOCAL
from tests.temporary import copied
from tools.errors import StoreError
from wenmai.application.caller import Caller
from wenmai.application.conversations import Conversations, uuid_of
from wenmai.application.limits import ConcurrencyLimits
from wenmai.application.operations import Application, Shared
from wenmai.application.own_conversations import OwnConversations, open_conversations

WHO, LEAVE = "苏晚亭是谁？", "年假每年有几天？"
FIRST, SECOND, OWNER = (Caller(user_id=name) for name in ("甲", "乙", LOCAL))


class Served:
    """The operations of a server's users on the stores of an agent that has worked here before."""

    def __init__(self, agent: wenmai.Agent, own: OwnConversations) -> None:
        async def given() -> Conversations:
            return own

        self.agent, self.own = agent, own
        self.app = Application(agent.services, shared=Shared(given, sessions=own.session))

    async def ask(self, caller: Caller, question: str, thread: str, **fields: Any) -> dict[str, Any]:
        answer = await self.app.for_caller(caller).conversations.ask(question, thread_id=thread, **fields)
        return dict(answer.record)

    async def documents(self, caller: Caller, thread: str) -> list[str]:
        return [one.filename for one in (await self.app.for_caller(caller).documents.list(thread_id=thread)).items]


@pytest.fixture
def folder(prepared: Path, tmp_path: Path) -> Path:
    return copied(prepared, tmp_path / "names")


@asynccontextmanager
async def serving(folder: Path) -> AsyncIterator[Served]:
    places = ConcurrencyLimits(at_once=2, most_pending=2)
    async with (
        wenmai.open_agent(data_dir=folder / "data", trace_dir=folder / "traces") as agent,
        open_conversations(agent.services, places) as own,
    ):
        yield Served(agent, own)


@pytest.fixture
async def served(folder: Path) -> AsyncIterator[Served]:
    async with serving(folder) as opened:
        yield opened


async def test_a_thread_that_an_agent_began_stays_its_owners(served: Served) -> None:
    """DOC-02: it has no record of a server, but a checkpoint that says whose it is."""
    ask = partial(served.agent.ask, "你能做什么？", toolkits=["documents"])
    await ask(thread_id="demo", user_id="甲")
    await ask(thread_id="mine")
    await ask(thread_id="old", user_id=None)
    session = served.own.session
    assert await session(FIRST, "demo") == "demo"
    assert uuid_of(await session(SECOND, "demo")) and uuid_of(await session(SECOND, "old"))
    assert (await session(OWNER, "mine"), await session(OWNER, "old")) == ("mine", "old")
    assert (await session(OWNER, "new"), uuid_of(await session(FIRST, "new")) is None) == ("new", False)
    assert (await served.ask(FIRST, WHO, "demo", library="sample"))["thread_id"] == "demo"


async def test_a_name_that_is_anothers_is_free_for_the_user_of_this_machine(served: Served) -> None:
    """DOC-02: two users may take the same name, `local` among them, with and without a record of the server."""
    await served.agent.ask("你能做什么？", toolkits=["documents"], thread_id="demo", user_id="甲")
    first = (await served.ask(OWNER, WHO, "demo", library="sample"))["thread_id"]
    assert uuid_of(first) and (await served.ask(OWNER, WHO, "demo", library="sample"))["thread_id"] == first
    await served.ask(FIRST, WHO, "demo", library="sample")
    assert await served.own.session(OWNER, "demo") == first
    own = served.app.for_caller(OWNER).conversations
    assert [one.question for one in (await own.turns("demo")).items] == [WHO, WHO]


async def test_documents_under_the_name_itself_stay_their_owners(served: Served) -> None:
    """DOC-02: over the doors of documents, even behind a question on a story under that name."""
    content = "年假每年五天，要提前两周申请。".encode()
    await served.agent.upload("年假.md", thread_id="papers", user_id="甲", content=content)
    await served.ask(FIRST, WHO, "papers", library="sample")
    assert await served.documents(FIRST, "papers") == ["年假.md"] and await served.documents(SECOND, "papers") == []
    assert "五天" in (await served.ask(FIRST, LEAVE, "papers", toolkits=["documents"]))["answer"]
    found = await served.app.for_caller(FIRST).tools.call("semantic_search", {"query": "年假", "session_id": "papers"})
    assert "五天" in found.text


async def test_a_question_on_a_story_needs_no_documents(folder: Path) -> None:
    """A document store that is broken fails the doors of documents, and no question under a fresh name."""
    async with wenmai.open_agent(data_dir=folder / "data", trace_dir=folder / "traces") as agent:
        await agent.upload("年假.md", thread_id="s1", content="年假每年五天，要提前两周申请。".encode())
    (shape,) = (folder / "data").rglob("documents/points/edge_config.json")
    shape.write_text("broken", encoding="utf-8")
    async with serving(folder) as served:
        with pytest.raises(StoreError):
            await served.documents(FIRST, "fresh")
        assert "守塔人" in (await served.ask(FIRST, WHO, "fresh", library="sample"))["answer"]
