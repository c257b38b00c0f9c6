"""Sums of money, and what makes an unknown one known."""

UNPRICED = "有的模型没有价格：在 MODEL_PRICES 中写上它每百万 token 的美元价格，就能算出金额。"
"""To be said once behind everything that shows an unknown sum."""


def dollars(usd: float | None) -> str:
    """Return a sum, or that the price is not known."""
    return "价格未知" if usd is None else f"${usd:.4f}"
