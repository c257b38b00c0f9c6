"""The search of semantic_search and rag mode: by meaning and by words, in the documents that a run may see."""

import asyncio
import logging
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from pydantic import BaseModel, Field, create_model

from state.context import Language
from state.schema import Evidence
from tools.base import Scope, ToolResult, note
from tools.documents.links import NAMED, SOURCES, is_linked, names_in, with_links
from tools.documents.records import Chunk, DocumentScope, RankedChunk, place_of
from tools.documents.scores import DocumentQuestion, scores
from tools.errors import ArgumentError, ModelError
from tools.evidence import blank
from tools.formatting import dump
from tools.messages import say
from tools.ports import DocumentStore, Embedder
from tools.story.search import MAX_QUERY_CHARACTERS
from tools.story.windows import nearest

NOTHING = "No relevant documents found."


def chunk_item(chunk: Chunk, language: Language) -> dict[str, Any]:
    return {
        "content": chunk.content,
        "filename": chunk.document.path,
        "chunk_index": chunk.chunk_index,
        "location": chunk.location.label(language),
    }


def chunk_evidence(chunk: Chunk, score: float | None, language: Language) -> Evidence:
    found = blank(
        "document",
        chunk.chunk_id,
        chunk.content,
        score=score,
        source=chunk.document.path,
        location=chunk.location.label(language) or None,
        start=chunk.start,
        end=chunk.end,
    )
    table = "\n".join(filter(None, (chunk.location.sheet, *chunk.location.heading)))
    return {**found, "table": table, "document": chunk.document.id}


def document_id(piece: Evidence) -> str:
    """Return what tells the document of a chunk from others, also from one of its name: its id, where it is known."""
    return piece.get("document") or piece["source"] or ""


CANDIDATES = 50  # rows of each ranking
BY_PART = 0.5
"""Share of the nearest window in a chunk's cosine: one half, better than either alone on 325 questions and follow-ups
over 2,300 passages of web pages."""

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class DocumentSearch:
    """Finds chunks; isolation is a condition inside each of the store's queries."""

    documents: DocumentStore
    embedder: Embedder

    async def search(self, query: str, scope: Scope, top_k: int) -> list[tuple[Chunk, float | None]]:
        """Return the `top_k` best chunks with their cosine, 0..1, None if nothing was compared. Raises StoreError.

        Two rankings give the candidates, `tools.documents.links` the pages that the best of them name;
        `tools.documents.scores` orders them, ties by filename and chunk_index.
        """
        seen, asked = seen_by(scope), DocumentQuestion.of(query[:MAX_QUERY_CHARACTERS], scope.earlier)
        vector = await self._vector(asked)
        searches = [self.documents.sparse(seen, asked.words[:MAX_QUERY_CHARACTERS], CANDIDATES)]
        if vector is not None:
            searches.append(self.documents.dense(seen, vector, CANDIDATES))
        ids = dict.fromkeys(row.chunk.chunk_id for ranking in await asyncio.gather(*searches) for row in ranking)
        rows = await self.documents.fetch(seen, list(ids), vector) if ids else []
        points = await asyncio.to_thread(self._points, asked, rows, vector)
        if sources := best_first(rows, points)[:SOURCES]:
            names = names_in([rows[at].chunk.content for at in sources])[:MAX_QUERY_CHARACTERS]
            named = await self.documents.sparse(seen, names, NAMED) if names else []
            known = [rows[at].chunk for at in sources]
            new = [one.chunk.chunk_id for one in named if one.chunk.chunk_id not in ids and is_linked(one.chunk, known)]
            if new:
                rows += await self.documents.fetch(seen, new, vector)
                points = await asyncio.to_thread(self._points, asked, rows, vector)
            points = with_links(points, [row.chunk for row in rows], best_first(rows, points)[:SOURCES])
        cosines = [row.score if vector is not None else 0.0 for row in rows]
        clipped = [None if vector is None else min(1.0, max(0.0, cosine)) for cosine in cosines]
        return [(rows[at].chunk, clipped[at]) for at in best_first(rows, points)[:top_k]]

    def _points(
        self, asked: DocumentQuestion, rows: Sequence[RankedChunk], vector: Sequence[float] | None
    ) -> list[float]:
        return scores(asked, [row.chunk for row in rows], near(rows, vector))

    async def get_context_chunks(self, question: str, scope: Scope, top_k: int = 5) -> list[str]:
        return [chunk.content for chunk, _ in await self.search(question, scope, top_k)]

    async def _vector(self, asked: DocumentQuestion) -> list[float] | None:
        """Embed a query, pulled towards the last question of its conversation.

        None if the embedder's service fails: then the search uses words alone.
        """
        try:
            own = await self.embedder.embed_query(asked.query)
            last = await self.embedder.embed_query(asked.last) if asked.last else own
        except ModelError as error:
            logger.warning("searched by words alone: %s", type(error).__name__)
            note(say("story.searched_by_words", error=error))
            return None
        mixed = [a + asked.direction * b for a, b in zip(own, last, strict=True)]
        length = math.hypot(*mixed) or 1.0
        return [value / length for value in mixed]


def best_first(rows: Sequence[RankedChunk], points: Sequence[float]) -> list[int]:
    return sorted(range(len(rows)), key=lambda at: (-points[at], place_of(rows[at].chunk)))


def seen_by(scope: Scope) -> DocumentScope:
    """Return the documents that a run may see; user and thread never come from arguments."""
    return DocumentScope(scope.user_id, scope.thread_id, scope.folders)


def near(rows: Sequence[RankedChunk], vector: Sequence[float] | None) -> list[float]:
    """Return the cosine of each chunk, mixed with that of its nearest window if it has several.

    The mean of the windows stands for the topic, a window for a statement on it (`tools.story.windows`).
    """
    if vector is None:
        return [0.0] * len(rows)
    parts = [nearest(row.chunk.windows, vector) for row in rows]
    return [
        row.score if part is None else (1 - BY_PART) * row.score + BY_PART * part
        for row, part in zip(rows, parts, strict=True)
    ]


LIST_DOCUMENTS = "list_documents"


class ListDocumentsArguments(BaseModel):
    include_preloaded: bool = Field(default=True, description="是否包含预置文档，默认 true")


@dataclass(frozen=True, slots=True)
class ListDocuments:
    documents: DocumentStore
    name: str = LIST_DOCUMENTS
    description: str = "列出可用的文档。"
    arguments: type[BaseModel] = ListDocumentsArguments

    async def __call__(self, arguments: ListDocumentsArguments, scope: Scope) -> ToolResult:
        shown = await self.documents.documents(seen_by(scope), include_preloaded=arguments.include_preloaded)
        rows = [
            {
                "id": one.id,
                "filename": one.path,
                "mime_type": one.mime_type,
                "is_preloaded": one.is_preloaded,
                "uploaded_at": one.uploaded_at.isoformat(),
            }
            for one in shown
        ]
        lines = [f"{one.path} · {one.mime_type} · {one.uploaded_at:%Y-%m-%d}" for one in shown]
        pieces: list[Evidence] = [
            {**blank("document", one.id, line, source=one.path), "document": one.id}
            for one, line in zip(shown, lines, strict=True)
        ]
        data = {"total": len(shown), "documents": rows}
        return ToolResult(data=data, text=dump(data), evidence=pieces, items=len(shown))


KEYWORD_SEARCH = "keyword_search"
MOST_FOUND = 50
REQUIRED = "keywords parameter is required"
TERM = re.compile(r"[\"“]([^\"“”]+)[\"”]|(\S+)")  # a phrase between quotes, or a word
QUOTES = '"“”'


class KeywordSearchArguments(BaseModel):
    keywords: str = Field(description="关键词，空格分隔，引号内为短语", json_schema_extra={"missing": REQUIRED})
    limit: int = Field(default=10, ge=1, le=MOST_FOUND, description=f"返回结果数量，1..{MOST_FOUND}，默认 10")


@dataclass(frozen=True, slots=True)
class KeywordSearch:
    """Finds the chunks with all words, or if there are none, those with any of them."""

    documents: DocumentStore
    name: str = KEYWORD_SEARCH
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


SEMANTIC_SEARCH = "semantic_search"
ROWS = 5  # TOP_K_RETRIEVAL
MOST_ROWS = 20


class SemanticSearchArguments(BaseModel):
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
    name: str = SEMANTIC_SEARCH
    description: str = "使用向量相似度搜索相关内容。"
    arguments: type[BaseModel] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "arguments", arguments_with(self.rows))

    async def __call__(self, arguments: SemanticSearchArguments, scope: Scope) -> ToolResult:
        found = await self.search.search(arguments.query, scope, arguments.top_k)
        chunks = [chunk_item(chunk, scope.language) | {"score": score} for chunk, score in found]
        data = {"found": len(chunks), "chunks": chunks, **({} if chunks else {"message": NOTHING})}
        return ToolResult(
            data=data,
            text=dump(data),
            evidence=[chunk_evidence(chunk, score, scope.language) for chunk, score in found],
            items=len(found),
        )
