"""Failures of minds and time (loop.md §3, §5, §6): retried where that may help, never a lost draft."""

import asyncio
from typing import Any

import pytest

from graph.wrappers import RETRIES
from nodes.policy import Policy
from nodes.roles import Verdict
from tests.graph.rig import (
    NO_WAIT,
    ONE,
    SHALLOW,
    Hands,
    Rig,
    ScriptedGrader,
    ScriptedPlanner,
    ScriptedRefiner,
    ScriptedResolver,
    ScriptedTool,
    calls,
    forever,
    says,
    search,
    unanswered,
    verdict,
    wall_clock,
)
from tools.errors import ArgumentError, ModelError, StoreLocked, StoreUnavailable, is_transient

ANSWER = "卡齐娜获得了古名。[E1]"
ERROR = "抱歉，处理您的问题时出错，请重试。"
BUSY = ModelError("503 服务繁忙", transient=True)
WRONG_KEY = ModelError("API key 无效：请检查 GOOGLE_API_KEY。")


def test_retry_policy() -> None:
    """LOP-04 PLA-18: again after 1 s and 2 s, only where it may help; nothing else retries."""
    assert (RETRIES.max_attempts, RETRIES.initial_interval, RETRIES.backoff_factor) == (3, 1.0, 2.0)
    assert RETRIES.jitter is False and RETRIES.retry_on is is_transient
    assert NO_WAIT.retry_on is is_transient
    transient = [BUSY, StoreUnavailable("x")]
    permanent = [WRONG_KEY, StoreLocked("x"), ArgumentError("x"), KeyError("x"), ConnectionError("x")]
    assert [is_transient(error) for error in [*transient, *permanent]] == [True] * 2 + [False] * 5


async def test_transient_model_errors_are_retried() -> None:
    """LOP-04: two failures of the planner, then it answers; no call is run twice."""
    rig = Rig(planner=ScriptedPlanner([BUSY, BUSY, search(), BUSY, says(ANSWER)]))
    result = await rig.ask()
    assert result["passed"] and len(rig.planner.history) == 5
    assert len(rig.tools[0].history) == 1 and len(result["tool_calls"]) == 1


async def test_what_retries_do_not_cure_is_the_error_message(caplog: pytest.LogCaptureFixture) -> None:
    """LOP-04 S004-24 S004-D10: after three tries the message, logged, with the reason as a warning."""
    rig = Rig(planner=ScriptedPlanner([search(), BUSY, BUSY, BUSY]))
    result = await rig.ask()
    assert (result["answer"], result["passed"], result["warning"]) == (ERROR, None, "503 服务繁忙")
    assert "plan failed: 503 服务繁忙" in caplog.messages
    assert [call["ok"] for call in result["tool_calls"]] == [True]
    assert rig.traces.records[0]["final_response"] == ERROR
    assert [m.text for m in (await rig.state())["messages"]][-1] == ERROR


async def test_permanent_model_errors_are_not_retried() -> None:
    """LOP-04 PLA-18: one call, and the warning names the variable to mend."""
    rig = Rig(planner=ScriptedPlanner([WRONG_KEY]))
    result = await rig.ask()
    assert len(rig.planner.history) == 1
    assert result["answer"] == ERROR and "GOOGLE_API_KEY" in result["warning"]


async def test_an_earlier_draft_is_returned_instead_of_the_error() -> None:
    """S004-24: with passed=false; the cut attempt is listed and traced."""
    planner = ScriptedPlanner([search(), says(ANSWER), search("二"), WRONG_KEY])
    rig = Rig(planner=planner, grader=ScriptedGrader([verdict(SHALLOW)]))
    result = await rig.ask()
    assert (result["answer"], result["passed"], result["attempt"]) == ("卡齐娜获得了古名。[1]", False, 1)
    assert [a["attempt"] for a in result["attempts"]] == [1, 2]
    assert [len(a["tool_calls"]) for a in rig.traces.records[0]["attempts"]] == [1, 1]


async def test_a_bug_in_a_mind_is_an_answer_without_a_stack_trace() -> None:
    """S000-D13 LOP-10: an unforeseen exception ends the question with the error message."""
    result = await Rig(planner=ScriptedPlanner([search(), ZeroDivisionError("division by zero")])).ask()
    assert (result["answer"], result["warning"]) == (ERROR, "内部错误 (ZeroDivisionError)")


async def test_the_thread_goes_on_after_a_failure() -> None:
    """PLA-14 S000-D10: the next question is answered; the failed one left no names."""
    rig = Rig(planner=ScriptedPlanner([WRONG_KEY, search(), says(ANSWER)]))
    await rig.ask("恰斯卡是谁？")
    session = (await rig.state())["session"]
    assert session["entities"] == [] and len(session["turns"]) == 1
    second = await rig.ask("卡齐娜是谁？")
    assert second["passed"] and second["warning"] is None


async def test_transient_resolver_errors_are_retried() -> None:
    """LOP-04 PLA-19: the first node runs again from its top, without a trace of the failed try."""

    class Shaky(ScriptedResolver):
        async def resolve(self, request: Any) -> Any:
            answer = await super().resolve(request)
            if len(self.history) < 3:
                raise BUSY
            return answer

    rig = Rig(planner=ScriptedPlanner([search(), says(ANSWER)]), resolver=Shaky())
    assert (await rig.ask())["passed"]
    assert len(rig.traces.records) == 1


async def test_a_dead_store_in_a_tool_is_not_retried_by_the_node() -> None:
    """PLA-18 LOP-05: the model decides; the tool ran once a call."""
    tool = ScriptedTool("search", [StoreUnavailable("向量库连不上"), ONE])
    rig = Rig(planner=ScriptedPlanner([search(), search(), says(ANSWER)]), tools=[tool])
    result = await rig.ask()
    assert len(tool.history) == 2 and [call["ok"] for call in result["tool_calls"]] == [False, True]


async def test_a_tool_that_hangs_has_its_time() -> None:
    """S003-D18: 30 s a tool call (here less); the other call of the turn is answered, the loop goes on."""
    tools = [ScriptedTool("search"), ScriptedTool("lookup", [forever])]
    turn = calls(("lookup", {"query": "x"}), ("search", {"query": "y"}))
    rig = Rig(planner=ScriptedPlanner([turn, says(ANSWER)]), tools=tools, policy=Policy(tool_timeout_s=0.05))
    result = await rig.ask()
    assert [call["ok"] for call in result["tool_calls"]] == [False, True] and result["passed"]


def test_times() -> None:
    """S003-D18: 180 s a question, 60 s a model call, 30 s a tool call."""
    assert (Policy().deadline_s, Policy().model_timeout_s, Policy().tool_timeout_s) == (180.0, 60.0, 30.0)


async def test_the_deadline_returns_the_best_draft() -> None:
    """S003-D18: the clock passes the deadline in the second attempt."""
    clock = Hands()

    def late(request: Any) -> Any:
        clock.step = 200.0
        return search("二")

    planner = ScriptedPlanner([search(), says(ANSWER), late])
    rig = Rig(planner=planner, grader=ScriptedGrader([verdict(SHALLOW)]), clock=clock)
    result = await rig.ask()
    assert (result["answer"], result["passed"], result["attempt"]) == ("卡齐娜获得了古名。[1]", False, 1)
    assert len(planner.history) == 3


async def test_the_deadline_without_a_draft_is_the_error_message() -> None:
    """S003-D18 S000-D12: a tool that hangs is cut at the deadline; its call and the finished one are answered."""
    tools = [ScriptedTool("search"), ScriptedTool("lookup", [forever])]
    turn = calls(("search", {"query": "y"}), ("lookup", {"query": "x"}))
    rig = Rig(planner=ScriptedPlanner([turn, says(ANSWER)]), tools=tools)
    result = await rig.ask(deadline_s=2.0)  # enough to get to the tools on a machine that is busy
    assert (result["answer"], result["grade"]) == (ERROR, None)
    assert [(call["tool"], call["ok"]) for call in result["tool_calls"]] == [("search", True), ("lookup", False)]
    assert "deadline" in rig.traces.records[0]["attempts"][0]["tool_calls"][1]["result"]
    assert len(rig.planner.history) == 1


async def test_a_planner_that_hangs_is_cut_at_the_deadline() -> None:
    """S003-D18: no retry beyond the question's time."""

    class Hanging(ScriptedPlanner):
        async def plan(self, request: Any) -> Any:
            self.history.append(request)
            await asyncio.Event().wait()

    rig = Rig(planner=Hanging())
    assert (await rig.ask(deadline_s=0.1))["answer"] == ERROR
    assert len(rig.planner.history) == 1


async def test_a_planner_that_is_too_slow_is_asked_again() -> None:
    """LOP-04 S003-D18: a time-out of one model call is transient."""

    class Slow(ScriptedPlanner):
        async def plan(self, request: Any) -> Any:
            if not self.history:
                self.history.append(request)
                await asyncio.Event().wait()
            return await super().plan(request)

    rig = Rig(planner=Slow([says("-"), search(), says(ANSWER)]), policy=Policy(model_timeout_s=0.05))
    assert (await rig.ask())["passed"]


async def test_a_grader_or_refiner_that_hangs_does_not_outlive_the_deadline() -> None:
    """S003-D18: at the deadline the draft so far is returned."""

    class HangingGrader(ScriptedGrader):
        async def grade(self, request: Any) -> Verdict:
            await asyncio.Event().wait()
            raise AssertionError

    class HangingRefiner(ScriptedRefiner):
        async def refine(self, request: Any) -> list[str]:
            await asyncio.Event().wait()
            return []

    script = [search(), says(ANSWER)]
    failing = ScriptedGrader([verdict(SHALLOW)])
    ungraded = Rig(planner=ScriptedPlanner(script), grader=HangingGrader(), clock=wall_clock)
    unrefined = Rig(planner=ScriptedPlanner(script), grader=failing, refiner=HangingRefiner(), clock=wall_clock)
    for rig in (ungraded, unrefined):
        result = await asyncio.wait_for(rig.ask(deadline_s=2.0), 60)
        assert (result["answer"], result["passed"]) == ("卡齐娜获得了古名。[1]", False)


async def test_every_call_is_answered_before_each_model_turn() -> None:
    """S000-D12 S004-D15: over failures, caps and stops, no request holds an unanswered call."""
    turns = [
        calls(("search", {"query": "一"}), ("fly", {}), ("search", {"top_k": "x"})),
        calls(("lookup", {}), ("search", {"query": "一"}), ("search", {"query": "二"}), ("search", {"query": "三"})),
        calls(("search", {"query": "四"})),
        says(ANSWER),
    ]
    rig = Rig(planner=ScriptedPlanner(turns))
    await rig.ask()
    assert [unanswered(request.transcript) for request in rig.planner.history] == [[]] * len(rig.planner.history)
