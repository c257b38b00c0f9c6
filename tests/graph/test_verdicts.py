"""What a turn came to: its status, how sure it is, and when another attempt is made (loop.md §6 and §7)."""

import json
from typing import Any

import pytest

from nodes.drafts import refused_by_code
from nodes.grade import grade_from
from nodes.roles import JudgedClaim
from state.draft import Draft, Scores
from tests.graph.rig import (
    GOOD,
    NOTHING,
    ONE,
    SHALLOW,
    Rig,
    ScriptedGrader,
    ScriptedPlanner,
    ScriptedRefiner,
    ScriptedTool,
    says,
    search,
    verdict,
)
from tools.errors import ModelError, StoreUnavailable

ANSWER = "卡齐娜获得了古名。[E1]"
NOT_FOUND = "抱歉，未能找到相关信息。"
SURE = verdict(GOOD, confidence=0.83)
DOUBTFUL = verdict(SHALLOW, confidence=0.31)


def searching(*drafts: str, query: str = "古名") -> ScriptedPlanner:
    """Return a planner with one search and one draft in each attempt."""
    return ScriptedPlanner([turn for n, draft in enumerate(drafts) for turn in (search(f"{query}{n}"), says(draft))])


def empty() -> list[ScriptedTool]:
    """Return a tool that finds nothing."""
    return [ScriptedTool("search", [NOTHING])]


async def test_an_answer_carries_the_confidence_of_its_grade() -> None:
    """LOP-12: plain data in the record, its grade, the trace; the three words are no part of them."""
    rig = Rig(planner=searching(ANSWER), grader=ScriptedGrader([SURE]))
    result = await rig.ask()
    assert (result["status"], result["confidence"], result["passed"]) == ("answer", 0.83, True)
    assert result["grade"]["confidence"] == 0.83 and "confidence_word" not in result
    (trace,) = rig.traces.records
    assert (trace["outcome"], trace["confidence"], trace["status"]) == ("answer", 0.83, "finished")
    assert trace["attempts"][0]["grading"]["output"]["confidence"] == 0.83
    assert json.loads(json.dumps(result))["confidence"] == 0.83


async def test_the_confidence_is_that_of_the_returned_attempt() -> None:
    """LOP-12 S003-D19: not that of a better or later one."""
    better = Scores(tool_usage=20, evidence=15, completeness=15, citation=15, depth=7)
    grader = ScriptedGrader([verdict(better, confidence=0.4), DOUBTFUL])
    result = await Rig(planner=searching("甲。", "乙。"), grader=grader).ask(max_attempts=2)
    assert (result["attempt"], result["confidence"], result["passed"]) == (1, 0.4, False)


@pytest.mark.parametrize(("given", "kept"), [(None, None), (0.5, 0.5), (1.7, 1.0), (-0.2, 0.0)])
def test_a_confidence_is_a_probability(given: float | None, kept: float | None) -> None:
    """LOP-12 S003-17: within 0..1; a verdict without one has null."""
    assert grade_from(verdict(GOOD, confidence=given)).get("confidence") == kept


async def test_a_model_without_a_confidence_leaves_it_to_the_check() -> None:
    """LOP-12: by the share of sentences that are doubtful; high without any, low where half of them are."""
    result = await Rig(planner=searching(ANSWER)).ask()
    assert (result["confidence"], result["passed"], result["grade"]["confidence"]) == (0.82, True, None)
    doubted = ScriptedGrader(
        [
            verdict(
                GOOD,
                claims=[JudgedClaim("卡齐娜获得了古名", [1], "yes"), JudgedClaim("终于获得了自己的古名", [1], "no")],
            )
        ]
    )
    result = await Rig(planner=searching("卡齐娜获得了古名[E1]。她终于获得了自己的古名[E1]。"), grader=doubted).ask(
        max_attempts=1
    )
    assert result["confidence"] < 0.5


async def test_nothing_is_sure_after_a_failure() -> None:
    """LOP-12: below what is called high where no grader judged, it did not pass, or the offline mind took over."""
    ungraded = await Rig(planner=searching(ANSWER), grader=ScriptedGrader([ModelError("停机")])).ask()
    failed = await Rig(planner=searching(ANSWER), grader=ScriptedGrader([verdict(SHALLOW)])).ask(max_attempts=1)
    sure = await Rig(planner=searching(ANSWER), grader=ScriptedGrader([verdict(SHALLOW, confidence=0.9)])).ask(
        max_attempts=1
    )
    assert [one["confidence"] for one in (ungraded, failed, sure)] == [0.7] * 3


async def test_chat_is_no_answer() -> None:
    """LOP-12 LOP-07: nothing was looked up, nothing is graded."""
    result = await Rig(planner=ScriptedPlanner([says("您好！")])).ask("你好")
    assert (result["status"], result["confidence"], result["grade"]) == ("chat", None, None)


async def test_an_ungraded_answer_is_an_answer() -> None:
    """LOP-12 S003-D04: a grader that fails."""
    result = await Rig(planner=searching(ANSWER), grader=ScriptedGrader([ModelError("停机")])).ask()
    assert (result["status"], result["confidence"], result["passed"]) == ("answer", 0.7, False)


async def test_an_apology_is_a_failure() -> None:
    """LOP-12 S004-D10: what the code says where nobody answered; its keys stay as they are."""
    dead = [ScriptedTool("search", [StoreUnavailable("向量库连不上")])]
    result = await Rig(planner=searching("编", "编", "编"), tools=dead).ask()
    assert (result["status"], result["confidence"], result["passed"]) == ("failed", None, False)
    broken = Rig(planner=ScriptedPlanner([ModelError("停机")]))
    result = await broken.ask()
    assert (result["status"], result["confidence"], result["passed"], result["grade"]) == ("failed", None, None, None)


async def test_a_refusal_is_a_result() -> None:
    """LOP-12 S000-34: a refusal of the code has no grade; two different searches are enough for it."""
    rig = Rig(planner=searching("编", "编", "编"), tools=empty())
    result = await rig.ask()
    assert (result["status"], result["answer"]) == ("not_found", NOT_FOUND)
    assert (result["grade"], result["passed"], result["confidence"]) == (None, None, 0.7)
    assert [(one["grade"]["score"], one["fail_reason"]) for one in result["attempts"]] == [
        (20, "searches=1 < 2"),
        (20, ""),
    ]
    (trace,) = rig.traces.records
    assert (trace["outcome"], trace["passed"], trace["status"]) == ("not_found", None, "finished")
    assert [one["refused"] for one in trace["attempts"]] == [True] * 2


async def test_a_refusal_in_rag_mode_is_the_same() -> None:
    """LOP-12 LOP-01: nothing was graded there either."""
    result = await Rig(rag_tool=ScriptedTool("vector_search", [NOTHING])).ask(mode="rag")
    assert (result["status"], result["grade"], result["passed"]) == ("not_found", None, None)


async def test_a_refusal_over_evidence_has_its_writers_confidence() -> None:
    """LOP-12: a mind without a model says with its refusal how surely nothing answers; no grader is asked."""
    unlikely: Draft = {**refused_by_code("zh", None, "unlikely"), "by": "rules", "confidence": 0.9}
    grader, planner = ScriptedGrader(), ScriptedPlanner([search(), unlikely])
    result = await Rig(planner=planner, grader=grader, refiner=ScriptedRefiner([None])).ask()
    assert (result["status"], result["answer"]) == ("not_found", NOT_FOUND)
    assert (result["confidence"], result["grade"], grader.history) == (0.9, None, [])


@pytest.mark.parametrize("draft", ["浅。[E1]", NOT_FOUND])
async def test_a_refiner_may_see_no_use_in_another_attempt(draft: str) -> None:
    """LOP-13: None ends the turn with the attempts so far."""
    rig = Rig(planner=searching(draft), grader=ScriptedGrader([DOUBTFUL]), refiner=ScriptedRefiner([None]))
    result = await rig.ask()
    assert (len(result["attempts"]), len(rig.refiner.history), len(rig.planner.history)) == (1, 1, 2)
    assert result["status"] == ("not_found" if draft == NOT_FOUND else "answer")
    assert rig.traces.records[0]["attempts"][0]["refiner"] == {"queries": []}


async def test_queries_that_were_all_searched_are_nothing_new() -> None:
    """LOP-13: they are compared without blanks around them; one that was not searched is enough for an attempt."""
    refiner = ScriptedRefiner([[" 古名0 "]])
    rig = Rig(planner=searching("浅", "浅"), grader=ScriptedGrader([DOUBTFUL]), refiner=refiner)
    assert len((await rig.ask())["attempts"]) == 1
    mixed = ScriptedRefiner([["古名0", "还没搜过"], ["古名0", "古名1"]])
    rig = Rig(planner=searching("浅", "浅"), grader=ScriptedGrader([DOUBTFUL]), refiner=mixed)
    assert len((await rig.ask(search_limits=[3]))["attempts"]) == 2
    assert rig.planner.history[2].queries == ["古名0", "还没搜过"]


async def test_more_rows_or_a_failed_search_are_something_new() -> None:
    """LOP-13 S003-04: the third attempt sees 5 rows where the first saw 3; a store may be back."""
    refiner = ScriptedRefiner([["还没搜过"], ["古名0"]])
    rig = Rig(planner=searching("浅", "浅", "浅"), grader=ScriptedGrader([DOUBTFUL]), refiner=refiner)
    assert len((await rig.ask())["attempts"]) == 3
    tool = ScriptedTool("search", [StoreUnavailable("连不上"), ONE])
    again = Rig(planner=searching("编", ANSWER), tools=[tool], refiner=ScriptedRefiner([["古名0"]]))
    assert (await again.ask())["passed"]


@pytest.mark.parametrize("words", [[], ["", " "], ModelError("停机")])
async def test_no_query_is_another_attempt(words: Any) -> None:
    """LOP-13 S003-D04: an empty list keeps its meaning, as has a refiner that fails."""
    grader = ScriptedGrader([DOUBTFUL, SURE])
    rig = Rig(planner=searching("浅", ANSWER), grader=grader, refiner=ScriptedRefiner([words]))
    result = await rig.ask()
    assert (len(result["attempts"]), result["confidence"]) == (2, 0.83)
