"""find_connection: how two entities are connected."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, Field

from state.schema import Evidence
from tools.base import Scope, ToolResult
from tools.evidence import Quoting, place_of, unique
from tools.formatting import counted, shorten, told
from tools.messages import say
from tools.ports import StoryGraph
from tools.records import Relation
from tools.story.advice import headed, unknown_entity
from tools.story.names import EntityNames, Resolved, echo
from tools.story.relations import arrow, chain, relation_data, without_doubles
from tools.text.marking import marked

MAX_HOPS = 4
# Places and other hubs connect everything: a path through one means nothing.
HUB_KINDS = ("Location",)
SHOWN_EDGES = 20
QUOTE_CHARACTERS = 200


class FindConnectionArguments(BaseModel):
    """Arguments of find_connection."""

    entity1: str = Field(description="第一个实体名称")
    entity2: str = Field(description="第二个实体名称")


@dataclass(frozen=True, slots=True)
class FindConnection:
    """Finds every relation between two entities, else a shortest path."""

    graph: StoryGraph
    quoting: Quoting
    names: EntityNames
    hub_kinds: tuple[str, ...] = HUB_KINDS
    name: str = "find_connection"
    description: str = "查找两个实体之间的全部关系；没有直接关系时查找路径。用于“X和Y是什么关系？”。"
    arguments: type[BaseModel] = FindConnectionArguments

    async def __call__(self, arguments: FindConnectionArguments, scope: Scope) -> ToolResult:
        """Return the path with true directions, and each of its edges; of a direct one all that there are."""
        given = (arguments.entity1, arguments.entity2)
        ends = [await self.names.resolve(name, scope) for name in given]
        found = await asyncio.gather(*(self.graph.entity(scope.library, one.name, scope.horizon) for one in ends))
        for end, entity in zip(ends, found, strict=True):
            if entity is None:
                return unknown_entity(end)
        start, goal = ends
        if start.name == goal.name:
            return ToolResult(
                data=_data(start, goal, [], []), text=headed(ends, say("story.same_entity", name=echo(start.name)))
            )
        path = await self.graph.path(scope.library, start.name, goal.name, MAX_HOPS, self.hub_kinds, scope.horizon)
        edges = path
        if len(path) == 1:
            edges = without_doubles(
                await self.graph.relations(scope.library, start.name, scope.horizon, other=goal.name)
            )
        pieces = await self.quoting.relations(edges[:SHOWN_EDGES], scope)
        lines = [_line(one, piece) for one, piece in zip(edges, pieces, strict=False)]
        empty = headed(ends, say("story.no_path", hops=MAX_HOPS))
        return ToolResult(
            data=_data(start, goal, path, edges[:SHOWN_EDGES]),
            text=counted(lines, len(edges), headed(ends, *_head(start.name, path)), scope.budget) or empty,
            evidence=unique(pieces),
            items=len(pieces),
        )


def _data(start: Resolved, goal: Resolved, path: Sequence[Relation], edges: Sequence[Relation]) -> dict[str, Any]:
    return {
        "entity1": start.name,
        "entity2": goal.name,
        "found": bool(path),
        "path": chain(start.name, path) if path else "",
        "hops": len(path),
        "edges": [relation_data(one) for one in edges],
    }


def _head(start: str, path: Sequence[Relation]) -> list[str]:
    """Return the path and its length."""
    return [chain(start, path), say("story.hops", hops=len(path))] if path else []


def _line(relation: Relation, piece: Evidence) -> str:
    """Return `第P部 第N章：A -[R]-> B: <description> 「evidence」`."""
    quoted = f"「{shorten(relation.evidence, QUOTE_CHARACTERS)}」" if relation.evidence else ""
    said = " ".join(text for text in (shorten(relation.description, QUOTE_CHARACTERS), quoted) if text)
    edge = f"{arrow(relation)}: {said}" if said else arrow(relation)
    return marked(piece["id"], told(place_of(piece), edge))
