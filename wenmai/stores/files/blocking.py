"""Coroutines over engines whose calls block: they run to their end in a thread, without an event loop."""

from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


def completed(work: Coroutine[Any, Any, T]) -> T:
    """Return the result of a coroutine that never suspends. Raises AssertionError for one that does."""
    try:
        work.send(None)
    except StopIteration as finished:
        result: T = finished.value
        return result
    work.close()
    raise AssertionError("the coroutine waits for something that does not block")
