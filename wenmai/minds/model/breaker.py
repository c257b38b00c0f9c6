"""A circuit breaker: a dead service must not cost each question its full time-outs.

A breaker of its own: purgatory lets every waiting call through as a trial and counts a cancelled question as a
failure of the service.
"""

import logging
import math
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from tools.errors import ModelError
from wenmai.minds.model.failures import Outage
from wenmai.minds.model.messages import PAUSED

log = logging.getLogger("wenmai.model")


@dataclass(slots=True)
class Breaker:
    """After `failures` outages in a row calls fail at once for `pause_s` seconds; then one call tries.

    One for each process and endpoint: an outage is the endpoint's, whatever model was asked.
    """

    failures: int = 3
    pause_s: float = 30.0
    clock: Callable[[], float] = time.monotonic
    in_a_row: int = 0
    opened_at: float | None = None
    trying: bool = False

    @contextmanager
    def watch(self) -> Iterator[None]:
        """Let a call through and record its outcome. Raises ModelError at once while the circuit is open."""
        trial = self._admit()
        try:
            yield
        except Outage as outage:
            self._failed(outage)
            raise
        except ModelError:
            self._worked()  # the service answered, if only with a refusal
            raise
        else:
            self._worked()
        finally:
            # A cancelled trial has no outcome: the next call is the trial.
            self.trying = self.trying and not trial

    def _admit(self) -> bool:
        """Return True if this call is the trial. Raises ModelError."""
        if self.opened_at is None:
            return False
        left = self.opened_at + self.pause_s - self.clock()
        if left > 0 or self.trying:
            seconds = max(1, math.ceil(left))
            raise ModelError(PAUSED.say(failures=self.in_a_row, seconds=seconds))
        self.trying = True
        return True

    def _failed(self, outage: Outage) -> None:
        self.in_a_row += 1
        if self.in_a_row >= self.failures:
            self.opened_at = self.clock()
            log.warning("circuit open for %g s after %d outages: %s", self.pause_s, self.in_a_row, outage)

    def _worked(self) -> None:
        self.in_a_row, self.opened_at = 0, None
