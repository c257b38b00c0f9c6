"""The faults of loop.md §5 on documents, in both modes: what hangs, what is spent, what ends badly, what is refused."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

import pytest

from nodes.policy import Policy
from tests.documents.desk import ERROR, Desk
from tests.documents.test_gemini import ANSWER, LOOK, QUESTION
from tests.fake_documents import FakeDocumentStore
from tests.fakes import FakeEmbedder
from tests.gemini import fault
from tests.gemini.fixtures import gemini, gemini_server
from tests.gemini.parts import text
from tests.gemini.replies import Always, Step, always, turn, usage
from tests.gemini.space import LOOPBACK_MODEL, Gemini
from tests.graph.talk import GRADER, Talk, grade, talking
from tools.documents.records import DocumentScope, RankedChunk
from tools.errors import ModelError

__all__ = ["gemini", "gemini_server"]  # fixtures

MODES = ["rag", "agent"]
GIVEN = "每年有十五天年假[1]。"
FROM_RULES = "十五天年假"
SECONDS = 120  # a test that takes longer hangs


@asynccontextmanager
async def asking(service: Gemini, mode: str, *steps: Step | Always, **fields: Any) -> AsyncIterator[tuple[Talk, Desk]]:
    """Open a desk whose model plays these steps; in agent mode the evidence is at hand before them."""
    timeout_s = fields.pop("timeout_s", 60.0)
    async with talking(service, timeout_s=timeout_s) as talk:
        talk.agent(*([LOOK] if mode == "agent" else []), *steps)
        talk.grader(always(grade()))
        desk = Desk(mind=talk.parts().mind, **fields)
        await desk.stock()
        yield talk, desk


async def told(desk: Desk, mode: str, **context: Any) -> dict[str, Any]:
    return await asyncio.wait_for(desk.ask(QUESTION, mode=mode, **context), SECONDS)


def sent(service: Gemini, model: str = LOOPBACK_MODEL) -> int:
    return sum(request.model == model for request in service.history)


@pytest.mark.parametrize("mode", MODES)
async def test_a_model_that_hangs_once(gemini: Gemini, mode: str) -> None:
    """LOP-04 S003-D18: a time-out of the model is tried again, and nothing of it is seen."""
    async with asking(gemini, mode, fault.hang(), ANSWER, timeout_s=3.0) as (_, desk):
        result = await told(desk, mode)
    assert (result["answer"], result["degraded"], result["mode"]) == (GIVEN, False, mode)
    assert sent(gemini) == (2 if mode == "rag" else 3)


@pytest.mark.parametrize("mode", MODES)
async def test_a_model_that_hangs_for_ever(gemini: Gemini, mode: str) -> None:
    """LOP-04 LOP-11: after three tries the offline mind finishes from the documents; the warning says why."""
    async with asking(gemini, mode, always(fault.hang()), timeout_s=2.0) as (_, desk):
        result = await told(desk, mode)
    assert FROM_RULES in result["answer"] and result["degraded"] and result["citations"]
    assert "没有在限定时间内回答" in result["warning"]
    assert sent(gemini) == (3 if mode == "rag" else 4)


@pytest.mark.parametrize("mode", MODES)
async def test_the_deadline_of_a_question(gemini: Gemini, mode: str) -> None:
    """S003-D18: at the deadline a model that hangs is waited for no longer; the rules answer, never an apology."""
    async with asking(gemini, mode, always(fault.hang())) as (_, desk):
        result = await told(desk, mode, deadline_s=2.0)
    assert result["degraded"] and result["citations"] and "年假" in result["answer"]


@pytest.mark.parametrize("mode", MODES)
async def test_a_store_that_hangs(gemini: Gemini, mode: str) -> None:
    """S003-D18 LOP-05: a search beyond its time is a failed call, never nothing found; all failed: the error text."""

    class Hanging(FakeDocumentStore):
        async def sparse(self, scope: DocumentScope, text: str, limit: int) -> list[RankedChunk]:
            await asyncio.Event().wait()
            return []

    policy = Policy(tool_timeout_s=1.0)
    async with asking(gemini, mode, text("没有找到。"), documents=Hanging(), policy=policy) as (_, desk):
        result = await told(desk, mode)
    assert [call["ok"] for call in result["tool_calls"]] == [False]
    assert result["answer"] == ERROR


@pytest.mark.parametrize("mode", MODES)
async def test_tokens_that_are_spent(gemini: Gemini, mode: str) -> None:
    """PLA-08: no model call beyond max_tokens: rag mode has its one, agent mode's draft is written by the rules."""
    spending = turn(LOOK if mode == "agent" else ANSWER, tokens=usage(7_900, 200))
    async with talking(gemini) as talk:
        talk.agent(spending)
        desk = Desk(mind=talk.parts().mind)
        await desk.stock()
        result = await told(desk, mode, max_tokens=8_000)
    gemini.assert_clean()
    assert result["usage"]["total_tokens"] == 8_100 and len(gemini.history) == 1
    if mode == "rag":
        assert (result["answer"], result["degraded"]) == (GIVEN, False)
    else:
        assert FROM_RULES in result["answer"] and result["degraded"] and "max_tokens" in result["warning"]


@pytest.mark.parametrize("mode", MODES)
async def test_an_answer_that_the_model_had_no_room_for(gemini: Gemini, mode: str) -> None:
    """PLA-05 S004-24: MAX_TOKENS without text is asked for once more, then no_answer; cut text is the answer."""
    empty = fault.finish("MAX_TOKENS")
    async with asking(gemini, mode, empty, ANSWER) as (_, desk):
        assert (await told(desk, mode))["answer"] == GIVEN
    async with asking(gemini, mode, empty, empty) as (_, desk):
        assert (await told(desk, mode))["answer"] == "抱歉，未能生成合适的答案，请重试。"
    async with asking(gemini, mode, fault.finish("MAX_TOKENS", text("每年有十五天[E1]"))) as (_, desk):
        assert (await told(desk, mode))["answer"] == "每年有十五天[1]"


REFUSALS: list[tuple[Any, str]] = [
    (fault.bad_key(), "GOOGLE_API_KEY"),
    (fault.unknown_model(LOOPBACK_MODEL), "GEMINI_MODEL"),
    (fault.quota(None, per="Day"), "429"),
]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("step", "named"), REFUSALS, ids=["key", "model", "quota"])
async def test_a_service_that_refuses(gemini: Gemini, mode: str, step: Any, named: str) -> None:
    """LOP-11: the rules answer from the documents, and the warning names what to mend."""
    async with asking(gemini, mode, always(step)) as (_, desk):
        result = await told(desk, mode)
    assert FROM_RULES in result["answer"] and result["degraded"] and named in result["warning"]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("step", [fault.closed(), fault.gateway(), fault.malformed_call()], ids=["cut", "502", "call"])
async def test_a_fault_that_passes(gemini: Gemini, mode: str, step: Any) -> None:
    """LOP-04 PLA-05: it is tried again, and the answer is the model's."""
    async with asking(gemini, mode, step, ANSWER) as (_, desk):
        result = await told(desk, mode)
    assert (result["answer"], result["degraded"]) == (GIVEN, False)


@pytest.mark.parametrize("mode", MODES)
async def test_an_embedder_that_fails(gemini: Gemini, mode: str) -> None:
    """LOP-05: chunks are found by their words; the warning says that meaning was not compared."""

    class Dead(FakeEmbedder):
        async def embed_query(self, text: str) -> list[float]:
            raise ModelError("503", transient=True)

    async with asking(gemini, mode, ANSWER) as (_, desk):
        desk.embedder = Dead()
        result = await told(desk, mode)
    assert result["answer"] == GIVEN and result["tool_calls"][0]["ok"] and result["warning"]
    assert {piece["score"] for piece in result["evidence"]} == {None}


async def test_a_grader_that_fails(gemini: Gemini) -> None:
    """S003-D04 LOP-01: on documents too the draft of agent mode is returned ungraded; rag mode never asks the model."""
    async with talking(gemini) as talk:
        steps: Sequence[Any] = (LOOK, ANSWER, ANSWER)
        talk.agent(*steps)
        talk.grader(always(fault.status(503)))
        desk = Desk(mind=talk.parts().mind)
        await desk.stock()
        graded, plain = await told(desk, "agent"), await told(desk, "rag", user_id="林")
    assert (graded["answer"], graded["passed"], plain["graded_by"]) == (GIVEN, False, "offline")
    assert sent(gemini, GRADER) == 2
