"""The trace of a question (loop.md §7), whatever its end was."""

import asyncio
import hashlib
from collections.abc import AsyncGenerator
from typing import Any, cast

import pytest

from tests.graph.rig import (
    NOTHING,
    SHALLOW,
    Hands,
    Rig,
    ScriptedGrader,
    ScriptedPlanner,
    ScriptedRefiner,
    ScriptedResolver,
    ScriptedTool,
    Traces,
    calls,
    config,
    forever,
    found,
    piece,
    run_context,
    says,
    search,
    stop,
    verdict,
)
from tools.base import ToolResult
from tools.errors import LibraryNotFound, StoreUnavailable

ANSWER = "卡齐娜获得了古名。[E1]"


async def test_keys_and_content() -> None:
    """S003-23 S003-25 S003-26 S003-28: every call's input and output, reasoning, grading, refiner, times."""
    grader = ScriptedGrader([verdict(SHALLOW, "补充过程"), verdict()])
    turns = [search("一", text="先查一"), says("浅。[E1]"), calls(("search", {"query": "二"})), stop(), says(ANSWER)]
    rig = Rig(planner=ScriptedPlanner(turns), grader=grader, clock=Hands(step=0.5))
    await rig.ask("少女是如何重回世界的")
    (trace,) = rig.traces.records
    digest = hashlib.md5("少女是如何重回世界的".encode(), usedforsecurity=False).hexdigest()[:6]
    assert trace["trace_id"] == f"20260130-211013-{digest}"
    assert trace["query"] == "少女是如何重回世界的"
    assert trace["config"] == {"agent_model": "scripted", "grader_model": "scripted", "max_retries": 3}
    assert (trace["final_response"], trace["passed"], trace["status"]) == ("卡齐娜获得了古名。[1]", True, "finished")
    assert trace["total_duration_ms"] > 0
    first, second = trace["attempts"]
    assert (first["attempt"], first["limit"], first["stop_reason"]) == (1, 3, None)
    assert second["stop_reason"] == "sufficient"
    (call,) = first["tool_calls"]
    assert (call["tool"], call["args"], call["result"]) == ("search", {"query": "一"}, '{"result": "找到"}')
    assert call["started_at"] and call["duration_ms"] > 0 and first["duration_ms"] > 0
    assert first["reasoning"] == {
        "raw_stream": 'Thought: 先查一\nAction: search({"query": "一"})\nObservation: {"result": "找到"}',
        "thoughts": ["先查一"],
        "actions": ['search({"query": "一"})'],
        "observations": [{"text": '{"result": "找到"}', "cut": False}],
    }
    assert first["grading"]["input"] == {
        "question": "少女是如何重回世界的",
        "answer": "浅。[E1]",
        "answer_cut": False,
        "tool_outputs": ['{"result": "找到"}'],
    }
    assert first["grading"]["output"] == {
        "score": 60,
        "scores": SHALLOW,
        "passed": False,
        "suggestion": "补充过程",
        "hallucination_detected": False,
        "fail_reason": "depth=5 < 8 (硬性门槛); score=60 < 70",
        "confidence": None,
        "unsupported": [],
        "queries": [],
        "by": "scripted",
    }
    assert first["refiner"]["queries"] == ["少女 献出 身体", "三月 权能 转交"]
    assert second["refiner"]["queries"] == []


async def test_raw_stream_keeps_the_order_of_the_rounds() -> None:
    """S003-26: thoughts, actions and observations stand in the order in which they came."""
    turns = [search("一", text="想一"), search("二"), search("三", text="想三"), says(ANSWER)]
    rig = Rig(planner=ScriptedPlanner(turns))
    await rig.ask()
    stream = rig.traces.records[0]["attempts"][0]["reasoning"]["raw_stream"].splitlines()
    assert [line.split(":")[0] for line in stream] == [
        "Thought",
        "Action",
        "Observation",
        "Action",
        "Observation",
        "Thought",
        "Action",
        "Observation",
    ]
    assert stream[5] == "Thought: 想三"


async def test_long_texts_are_cut_and_say_so() -> None:
    """S003-D12: outputs at 2,000, observations and the graded answer at 500 characters, each with a flag."""
    tool = ScriptedTool("search", [found(piece("卡齐娜"), text="长" * 5000)])
    rig = Rig(planner=ScriptedPlanner([search(), says("答" * 900 + "[E1]")]), tools=[tool])
    await rig.ask()
    attempt = rig.traces.records[0]["attempts"][0]
    assert (len(attempt["tool_calls"][0]["result"]), attempt["tool_calls"][0]["result_cut"]) == (2000, True)
    (observation,) = attempt["reasoning"]["observations"]
    assert (len(observation["text"]), observation["cut"]) == (500, True)
    graded = attempt["grading"]["input"]
    assert (len(graded["answer"]), graded["answer_cut"]) == (500, True)


async def test_passed_is_the_verdict_of_the_returned_attempt() -> None:
    """S003-D19: null where nothing was graded."""
    rig = Rig(planner=ScriptedPlanner([says("您好！")]))
    await rig.ask("你好")
    assert rig.traces.records[0]["passed"] is None


async def test_a_tracer_that_fails_does_not_fail_the_answer() -> None:
    """S003-D12: the result says that there is no file."""
    rig = Rig(planner=ScriptedPlanner([search(), says(ANSWER)]), traces=Traces(path=None))
    result = await rig.ask()
    assert result["trace"] is None and result["passed"]


class Hanging:
    """Hangs for ever in whoever waits here, and tells when somebody does."""

    def __init__(self) -> None:
        self.reached = asyncio.Event()

    async def __call__(self, *_: object) -> ToolResult:
        self.reached.set()
        await asyncio.Event().wait()
        return NOTHING


async def cancelled(rig: Rig, hanging: Hanging, question: str = "古名？", **context: Any) -> dict[str, Any]:
    """Cancel a run where it hangs, and return its trace."""
    task = asyncio.create_task(rig.ask(question, **context))
    before = len(rig.traces.records)
    waiting = asyncio.create_task(hanging.reached.wait())
    await asyncio.wait((task, waiting), return_when=asyncio.FIRST_COMPLETED)
    assert not task.done()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    (trace,) = rig.traces.records[before:]
    return trace


async def test_cancellation_in_a_tool_leaves_a_complete_trace() -> None:
    """S003-D18 S003-D12: the calls before the cancelled one are there, the status says cancelled."""
    hanging = Hanging()
    rig = Rig(
        planner=ScriptedPlanner([search(), calls(("lookup", {"query": "x"}))]),
        tools=[ScriptedTool("search"), ScriptedTool("lookup", [hanging])],
    )
    trace = await cancelled(rig, hanging)
    assert (trace["status"], trace["passed"], trace["final_response"]) == ("cancelled", None, "")
    assert [call["tool"] for call in trace["attempts"][0]["tool_calls"]] == ["search"]


async def test_cancellation_keeps_the_attempts_before() -> None:
    """S003-D18: a second attempt that is cut short stands behind the first."""
    hanging = Hanging()

    class HangingRefiner(ScriptedRefiner):
        async def refine(self, request: Any) -> list[str]:
            await hanging()
            return []

    tools = [ScriptedTool("search"), ScriptedTool("lookup", [hanging])]
    planner = ScriptedPlanner([search(), says("浅"), search("二"), calls(("lookup", {"query": "x"}))])
    rig = Rig(planner=planner, grader=ScriptedGrader([verdict(SHALLOW)]), tools=tools)
    trace = await cancelled(rig, hanging)
    assert [(a["attempt"], len(a["tool_calls"])) for a in trace["attempts"]] == [(1, 1), (2, 1)]
    assert trace["attempts"][0]["grading"]["output"]["score"] == 60
    hanging.reached.clear()
    in_refiner = Rig(
        planner=ScriptedPlanner([search(), says("浅")]),
        grader=ScriptedGrader([verdict(SHALLOW)]),
        refiner=HangingRefiner(),
    )
    assert [a["attempt"] for a in (await cancelled(in_refiner, hanging))["attempts"]] == [1]


async def test_cancellation_before_the_question_is_opened() -> None:
    """S003-D12 PLA-61: the trace is the new question's, not that of the thread's last one, and names who asked."""
    hanging = Hanging()

    class HangingResolver(ScriptedResolver):
        async def resolve(self, request: Any) -> Any:
            if request.question == "二？":
                await hanging()
            return await super().resolve(request)

    rig = Rig(planner=ScriptedPlanner([search(), says(ANSWER)]), resolver=HangingResolver())
    await rig.ask("一？", thread="other", user_id="alice")
    trace = await cancelled(rig, hanging, "二？", user_id="alice")
    assert (trace["query"], trace["thread_id"], trace["user_id"]) == ("二？", "t1", "alice")
    assert trace["library"] == rig.traces.records[0]["library"] != ""
    hanging.reached.clear()
    assert not (await cancelled(rig, hanging, "二？", thread="t2", keep_trace=False))["is_kept"]
    assert trace["attempts"][0]["tool_calls"] == []


async def test_failed_runs_leave_a_trace() -> None:
    """S003-D12: wrong input in the graph fails the run, a store that is dead before the turn is opened does not."""
    rig = Rig()
    with pytest.raises(LibraryNotFound):
        await rig.ask("谁？", library="nowhere")
    dead = Rig(resolver=ScriptedResolver({"谁？": StoreUnavailable("停机")}))
    result = await dead.ask("谁？")
    traces = [*rig.traces.records, *dead.traces.records]
    ends = [(trace["status"], trace["query"], trace["final_response"], trace["warning"]) for trace in traces]
    assert ends == [("failed", "谁？", "", None), ("finished", "谁？", result["answer"], "停机")]
    assert len(dead.resolver.history) == 3


async def test_one_trace_a_question() -> None:
    """S003-24 S003-D12: each question writes exactly one."""
    rig = Rig(planner=ScriptedPlanner([search(), says(ANSWER), search(), says(ANSWER)]))
    await rig.ask("一？")
    await rig.ask("二？")
    assert [trace["query"] for trace in rig.traces.records] == ["一？", "二？"]


async def test_breaking_off_a_stream_leaves_a_trace() -> None:
    """S003-D18: a caller that stops reading cancels the run."""
    rig = Rig(planner=ScriptedPlanner([search()]), tools=[ScriptedTool("search", [forever])])
    await rig.stock()
    given = {"messages": [("user", "古名？")]}
    events = rig.graph.astream(given, config(), context=run_context(), stream_mode="custom")
    stream = cast("AsyncGenerator[Any]", events)
    while (await anext(stream))["event"] != "tool_start":
        pass
    await stream.aclose()
    assert [trace["status"] for trace in rig.traces.records] == ["cancelled"]


async def test_cancellation_between_two_nodes() -> None:
    """S003-D18: the run ends where no node is at work; the finished call is in the trace."""
    rig = Rig(planner=ScriptedPlanner([search(), says(ANSWER)]))
    await rig.stock()
    given = {"messages": [("user", "古名？")]}
    events = rig.graph.astream(given, config(), context=run_context(), stream_mode="updates")
    stream = cast("AsyncGenerator[Any]", events)
    async for update in stream:
        if "tool_call" in update:
            break
    await stream.aclose()
    (trace,) = rig.traces.records
    assert trace["status"] == "cancelled"
    assert [call["tool"] for call in trace["attempts"][0]["tool_calls"]] == ["search"]
