"""The events of a question's stream, as the document of the API describes them."""

from collections.abc import Mapping
from types import MappingProxyType

from typing_extensions import TypedDict  # pydantic reads typing's own only from Python 3.12 on

from state import events
from wenmai.answer import NodeEnd
from wenmai.web.rest.endpoints import StreamEvent
from wenmai.web.rest.problems import Problem


class ThreadEvent(TypedDict):
    """The thread, first: what is wrong with a question is a status, never a stream."""

    thread_id: str


def turn_events(answer: type) -> Mapping[str, StreamEvent]:
    """Return the events by name, in the order of a turn; the last one has the whole turn as `answer`."""
    return MappingProxyType(
        {
            "thread": StreamEvent(ThreadEvent, {"thread_id": "8d5f4f3c-3c0e-4f5e-9d53-0d5f6f0f2a11"}),
            "step": StreamEvent(events.StepEvent, {"event": "step", "node": "plan"}),
            "node": StreamEvent(NodeEnd, {"node": "resolve_pronouns"}),
            "tool": StreamEvent(
                events.ToolStartEvent | events.ToolEndEvent,
                {"event": "tool_end", "call": 1, "tool": "search_memory", "ok": True, "items": 7},
            ),
            "recall": StreamEvent(events.RecallEvent),
            "thought": StreamEvent(
                events.ThoughtEvent, {"event": "thought", "attempt": 1, "text": "原文说苏晚亭是她的哥哥。"}
            ),
            "draft": StreamEvent(
                events.DraftEvent, {"event": "draft", "attempt": 1, "text": "苏晚照的哥哥是苏晚亭[1]。"}
            ),
            "reset": StreamEvent(
                events.ResetEvent,
                {"event": "reset", "attempt": 1, "reason": "failed", "text": "这一稿未通过：深度不足"},
            ),
            "text": StreamEvent(events.TextEvent, {"event": "text", "text": "她的哥哥是苏晚亭[1]。"}),
            "citations": StreamEvent(events.CitationsEvent),
            "verdict": StreamEvent(events.VerdictEvent),
            "memory": StreamEvent(events.MemoryEvent),
            "answer": StreamEvent(answer),
            "error": StreamEvent(Problem),
        }
    )
