"""search_memory: the story's own words."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import BaseModel, Field

from tools.base import Scope, ToolResult
from tools.evidence import passage_evidence, passage_item, unique_passages
from tools.formatting import Row, listing, mark
from tools.records import PassageFilter, ScoredPassage, story_position
from tools.story.names import EntityNames, report
from tools.story.retrieval import Retriever
from tools.wording import Words

RELAXED = Words("已放宽人物过滤", "Without the filter of characters, with which nothing was found")
HEAD = Words(
    "第 {chapter} 章 | 任务 {task} | 事件 #{event} | 相关度 {score:.3f}",
    "chapter {chapter} | task {task} | event #{event} | relevance {score:.3f}",
)
# Ordering by time fetches this many rows for each row that is shown.
TIME_ROWS = 2


class SearchMemoryArguments(BaseModel):
    """Arguments of search_memory; the number of rows is the attempt's, not the model's."""

    query: str = Field(description="搜索故事原文的关键词或问题")
    characters: list[str] | None = Field(default=None, description="只保留提到其中任一人物的片段，可选")
    sort_by: Literal["relevance", "time"] = Field(
        default="relevance", description="排序方式: relevance(相关度)/time(故事时间)"
    )


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
        rows = scope.limit * (TIME_ROWS if arguments.sort_by == "time" else 1)
        found = await self._search(arguments.query, names, rows, scope)
        relaxed = bool(names) and not found
        if relaxed:
            found = await self._search(" ".join((*names, arguments.query)), (), rows, scope)
        if arguments.sort_by == "time":
            found = sorted(found, key=lambda one: (story_position(one.passage), one.passage.id))
        return _result(found[: scope.limit], [report(resolved), RELAXED.say() if relaxed else ""], relaxed, scope)

    async def _search(self, query: str, names: tuple[str, ...], rows: int, scope: Scope) -> list[ScoredPassage]:
        where = PassageFilter(any_entity=names, horizon=scope.horizon)
        return unique_passages(await self.retriever.search(scope.library, query, where, rows))


def _result(found: Sequence[ScoredPassage], before: list[str], relaxed: bool, scope: Scope) -> ToolResult:
    data: dict[str, Any] = {"relaxed": relaxed, "items": [passage_item(one.passage, one.score) for one in found]}
    return ToolResult(
        data=data,
        text=listing([_row(one) for one in found], scope.budget, before=before),
        evidence=[passage_evidence(one.passage, one.score) for one in found],
        items=len(found),
    )


def _row(one: ScoredPassage) -> Row:
    """Return a passage as a row of the result."""
    passage = one.passage
    chapter, task = mark(passage.chapter), mark(passage.task_id)
    head = HEAD.say(chapter=chapter, task=task, event=passage.event_order, score=one.score or 0.0)
    return Row(head=f"{head}\n", text=passage.text)
