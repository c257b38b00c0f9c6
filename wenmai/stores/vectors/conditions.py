"""Conditions on stored points, in no engine's own terms: each engine translates them in one place."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class Equals:
    """A field has this value as a whole."""

    field: str
    value: str | int


@dataclass(frozen=True, slots=True)
class OneOf:
    """A field has one of these values."""

    field: str
    values: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Within:
    """A number lies between bounds."""

    field: str
    gt: float | None = None
    gte: float | None = None
    lt: float | None = None
    lte: float | None = None


@dataclass(frozen=True, slots=True)
class Dated:
    """A time is not before `since`, and before `until`."""

    field: str
    since: datetime | None = None
    until: datetime | None = None


@dataclass(frozen=True, slots=True)
class HasId:
    ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Nested:
    """One element of a list meets all of a filter."""

    field: str
    filter: "Filter"


@dataclass(frozen=True, slots=True)
class Filter:
    """All of `must` hold, one of `should` if there are any, and none of `must_not`. An empty one holds for all."""

    must: "tuple[Condition, ...]" = ()
    should: "tuple[Condition, ...]" = ()
    must_not: "tuple[Condition, ...]" = ()


Condition = Equals | OneOf | Within | Dated | HasId | Nested | Filter
EVERYTHING = Filter()


def all_of(*conditions: Condition) -> Filter:
    return Filter(must=conditions)


def any_of(*conditions: Condition) -> Filter:
    return Filter(should=conditions)


def one_of(field: str, values: Iterable[str]) -> OneOf:
    return OneOf(field, tuple(values))


def has_id(ids: Iterable[str]) -> HasId:
    return HasId(tuple(sorted(set(ids))))
