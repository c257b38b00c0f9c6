"""Monotonic time in seconds; tests inject their own."""

from collections.abc import Callable

MonotonicClock = Callable[[], float]
