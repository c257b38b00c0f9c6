"""How memories look on a terminal."""

import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.table import Table

    from tools.memory.records import FoundMemories, FoundMemory, Memory

PREVIEW = 60
HIDDEN = "[敏感记忆]"
NOTHING_FOUND = "未找到相关记忆"


def print_line(text: str) -> None:
    """Print a line."""
    from wenmai.cli.output.terminal import Line, out, say

    say(out(), Line(text))


def print_table(rows: "Table") -> None:
    """Print a table."""
    from wenmai.cli.output.terminal import out

    out().print(rows)


def table(titles: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> "Table":
    """Return a table of texts; nothing in them is markup."""
    from rich.table import Table
    from rich.text import Text

    from wenmai.cli.output.terminal import visible

    drawn = Table(*titles)
    for row in rows:
        drawn.add_row(*(Text(visible(cell)) for cell in row))
    return drawn


def shown_row(memory: "Memory", sensitive: bool) -> tuple[str, str, str, str]:
    """Return key, type, date and the beginning of a memory; of a sensitive one no text."""
    text = " ".join((memory.summary or memory.content).split())
    hidden = memory.sensitive and not sensitive
    preview = HIDDEN if hidden else text[:PREVIEW] + ("..." if len(text) > PREVIEW else "")
    return memory.memory_key, memory.memory_type, memory.created_at.isoformat(timespec="minutes"), preview


def json_row(found: "FoundMemory", sensitive: bool) -> dict[str, Any]:
    """Return a found memory as plain data; of a sensitive one no text."""
    memory = found.memory
    hidden = memory.sensitive and not sensitive
    return {
        "memory_key": memory.memory_key,
        "relevance_score": round(found.relevance, 4),
        "memory_type": memory.memory_type,
        "created_at": memory.created_at.isoformat(),
        "summary": HIDDEN if hidden else memory.summary or "",
        "content": "" if hidden else memory.content,
    }


def lines_of(memory: "Memory") -> list[str]:
    """Return a memory line by line, with both dates of a superseded one."""
    until = f"，有效至 {memory.valid_until.isoformat()}" if memory.valid_until else ""
    newer = f"，已被 {memory.superseded_by} 取代" if memory.superseded_by else ""
    words = "、".join(one.keyword for one in memory.keywords)
    metadata: Mapping[str, Any] = memory.content_metadata
    return [
        f"{memory.memory_key}（{memory.memory_type}，{memory.created_at.isoformat()}{until}{newer}）",
        *([f"  摘要：{memory.summary}"] if memory.summary else []),
        f"  {memory.content}",
        *([f"  关键词：{words}"] if words else []),
        *([f"  附加信息：{json.dumps(dict(metadata), ensure_ascii=False)}"] if metadata else []),
    ]


def show_list(rows: "Sequence[Memory]", sensitive: bool) -> None:
    """Print memories as a table."""
    print_table(table(("键", "类型", "日期", "内容"), (shown_row(row, sensitive) for row in rows)))


def show_found(found: "FoundMemories", sensitive: bool, as_json: bool) -> None:
    """Print what a search found, as a table or as JSON."""
    if as_json:
        for one in found.found:
            sys.stdout.write(json.dumps(json_row(one, sensitive), ensure_ascii=False) + "\n")
        return
    if not found.found:
        print_line(NOTHING_FOUND)
        return
    rows = ((f"{one.relevance:.2f}", *shown_row(one.memory, sensitive)) for one in found.found)
    print_table(table(("相关度", "键", "类型", "日期", "内容"), rows))
    print_line(f"共找到 {found.total} 条，显示 {len(found.found)} 条")
