"""lookup_knowledge: the type, aliases and relations of an entity."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, Field

from state.schema import Evidence
from tools.arguments import CHOICES
from tools.base import Scope, ToolResult
from tools.evidence import Quoting, place_of, unique
from tools.formatting import lines_that_fit, shorten, told, within
from tools.messages import Message, say
from tools.ports import StoryGraph
from tools.records import Entity, Relation
from tools.story.advice import headed, nothing, unknown_entity
from tools.story.names import EntityNames, Resolved
from tools.story.relations import RELATION_TYPES, relation_data, relation_type, without_doubles
from tools.text.marking import marked

SHOWN_RELATIONS = 10
DESCRIPTION_CHARACTERS = 100
ENTITY_CHARACTERS = 1_000


class LookupKnowledgeArguments(BaseModel):
    """Arguments of lookup_knowledge."""

    entity: str = Field(description="要查询的实体名称")
    relation: str | None = Field(
        default=None,
        description="只返回这种类型的关系，可选；不指定则返回所有关系",
        json_schema_extra={CHOICES: list(RELATION_TYPES)},
    )


@dataclass(frozen=True, slots=True)
class LookupKnowledge:
    """Returns an entity's type, aliases, description and first relations."""

    graph: StoryGraph
    quoting: Quoting
    names: EntityNames
    name: str = "lookup_knowledge"
    description: str = "查询知识图谱中的实体：类型、别名、描述和直接关系。用于“X是谁？”、“X是什么？”。"
    arguments: type[BaseModel] = LookupKnowledgeArguments

    async def __call__(self, arguments: LookupKnowledgeArguments, scope: Scope) -> ToolResult:
        """Return the entity with its aliases and first relations."""
        type = await relation_type(self.graph, arguments.relation, scope)
        resolved = await self.names.resolve(arguments.entity, scope)
        entity = await self.graph.entity(scope.library, resolved.name, scope.horizon)
        if entity is None:
            return unknown_entity(resolved)
        found = await self.graph.relations(scope.library, entity.name, scope.horizon, type=type)
        relations = without_doubles(found)
        shown = relations[:SHOWN_RELATIONS]
        pieces = await self.quoting.relations(shown, scope)
        lines = [_line(entity.name, one, piece) for one, piece in zip(shown, pieces, strict=True)]
        return ToolResult(
            data=_data(entity, relations, shown),
            text=_text(resolved, entity, len(relations), lines, scope.budget),
            evidence=unique(pieces),
            items=len(shown),
        )


def _data(entity: Entity, relations: Sequence[Relation], shown: Sequence[Relation]) -> dict[str, Any]:
    return {
        "entity": entity.name,
        "found": True,
        "type": entity.kind,
        "aliases": list(entity.aliases),
        "description": entity.description,
        "relations": [relation_data(one) for one in shown],
        "total": len(relations),
        "shown": len(shown),
    }


def _text(resolved: Resolved, entity: Entity, total: int, lines: Sequence[str], budget: int) -> str:
    head = headed([resolved], *_card(entity))
    if not lines:
        return shorten(f"{head}\n{nothing(Message('story.try_search_memory'))}", budget)
    kept = lines_that_fit(lines, budget - len(head) - DESCRIPTION_CHARACTERS)
    return within("\n".join([head, *kept, say("story.relations_shown", total=total, shown=len(kept))]), budget)


def _card(entity: Entity) -> list[str]:
    """Return the lines on the entity itself."""
    aliases = say("story.entity_aliases", names=say("sign.list").join(entity.aliases)) if entity.aliases else ""
    description = say("story.entity_description", text=entity.description) if entity.description else ""
    lines = [f"**{entity.name}**", say("story.entity_kind", kind=entity.kind), aliases, description]
    return [shorten(line, ENTITY_CHARACTERS) for line in lines if line]


def _line(name: str, relation: Relation, piece: Evidence) -> str:
    """Return `第P部 第N章：[REL] → target (type): <description>`."""
    outward = relation.source == name
    other = f"{relation.target} ({relation.target_kind})" if outward else f"{relation.source} ({relation.source_kind})"
    head = f"[{relation.type}] {'→' if outward else '←'} {other}"
    summary = shorten(relation.description or relation.evidence, DESCRIPTION_CHARACTERS)
    return marked(piece["id"], told(place_of(piece), f"{head}: {summary}" if summary else head))
