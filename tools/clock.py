"""Time that only goes on, in seconds; tests set it by hand."""

from collections.abc import Callable

MonotonicClock = Callable[[], float]
