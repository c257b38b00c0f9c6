"""The steps of a running question, a line each."""

from typing import TYPE_CHECKING, Any

from tools.formatting import shorten
from tools.wording import Words

if TYPE_CHECKING:
    from state.events import RecallEvent, ToolEndEvent, ToolStartEvent
    from wenmai.answer import TurnEvent

STOP = "stop"
STOPPED = Words("停止检索（{reason}）", "search stopped ({reason})")
FOUND = Words("{items} 条", "{items} rows")
FAILED = Words("失败", "failed")
SHOWN = 120
"""Characters of an argument."""
NODES = {
    "grade": Words("评分", "grading"),
    "refine": Words("改写检索词，再试一次", "new search words, once more"),
}
"""Nodes that a reader cares for: the other ones show in their calls or in the answer."""


def step(event: "TurnEvent", started: dict[int, dict[str, Any]]) -> str | None:
    """Return what to show of an event; `started` keeps the arguments of calls until they end."""
    if event.kind == "step":
        label = NODES.get(event.data["node"])
        return f"  · {label.say()}" if label else None
    if event.kind == "reset":
        return None if event.data["reason"] == "calls" else f"  · {event.data['text']}"
    if event.kind == "recall":
        return f"      · {outcome(event.data, event.data['args'])}"
    return call_line(event.data, started) if event.kind == "tool" else None


def call_line(data: "ToolStartEvent | ToolEndEvent", started: dict[int, dict[str, Any]]) -> str | None:
    """Return the line of a call that has ended."""
    if data["event"] == "tool_start":
        started[data["call"]] = data["args"]
        return None
    args = started.pop(data["call"], {})
    if data["tool"] == STOP:
        return f"  · {STOPPED.say(reason=args.get('reason'))}"
    return f"  · {outcome(data, args)}"


def outcome(data: "ToolEndEvent | RecallEvent", args: dict[str, Any]) -> str:
    """Return a call with what came of it."""
    found = FOUND.say(items=data["items"]) if data["ok"] else FAILED.say()
    return f"{data['tool']}({arguments(args)}) → {found}"


def arguments(args: dict[str, Any]) -> str:
    """Return the arguments of a call as it would be written."""
    return ", ".join(f"{name}={shorten(str(value), SHOWN)}" for name, value in args.items())
