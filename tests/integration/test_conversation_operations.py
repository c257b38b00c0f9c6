"""What happens to the threads of `wenmai.open`: a question broken off, an old answer under a guard, locks, jobs."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing
from pathlib import Path
from typing import Any

import pytest

import wenmai
from tests.temporary import copied
from wenmai.application.jobs import Report
from wenmai.application.operations import Application
from wenmai.application.own_conversations import OwnConversations
from wenmai.application.paging import Guard
from wenmai.inputs import FieldError

WHO = "苏晚亭是谁？"


@pytest.fixture
def folders(prepared: Path, tmp_path: Path) -> dict[str, Any]:
    folder = copied(prepared, tmp_path / "conversations")
    return {"data_dir": folder / "data", "trace_dir": folder / "traces"}


@pytest.fixture
async def app(folders: dict[str, Any]) -> AsyncIterator[Application]:
    async with wenmai.open(kept_checkpoints=1, kept_steps=0, **folders) as opened:
        assert isinstance(opened, Application)
        yield opened


async def test_a_question_that_is_broken_off_takes_no_earlier_message_along(folders: dict[str, Any]) -> None:
    """A thread of `open_agent` is one like any other; who leaves a question on it gives up that question alone."""
    async with wenmai.open_agent(**folders) as agent:
        await agent.ask(WHO, library="sample", thread_id="old", user_id="local")
    async with wenmai.open(**folders) as app:
        assert isinstance(app, Application)
        for thread in ("old", "new"):
            async with aclosing(app.conversations.events(WHO, thread, None, {"library": "sample"})) as events:
                async for event in events:
                    if event.kind == "node":
                        break
        assert [one.id for one in (await app.conversations.list()).items] == ["old"]
        own = await app.conversations.open()
        assert isinstance(own, OwnConversations)
        assert await own.agent.checkpoints.aget_tuple(own.agent.config("new")) is None
        kept = (await own.agent.graph.aget_state(own.agent.config("old"))).values["messages"]
        assert [one.text for one in kept[:1]] == [WHO] and "守塔人" in kept[1].text


async def test_under_a_guard_an_old_answer_is_exported_only_if_it_saw_no_more(app: Application) -> None:
    """Of a turn whose record is no longer kept nobody knows what it saw; one that had no guard saw everything."""
    talk = app.conversations
    first = await talk.ask(WHO, library="sample")
    for chapter in (None, 2):
        last = await talk.ask(WHO, library="sample", thread_id=first.thread_id, as_of_chapter=chapter)
        whole = await talk.export(first.thread_id)
        assert whole.turns[-1].citations and not whole.turns[0].citations
        assert whole.turns[0].answer == first.text
        seen = await talk.export(first.thread_id, guard=Guard(as_of_chapter=2))
        assert seen.turns[0].answer != first.text and seen.turns[0].question == WHO
        assert (seen.turns[-1].answer == last.text) == bool(chapter)


async def test_a_question_that_waits_for_its_thread_leaves_the_library_to_others(app: Application) -> None:
    """The thread comes first, then the library: the order is one, whoever asks."""
    conversations = await app.conversations.open()
    assert isinstance(conversations, OwnConversations)
    agent = conversations.agent
    async with agent.checkpoints.turn("busy"):
        waiting = asyncio.create_task(agent.ask(WHO, library="sample", thread_id="busy"))
        await asyncio.sleep(0.5)
        async with asyncio.timeout(5), app.services.libraries.writing("sample"):
            assert not waiting.done()
    assert "守塔人" in (await waiting).text


async def test_jobs_end_with_the_operations(folders: dict[str, Any]) -> None:
    """Nothing goes on behind closed stores."""

    async def work(report: Report) -> dict[str, Any]:
        await asyncio.Event().wait()
        return {}

    async with wenmai.open(**folders) as app:
        assert isinstance(app, Application)
        job = app.jobs.begin_upload("endless.txt", work)
        states = app.jobs.watch(job.id)
        assert (await anext(states)).state == "running"
    async with asyncio.timeout(5):
        assert [one.state async for one in states][-1] == "cancelled"


async def test_what_is_out_of_range_is_refused_as_a_server_does(app: Application) -> None:
    for field, work in {
        "depth": app.entities.neighbours("sample", "苏晚亭", depth=99),
        "limit": app.memories.search("茶", limit=11),
        "min_score": app.memories.search("茶", min_score=1.5),
        "context": app.passages.evidence("sample", "x", context=5001),
        "offset": app.entities.list("sample", offset=-1),
    }.items():
        with pytest.raises(FieldError) as error:
            await work
        assert error.value.field == field
