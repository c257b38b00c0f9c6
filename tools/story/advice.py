"""Messages of the narrative tools when nothing was found; never after a failure."""

from tools.base import ToolResult
from tools.formatting import NOTHING_FOUND
from tools.story.names import Resolved, echo, report
from tools.wording import Words

SEARCH_MEMORY_ADVICE = Words("建议使用 search_memory 搜索故事原文。", "Try search_memory on the story's text.")
UNKNOWN_ENTITY = Words("未找到实体: {name}", "There is no entity {name}")
AND_THEN = Words("{fact}。{advice}", "{fact}. {advice}")


def unknown_entity(entity: Resolved) -> ToolResult:
    """Return the result for an entity that the graph does not have."""
    text = AND_THEN.say(fact=UNKNOWN_ENTITY.say(name=echo(entity.given)), advice=SEARCH_MEMORY_ADVICE.say())
    return ToolResult(data={"entity": entity.name, "found": False}, text=text)


def nothing(advice: Words) -> str:
    """Return the text of an empty result with what to try next."""
    return AND_THEN.say(fact=NOTHING_FOUND.say(), advice=advice.say())


def joined(*lines: str) -> str:
    """Join the lines that are not empty."""
    return "\n".join(line for line in lines if line)


def headed(resolved: list[Resolved], *lines: str) -> str:
    """Join lines after the report of resolved names."""
    return joined(report(resolved), *lines)
