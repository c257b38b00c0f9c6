"""Limits that a question sets to a number: 载重超过200的船, ships built before 1850."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from tools.networks.lexicon import Known
from wenmai.minds.offline.networks.asking import ASKED, asks_for
from wenmai.minds.offline.networks.degrees import amount

NUMBER = r"(?P<number>\d+(?:\.\d+)?)"
# Words before, or behind, a number; whether more of it is meant, and whether the number itself is.
WORDS: tuple[tuple[str, str, bool, bool], ...] = (
    ("不超过|至多|最多|at most|up to", "", False, True),
    ("不少于|不低于|不小于|至少|最少|at least", "", True, True),
    ("超过|大于|多于|高于|晚于|重于|长于|深于|over|more than|above|after|later than", "以后|之后", True, False),
    ("小于|少于|低于|不到|早于|轻于|短于|浅于|under|less than|below|before|earlier than", "以前|之前", False, False),
    ("", "以上|及以上", True, True),
    ("", "以下|及以下", False, True),
)


@dataclass(frozen=True, slots=True)
class Bound:
    """A limit of the number under a label; `text` is how the question says it."""

    label: str
    text: str
    limit: float
    above: bool
    inclusive: bool

    def holds(self, one: Known) -> bool:
        """Return True if an instance is within it."""
        found = [amount(value) for value in one.values.get(self.label, ())]
        return any(self.within(numbers[0]) for numbers in found if numbers)

    def within(self, number: float) -> bool:
        """Return True if a number is."""
        return (number == self.limit and self.inclusive) or (
            number != self.limit and (number > self.limit) == self.above
        )


def limit_in(text: str) -> tuple[re.Match[str], bool, bool] | None:
    """Return where a text sets a limit, whether more is meant, and whether the number itself is."""
    for before, behind, above, inclusive in WORDS:
        parts = [rf"(?:{before})\s*{NUMBER}"] if before else []
        parts += [rf"{NUMBER.replace('number', 'last')}\s*[^\d\s]{{0,2}}?(?:{behind})"] if behind else []
        if found := re.search("|".join(parts), text, re.IGNORECASE):
            return found, above, inclusive
    return None


def bound_of(text: str, members: Sequence[Known]) -> Bound | None:
    """Return the limit that a question sets to the label which it asks for."""
    found = limit_in(text)
    if found is None:
        return None
    match, above, inclusive = found
    rest = text.replace(match[0], " ")
    labels = {label for one in members for label, held in one.values.items() if held and amount(held[0])}
    worth, label = max(((asks_for(rest, label), label) for label in sorted(labels)), default=(0.0, ""))
    number = match.groupdict().get("number") or match.groupdict()["last"]
    return Bound(label, match[0], float(number), above, inclusive) if worth >= ASKED else None
