"""A context variable that has a value within a block."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

T = TypeVar("T")


@contextmanager
def holding(variable: ContextVar[T], value: T) -> Iterator[None]:
    """Set the variable within the block, and in every task that starts there."""
    token = variable.set(value)
    try:
        yield
    finally:
        variable.reset(token)
