"""The attributes of `Application` and `Client`: one for the operations on each subject."""

from collections.abc import Callable
from typing import Any, Generic, Self, TypeVar, overload

OperationsT = TypeVar("OperationsT", covariant=True)


class SubjectOperations(Generic[OperationsT]):
    """The operations on one subject, as an attribute of `Application` or `Client`, made by `make` when it is read."""

    def __init__(self, make: Callable[[Any], OperationsT]) -> None:
        self.make = make

    @overload
    def __get__(self, app: None, kind: object) -> Self: ...

    @overload
    def __get__(self, app: object, kind: object) -> OperationsT: ...

    def __get__(self, app: object | None, kind: object) -> Self | OperationsT:
        return self if app is None else self.make(app)
