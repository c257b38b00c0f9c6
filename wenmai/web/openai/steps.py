"""The steps of a turn as lines, which clients show folded above an answer."""

import json
from dataclasses import dataclass, field
from typing import Any

from tools.control import STOP
from wenmai.answer import TurnEvent

FAILED = "✗"


@dataclass(slots=True)
class Steps:
    """Turns the events of calls into lines: `vector_search {"query": "…"} → 8`."""

    _arguments: dict[int, dict[str, Any]] = field(default_factory=dict)

    def line(self, event: TurnEvent) -> str | None:
        """Return the line for an event, None for one that ends no call."""
        if event.kind != "tool" or event.data["tool"] == STOP:
            return None
        call = event.data
        if call["event"] == "tool_start":
            self._arguments[call["call"]] = call["args"]
            return None
        arguments = json.dumps(self._arguments.pop(call["call"], {}), ensure_ascii=False)
        return f"{call['tool']} {arguments} → {call['items'] if call['ok'] else FAILED}\n"
