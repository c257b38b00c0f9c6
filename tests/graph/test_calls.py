"""Running tools (loop.md §3): every call of a model turn is answered exactly once, and every loop ends."""

import asyncio
import functools
import json
import logging
import operator
from typing import Any

import pytest
from langchain_core.messages import AIMessage

from nodes.citations import marked_text
from nodes.drafts import unpack
from nodes.roles import PlanRequest
from tests.graph.rig import (
    NOTHING,
    ONE,
    Query,
    Rig,
    ScriptedGrader,
    ScriptedPlanner,
    ScriptedTool,
    calls,
    config,
    found,
    piece,
    run_context,
    says,
    search,
    stop,
    unanswered,
    verdict,
)
from tools.base import Scope, ToolResult
from tools.errors import StoreUnavailable

ANSWER = "卡齐娜获得了古名。[E1]"


def contents(request: PlanRequest) -> list[dict[str, Any]]:
    """Return the results that the model sees, as JSON."""
    return [json.loads(message.text) for message in request.transcript if message.type == "tool"]


async def test_one_search_and_an_answer() -> None:
    """S003-01 S000-04 S000-30 S000-33: calls until a text without one, the draft; it is graded, then answered."""
    rig = Rig(planner=ScriptedPlanner([search(), says(ANSWER)]))
    result = await rig.ask()
    assert result["answer"] == "卡齐娜获得了古名。[1]"
    assert result["passed"] and result["attempt"] == 1
    assert result["attempts"][0]["stop_reason"] is None
    call = {"call": 1, "attempt": 1, "round": 1, "tool": "search", "args": {"query": "古名"}, "ok": True, "items": 1}
    assert result["tool_calls"] == [call | {"evidence": ["p1"]}]
    assert [marked_text(one.draft["sentences"], one.evidence) for one in rig.grader.history] == [ANSWER]
    assert json.loads(rig.traces.records[0]["attempts"][0]["tool_calls"][0]["result"]) == {"result": "找到"}


async def test_calls_of_a_turn_run_in_order_and_stop_ends_them() -> None:
    """S000-D12 S000-D14 S000-18: calls before stop run, those behind it get a placeholder, each has one result."""
    turn = calls(
        ("search", {"query": "一"}),
        ("lookup", {"query": "二"}),
        ("stop", {"reason": "sufficient"}),
        ("search", {"query": "三"}),
        ("stop", {"reason": "not_found"}),
    )
    rig = Rig(planner=ScriptedPlanner([turn, says(ANSWER)]))
    result = await rig.ask()
    assert unanswered(rig.planner.history[1].transcript) == []
    assert contents(rig.planner.history[1]) == [
        {"result": "找到"},
        {"result": "找到"},
        {"result": "检索已停止"},
        {"error": "not run: retrieval stopped", "tool": "search"},
        {"error": "not run: retrieval stopped", "tool": "stop"},
    ]
    assert [call["call"] for call in result["tool_calls"]] == [1, 2, 3, 4, 5]
    assert [tool.history[0][0].query for tool in rig.tools] == ["一", "二"]
    assert len(rig.tools[0].history) == 1


async def test_after_stop_the_draft_is_written_without_tools() -> None:
    """S000-18 S000-35 S000-19 S000-20: the next turn may call nothing and reads the draft's instruction."""
    rig = Rig(planner=ScriptedPlanner([search(), stop("sufficient(信息充分)"), says(ANSWER)]))
    result = await rig.ask("卡齐娜的古名怎么来的？")
    first, second, last = rig.planner.history
    assert (first.draft_only, second.draft_only, last.draft_only) == (False, False, True)
    assert [d["function"]["name"] if "function" in d else d["name"] for d in first.declarations][-1] == "stop"
    lines = last.transcript[-1].text.splitlines()
    assert lines == [
        "基于以上检索到的信息，请回答用户的问题: 卡齐娜的古名怎么来的？",
        "不再调用工具，按前面的要求作答；资料不足时，说明缺少什么。",
    ]
    assert result["attempts"][0]["stop_reason"] == "sufficient"


@pytest.mark.parametrize("args", [{}, {"reason": 7}, {"reason": "enough"}])
async def test_stop_without_a_known_reason(args: dict[str, Any]) -> None:
    """S000-D08: a missing or other reason is recorded as unknown and never fails the run."""
    result = await Rig(planner=ScriptedPlanner([search(), calls(("stop", args)), says(ANSWER)])).ask()
    assert result["attempts"][0]["stop_reason"] == "unknown"
    assert result["passed"]


async def test_unknown_tool_and_bad_arguments_are_results() -> None:
    """S000-36 S000-D13 PLA-07: both go back to the model, count as calls, and the loop goes on."""
    turn = calls(("fly", {}), ("search", {"query": "古名", "top_k": "five"}))
    rig = Rig(planner=ScriptedPlanner([turn, search(), says(ANSWER)]))
    result = await rig.ask()
    unknown, bad = contents(rig.planner.history[1])
    assert unknown == {"error": "Unknown tool: fly", "tool": "fly", "valid_tools": ["search", "lookup", "stop"]}
    assert bad["tool"] == "search" and "top_k" in bad["error"]
    assert [call["ok"] for call in result["tool_calls"]] == [False, False, True]
    assert (await rig.state())["executed_calls"] == 3


async def test_an_exception_in_a_tool_is_a_result_without_secrets() -> None:
    """S000-D13 LOP-05 S004-24: a failure is an error result, never "nothing found"; the loop goes on."""
    broken = ScriptedTool("search", [RuntimeError("SELECT * FROM t"), StoreUnavailable("向量库连不上"), NOTHING, ONE])
    turns = [search("一"), search("二"), search("三"), search("四"), says(ANSWER)]
    rig = Rig(planner=ScriptedPlanner(turns), tools=[broken])
    result = await rig.ask()
    failed, dead, nothing, hit = contents(rig.planner.history[4])
    assert "SELECT" not in failed["error"] and failed["tool"] == "search"
    assert dead == {"error": "向量库连不上", "tool": "search"}
    assert nothing == {"result": "未找到相关信息"}
    assert [call["ok"] for call in result["tool_calls"]] == [False, False, True, True]
    assert hit == {"result": "找到"} and result["passed"]


async def test_rounds_are_capped() -> None:
    """S000-27 LOP-03 S000-20: after max_turns rounds of endless calls the draft is written; the reason is max_turns."""
    endless = ScriptedPlanner(rest=lambda r: says(ANSWER) if r.draft_only else search(str(len(r.calls))))
    rig = Rig(planner=endless)
    result = await rig.ask(max_turns=3, max_tool_calls=50)
    assert [call["round"] for call in result["tool_calls"]] == [1, 2, 3]
    assert result["attempts"][0]["stop_reason"] == "max_turns"
    assert result["answer"] == "卡齐娜获得了古名。[1]"


async def test_executed_calls_are_capped() -> None:
    """S004-D01 S000-D12 LOP-03: calls beyond MAX_FUNCTION_CALLS get "limit reached", and the draft follows."""
    many = calls(*(("search", {"query": str(n)}) for n in range(7)))
    rig = Rig(planner=ScriptedPlanner([many, says(ANSWER)]))
    result = await rig.ask()
    refused = {"error": "limit reached", "tool": "search"}
    assert contents(rig.planner.history[1])[5:] == [refused, refused]
    assert len(rig.tools[0].history) == 5 and (await rig.state())["executed_calls"] == 5
    assert result["attempts"][0]["stop_reason"] == "max_turns" and rig.planner.history[1].draft_only
    assert [call["ok"] for call in result["tool_calls"]] == [True] * 5 + [False] * 2


async def test_the_deployment_sets_the_call_cap_and_a_run_may() -> None:
    """S004-D01 PLA-08: MAX_FUNCTION_CALLS bounds an attempt; max_tool_calls of the run wins."""
    cases: list[tuple[dict[str, Any], int]] = [({}, 5), ({"max_tool_calls": 2}, 2)]
    for context, least in cases:
        planner = ScriptedPlanner(
            [calls(*(("search", {"query": str(n)}) for n in range(9)))], rest=lambda r: says(ANSWER)
        )
        rig = Rig(planner=planner)
        await rig.ask(**context)
        assert len(rig.tools[0].history) == least


async def test_stop_counts_in_neither_cap() -> None:
    """S000-D14: stop is no round and no call."""
    rig = Rig(planner=ScriptedPlanner([search(), stop(), says(ANSWER)]))
    await rig.ask(max_turns=2, max_tool_calls=2)
    state = await rig.state()
    assert (state["turns"], state["executed_calls"]) == (1, 1)
    assert state["stop_reason"] == "sufficient"


async def test_a_repeated_call_is_answered_from_the_record_and_counted() -> None:
    """S000-D14: an equal successful call is not run again; a failed one and other arguments are."""
    tool = ScriptedTool("search", [StoreUnavailable("向量库连不上"), ONE])
    rig = Rig(planner=ScriptedPlanner([search(), search(), search(), says(ANSWER)]), tools=[tool])
    result = await rig.ask()
    assert len(tool.history) == 2
    assert [call["ok"] for call in result["tool_calls"]] == [False, True, True]
    assert contents(rig.planner.history[3])[1] == contents(rig.planner.history[3])[2] == {"result": "找到"}
    assert (await rig.state())["executed_calls"] == 3


async def test_equal_calls_of_one_turn_run_once() -> None:
    """S000-D14 S000-D12: both are answered and both are counted."""
    rig = Rig(
        planner=ScriptedPlanner([calls(("search", {"query": "古名"}), ("search", {"query": "古名"})), says(ANSWER)])
    )
    result = await rig.ask()
    assert len(rig.tools[0].history) == 1
    assert unanswered(rig.planner.history[1].transcript) == []
    assert (await rig.state())["executed_calls"] == 2
    assert len(result["evidence"]) == 1


async def test_a_repeated_call_brings_all_its_evidence_into_the_next_attempt() -> None:
    """S000-D14 S003-D09: pieces that another call had found first are not lost when the call is repeated."""
    first, both = found(piece("甲", 1)), found(piece("甲", 1), piece("乙", 2))
    tool = ScriptedTool("search", [first, both])
    turns = [search("一"), search("二"), says("甲。[E1]"), search("二"), says("甲乙。[E1][E2]")]
    grader = ScriptedGrader([verdict({**verdict().scores, "depth": 5}), verdict()])
    rig = Rig(planner=ScriptedPlanner(turns), tools=[tool], grader=grader)
    result = await rig.ask()
    assert len(tool.history) == 2
    assert sorted(e["text"] for e in result["evidence"]) == ["乙", "甲"]
    assert [c["quote"] for c in result["citations"]] == ["甲", "乙"]


async def test_a_call_with_another_limit_is_run_again() -> None:
    """S000-D14 S003-04: the limit of search_memory belongs to what makes two calls equal."""
    grader = ScriptedGrader([verdict({**verdict().scores, "depth": 5}), verdict()])
    rig = Rig(planner=ScriptedPlanner([search(), says(ANSWER), search(), says(ANSWER)]), grader=grader)
    await rig.ask(search_limits=[3, 5])
    assert [scope.limit for _, scope in rig.tools[0].history] == [3, 5]


async def test_independent_calls_run_at_the_same_time() -> None:
    """S000-D14: each of two calls waits until the other has begun."""
    begun: dict[str, asyncio.Event] = {"一": asyncio.Event(), "二": asyncio.Event()}

    async def meet(arguments: Query, scope: Scope) -> ToolResult:
        begun[arguments.query].set()
        await begun["二" if arguments.query == "一" else "一"].wait()
        return found(piece(arguments.query))

    turn = calls(("search", {"query": "一"}), ("search", {"query": "二"}))
    rig = Rig(planner=ScriptedPlanner([turn, says(ANSWER)]), tools=[ScriptedTool("search", [meet])])
    result = await asyncio.wait_for(rig.ask(), 120)
    assert [call["args"]["query"] for call in result["tool_calls"]] == ["一", "二"]


async def test_results_keep_the_order_of_the_calls() -> None:
    """S000-D14 S004-D15: the first call's result stands first though it comes last."""
    second_done = asyncio.Event()

    async def late(arguments: Query, scope: Scope) -> ToolResult:
        if arguments.query == "一":
            await second_done.wait()
        else:
            second_done.set()
        return found(piece(arguments.query, 1 if arguments.query == "一" else 2), text=arguments.query)

    turn = calls(("search", {"query": "一"}), ("search", {"query": "二"}))
    rig = Rig(planner=ScriptedPlanner([turn, says("答。[E1][E2]")]), tools=[ScriptedTool("search", [late])])
    result = await asyncio.wait_for(rig.ask(), 120)
    assert contents(rig.planner.history[1]) == [{"result": "一"}, {"result": "二"}]
    assert [c["quote"] for c in result["citations"]] == ["一", "二"]


async def test_the_model_turn_goes_back_whole() -> None:
    """S004-D15 S000-05: text beside calls and the signatures of a turn reach the next one unchanged."""
    turn = calls(("search", {"query": "古名"}), text="先查古名")
    turn.additional_kwargs["__gemini_function_call_thought_signatures__"] = {turn.tool_calls[0]["id"]: "c2ln"}
    rig = Rig(planner=ScriptedPlanner([turn, says(ANSWER)]))
    await rig.ask()
    back = rig.planner.history[1].transcript[1]
    assert back == turn


async def test_a_call_in_the_draft_turn_is_refused_and_the_turn_repeated_once() -> None:
    """PLA-04: no tool runs after stop, whatever the model sends; its second text is the draft."""
    rig = Rig(planner=ScriptedPlanner([search(), stop(), search("再来"), says(ANSWER)]))
    result = await rig.ask()
    assert len(rig.tools[0].history) == 1
    last = rig.planner.history[3]
    assert last.draft_only and unanswered(last.transcript) == []
    assert "not run" in last.transcript[-1].text
    assert result["answer"] == "卡齐娜获得了古名。[1]"


@pytest.mark.parametrize(
    ("ending", "message"),
    [
        (lambda r: stop(), "抱歉，未能生成合适的答案，请重试。"),
        (lambda r: search(str(len(r.calls))), "抱歉，回答这个问题需要更多步骤，请换一种问法。"),
    ],
)
async def test_a_draft_that_is_never_written(ending: Any, message: str) -> None:
    """S004-24 S004-D10: no_answer after stop, limit after a cap, each only when the repeated turn fails too."""
    planner = ScriptedPlanner([search()], rest=lambda r: says("") if r.draft_only else ending(r))
    result = await Rig(planner=planner).ask(max_attempts=1)
    assert result["answer"] == message


async def test_an_empty_reply_is_repeated_once_and_not_kept() -> None:
    """PLA-05 S004-D10: an empty turn leaves no message; after two of them the text is no_answer."""
    rig = Rig(planner=ScriptedPlanner([search(), says(""), says(ANSWER)]))
    assert (await rig.ask())["answer"] == "卡齐娜获得了古名。[1]"
    assert all(m.text or getattr(m, "tool_calls", ()) for m in rig.planner.history[2].transcript)
    twice = Rig(planner=ScriptedPlanner([search(), says(""), says(" ")]))
    assert (await twice.ask(max_attempts=1))["answer"] == "抱歉，未能生成合适的答案，请重试。"
    messages = (await twice.state())["messages"]
    assert [m.text for m in messages] == ["卡齐娜的古名怎么来的？", "抱歉，未能生成合适的答案，请重试。"]


async def test_log_lines(caplog: pytest.LogCaptureFixture) -> None:
    """S000-29: "[Turn n] Calling: name(args)" and "[Stop] Reason: r"."""
    caplog.set_level(logging.INFO, "wenmai.loop")
    await Rig(planner=ScriptedPlanner([search(), search("玛薇卡"), stop(), says(ANSWER)])).ask()
    assert "[Turn 1] Calling: search({'query': '古名'})" in caplog.messages
    assert "[Turn 2] Calling: search({'query': '玛薇卡'})" in caplog.messages
    assert "[Stop] Reason: sufficient" in caplog.messages


async def test_tools_see_the_run_not_the_model() -> None:
    """PLA-01 STO-19: library, user, thread and horizon come from the context, whatever the model sends."""
    turn = calls(("search", {"query": "古名", "user_id": "mallory", "library": "other"}))
    rig = Rig(planner=ScriptedPlanner([turn, says(ANSWER)]))
    await rig.ask(user_id="ada", as_of_chapter=3, as_of_part=2)
    scope = rig.tools[0].history[0][1]
    assert (scope.library, scope.user_id, scope.thread_id) == ("natlan", "ada", "t1")
    assert scope.horizon is not None and (scope.horizon.part, scope.horizon.chapter) == (2, 3)
    assert rig.planner.history[0].horizon == rig.grader.history[0].horizon == scope.horizon


async def test_tool_events_are_streamed() -> None:
    """S000-30: a start and an end of every executed call, in a stream of custom events."""
    rig = Rig(planner=ScriptedPlanner([search(), says(ANSWER)]))
    await rig.stock()
    given = {"messages": [{"role": "user", "content": "古名？"}]}
    events = [e async for e in rig.graph.astream(given, config(), context=run_context(), stream_mode="custom")]
    assert [e for e in events if e["event"].startswith("tool")] == [
        {"event": "tool_start", "call": 1, "round": 1, "tool": "search", "args": {"query": "古名"}},
        {"event": "tool_end", "call": 1, "tool": "search", "ok": True, "items": 1},
    ]


async def test_events_of_repeated_calls(caplog: pytest.LogCaptureFixture) -> None:
    """S000-29 S000-30 S000-D14: an equal call of the same turn, and of a later one, is told of like any other."""
    caplog.set_level(logging.INFO, "wenmai.loop")
    twice = calls(("search", {"query": "古名"}), ("search", {"query": "古名"}))
    rig = Rig(planner=ScriptedPlanner([twice, search(), says(ANSWER)]))
    await rig.stock()
    given = {"messages": [{"role": "user", "content": "古名？"}]}
    events = [e async for e in rig.graph.astream(given, config(), context=run_context(), stream_mode="custom")]
    told = [(e["event"], e["call"]) for e in events if "call" in e]
    assert told == [(kind, call) for call in (1, 2, 3) for kind in ("tool_start", "tool_end")]
    assert [e["items"] for e in events if e["event"] == "tool_end"] == [1, 1, 1] and len(rig.tools[0].history) == 1
    assert [line[:8] for line in caplog.messages if "Calling:" in line] == ["[Turn 1]", "[Turn 1]", "[Turn 2]"]


async def test_messages_stream_calls_and_the_answer() -> None:
    """PLA-13 PLA-37: a stream of messages shows calls, results and the answer in pieces, no draft; the session keeps
    the answer alone, with its citations."""
    rig = Rig(planner=ScriptedPlanner([search(text="先查"), says(ANSWER)]))
    await rig.stock()
    given = {"messages": [{"role": "user", "content": "古名？"}]}
    stream = rig.graph.astream(given, config(), context=run_context(), stream_mode="messages")
    chunks: list[Any] = [chunk async for chunk in stream]
    call, result, *pieces = [message for message, _ in chunks]
    (told,) = call.tool_calls
    assert (told["name"], result.tool_call_id, result.status) == ("search", told["id"], "success")
    assert result.text and "[E" not in result.text
    whole = functools.reduce(operator.add, pieces)
    assert whole.text == "卡齐娜获得了古名。[1]" and whole.chunk_position == "last"
    state = await rig.state()
    asked, answered = state["messages"]
    assert (asked.type, answered.type, answered.id, answered.text) == ("human", "ai", whole.id, whole.text)
    assert isinstance(answered, AIMessage) and not answered.tool_calls
    assert answered.additional_kwargs == whole.additional_kwargs
    (cited,) = answered.additional_kwargs["annotations"]
    assert answered.text[cited["start_index"] : cited["end_index"]] == "[1]"
    citation = state["result"]["citations"][0]
    assert (cited["type"], cited["cited_text"]) == ("citation", citation["quote"])
    assert (cited["title"], cited["extras"]["evidence"]) == (citation["label"], citation["evidence"])
    assert unpack(state["transcript"]) == []
