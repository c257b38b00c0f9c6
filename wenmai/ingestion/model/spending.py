"""What the model calls of an ingest cost."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from nodes.policy import Price
from wenmai.ingestion.model.schema import Answer


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

    def add(self, answer: Answer) -> None:
        """Count an answer."""
        from nodes.results.usage import price_of

        self.calls += answer.calls
        self.input_tokens += answer.input_tokens
        self.output_tokens += answer.output_tokens
        self.cached_tokens += answer.cached_tokens
        price = price_of(answer.model, self.prices)
        new = money(price, answer.input_tokens, answer.output_tokens, answer.cached_tokens)
        self.cost_usd = None if new is None or self.cost_usd is None else self.cost_usd + new


def money(price: Price | None, input_tokens: int, output_tokens: int, cached_tokens: int = 0) -> float | None:
    """Return what tokens cost in USD; nothing costs nothing, also without a price."""
    if input_tokens + output_tokens == 0:
        return 0.0
    from nodes.results.usage import charge

    return None if price is None else charge(price, input_tokens, output_tokens, cached_tokens)
