"""Pages of lists, and the spoiler guard that every read takes."""

from collections.abc import Sequence
from typing import Annotated, Generic, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field
from pydantic_core import PydanticKnownError

T = TypeVar("T")
USUAL, MOST = 50, 500
EVERY = 1_000_000_000  # the limit of one who wants all rows


class Strict(BaseModel):
    """A model that refuses unknown fields: a misspelled guard must not be dropped without a word."""

    model_config = ConfigDict(extra="forbid")


def no_truth(value: object) -> object:
    """Refuse true and false, which pydantic takes for 1 and 0."""
    if isinstance(value, bool):
        raise PydanticKnownError("int_type")
    return value


Number = Annotated[int, BeforeValidator(no_truth)]


class Guard(Strict):
    """The spoiler guard."""

    as_of_chapter: Number | None = Field(
        default=None, ge=0, description="Nothing after this chapter is shown", examples=[20]
    )
    as_of_part: Number | None = Field(
        default=None, ge=1, description="The part that as_of_chapter counts in; by itself it hides nothing"
    )


class Page(BaseModel, Generic[T]):
    """A part of a list."""

    items: list[T]
    total: int = Field(description="Rows in all")
    next: int | None = Field(description="The offset of the next page, null on the last one")


def part_of(rows: Sequence[T], limit: int, offset: int) -> Page[T]:
    """Return a part of a whole list."""
    return page(rows[offset : offset + limit], len(rows), offset)


def page(items: Sequence[T], total: int, offset: int) -> Page[T]:
    """Return a part that a store has cut."""
    end = offset + len(items)
    return Page(items=list(items), total=total, next=end if items and end < total else None)
