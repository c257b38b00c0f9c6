"""What is taken out of plain data when a memory is forgotten."""

from typing import Any

import pytest
from langchain_core.messages import AIMessage, HumanMessage

from tests.unit.memories.desk import NOON
from tools.memory.records import Memory
from wenmai.memories.forgetting import Quotes

TEXT = '生产库用 PostgreSQL 15，端口 5433；密码放在"保险柜"里。\n每晚两点备份到杭州机房'
KEY = "3f0c0d7e-2f8e-4a53-9a0a-6f5f3a3c9d10"


def quotes(content: str = TEXT, key: str = KEY, summary: str | None = "生产库配置") -> Any:
    return Quotes((Memory(memory_key=key, user_id="甲", content=content, summary=summary, created_at=NOON),))


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        (TEXT, "[已删除]"),
        (f"你说过：{TEXT}。", "你说过：[已删除]。"),
        ("要点：每晚两点备份到杭州机房（共两条）", "要点：[已删除]（共两条）"),
        ("生产库用 PostgreSQL 15，端口 54...", "[已删除]..."),
        ("摘要是生产库配置。", "摘要是[已删除]。"),
        (f"见 {KEY}", "见 [已删除]"),
        ("杭州机房在哪里？", "杭州机房在哪里？"),
        ("数据库用 PostgreSQL", "数据库用 PostgreSQL"),
        ("", ""),
    ],
)
def test_quotes_of_a_text(text: str, clean: str) -> None:
    """MEM-04: whole texts, long runs and the key go; a few words that anybody may say stay."""
    assert quotes().without_quotes(text) == clean


def test_a_text_inside_json() -> None:
    """MEM-04: a tool's result is JSON in a string: the escaped form goes too."""
    result = '{"content": "' + TEXT.replace('"', '\\"').replace("\n", "\\n") + '"}'
    assert quotes().without_quotes(result) == '{"content": "[已删除]"}'


def test_evidence_rows_go_whole() -> None:
    """MEM-04: a piece of evidence and a memory of a recall are dropped, what cites it loses its quote."""
    passage = {"id": KEY, "kind": "passage", "text": "原文"}
    state = {
        "evidence": [{"id": KEY, "kind": "memory", "text": "任意"}, {"id": "别的", "kind": "memory"}, passage],
        "memories": [{"memory_key": KEY, "content": "任意"}, {"memory_key": "别的"}],
        "citations": [{"n": 1, "evidence": KEY, "quote": "任意", "location": "某处"}, {"n": 2, "evidence": "别的"}],
        "count": 3,
    }
    assert quotes().without(state) == {
        "evidence": [{"id": "别的", "kind": "memory"}, passage | {"id": "[已删除]"}],
        "memories": [{"memory_key": "别的"}],
        "citations": [
            {"n": 1, "evidence": "[已删除]", "quote": "[已删除]", "location": "[已删除]"},
            {"n": 2, "evidence": "别的"},
        ],
        "count": 3,
    }


def test_messages_are_copied_and_the_rest_is_the_same() -> None:
    """MEM-04: what holds no quote is the very same object, so that only changed rows are written."""
    said = AIMessage(content=f"之前说：{TEXT}", id="m1")
    clean = quotes().without(said)
    assert (clean.content, clean.id, type(clean)) == ("之前说：[已删除]", "m1", AIMessage)
    assert str(said.content).endswith("机房")
    other = {"messages": [HumanMessage(content="你好")], "n": [1, 2.5, None, True]}
    assert quotes().without(other) is other


def test_short_memories_and_keys() -> None:
    """MEM-04: a short text goes where it stands whole; a short key only where it stands alone."""
    short = quotes("怕辣", key="k1", summary=None)
    assert short.without(["他怕辣", "k1", "k12", "怕"]) == ["他[已删除]", "[已删除]", "k12", "怕"]
