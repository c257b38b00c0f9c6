"""A tool that fails now and then."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel

from tools.base import Scope, Tool, ToolResult
from tools.errors import StoreUnavailable

Failure = str | None
FAILURES: dict[str, Callable[[], Exception]] = {
    "store": lambda: StoreUnavailable("图谱连不上"),
    "bug": lambda: RuntimeError("x"),
    "value": lambda: ValueError("y"),
}


@dataclass
class Flaky:
    """A tool whose first calls of the question fail as a script says."""

    tool: Tool
    failures: list[Failure]

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
        failure = self.failures.pop(0) if self.failures else None
        if failure is not None:
            raise FAILURES[failure]()
        return await self.tool(arguments, scope)
