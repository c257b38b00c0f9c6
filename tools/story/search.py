"""The tools that find passages: vector_search, search_memory, track_entity, and the hybrid search under them."""

import asyncio
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, Field

from tools.base import Scope, ToolResult, note
from tools.errors import ModelError
from tools.evidence import passage_evidence, passage_item, passage_rows, unique_passages, unscored_item
from tools.formatting import counts, listing, rows_that_fit, thin
from tools.messages import Text, say
from tools.ports import Embedder, PassageStore
from tools.records import PassageFilter, Ranked, ScoredPassage, story_position
from tools.story.names import EntityNames, report


def _pair(value: list[int]) -> list[int]:
    """Check a range of chapters; the message follows the parameter's name."""
    if len(value) != 2 or not 0 <= value[0] <= value[1]:
        raise ValueError(say("story.wrong_pair"))
    return value


ChapterPair = Annotated[list[int], AfterValidator(_pair)]


def as_bounds(pair: list[int] | None) -> tuple[int, int] | None:
    return (pair[0], pair[1]) if pair else None


logger = logging.getLogger(__name__)

# Reciprocal rank fusion: Cormack, Clarke, Büttcher, SIGIR 2009, with their constant.
FUSION_CONSTANT = 60
MIN_CANDIDATES = 50
CANDIDATES_PER_ROW = 5
# Longer than any question; embedding models read about 512 tokens.
MAX_QUERY_CHARACTERS = 1_000


@dataclass(frozen=True, slots=True)
class Retriever:
    """The hybrid search.

    Attributes:
        losses: by library, what is known to be missing of it, which every search says.
    """

    passages: PassageStore
    embedder: Embedder
    losses: Mapping[str, Text] = field(default_factory=dict)

    async def search(self, library: str, query: str, where: PassageFilter, top_k: int) -> list[ScoredPassage]:
        """Return the `top_k` best passages with their cosine to the query; the store applies every filter."""
        if library in self.losses:
            note(str(self.losses[library]))
        text = query[:MAX_QUERY_CHARACTERS]
        vector = await self._vector(text)
        candidates = max(MIN_CANDIDATES, CANDIDATES_PER_ROW * top_k)
        searches = [self.passages.sparse(library, text, where, candidates)]
        if vector is not None:
            searches.insert(0, self.passages.dense(library, vector, where, candidates))
        best = fuse(await asyncio.gather(*searches))[:top_k]
        return await self.passages.fetch(library, [row.id for row in best], vector, where.horizon) if best else []

    async def _vector(self, text: str) -> list[float] | None:
        """Embed a query; None if the embedder's service fails: then the search uses words alone, without cosines."""
        try:
            return await self.embedder.embed_query(text)
        except ModelError as error:
            logger.warning("searched by words alone: %s", error)
            note(say("story.searched_by_words", error=error))
            return None


def fuse(rankings: Sequence[Sequence[Ranked]]) -> list[Ranked]:
    """Join rankings by the sum of 1/(60 + rank), ranks from 1; ties by story position, then id."""
    scores: dict[str, float] = {}
    orders: dict[str, int] = {}
    for ranking in rankings:
        for rank, row in enumerate(ranking, 1):
            scores[row.id] = scores.get(row.id, 0.0) + 1 / (FUSION_CONSTANT + rank)
            orders[row.id] = row.event_order
    rows = [Ranked(id, score, orders[id]) for id, score in scores.items()]
    return sorted(rows, key=lambda row: (-row.score, row.event_order, row.id))


class VectorSearchArguments(BaseModel):
    query: str = Field(description="检索的关键词或问题")
    top_k: int = Field(default=10, ge=1, le=50, description="返回结果数量")
    chapter_filter: ChapterPair | None = Field(default=None, description="章节范围 [起始章节, 结束章节]，可选")
    part: int | None = Field(default=None, ge=1, description="章节范围所在的部，可选")
    entity_filter: str | None = Field(default=None, description="过滤包含特定实体的结果，可选")


@dataclass(frozen=True, slots=True)
class VectorSearch:
    retriever: Retriever
    names: EntityNames
    name: str = "vector_search"
    description: str = "通用向量检索。用于简单事实查询、实体属性查询。支持章节范围和实体过滤。"
    arguments: type[BaseModel] = VectorSearchArguments

    async def __call__(self, arguments: VectorSearchArguments, scope: Scope) -> ToolResult:
        given = arguments.entity_filter
        entity = await self.names.resolve(given, scope) if given else None
        where = PassageFilter(
            chapters=as_bounds(arguments.chapter_filter),
            part=arguments.part,
            entity=entity.name if entity else None,
            horizon=scope.horizon,
        )
        found = await self.retriever.search(scope.library, arguments.query, where, arguments.top_k)
        rows = passage_rows((one.passage for one in found), arguments.query)
        return ToolResult(
            data=[passage_item(one.passage, one.score) for one in found],
            text=listing(rows, scope.budget, before=[report([entity])], whole=scope.whole),
            evidence=[passage_evidence(one.passage, one.score) for one in found],
            items=len(found),
        )


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
    retriever: Retriever
    names: EntityNames
    name: str = "search_memory"
    description: str = "搜索故事原文。用于查询对话、台词和具体场景（如'X说了什么？'）。"
    arguments: type[BaseModel] = SearchMemoryArguments

    async def __call__(self, arguments: SearchMemoryArguments, scope: Scope) -> ToolResult:
        resolved = await self.names.resolve_all(arguments.characters or [], scope)
        names = tuple(one.name for one in resolved)
        bounds = PassageFilter(chapters=as_bounds(arguments.chapters), part=arguments.part, horizon=scope.horizon)
        found = await self._search(arguments.query, replace(bounds, any_entity=names), scope)
        relaxed = bool(names) and not found
        if relaxed:
            found = await self._search(" ".join((*names, arguments.query)), bounds, scope)
        if arguments.sort_by == "time":
            found = sorted(found, key=lambda one: (story_position(one.passage), one.passage.id))
        before = [report(resolved), say("story.character_filter_dropped") if relaxed else ""]
        rows = passage_rows((one.passage for one in found), arguments.query)
        return ToolResult(
            data={"relaxed": relaxed, "items": [passage_item(one.passage, one.score) for one in found]},
            text=listing(rows, scope.budget, before=before, whole=scope.whole),
            evidence=[passage_evidence(one.passage, one.score) for one in found],
            items=len(found),
        )

    async def _search(self, query: str, where: PassageFilter, scope: Scope) -> list[ScoredPassage]:
        return unique_passages(await self.retriever.search(scope.library, query, where, scope.limit))


SHOWN_PASSAGES = 30


class TrackEntityArguments(BaseModel):
    entity: str = Field(description="要追踪的实体名称")
    chapter_range: ChapterPair | None = Field(default=None, description="章节范围 [起始, 结束]，默认全范围")
    part: int | None = Field(default=None, ge=1, description="章节范围所在的部，可选")


@dataclass(frozen=True, slots=True)
class TrackEntity:
    """Lists passages by metadata, not by similarity."""

    passages: PassageStore
    names: EntityNames
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
        shown = thin(found, min(SHOWN_PASSAGES, rows_that_fit(scope.budget)))
        sampled = len(shown) < len(found)
        note = counts(len(found), len(shown), sampled=True) if sampled else ""
        items = [unscored_item(one) for one in shown]
        data = {"entity": entity.name, "total": len(found), "shown": len(shown), "sampled": sampled, "items": items}
        return ToolResult(
            data=data,
            text=listing(passage_rows(shown), scope.budget, before=[report([entity]), note], total=len(found)),
            evidence=[passage_evidence(one, None) for one in shown],
            items=len(shown),
        )
