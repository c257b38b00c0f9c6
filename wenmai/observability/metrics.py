"""What a server counts, for Prometheus: questions, seconds, tokens, tool calls, failures of stores.

No label holds a content or a user: mind and tools are of closed sets, and what a model invents is `other`. LangGraph
serves the default registry at `/metrics`. Loaded by servers alone.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from prometheus_client import Counter, Gauge, Histogram
from pydantic import BaseModel

from tools.base import Scope, Tool, ToolResult
from tools.errors import StoreError
from wenmai.observability.logs import calls_of, outcome_of

BUCKETS = (0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 180)
OTHER = "other"
RECALL = "memory_recall"
TOKENS = {"input": "input_tokens", "output": "output_tokens", "cached": "cached_tokens"}

turns = Counter("wenmai_turns", "Questions and recalls that ended", ["graph", "mind", "outcome"])
seconds = Histogram("wenmai_turn_seconds", "Seconds from question to answer", ["graph", "mind"], buckets=BUCKETS)
waiting_turns = Gauge("wenmai_turns_waiting", "Questions that wait for others to end")
running_turns = Gauge("wenmai_turns_running", "Questions that are being answered")
wait_seconds = Histogram("wenmai_turn_wait_seconds", "Seconds that a question waited", buckets=BUCKETS)
tokens = Counter("wenmai_tokens", "Tokens of models", ["mind", "kind"])
tool_calls = Counter("wenmai_tool_calls", "Calls of tools", ["mind", "tool", "outcome"])
libraries = Gauge("wenmai_libraries", "Libraries by what was last seen of them", ["state"])
store_failures = Counter("wenmai_store_failures", "Calls that a store failed", ["tool", "error"])


@dataclass(frozen=True, slots=True)
class MeasuredTool:
    tool: Tool

    @property
    def name(self) -> str:
        return self.tool.name

    @property
    def description(self) -> str:
        return self.tool.description

    @property
    def arguments(self) -> type[BaseModel]:
        return self.tool.arguments

    async def __call__(self, arguments: Any, scope: Scope) -> ToolResult:
        try:
            return await self.tool(arguments, scope)
        except StoreError as error:
            store_failures.labels(self.name, type(error).__name__).inc()
            raise


def count(record: Mapping[str, Any], known: frozenset[str]) -> None:
    mind, graph = record["config"]["agent_model"], record.get("graph", "agent")
    turns.labels(graph, mind, outcome_of(record)).inc()
    seconds.labels(graph, mind).observe(record["total_duration_ms"] / 1000)
    for kind, name in TOKENS.items():
        tokens.labels(mind, kind).inc(record["usage"].get(name, 0))
    for call in calls_of(record):
        tool = call["tool"] if call["tool"] in known else OTHER
        tool_calls.labels(mind, tool, "ok" if call["ok"] else "failed").inc()
