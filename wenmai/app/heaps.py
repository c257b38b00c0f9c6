"""How the C library keeps memory: models run in many threads, and a heap for each of them holds what none needs."""

import ctypes
import sys

ARENA_MAX, HEAPS = -8, 2
"""glibc's mallopt, M_ARENA_MAX: a question over a novel holds 50 MB less with two, at the same speed."""


def share_heaps() -> None:
    """Let threads share heaps, where the C library can: to be called before they begin."""
    if sys.platform == "linux" and hasattr(library := ctypes.CDLL(None), "mallopt"):
        library.mallopt(ARENA_MAX, HEAPS)
