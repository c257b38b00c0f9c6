"""Messages of the narrative tools when nothing was found; never after a failure."""

from tools.base import ToolResult
from tools.messages import Message, say
from tools.story.names import Resolved, echo, report


def unknown_entity(entity: Resolved) -> ToolResult:
    """Return the result for an entity that the graph does not have."""
    text = say(
        "story.fact_and_advice",
        fact=say("story.unknown_entity", name=echo(entity.given)),
        advice=say("story.try_search_memory"),
    )
    return ToolResult(data={"entity": entity.name, "found": False}, text=text)


def nothing(advice: Message) -> str:
    """Return the text of an empty result with what to try next."""
    return say("story.fact_and_advice", fact=say("evidence.nothing_found"), advice=str(advice))


def joined(*lines: str) -> str:
    """Join the lines that are not empty."""
    return "\n".join(line for line in lines if line)


def headed(resolved: list[Resolved], *lines: str) -> str:
    """Join lines after the report of resolved names."""
    return joined(report(resolved), *lines)
