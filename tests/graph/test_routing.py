"""Where a turn goes next, and the drawn graph."""

import asyncio
import re
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import HumanMessage

from graph.builder import build_graph
from graph.routing import after_grade, after_plan, after_refine, after_remember, after_resolve, run_inline
from nodes.policy import Policy
from state.schema import AgentState
from tests.graph.rig import Rig, ScriptedGrader, ScriptedPlanner, calls, run_context, says, verdict
from tools.errors import InputError

ROOT = Path(__file__).parents[2]
DRAWING = ROOT / "docs" / "graph.mmd"
FAILED: dict[str, Any] = {"passed": False, "failed": ["total"]}


def state(**changed: Any) -> AgentState:
    """Return the keys that routing reads."""
    fields: dict[str, Any] = {
        "pending": [],
        "mode": "agent",
        "status": "open",
        "degraded": False,
        "stop_reason": None,
        "draft": None,
        "grade": None,
        "attempt": 1,
        "limits": {"attempts": 3, "turns": 5, "calls": 5, "search": [3]},
    }
    known: AgentState = fields | changed  # type: ignore[assignment]  # the keys that routing reads
    return known


def test_after_resolve() -> None:
    """LOP-01: only rag mode's fixed call is pending there."""
    assert after_resolve(state()) == "plan"
    assert after_resolve(state(pending=[{"id": "rag"}])) == "tool_call"


@pytest.mark.parametrize(
    ("changed", "goes"),
    [
        ({"pending": [{"id": "c1"}]}, "tool_call"),
        ({"pending": [{"id": "c1"}], "mode": "rag"}, "tool_call"),
        ({}, "grade"),
        ({"status": "small_talk"}, "answer"),
        ({"status": "ready"}, "answer"),
        ({"mode": "rag"}, "grade"),
        ({"status": "timed_out"}, "answer"),
        ({"status": "failed"}, "answer"),
        ({"stop_reason": "not_found"}, "grade"),
        ({"status": "out_of_tokens"}, "answer"),
        ({"status": "out_of_tokens", "degraded": True}, "grade"),
    ],
)
def test_after_plan(changed: dict[str, Any], goes: str) -> None:
    """S003-01 LOP-01 LOP-07 LOP-12 S003-D18: calls are run; a draft is graded but for these cases."""
    assert after_plan(state(**changed)) == goes


@pytest.mark.parametrize(
    ("changed", "goes"),
    [
        ({}, "answer"),
        ({"grade": {"passed": True, "failed": []}}, "answer"),
        ({"grade": FAILED}, "refine"),
        ({"grade": FAILED, "attempt": 2}, "refine"),
        ({"grade": FAILED, "attempt": 3}, "answer"),
        ({"grade": FAILED, "status": "out_of_tokens"}, "answer"),
        ({"grade": {"passed": False, "failed": ["ungraded"]}}, "answer"),
    ],
)
def test_after_grade(changed: dict[str, Any], goes: str) -> None:
    """S003-01 S003-D04: another attempt only after a graded failure while attempts are left."""
    assert after_grade(state(**changed)) == goes


def test_after_refine() -> None:
    """LOP-13: a fresh attempt has no draft; where the old one stands, the turn ends."""
    assert after_refine(state()) == "plan"
    assert after_refine(state(draft="浅")) == "answer"


class Watched(ThreadPoolExecutor):
    """Threads that count what is sent to them."""

    sent = 0

    def submit(self, fn: Callable[..., Any], /, *args: Any, **named: Any) -> Future[Any]:
        """Count and run."""
        self.sent += 1
        return super().submit(fn, *args, **named)


@pytest.mark.parametrize(
    ("changed", "goes"),
    [
        ({}, "__end__"),  # a talk that is written into a new thread as if it had been remembered
        ({"status": "statement", "result": None}, "answer"),
        ({"status": "statement", "result": {"answer": "记下了。"}}, "__end__"),
        ({"status": "open", "result": {"answer": "海边。"}}, "__end__"),
    ],
)
def test_after_remember(changed: Any, goes: str) -> None:
    """LOP-23: what was told is acknowledged once; any other turn ends here."""
    assert after_remember(changed) == goes


async def test_a_key_that_is_missing_in_a_turn_is_no_mistake_of_the_caller() -> None:
    """PLA-13: only a state that no turn wrote is refused as such."""
    route: Any = run_inline(after_grade)
    with pytest.raises(InputError):
        await route({})
    with pytest.raises(KeyError):
        await route({"trace_id": "20260101-000000-abcdef"})


async def test_routes_are_not_sent_to_threads() -> None:
    """A route only compares counters; LangGraph would send each plain one to a thread and wait for it."""
    threads = Watched()
    asyncio.get_running_loop().set_default_executor(threads)
    rig = Rig()
    await rig.stock()
    before = threads.sent
    await rig.ask()
    assert threads.sent == before


def test_the_drawn_graph() -> None:
    """S003-01: no box stands alone; docs/architecture.md has the drawing, the README a picture with the same edges.

    `python -m tests.graph.test_routing` writes the drawing anew.
    """
    drawn = Rig().graph.get_graph()
    assert {end for edge in drawn.edges for end in (edge.source, edge.target)} == set(drawn.nodes)
    assert drawn.draw_mermaid() == DRAWING.read_text(encoding="utf-8")
    assert drawn.draw_mermaid().strip() in (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    edges = {(edge.source.strip("_"), edge.target.strip("_").replace("end", "finish")) for edge in drawn.edges}
    for name in ("README.md", "README.zh.md"):
        assert edges_of((ROOT / name).read_text(encoding="utf-8")) == edges


def edges_of(page: str) -> set[tuple[str, str]]:
    """Return the edges of a page's mermaid picture."""
    picture = re.sub(r"\(\[.*?\]\)", "", page.split("```mermaid\n")[1].split("```")[0])
    rows = [[part.split("&") for part in re.split("-->|-\\.->", line)] for line in picture.splitlines()]
    pairs = [
        (source, target) for row in rows for before, behind in pairwise(row) for source in before for target in behind
    ]
    return {(source.strip(), target.strip()) for source, target in pairs}


async def test_the_recursion_limit_is_above_the_largest_legal_run() -> None:
    """PLA-17: two attempts of 100 rounds end by the counters; the limit stands above what Context allows."""
    planner = ScriptedPlanner(
        rest=lambda r: says("浅") if r.draft_only else calls(("search", {"query": str(len(r.calls))}))
    )
    low = verdict({**verdict().scores, "depth": 0})
    rig = Rig(planner=planner, grader=ScriptedGrader([low]))
    await rig.stock()
    graph = build_graph(rig.parts())
    context = run_context(max_turns=100, max_tool_calls=100, max_attempts=2)
    output = await graph.ainvoke({"messages": [HumanMessage("古名？")]}, context=context)
    assert len(output["result"]["tool_calls"]) == 200
    assert Policy().recursion_limit >= 100 * (100 * 2 + 3) + 2
    assert (rig.graph.config or {}).get("recursion_limit") == Policy().recursion_limit


if __name__ == "__main__":
    DRAWING.write_text(Rig().graph.get_graph().draw_mermaid(), encoding="utf-8")
