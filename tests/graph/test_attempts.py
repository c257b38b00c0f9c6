"""Grades, attempts, hints and what is returned (loop.md §5 and §6)."""

import asyncio
from typing import Any

import pytest

from nodes.drafts import unpack
from nodes.grade import grade_from
from nodes.policy import Policy
from nodes.roles import GradeRequest, Verdict
from state.draft import Scores
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
    found,
    piece,
    says,
    search,
    verdict,
)
from tools.errors import ModelError, StoreUnavailable
from wenmai.settings.settings import OFFLINE_SEARCH_LIMITS, Settings

ANSWER = "卡齐娜获得了古名。[E1]"
NOT_FOUND = "抱歉，未能找到相关信息。"
ERROR = "抱歉，处理您的问题时出错，请重试。"


def scores(**changed: int) -> Scores:
    """Return good scores with some changed."""
    return GOOD | changed  # type: ignore[return-value]  # the keys are those of Scores


def total(wanted: int, **changed: int) -> Scores:
    """Return scores of this total, the rest put on what has no gate."""
    base = scores(tool_usage=0, completeness=0, citation=0, **changed)
    left = wanted - base["depth"] - base["evidence"]
    first = min(20, left)
    second = min(20, left - first)
    return scores(**changed, tool_usage=first, completeness=second, citation=left - first - second)


def searching(drafts: list[str], words: str = "古名") -> ScriptedPlanner:
    """Return a planner that makes one search of its own in each attempt and then says the attempt's draft."""
    turns = [turn for n, draft in enumerate(drafts) for turn in (search(f"{words}{n}"), says(draft))]
    return ScriptedPlanner(turns)


@pytest.mark.parametrize(
    ("given", "passed", "reason"),
    [
        (total(70, depth=8, evidence=5), True, ""),
        (total(69, depth=8, evidence=5), False, "score=69 < 70"),
        (scores(depth=7, tool_usage=20, completeness=20), False, "depth=7 < 8 (硬性门槛)"),
        (scores(depth=8, evidence=4, tool_usage=20, completeness=20, citation=20), False, "evidence=4 < 5 (硬性门槛)"),
        (
            Scores(tool_usage=20, evidence=4, completeness=20, citation=11, depth=5),
            False,
            "depth=5 < 8 (硬性门槛); evidence=4 < 5 (硬性门槛); score=60 < 70",
        ),
        (Scores(tool_usage=99, evidence=20, completeness=20, citation=20, depth=-3), False, "depth=0 < 8 (硬性门槛)"),
    ],
)
def test_gates(given: Scores, passed: bool, reason: str) -> None:
    """S003-13 S003-D01 S003-17 S003-D02: boundaries pass; the reason names every failed gate in order."""
    grade = grade_from(verdict(given))
    assert (grade["passed"], grade["fail_reason"]) == (passed, reason)
    points: list[Any] = list(grade["scores"].values())
    assert grade["score"] == sum(points)
    assert all(0 <= score <= 20 for score in points)


def test_a_missing_dimension_is_zero() -> None:
    """S003-13 S003-12: the total is recomputed from what is there."""
    partial: Any = {"depth": 20, "evidence": 20, "citation": None}
    grade = grade_from(verdict(partial))
    assert grade["scores"] == {"tool_usage": 0, "evidence": 20, "completeness": 0, "citation": 0, "depth": 20}
    assert grade["fail_reason"] == "score=40 < 70"


def test_a_contradiction_takes_all_evidence() -> None:
    """S003-15: hallucination_detected sets evidence to 0."""
    grade = grade_from(verdict(GOOD, hallucination_detected=True))
    assert grade["scores"]["evidence"] == 0 and not grade["passed"]
    assert set(grade) == {
        "question_type",
        "scores",
        "score",
        "reason",
        "suggestion",
        "hallucination_detected",
        "passed",
        "fail_reason",
        "confidence",
        "unsupported",
        "queries",
        "by",
        "failed",
    }


def test_an_invented_question_type_becomes_fact() -> None:
    """S003-14: the four types are closed; S003-D02: they share one set of thresholds."""
    kinds: list[Any] = ["relation", "fact", "journey", "detail", "poem"]
    grades = [grade_from(verdict(GOOD, question_type=kind)) for kind in kinds]
    assert [grade["question_type"] for grade in grades] == ["relation", "fact", "journey", "detail", "fact"]
    assert all(grade["passed"] for grade in grades)


async def test_two_attempts() -> None:
    """S003-29 S003-01 S003-04: attempt 1 (limit 3) fails in depth, the refiner speaks, attempt 2 (limit 3) passes."""
    second = Scores(tool_usage=18, evidence=18, completeness=15, citation=15, depth=12)
    grader = ScriptedGrader([verdict(SHALLOW, "补充过程"), verdict(second)])
    rig = Rig(planner=searching(["浅。[E1]", ANSWER]), grader=grader)
    result = await rig.ask("少女是如何重回世界的")
    assert [(a["attempt"], a["limit"], a["passed"]) for a in result["attempts"]] == [(1, 3, False), (2, 3, True)]
    assert result["attempts"][0]["fail_reason"] == "depth=5 < 8 (硬性门槛); score=60 < 70"
    assert (result["attempt"], result["passed"], result["grade"]["score"]) == (2, True, 78)
    assert rig.traces.records[0]["attempts"][0]["refiner"] == {"queries": ["少女 献出 身体", "三月 权能 转交"]}
    asked = rig.refiner.history[0]
    assert (asked.question, asked.suggestion) == ("少女是如何重回世界的", "补充过程")


async def test_search_limits_of_the_attempts() -> None:
    """S003-04 S003-D05: 3/3/5 and configurable, the last value repeats; 10/10/10 for the offline mind."""
    grader = ScriptedGrader([verdict(SHALLOW)])
    rig = Rig(planner=searching(["浅"] * 3), grader=grader)
    await rig.ask()
    assert [scope.limit for _, scope in rig.tools[0].history] == [3, 3, 5]
    short = Rig(planner=searching(["浅"] * 3), grader=grader)
    await short.ask(search_limits=[7])
    assert [scope.limit for _, scope in short.tools[0].history] == [7, 7, 7]
    assert Settings(_env_file=None).policy().search_limits == OFFLINE_SEARCH_LIMITS == (10, 10, 10)  # type: ignore[call-arg]  # pydantic-settings


async def test_attempts_are_three_by_default_and_a_run_may_say() -> None:
    """S003-01 S003-D07 PLA-08: max_attempts 3; the trace's key is max_retries."""
    for most, wanted in ((None, 3), (1, 1), (2, 2)):
        rig = Rig(planner=searching(["浅"] * 3), grader=ScriptedGrader([verdict(SHALLOW)]))
        result = await rig.ask(max_attempts=most)
        assert len(result["attempts"]) == wanted
        assert not result["passed"]
        assert rig.traces.records[0]["config"]["max_retries"] == wanted
        assert len(rig.refiner.history) == wanted - 1


async def test_a_next_attempt_goes_on_with_the_draft_and_what_was_found() -> None:
    """S003-05 S003-21 S003-D09: transcript and evidence are kept; question, hint and the draft's faults follow."""
    grader = ScriptedGrader([verdict(SHALLOW, "补充过程"), verdict()])
    tool = ScriptedTool("search", [ONE, found(piece("卡齐娜得到了圣火的认可。", 2))])
    rig = Rig(planner=searching(["她搬去了海边的城市居住。[E1]", ANSWER]), grader=grader, tools=[tool])
    await rig.ask("少女是如何重回世界的")
    second = rig.planner.history[2]
    assert [message.type for message in second.transcript] == ["human", "ai", "tool", "ai", "human"]
    assert second.transcript[3].text == "她搬去了海边的城市居住。[E1]"
    question, hint, faults = second.transcript[4].text.split("\n\n", 2)
    assert question == "用户问题: 少女是如何重回世界的"
    assert hint == (
        '[系统提示: 上次答案深度不足。建议搜索关键词: "少女 献出 身体", "三月 权能 转交"。\n'
        "可以使用 search_memory 搜索故事内容，track_journey 追踪时间线，\n"
        "或 find_connection 查找关系。请根据问题类型选择合适的工具。]\n"
        "[改进建议: 补充过程]"
    )
    assert faults.startswith("[核对你上一份草稿的结果：\n- 没有依据: 她搬去了海边的城市居住。")
    assert second.queries == ["少女 献出 身体", "三月 权能 转交"]
    assert (second.attempt, [one["id"] for one in second.evidence]) == (2, ["p1"])
    assert [one["id"] for one in rig.planner.history[3].evidence] == ["p1", "p2"], "numbers stay what they were"


async def test_the_hint_names_what_failed_and_the_toolkit() -> None:
    """S003-D11 S003-21: without a failed depth the failed gates stand there; tool names follow the toolkit."""
    grader = ScriptedGrader([verdict(Scores(tool_usage=0, evidence=0, completeness=9, citation=9, depth=9)), verdict()])
    rig = Rig(planner=searching(["浅", ANSWER]), grader=grader)
    await rig.ask(toolkits=["story"])
    hint = rig.planner.history[2].transcript[-1].text.split("\n\n")[1]
    assert hint.startswith("[系统提示: 上次答案证据不足、总分不足。")
    assert "vector_search 搜索故事内容" in hint and "search_memory" not in hint


@pytest.mark.parametrize("words", [ModelError("停机"), [], ["", "  "]])
async def test_without_queries_the_hint_is_the_suggestion(words: Any) -> None:
    """S003-D04: refiner failure or no query."""
    grader = ScriptedGrader([verdict(SHALLOW, "补充过程"), verdict()])
    rig = Rig(planner=searching(["浅", ANSWER]), grader=grader, refiner=ScriptedRefiner([words]))
    result = await rig.ask()
    asked = rig.planner.history[2].transcript[-1].text
    assert "\n\n[系统提示: 上次答案不完整 (尝试 1/3). 改进建议: 补充过程]\n\n" in asked
    assert result["passed"]


async def test_queries_are_cleaned_and_used_words_are_told() -> None:
    """S003-19: blanks and doubles are dropped, more than three are cut; the refiner runs only after a failure."""
    grader = ScriptedGrader([verdict(SHALLOW), verdict(SHALLOW), verdict()])
    refiner = ScriptedRefiner([[" 甲 ", "", "甲", "乙", "丙", "丁"], ["戊", "己"]])
    rig = Rig(planner=searching(["浅", "浅", ANSWER]), grader=grader, refiner=refiner)
    await rig.ask()
    assert rig.planner.history[2].queries == ["甲", "乙", "丙"]
    assert refiner.history[1].queries_used == ["甲", "乙", "丙", "古名0", "古名1"]
    assert len(refiner.history) == 2


async def test_the_refiner_does_not_run_after_a_pass_or_the_last_attempt() -> None:
    """S003-19: only when passed=false and an attempt is left."""
    passed = Rig(planner=searching([ANSWER]))
    await passed.ask()
    last = Rig(planner=searching(["浅"]), grader=ScriptedGrader([verdict(SHALLOW)]))
    await last.ask(max_attempts=1)
    assert passed.refiner.history == last.refiner.history == []


async def test_a_draft_without_any_call_is_failed_by_code() -> None:
    """S003-D03 S000-33: no model is asked; tool_usage and evidence are 0; the suggestion asks for a look-up."""
    rig = Rig(planner=ScriptedPlanner([says("我记得是这样。"), search(), says(ANSWER)]))
    result = await rig.ask()
    first = result["attempts"][0]["grade"]
    assert (first["scores"]["tool_usage"], first["scores"]["evidence"]) == (0, 0)
    assert first["suggestion"] == "请先调用检索工具查证后再回答"
    assert len(rig.grader.history) == 1
    assert result["passed"] and result["attempt"] == 2


async def test_nothing_found_is_written_by_code_and_tried_again() -> None:
    """S000-34: without a row the draft is not_found, judged without a model; two different searches suffice."""
    rig = Rig(planner=searching(["编造的答案。"] * 3), tools=[ScriptedTool("search", [NOTHING])])
    result = await rig.ask()
    assert [a["answer"] for a in result["attempts"]] == [NOT_FOUND] * 2
    assert result["attempts"][0]["grade"]["scores"]["evidence"] == 0
    assert rig.grader.history == [] and result["answer"] == NOT_FOUND


async def test_every_call_failed_is_an_error_not_an_empty_result() -> None:
    """S000-34 LOP-05 S004-D10: where every executed call of the question failed the answer is error."""
    dead = ScriptedTool("search", [StoreUnavailable("向量库连不上")])
    result = await Rig(planner=searching(["编造"] * 3), tools=[dead]).ask()
    assert (result["answer"], result["warning"]) == (ERROR, "向量库连不上")
    mixed = ScriptedTool("search", [StoreUnavailable("向量库连不上"), NOTHING])
    result = await Rig(planner=searching(["编造"] * 3), tools=[mixed]).ask()
    assert (result["answer"], result["warning"]) == (NOT_FOUND, "向量库连不上")


@pytest.mark.parametrize(("question", "text"), [("Who is Kachina?", "Sorry, no relevant information was found.")])
async def test_fixed_texts_follow_the_language(question: str, text: str) -> None:
    """S004-D10: auto is the question's language; the run may name one."""
    empty = [ScriptedTool("search", [NOTHING])]
    assert (await Rig(planner=searching(["x"] * 3), tools=empty).ask(question))["answer"] == text
    assert (await Rig(planner=searching(["x"] * 3), tools=empty).ask(question, language="zh"))["answer"] == NOT_FOUND


async def test_grader_failure_twice_is_ungraded() -> None:
    """S003-D04: one repetition, then the draft is returned, not passed, no further attempt."""
    rig = Rig(planner=searching([ANSWER]), grader=ScriptedGrader([ModelError("停机", transient=True)]))
    result = await rig.ask()
    assert len(rig.grader.history) == 2 and rig.refiner.history == []
    assert (result["answer"], result["passed"]) == ("卡齐娜获得了古名。[1]", False)
    grade = result["grade"]
    assert (grade["fail_reason"], grade["suggestion"]) == ("ungraded", "请重试或检查答案格式")
    assert "停机" in grade["reason"]


async def test_grader_failure_once_is_repeated() -> None:
    """S003-D04: the second verdict counts."""
    rig = Rig(planner=searching([ANSWER]), grader=ScriptedGrader([ModelError("停机"), verdict()]))
    assert (await rig.ask())["passed"] is True


async def test_a_grader_that_hangs_is_ungraded() -> None:
    """S003-D18 S003-D04: a model call has its time."""

    class Slow(ScriptedGrader):
        async def grade(self, request: GradeRequest) -> Verdict:
            self.history.append(request)
            await asyncio.Event().wait()
            raise AssertionError

    rig = Rig(planner=searching([ANSWER]), grader=Slow(), policy=Policy(model_timeout_s=0.01))
    result = await rig.ask()
    assert (result["grade"]["fail_reason"], len(rig.grader.history)) == ("ungraded", 2)


async def test_the_grader_sees_all_calls_newest_first_and_no_reasoning() -> None:
    """S003-16 S003-D10: calls of all attempts, each output at most 2,000 characters."""
    long = found(piece("卡齐娜"), text="长" * 5000)
    grader = ScriptedGrader([verdict(SHALLOW), verdict()])
    rig = Rig(planner=searching(["浅", ANSWER]), grader=grader, tools=[ScriptedTool("search", [long])])
    await rig.ask()
    second = grader.history[1]
    assert [call["args"]["query"] for call in second.calls] == ["古名1", "古名0"]
    assert all(len(call["result"]) == 2000 and call["cut"] for call in second.calls)
    assert not hasattr(second, "transcript")


@pytest.mark.parametrize(
    ("totals", "returned"),
    [((40, 60, 50), 2), ((50, 50, 40), 2), ((60, 40, 60), 3)],
)
async def test_the_best_attempt_is_returned(totals: tuple[int, ...], returned: int) -> None:
    """S003-D08 S003-D19: the highest total, the later on ties; passed=false, its grade is shown."""
    verdicts = [verdict(total(one, depth=7, evidence=10)) for one in totals]
    rig = Rig(planner=searching(["甲。", "乙。", "丙。"]), grader=ScriptedGrader(verdicts))
    result = await rig.ask()
    assert result["attempt"] == returned
    assert result["answer"] == ("甲。", "乙。", "丙。")[returned - 1]
    assert (result["passed"], result["grade"]["score"]) == (False, totals[returned - 1])
    assert rig.traces.records[0]["passed"] is False


async def test_a_last_refusal_wins_over_an_unsupported_answer() -> None:
    """S003-D08: a refusal is better than an unsupported answer."""
    grader = ScriptedGrader([verdict(total(60, depth=7, evidence=10))])
    result = await Rig(planner=searching(["甲。", "乙。", NOT_FOUND]), grader=grader).ask()
    assert (result["answer"], result["attempt"]) == (NOT_FOUND, 3)


async def test_small_talk_needs_no_look_up() -> None:
    """LOP-07: the text is the answer, grade and passed are null, nothing is graded."""
    rig = Rig(planner=ScriptedPlanner([says("您好！")]))
    result = await rig.ask("你好")
    assert (result["answer"], result["grade"], result["passed"]) == ("您好！", None, None)
    assert rig.grader.history == [] and rig.planner.history[0].small_talk


async def test_rag_mode() -> None:
    """LOP-01: exactly one retrieval of 5 rows and one model call without tools; graded without a model, once."""
    rig = Rig(planner=ScriptedPlanner([says(ANSWER)]), rag_tool=ScriptedTool("vector_search", [ONE]))
    result = await rig.ask(mode="rag")
    assert [(q.query, q.top_k) for q, _ in rig.rag_tool.history] == [("卡齐娜的古名怎么来的？", 5)]
    assert len(rig.planner.history) == 1 and rig.planner.history[0].draft_only
    assert (result["grade"]["score"], result["passed"], result["mode"]) == (78, True, "rag")
    assert len(rig.grader.history) == len(result["attempts"]) == 1
    assert result["answer"] == "卡齐娜获得了古名。[1]"
    assert [(call["tool"], call["ok"]) for call in result["tool_calls"]] == [("vector_search", True)]
    assert set(rig.toolkits) == {("rag",)}
    assert [m.type for m in rig.planner.history[0].transcript] == ["human", "ai", "tool", "human"]


async def test_rag_mode_refuses_tools_and_finds_nothing_by_code() -> None:
    """LOP-01 S000-34: a call that comes back is not run; without a row no model is asked at all."""
    rig = Rig(planner=ScriptedPlanner([search(), says(ANSWER)]))
    assert (await rig.ask(mode="rag"))["answer"] == "卡齐娜获得了古名。[1]"
    assert rig.tools[0].history == []
    empty = Rig(rag_tool=ScriptedTool("vector_search", [NOTHING]))
    assert (await empty.ask(mode="rag"))["answer"] == NOT_FOUND
    assert empty.planner.history == []


async def test_invented_citations_are_removed() -> None:
    """S003-D17 S003-08: every number of the answer exists in the evidence, with a verbatim quote and offsets."""
    text = "火焰从未熄灭。卡齐娜终于获得了自己的古名。"
    rig = Rig(
        planner=ScriptedPlanner([search(), says("卡齐娜获得了古名。[E1][E7] 她很高兴。[E1]")]),
        tools=[ScriptedTool("search", [found(piece(text, start=100, end=100 + len(text)))])],
    )
    result = await rig.ask()
    assert result["answer"] == "卡齐娜获得了古名。[1] 她很高兴。[1][存疑]"
    (citation,) = result["citations"]
    assert citation["quote"] == "卡齐娜终于获得了自己的古名。"
    assert text[citation["start"] - 100 : citation["end"] - 100] == citation["quote"]
    assert (citation["source"], citation["chapter"], citation["title"]) == ("t1", 1, "第1章")


async def test_evidence_is_ranked_for_the_resolved_question() -> None:
    """LOP-08: one list over all calls of the returned attempt, in the ranker's order, each with its call."""
    tool = ScriptedTool("search", [found(piece("甲", 1), piece("乙", 2)), found(piece("乙", 2), piece("丙", 3))])
    rig = Rig(planner=ScriptedPlanner([search("一"), search("二"), says(ANSWER)]), tools=[tool])
    result = await rig.ask()
    assert [(e["text"], e["tool"], e["call"]) for e in result["evidence"]] == [
        ("丙", "search", 2),
        ("乙", "search", 1),
        ("甲", "search", 1),
    ]


async def test_transcripts_of_the_session_hold_no_tool_message() -> None:
    """S003-D09 PLA-13: only question and final answer enter the session."""
    rig = Rig(planner=searching(["浅", ANSWER]), grader=ScriptedGrader([verdict(SHALLOW), verdict()]))
    await rig.ask("古名？")
    state = await rig.state()
    assert [(m.type, m.text) for m in state["messages"]] == [("human", "古名？"), ("ai", "卡齐娜获得了古名。[1]")]
    assert unpack(state["transcript"]) == []
