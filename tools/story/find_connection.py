"""find_connection: how two entities are connected."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, Field

from tools.base import Scope, ToolResult
from tools.evidence import Quoting
from tools.formatting import place, shorten
from tools.ports import StoryGraph
from tools.records import Relation
from tools.story.advice import headed, unknown_entity
from tools.story.names import EntityNames, Resolved, echo
from tools.story.relations import arrow, chain, quote, relation_data
from tools.wording import Words

MAX_HOPS = 4
# Places and other hubs connect everything: a path through one means nothing.
HUB_KINDS = ("Location",)
QUOTE_CHARACTERS = 500
SAME = Words("两个名称指向同一实体: {name}", "Both names mean the same entity: {name}")
NO_PATH = Words(
    "未找到 {hops} 跳以内的路径。建议使用 search_memory 搜索两者的互动。",
    "There is no path within {hops} hops. Try search_memory for scenes with both.",
)
HOPS = Words("跳数: {hops}", "Hops: {hops}")
EVIDENCE = Words("证据:", "Evidence:")
UNQUOTED = Words("（无原文）", "(no quotation)")


class FindConnectionArguments(BaseModel):
    """Arguments of find_connection."""

    entity1: str = Field(description="第一个实体名称")
    entity2: str = Field(description="第二个实体名称")


@dataclass(frozen=True, slots=True)
class FindConnection:
    """Finds a shortest path between two entities."""

    graph: StoryGraph
    quoting: Quoting
    names: EntityNames
    hub_kinds: tuple[str, ...] = HUB_KINDS
    name: str = "find_connection"
    description: str = "查找两个实体之间的关系路径。用于“X和Y是什么关系？”。"
    arguments: type[BaseModel] = FindConnectionArguments

    async def __call__(self, arguments: FindConnectionArguments, scope: Scope) -> ToolResult:
        """Return the path with true directions and the evidence of each edge."""
        given = (arguments.entity1, arguments.entity2)
        ends = [await self.names.resolve(name, scope) for name in given]
        found = await asyncio.gather(*(self.graph.entity(scope.library, one.name, scope.horizon) for one in ends))
        for end, entity in zip(ends, found, strict=True):
            if entity is None:
                return unknown_entity(end)
        start, goal = ends
        if start.name == goal.name:
            return ToolResult(data=_data(start, goal, []), text=headed(ends, SAME.say(name=echo(start.name))))
        path = await self.graph.path(scope.library, start.name, goal.name, MAX_HOPS, self.hub_kinds, scope.horizon)
        return ToolResult(
            data=_data(start, goal, path),
            text=shorten(headed(ends, *_lines(start.name, path)), scope.budget),
            evidence=await self.quoting.relations(path, scope),
            items=len(path),
        )


def _data(start: Resolved, goal: Resolved, path: Sequence[Relation]) -> dict[str, Any]:
    return {
        "entity1": start.name,
        "entity2": goal.name,
        "found": bool(path),
        "path": chain(start.name, path) if path else "",
        "hops": len(path),
        "edges": [relation_data(one) for one in path],
    }


def _lines(start: str, path: Sequence[Relation]) -> list[str]:
    if not path:
        return [NO_PATH.say(hops=MAX_HOPS)]
    edges = [f"- {arrow(one)} [{place(one.chapter, one.task_id)}]: {_quote(one)}" for one in path]
    return [chain(start, path), HOPS.say(hops=len(path)), EVIDENCE.say(), *edges]


def _quote(relation: Relation) -> str:
    return shorten(quote(relation), QUOTE_CHARACTERS) or UNQUOTED.say()
