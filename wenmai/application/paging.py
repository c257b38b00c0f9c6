"""Pages of lists, and the spoiler guard that every read takes."""

from collections.abc import AsyncIterator, Callable, Coroutine, Mapping, Sequence
from contextlib import asynccontextmanager
from functools import wraps
from inspect import signature
from typing import TYPE_CHECKING, Annotated, Any, Generic, ParamSpec, TypeVar, get_origin

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, TypeAdapter
from pydantic_core import PydanticKnownError

from tools.memory.records import StoryGuard
from tools.messages import Message
from tools.records import Horizon
from tools.story.guard import read_horizon
from wenmai.inputs import FieldError, validated

if TYPE_CHECKING:
    from tools.ports import Catalog
    from wenmai.app.container import Services
    from wenmai.application.caller import Caller

P = ParamSpec("P")
S = TypeVar("S")
T = TypeVar("T")
USUAL, MOST = 50, 500
EVERY = 1_000_000_000  # the limit of one who wants all rows

Depth = Annotated[int, Field(ge=1, le=3)]
Days = Annotated[int | None, Field(ge=1, le=365)]
Score = Annotated[float, Field(ge=0, le=1)]
Around = Annotated[int, Field(ge=0, le=5_000)]
Rows = Annotated[int, Field(ge=1)]
FirstRow = Annotated[int, Field(ge=0)]
Memories = Annotated[int, Field(ge=1, le=10)]
Instances = Annotated[int, Field(ge=1, le=100)]
NeighbourCount = Annotated[int, Field(ge=1, le=200)]


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

    @classmethod
    def of(cls, rows: Sequence[T], limit: int, offset: int) -> "Page[T]":
        """Return a part of a whole list."""
        return cls.cut(rows[offset : offset + limit], len(rows), offset)

    @classmethod
    def cut(cls, items: Sequence[T], total: int, offset: int) -> "Page[T]":
        """Return a part that a store has cut."""
        end = offset + len(items)
        return Page(items=list(items), total=total, next=end if items and end < total else None)

    def map(self, view: Callable[[T], S]) -> "Page[S]":
        """Return the same part of a list of other things."""
        return Page(items=[view(one) for one in self.items], total=self.total, next=self.next)


def in_range(operation: Callable[P, Coroutine[Any, Any, T]]) -> Callable[P, Coroutine[Any, Any, T]]:
    """Have an operation refuse what is outside of the ranges of its arguments. Raises FieldError that names one."""
    form = signature(operation)
    kinds = {name: one.annotation for name, one in form.parameters.items() if get_origin(one.annotation) is Annotated}
    ranges = {name: TypeAdapter[object](kind) for name, kind in kinds.items()}

    @wraps(operation)
    async def called(*arguments: P.args, **named: P.kwargs) -> T:
        for name, value in form.bind(*arguments, **named).arguments.items():
            if name in ranges:
                validated(ranges[name], value, name)
        return await operation(*arguments, **named)

    return called


@asynccontextmanager
async def read_library(
    services: "Services", caller: "Caller", library: str, guard: Guard | None = None
) -> AsyncIterator[Horizon | None]:
    """Read a library that is whole; give the last place that a guard shows, None without one.

    Raises:
        LibraryNotFound: there is no such library, or none for this caller.
        StoreLocked, StoreUnfinished: it is being changed, or a change was broken off.
        FieldError: a guard that hides nothing.
    """
    caller.require_library(library)
    async with services.libraries.reading(library):
        yield await horizon_of(services.catalog, library, guard)


MOST_CHAPTER = 1_000_000


def check_guard(fields: Mapping[str, Any]) -> None:
    """Refuse a part without a chapter, which would hide nothing, and what no story has. Raises FieldError."""
    for name in ("as_of_chapter", "as_of_part"):
        if isinstance(value := fields.get(name), int) and value > MOST_CHAPTER:
            raise FieldError(name, Message("guard.too_far", most=MOST_CHAPTER))
    if fields.get("as_of_part") is not None and fields.get("as_of_chapter") is None:
        raise FieldError("as_of_part", Message("guard.part_without_chapter"))


async def horizon_of(catalog: "Catalog", library: str, guard: Guard | None) -> Horizon | None:
    """Return the last place of a library that a guard shows, None without one. Raises FieldError, StoreError."""
    if guard is None:
        return None
    check_guard(guard.model_dump())
    return await read_horizon(catalog, library, guard.as_of_chapter, guard.as_of_part)


async def story_guard_of(catalog: "Catalog", library: str | None, guard: Guard | None) -> StoryGuard | None:
    """Return the guard for memories of a library's story, None without one. Raises FieldError, StoreError."""
    if library is None:
        if guard is not None and (guard.as_of_chapter is not None or guard.as_of_part is not None):
            raise FieldError("library", Message("guard.needs_library"))
        return None
    horizon = await horizon_of(catalog, library, guard)
    return None if horizon is None else StoryGuard(library, horizon)
