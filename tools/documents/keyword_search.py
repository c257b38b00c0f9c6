"""keyword_search: chunks of documents that contain the words literally."""

import re
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, Field

from tools.base import Scope, ToolResult
from tools.documents.ports import DocumentStore
from tools.documents.results import NOTHING, chunk_evidence, chunk_item
from tools.documents.search import seen_by
from tools.errors import ArgumentError
from tools.formatting import dump

NAME = "keyword_search"
REQUIRED = "keywords parameter is required"
TERM = re.compile(r"[\"“]([^\"“”]+)[\"”]|(\S+)")  # a phrase between quotes, or a word
QUOTES = '"“”'


class KeywordSearchArguments(BaseModel):
    """Arguments of keyword_search."""

    keywords: str = Field(description="关键词，空格分隔，引号内为短语", json_schema_extra={"missing": REQUIRED})
    limit: int = Field(default=10, ge=1, le=50, description="返回结果数量，1..50，默认 10")


@dataclass(frozen=True, slots=True)
class KeywordSearch:
    """Finds the chunks with all words, or if there are none, those with any of them."""

    documents: DocumentStore
    name: str = NAME
    description: str = "关键词搜索。"
    arguments: type[BaseModel] = KeywordSearchArguments

    async def __call__(self, arguments: KeywordSearchArguments, scope: Scope) -> ToolResult:
        """Return the matching chunks with their terms. Raises ArgumentError for keywords without a word."""
        terms = terms_in(arguments.keywords)
        if not terms:
            raise ArgumentError(REQUIRED)
        found = await self.documents.matching(seen_by(scope), terms, arguments.limit)
        results = [
            chunk_item(one.chunk, scope.language) | {"chunk_id": one.chunk.chunk_id, "matched_terms": list(one.terms)}
            for one in found.rows
        ]
        data: dict[str, Any] = {
            "found": len(results),
            "total": found.total,
            "match_mode": found.mode,
            "results": results,
        }
        data |= {} if results else {"message": NOTHING}
        return ToolResult(
            data=data,
            text=dump(data),
            evidence=[chunk_evidence(one.chunk, None, scope.language) for one in found.rows],
            items=len(results),
        )


def terms_in(keywords: str) -> list[str]:
    """Return words and phrases, each once; a single quotation mark is not part of a word."""
    found = (match[1] or match[2].strip(QUOTES) for match in TERM.finditer(keywords))
    return list(dict.fromkeys(term.strip() for term in found if term.strip()))
