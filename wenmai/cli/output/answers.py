"""A question as lines for a person, in its language: its steps while it runs, its result record, its trace."""

import json
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal

from nodes.confidence import FAIR, HIGH
from nodes.notices import check_text
from state.context import Language
from tools.formatting import flat_text, shorten
from tools.messages import LANGUAGE, Message, Names, say, speaking
from wenmai.cli.output.terminal import TerminalLine

if TYPE_CHECKING:
    from state.events import ToolStartEvent
    from wenmai.answer import TurnEvent

STOP = "stop"
SHOWN = 120
"""Characters of an argument."""
NODES = {"grade": Message("cli.answer.grading"), "refine": Message("cli.answer.refining")}
"""Nodes that a reader cares for: the other ones show in their calls or in the answer."""
Verdict = Literal["passed", "partly", "not_passed", "ungraded", "not_found"]

STATUS = {
    "finished": Message("cli.trace.status_finished"),
    "cancelled": Message("cli.question_cancelled"),
    "failed": Message("cli.trace.status_failed"),
}
NOT_FOUND = "not_found"  # the outcome of a refusal; older traces have none
OUTPUT = 160
"""Characters of a call's output; the whole is in the file."""


def confidence_text(confidence: float | None, language: Language) -> str:
    """Return a confidence as it stands before a verdict, '' where there is none."""
    if confidence is None:
        return ""
    degree = "high" if confidence >= HIGH else "fair" if confidence >= FAIR else "low"
    with speaking(language):
        return say("cli.answer.confidence", word=say(f"cli.answer.confidence_{degree}"), confidence=confidence)


def step(event: "TurnEvent", started: "dict[int, ToolStartEvent]") -> str | None:
    """Return what to show of an event; `started` keeps the beginnings of calls until they end."""
    if event.kind == "step":
        label = NODES.get(event.data["node"])
        return f"  · {label}" if label else None
    if event.kind == "reading":
        return f"  · {say('cli.live.reading')} …"
    if event.kind == "reset":
        return None if event.data["reason"] == "calls" else f"  · {event.data['text']}"
    if event.kind == "recall":
        return f"      · {called(event.data)} → {found_rows(event.data)}"
    if event.kind != "tool":
        return None
    data = event.data
    if data["event"] == "tool_start":
        started[data["call"]] = data
        return None
    is_early = data["tool"] == STOP and len(started) > 1  # a stop is shown behind the calls beside it
    if is_early or not (start := started.pop(data["call"], None)):
        return None
    lines = [stop_line(start) if data["tool"] == STOP else f"{round_of(start)} {called(start)} → {found_rows(data)}"]
    if len(started) == 1 and all(one["tool"] == STOP for one in started.values()):
        lines.append(stop_line(started.popitem()[1]))
    return "\n".join(lines)


def round_of(start: "ToolStartEvent") -> str:
    return f"  {say('cli.answer.round', round=start['round'])}"


def stop_line(start: "ToolStartEvent") -> str:
    return f"{round_of(start)} {say('cli.answer.search_stopped', reason=start['args'].get('reason'))}"


def called(call: Mapping[str, Any]) -> str:
    """Return a call as a program writes it, `search_memory("古名", sort_by="time")`; long values are cut."""
    given = [(name, value) for name, value in call["args"].items() if value is not None]
    shown = [shorten(json.dumps(value, ensure_ascii=False), SHOWN) for _, value in given]
    named = [f"{name}={text}" for (name, _), text in zip(given[1:], shown[1:], strict=True)]
    return f"{call['tool']}({', '.join([*shown[:1], *named])})"


def found_rows(call: Mapping[str, Any]) -> str:
    return say("cli.answer.rows_found", items=call["items"]) if call["ok"] else say("cli.answer.search_failed")


def label(record: dict[str, Any], name: str, /, **values: object) -> str:
    """Return a line about an answer in the language of its question."""
    with speaking(record["language"]):
        return say(f"cli.answer.{name}", **values)


def answer_lines(record: dict[str, Any]) -> Iterator[TerminalLine]:
    yield from resolved_line(record)
    yield TerminalLine(record["answer"], "bold")
    yield from citation_lines(record)
    yield from verdict_lines(record)


def lines_behind_text(record: dict[str, Any]) -> Iterator[TerminalLine]:
    yield from citation_lines(record)
    yield from resolved_line(record)
    yield from verdict_lines(record)


def resolved_line(record: dict[str, Any]) -> Iterator[TerminalLine]:
    if record["resolved_question"] != record["question"]:
        yield TerminalLine(label(record, "resolved", question=record["resolved_question"]), "cyan")
    if candidates := record.get("candidates"):
        names = Names(dict.fromkeys(one["entity"] for one in candidates))
        yield TerminalLine(label(record, "candidates", names=names), "cyan")


def citation_lines(record: dict[str, Any]) -> Iterator[TerminalLine]:
    for citation in record["citations"]:
        quote = flat_text(citation["quote"])
        yield TerminalLine(label(record, "citation", n=citation["n"], place=citation["label"], quote=quote), "green")


def verdict_lines(record: dict[str, Any]) -> Iterator[TerminalLine]:
    if record["as_of"]:
        with speaking(record["language"]):
            yield TerminalLine(say("guard.visible_until", **record["as_of"]), "dim")
    if checked := check_text(record["notes"], record["language"]):
        yield TerminalLine(checked, "yellow")
    yield verdict(record)
    yield from remembered_lines(record)
    if usage := record["usage"]:
        usd = usage["cost_usd"]
        cost = label(record, "unpriced") if usd is None else f", ${usd:.4f}"
        yield TerminalLine(label(record, "usage", **usage | {"cost": cost}), "dim")
    if record["degraded"]:
        yield TerminalLine(label(record, "degraded"), "yellow")
    if record["warning"]:
        yield TerminalLine(label(record, "warning", warning=record["warning"]), "yellow")


def remembered_lines(record: dict[str, Any]) -> Iterator[TerminalLine]:
    for row in record["remembered"]:
        text = label(record, row["outcome"], **row, older=", ".join(row["supersedes"]))
        yield TerminalLine(flat_text(text), "magenta")


def closing_lines(record: dict[str, Any]) -> Iterator[TerminalLine]:
    if record["trace"]:
        yield TerminalLine(label(record, "trace", path=record["trace"]), "dim")
    yield TerminalLine(label(record, "session", thread=record["thread_id"]), "dim")


def offline_line(record: dict[str, Any]) -> Iterator[TerminalLine]:
    """Say that no model was asked, where that is so, and whether anything read the text."""
    if record["mind"] == "offline" and not record["degraded"]:
        yield TerminalLine(label(record, "offline_extract" if record.get("extract") else "offline"), "dim")


def verdict(record: dict[str, Any]) -> TerminalLine:
    key, grade = verdict_key(record), record["grade"]
    facts = {"score": grade["score"], "reason": grade["fail_reason"]} if grade else {}
    counts = {"attempt": record["attempt"], "calls": len(record["tool_calls"]), "flagged": flagged_count(record)}
    text = label(record, key, **facts, **counts)
    style = "yellow" if key in ("partly", "not_passed") else "dim"
    return TerminalLine(confidence_text(record["confidence"], record["language"]) + text, style)


def flagged_count(record: dict[str, Any]) -> int:
    return sum(note["action"] == "flagged" for note in record["notes"])


def verdict_key(record: dict[str, Any]) -> Verdict:
    grade = record["grade"]
    if record["status"] == "not_found":
        return "not_found"
    if grade is None or "ungraded" in grade.get("failed", ()):
        return "ungraded"
    if not grade["passed"]:
        return "not_passed"
    return "partly" if flagged_count(record) else "passed"


def timeline(record: dict[str, Any]) -> Iterator[TerminalLine]:
    yield TerminalLine(
        say("cli.trace.heading", id=record["trace_id"], at=record["started_at"], ms=record["total_duration_ms"]), "bold"
    )
    if "attempts" not in record:
        yield from recall_lines(record)
        return
    yield TerminalLine(say("cli.trace.question", text=record["query"]))
    if record["resolved_query"] != record["query"]:
        yield TerminalLine(say("cli.trace.resolved_question", text=record["resolved_query"]), "cyan")
    if record.get("as_of"):
        yield TerminalLine(say("guard.visible_until", **record["as_of"]), "dim")
    config = record["config"]
    models = {"agent": config["agent_model"], "grader": config["grader_model"], "most": config["max_retries"]}
    yield TerminalLine(say("cli.trace.models", **models), "dim")
    started = datetime.fromisoformat(record["started_at"])
    yield from withheld_line(record)
    for attempt in record["attempts"]:
        yield from attempt_lines(attempt, started)
    yield TerminalLine(str(STATUS[record["status"]]) + conclusion(record))
    yield from cost_lines(record)
    if record["final_response"]:
        yield TerminalLine(record["final_response"], "bold")
    for one in record.get("citations", ()):
        quoted = say("cli.trace.citation", n=one["n"], label=one["label"], quote=flat_text(one["quote"]))
        yield TerminalLine(quoted, "green")
    for row in record.get("remembered", ()):
        yield TerminalLine(
            say("cli.trace.memory", outcome=row["outcome"], summary=row["summary"], key=row["memory_key"])
        )


def recall_lines(record: dict[str, Any]) -> Iterator[TerminalLine]:
    yield TerminalLine(
        say("cli.trace.recall", user=record["user_id"] or say("cli.trace.no_reason"), query=record["query"])
    )
    yield TerminalLine(say("cli.trace.model", agent=record["config"]["agent_model"]), "dim")
    yield from withheld_line(record)
    started = datetime.fromisoformat(record["started_at"])
    for call in record["tool_calls"]:
        yield from call_lines(call, started)
    yield TerminalLine(str(STATUS[record["status"]]))
    yield from cost_lines(record)
    yield TerminalLine(record["final_response"], "bold")


def withheld_line(record: dict[str, Any]) -> Iterator[TerminalLine]:
    if record.get("withheld"):
        yield TerminalLine(say("cli.trace.withheld"), "yellow")


def cost_lines(record: dict[str, Any]) -> Iterator[TerminalLine]:
    """Give what each role cost in each attempt, and what the reader must know; older traces have neither."""
    usage = record.get("usage") or {}
    for row in usage.get("by", ()):
        cost = "" if row["cost_usd"] is None else f"{say('sign.comma')}${row['cost_usd']:.5f}"
        tokens = {kind: row[f"{kind}_tokens"] for kind in ("input", "cached", "output")}
        who = {key: row[key] for key in ("attempt", "role", "model")}
        yield TerminalLine(say("cli.trace.usage", **who, **tokens, cost=cost), "dim")
    if any(row["cost_usd"] is None for row in usage.get("by", ())):
        yield TerminalLine(f"   {say('cli.unpriced_model')}", "dim")
    if record.get("warning"):
        yield TerminalLine(say("cli.trace.warning", text=record["warning"]), "yellow")


def attempt_lines(attempt: dict[str, Any], started: datetime) -> Iterator[TerminalLine]:
    yield TerminalLine(
        say("cli.trace.attempt", attempt=attempt["attempt"], limit=attempt["limit"], ms=attempt["duration_ms"]), "bold"
    )
    for thought in attempt["reasoning"]["thoughts"]:
        yield TerminalLine(say("cli.trace.thought", text=thought), "dim")
    for call in (call for call in attempt["tool_calls"] if call["tool"] != "stop"):
        yield from call_lines(call, started)
    if attempt["stop_reason"]:
        yield TerminalLine(say("cli.trace.search_stopped", reason=attempt["stop_reason"]))
    if attempt.get("refused"):
        yield TerminalLine(f"   {say('cli.trace.nothing_found')}", "yellow")  # its points only made the agent search on
    else:
        yield from grade_lines(attempt["grading"]["output"])
    if attempt["refiner"]["queries"]:
        yield TerminalLine(say("cli.trace.queries", queries="；".join(attempt["refiner"]["queries"])), "cyan")


def call_lines(call: dict[str, Any], started: datetime) -> Iterator[TerminalLine]:
    after = (datetime.fromisoformat(call["started_at"]) - started).total_seconds()
    made = {"round": call["round"], "call": called(call), "outcome": found_rows(call)}
    line = say("cli.trace.tool_call", after=after, **made, ms=call["duration_ms"])
    yield TerminalLine(line, "" if call["ok"] else "yellow")
    for step in call.get("steps", ()):
        yield TerminalLine(f"      · {called(step)} → {found_rows(step)}", "dim")
    text = flat_text(output(call["result"]))
    yield TerminalLine(f"      {text[:OUTPUT]}{'…' if len(text) > OUTPUT else ''}", "dim")


def output(result: str) -> str:
    """Return the text of a result that is one; a cut one is no longer JSON and stays as it is."""
    try:
        found = json.loads(result)
    except ValueError:
        return result
    return str(found["result"]) if isinstance(found, dict) and "result" in found else result


def conclusion(record: dict[str, Any]) -> str:
    """Return the verdict on the answer as it is appended; older traces know neither outcome nor confidence."""
    comma = say("sign.comma")
    sure = confidence_text(record.get("confidence"), LANGUAGE.get()).rstrip("，. ")
    is_found = record.get("outcome") != NOT_FOUND
    verdict = verdict_word(record["passed"]) if is_found else f"{comma}{say('cli.trace.nothing_found')}"
    return (f"{comma}{sure}" if sure else "") + verdict


def grade_lines(grade: dict[str, Any] | None) -> Iterator[TerminalLine]:
    if grade is None:
        yield TerminalLine(say("cli.trace.attempt_not_graded"), "dim")
        return
    scores = " ".join(f"{name}={score}" for name, score in grade["scores"].items())
    verdict = {"score": grade["score"], "verdict": verdict_word(grade["passed"]), "scores": scores}
    sure = confidence_text(grade.get("confidence"), LANGUAGE.get())
    yield TerminalLine(say("cli.trace.attempt_grade", sure=sure, **verdict), "green" if grade["passed"] else "yellow")
    if grade["fail_reason"]:
        yield TerminalLine(
            say("cli.trace.failed_gates", reason=grade["fail_reason"], advice=grade["suggestion"]), "yellow"
        )


def verdict_word(passed: bool | None) -> str:
    return "" if passed is None else say("sign.comma") + say("cli.trace.passed" if passed else "cli.trace.not_passed")
