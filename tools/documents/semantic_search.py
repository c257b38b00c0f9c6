"""semantic_search: chunks of documents by similarity."""

from dataclasses import dataclass, field
from functools import cache

from pydantic import BaseModel, Field, create_model

from tools.base import Scope, ToolResult
from tools.documents.results import NOTHING, chunk_evidence, chunk_item
from tools.documents.search import DocumentSearch
from tools.formatting import dump

NAME = "semantic_search"
ROWS = 5  # TOP_K_RETRIEVAL
MOST_ROWS = 20


class SemanticSearchArguments(BaseModel):
    """Arguments of semantic_search."""

    query: str = Field(description="检索的问题或描述", json_schema_extra={"missing": "query parameter is required"})
    top_k: int = Field(default=ROWS, ge=1, le=MOST_ROWS, description="返回结果数量，1..20，默认 5")


@cache
def arguments_with(rows: int) -> type[SemanticSearchArguments]:
    """Return the arguments with the deployment's default for top_k."""
    described = Field(default=rows, ge=1, le=MOST_ROWS, description=f"返回结果数量，1..20，默认 {rows}")
    return create_model("SemanticSearchArguments", __base__=SemanticSearchArguments, top_k=(int, described))


@dataclass(frozen=True, slots=True)
class SemanticSearch:
    """Finds the chunks that are nearest to a query, among those that the run may see."""

    search: DocumentSearch
    rows: int = ROWS
    name: str = NAME
    description: str = "使用向量相似度搜索相关内容。"
    arguments: type[BaseModel] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "arguments", arguments_with(self.rows))

    async def __call__(self, arguments: SemanticSearchArguments, scope: Scope) -> ToolResult:
        """Return the best chunks with their cosines."""
        found = await self.search.search(arguments.query, scope, arguments.top_k)
        chunks = [chunk_item(one.chunk, scope.language) | {"score": one.score} for one in found]
        data = {"found": len(chunks), "chunks": chunks, **({} if chunks else {"message": NOTHING})}
        return ToolResult(
            data=data,
            text=dump(data),
            evidence=[chunk_evidence(one.chunk, one.score, scope.language) for one in found],
            items=len(found),
        )
