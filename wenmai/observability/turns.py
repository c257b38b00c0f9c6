"""What became of a question, told from its trace: one line in the log."""

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from nodes.answer import TraceSink
from tools.control import STOP

log = logging.getLogger("wenmai.turns")


@dataclass(frozen=True, slots=True)
class LoggedTraces:
    """Logs every question by its trace, also the one that was cut short, and hands the trace on."""

    sink: TraceSink
    log_questions: bool

    async def write(self, record: dict[str, Any]) -> str | None:
        """Log a question and write its trace."""
        log.info("turn", extra={"fields": turn_fields(record, self.log_questions)})
        return await self.sink.write(record)

    async def amend(self, path: str, more: dict[str, Any]) -> None:
        """Add keys to a trace."""
        await self.sink.amend(path, more)


def turn_fields(record: Mapping[str, Any], log_questions: bool) -> dict[str, Any]:
    """Return the figures of a question, its text only where that is wanted."""
    usage = record["usage"]
    return {
        "graph": record.get("graph", "agent"),
        "thread": record["thread_id"],
        "library": record.get("library"),
        "trace": record["trace_id"],
        "outcome": outcome_of(record),
        "seconds": record["total_duration_ms"] / 1000,
        "attempts": len(record.get("attempts", ())),
        "tool_calls": len(calls_of(record)),
        "model": record["config"]["agent_model"],
        "model_calls": usage.get("calls", 0),
        "input_tokens": usage.get("input_tokens", 0),
        "output_tokens": usage.get("output_tokens", 0),
        **({"question": record["query"]} if log_questions else {}),
    }


def outcome_of(record: Mapping[str, Any]) -> str:
    """Return what became of a question: passed, not_passed, not_found, ungraded, degraded, cancelled or failed."""
    if record["status"] != "finished":
        return str(record["status"])
    if record["degraded"]:
        return "degraded"
    if record.get("outcome") == "not_found":
        return "not_found"
    return {True: "passed", False: "not_passed"}.get(record["passed"], "ungraded")


def calls_of(record: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return every executed call of a question, or of a recall of its own."""
    found = record.get("tool_calls") or [call for one in record.get("attempts", ()) for call in one["tool_calls"]]
    return [call for call in found if call["executed"] and call["tool"] != STOP]
