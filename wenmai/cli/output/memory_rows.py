"""How memories look on a terminal."""

import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tools.wording import Names, Words

if TYPE_CHECKING:
    from rich.table import Table

    from wenmai.application.models.memories import FoundPage, FoundView, MemoryView

FOUND = Words("共找到 {total} 条，显示 {shown} 条", "{total} found, {shown} shown")
METADATA = Words("  附加信息：{data}", "  further: {data}")
KEYWORDS = Words("  关键词：{words}", "  keywords: {words}")
SUMMARY = Words("  摘要：{summary}", "  summary: {summary}")
HEAD = Words("{key}（{kind}，{date}{until}{newer}）", "{key} ({kind}, {date}{until}{newer})")
NEWER = Words("，已被 {key} 取代", ", superseded by {key}")
UNTIL = Words("，有效至 {date}", ", valid until {date}")
PREVIEW = 60
HIDDEN = Words("[敏感记忆]", "[sensitive memory]")
NOTHING_FOUND = Words("未找到相关记忆", "No memory was found")
TITLES = Words("键,类型,日期,内容", "key,type,date,content")
RELEVANCE = Words("相关度", "relevance")


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


def shown_row(memory: "MemoryView", sensitive: bool) -> tuple[str, str, str, str]:
    """Return key, type, date and the beginning of a memory; of a sensitive one no text."""
    text = " ".join((memory.summary or memory.content).split())
    hidden = memory.is_sensitive and not sensitive
    preview = HIDDEN.say() if hidden else text[:PREVIEW] + ("..." if len(text) > PREVIEW else "")
    return memory.key, memory.type, memory.created_at.isoformat(timespec="minutes"), preview


def json_row(found: "FoundView", sensitive: bool) -> dict[str, Any]:
    """Return a found memory as plain data; of a sensitive one no text."""
    memory = found.memory
    hidden = memory.is_sensitive and not sensitive
    return {
        "memory_key": memory.key,
        "relevance_score": round(found.relevance, 4),
        "memory_type": memory.type,
        "created_at": memory.created_at.isoformat(),
        "summary": HIDDEN.say() if hidden else memory.summary or "",
        "content": "" if hidden else memory.content,
    }


def lines_of(memory: "MemoryView") -> list[str]:
    """Return a memory line by line, with both dates of a superseded one."""
    until = UNTIL.say(date=memory.valid_until.isoformat()) if memory.valid_until else ""
    newer = NEWER.say(key=memory.superseded_by) if memory.superseded_by else ""
    words = str(Names(memory.keywords))
    metadata: Mapping[str, Any] = memory.metadata | ({"sensitive": True} if memory.is_sensitive else {})
    return [
        HEAD.say(key=memory.key, kind=memory.type, date=memory.created_at.isoformat(), until=until, newer=newer),
        *([SUMMARY.say(summary=memory.summary)] if memory.summary else []),
        f"  {memory.content}",
        *([KEYWORDS.say(words=words)] if words else []),
        *([METADATA.say(data=json.dumps(dict(metadata), ensure_ascii=False))] if metadata else []),
    ]


def show_list(rows: "Sequence[MemoryView]", sensitive: bool) -> None:
    """Print memories as a table."""
    print_table(table(tuple(TITLES.say().split(",")), (shown_row(row, sensitive) for row in rows)))


def show_found(found: "FoundPage", sensitive: bool, as_json: bool) -> None:
    """Print what a search found, as a table or as JSON."""
    if as_json:
        for one in found.items:
            sys.stdout.write(json.dumps(json_row(one, sensitive), ensure_ascii=False) + "\n")
        return
    if not found.items:
        print_line(NOTHING_FOUND.say())
        return
    rows = ((f"{one.relevance:.2f}", *shown_row(one.memory, sensitive)) for one in found.items)
    print_table(table((RELEVANCE.say(), *TITLES.say().split(",")), rows))
    print_line(FOUND.say(total=found.total, shown=len(found.items)))
