"""vector_search: hybrid search with chapter and entity filters."""

from dataclasses import dataclass

from pydantic import BaseModel, Field

from tools.base import Scope, ToolResult
from tools.evidence import passage_evidence, passage_item, passage_rows
from tools.formatting import listing
from tools.records import PassageFilter
from tools.story.names import EntityNames, report
from tools.story.parameters import ChapterPair, as_bounds
from tools.story.retrieval import Retriever


class VectorSearchArguments(BaseModel):
    """Arguments of vector_search."""

    query: str = Field(description="检索的关键词或问题")
    top_k: int = Field(default=10, ge=1, le=50, description="返回结果数量")
    chapter_filter: ChapterPair | None = Field(default=None, description="章节范围 [起始章节, 结束章节]，可选")
    part: int | None = Field(default=None, ge=1, description="章节范围所在的部，可选")
    entity_filter: str | None = Field(default=None, description="过滤包含特定实体的结果，可选")


@dataclass(frozen=True, slots=True)
class VectorSearch:
    """Finds the passages that are nearest to a query."""

    retriever: Retriever
    names: EntityNames
    name: str = "vector_search"
    description: str = "通用向量检索。用于简单事实查询、实体属性查询。支持章节范围和实体过滤。"
    arguments: type[BaseModel] = VectorSearchArguments

    async def __call__(self, arguments: VectorSearchArguments, scope: Scope) -> ToolResult:
        """Return passages with their scores, best first."""
        given = arguments.entity_filter
        entity = await self.names.resolve(given, scope) if given else None
        where = PassageFilter(
            chapters=as_bounds(arguments.chapter_filter),
            part=arguments.part,
            entity=entity.name if entity else None,
            horizon=scope.horizon,
        )
        found = await self.retriever.search(scope.library, arguments.query, where, arguments.top_k)
        rows = passage_rows(one.passage for one in found)
        return ToolResult(
            data=[passage_item(one.passage, one.score) for one in found],
            text=listing(rows, scope.budget, before=[report([entity])], whole=scope.whole),
            evidence=[passage_evidence(one.passage, one.score) for one in found],
            items=len(found),
        )
