"""Holding out: each part is judged by what was fitted on the others."""

from collections.abc import Callable, Sequence
from typing import Protocol, TypeVar

FOLDS = 6


class Grouped(Protocol):
    """Something of a group; what is of one group is held out together."""

    @property
    def group(self) -> int:
        """Return the number of the group."""


One = TypeVar("One", bound=Grouped)
Fitted = TypeVar("Fitted")
Judged = TypeVar("Judged")


def held_out(
    known: Sequence[One], fit: Callable[[Sequence[One]], Fitted], judge: Callable[[Fitted, One], Judged]
) -> list[Judged]:
    """Return the judgement of each, by what was fitted without its group and those that are held out with it."""
    fitted = [fit([one for one in known if one.group % FOLDS != fold]) for fold in range(FOLDS)]
    return [judge(fitted[one.group % FOLDS], one) for one in known]
