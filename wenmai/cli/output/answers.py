"""Questions as lines for a person: steps while one runs, then its result record, in the language of the question."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final, Literal

from nodes.results.notices import check_text
from state.context import Language
from tools.formatting import shorten
from tools.messages import Message, say, speaking
from wenmai.cli.output.terminal import Line

if TYPE_CHECKING:
    from state.events import RecallEvent, ToolEndEvent, ToolStartEvent
    from wenmai.answer import TurnEvent

HIGH: Final = 0.75
FAIR: Final = 0.5
"""Probabilities from which on an answer is called so; what is below both is low."""
Word = Literal["high", "fair", "low"]
SHOWN = 120
"""Characters of an argument."""
NODES = {
    "grade": Message("cli.answer.grading"),
    "refine": Message("cli.answer.refining"),
}
"""Nodes that a reader cares for: the other ones show in their calls or in the answer."""
Verdict = Literal["passed", "partly", "not_passed", "ungraded", "not_found"]


def confidence_text(confidence: float | None, language: Language) -> str:
    """Return a confidence as it stands before a verdict, '' where there is none."""
    if confidence is None:
        return ""
    with speaking(language):
        word = say(f"cli.answer.confidence_{word_of(confidence)}")
        return say("cli.answer.confidence", word=word, confidence=confidence)


def word_of(confidence: float) -> Word:
    """Return the word for a probability."""
    return "high" if confidence >= HIGH else "fair" if confidence >= FAIR else "low"


def step(event: "TurnEvent", started: dict[int, dict[str, Any]]) -> str | None:
    """Return what to show of an event; `started` keeps the arguments of calls until they end."""
    if event.kind == "step":
        label = NODES.get(event.data["node"])
        return f"  · {label}" if label else None
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
    if data["tool"] == "stop":
        return f"  · {say('cli.answer.search_stopped', reason=args.get('reason'))}"
    return f"  · {outcome(data, args)}"


def outcome(data: "ToolEndEvent | RecallEvent", args: dict[str, Any]) -> str:
    """Return a call with what came of it."""
    return f"{data['tool']}({arguments(args)}) → {found_rows(data)}"


def found_rows(call: Mapping[str, Any]) -> str:
    """Return what came of a call."""
    return say("cli.answer.rows_found", items=call["items"]) if call["ok"] else say("cli.answer.search_failed")


def arguments(args: dict[str, Any]) -> str:
    """Return the arguments of a call as it would be written."""
    return ", ".join(f"{name}={shorten(str(value), SHOWN)}" for name, value in args.items())


def label(record: dict[str, Any], name: str, /, **values: object) -> str:
    """Return a line about an answer in the language of its question."""
    with speaking(record["language"]):
        return say(f"cli.answer.{name}", **values)


def answer_lines(record: dict[str, Any]) -> Iterator[Line]:
    """Give the resolved question where it differs, the answer, its citations and the verdict."""
    yield from resolved_line(record)
    yield Line(record["answer"], "bold")
    yield from citation_lines(record)
    yield from verdict_lines(record)


def lines_behind_text(record: dict[str, Any]) -> Iterator[Line]:
    """Give what follows an answer whose text was printed as it came."""
    yield from citation_lines(record)
    yield from resolved_line(record)
    yield from verdict_lines(record)


def resolved_line(record: dict[str, Any]) -> Iterator[Line]:
    """Give what the question was taken to mean, where that differs."""
    if record["resolved_question"] != record["question"]:
        yield Line(label(record, "resolved", question=record["resolved_question"]), "cyan")


def citation_lines(record: dict[str, Any]) -> Iterator[Line]:
    """Give the numbered citations."""
    for citation in record["citations"]:
        quote = one_line(citation["quote"])
        yield Line(label(record, "citation", n=citation["n"], place=citation["label"], quote=quote), "green")


def verdict_lines(record: dict[str, Any]) -> Iterator[Line]:
    """Give the place of the guard, what the check found, the verdict, the cost, and what the reader must know."""
    if record["as_of"]:
        with speaking(record["language"]):
            yield Line(say("guard.visible_until", **record["as_of"]), "dim")
    if checked := check_text(record["notes"], record["language"]):
        yield Line(checked, "yellow")
    yield verdict(record)
    yield from remembered_lines(record)
    if usage := record["usage"]:
        usd = usage["cost_usd"]
        cost = label(record, "unpriced") if usd is None else f", ${usd:.4f}"
        yield Line(label(record, "usage", **usage | {"cost": cost}), "dim")
    if record["degraded"]:
        yield Line(label(record, "degraded"), "yellow")
    if record["warning"]:
        yield Line(label(record, "warning", warning=record["warning"]), "yellow")


def remembered_lines(record: dict[str, Any]) -> Iterator[Line]:
    """Give what of the turn was kept."""
    for row in record["remembered"]:
        text = label(record, row["outcome"], **row, older=", ".join(row["supersedes"]))
        yield Line(one_line(text), "magenta")


def closing_lines(record: dict[str, Any]) -> Iterator[Line]:
    """Give the path of the trace and the session to go on with."""
    if record["trace"]:
        yield Line(label(record, "trace", path=record["trace"]), "dim")
    yield Line(label(record, "session", thread=record["thread_id"]), "dim")


def offline_line(record: dict[str, Any]) -> Iterator[Line]:
    """Say that no model was asked, where that is so, and whether anything read the text."""
    if record["mind"] == "offline" and not record["degraded"]:
        yield Line(label(record, "offline_extract" if record.get("extract") else "offline"), "dim")


def verdict(record: dict[str, Any]) -> Line:
    """Return the grader's verdict in one line, how sure it is first."""
    key, grade = verdict_key(record), record["grade"]
    facts = {"score": grade["score"], "reason": grade["fail_reason"]} if grade else {}
    counts = {"attempt": record["attempt"], "calls": len(record["tool_calls"]), "flagged": flagged(record)}
    text = label(record, key, **facts, **counts)
    style = "yellow" if key in ("partly", "not_passed") else "dim"
    return Line(confidence_text(record["confidence"], record["language"]) + text, style)


def flagged(record: dict[str, Any]) -> int:
    """Return how many sentences of the answer the check could not verify."""
    return sum(note["action"] == "flagged" for note in record["notes"])


def verdict_key(record: dict[str, Any]) -> Verdict:
    """Return which verdict a record has."""
    grade = record["grade"]
    if record["status"] == "not_found":
        return "not_found"
    if grade is None or "ungraded" in grade.get("failed", ()):
        return "ungraded"
    if not grade["passed"]:
        return "not_passed"
    return "partly" if flagged(record) else "passed"


def one_line(text: str) -> str:
    """Return a quote without its line breaks."""
    return " ".join(text.split())
