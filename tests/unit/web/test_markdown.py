"""A thread as a text for people."""

from datetime import UTC, datetime

import pytest
from markdown_it import MarkdownIt

from state.draft import Note
from wenmai.application.conversations import KeptTurn, ThreadExport
from wenmai.web.routes.conversations import markdown, without_active_parts


def test_it_lists_what_is_doubtful() -> None:
    """LOP-14: below the turn, whole and with its reason."""
    note: Note = {"action": "flagged", "reason": "number", "text": "他九十岁。", "evidence": []}
    turn = KeptTurn(question="他几岁？", answer="他九十岁[1]。[存疑]", language="zh", notes=[note])
    now = datetime(2026, 1, 30, tzinfo=UTC)
    thread = ThreadExport(id="t", title="他", library=None, created_at=now, updated_at=now, turns=[turn])
    assert markdown(thread).endswith("他九十岁[1]。[存疑]\n\n> 核对：1 句未能核实：“他九十岁。”（数字与资料不符）\n")


@pytest.mark.parametrize(
    "text",
    [
        "[点我](javascript:alert(1))",
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


def test_links_to_the_web_stay() -> None:
    kept = "见 [1]，[网页](https://example.org/a)、[信](mailto:a@example.org)；3 < 5：[甲]：乙"
    assert without_active_parts(kept) == kept
