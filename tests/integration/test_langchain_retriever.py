"""`wenmai.retriever`: the product's search in other people's chains and agents, guard and user inside."""

import asyncio
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain_core.documents import Document
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.runnables import RunnablePassthrough

import wenmai
from tests.integration.cli_story import STORY, Cli

pytestmark = pytest.mark.filterwarnings("ignore:This API is in beta")  # `as_tool` of langchain-core
LEG = "沈河的左腿怎么了？"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a library."""
    made = tmp_path_factory.mktemp("retriever")
    (made / "story.txt").write_text(STORY, encoding="utf-8")
    done = Cli(made).run("ingest", "story.txt", "--library", "ferry")
    assert done.returncode == 0, done.stderr
    return made


@pytest.fixture(autouse=True)
def here(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let this process work with that library."""
    monkeypatch.setenv("DATA_DIR", str(folder / ".wenmai"))
    monkeypatch.setenv("TRACE_DIR", str(folder / "traces"))


def chapters(found: Sequence[Document]) -> set[int]:
    return {document.metadata["chapter"] for document in found}


class FakeModel(GenericFakeChatModel):
    """Says what it was given, whatever tools it is bound to."""

    def bind_tools(self, tools: Any, **_: Any) -> "FakeModel":
        return self


def says(*messages: AIMessage) -> FakeModel:
    return FakeModel(messages=iter(messages))


def test_a_search_gives_documents_with_their_places() -> None:
    """A document is a passage as evidence: verbatim, with its id, its chapter and its place in it."""
    found = wenmai.retriever("ferry", top_k=2).invoke(LEG)
    assert len(found) == 2 and "左腿却被石头砸断了" in found[0].page_content
    told = found[0].metadata
    assert (told["library"], told["chapter"], told["title"]) == ("ferry", 3, "第三章 大水")
    assert told["end"] - told["start"] == len(found[0].page_content) and 0 < told["score"] <= 1
    assert found[0].id == told["id"]
    assert wenmai.retriever("ferry").invoke(" ") == []


async def test_it_is_the_same_beside_a_loop_and_over_an_open_agent() -> None:
    """Stores are opened for a search, or those of an agent are used, which only its loop can do."""
    alone = await wenmai.retriever("ferry").ainvoke(LEG)
    assert await asyncio.to_thread(wenmai.retriever("ferry").invoke, LEG) == alone
    async with wenmai.open_agent() as agent:
        shared = wenmai.retriever("ferry", agent=agent)
        assert await asyncio.gather(*(shared.ainvoke(LEG) for _ in range(5))) == [alone] * 5
        with pytest.raises(wenmai.InputError, match="ainvoke"):
            shared.invoke(LEG)


async def test_the_guard_and_the_user_are_no_arguments_of_a_search(folder: Path) -> None:
    """PLA-03 STO-19: nothing after the chapter is found, nor what another user uploaded, whatever is asked."""
    assert chapters(await wenmai.retriever("ferry", as_of_chapter=2).ainvoke(LEG)) == {1, 2}
    async with wenmai.open_agent() as agent:
        await agent.upload("表.txt", thread_id="t1", user_id="甲", content="数据库端口是 5433。".encode())
        mine = wenmai.retriever(session_id="t1", user_id="甲", agent=agent)
        [found] = await mine.ainvoke("数据库端口是多少？")
        assert (found.page_content.strip(), found.metadata["source"]) == ("数据库端口是 5433。", "表.txt")
        for user, session in (("乙", "t1"), ("甲", "t2")):
            assert await wenmai.retriever(session_id=session, user_id=user, agent=agent).ainvoke("数据库端口") == []
    tool = wenmai.retriever("ferry", as_of_chapter=2).as_tool(name="search_story", description="搜索小说")
    assert len(tool.args) == 1


@pytest.mark.parametrize("fields", [{}, {"library": "ferry", "session_id": "t1"}])
def test_where_to_look_must_be_clear(fields: dict[str, str]) -> None:
    with pytest.raises(wenmai.InputError, match="给出一个"):
        wenmai.retriever(**fields)  # type: ignore[arg-type]  # what the test is about


@pytest.mark.parametrize("user", [None, "", " "])
def test_a_session_is_a_users(user: str | None) -> None:
    """STO-19 PLA-08: nobody and a blank name have no session, and are not `local`."""
    with pytest.raises(wenmai.InputError, match="user_id"):
        wenmai.retriever(session_id="t1", user_id=user)


@pytest.mark.parametrize(
    ("place", "fields", "named"),
    [
        ({"library": "ferry"}, {"filter": {"must": []}}, "filter"),
        ({"library": "ferry"}, {"user_id": "甲"}, "user_id"),
        ({"session_id": "t1"}, {"filter": {"must": []}}, "filter"),
        ({"session_id": "t1"}, {"as_of_chapter": 2}, "as_of_chapter"),
        ({"session_id": "t1"}, {"as_of_part": 1}, "as_of_part"),
    ],
)
def test_what_does_not_go_together_is_refused(place: Any, fields: Any, named: str) -> None:
    """PLA-41: what the place to look in does not know is never ignored."""
    with pytest.raises(wenmai.InputError, match=named):
        wenmai.retriever(**place, **fields)


async def test_an_agent_has_its_settings() -> None:
    async with wenmai.open_agent() as agent:
        with pytest.raises(wenmai.InputError, match="top_k_chars"):
            wenmai.retriever("ferry", agent=agent, top_k_chars=3)


async def test_an_unknown_library_is_an_error_not_an_empty_result() -> None:
    with pytest.raises(wenmai.LibraryNotFound, match="nowhere"):
        await wenmai.retriever("nowhere").ainvoke(LEG)


async def test_a_chain_of_someone_else() -> None:
    """The retriever is one step of an LCEL chain."""

    def joined(found: list[Document]) -> str:
        return "\n".join(document.page_content for document in found)

    prompt = ChatPromptTemplate.from_template("{context}\n\n{question}")
    source = {"context": wenmai.retriever("ferry", as_of_chapter=3) | joined, "question": RunnablePassthrough()}
    seen = await (source | prompt).ainvoke(LEG)
    assert "左腿却被石头砸断了" in seen.to_string() and seen.to_string().endswith(LEG)
    assert (await (source | prompt | says(AIMessage("被石头砸断了"))).ainvoke(LEG)).content == "被石头砸断了"


@pytest.fixture
def asking() -> Iterator[FakeModel]:
    """A model that calls the tool and then answers."""
    call = {"name": "search_story", "args": {"__arg1": LEG}, "id": "c1", "type": "tool_call"}
    yield says(AIMessage("", tool_calls=[call]), AIMessage("读到这里还不知道。"))


async def test_an_agent_of_someone_else(asking: FakeModel) -> None:
    """LangGraph's create_agent calls it as a tool; the guard holds there."""
    tool = wenmai.retriever("ferry", as_of_chapter=2).as_tool(name="search_story", description="搜索小说")
    agent = create_agent(asking, [tool])
    done = await agent.ainvoke({"messages": [HumanMessage(LEG)]})
    [told] = [message for message in done["messages"] if isinstance(message, ToolMessage)]
    assert told.status == "success" and "茶铺" in told.text and "砸断" not in told.text
    assert done["messages"][-1].text == "读到这里还不知道。"
