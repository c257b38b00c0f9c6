"""Sums of money, and what makes an unknown one known."""

from tools.wording import Words

UNPRICED = Words(
    "有的模型没有价格：在 MODEL_PRICES 中写上它每百万 token 的美元价格，就能算出金额。",
    "A model has no price: with its USD per million tokens in MODEL_PRICES the cost is counted.",
)
"""To be said once behind everything that shows an unknown sum."""
UNKNOWN = Words("价格未知", "price unknown")


def dollars(usd: float | None) -> str:
    """Return a sum, or that the price is not known."""
    return UNKNOWN.say() if usd is None else f"${usd:.4f}"
