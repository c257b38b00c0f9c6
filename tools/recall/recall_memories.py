"""recall_memories: the main agent's tool for a user's memories."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from pydantic import BaseModel, Field

from state.schema import Evidence, UsageRow
from tools.base import Scope, ToolResult
from tools.evidence import blank
from tools.formatting import dump

NAME = "recall_memories"


class RecallMemoriesArguments(BaseModel):
    query: str = Field(description="要回忆的内容，用完整的话描述")


@dataclass(frozen=True, slots=True, kw_only=True)
class Recalled:
    """The outcome of a recall: its result or `{error, error_code}`, its calls, and their usage."""

    record: dict[str, Any]
    calls: Sequence[dict[str, Any]] = ()
    usage: list[UsageRow] = field(default_factory=list[UsageRow])


class Recall(Protocol):
    async def __call__(self, query: str, scope: Scope) -> Recalled:
        """Find memories of the scope's user."""
        ...


@dataclass(frozen=True, slots=True)
class RecallMemories:
    recall: Recall
    name: str = NAME
    description: str = "回忆该用户以前的对话、偏好和结论。问题提到之前、上次、按照我的……，或需要用户偏好时使用。"
    arguments: type[BaseModel] = RecallMemoriesArguments

    async def __call__(self, arguments: RecallMemoriesArguments, scope: Scope) -> ToolResult:
        """Return the memories, each a piece of evidence; a failure is an error result with its code."""
        recalled = await self.recall(arguments.query, scope)
        record, steps = recalled.record, list(recalled.calls)
        if "error" in record:
            error = dump({"error": record["error"], "tool": self.name, "error_code": record["error_code"]})
            return ToolResult(data=record, text=error, ok=False, steps=steps, usage=recalled.usage)
        pieces = [
            Evidence(
                {
                    **blank(
                        "memory",
                        row["memory_key"],
                        row["content"],
                        score=row["relevance_score"],
                        library=scope.library,
                        location=f"{row['memory_key']} ({row['created_at'][:10]})",
                    ),
                    "past": row["is_past"],
                }
            )
            for row in record["memories"]
            if row["content"]
        ]
        return ToolResult(
            data=record,
            text=dump(record),
            evidence=pieces,
            items=len(record["memories"]),
            steps=steps,
            usage=recalled.usage,
        )
