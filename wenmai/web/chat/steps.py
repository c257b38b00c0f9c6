"""The steps of a turn as lines, which clients show folded above an answer."""

import json
from dataclasses import dataclass, field
from typing import Any

from tools.control import STOP
from wenmai.answer import Event

FAILED = "✗"


@dataclass(slots=True)
class Steps:
    """Turns the events of calls into lines: `vector_search {"query": "…"} → 8`."""

    _arguments: dict[int, dict[str, Any]] = field(default_factory=dict)

    def line(self, event: Event) -> str | None:
        """Return the line for an event, None for one that ends no call."""
        data = event.data
        if event.kind != "tool" or data["tool"] == STOP:
            return None
        if data["event"] == "tool_start":
            self._arguments[data["call"]] = data["args"]
            return None
        if data["event"] != "tool_end":
            return None
        arguments = json.dumps(self._arguments.pop(data["call"], {}), ensure_ascii=False)
        return f"{data['tool']} {arguments} → {data['items'] if data['ok'] else FAILED}\n"
