"""track_entity: an entity's passages in story order."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, Field

from tools.base import Scope, ToolResult
from tools.evidence import passage_evidence, passage_item, passage_rows
from tools.formatting import counts, listing, rows_that_fit, thin
from tools.ports import PassageStore
from tools.records import Passage, PassageFilter, story_position
from tools.story.names import EntityNames, report
from tools.story.parameters import ChapterPair, as_bounds

SHOWN_PASSAGES = 30


class TrackEntityArguments(BaseModel):
    """Arguments of track_entity."""

    entity: str = Field(description="要追踪的实体名称")
    chapter_range: ChapterPair | None = Field(default=None, description="章节范围 [起始, 结束]，默认全范围")
    part: int | None = Field(default=None, ge=1, description="章节范围所在的部，可选")


@dataclass(frozen=True, slots=True)
class TrackEntity:
    """Lists passages by metadata, not by similarity."""

    passages: PassageStore
    names: EntityNames
    shown: int = SHOWN_PASSAGES
    name: str = "track_entity"
    description: str = "实体时序追踪。用于事件演变查询（如'X如何发展'）、角色成长查询。返回按时间排序的结果。"
    arguments: type[BaseModel] = TrackEntityArguments

    async def __call__(self, arguments: TrackEntityArguments, scope: Scope) -> ToolResult:
        """Return the entity's passages in story order; if there are too many, an even sample."""
        entity = await self.names.resolve(arguments.entity, scope)
        where = PassageFilter(
            chapters=as_bounds(arguments.chapter_range),
            part=arguments.part,
            entity=entity.name,
            horizon=scope.horizon,
        )
        passages = await self.passages.scroll(scope.library, where)
        found = sorted(passages, key=lambda passage: (story_position(passage), passage.id))
        shown = thin(found, min(self.shown, rows_that_fit(scope.budget)))
        sampled = len(shown) < len(found)
        note = counts(len(found), len(shown), sampled=True) if sampled else ""
        return ToolResult(
            data=_data(entity.name, len(found), shown, sampled),
            text=listing(passage_rows(shown), scope.budget, before=[report([entity]), note], total=len(found)),
            evidence=[passage_evidence(one, None) for one in shown],
            items=len(shown),
        )


def _data(entity: str, total: int, shown: Sequence[Passage], sampled: bool) -> dict[str, Any]:
    items = [passage_item(one, None) for one in shown]
    for item in items:
        del item["score"]
    return {"entity": entity, "total": total, "shown": len(shown), "sampled": sampled, "items": items}
