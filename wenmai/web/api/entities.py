"""Entities: who and what is named, where, and their neighbours."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from pydantic import BaseModel, Field

from tools.records import Name
from tools.story.chapters.mentions import mentions_as_read, mentions_by_chapter
from tools.story.relations import without_doubles
from wenmai.ingestion.library.decisions import load_decisions
from wenmai.web.api.access import horizon_for, readable, services_of
from wenmai.web.rest.endpoints import Call, Resource
from wenmai.web.rest.paging import Guard, GuardedPaging, Page, page_of
from wenmai.web.rest.problems import NotFound

resource = Resource("entities")


class EntityView(BaseModel):
    """An entity by the names that a reader knows."""

    name: str
    kind: str = Field(examples=["Character"])
    aliases: list[str]
    mentions: int = Field(description="Passages that name it")
    first_part: int | None
    first_chapter: int | None


class EntityDetail(EntityView):
    """An entity with what is known of it."""

    description: str = Field(description="'' under a spoiler guard, for it has no chapter")
    merged: list[str] = Field(description="Names that stand for it by a decision; none under a spoiler guard")


class EntityQuery(GuardedPaging):
    """Which entities are asked for."""

    q: str | None = Field(default=None, min_length=1, description="Only those with this in a name or an alias")
    kind: str | None = Field(default=None, description="Only those of this kind")


class Appearances(BaseModel):
    """Where each entity is named."""

    entities: dict[str, list[tuple[int, int | None, int]]] = Field(
        description="For each name its chapters in reading order, each as [part, chapter, passages that name it]"
    )


class NeighbourQuery(Guard):
    """How far the walk goes."""

    entity: str
    relation: str | None = Field(default=None, description="Only along relations of this type")
    depth: int = Field(default=1, ge=1, le=3)
    limit: int = Field(default=50, ge=1, le=200)


class NeighbourView(BaseModel):
    """An entity at some steps from another."""

    name: str
    kind: str
    relation: str
    direction: Literal["out", "in"]
    hop: int


class EdgeView(BaseModel):
    """An edge between two of them."""

    source: str
    type: str
    target: str


class Neighbours(BaseModel):
    """The surroundings of an entity."""

    total: int
    neighbours: list[NeighbourView]
    edges: list[EdgeView]


@resource.get("/libraries/{library}/entities", "List entities")
async def listed(call: Call[EntityQuery, None]) -> Page[EntityView]:
    """List entities, those first that most passages name."""
    library, query = await readable(call), call.query
    rows = entities_of(*await names_and_mentions(call, library))
    return page_of([one for one in rows if query.kind in (None, one.kind) and has(one, query.q)], query)


@resource.get("/libraries/{library}/entities/{name:path}", "Get an entity")
async def one(call: Call[Guard, None]) -> EntityDetail:
    """Return an entity by its name or an alias that only it has."""
    library, services, name = await readable(call), await services_of(call), call.part("name")
    horizon = await horizon_for(call, library)
    names, mentions = await names_and_mentions(call, library)
    meant = list(dict.fromkeys(one.entity for one in names if name in (one.text, one.entity)))
    wanted = name if name in meant else next(iter(meant), None)
    found = await services.graph.entity(library, wanted, horizon) if wanted else None
    if found is None or (len(meant) > 1 and name not in meant):
        raise NotFound("name", f"资料库 {library} 里没有实体 {name[:80]}，或者它在防剧透的范围之外")
    decisions = await load_decisions(services.catalog, library)
    merged = [one for one, into in decisions.merged.items() if into == found.name and horizon is None]
    listed = next(one for one in entities_of(names, mentions) if one.name == found.name)
    return EntityDetail(**listed.model_dump(), description=found.description, merged=merged)


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


@resource.get("/libraries/{library}/neighbours", "Get the neighbours of an entity")
async def neighbours(call: Call[NeighbourQuery, None]) -> Neighbours:
    """Return the entities within some steps of one, with the edges among them."""
    library, query = await readable(call), call.query
    horizon = await horizon_for(call, library)
    graph = (await services_of(call)).graph
    found = await graph.neighbourhood(library, query.entity, query.relation, query.depth, query.limit, horizon)
    return Neighbours(
        total=found.total,
        neighbours=[
            NeighbourView(name=one.name, kind=one.kind, relation=one.relation, direction=one.direction, hop=one.hop)
            for one in found.neighbours
        ],
        edges=[EdgeView(source=one.source, type=one.type, target=one.target) for one in without_doubles(found.edges)],
    )


async def names_and_mentions(call: Call[Any, Any], library: str) -> tuple[list[Name], Mapping[str, int]]:
    """Return the spellings that a reader knows, and for each entity how many of the passages read name it."""
    services, horizon = await services_of(call), await horizon_for(call, library)
    names = await services.graph.names(library, horizon)
    return names, await mentions_as_read(services.passages, library, horizon)


def entities_of(names: Sequence[Name], mentions: Mapping[str, int]) -> list[EntityView]:
    """Return the entities of a list of spellings, the most mentioned first."""
    spellings: dict[str, list[Name]] = defaultdict(list)
    for name in names:
        spellings[name.entity].append(name)
    rows = [entity_from(entity, found, mentions.get(entity, 0)) for entity, found in spellings.items()]
    return sorted(rows, key=lambda one: (-one.mentions, one.name))


def entity_from(entity: str, names: Sequence[Name], mentions: int) -> EntityView:
    """Return one entity of its spellings; its own is among them."""
    own = next((one for one in names if one.text == entity), names[0])
    first = own.first if own.text == entity else None
    return EntityView(
        name=entity,
        kind=own.kind,
        aliases=[one.text for one in names if one.text != entity],
        mentions=mentions,
        first_part=first[0] if first else None,
        first_chapter=first[1] if first else None,
    )


def has(entity: EntityView, text: str | None) -> bool:
    """Return True if a name of an entity contains a text."""
    return text is None or any(text in name for name in (entity.name, *entity.aliases))
