"""Whatever a model sends, a question ends within its caps, every call is answered and one trace is written."""

import asyncio
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from nodes.roles import Verdict
from state.draft import Scores
from tests.graph.rig import (
    NOTHING,
    ONE,
    Rig,
    ScriptedGrader,
    ScriptedPlanner,
    ScriptedRefiner,
    ScriptedTool,
    Turn,
    calls,
    says,
    unanswered,
)
from tools.errors import ModelError, StoreUnavailable

ERRORS = [ModelError("503", transient=True), ModelError("400"), ValueError("kaputt")]
json_values = st.one_of(st.none(), st.booleans(), st.integers(-5, 99), st.text(max_size=5), st.just(float("nan")))
arguments = st.dictionaries(st.sampled_from(["query", "top_k", "reason", "user_id"]), json_values, max_size=3)
names = st.sampled_from(["search", "search", "lookup", "stop", "fly", ""])
model_turns = st.one_of(
    st.lists(st.tuples(names, arguments), min_size=1, max_size=7).map(lambda wanted: calls(*wanted)),
    st.lists(st.tuples(names, arguments), min_size=1, max_size=3).map(lambda wanted: calls(*wanted, text="想")),
    st.sampled_from(["", "  ", "答。[E1]", "答。[E99][E0]", "[E", "抱歉，未能找到相关信息。"]).map(says),
    st.sampled_from(ERRORS),
)
dimension = st.integers(-5, 25)
scores = st.builds(
    Scores, tool_usage=dimension, evidence=dimension, completeness=dimension, citation=dimension, depth=dimension
)
verdicts = st.one_of(
    st.builds(
        Verdict,
        question_type=st.just("fact"),
        scores=scores,
        reason=st.text(max_size=5),
        suggestion=st.text(max_size=5),
        hallucination_detected=st.booleans(),
    ),
    st.sampled_from(ERRORS[:2]),
)
queries = st.one_of(st.lists(st.text(max_size=4), max_size=5), st.sampled_from(ERRORS[:2]))
tool_answers = st.lists(
    st.sampled_from([ONE, NOTHING, StoreUnavailable("连不上"), RuntimeError("x")]), min_size=1, max_size=4
)


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(
    turns=st.lists(model_turns, max_size=14),
    verdicts=st.lists(verdicts, min_size=1, max_size=3),
    words=st.lists(queries, min_size=1, max_size=2),
    answers=tool_answers,
    mode=st.sampled_from(["agent", "agent", "rag"]),
    endless=st.booleans(),
)
def test_any_script_ends(turns: list[Turn], verdicts: Any, words: Any, answers: Any, mode: str, endless: bool) -> None:
    """LOP-10 PLA-17 S000-27: calls, text, stop, unknown tools, bad arguments, errors at each step, in any mix."""
    rest = (lambda request: calls(("search", {"query": str(len(request.calls))}))) if endless else lambda r: says("完")
    rig = Rig(
        planner=ScriptedPlanner(turns, rest),
        grader=ScriptedGrader(verdicts),
        refiner=ScriptedRefiner(words),
        tools=[ScriptedTool("search", answers), ScriptedTool("lookup", answers)],
    )
    result = asyncio.run(asyncio.wait_for(rig.ask(mode=mode), 120))
    assert result["answer"].strip() and "[E" not in result["answer"].replace("[E\n", "").removesuffix("[E")
    assert 1 <= len(result["attempts"]) <= 3
    for attempt in result["attempts"]:
        made = [call for call in result["tool_calls"] if call["attempt"] == attempt["attempt"]]
        assert len({call["round"] for call in made if call["tool"] != "stop"}) <= 5
    assert [call["call"] for call in result["tool_calls"]] == list(range(1, len(result["tool_calls"]) + 1))
    assert sum(len(tool.history) for tool in rig.tools) <= 15
    assert all(unanswered(request.transcript) == [] for request in rig.planner.history)
    assert {c["evidence"] for c in result["citations"]} <= {e["id"] for e in result["evidence"]}
    (trace,) = rig.traces.records
    assert (trace["final_response"], trace["passed"]) == (result["answer"], result["passed"])
    assert len(trace["attempts"]) == len(result["attempts"])
