"""Holding out: each part is judged by what was fitted on the others."""

from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypeVar

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
    known: Sequence[One],
    fit: Callable[[Sequence[One]], Fitted],
    judge: Callable[[Fitted, One], Judged],
    folds: int = FOLDS,
) -> list[Judged]:
    """Return the judgement of each, by what was fitted without its group and those that are held out with it."""
    fitted = [fit([one for one in known if one.group % folds != fold]) for fold in range(folds)]
    return [judge(fitted[one.group % folds], one) for one in known]


def ranked(name: str, ranks: Sequence[int | None]) -> dict[str, Any]:
    """Return how often the right one is first, and among the first three; a rank of None is of nobody right."""
    first, three = (sum(rank is not None and rank < most for rank in ranks) for most in (1, 3))
    return {"what": name, "n": len(ranks), "first": first, "first three": three}
