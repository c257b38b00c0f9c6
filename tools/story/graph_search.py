"""graph_search: the neighbours of an entity, with the passages that show both."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, Field

from tools.base import Scope, ToolResult
from tools.evidence import Quoting, passage_evidence, passage_item, passage_rows, unique, unique_passages
from tools.formatting import lines_that_fit, listing, marked, within
from tools.ports import PassageStore, StoryGraph
from tools.records import Neighbourhood, PassageFilter, Relation, ScoredPassage
from tools.story.names import EntityNames, echo, report
from tools.story.narrative import UNKNOWN_ENTITY, relation_type, triple, with_report, without_doubles
from tools.story.search import Retriever
from tools.wording import Words

MAX_NEIGHBOURS = 20
PASSAGES_PER_NEIGHBOUR = 2
# Relations among neighbours grow with their square: this many are enough to cite.
MAX_RELATION_EVIDENCE = 60
# The share of the budget that triples and descriptions may take before the passages.
GRAPH_SHARE = 0.5
NO_RELATION = Words("实体 {name} 没有符合条件的关系", "The entity {name} has no such relation")
HOPS = Words("{hop} 跳", "{hop} hops")
TOTAL = Words("共 {total} 个相关实体，显示 {shown} 个", "{total} related entities, {shown} shown")


class GraphSearchArguments(BaseModel):
    entity: str = Field(description="起始实体名称")
    relation: str | None = Field(
        default=None, description="关系类型(friend_of/enemy_of/member_of等)，不指定则查询所有关系"
    )
    depth: int = Field(default=2, ge=1, le=3, description="图遍历深度")


@dataclass(frozen=True, slots=True)
class GraphSearch:
    graph: StoryGraph
    passages: PassageStore
    quoting: Quoting
    retriever: Retriever
    names: EntityNames
    name: str = "graph_search"
    description: str = "图结构检索。用于关系查询（如'A和B什么关系'）、社交网络查询（如'A的朋友有谁'）。"
    arguments: type[BaseModel] = GraphSearchArguments

    async def __call__(self, arguments: GraphSearchArguments, scope: Scope) -> ToolResult:
        """Return the entity's neighbours, the relations among them and the passages that show them."""
        relation = await relation_type(self.graph, arguments.relation, scope)
        resolved = await self.names.resolve(arguments.entity, scope)
        start = resolved.name
        if await self.graph.entity(scope.library, start, scope.horizon) is None:
            return ToolResult(data=to_data(start, Neighbourhood(), [], []), text=UNKNOWN_ENTITY.say(name=echo(start)))
        around = await self.graph.neighbourhood(
            scope.library, start, relation, arguments.depth, MAX_NEIGHBOURS, scope.horizon
        )
        if not around.neighbours:
            text = with_report([resolved], NO_RELATION.say(name=echo(start)))
            return ToolResult(data=to_data(start, Neighbourhood(), [], []), text=text)
        found = await asyncio.gather(*(self._shared(start, one.name, scope) for one in around.neighbours))
        chunks = unique_passages(passage for passages in found for passage in passages)
        edges = sorted(without_doubles(around.edges), key=lambda edge: start not in (edge.source, edge.target))
        pieces = await self.quoting.relations(edges[:MAX_RELATION_EVIDENCE], scope)
        ids: dict[str, str] = dict.fromkeys(map(triple, edges), "")  # each triple once, marked where it is evidence
        for edge, piece in zip(edges, pieces, strict=False):
            ids[triple(edge)] = ids[triple(edge)] or piece["id"]
        lines = [marked(id, text) for text, id in ids.items()]
        lines += [
            f"- {one.name} ({HOPS.say(hop=one.hop)}): {one.description}" for one in around.neighbours if one.description
        ]
        total = TOTAL.say(total=around.total, shown=len(around.neighbours))
        before = [report([resolved]), *lines_that_fit(lines, int(scope.budget * GRAPH_SHARE)), total]
        text = within("\n".join(line for line in before if line), scope.budget)
        if chunks:
            text = listing(passage_rows(one.passage for one in chunks), scope.budget, before=before)
        return ToolResult(
            data=to_data(start, around, edges, chunks),
            text=text,
            evidence=[*unique(pieces), *(passage_evidence(one.passage, one.score) for one in chunks)],
            items=len(around.neighbours) + len(chunks),
        )

    async def _shared(self, start: str, neighbour: str, scope: Scope) -> list[ScoredPassage]:
        """Return the first passages that name both, else the best ones of the neighbour."""
        both = PassageFilter(entity=start, any_entity=(neighbour,), horizon=scope.horizon)
        first = await self.passages.scroll(scope.library, both, limit=PASSAGES_PER_NEIGHBOUR)
        if first:
            return [ScoredPassage(passage, None) for passage in first]
        alone = PassageFilter(entity=neighbour, horizon=scope.horizon)
        return await self.retriever.search(scope.library, neighbour, alone, PASSAGES_PER_NEIGHBOUR)


def to_data(
    entity: str, around: Neighbourhood, edges: Sequence[Relation], chunks: Sequence[ScoredPassage]
) -> dict[str, Any]:
    return {
        "entity": entity,
        "neighbors": [
            {
                "name": one.name,
                "relation": one.relation,
                "direction": one.direction,
                "hop": one.hop,
                "description": one.description,
            }
            for one in around.neighbours
        ],
        "triples": list(dict.fromkeys(map(triple, edges))),
        "chunks": [passage_item(one.passage, one.score) for one in chunks],
        "total_neighbors": around.total,
        "truncated": around.total > len(around.neighbours),
    }
