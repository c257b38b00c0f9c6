"""A trace as lines for a person."""

import json
from collections.abc import Iterator
from datetime import datetime
from typing import Any

from tools.messages import LANGUAGE, Message, say
from wenmai.cli.output.answers import arguments, confidence_text, found_rows, outcome
from wenmai.cli.output.terminal import Line

STATUS = {
    "finished": Message("cli.trace.status_finished"),
    "cancelled": Message("cli.question_cancelled"),
    "failed": Message("cli.trace.status_failed"),
}
NOT_FOUND = "not_found"  # the outcome of a refusal; older traces have none
OUTPUT = 160
"""Characters of a call's output; the whole is in the file."""


def timeline(record: dict[str, Any]) -> Iterator[Line]:
    """Give the question, every attempt with its calls and verdict, and the answer."""
    if "attempts" not in record:
        yield from recall_lines(record)
        return
    yield head(record)
    yield Line(say("cli.trace.question", text=record["query"]))
    if record["resolved_query"] != record["query"]:
        yield Line(say("cli.trace.resolved_question", text=record["resolved_query"]), "cyan")
    if record.get("as_of"):
        yield Line(say("guard.visible_until", **record["as_of"]), "dim")
    config = record["config"]
    models = {"agent": config["agent_model"], "grader": config["grader_model"], "most": config["max_retries"]}
    yield Line(say("cli.trace.models", **models), "dim")
    started = datetime.fromisoformat(record["started_at"])
    yield from withheld_line(record)
    for attempt in record["attempts"]:
        yield from attempt_lines(attempt, started)
    yield Line(str(STATUS[record["status"]]) + conclusion(record))
    yield from cost_lines(record)
    if record["final_response"]:
        yield Line(record["final_response"], "bold")
    for one in record.get("citations", ()):
        yield Line(
            say("cli.trace.citation", n=one["n"], label=one["label"], quote=" ".join(one["quote"].split())), "green"
        )
    for row in record.get("remembered", ()):
        yield Line(say("cli.trace.memory", outcome=row["outcome"], summary=row["summary"], key=row["memory_key"]))


def head(record: dict[str, Any]) -> Line:
    """Return the line that names a trace."""
    return Line(
        say("cli.trace.heading", id=record["trace_id"], at=record["started_at"], ms=record["total_duration_ms"]), "bold"
    )


def recall_lines(record: dict[str, Any]) -> Iterator[Line]:
    """Give the user and the query of a recall, its calls, and what was found."""
    yield head(record)
    yield Line(say("cli.trace.recall", user=record["user_id"] or say("cli.trace.no_reason"), query=record["query"]))
    yield Line(say("cli.trace.model", agent=record["config"]["agent_model"]), "dim")
    yield from withheld_line(record)
    started = datetime.fromisoformat(record["started_at"])
    for call in record["tool_calls"]:
        yield from call_lines(call, started)
    yield Line(str(STATUS[record["status"]]))
    yield from cost_lines(record)
    yield Line(record["final_response"], "bold")


def withheld_line(record: dict[str, Any]) -> Iterator[Line]:
    """Say that the spoiler guard hides what a trace tells, where it does."""
    if record.get("withheld"):
        yield Line(say("cli.trace.withheld"), "yellow")


def cost_lines(record: dict[str, Any]) -> Iterator[Line]:
    """Give what each role cost in each attempt, and what the reader must know; older traces have neither."""
    usage = record.get("usage") or {}
    for row in usage.get("by", ()):
        cost = "" if row["cost_usd"] is None else f"{say('sign.comma')}${row['cost_usd']:.5f}"
        tokens = {kind: row[f"{kind}_tokens"] for kind in ("input", "cached", "output")}
        who = {key: row[key] for key in ("attempt", "role", "model")}
        yield Line(say("cli.trace.usage", **who, **tokens, cost=cost), "dim")
    if any(row["cost_usd"] is None for row in usage.get("by", ())):
        yield Line(f"   {say('cli.unpriced_model')}", "dim")
    if record.get("warning"):
        yield Line(say("cli.trace.warning", text=record["warning"]), "yellow")


def attempt_lines(attempt: dict[str, Any], started: datetime) -> Iterator[Line]:
    """Give one attempt: thoughts, calls, why it stopped, verdict, new queries."""
    yield Line(
        say("cli.trace.attempt", attempt=attempt["attempt"], limit=attempt["limit"], ms=attempt["duration_ms"]), "bold"
    )
    for thought in attempt["reasoning"]["thoughts"]:
        yield Line(say("cli.trace.thought", text=thought), "dim")
    for call in (call for call in attempt["tool_calls"] if call["tool"] != "stop"):
        yield from call_lines(call, started)
    if attempt["stop_reason"]:
        yield Line(say("cli.trace.search_stopped", reason=attempt["stop_reason"]))
    if attempt.get("refused"):
        yield Line(f"   {say('cli.trace.nothing_found')}", "yellow")  # its points only made the agent search on
    else:
        yield from grade_lines(attempt["grading"]["output"])
    if attempt["refiner"]["queries"]:
        yield Line(say("cli.trace.queries", queries="；".join(attempt["refiner"]["queries"])), "cyan")


def call_lines(call: dict[str, Any], started: datetime) -> Iterator[Line]:
    """Give a call and the beginning of its output."""
    after = (datetime.fromisoformat(call["started_at"]) - started).total_seconds()
    made = {"round": call["round"], "tool": call["tool"], "args": arguments(call["args"])}
    line = say("cli.trace.tool_call", after=after, **made, outcome=found_rows(call), ms=call["duration_ms"])
    yield Line(line, "" if call["ok"] else "yellow")
    for step in call.get("steps", ()):
        yield Line(f"      · {outcome(step, step['args'])}", "dim")
    text = " ".join(output(call["result"]).split())
    yield Line(f"      {text[:OUTPUT]}{'…' if len(text) > OUTPUT else ''}", "dim")


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
    verdict = (
        f"{comma}{say('cli.trace.nothing_found')}"
        if record.get("outcome") == NOT_FOUND
        else verdict_word(record["passed"])
    )
    return (f"{comma}{sure}" if sure else "") + verdict


def grade_lines(grade: dict[str, Any] | None) -> Iterator[Line]:
    """Give a verdict with its five scores."""
    if grade is None:
        yield Line(say("cli.trace.attempt_not_graded"), "dim")
        return
    scores = " ".join(f"{name}={score}" for name, score in grade["scores"].items())
    verdict = {"score": grade["score"], "verdict": verdict_word(grade["passed"]), "scores": scores}
    sure = confidence_text(grade.get("confidence"), LANGUAGE.get())
    yield Line(say("cli.trace.attempt_grade", sure=sure, **verdict), "green" if grade["passed"] else "yellow")
    if grade["fail_reason"]:
        yield Line(say("cli.trace.failed_gates", reason=grade["fail_reason"], advice=grade["suggestion"]), "yellow")


def verdict_word(passed: bool | None) -> str:
    """Return the verdict as it is appended."""
    return "" if passed is None else say("sign.comma") + say("cli.trace.passed" if passed else "cli.trace.not_passed")
