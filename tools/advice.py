"""What the narrative tools say when nothing was found: never after a failure (LOP-05)."""

from tools.base import ToolResult
from tools.formatting import NOTHING_FOUND
from tools.names import Resolved, echo, report

SEARCH_MEMORY_ADVICE = "建议使用 search_memory 搜索故事原文。"


def unknown_entity(entity: Resolved) -> ToolResult:
    """Say that the graph has no such entity."""
    text = f"未找到实体: {echo(entity.given)}。{SEARCH_MEMORY_ADVICE}"
    return ToolResult(data={"entity": entity.name, "found": False}, text=text)


def nothing(advice: str) -> str:
    """Return the text of an empty result with what to try next."""
    return f"{NOTHING_FOUND}。{advice}"


def joined(*lines: str) -> str:
    """Join the lines that say something."""
    return "\n".join(line for line in lines if line)


def headed(resolved: list[Resolved], *lines: str) -> str:
    """Join lines behind the report of resolved names."""
    return joined(report(resolved), *lines)
