"""The circuit breaker: closed, open, one trial."""

import pytest

from tools.errors import ModelError
from wenmai.minds.model.caller import Breaker, Outage


class Watch:
    """A clock that is set by hand."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def fail(breaker: Breaker, error: ModelError | None = None) -> None:
    with pytest.raises(ModelError), breaker.watch():
        raise error or Outage("503")


def opened() -> tuple[Breaker, Watch]:
    clock = Watch()
    breaker = Breaker(failures=2, pause_s=10, clock=clock)
    fail(breaker)
    fail(breaker)
    return breaker, clock


def test_it_opens_after_outages_in_a_row() -> None:
    """LOP-11: calls fail at once, and such a failure is not retried."""
    breaker, clock = opened()
    clock.now += 9
    with pytest.raises(ModelError, match="约 1 秒后重试") as caught, breaker.watch():
        pytest.fail("a call went through")
    assert not caught.value.transient


@pytest.mark.parametrize("error", [ModelError("400"), ModelError("429", transient=True)])
def test_a_service_that_answers_is_alive(error: ModelError) -> None:
    """LOP-11: refusals and spent quotas come at once; they end a row of outages."""
    breaker = Breaker(failures=2)
    for _ in range(3):
        fail(breaker)
        fail(breaker, error)
    with breaker.watch():
        pass
    assert breaker.in_a_row == 0


def test_one_trial_closes_or_opens_again() -> None:
    """LOP-11: behind the pause one call tries while others still fail; its end decides."""
    breaker, clock = opened()
    clock.now += 10
    with breaker.watch():
        fail(breaker, None)
        assert breaker.in_a_row == 2, "the call beside the trial did not go through"
    with breaker.watch():
        pass
    again, clock = opened()
    clock.now += 10
    fail(again)
    with pytest.raises(ModelError, match="暂停调用"), again.watch():
        pytest.fail("a call went through")


def test_a_cancelled_trial_says_nothing() -> None:
    """S003-D18: the next call may try."""
    breaker, clock = opened()
    clock.now += 10
    with pytest.raises(KeyboardInterrupt), breaker.watch():
        raise KeyboardInterrupt
    with breaker.watch():
        pass
    assert breaker.opened_at is None
