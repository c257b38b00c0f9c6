"""How log lines look: JSON for programs, readable on a terminal, never with a key in them."""

import json
import logging
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any, TextIO

from wenmai.observability.cleaning import cleaner, secrets_of
from wenmai.settings.settings import Settings

Clean = Callable[[Any], Any]
READABLE = "%(levelname)s %(name)s: %(message)s"
TOLD = ("wenmai.turns", "wenmai.requests", "wenmai.access", "uvicorn.error")
"""Loggers whose INFO lines a server writes by default."""


class JsonLines(logging.Formatter):
    """One JSON object a line; `extra={"fields": {…}}` of a call become members of it."""

    def __init__(self, clean: Clean) -> None:
        super().__init__()
        self.clean = clean

    def format(self, record: logging.LogRecord) -> str:
        """Return the line of a record."""
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
        """Return the line of a record."""
        fields = "".join(f" {name}={value}" for name, value in fields_of(record).items())
        return str(self.clean(super().format(record) + fields))


def fields_of(record: logging.LogRecord) -> dict[str, Any]:
    """Return what a call of the log gave beside its message."""
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
