"""The lines that the command line prints of a verdict, and of a trace's."""

from datetime import datetime
from typing import Any, Literal

import pytest

from nodes.confidence import FAIR, HIGH
from state.context import Language
from state.events import ToolEndEvent, ToolStartEvent
from tools.messages import say, speaking
from wenmai.answer import Event, TurnEvent
from wenmai.cli.commands.ask import is_apology
from wenmai.cli.output.answers import (
    answer_lines,
    attempt_lines,
    conclusion,
    confidence_text,
    grade_lines,
    offline_line,
    step,
    verdict,
)

GRADE: dict[str, Any] = {"score": 92, "scores": {"depth": 18}, "passed": True, "fail_reason": "", "suggestion": ""}
FAILED = GRADE | {"score": 60, "passed": False, "fail_reason": "score=60 < 70"}


def record(**changed: Any) -> dict[str, Any]:
    """Return a result record with what is printed."""
    fields: dict[str, Any] = {
        "question": "石敢多大？",
        "resolved_question": "石敢多大？",
        "language": "zh",
        "answer": "四十六岁。",
        "status": "answer",
        "confidence": None,
        "grade": GRADE,
        "attempt": 1,
        "tool_calls": [{}, {}],
        "citations": [],
        "as_of": None,
        "notes": [],
        "remembered": [],
        "usage": {},
        "degraded": False,
        "warning": None,
    }
    return fields | changed


def test_what_a_question_may_mean_is_listed_once() -> None:
    """S000-D10."""
    both = [{"entity": name, "question": f"{name}多大？"} for name in ("石敢", "沈砚秋", "石敢")]
    lines = [line.text for line in answer_lines(record(candidates=both))]
    assert any("石敢" in line and "沈砚秋" in line and line.count("石敢") == 1 for line in lines)


@pytest.mark.parametrize(
    ("confidence", "word"), [(1.0, "high"), (HIGH, "high"), (0.749, "fair"), (FAIR, "fair"), (0.499, "low"), (0, "low")]
)
def test_the_bounds_of_the_words(confidence: float, word: str) -> None:
    """LOP-12: a bound belongs to the word above it."""
    assert say(f"cli.answer.confidence_{word}") in confidence_text(confidence, "zh")


@pytest.mark.parametrize(
    ("changed", "line"),
    [
        ({}, "评分 92/100，通过（第 1 次尝试，2 次调用）"),
        (
            {"notes": [{"action": "flagged", "reason": "unsupported", "text": "他会飞。", "evidence": []}]},
            "评分 92/100，但有 1 句未能核实（第 1 次尝试，2 次调用）",
        ),
        ({"confidence": 0.83}, "可信度 高（0.83），评分 92/100，通过（第 1 次尝试，2 次调用）"),
        (
            {"confidence": 0.5, "grade": FAILED},
            "可信度 中（0.50），评分 60/100，未通过：score=60 < 70（第 1 次尝试，2 次调用）",
        ),
        ({"grade": None, "status": "chat"}, "未评分（第 1 次尝试，2 次调用）"),
        ({"grade": FAILED | {"failed": ["ungraded"]}}, "未评分（第 1 次尝试，2 次调用）"),
        ({"grade": None, "status": "not_found"}, "没有找到答案（第 1 次尝试，2 次调用）"),
        (
            {"grade": None, "status": "not_found", "confidence": 0.2},
            "可信度 低（0.20），没有找到答案（第 1 次尝试，2 次调用）",
        ),
    ],
)
def test_the_verdict_in_chinese(changed: dict[str, Any], line: str) -> None:
    """LOP-12: how sure comes first, the grade behind it; a refusal has no points."""
    assert verdict(record(**changed)).text == line
    assert line in [one.text for one in answer_lines(record(**changed))]


@pytest.mark.parametrize(
    ("changed", "line"),
    [
        ({"confidence": 0.83}, "Confidence high (0.83). Score 92/100, passed (attempt 1, 2 calls)"),
        ({"grade": None, "status": "not_found"}, "No answer was found (attempt 1, 2 calls)"),
    ],
)
def test_the_verdict_in_english(changed: dict[str, Any], line: str) -> None:
    """LOP-12: in the language of the question, whatever brackets the answer quotes."""
    shown = record(question="How old is he?", answer="Forty-six: 「四十六」", language="en", **changed)
    assert verdict(shown).text == line


def test_a_trace_shows_the_confidence_where_it_has_one() -> None:
    """LOP-12: traces of earlier versions have neither confidence nor outcome."""
    assert [line.text for line in grade_lines(GRADE)] == ["   评分 92/100，通过：depth=18"]
    assert [line.text for line in grade_lines(GRADE | {"confidence": 0.83})] == [
        "   可信度 高（0.83），评分 92/100，通过：depth=18"
    ]
    assert conclusion({"passed": True}) == "，通过"
    assert conclusion({"passed": True, "confidence": 0.6, "outcome": "answer"}) == "，可信度 中（0.60），通过"
    assert conclusion({"passed": None, "confidence": None, "outcome": "not_found"}) == "，没有找到答案"
    assert confidence_text(None, "zh") == ""


def test_labels_follow_the_question() -> None:
    """Not the book, whose Chinese sentences answer an English question."""
    cited = {"n": 1, "label": "夜宵店, Chapter 3", "quote": "他走了。"}
    shown = record(question="Who left?", language="en", answer="他走了。[1]", citations=[cited])
    lines = [line.text for line in answer_lines(shown)]
    assert lines[-2:] == ['[1] 夜宵店, Chapter 3: "他走了。"', "Score 92/100, passed (attempt 1, 2 calls)"]


@pytest.mark.parametrize("language", ["zh", "en"])
def test_the_footer_says_whether_anything_read_the_text(language: Language) -> None:
    shown = record(mind="offline", language=language)
    (read,) = offline_line(shown)
    (picked,) = offline_line(shown | {"extract": True})
    assert read.text != picked.text and ("阅读模型" in read.text or "reading model" in read.text)
    assert "也没有阅读模型" in picked.text or "nothing checked" in picked.text


def shown_event(data: ToolStartEvent | ToolEndEvent) -> TurnEvent:
    event: Event[Literal["tool"], ToolStartEvent | ToolEndEvent] = Event(kind="tool", data=data)
    return event


@pytest.mark.parametrize(
    ("language", "tool", "args", "shown"),
    [
        ("zh", "search_memory", {"query": "古名"}, '  [轮 2] search_memory("古名") → 3 条'),
        ("en", "search_memory", {"query": "古名"}, '  [Turn 2] search_memory("古名") → 3 results'),
        (
            "zh",
            "track_entity",
            {"entity": "恰斯卡", "chapter_range": [1, 10], "part": None},
            '  [轮 2] track_entity("恰斯卡", chapter_range=[1, 10]) → 3 条',
        ),
        ("zh", "list_documents", {}, "  [轮 2] list_documents() → 3 条"),
        ("en", "stop", {"reason": "sufficient"}, "  [Turn 2] search stopped (sufficient)"),
    ],
)
def test_a_step_shows_its_round_and_the_arguments_of_the_call(
    language: Language, tool: str, args: dict[str, Any], shown: str
) -> None:
    """S000-29: as a program writes the call, in the language of the question."""
    started: dict[int, ToolStartEvent] = {}
    begins = ToolStartEvent(event="tool_start", call=1, round=2, tool=tool, args=args)
    ends = ToolEndEvent(event="tool_end", call=1, tool=tool, ok=True, items=3)
    with speaking(language):
        assert step(shown_event(begins), started) is None
        assert step(shown_event(ends), started) == shown


def test_a_stop_is_shown_behind_the_calls_beside_it() -> None:
    """S000-29: it is answered at once, before they are."""
    started: dict[int, ToolStartEvent] = {}
    for number, tool in ((1, "track_entity"), (2, "stop")):
        begins = ToolStartEvent(event="tool_start", call=number, round=1, tool=tool, args={"reason": "sufficient"})
        assert step(shown_event(begins), started) is None
    ends = [ToolEndEvent(event="tool_end", call=at, tool=one, ok=True, items=1) for at, one in ((2, "stop"), (1, ""))]
    with speaking("zh"):
        shown = [step(shown_event(one), started) for one in ends]
    assert (
        shown == [None, '  [轮 1] track_entity("sufficient") → 1 条\n  [轮 1] 停止检索（sufficient）'] and not started
    )


@pytest.mark.parametrize(
    ("more", "line"),
    [
        ({"refused": True}, "   没有找到答案"),
        ({"refused": False}, "   评分 60/100，未通过：depth=18"),
        ({}, "   评分 60/100，未通过：depth=18"),
    ],
)
def test_a_trace_shows_no_points_of_a_refusal(more: dict[str, Any], line: str) -> None:
    """LOP-12: in each of its attempts; traces of earlier versions do not say which refused."""
    now = "2026-01-30T21:10:13+00:00"
    attempt = {
        "attempt": 1,
        "limit": 3,
        "duration_ms": 7,
        "started_at": now,
        "reasoning": {"thoughts": []},
        "tool_calls": [],
        "stop_reason": None,
        "grading": {"output": FAILED},
        "refiner": {"queries": []},
    }
    lines = [one.text for one in attempt_lines(attempt | more, datetime.fromisoformat(now))]
    assert line in lines and any("评分" in one for one in lines) is not more.get("refused", False)


@pytest.mark.parametrize(
    ("status", "is_failure"),
    [("answer", False), ("not_found", False), ("clarify", False), ("chat", False), ("failed", True)],
)
def test_only_an_apology_ends_with_a_failure(status: str, is_failure: bool) -> None:
    """LOP-12: that nothing was found is an answer."""
    assert is_apology(record(status=status)) is is_failure


def noted(action: str, reason: str = "unsupported", text: str = "她住在月亮上。") -> dict[str, Any]:
    """Return a note of the check by code."""
    return {"action": action, "reason": reason, "text": text, "evidence": ["p2"]}


@pytest.mark.parametrize(
    ("notes", "line"),
    [
        ([noted("dropped"), noted("dropped")], "核对：删去 2 句没有依据的话"),
        ([noted("moved"), noted("flagged")], "核对：更正 1 处出处；1 句未能核实：“她住在月亮上。”（没有依据）"),
        ([noted("flagged", "answered")], "核对：资料里似乎有答案（p2）"),
    ],
)
def test_what_the_check_did_is_one_line(notes: list[dict[str, Any]], line: str) -> None:
    """LOP-14: before the verdict, so that nobody reads a pass first; nothing where nothing was changed."""
    lines = [one.text for one in answer_lines(record(notes=notes))]
    assert lines[1] == line and not any(text.startswith("核对") for text in (o.text for o in answer_lines(record())))
