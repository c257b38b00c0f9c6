"""What is said where Ray does not start; Ray itself is not needed for it."""

from dataclasses import dataclass, field

import pytest

from tools.errors import IngestError
from wenmai.cluster import LOCAL, START_TRIES, started


@dataclass
class FakeRay:
    """Starts with what it is told: an error, or None."""

    ends: list[Exception | None]
    asked: list[str] = field(default_factory=list)

    def init(self, address: str, **_: object) -> None:
        """Start, or fail."""
        self.asked.append(address)
        end = self.ends.pop(0)
        if end is not None:
            raise end


def late() -> Exception:
    """Return what Ray raises: no class of its own, and lines."""
    return Exception("The current node timed out\n  during startup.")


def test_a_start_that_is_late_is_tried_again() -> None:
    ray = FakeRay([late(), RuntimeError("Timed out waiting for file"), None])
    started(ray, {})
    assert ray.asked == [LOCAL] * 3


def test_a_start_that_stays_late_is_one_line() -> None:
    ray = FakeRay([late() for _ in range(START_TRIES)])
    with pytest.raises(IngestError, match=r"试了 3 次：The current node timed out during startup\.") as raised:
        started(ray, {})
    assert "\n" not in str(raised.value) and "--engine ray" in str(raised.value) and not ray.ends


def test_a_mistake_of_ours_is_not_tried_again() -> None:
    ray = FakeRay([TypeError("init() got an unexpected keyword"), None])
    with pytest.raises(TypeError):
        started(ray, {})
    assert len(ray.asked) == 1
