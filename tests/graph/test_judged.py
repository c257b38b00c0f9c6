"""What a grader's verdict on single claims does to a draft: what goes, what is marked, when another attempt is made."""

from typing import Any

import pytest

from nodes.checking.judged import judged_draft
from nodes.citations import marked_text
from nodes.drafts import read_draft
from nodes.roles import JudgedClaim, Support
from tests.graph.rig import (
    GOOD,
    SHALLOW,
    Rig,
    ScriptedGrader,
    ScriptedPlanner,
    ScriptedTool,
    found,
    piece,
    says,
    search,
    verdict,
)
from tools.messages import say_in
from wenmai.cli.output.answers import answer_lines
from wenmai.web.openai.replies import footnotes

TEXT = "卡齐娜在火山脚下苦练三年，终于获得了自己的古名。恰斯卡送给她一枚羽毛。"
TRUE, FALSE = "卡齐娜终于获得了自己的古名[E1]。", "她送给恰斯卡一枚羽毛[E1]。"
ENGLISH = "Nora Vale kept the mill for nine years. Tom Reed never sold the bell."


def claim(text: str, supported: Support = "yes") -> JudgedClaim:
    """Return a grader's opinion of one claim."""
    return JudgedClaim(text, [1], supported)


def rig(*drafts: str, grader: ScriptedGrader, text: str = TEXT) -> Rig:
    """Return a graph whose model searches and writes, in every attempt."""
    turns = [turn for n, draft in enumerate(drafts) for turn in (search(f"{n}"), says(draft))]
    return Rig(planner=ScriptedPlanner(turns), grader=grader, tools=[ScriptedTool("search", [found(piece(text))])])


def actions(result: dict[str, Any]) -> list[tuple[str, str, str]]:
    """Return the notes of a result."""
    return [(note["action"], note["reason"], note["text"]) for note in result["notes"]]


async def test_what_the_grader_calls_contradicted_goes() -> None:
    """S003-15 LOP-28: deleted, no further attempt; what is left passes by its own claims."""
    claims = [claim("卡齐娜终于获得了自己的古名"), claim("她送给恰斯卡一枚羽毛", "contradicted")]
    one = rig(TRUE + FALSE, grader=ScriptedGrader([verdict(GOOD, claims=claims, hallucination_detected=True)]))
    result = await one.ask()
    assert (result["answer"], len(result["attempts"]), result["passed"]) == ("卡齐娜终于获得了自己的古名[1]。", 1, True)
    assert actions(result) == [("dropped", "contradicted", "她送给恰斯卡一枚羽毛。")]
    assert (result["grade"]["scores"]["evidence"], result["grade"]["hallucination_detected"]) == (20, True)


async def test_what_the_grader_and_the_code_doubt_goes() -> None:
    """S003-13 LOP-28: both see no support for it."""
    doubted = "没有人知道远处的钟楼[E1]。"
    claims = [claim("卡齐娜终于获得了自己的古名"), claim("没有人知道远处的钟楼", "no")]
    result = await rig(TRUE + doubted, grader=ScriptedGrader([verdict(GOOD, claims=claims)])).ask()
    assert (result["answer"], len(result["attempts"])) == ("卡齐娜终于获得了自己的古名[1]。", 1)
    assert actions(result) == [("dropped", "unsupported", "没有人知道远处的钟楼。")]


@pytest.mark.parametrize(
    ("text", "draft", "doubted", "answer"),
    [
        (TEXT, TRUE + FALSE, "她送给恰斯卡一枚羽毛", "卡齐娜终于获得了自己的古名[1]。她送给恰斯卡一枚羽毛[2]。[存疑]"),
        (
            ENGLISH,
            "Nora Vale kept the mill [E1]. Tom Reed never sold the bell [E1].",
            "Tom Reed never sold the bell",
            "Nora Vale kept the mill[1]. Tom Reed never sold the bell[2]. [unverified]",
        ),
    ],
)
async def test_what_the_grader_alone_doubts_is_marked(text: str, draft: str, doubted: str, answer: str) -> None:
    """S003-13 LOP-14: in the text at every door, whole and with its reason in the list; no further attempt."""
    claims = [claim(draft.partition("[")[0].strip()), claim(doubted, "no")]
    one = rig(draft, grader=ScriptedGrader([verdict(GOOD, claims=claims, suggestion="")]), text=text)
    question = "卡齐娜的古名怎么来的？" if text == TEXT else "Who kept the mill?"
    result = await one.ask(question)
    assert (result["answer"], len(result["attempts"])) == (answer, 1)
    [(action, reason, whole)] = actions(result)
    assert (action, reason, whole.rstrip("。.")) == ("flagged", "unsupported", doubted)
    assert result["grade"]["unsupported"] == [doubted]
    listed = f"{whole}” ({say_in('en', 'turn.fault_unsupported')})" if text == ENGLISH else f"{whole}”（没有依据）"
    assert listed in footnotes(result) and any(listed in line.text for line in answer_lines(result))


async def test_an_unanswered_part_opens_another_attempt() -> None:
    """S003-13: what is left does not answer a part of the question."""
    claims = [claim("卡齐娜终于获得了自己的古名"), claim("她送给恰斯卡一枚羽毛", "contradicted")]
    lacking = verdict(GOOD, claims=claims, unanswered=["谁送了羽毛"])
    one = rig(TRUE + FALSE, TRUE, grader=ScriptedGrader([lacking, verdict(GOOD, claims=claims[:1])]))
    result = await one.ask()
    assert [attempt["fail_reason"] for attempt in result["attempts"]] == ["unsupported=1", ""]
    assert "- 与资料相反: 她送给恰斯卡一枚羽毛。" in one.planner.history[2].transcript[-1].text


async def test_nothing_left_opens_another_attempt() -> None:
    """S003-13 S000-34: the first draft is refuted whole."""
    wrong = verdict(GOOD, claims=[claim("她送给恰斯卡一枚羽毛", "contradicted")])
    one = rig(FALSE, TRUE, grader=ScriptedGrader([wrong, verdict(GOOD, claims=[claim("卡齐娜终于获得了自己的古名")])]))
    result = await one.ask()
    assert (result["answer"], len(result["attempts"]), result["passed"]) == ("卡齐娜终于获得了自己的古名[1]。", 2, True)
    last = await rig(FALSE, grader=ScriptedGrader([wrong])).ask(max_attempts=1)
    assert (last["status"], last["answer"]) == ("not_found", "抱歉，未能找到相关信息。")


@pytest.mark.parametrize(
    ("draft", "wrong", "left"),
    [
        ("她苦练三年，后来当了国王[E1]。", "后来当了国王", "她苦练三年[E1]。"),
        ("她苦练三年[E1]，后来当了国王[E2]。", "她后来当了国王", "她苦练三年[E1]。"),
        ("她苦练三年，当了国王，获得了古名[E1]。", "她当了国王", "她苦练三年，获得了古名[E1]。"),
        ("她苦练三年，后来当了国王[E1]。", "她苦练三年", ""),
        ("她苦练三年，他说“好，再来”[E1]。", "再来", ""),
        ("Nora kept the mill, but Tom sold the bell [E1].", "Tom sold the bell", "Nora kept the mill [E1]."),
        ("It had 2,000 crowns in it [E1].", "It had 2,000 crowns in it", ""),
        ("- 她苦练三年[E1]\n- 她当了国王[E1]", "她当了国王", "- 她苦练三年[E1]"),
    ],
)
def test_half_a_sentence_goes(draft: str, wrong: str, left: str) -> None:
    """LOP-28: the clauses of a claim go alone, unless the first one, which says whom the others are about, is among
    them."""
    pieces = [piece(TEXT), piece(ENGLISH, 2)]
    found, _ = judged_draft(read_draft(draft, "谁？", pieces), [claim(wrong, "contradicted")], pieces)
    assert marked_text(found["sentences"], pieces) == left


async def test_a_claim_that_is_nowhere_in_the_draft_is_listed() -> None:
    """LOP-28: a grader's own words; contradicted, they fail the draft, since nothing can be deleted."""
    claims = [claim("卡齐娜终于获得了自己的古名"), claim("某人做了某事", "no")]
    result = await rig(TRUE, grader=ScriptedGrader([verdict(GOOD, claims=claims)])).ask(max_attempts=1)
    assert (result["passed"], actions(result)) == (True, [("flagged", "unsupported", "某人做了某事")])
    claims[1] = claim("某人做了某事", "contradicted")
    result = await rig(TRUE, grader=ScriptedGrader([verdict(GOOD, claims=claims)])).ask(max_attempts=1)
    assert (result["passed"], result["grade"]["scores"]["evidence"]) == (False, 0)


async def test_an_earlier_answer_is_better_than_nothing_left() -> None:
    """S003-D08 LOP-28: the second draft is refuted whole, the first one only lacks depth."""
    wrong = verdict(GOOD, claims=[claim("她送给恰斯卡一枚羽毛", "contradicted")])
    shallow = verdict(SHALLOW, claims=[claim("卡齐娜终于获得了自己的古名")])
    result = await rig(TRUE, FALSE, grader=ScriptedGrader([shallow, wrong])).ask(max_attempts=2)
    assert (result["answer"], result["attempt"], result["passed"]) == ("卡齐娜终于获得了自己的古名[1]。", 1, False)


def test_a_heading_is_no_claim_for_the_grader() -> None:
    """LOP-28: what a grader says of one changes nothing."""
    evidence = [piece(TEXT)]
    draft = read_draft(f"## 主要经过\n\n{TRUE}", "？", evidence)
    left, claims = judged_draft(draft, [claim("主要经过", "no"), claim("卡齐娜终于获得了自己的古名")], evidence)
    assert (left["sentences"], left["notes"]) == (draft["sentences"], []) and len(claims) == 1
