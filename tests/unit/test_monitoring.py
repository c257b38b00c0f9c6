"""What a server counts, and what it reports of its stores."""

from functools import partial
from typing import Any

import pytest
from prometheus_client import REGISTRY
from pydantic import BaseModel

from tools.base import Scope, ToolResult
from tools.errors import StoreUnavailable
from wenmai.observability.metrics import OTHER, MeasuredTool, count
from wenmai.observability.traces import ObservedTraces

KNOWN = frozenset({"search_memory"})


def call(tool: str, ok: bool = True, executed: bool = True) -> dict[str, Any]:
    return {"tool": tool, "ok": ok, "executed": executed, "args": {"query": "秘密"}}


def trace(mind: str, *calls: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {
        "query": "秘密",
        "config": {"agent_model": mind},
        "attempts": [{"tool_calls": list(calls)}],
        "passed": True,
        "status": "finished",
        "degraded": False,
        "total_duration_ms": 1500,
        "usage": {"input_tokens": 7, "output_tokens": 3},
        **more,
    }


def value(name: str, **labels: str) -> float:
    return REGISTRY.get_sample_value(name, labels) or 0.0


def test_a_question_is_counted() -> None:
    """S003-24: by mind and outcome; a tool that a model invents is `other`, one that did not run is none."""
    count(trace("m1", call("search_memory"), call("秘密", ok=False), call("x", executed=False), call("stop")), KNOWN)
    assert value("wenmai_turns_total", graph="agent", mind="m1", outcome="passed") == 1
    assert value("wenmai_turn_seconds_sum", graph="agent", mind="m1") == 1.5
    assert value("wenmai_tokens_total", mind="m1", kind="input") == 7
    assert value("wenmai_tool_calls_total", mind="m1", tool="search_memory", outcome="ok") == 1
    assert value("wenmai_tool_calls_total", mind="m1", tool=OTHER, outcome="failed") == 1
    tools = {
        s.labels["tool"]
        for m in REGISTRY.collect()
        for s in m.samples
        if s.labels.get("mind") == "m1" and "tool" in s.labels
    }
    assert tools == {"search_memory", OTHER}


@pytest.mark.parametrize(
    ("more", "outcome"),
    [
        ({"passed": False}, "not_passed"),
        ({"passed": None}, "ungraded"),
        ({"passed": None, "outcome": "answer"}, "ungraded"),
        ({"passed": None, "outcome": "not_found"}, "not_found"),
        ({"passed": None, "outcome": "not_found", "degraded": True}, "degraded"),
        ({"degraded": True}, "degraded"),
        ({"status": "cancelled"}, "cancelled"),
        ({"status": "failed", "passed": None, "outcome": None}, "failed"),
    ],
)
async def test_what_became_of_it(more: dict[str, Any], outcome: str) -> None:
    """S003-D12 LOP-12: every question is counted once, also the one that was cut short; its trace is handed on."""

    class Sink:
        async def write(self, record: dict[str, Any]) -> str | None:
            return str(record["query"])

        async def amend(self, path: str, more: dict[str, Any]) -> None:
            raise AssertionError

    before = value("wenmai_turns_total", graph="agent", mind="m2", outcome=outcome)
    assert await ObservedTraces(Sink(), partial(count, known=KNOWN)).write(trace("m2", **more)) == "秘密"
    assert value("wenmai_turns_total", graph="agent", mind="m2", outcome=outcome) == before + 1


async def test_a_recall_is_counted_as_one() -> None:
    """MEM-02: a recall of its own is no question."""
    record = {**trace("m3", graph="memory_recall", passed=None), "tool_calls": [call("search_memory")], "attempts": []}
    count(record, KNOWN)
    assert value("wenmai_turns_total", graph="memory_recall", mind="m3", outcome="ungraded") == 1
    assert value("wenmai_tool_calls_total", mind="m3", tool="search_memory", outcome="ok") == 1


async def test_a_failure_of_a_store_is_counted() -> None:
    """S000-D12: by tool and kind of error; the error goes on."""

    class Broken:
        name = "search_memory"
        description = "…"
        arguments = BaseModel

        async def __call__(self, arguments: Any, scope: Scope) -> ToolResult:
            raise StoreUnavailable("bolt://秘密:7687 是关的")

    tool = MeasuredTool(Broken())
    assert (tool.name, tool.description, tool.arguments) == ("search_memory", "…", BaseModel)
    with pytest.raises(StoreUnavailable):
        await tool(None, Scope(library="river"))
    assert value("wenmai_store_failures_total", tool="search_memory", error="StoreUnavailable") == 1
