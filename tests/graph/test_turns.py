"""Threads: per-turn reset, session, checkpoints, crashes (story.md §5, platform.md §5)."""

import asyncio
import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import HumanMessage

from graph.builder import build_graph
from nodes.drafts import unpack
from state.context import Context
from state.schema import AgentInput, Candidate
from tests.graph.rig import (
    NOTHING,
    ONE,
    SHALLOW,
    Rig,
    ScriptedGrader,
    ScriptedPlanner,
    ScriptedResolver,
    ScriptedTool,
    becomes,
    config,
    found,
    piece,
    run_context,
    says,
    search,
    unanswered,
    verdict,
)
from tools.errors import InputError, LibraryNotFound
from wenmai.checkpoints.sqlite import open_checkpoints

ANSWER = "卡齐娜获得了古名。[E1]"
ROOT = Path(__file__).parents[2]


def planner(*drafts: str) -> ScriptedPlanner:
    """Return a planner that searches once for each draft."""
    return ScriptedPlanner([turn for draft in drafts for turn in (search(), says(draft))])


async def test_the_resolved_question_is_what_the_turn_works_on() -> None:
    """S000-23 S000-39: tools, grader and result see the rewritten question, the user's words are kept."""
    resolution = becomes("阿尤在任务中做了什么？", ("它", "阿尤"), topic="龙伙伴")
    rig = Rig(planner=planner(ANSWER), resolver=ScriptedResolver({"它在任务中做了什么？": resolution}))
    session = {"entities": ["基尼奇", "阿尤"], "topic": "龙伙伴"}
    await rig.run({"messages": [("user", "它在任务中做了什么？")], "session_context": session})
    result = (await rig.state())["result"]
    assert (result["question"], result["resolved_question"]) == ("它在任务中做了什么？", "阿尤在任务中做了什么？")
    assert result["resolutions"] == [{"mention": "它", "entity": "阿尤"}]
    assert rig.grader.history[0].question == rig.planner.history[0].resolved == "阿尤在任务中做了什么？"
    asked = rig.resolver.history[0].session
    assert [entity["name"] for entity in asked["entities"]] == ["阿尤", "基尼奇"]


async def test_what_a_question_may_mean_stands_in_its_record() -> None:
    """S000-D10: with the question to ask instead."""
    candidates = [Candidate(entity="阿尤", question="阿尤在哪？"), Candidate(entity="基尼奇", question="基尼奇在哪？")]
    unsure = replace(becomes("它在哪？"), candidates=candidates)
    rig = Rig(planner=planner(ANSWER), resolver=ScriptedResolver({"它在哪？": unsure}))
    await rig.run({"messages": [("user", "它在哪？")]})
    result = (await rig.state())["result"]
    assert (result["resolved_question"], result["candidates"]) == ("它在哪？", candidates)


async def test_prompt_block() -> None:
    """S000-22 S000-23 S000-24 S000-25: entities in order of mention, topic, history, question, note, literally."""
    rig = Rig(planner=planner(ANSWER))
    await rig.run(
        {
            "messages": [("user", "它在任务中做了什么？")],
            "session_context": {"entities": ["基尼奇", "阿尤"], "topic": "龙伙伴"},
        }
    )
    assert rig.planner.history[0].transcript[0].text == (
        "对话上下文:\n- 最近提到的实体: 基尼奇, 阿尤\n- 最近话题: 龙伙伴\n- 对话历史:\n  无\n\n"
        "用户问题: 它在任务中做了什么？\n\n"
        "注意: 如果问题中有代词，请根据对话上下文消解后再检索。"
    )


async def test_prompt_without_context_and_without_topic() -> None:
    """S000-24: no context at all gives only the question; a missing topic is shown as 无; glosses stand in brackets."""
    rig = Rig(planner=planner(ANSWER, ANSWER))
    await rig.ask("恰斯卡是谁？")
    assert rig.planner.history[0].transcript[0].text == "用户问题: 恰斯卡是谁？"
    state = await rig.state()
    state["session"]["entities"][0]["gloss"] = "调停人"  # of the newest name, which the answer brought
    await rig.graph.aupdate_state(config(), {"session": state["session"]})
    await rig.ask("她来自哪里？")
    block = rig.planner.history[2].transcript[0].text
    assert "- 最近提到的实体: 恰斯卡, 卡齐娜(调停人)" in block
    assert "- 最近话题: 无" in block
    assert "  User: 恰斯卡是谁？\n  Assistant: 卡齐娜获得了古名。[1]" in block


async def test_session_is_updated_after_a_turn() -> None:
    """S000-D10: names of question, arguments, cited results and answer, newest first, no doubles, at most 8."""
    rig = Rig(
        planner=ScriptedPlanner([search("恰斯卡 基尼奇"), says("恰斯卡遇见了卡齐娜。[E1]")]),
        tools=[ScriptedTool("search", [found(piece("恰斯卡遇见了卡齐娜。"))])],
    )
    await rig.ask("阿尤呢？")
    session = (await rig.state())["session"]
    assert [entity["name"] for entity in session["entities"]] == ["卡齐娜", "恰斯卡", "基尼奇", "阿尤"]
    assert session["entities"][0]["kind"] == "Character"
    (turn,) = session["turns"]
    assert turn == {
        "question": "阿尤呢？",
        "resolved": "阿尤呢？",
        "answer": "恰斯卡遇见了卡齐娜。[1]",
        "entities": ["阿尤"],
        "as_of": None,
    }


async def test_session_keeps_five_turns_and_eight_names() -> None:
    """S000-D10: turn_history keeps the last 5, answers cut to 600 characters; the stack at most 8 names."""
    rig = Rig(planner=planner(*(["长" * 900 + "[E1]"] * 7)))
    for n in range(7):
        names = [f"甲{n}", f"乙{n}"]
        await rig.run({"messages": [("user", f"问题{n}？")], "session_context": {"entities": names, "topic": f"题{n}"}})
    session = (await rig.state())["session"]
    assert [turn["question"] for turn in session["turns"]] == [f"问题{n}？" for n in range(2, 7)]
    assert session.get("first") == "问题0？"
    assert {len(turn["answer"]) for turn in session["turns"]} == {600}
    assert [entity["name"] for entity in session["entities"]] == [
        "乙6",
        "甲6",
        "乙5",
        "甲5",
        "乙4",
        "甲4",
        "乙3",
        "甲3",
    ]
    assert session["topic"] == "题6"


async def test_a_handed_over_session_counts_once() -> None:
    """S000-28 PLA-12: session_context is pushed onto the thread's session of that question, not of the next."""
    rig = Rig(planner=planner(ANSWER, ANSWER))
    await rig.run({"messages": [("user", "他呢？")], "session_context": {"entities": ["基尼奇"]}})
    assert (await rig.state()).get("session_context", "kept") is None
    await rig.ask("然后呢？")
    second = rig.resolver.history[1].session
    assert [entity["name"] for entity in second["entities"]].count("基尼奇") == 1


async def test_turns_that_a_caller_has_kept() -> None:
    """S000-24: they stand for the session of a thread without turns, their names are found; a thread has its own."""
    rig = Rig(planner=planner(ANSWER, ANSWER))
    await rig.stock()
    kept = [{"question": "谁获得了古名？", "answer": "是卡齐娜。"}]
    await rig.run({"messages": [("user", "她呢？")], "session_context": {"entities": [], "turns": kept}})
    first = rig.resolver.history[0].session
    assert [(turn["question"], turn["answer"]) for turn in first["turns"]] == [("谁获得了古名？", "是卡齐娜。")]
    assert [entity["name"] for entity in first["entities"]] == ["卡齐娜"] and first.get("first") == "谁获得了古名？"
    await rig.run({"messages": [("user", "然后呢？")], "session_context": {"entities": [], "turns": kept}})
    second = rig.resolver.history[1].session
    assert [turn["question"] for turn in second["turns"]] == ["谁获得了古名？", "她呢？"]


async def test_a_client_that_keeps_the_conversation_sends_all_of_it() -> None:
    """Earlier messages are the session of a thread without turns; what the thread has is not stored again."""
    rig = Rig(planner=planner(ANSWER, ANSWER, ANSWER))
    await rig.stock()
    said: list[Any] = [("user", "谁获得了古名？"), ("assistant", "是卡齐娜。"), ("user", "她呢？")]
    output = await rig.run({"messages": said})
    first = rig.resolver.history[0].session
    assert [(turn["question"], turn["answer"]) for turn in first["turns"]] == [("谁获得了古名？", "是卡齐娜。")]
    assert [entity["name"] for entity in first["entities"]] == ["卡齐娜"]
    assert [turn["question"] for turn in (await rig.state())["session"]["turns"]] == ["谁获得了古名？", "她呢？"]

    output = await rig.run({"messages": [*said, ("assistant", output["messages"][-1].text), ("user", "然后呢？")]})
    kinds = [(one.type, one.text) for one in output["messages"]]
    assert [text for kind, text in kinds if kind == "human"] == ["谁获得了古名？", "她呢？", "然后呢？"] and len(
        kinds
    ) == 6
    assert [turn["question"] for turn in rig.resolver.history[1].session["turns"]] == ["谁获得了古名？", "她呢？"]

    output = await rig.run({"messages": [*kinds_as_pairs(kinds)[-2:], ("user", "后来呢？")]})  # of a shortened history
    assert len(output["messages"]) == 8


def kinds_as_pairs(kinds: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """Return messages as a client sends them."""
    return [("user" if kind == "human" else "assistant", text) for kind, text in kinds]


@pytest.mark.parametrize(("as_of", "answer"), [(None, ""), ([1, 3], ""), ([1, 1], "是卡齐娜。")])
async def test_turns_of_a_caller_under_a_guard(as_of: list[int] | None, answer: str) -> None:
    """S000-24: of a turn that saw more than the reader, or that does not say, only the user's words remain."""
    rig = Rig(planner=planner(ANSWER))
    await rig.stock()
    kept = [{"question": "谁获得了古名？", "answer": "是卡齐娜。", "as_of": as_of}]
    given = {"messages": [("user", "她呢？")], "session_context": {"entities": [], "turns": kept}}
    await rig.run(given, as_of_chapter=2)
    (turn,) = rig.resolver.history[0].session["turns"]
    assert (turn["question"], turn["answer"]) == ("谁获得了古名？", answer)


async def test_every_question_starts_clean() -> None:
    """PLA-12: attempts, calls, grade, counters, stop reason and hint of the last question are gone."""
    grader = ScriptedGrader([verdict(SHALLOW), verdict(SHALLOW), verdict(SHALLOW), verdict()])
    rig = Rig(planner=planner("浅", "浅", "浅", ANSWER), grader=grader)
    first = await rig.ask("一？")
    second = await rig.ask("二？")
    assert (first["attempt"], len(first["attempts"]), first["passed"]) == (3, 3, False)
    assert (second["attempt"], len(second["attempts"]), second["passed"]) == (1, 1, True)
    assert [call["call"] for call in second["tool_calls"]] == [1]
    fresh = rig.planner.history[6]
    assert (fresh.attempt, fresh.queries, fresh.calls, fresh.evidence) == (1, [], [], [])
    assert "[系统提示" not in fresh.transcript[-1].text
    assert fresh.question == "二？"
    texts = [m.text for m in (await rig.state())["messages"]]
    assert texts[0] == "一？" and texts[2:] == ["二？", "卡齐娜获得了古名。[1]"]


async def test_two_threads_do_not_meet() -> None:
    """PLA-16 PLA-03: each thread has its own session."""
    rig = Rig(planner=planner(ANSWER, ANSWER))
    await rig.ask("恰斯卡是谁？", thread="a")
    await rig.ask("基尼奇是谁？", thread="b")
    assert rig.resolver.history[1].session == {"entities": [], "topic": None, "turns": []}
    assert (await rig.state("a"))["result"]["thread_id"] == "a"


async def test_without_a_thread_the_run_fails() -> None:
    """PLA-16: with a checkpointer thread_id is required."""
    rig = Rig()
    with pytest.raises(ValueError, match="thread_id"):
        await rig.graph.ainvoke({"messages": [("user", "问？")]}, context=run_context())


async def test_context_that_was_not_given() -> None:
    """PLA-15: runtime.context is None where a Python caller omits it; the defaults hold, here the sample library."""
    rig = Rig()
    with pytest.raises(LibraryNotFound, match="sample"):
        await rig.graph.ainvoke({"messages": [("user", "问？")]}, config())
    assert rig.traces.records[0]["status"] == "failed"
    assert Context().toolkits == ["narrative"]


async def test_a_thread_belongs_to_its_user() -> None:
    """PLA-02: for another user it does not exist; its session stays as it was."""
    rig = Rig(planner=planner(ANSWER, ANSWER))
    await rig.ask("恰斯卡是谁？", user_id="ada")
    with pytest.raises(InputError, match="没有这个会话"):
        await rig.ask("她呢？", user_id="bob")
    with pytest.raises(InputError, match="没有这个会话"):
        await rig.ask("她呢？")
    assert len(rig.resolver.history) == 1
    await rig.ask("她呢？", user_id="ada")
    assert [t["question"] for t in (await rig.state())["session"]["turns"]] == ["恰斯卡是谁？", "她呢？"]


@pytest.mark.parametrize("question", ["", "   ", "\n\t"])
async def test_a_blank_question_is_wrong_input(question: str) -> None:
    """S004-24: it fails as the caller's error, nothing is asked of a mind."""
    rig = Rig()
    with pytest.raises(ValueError, match="Question cannot be empty"):
        await rig.ask(question)
    assert not rig.planner.history and not rig.resolver.history


async def test_checkpoints_hold_plain_data_and_stay_small() -> None:
    """PLA-11 PLA-21: strict serialisation reads every checkpoint; heavy keys are empty at the end, outputs cut."""
    big = found(*(piece("长" * 1500, n) for n in range(1, 6)), text="长" * 7000)
    grader = ScriptedGrader([verdict(SHALLOW), verdict()])
    rig = Rig(planner=planner("浅", ANSWER), grader=grader, tools=[ScriptedTool("search", [big])])
    await rig.ask()
    states = [state.values async for state in rig.graph.aget_state_history(config())]
    assert len(states) > 8
    for state in states:
        json.dumps({k: v for k, v in state.items() if k not in ("messages", "__start__")}, ensure_ascii=False)
        assert all(len(call["result"]) <= 2000 for call in state.get("tool_calls", ()))
    last = states[0]
    assert [last[key] for key in ("transcript", "evidence", "attempts", "tool_calls", "pending")] == [[]] * 5
    assert len(json.dumps(last["result"], ensure_ascii=False)) < 12_000


async def test_old_checkpoints_are_pruned(tmp_path: Path) -> None:
    """PLA-21: a thread keeps its newest checkpoints and goes on."""
    async with open_checkpoints(tmp_path) as saver:
        rig = Rig(planner=planner(ANSWER, ANSWER, ANSWER), saver=saver)
        await rig.ask("一？")
        await rig.ask("二？")
        await saver.aprune_thread("t1", 3)
        kept = [state async for state in rig.graph.aget_state_history(config())]
        assert len(kept) == 3
        result = await rig.ask("三？")
        assert result["passed"]
        assert [turn["question"] for turn in (await rig.state())["session"]["turns"]] == ["一？", "二？", "三？"]


class Crash(BaseException):
    """The process dies here."""


@pytest.mark.parametrize("turns", [[Crash()], [search(), Crash()], [search(), says("浅"), Crash()]])
async def test_a_crash_in_mid_turn_leaves_a_usable_thread(turns: list[Any]) -> None:
    """PLA-14 PLA-19: after a crash at any model turn the next question starts clean and is answered."""
    grader = ScriptedGrader([verdict(SHALLOW)] if len(turns) == 3 else [verdict()])
    rig = Rig(planner=ScriptedPlanner(turns), grader=grader)
    with pytest.raises(Crash):
        await rig.ask("一？")
    again = Rig(planner=planner(ANSWER), saver=rig.saver)
    result = await again.ask("二？")
    assert result["passed"] and [c["call"] for c in result["tool_calls"]] == [1]
    assert unanswered(again.planner.history[1].transcript) == []
    assert "一？" not in again.planner.history[0].transcript[0].text


async def test_a_crash_in_a_tool_leaves_open_calls_that_the_next_question_forgets() -> None:
    """PLA-14: the checkpoint holds calls without a result; a resumed run answers them, a new question drops them."""
    rig = Rig(planner=planner(ANSWER), tools=[ScriptedTool("search", [Crash()])])
    with pytest.raises(Crash):
        await rig.ask("一？")
    assert len((await rig.state())["pending"]) == 1
    resumed = Rig(planner=ScriptedPlanner([says(ANSWER)]), saver=rig.saver)
    await resumed.run(None)
    assert unanswered(resumed.planner.history[0].transcript) == []
    assert (await resumed.state())["result"]["answer"] == "卡齐娜获得了古名。[1]"
    asked = Rig(planner=planner(ANSWER), saver=rig.saver)
    assert (await asked.ask("二？"))["passed"]


VICTIM = """
import asyncio, os, signal, sys
from dataclasses import replace
from pathlib import Path
from tests.graph.rig import Rig, ScriptedPlanner, ScriptedTool, config, search
from wenmai.checkpoints.sqlite import open_checkpoints

async def main():
    async with open_checkpoints(Path(sys.argv[1])) as saver:
        async def die(arguments, scope):
            while not (await saver.aget_tuple(config())).checkpoint["channel_values"].get("pending"):
                await asyncio.sleep(0.01)  # checkpoints are written beside the run
            os.kill(os.getpid(), signal.SIGKILL)
        await Rig(planner=ScriptedPlanner([search()]), tools=[ScriptedTool("search", [die])], saver=saver).ask("一？")

asyncio.run(main())
"""


async def test_kill_9_in_mid_turn(tmp_path: Path) -> None:
    """PLA-14: a killed process leaves SQLite checkpoints that another one goes on with."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-c", VICTIM, str(tmp_path)]
    died = await asyncio.to_thread(subprocess.run, command, env=environment, cwd=ROOT, capture_output=True, check=False)
    assert died.returncode == -9, died.stderr.decode()
    async with open_checkpoints(tmp_path) as saver:
        rig = Rig(planner=planner(ANSWER), saver=saver)
        assert len((await rig.state())["pending"]) == 1
        result = await rig.ask("二？")
        assert result["passed"] and result["resolved_question"] == "二？"
        assert (await rig.state())["pending"] == []


async def test_the_transcript_survives_the_checkpoint() -> None:
    """PLA-11 S004-D15: messages come back from strict checkpoints as they were written."""
    turn = search(text="先查")
    turn.additional_kwargs["signatures"] = {"c": "c2ln"}
    rig = Rig(planner=ScriptedPlanner([turn, Crash()]))
    with pytest.raises(Crash):
        await rig.ask()
    assert unpack((await rig.state())["transcript"])[1] == turn


async def test_no_rows_leave_the_thread_alone() -> None:
    """S000-D10: a refusal enters the session as a turn; the question's names stay for the next one."""
    rig = Rig(planner=planner(*(["x"] * 3)), tools=[ScriptedTool("search", [NOTHING])])
    await rig.ask("恰斯卡在哪里？")
    session = (await rig.state())["session"]
    assert [e["name"] for e in session["entities"]] == ["恰斯卡"]
    assert session["turns"][0]["answer"] == "抱歉，未能找到相关信息。"


async def test_small_talk_leaves_names_alone() -> None:
    """LOP-07 S000-D10: thanks between two questions does not change what 他 means."""
    rig = Rig(planner=ScriptedPlanner([search(), says(ANSWER), says("您好！")]))
    await rig.ask("恰斯卡是谁？")
    before = (await rig.state())["session"]["entities"]
    await rig.ask("你好")
    session = (await rig.state())["session"]
    assert session["entities"] == before and len(session["turns"]) == 2


async def test_a_graph_without_checkpoints_answers_too() -> None:
    """PLA-16: on a server the checkpointer is its own; compiled without one a single question works."""
    rig = Rig(planner=planner(ANSWER), tools=[ScriptedTool("search", [ONE])])
    await rig.stock()
    graph = build_graph(rig.parts())
    given: AgentInput = {"messages": [HumanMessage("古名？")]}
    output = await graph.ainvoke(given, context=run_context())
    assert set(output) == {"messages", "result"}
    assert output["result"]["thread_id"] is None and output["result"]["passed"]
