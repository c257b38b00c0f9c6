"""What the model calls of an ingest cost."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from nodes.policy import Price


class CallUsage(Protocol):
    """Calls to one model and their tokens."""

    @property
    def model(self) -> str:
        """Id of the model."""
        ...

    @property
    def calls(self) -> int:
        """Number of calls."""
        ...

    @property
    def input_tokens(self) -> int:
        """Tokens sent, cached ones included."""
        ...

    @property
    def output_tokens(self) -> int:
        """Tokens answered, thinking included."""
        ...

    @property
    def cached_tokens(self) -> int:
        """Tokens sent that the service had cached."""
        ...


@dataclass(slots=True, kw_only=True)
class Spending:
    """Calls, tokens and money so far; `cost_usd` is None once a model's price is not known."""

    prices: Mapping[str, Price] = field(default_factory=dict)
    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    cost_usd: float | None = 0.0

    @property
    def tokens(self) -> int:
        """All tokens."""
        return self.input_tokens + self.output_tokens

    def add(self, usage: CallUsage) -> None:
        """Add the usage of some calls."""
        from nodes.usage import price_of  # it loads LangChain, which most commands do not need

        self.calls += usage.calls
        self.input_tokens += usage.input_tokens
        self.output_tokens += usage.output_tokens
        self.cached_tokens += usage.cached_tokens
        price = price_of(usage.model, self.prices)
        new = money(price, usage.input_tokens, usage.output_tokens, usage.cached_tokens)
        self.cost_usd = None if new is None or self.cost_usd is None else self.cost_usd + new


def money(price: Price | None, input_tokens: int, output_tokens: int, cached_tokens: int = 0) -> float | None:
    """Return what tokens cost in USD; no tokens cost 0.0, also without a price."""
    if input_tokens + output_tokens == 0:
        return 0.0
    from nodes.usage import charge

    return None if price is None else charge(price, input_tokens, output_tokens, cached_tokens)
