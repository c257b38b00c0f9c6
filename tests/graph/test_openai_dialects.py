"""Servers of OpenAI's protocol differ: whatever one lacks, a conversation goes the same way."""

from typing import Any

import pytest

from tests.gemini.parts import Json, as_json, call, text, thought
from tests.gemini.replies import turn, usage
from tests.gemini.space import LOOPBACK_MODEL
from tests.graph.talk import GRADER, REFINER, RESOLVER, SHALLOW, Talk, grade, resolved, settings, talking
from tests.openai_service.dialect import DIALECTS, STRICT, Dialect
from tests.openai_service.space import OpenAI
from wenmai.minds.model.mind import RoleModels
from wenmai.minds.model.probing import probe_capabilities

QUESTION = "恰斯卡和卡齐娜是什么关系？"
LOOK = call("find_connection", {"entity1": "恰斯卡", "entity2": "卡齐娜"})
SCENES = call("search_memory", {"query": "恰斯卡 卡齐娜"})
DRAFT = "恰斯卡与卡齐娜一见如故[E1]。"
ANSWER = "恰斯卡与卡齐娜一见如故[1]。"
THOUGHT = "秘密的想法"


def models() -> RoleModels:
    """Return models without thinking levels, which not every server knows."""
    writer = {"agent": LOOPBACK_MODEL, "searcher": LOOPBACK_MODEL}
    ids = {**writer, "grader": GRADER, "refiner": REFINER, "resolver": RESOLVER}
    return RoleModels(**{role: settings(id, f"{role.upper()}_MODEL") for role, id in ids.items()})


def scripted(talk: Talk) -> None:
    """Play a failed attempt, one that passes, and a follow-up."""
    talk.agent(
        turn(thought(THOUGHT), text("先查关系"), LOOK, SCENES),
        turn(thought(THOUGHT), text("两人不认识[E1]。")),
        turn(thought(THOUGHT), LOOK),
        text(DRAFT),
        SCENES,
        turn(thought(THOUGHT), text(DRAFT)),
    )
    talk.grader(grade(SHALLOW), grade(), grade())
    talk.refiner(as_json(["恰斯卡 相遇", "卡齐娜 安慰"]))
    talk.resolver(resolved("卡齐娜后来怎么样了？", ("她", "卡齐娜")))


@pytest.mark.parametrize("stream_drafts", [False, True])
@pytest.mark.parametrize("dialect", [STRICT, *DIALECTS.values()], ids=["strict", *DIALECTS])
async def test_a_conversation(openai: OpenAI, dialect: Dialect, stream_drafts: bool) -> None:
    """LOP-10 S000-D14 PLA-31: two attempts, a follow-up, each role; refused is only what shows what is lacking."""
    openai.dialect, openai.piece = dialect, 5
    async with talking(openai, models=models()) as talk:
        scripted(talk)
        first = await talk.ask(QUESTION, stream_drafts=stream_drafts)
        second = await talk.ask("她后来怎么样了？", stream_drafts=stream_drafts)
    openai.assert_clean()
    assert [one["passed"] for one in first["attempts"]] == [False, True] and second["passed"]
    assert first["answer"] == second["answer"] == ANSWER and not first["degraded"] and not second["degraded"]
    assert [one["tool"] for one in first["tool_calls"]] == ["find_connection", "search_memory", "find_connection"]
    assert second["resolutions"] == [{"mention": "她", "entity": "卡齐娜"}]
    assert talk.traces.records[0]["attempts"][0]["refiner"]["queries"] == ["恰斯卡 相遇", "卡齐娜 安慰"]
    shown = str([first["answer"], first["attempts"], second["answer"], second["attempts"]])
    assert "think>" not in shown and THOUGHT not in shown and "tool_call>" not in shown
    kept = talk.traces.records[0]["attempts"][0]["reasoning"]["thoughts"]
    assert (THOUGHT in str(kept)) == (dialect.thoughts != "none")


async def test_what_is_learned_is_not_asked_again(openai: OpenAI) -> None:
    """PLA-31: a refusal by which a lack is learned comes once a process and model, not at each question."""
    openai.dialect = DIALECTS["text only"]
    async with talking(openai, models=models()) as talk:
        for thread in ("t1", "t2"):
            talk.agent(LOOK, text(DRAFT))
            talk.grader(grade())
            await talk.ask(QUESTION, thread)
    statuses = {id: [one.status for one in openai.history if one.model == id] for id in (LOOPBACK_MODEL, GRADER)}
    assert statuses == {LOOPBACK_MODEL: [400, 200, 200, 200, 200], GRADER: [400, 400, 400, 200, 200]}


async def test_tools_are_tried_once(openai: OpenAI) -> None:
    """PLA-31: a model that only wrote text is asked for a call once; then it is known whether it has tools."""
    async with talking(openai, models=models()) as talk:
        talk.agent(text("凭记忆作答。"), text("凭记忆作答。"))
        await talk.ask("玛薇卡是谁？", max_attempts=1)
        await talk.ask("玛薇卡是谁？", "t2", max_attempts=1)
    openai.assert_clean()
    assert openai.probes == 1


@pytest.mark.parametrize("thoughts", ["reasoning_content", "required", "reasoning"])
async def test_thoughts_go_back_with_their_calls(openai: OpenAI, thoughts: Any) -> None:
    """PLA-30 S004-D15: in the field that they came in, unchanged, from a stream too; the service is strict."""
    openai.dialect, openai.piece = Dialect(thoughts=thoughts), 3
    async with talking(openai, models=models()) as talk:
        talk.agent(turn(thought(THOUGHT), LOOK), turn(thought("再看原文"), SCENES), text(DRAFT))
        talk.grader(grade())
        await talk.ask(QUESTION, stream_drafts=True)
    openai.assert_clean()
    field = "reasoning" if thoughts == "reasoning" else "reasoning_content"
    messages: list[Json] = openai.history[2].body["messages"]
    assert [one[field] for one in messages if one["role"] == "assistant"] == [THOUGHT, "再看原文"]
    assert all(field not in one for one in messages if one["role"] != "assistant")


async def test_names_that_no_server_takes_back(openai: OpenAI) -> None:
    """PLA-32 S000-D12: an invented name is answered as it came, and goes back in letters that are taken."""
    async with talking(openai, models=models()) as talk:
        talk.agent(turn(call("搜索.全部", {"query": "卡齐娜"}), LOOK), text(DRAFT))
        talk.grader(grade())
        result = await talk.ask(QUESTION)
    openai.assert_clean()
    assert [one["tool"] for one in result["tool_calls"]] == ["搜索.全部", "find_connection"]
    assert "Unknown tool: 搜索.全部" in str(openai.history[1].responses)


async def test_usage_is_booked_under_the_name_of_the_settings(openai: OpenAI) -> None:
    """S003-23 S000-D16: tokens, thinking and cached ones, whole or streamed; the key is nowhere in the record."""
    tokens = usage(1000, 50, thoughts=20, cached=400)
    rows = []
    for stream_drafts in (False, True):
        async with talking(openai, models=models()) as talk:
            talk.agent(turn(LOOK, tokens=tokens), turn(text(DRAFT), tokens=tokens))
            talk.grader(grade())
            result = await talk.ask(QUESTION, stream_drafts=stream_drafts)
        rows.append({**result["usage"]["by"][0], "seconds": 0})
        assert openai.key not in str(talk.traces.records)
    assert rows[0] == rows[1] and rows[0]["model"] == LOOPBACK_MODEL
    names = ("calls", "input_tokens", "output_tokens", "thinking_tokens", "cached_tokens")
    assert [rows[0][name] for name in names] == [2, 2000, 140, 40, 800]


@pytest.mark.parametrize("name", ["strict", *DIALECTS])
async def test_what_works(openai: OpenAI, name: str) -> None:
    """PLA-31: two short questions show tools, JSON schema, streaming and usage."""
    openai.dialect = dialect = ({"strict": STRICT} | DIALECTS)[name]
    async with talking(openai, models=models()) as talk:
        openai.answer(lambda request: as_json({"word": "pong"}))
        found = await probe_capabilities(talk.provider, settings(LOOPBACK_MODEL, "OPENAI_MODEL"))
    assert found.tools == (dialect.tools == "called") and found.streaming
    assert found.schema == ("json_schema" in dialect.ways and not dialect.echoes)
    assert found.usage == dialect.stream_options
