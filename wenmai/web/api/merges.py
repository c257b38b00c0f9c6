"""What a person mends of entities: merges of two, new names, and their undoing."""

from pydantic import BaseModel, Field, field_validator

from wenmai.ingestion.library.merging import Outcome, merge_entities, rename_entity, split_entity
from wenmai.web.api.access import readable, services_of, viewer
from wenmai.web.rest.endpoints import Call, Resource
from wenmai.web.rest.paging import Strict

LONGEST_NAME = 80
NOT_PLAIN = "名称只能由可见的字符组成，前后不能有空格"
resource = Resource("entities")


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
            raise ValueError(NOT_PLAIN)
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
    entities: int = Field(description="Entities of the library now")


@resource.post("/libraries/{library}/merges", "Merge two entities")
async def merge(call: Call[None, Merge]) -> MergeResult:
    """Let a name stand for another entity; later ingests keep the decision. Needs the right to administer."""
    viewer(call).require_admin()
    library, services = await readable(call), await services_of(call)
    async with services.libraries.writing(library):
        return result_of(await merge_entities(services.stores, library, call.body.name, call.body.into))


@resource.post("/libraries/{library}/renames", "Rename an entity")
async def rename(call: Call[None, Rename]) -> MergeResult:
    """Let an entity bear another name; later ingests keep it, a split of the old name undoes it. For administrators."""
    viewer(call).require_admin()
    library, services = await readable(call), await services_of(call)
    async with services.libraries.writing(library):
        return result_of(await rename_entity(services.stores, library, call.body.name, call.body.to))


@resource.post("/libraries/{library}/splits", "Undo a merge or a new name")
async def split(call: Call[None, Split]) -> MergeResult:
    """Undo exactly the merge or the new name of an entity, whoever decided it. Needs the right to administer."""
    viewer(call).require_admin()
    library, services = await readable(call), await services_of(call)
    async with services.libraries.writing(library):
        return result_of(await split_entity(services.stores, library, call.body.name))


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
        entities=outcome.entities,
    )
