"""Entities: who and what is named, their neighbours; merges of two, new names, and their undoing."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Literal

from pydantic import BaseModel, Field, field_validator

from tools.records import Name
from tools.story.relations import without_doubles
from tools.wording import Words
from wenmai.app.entities import names_and_mentions
from wenmai.application.models.paging import Guard, GuardedPaging, Page, Strict, page_of
from wenmai.ingestion.library.decisions import load_decisions
from wenmai.ingestion.library.merging import Outcome, merge_entities, rename_entity, split_entity
from wenmai.inputs import NotFound
from wenmai.web.api.access import changeable, horizon_for, readable, services_of
from wenmai.web.rest.endpoints import Call, Resource

NO_ENTITY = Words(
    "资料库 {library} 里没有实体 {name}，或者它在防剧透的范围之外",
    "library {library} has no entity {name}, or the spoiler guard hides it",
)
LONGEST_NAME = 80
NOT_PLAIN = Words(
    "名称只能由可见的字符组成，前后不能有空格", "a name has visible characters alone and no spaces around it"
)
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


class Merge(Strict):
    """Two names of one entity; `name` becomes an alias of `into`."""

    name: str = Field(min_length=1, examples=["玄德"])
    into: str = Field(min_length=1, examples=["刘备"])


class Rename(Strict):
    """A better name of an entity; its old one becomes an alias."""

    name: str = Field(min_length=1, examples=["独耳"])
    to: str = Field(min_length=1, max_length=LONGEST_NAME, examples=["沈观潮"])

    @field_validator("to")
    @classmethod
    def plain(cls, name: str) -> str:
        """Refuse what no reader could see or type."""
        if name != name.strip() or not name.isprintable():
            raise ValueError(NOT_PLAIN.say())
        return name


class Split(Strict):
    """A name whose merge is undone."""

    name: str = Field(min_length=1)


class MergeResult(BaseModel):
    """What a merge or a split changed."""

    name: str
    into: str
    passages: int
    relations: int
    events: int
    aliases: list[str] = Field(description="The aliases of `into` now")
    aliases_before: list[str] = Field(description="Those before")
    entities: int = Field(description="Entities of the library now")


@resource.get("/libraries/{library}/entities", "List entities")
async def listed(call: Call[EntityQuery, None]) -> Page[EntityView]:
    """List entities, those first that most passages name."""
    library, query = await readable(call), call.query
    horizon = await horizon_for(call, library)
    rows = entities_of(*await names_and_mentions(await services_of(call), library, horizon))
    return page_of([one for one in rows if query.kind in (None, one.kind) and has(one, query.q)], query)


@resource.get("/libraries/{library}/entities/{name:path}", "Get an entity")
async def one(call: Call[Guard, None]) -> EntityDetail:
    """Return an entity by its name or an alias that only it has."""
    library, services, name = await readable(call), await services_of(call), call.part("name")
    horizon = await horizon_for(call, library)
    names, mentions = await names_and_mentions(services, library, horizon)
    meant = list(dict.fromkeys(one.entity for one in names if name in (one.text, one.entity)))
    wanted = name if name in meant else next(iter(meant), None)
    found = await services.graph.entity(library, wanted, horizon) if wanted else None
    if found is None or (len(meant) > 1 and name not in meant):
        raise NotFound("name", NO_ENTITY.of(library=library, name=name[:80]))
    decisions = await load_decisions(services.catalog, library)
    merged = [one for one, into in decisions.merged.items() if into == found.name and horizon is None]
    listed = next(one for one in entities_of(names, mentions) if one.name == found.name)
    return EntityDetail(**listed.model_dump(), description=found.description, merged=merged)


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


@resource.post("/libraries/{library}/merges", "Merge two entities", is_for_admins=True)
async def merge(call: Call[None, Merge]) -> MergeResult:
    """Let a name stand for another entity; later ingests keep the decision. Needs the right to administer."""
    library, services = await changeable(call), await services_of(call)
    async with services.libraries.writing(library):
        return result_of(await merge_entities(services.stores, library, call.body.name, call.body.into))


@resource.post("/libraries/{library}/renames", "Rename an entity", is_for_admins=True)
async def rename(call: Call[None, Rename]) -> MergeResult:
    """Let an entity bear another name; later ingests keep it, a split of the old name undoes it. For administrators."""
    library, services = await changeable(call), await services_of(call)
    async with services.libraries.writing(library):
        return result_of(await rename_entity(services.stores, library, call.body.name, call.body.to))


@resource.post("/libraries/{library}/splits", "Undo a merge or a new name", is_for_admins=True)
async def split(call: Call[None, Split]) -> MergeResult:
    """Undo exactly the merge or the new name of an entity, whoever decided it. Needs the right to administer."""
    library, services = await changeable(call), await services_of(call)
    async with services.libraries.writing(library):
        return result_of(await split_entity(services.stores, library, call.body.name))


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


def result_of(outcome: Outcome) -> MergeResult:
    """Return what is shown of a merge or a split."""
    change = outcome.change
    return MergeResult(
        name=outcome.name,
        into=outcome.into,
        passages=change.passages,
        relations=change.relations,
        events=change.events,
        aliases=list(outcome.after),
        aliases_before=list(outcome.before),
        entities=outcome.entities,
    )
