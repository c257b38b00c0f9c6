"""The graph of a library: entities with merges, new names and their undoing; relations; events."""

from typing import Annotated

from fastapi import Query

from tools.records import EventType
from wenmai.application import entities as models
from wenmai.application.paging import USUAL, Depth, NeighbourCount, Page
from wenmai.web.dependencies import ADMIN, Limit, Offset, Operations, Reading, resource

router = resource("entities")
relations = resource("relations")
events = resource("events")


@router.get("/libraries/{library}/entities", summary="List entities")
async def listed(
    app: Operations,
    guard: Reading,
    library: str,
    q: Annotated[str | None, Query(min_length=1, description="Only those with this in a name or an alias")] = None,
    kind: Annotated[str | None, Query(description="Only those of this kind")] = None,
    limit: Limit = USUAL,
    offset: Offset = 0,
) -> Page[models.EntityView]:
    """List entities, those first that most passages name."""
    return await app.entities.list(library, query=q, kind=kind, guard=guard, limit=limit, offset=offset)


@router.get("/libraries/{library}/entities/{name:path}", summary="Get an entity")
async def one(app: Operations, guard: Reading, library: str, name: str) -> models.EntityDetail:
    """Return an entity by its name or an alias that only it has."""
    return await app.entities.get(library, name, guard=guard)


@router.get("/libraries/{library}/neighbours", summary="Get the neighbours of an entity")
async def neighbours(
    app: Operations,
    guard: Reading,
    library: str,
    entity: str,
    relation: Annotated[str | None, Query(description="Only along relations of this type")] = None,
    depth: Depth = 1,
    limit: NeighbourCount = USUAL,
) -> models.Neighbours:
    """Return the entities within some steps of one, with the edges among them."""
    return await app.entities.neighbours(library, entity, relation=relation, depth=depth, limit=limit, guard=guard)


@router.post("/libraries/{library}/merges", summary="Merge two entities", dependencies=ADMIN)
async def merge(app: Operations, library: str, names: models.Merge) -> models.MergeResult:
    """Let a name stand for another entity; later ingests keep the decision. Needs the right to administer."""
    return await app.entities.merge(library, names.name, names.into)


@router.post("/libraries/{library}/renames", summary="Rename an entity", dependencies=ADMIN)
async def rename(app: Operations, library: str, names: models.Rename) -> models.MergeResult:
    """Let an entity bear another name; later ingests keep it, a split of the old name undoes it. For administrators."""
    return await app.entities.rename(library, names.name, names.to)


@router.post("/libraries/{library}/splits", summary="Undo a merge or a new name", dependencies=ADMIN)
async def split(app: Operations, library: str, names: models.Split) -> models.MergeResult:
    """Undo exactly the merge or the new name of an entity, whoever decided it; any other alias becomes an entity.

    Needs the right to administer.
    """
    return await app.entities.split(library, names.name)


@router.post("/libraries/{library}/kinds", summary="Say what an entity is", dependencies=ADMIN)
async def set_kind(app: Operations, library: str, kind: models.Kind) -> models.ChangeResult:
    """Say what an entity is, or that it is no name at all; later ingests keep it. Needs the right to administer."""
    return await app.entities.set_kind(library, kind.name, kind.kind)


@router.get("/libraries/{library}/changes", summary="List the decisions on names")
async def changes(app: Operations, guard: Reading, library: str) -> models.Changes:
    """Return what people have decided on names and narrators; nothing under a spoiler guard."""
    return await app.entities.changes(library, guard=guard)


@router.delete("/libraries/{library}/changes/{id:path}", summary="Undo a decision", dependencies=ADMIN)
async def undo(app: Operations, library: str, id: str) -> models.ChangeResult:
    """Take one decision on a name or a narrator back. Needs the right to administer."""
    return await app.entities.undo(library, id)


@router.get("/libraries/{library}/narrators", summary="List the narrators of the chapters")
async def narrators(app: Operations, guard: Reading, library: str) -> models.Narrators:
    """Return who narrates each chapter that a reader may see."""
    return await app.entities.narrators(library, guard=guard)


@router.post("/libraries/{library}/narrators", summary="Set the narrator of chapters", dependencies=ADMIN)
async def set_narrator(app: Operations, library: str, narrator: models.Narrator) -> models.Narrators:
    """Decide who narrates some chapters, or that nobody does; later ingests keep it. For administrators."""
    return await app.entities.set_narrator(library, narrator)


@router.delete("/libraries/{library}/narrators", summary="Undo the decisions on narrators", dependencies=ADMIN)
async def undo_narrators(app: Operations, library: str) -> models.Narrators:
    """Take back every decision on narrators: what the text shows counts again. For administrators."""
    return await app.entities.undo_narrators(library)


@relations.get("/libraries/{library}/relations", name="listed", summary="List relations")
async def relation_rows(
    app: Operations,
    guard: Reading,
    library: str,
    entity: Annotated[str | None, Query(description="Only those from or to this entity")] = None,
    other: Annotated[str | None, Query(description="With `entity`: only those between the two")] = None,
    type: Annotated[str | None, Query(description="Only those of this type")] = None,
    limit: Limit = USUAL,
    offset: Offset = 0,
) -> Page[models.RelationView]:
    """List relations in story order; those without a place come last."""
    return await app.relations.list(
        library, entity=entity, other=other, type=type, guard=guard, limit=limit, offset=offset
    )


@relations.get("/libraries/{library}/relation-types", summary="List types of relations")
async def types(app: Operations, guard: Reading, library: str) -> models.RelationTypes:
    """List the types of the relations that a reader may see."""
    return await app.relations.types(library, guard=guard)


@events.get("/libraries/{library}/events", name="listed", summary="List events")
async def event_rows(
    app: Operations,
    guard: Reading,
    library: str,
    q: Annotated[
        str | None, Query(min_length=1, description="Only those with this in their name, summary, outcome or evidence")
    ] = None,
    entity: Annotated[str | None, Query(description="Only those that this entity takes part in")] = None,
    type: Annotated[EventType | None, Query(description="Only those of this type")] = None,
    limit: Limit = USUAL,
    offset: Offset = 0,
) -> Page[models.EventView]:
    """List events in story order; those without a place come last."""
    return await app.events.list(library, query=q, entity=entity, type=type, guard=guard, limit=limit, offset=offset)
