"""The events of a question's stream, as the document of the API describes them."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from state import events
from wenmai.answer import NodeEnd, ThreadEvent
from wenmai.web.openapi import StreamEvent
from wenmai.web.problems import Problem

CITATION = {
    "n": 1,
    "label": "《雾港》第二回 灯塔之约",
    "evidence": "f1e8f1c5-cbc1-5a77-9f59-69963323a2f4",
    "source": "雾港",
    "part": 1,
    "chapter": 2,
    "title": "第二回 灯塔之约",
    "quote": "苏晚照的哥哥苏晚亭是灯塔的守塔人。",
    "start": 20,
    "end": 37,
    "location": "第二回 灯塔之约",  # FastAPI leaves null out of examples
}
GRADE = {
    "question_type": "relation",
    "scores": {"tool_usage": 20, "evidence": 16, "completeness": 16, "citation": 20, "depth": 16},
    "score": 88,
    "reason": "reader: 0.79",
    "suggestion": "",
    "hallucination_detected": False,
    "passed": True,
    "fail_reason": "",
    "confidence": 0.79,
    "unsupported": [],
    "queries": [],
    "by": "offline",
}
VERDICT = {"attempt": 2, "status": "answer", "passed": True, "confidence": 0.79, "grade": GRADE, "notes": []}
WITHDRAWN = "这一稿未通过：深度不足、总分不足；没有依据：两人从来不认识。"
Kind = tuple[str, Any, dict[str, Any] | None]  # name, type of the data, example
KINDS: tuple[Kind, ...] = (
    ("thread", ThreadEvent, {"thread_id": "b6279777-cbe7-4c5d-bd59-131575c9925d"}),
    ("step", events.StepEvent, {"node": "resolve_pronouns"}),
    ("node", NodeEnd, {"node": "resolve_pronouns"}),
    (
        "tool",
        events.ToolStartEvent | events.ToolEndEvent,
        {"event": "tool_end", "call": 1, "tool": "search_memory", "ok": True, "items": 4},
    ),
    ("recall", events.RecallEvent, None),
    ("thought", events.ThoughtEvent, {"attempt": 1, "text": "再想一想"}),
    ("draft", events.DraftEvent, {"attempt": 1, "text": "两人从来不认识[1]。"}),
    ("reset", events.ResetEvent, {"attempt": 1, "reason": "failed", "text": WITHDRAWN}),
    ("text", events.TextEvent, {"text": "苏晚照的哥哥是苏晚亭[1]。"}),
    ("citations", events.CitationsEvent, {"citations": [CITATION]}),
    ("verdict", events.VerdictEvent, VERDICT),
    ("memory", events.MemoryEvent, None),
)


def turn_events(answer: type) -> Mapping[str, StreamEvent]:
    """Return the events by name, in the order of a turn; the last one has the whole turn as `answer`."""
    shown = {name: StreamEvent(data, as_written(name, data, example)) for name, data, example in KINDS}
    return MappingProxyType({**shown, "answer": StreamEvent(answer), "error": StreamEvent(Problem)})


def as_written(name: str, data: Any, example: dict[str, Any] | None) -> dict[str, Any] | None:
    """Return an example with the name that the graph's own events bear in themselves."""
    named = "event" in getattr(data, "__annotations__", {})
    return {"event": name, **example} if example is not None and named else example
