"""search_memory: the story's own words."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from pydantic import BaseModel, Field

from tools.base import Scope, ToolResult
from tools.evidence import passage_evidence, passage_item, passage_rows, unique_passages
from tools.formatting import listing
from tools.messages import say
from tools.records import PassageFilter, ScoredPassage, story_position
from tools.story.names import EntityNames, report
from tools.story.parameters import ChapterPair, as_bounds
from tools.story.retrieval import Retriever


class SearchMemoryArguments(BaseModel):
    """Arguments of search_memory; the number of rows is the attempt's, not the model's."""

    query: str = Field(description="搜索故事原文的关键词或问题")
    characters: list[str] | None = Field(default=None, description="只保留提到其中任一人物的片段，可选")
    sort_by: Literal["relevance", "time"] = Field(
        default="relevance", description="排序方式: relevance(相关度)/time(故事时间)"
    )
    chapters: ChapterPair | None = Field(default=None, description="章节范围 [起始章节, 结束章节]，可选")
    part: int | None = Field(default=None, description="只搜索这一部，可选")


@dataclass(frozen=True, slots=True)
class SearchMemory:
    """Finds passages, by relevance or in story order."""

    retriever: Retriever
    names: EntityNames
    name: str = "search_memory"
    description: str = "搜索故事原文。用于查询对话、台词和具体场景（如'X说了什么？'）。"
    arguments: type[BaseModel] = SearchMemoryArguments

    async def __call__(self, arguments: SearchMemoryArguments, scope: Scope) -> ToolResult:
        """Return at most `scope.limit` rows."""
        resolved = await self.names.resolve_all(arguments.characters or [], scope)
        names = tuple(one.name for one in resolved)
        bounds = PassageFilter(chapters=as_bounds(arguments.chapters), part=arguments.part, horizon=scope.horizon)
        found = await self._search(arguments.query, replace(bounds, any_entity=names), scope)
        relaxed = bool(names) and not found
        if relaxed:
            found = await self._search(" ".join((*names, arguments.query)), bounds, scope)
        if arguments.sort_by == "time":
            found = sorted(found, key=lambda one: (story_position(one.passage), one.passage.id))
        return _result(
            found, [report(resolved), say("story.character_filter_dropped") if relaxed else ""], relaxed, scope
        )

    async def _search(self, query: str, where: PassageFilter, scope: Scope) -> list[ScoredPassage]:
        return unique_passages(await self.retriever.search(scope.library, query, where, scope.limit))


def _result(found: Sequence[ScoredPassage], before: list[str], relaxed: bool, scope: Scope) -> ToolResult:
    data: dict[str, Any] = {"relaxed": relaxed, "items": [passage_item(one.passage, one.score) for one in found]}
    return ToolResult(
        data=data,
        text=listing(passage_rows(one.passage for one in found), scope.budget, before=before, whole=scope.whole),
        evidence=[passage_evidence(one.passage, one.score) for one in found],
        items=len(found),
    )
