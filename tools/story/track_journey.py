"""track_journey: how an entity's relations developed."""

from dataclasses import dataclass

from pydantic import BaseModel, Field

from state.schema import Evidence
from tools.base import Scope, ToolResult
from tools.evidence import Quoting, place_of, unique
from tools.formatting import counted, shorten, thin, told
from tools.messages import Message
from tools.ports import StoryGraph
from tools.records import Relation
from tools.story.advice import headed, nothing, unknown_entity
from tools.story.names import EntityNames, report
from tools.story.relations import arrow, quote, relation_data, without_doubles
from tools.text.marking import marked

SHOWN_ROWS = 50
QUOTE_CHARACTERS = 150


class TrackJourneyArguments(BaseModel):
    """Arguments of track_journey."""

    entity: str = Field(description="要追踪的实体名称")
    target: str | None = Field(default=None, description="只返回与该实体之间的关系，可选")


@dataclass(frozen=True, slots=True)
class TrackJourney:
    """Lists relations in story order; more than may be shown are thinned evenly."""

    graph: StoryGraph
    quoting: Quoting
    names: EntityNames
    name: str = "track_journey"
    description: str = "按故事顺序追踪实体的关系变化。用于“X是如何发展的？”、“X的经历？”。"
    arguments: type[BaseModel] = TrackJourneyArguments

    async def __call__(self, arguments: TrackJourneyArguments, scope: Scope) -> ToolResult:
        """Return the relations of one entity, or of a pair."""
        given = [name for name in (arguments.entity, arguments.target) if name]
        ends = [await self.names.resolve(name, scope) for name in given]
        for end in ends:
            if await self.graph.entity(scope.library, end.name, scope.horizon) is None:
                return unknown_entity(end)
        entity, target = ends[0].name, ends[1].name if len(ends) > 1 else None
        relations = without_doubles(await self.graph.relations(scope.library, entity, scope.horizon, other=target))
        shown = thin(relations, SHOWN_ROWS)
        rows = [relation_data(one) for one in shown]
        pieces = await self.quoting.relations(shown, scope)
        lines = [_line(one, piece) for one, piece in zip(shown, pieces, strict=True)]
        empty = headed(ends, nothing(Message("story.try_get_character_events")))
        return ToolResult(
            data={"entity": entity, "target": target, "found": True, "total": len(relations), "rows": rows},
            text=counted(lines, len(relations), report(ends), scope.budget) or empty,
            evidence=unique(pieces),
            items=len(shown),
        )


def _line(relation: Relation, piece: Evidence) -> str:
    """Return `第P部 第N章：A -[R]-> B: <evidence>`."""
    quoted = shorten(quote(relation), QUOTE_CHARACTERS)
    edge = f"{arrow(relation)}: {quoted}" if quoted else arrow(relation)
    return marked(piece["id"], told(place_of(piece), edge))
