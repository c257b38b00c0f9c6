"""How log lines look: JSON for programs, readable on a terminal, never with a key in them."""

import json
import logging
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any, TextIO

from tools.dispatch import STOP
from wenmai.observability.cleaning import cleaner, secrets_of
from wenmai.settings.settings import Settings

Clean = Callable[[Any], Any]
READABLE = "%(levelname)s %(name)s: %(message)s"
TOLD = ("wenmai.turns", "wenmai.requests", "wenmai.access", "wenmai.audit", "uvicorn.error")
"""Loggers whose INFO lines a server writes by default."""


class JsonLines(logging.Formatter):
    """One JSON object a line; `extra={"fields": {…}}` of a call become members of it."""

    def __init__(self, clean: Clean) -> None:
        super().__init__()
        self.clean = clean

    def format(self, record: logging.LogRecord) -> str:
        line = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "message": record.getMessage(),
            **fields_of(record),
        }
        if record.exc_info:
            line["error"] = self.formatException(record.exc_info)
        return json.dumps(self.clean(line), ensure_ascii=False)


class ReadableLines(logging.Formatter):
    """A line for people; fields stand behind the message."""

    def __init__(self, clean: Clean) -> None:
        super().__init__(READABLE)
        self.clean = clean

    def format(self, record: logging.LogRecord) -> str:
        fields = "".join(f" {name}={value}" for name, value in fields_of(record).items())
        return str(self.clean(super().format(record) + fields))


def fields_of(record: logging.LogRecord) -> dict[str, Any]:
    fields: dict[str, Any] = getattr(record, "fields", {})
    return {name: json.loads(json.dumps(value, default=str)) for name, value in fields.items()}


def handler_of(settings: Settings, stream: TextIO) -> logging.Handler:
    """Return what writes the log to a stream: JSON unless LOG_FORMAT says otherwise or a person looks at it."""
    handler, clean = logging.StreamHandler(stream), cleaner(secrets_of(settings))
    is_json = settings.log_format == "json" or (settings.log_format == "auto" and not stream.isatty())
    handler.setFormatter(JsonLines(clean) if is_json else ReadableLines(clean))
    return handler


def open_server_log(settings: Settings, stream: TextIO) -> None:
    """Log a server: warnings and a line for each turn and request, or everything from LOG_LEVEL on when it was set."""
    is_set = "log_level" in settings.model_fields_set
    logging.basicConfig(level=settings.log_level if is_set else "WARNING", handlers=[handler_of(settings, stream)])
    for name in TOLD:
        if not is_set:
            logging.getLogger(name).setLevel(logging.INFO)


log = logging.getLogger("wenmai.turns")


def log_turn(record: Mapping[str, Any], *, with_question: bool) -> None:
    """Log the figures of a question by its trace, its text only where that is wanted."""
    usage = record["usage"]
    fields = {
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
        **({"question": record["query"]} if with_question else {}),
    }
    log.info("turn", extra={"fields": fields})


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
