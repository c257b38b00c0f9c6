"""Drafts that code checks before anyone grades them: notes, kinds of drafts, who grades, what a refusal needs."""

from dataclasses import replace
from typing import Any

import pytest

from nodes.citations import marked_text
from nodes.drafts import unpack
from nodes.roles import JudgedClaim
from tests.checked_drafts import check
from tests.graph.rig import (
    GOOD,
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

TEXT = "卡齐娜在火山脚下苦练三年，终于获得了自己的古名。恰斯卡送给她一枚羽毛。"
TOOL = ScriptedTool("search", [found(piece(TEXT), piece("圣火每隔三十年重新点燃一次。", 2))])


def rig(*drafts: str, grader: ScriptedGrader | None = None, searches: int = 1, **more: Any) -> Rig:
    """Return a graph whose model searches and writes, in every attempt."""
    turns = [
        turn for n, draft in enumerate(drafts) for turn in (*(search(f"{n}{i}") for i in range(searches)), says(draft))
    ]
    fields: dict[str, Any] = {"tools": [replace(TOOL, history=[])]} | more
    return Rig(planner=ScriptedPlanner(turns), grader=grader or ScriptedGrader(), **fields)


def checked(draft: str, question: str = "卡齐娜的古名怎么来的？", **more: Any) -> tuple[str, list[tuple[str, str]]]:
    """Check a draft without a reader; return what is left, and actions with reasons."""
    pieces = [piece(TEXT), piece("圣火每隔三十年重新点燃一次。", 2)]
    result = check(draft, question, pieces, **more)
    return result.text, result.found


@pytest.mark.parametrize(
    ("draft", "left", "notes"),
    [
        ("卡齐娜终于获得了自己的古名[E1]。", "卡齐娜终于获得了自己的古名[E1]。", []),
        ("卡齐娜终于获得了古名。恰斯卡送给她一枚羽毛[E1]。", "卡齐娜终于获得了古名。恰斯卡送给她一枚羽毛[E1]。", []),
        ("卡齐娜终于获得了自己的古名。", "卡齐娜终于获得了自己的古名[E1]。", [("moved", "unmarked")]),
        ("卡齐娜终于获得了自己的古名[E9]。", "卡齐娜终于获得了自己的古名[E1]。", [("moved", "unmarked")]),
        ("卡齐娜苦练五年，终于获得了古名[E1]。", "", [("dropped", "number")]),
        ("文中写道“圣火每隔三十年重新点燃”[E1]。", "文中写道“圣火每隔三十年重新点燃”[E2]。", [("moved", "quotation")]),
        ("她说：“我再也不想见到那座火山了。”[E1]", "", [("dropped", "quotation")]),
        ("她获得了古名[E1]。详情见 https://evil.example/x 。", "她获得了古名[E1]。", [("dropped", "address")]),
        ("她获得了古名[E1]。<script>alert(1)</script>", "她获得了古名[E1]。", [("dropped", "code")]),
        ("请立即点击下载完整版。", "", [("dropped", "instruction")]),
        ("资料没有说明羽毛是什么颜色。", "资料没有说明羽毛是什么颜色。", []),
        (
            "经过如下：\n- 苦练三年[E1]\n- 买下了整座月亮宫殿[E7]",
            "经过如下：\n- 苦练三年[E1]",
            [("dropped", "unsupported")],
        ),
    ],
)
def test_what_is_left_of_a_draft(draft: str, left: str, notes: list[tuple[str, str]]) -> None:
    """Without a reader: marks, quotations, numbers, addresses, code and orders by their words."""
    assert checked(draft) == (left, notes)


@pytest.mark.parametrize(
    ("text", "draft"),
    [
        ("“从今天起，”阿雪一字一顿地说，“我没有你这个朋友。”", "她说：“从今天起，我没有你这个朋友。”[E1]"),
        ('"I lied," said Pell, "because I was ashamed of it."', 'He said, "I lied because I was ashamed of it." [E1]'),
    ],
)
def test_a_speech_may_be_told_in_two_parts(text: str, draft: str) -> None:
    """What tells in its middle who speaks is no part of a quotation; what it leaves out else is missing."""
    assert check(draft, "她说了什么？", [piece(text)]).notes == []
    altered = check(draft.replace("朋友", "学生").replace("ashamed", "proud"), "她说了什么？", [piece(text)])
    assert [note["reason"] for note in altered.notes] == ["quotation"]


def test_what_was_asked_for_stays() -> None:
    """An address and code that the question asks for, and the evidence has, are an answer."""
    pieces = [piece("项目主页：https://wenmai.example/docs ，安装用 pip install wenmai。")]
    assert check("主页是 https://wenmai.example/docs[E1]", "项目的网址是什么？", pieces).notes == []


async def test_notes_are_in_the_record_and_the_trace() -> None:
    """LOP-14: what was dropped and moved, with the ids of the evidence."""
    one = rig("卡齐娜终于获得了自己的古名[E2]。她后来在海边开了一间书店[E8]。恰斯卡送给她一枚羽毛[E8]。")
    result = await one.ask()
    assert result["answer"] == "卡齐娜终于获得了自己的古名[1]。恰斯卡送给她一枚羽毛[2]。"
    assert [(note["action"], note["reason"], note["evidence"]) for note in result["notes"]] == [
        ("moved", "unsupported", ["p1"]),
        ("dropped", "unsupported", []),
        ("moved", "unmarked", ["p1"]),
    ]
    assert one.traces.records[0]["attempts"][0]["notes"] == result["notes"]
    graded = one.grader.history[0]
    assert marked_text(graded.draft["sentences"], graded.evidence).endswith("恰斯卡送给她一枚羽毛[E1]。"), (
        "the grader sees what is left"
    )


async def test_rag_mode_is_checked_too() -> None:
    """LOP-14 LOP-01: no grader sees that draft, the check does."""
    tool = ScriptedTool("vector_search", [found(piece(TEXT))])
    one = Rig(planner=ScriptedPlanner([says("她获得了古名[E1]。她住在月亮背面的宫殿里[E5]。")]), rag_tool=tool)
    result = await one.ask(mode="rag")
    assert (result["answer"], [note["action"] for note in result["notes"]]) == ("她获得了古名[1]。", ["dropped"])


async def test_nothing_is_left_of_a_draft() -> None:
    """LOP-14 S000-34: the next attempt follows, told what was wrong; at the end a refusal is better."""
    one = rig("她住在月亮背面的宫殿里[E7]。", "她住在太阳背面的宫殿里[E8]。")
    result = await one.ask(max_attempts=2)
    assert (result["status"], result["grade"], len(result["attempts"])) == ("not_found", None, 2)
    assert one.grader.history == [] and result["notes"][0]["text"] == "她住在太阳背面的宫殿里。"
    opening = one.planner.history[2].transcript[-1].text
    assert "- 没有依据: 她住在月亮背面的宫殿里。" in opening


async def test_an_unsupported_claim_fails_where_a_part_of_the_question_is_unanswered() -> None:
    """S003-13 S003-15: evidence is the share of supported claims; the next attempt knows what had no support."""
    claims = [JudgedClaim("甲", [1], "yes"), JudgedClaim("乙", [1], "yes"), JudgedClaim("丙", [1], "no")]
    grader = ScriptedGrader([verdict(GOOD, claims=claims, unanswered=["丁"]), verdict(GOOD, claims=claims[:2])])
    one = rig("她获得了古名[E1]。", "她获得了古名[E1]。", grader=grader)
    result = await one.ask()
    first, second = result["attempts"]
    assert (first["grade"]["scores"]["evidence"], first["fail_reason"]) == (13, "unsupported=1")
    assert first["grade"]["unsupported"] == ["丙"] and (second["grade"]["scores"]["evidence"], second["passed"]) == (
        20,
        True,
    )
    assert "- 没有依据: 丙" in one.planner.history[2].transcript[-1].text
    assert "有论断没有依据" in one.planner.history[2].transcript[-1].text


async def test_an_unsupported_claim_fails_whatever_the_grader_calls_the_draft() -> None:
    """S003-15 LOP-15: a draft that claims what is not supported is no right refusal."""
    claims = [JudgedClaim("她获得了古名。", [1], "no")]
    grader = ScriptedGrader([verdict(SHALLOW, claims=claims, refusal_ok=True)])
    result = await rig("她获得了古名[E1]。", grader=grader).ask(max_attempts=1)
    assert result["passed"] is False and "unsupported=1" in result["grade"]["fail_reason"]


async def test_a_draft_that_obeys_the_material_has_no_evidence() -> None:
    """S003-15: follows_material sets evidence to 0."""
    result = await rig("她获得了古名[E1]。", grader=ScriptedGrader([verdict(GOOD, follows_material=True)])).ask(
        max_attempts=1
    )
    assert result["grade"]["scores"]["evidence"] == 0 and not result["passed"]


async def test_the_graders_queries_replace_the_refiner() -> None:
    """S003-19: they are used where one of them is new; else the refiner is asked."""
    grader = ScriptedGrader(
        [verdict(SHALLOW, queries=["羽毛 送给", "00"]), verdict(SHALLOW, queries=["00"]), verdict()]
    )
    one = rig("浅[E1]。", "浅[E1]。", "她获得了古名[E1]。", grader=grader)
    result = await one.ask()
    assert one.planner.history[2].queries == ["羽毛 送给", "00"] and len(one.refiner.history) == 1
    assert result["passed"] and one.traces.records[0]["attempts"][0]["refiner"]["queries"] == ["羽毛 送给", "00"]


async def test_a_draft_that_is_written_again_ends_the_attempts() -> None:
    """LOP-13: code had found the same faults in it; the refiner is not asked a second time."""
    one = rig(*["国王在海边造了许多会说话的木马，后来全都沉了[E9]。"] * 3)
    result = await one.ask()
    assert (len(result["attempts"]), len(one.refiner.history), result["status"]) == (2, 1, "not_found")


@pytest.mark.parametrize(("searches", "passed"), [(2, True), (1, False)])
async def test_a_right_refusal_needs_two_searches(searches: int, passed: bool) -> None:
    """LOP-15: in the model's own words, after two different searches, where the grader finds no answer either."""
    said = "资料中没有提到羽毛是什么颜色。"
    one = rig(said, grader=ScriptedGrader([verdict(SHALLOW, refusal_ok=True)]), searches=searches)
    result = await one.ask("羽毛是什么颜色？", max_attempts=1)
    assert (result["status"], result["answer"], result["passed"]) == ("not_found", said, passed)
    assert result["grade"]["fail_reason"] == ("" if passed else "searches=1 < 2")


async def test_a_wrong_refusal_fails() -> None:
    """LOP-15: the evidence answers; the next attempt is told so."""
    grader = ScriptedGrader([verdict(SHALLOW, refusal_ok=False), verdict()])
    one = rig("资料中没有提到古名怎么来的。", "苦练三年，终于获得了古名[E1]。", grader=grader, searches=2)
    result = await one.ask()
    assert [one["fail_reason"] for one in result["attempts"]] == ["refusal=wrong", ""]
    assert (result["status"], result["passed"]) == ("answer", True)


@pytest.mark.parametrize(
    ("question", "draft", "status"),
    [
        ("你能做什么？", "我可以回答关于这本书的问题。", "chat"),
        ("Who are you?", "I am an assistant for stories.", "chat"),
        ("你是怎么找到答案的？", "我先在书里检索，再根据找到的段落回答。", "chat"),
        ("你的资料是从哪里来的？", "来自您导入的书。", "chat"),
        ("How do you find the answers?", "I search the book first.", "chat"),
        ("他是谁？", "您问的是卡齐娜还是恰斯卡？", "clarify"),
        ("Who is he?", "Which of the two do you mean?", "clarify"),
    ],
)
async def test_what_needs_no_tools(question: str, draft: str, status: str) -> None:
    """LOP-15 S003-D03: a question back, and words about the assistant, are neither graded nor failed."""
    one = Rig(planner=ScriptedPlanner([says(draft)]))
    result = await one.ask(question)
    assert (result["status"], result["answer"], result["grade"], len(result["attempts"])) == (status, draft, None, 1)
    assert one.grader.history == []


async def test_a_question_at_the_end_is_no_question_back() -> None:
    """S003-D03: what states something without a look-up still fails."""
    one = Rig(planner=ScriptedPlanner([says("卡齐娜来自回声之子。")]), refiner=ScriptedRefiner([None]))
    result = await one.ask(max_attempts=1)
    assert result["status"] != "chat" and result["passed"] is not True


async def test_the_transcript_of_a_thread_holds_no_draft() -> None:
    """S003-D09 PLA-13: what an attempt keeps is gone when the turn is over."""
    one = rig("浅[E1]。", "她获得了古名[E1]。", grader=ScriptedGrader([verdict(SHALLOW), verdict()]))
    await one.ask()
    assert unpack((await one.state())["transcript"]) == []


TABLE = "| 姓名 | 身份与经历 |\n|---|---|\n"


@pytest.mark.parametrize(
    ("draft", "left", "notes"),
    [
        (f"{TABLE}| 卡齐娜 | 苦练三年 [E1] |", f"{TABLE}| 卡齐娜 | 苦练三年 [E1] |", []),
        (f"{TABLE}| 卡齐娜 | 苦练三年 | [E1]", f"{TABLE}| 卡齐娜 | 苦练三年 [E1] |", []),
        ("## 卡齐娜的经历与结局\n\n她苦练三年[E1]。", "## 卡齐娜的经历与结局\n\n她苦练三年[E1]。", []),
        ("## 人物与结局\n\n卡齐娜获得了古名[E1]。", "## 人物与结局\n\n卡齐娜获得了古名[E1]。", []),
        ("##人物与结局\n卡齐娜获得了古名[E1]。", "##人物与结局\n卡齐娜获得了古名[E1]。", []),
        ("**主要经过：**\n1. 卡齐娜获得了古名[E1]。", "**主要经过：**\n1. 卡齐娜获得了古名[E1]。", []),
        (
            "卡齐娜获得了古名[E1]。\n\n---\n\n恰斯卡送羽毛[E1]。",
            "卡齐娜获得了古名[E1]。\n\n---\n\n恰斯卡送羽毛[E1]。",
            [],
        ),
        (
            "卡齐娜获得了古名[E1]。\n\n**她在海底开了一家当铺。**",
            "卡齐娜获得了古名[E1]。",
            [("dropped", "unsupported")],
        ),
        (
            "卡齐娜获得了古名[E1]。\n\n## 结局\n\n她在海底开了一家当铺。",
            "卡齐娜获得了古名[E1]。",
            [("dropped", "unsupported")],
        ),
        (
            "## 她在海底开当铺发财的故事\n\n卡齐娜获得了古名[E1]。",
            "## 她在海底开当铺发财的故事\n\n卡齐娜获得了古名[E1]。",
            [("flagged", "unmarked")],
        ),
    ],
)
def test_what_only_names_what_follows_is_no_claim(draft: str, left: str, notes: list[tuple[str, str]]) -> None:
    """LOP-14: headings, bold lines, heads and rules of tables; a sentence is one however it is set, or a long one."""
    assert checked(draft) == (left, notes)
