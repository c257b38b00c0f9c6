"""A context variable that has a value for a while."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

T = TypeVar("T")


@contextmanager
def holding(variable: ContextVar[T], value: T) -> Iterator[None]:
    """Let the variable have a value within, and in every task that begins there."""
    token = variable.set(value)
    try:
        yield
    finally:
        variable.reset(token)
