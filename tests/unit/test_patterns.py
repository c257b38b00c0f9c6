"""Regular expressions of a caller: time and length are bounded."""

import threading
import time
from itertools import pairwise

import pytest

from tools.errors import InputError
from tools.text.patterns import LONGEST, SECONDS, BoundedPattern

ENDLESS = "(?:(?:(?:a{1,1000}){1,1000}){1,1000}){1,1000}b"
LONG = "a" * 50_000


def test_it_finds_what_fits() -> None:
    found = BoundedPattern(r"^Chapter (\d+)").search("Chapter 12: rain")
    assert found is not None and found[1] == "12"
    assert BoundedPattern(r"[a-z]+").fits("rain") and not BoundedPattern(r"[a-z]+").fits("rain 12")


def test_one_that_has_no_end_is_refused_and_others_go_on_meanwhile() -> None:
    """Every search of one expression draws on the same time."""
    beats: list[float] = []
    is_over = threading.Event()

    def beat() -> None:
        while not is_over.wait(0.01):
            beats.append(time.monotonic())

    other = threading.Thread(target=beat)
    other.start()
    pattern = BoundedPattern(ENDLESS)
    try:
        with pytest.raises(InputError, match=r"正则表达式.*2 秒.*简单"):
            pattern.search(LONG)
        began = time.thread_time()
        with pytest.raises(InputError):
            pattern.search(LONG)
        assert time.thread_time() - began < SECONDS / 2
    finally:
        is_over.set()
        other.join()
    assert max(after - before for before, after in pairwise(beats)) < 1


@pytest.mark.parametrize(
    ("text", "reason"),
    [("(", "不是有效的正则表达式"), ("a" * (LONGEST + 1), "最长 500"), ("(" * LONGEST, "不是有效的正则表达式")],
)
def test_what_is_none_is_refused(text: str, reason: str) -> None:
    with pytest.raises(InputError, match=reason):
        BoundedPattern(text)
