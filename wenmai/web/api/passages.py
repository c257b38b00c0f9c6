"""Passages, how many of them name each entity, and any piece of evidence with the text around it."""

from typing import Literal

from pydantic import BaseModel, Field

from state.schema import Evidence
from tools.base import Scope
from tools.evidence import event_evidence, passage_evidence, relation_evidence
from tools.records import Chapter, Horizon, Passage, PassageFilter
from tools.story.chapters.mentions import mentions_by_chapter
from tools.wording import Words
from wenmai.app.container import Services
from wenmai.application.models.paging import Guard, GuardedPaging, Page, page
from wenmai.inputs import NotFound
from wenmai.web.api.access import horizon_for, readable, services_of
from wenmai.web.api.chapters import ChapterQuery, chapter_text, shown
from wenmai.web.rest.endpoints import Call, Resource

NO_EVIDENCE = Words(
    "资料库 {library} 里没有编号为 {id} 的依据，或者它在防剧透的范围之外",
    "library {library} has no evidence {id}, or the spoiler guard hides it",
)
LAST = 10**9
resource = Resource("passages")


class PassageView(BaseModel):
    """A passage; `text` equals its chapter's `[start:end]` in Unicode characters."""

    id: str
    text: str
    source: str
    part: int
    chapter: int | None
    title: str
    start: int
    end: int
    entities: list[str]


class PassageQuery(GuardedPaging):
    """Which passages are asked for."""

    source: str | None = Field(default=None, description="Only those of this text")
    entity: str | None = Field(default=None, description="Only those that name this entity")
    from_chapter: int | None = Field(default=None, ge=0)
    to_chapter: int | None = Field(default=None, ge=0)


class Appearances(BaseModel):
    """Where each entity is named."""

    entities: dict[str, list[tuple[int, int | None, int]]] = Field(
        description="For each name its chapters in reading order, each as [part, chapter, passages that name it]"
    )


class EvidenceQuery(Guard):
    """How much is shown around a piece of evidence."""

    context: int = Field(default=300, ge=0, le=5_000, description="Characters on each side")


class QuoteQuery(ChapterQuery):
    """A place in a chapter, as a citation names it."""

    start: int = Field(ge=0)
    end: int = Field(ge=0)
    context: int = Field(default=300, ge=0, le=5_000, description="Characters on each side")


class QuoteView(BaseModel):
    """A quotation in its chapter: `before + quote + after` is verbatim."""

    title: str
    before: str
    quote: str
    after: str


class EvidenceView(BaseModel):
    """A piece of evidence in its chapter: `before + quote + after` is verbatim."""

    id: str
    kind: Literal["passage", "relation", "event"]
    text: str = Field(description="What it says; of a passage the quote itself")
    source: str | None
    part: int | None
    chapter: int | None
    title: str | None
    entities: list[str]
    start: int | None = Field(description="Where the quote stands in its chapter; null where it has no place")
    end: int | None
    before: str
    quote: str
    after: str


@resource.get("/libraries/{library}/passages", "List passages")
async def listed(call: Call[PassageQuery, None]) -> Page[PassageView]:
    """List passages in reading order."""
    library, query, services = await readable(call), call.query, await services_of(call)
    bounded = query.from_chapter is not None or query.to_chapter is not None
    where = PassageFilter(
        chapters=(query.from_chapter or 0, LAST if query.to_chapter is None else query.to_chapter) if bounded else None,
        entity=query.entity,
        task_id=query.source,
        horizon=await horizon_for(call, library),
    )
    total = await services.passages.count(library, where)
    rows = await services.passages.scroll(library, where, query.offset + query.limit)
    return page([view_of(one) for one in rows[query.offset :]], total, query)


@resource.get("/libraries/{library}/appearances", "Count the passages of each chapter that name an entity")
async def appearances(call: Call[Guard, None]) -> Appearances:
    """Count over all chapters that a reader may see, for all entities that he knows."""
    library, services = await readable(call), await services_of(call)
    horizon = await horizon_for(call, library)
    known = {one.entity for one in await services.graph.names(library, horizon)}
    found = await mentions_by_chapter(services.passages, library, horizon)
    rows = {
        name: [(part, chapter, count) for (part, chapter), count in places.items()]
        for name, places in found.items()
        if name in known
    }
    return Appearances(entities=rows)


@resource.get("/libraries/{library}/evidence/{id}", "Get evidence in its context")
async def evidence(call: Call[EvidenceQuery, None]) -> EvidenceView:
    """Return a passage, a relation or an event by the id that a citation names, with the text around it."""
    library, services, id = await readable(call), await services_of(call), call.part("id")
    horizon = await horizon_for(call, library)
    piece = await piece_of(services, library, id, horizon)
    if piece is None:
        raise NotFound("id", NO_EVIDENCE.of(library=library, id=id[:80]))
    chapter = await chapter_of(services, library, piece)
    return in_context(piece, chapter, call.query.context)


@resource.get("/libraries/{library}/quotes", "Get a quotation in its context")
async def quote(call: Call[QuoteQuery, None]) -> QuoteView:
    """Return what stands at the place that a citation names, with the text around it."""
    chapter, query = await chapter_text(call), call.query
    first, last = min(query.start, query.end), query.end
    return QuoteView(
        title=chapter.title,
        before=chapter.text[max(0, first - query.context) : first],
        quote=chapter.text[first:last],
        after=chapter.text[last : last + query.context],
    )


async def piece_of(services: Services, library: str, id: str, horizon: Horizon | None) -> Evidence | None:
    """Return the piece of this id that a reader at the horizon may see."""
    found = await services.passages.fetch(library, [id], horizon=horizon)
    for one in found:
        if horizon is None or horizon.shows(one.passage.part, one.passage.chapter):
            return passage_evidence(one.passage, None)
    scope = Scope(library=library, horizon=horizon)
    relations = await services.graph.every_relation(library, None, horizon)
    drawn = [relation_evidence(one, scope, {}) for one in relations]
    drawn += [event_evidence(one, scope, {}) for one in await services.graph.every_event(library, horizon)]
    return next((one for one in drawn if one["id"] == id), None)


async def chapter_of(services: Services, library: str, piece: Evidence) -> Chapter | None:
    """Return the chapter that a piece stands in; an imported record names its file, which has no chapters."""
    chapters = await services.catalog.chapters(library)
    same = [one for one in chapters if (one.part, one.number) == (piece["part"], piece["chapter"])]
    return next((one for one in same if one.task_id == piece["source"]), same[0] if same else None)


def in_context(piece: Evidence, chapter: Chapter | None, reach: int) -> EvidenceView:
    """Return a piece with what stands around it."""
    start, end = piece["start"], piece["end"]
    text = chapter.text if chapter and shown(chapter, None) and start is not None and end is not None else ""
    first, last = start or 0, end or 0
    return EvidenceView(
        id=piece["id"],
        kind=piece["kind"],  # type: ignore[arg-type]  # made from passages, relations and events alone
        text=piece["text"],
        source=piece["source"],
        part=piece["part"],
        chapter=piece["chapter"],
        title=piece["title"] or (chapter.title if chapter else None),
        entities=piece["entities"],
        start=start,
        end=end,
        before=text[max(0, first - reach) : first],
        quote=text[first:last],
        after=text[last : last + reach],
    )


def view_of(passage: Passage) -> PassageView:
    """Return what is shown of a passage."""
    return PassageView(
        id=passage.id,
        text=passage.text,
        source=passage.task_id,
        part=passage.part,
        chapter=passage.chapter,
        title=passage.chapter_title,
        start=passage.start,
        end=passage.end,
        entities=list(passage.entities),
    )
