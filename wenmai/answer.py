"""What an agent gives back: the answer to a question, and the events of a running one."""

from dataclasses import dataclass, field
from html import escape
from typing import Any

OWN_KINDS = ("text", "draft", "recall", "memory")  # events that keep their name; every other is a tool's


@dataclass(frozen=True, slots=True)
class Answer:
    """An answered question; `record` is the whole result record."""

    record: dict[str, Any]
    text: str = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "text", self.record["answer"])

    @property
    def citations(self) -> list[dict[str, Any]]:
        """Numbered citations with verbatim quotes."""
        return list(self.record["citations"])

    @property
    def evidence(self) -> list[dict[str, Any]]:
        """What the tools fetched, best first."""
        return list(self.record["evidence"])

    @property
    def status(self) -> str:
        """What the text is: answer, not_found, clarify, chat or failed."""
        return str(self.record["status"])

    @property
    def confidence(self) -> float | None:
        """Probability (0..1) that the answer is right, None where the grader gives none."""
        confidence: float | None = self.record["confidence"]
        return confidence

    @property
    def grade(self) -> dict[str, Any] | None:
        """The grader's verdict, None where nothing was graded, or nothing was found."""
        grade: dict[str, Any] | None = self.record["grade"]
        return grade

    @property
    def tool_calls(self) -> list[dict[str, Any]]:
        """Every call of the question."""
        return list(self.record["tool_calls"])

    @property
    def trace(self) -> str | None:
        """Path of the trace file."""
        path: str | None = self.record["trace"]
        return path

    @property
    def thread_id(self) -> str:
        """The session, to ask on."""
        return str(self.record["thread_id"])

    def _repr_html_(self) -> str:
        """Return the answer as notebooks show it: paragraphs, then the citations with their quotes."""
        paragraphs = "".join(f"<p>{escape(line)}</p>" for line in self.text.splitlines() if line.strip())
        rows = (
            f'<li value="{one["n"]}">{escape(one["label"])}<blockquote>{escape(one["quote"])}</blockquote></li>'
            for one in self.citations
        )
        return f"<div>{paragraphs}<ol>{''.join(rows)}</ol></div>"


@dataclass(frozen=True, slots=True)
class Event:
    """A step of a running question.

    Attributes:
        kind: `node`; `tool` (a call begins or ends); `recall` (a step within recall_memories); `memory` (what was kept
            of the turn, with remember); `draft` (words of a draft as they are written, ungraded, only with
            stream_drafts); `text` (the answer, piece by piece); `answer` (the result record, last).
    """

    kind: str
    data: dict[str, Any]


def events(mode: str, chunk: Any) -> list[Event]:
    """Turn a chunk of LangGraph's stream into events."""
    if mode == "custom":
        return [Event(chunk["event"] if chunk["event"] in OWN_KINDS else "tool", chunk)]
    found = [Event("node", {"node": node}) for node in chunk if not node.startswith("__")]
    results = [update["result"] for update in chunk.values() if update and update.get("result")]
    return found + [Event("answer", result) for result in results]
