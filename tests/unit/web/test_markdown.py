"""A thread as a text for people."""

from datetime import UTC, datetime

from state.draft import Note
from wenmai.application.conversations import KeptTurn, ThreadExport
from wenmai.web.routes.conversations import markdown


def test_it_lists_what_is_doubtful() -> None:
    """LOP-14: below the turn, whole and with its reason."""
    note: Note = {"action": "flagged", "reason": "number", "text": "他九十岁。", "evidence": []}
    turn = KeptTurn(question="他几岁？", answer="他九十岁[1]。[存疑]", language="zh", notes=[note])
    now = datetime(2026, 1, 30, tzinfo=UTC)
    thread = ThreadExport(id="t", title="他", library=None, created_at=now, updated_at=now, turns=[turn])
    assert markdown(thread).endswith("他九十岁[1]。[存疑]\n\n> 核对：1 句未能核实：“他九十岁。”（数字与资料不符）\n")
