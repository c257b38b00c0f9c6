"""What operations take and return of entities."""

from typing import Literal

from pydantic import BaseModel, Field

from wenmai.application.models.paging import Strict

LONGEST_NAME = 80


class EntityView(BaseModel):
    """An entity by the names that a reader knows."""

    name: str
    kind: str = Field(examples=["Character"])
    aliases: list[str]
    mentions: int = Field(description="Passages that name it")
    first_part: int | None
    first_chapter: int | None
    merged_by: dict[str, Literal["model", "person"]] = Field(
        description="Names that stand for it by a decision, and who made it"
    )


class EntityDetail(EntityView):
    """An entity with what is known of it."""

    description: str = Field(description="'' under a spoiler guard, for it has no chapter")
    merged: list[str] = Field(description="Names that stand for it by a decision; none under a spoiler guard")


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
