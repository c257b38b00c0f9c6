"""A thread as a text for people."""

from datetime import UTC, datetime
from typing import Any

import pytest
from markdown_it import MarkdownIt

from state.draft import Note
from state.result import Citation
from wenmai.application.conversations import KeptTurn, ThreadExport
from wenmai.application.transcripts import markdown_of, split_whole, verdict_word, without_active_parts

FLAGGED: Note = {"action": "flagged", "reason": "number", "text": "他九十岁。", "evidence": []}


def test_it_lists_what_is_doubtful() -> None:
    """LOP-14: below the turn, whole and with its reason."""
    turn = KeptTurn(question="他几岁？", answer="他九十岁[1]。[存疑]", language="zh", notes=[FLAGGED])
    now = datetime(2026, 1, 30, tzinfo=UTC)
    thread = ThreadExport(id="t", title="他", library=None, created_at=now, updated_at=now, turns=[turn])
    assert markdown_of(thread).endswith("他九十岁[1]。[存疑]\n\n> 核对：1 句未能核实：“他九十岁。”（数字与资料不符）\n")


def test_each_answer_says_what_it_rests_on_and_how_sure_it_is() -> None:
    """PLA-133: in the language of the answer, with title and part, as what it was understood, guard and date."""
    place = {"source": "s", "part": 2, "chapter": 1, "title": "潮生", "start": 0, "end": 4, "location": None}
    cited: Citation = {"n": 1, "label": "《雾港》第二部 第一章 潮生", "evidence": "e", "quote": "守塔人", **place}  # type: ignore[typeddict-item]
    zh = KeptTurn(
        question="他呢？",
        resolved_question="苏晚亭呢？",
        answer="# 其人\n\n守塔人[1]。",
        language="zh",
        status="answer",
        confidence=0.86,
        citations=[cited],
        as_of={"part": 2, "chapter": 1},
        answered_at="2026-01-30T12:03:00+00:00",
    )
    en = KeptTurn(question="Who?", answer="Nobody.", language="en", status="not_found", confidence=0.7)
    now = datetime(2026, 1, 30, tzinfo=UTC)
    thread = ThreadExport(id="t", title="雾港", library=None, created_at=now, updated_at=now, turns=[zh, en])
    assert markdown_of(thread).split("\n\n") == [
        "# 雾港",
        "## 他呢？",
        "> 理解为：苏晚亭呢？",
        "### 其人",
        "守塔人[1]。",
        "> [1] 《雾港》第二部 第一章 潮生：「守塔人」",
        "> 可信度高 86% · 防剧透：内容截至第 2 部第 1 章 · 2026-01-30 12:03 UTC",
        "## Who?",
        "Nobody.",
        "> Not found 70%\n",
    ]


def test_code_in_an_answer_has_no_headings() -> None:
    """PLA-133: its lines stay as they are, to the end of their fence."""
    code = "```py\n# one\n```\n~~~\n## two\n```\n~~~"
    turn = KeptTurn(question="?", answer=f"# A\n{code}\n# B", language="en")
    now = datetime(2026, 1, 30, tzinfo=UTC)
    thread = ThreadExport(id="t", title="T", library=None, created_at=now, updated_at=now, turns=[turn])
    assert f"### A\n{code}\n### B" in markdown_of(thread)


@pytest.mark.parametrize(
    ("turn", "word"),
    [
        ({"passed": False, "confidence": 0.7}, "unverified"),
        ({"passed": True, "confidence": 0.4}, "low"),
        ({"passed": True, "confidence": 0.6}, "fair"),
        ({"passed": True, "confidence": 0.9, "notes": [FLAGGED]}, "partly"),
        ({"passed": True}, "checked"),
        ({}, "ungraded"),
        ({"status": "not_found", "passed": True}, "not_found"),
    ],
)
def test_what_did_not_pass_is_not_called_sure(turn: dict[str, Any], word: str) -> None:
    """PLA-133: the words are those of the page."""
    assert verdict_word(KeptTurn.model_validate({"question": "?", "answer": "!", "status": "answer", **turn})) == word


@pytest.mark.parametrize(
    "text",
    [
        "[点我](javascript:alert(1))",
        "[点我](https://evil.example/)",
        "![图](<https://evil.example/a.png>)",
        '![图](https://evil.example/a_(1).png "题")',
        "![图][1]\n\n[1]: https://evil.example/a.png",
        "[1]\n\n> [1]: https://evil.example/",
        "![图][a\nb]\n\n[a\nb]: https://evil.example/a.png",
        "<https://evil.example/>",
        "[点我]( <JavaScript:alert(1)>)",
        "![图](data:text/html;base64,PHNjcmlwdD4=)",
        "[点我](&#106;avascript:alert(1))",
        "[点我]\n\n[点我]: vbscript:x",
        "<javascript:alert(1)>",
        "<a href='javascript:alert(1)'>点我</a>",
        "<script>alert(1)</script>",
        r"\<img src=x onerror=alert(1)>",
    ],
)
def test_what_a_text_quotes_is_no_link_that_runs(text: str) -> None:
    """PLA-72: as a reader of Markdown shows it, there is neither a link nor an element."""
    reader = MarkdownIt("commonmark")
    reader.validateLink = lambda url: True  # type: ignore[method-assign]  # as one that looks at no address
    html = reader.render(without_active_parts(text))
    assert "href" not in html.replace("&lt;a href", "") and "<img" not in html and "<script" not in html, html
    held = shown = ""
    for sign in text:  # as a stream tells it, in any pieces
        whole, held = split_whole(held + sign)
        shown += without_active_parts(whole)
    assert shown + without_active_parts(held) == without_active_parts(text)


def test_other_markup_of_an_answer_stays() -> None:
    """PLA-36: what a model writes to order its answer, and marks."""
    kept = "**见** [1][2]，3 < 5：[甲]：乙\n\n- 一\n\n| a | b |\n| - | - |"
    assert without_active_parts(kept) == kept
