"""What an ingest may spend on a model: calls are only begun that stay within it."""

import re
from dataclasses import dataclass, field

from tools.errors import InputError
from tools.messages import Message
from wenmai.ingestion.contracts import Spending, money

_AMOUNT = re.compile(
    r"(?P<dollars>\$)?\s*(?P<number>\d+(?:\.\d+)?)\s*(?P<unit>usd|[km]?\s*(?:tokens?)?)", re.IGNORECASE
)
_THOUSANDS = {"": 1, "k": 1_000, "m": 1_000_000}


@dataclass(frozen=True, slots=True)
class Budget:
    """Money in USD and tokens, sent and answered ones; None: no limit."""

    usd: float | None = None
    tokens: int | None = None

    @classmethod
    def parse(cls, text: str) -> "Budget":
        """Read a budget: 2.50, $2.50 or 2.50usd for money; 300k, 2m, 500000tokens for tokens; or one of each.

        Raises InputError.
        """
        usd: float | None = None
        tokens: int | None = None
        for part in text.split(","):
            match = _AMOUNT.fullmatch(part.strip())
            unit = match["unit"].lower().replace(" ", "") if match else ""
            if match is None or (match["dollars"] and unit not in ("", "usd")):
                raise InputError(Message("ingest.bad_budget", budget=text))
            if match["dollars"] or unit in ("", "usd"):
                usd = float(match["number"])
            else:
                tokens = round(float(match["number"]) * _THOUSANDS[unit.partition("token")[0]])
        return cls(usd, tokens)


@dataclass(slots=True, kw_only=True)
class Purse:
    """A budget and what is spent of it; `reserved` are tokens, sent and answered, of calls under way.

    `model` gives the price of what is not spent yet.
    """

    spending: Spending
    budget: Budget = field(default_factory=Budget)
    model: str = ""
    reserved: list[tuple[int, int]] = field(default_factory=list)
    is_spent: bool = False

    def take(self, sent: int, answered: int) -> bool:
        """Reserve what a call will take; return False where the budget does not allow it, and from then on."""
        if self.is_spent:
            return False
        rows = [*self.reserved, (sent, answered)]
        tokens = self.spending.tokens + sum(map(sum, rows))
        is_within = self.budget.tokens is None or tokens <= self.budget.tokens
        if self.budget.usd is not None:
            cost = self._cost(rows)
            is_within = is_within and cost is not None and cost <= self.budget.usd
        if is_within:
            self.reserved.append((sent, answered))
        self.is_spent = not is_within
        return is_within

    def put_back(self, sent: int, answered: int) -> None:
        """End the reservation of a call: what it cost is in the spending now."""
        self.reserved.remove((sent, answered))

    def require_price(self) -> None:
        """Raise InputError for a budget in money where the price of the model is not known."""
        if self.budget.usd is not None and self._cost([(1, 1)]) is None:
            raise InputError(Message("ingest.budget_without_price", model=self.model))

    def _cost(self, rows: list[tuple[int, int]]) -> float | None:
        from nodes.usage import price_of  # it loads LangChain, which most commands do not need

        price = price_of(self.model, self.spending.prices)
        more = money(price, sum(sent for sent, _ in rows), sum(answered for _, answered in rows))
        return None if more is None or self.spending.cost_usd is None else self.spending.cost_usd + more
