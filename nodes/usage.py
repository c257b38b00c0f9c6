"""The cost of a question: tokens by role and attempt, money by a price table, and the token limit."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from datetime import datetime
from functools import cache
from typing import Any

from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.messages import AIMessage
from langchain_core.messages.ai import UsageMetadata
from langchain_core.outputs import ChatGeneration, LLMResult
from langchain_core.tracers.context import register_configure_hook

from nodes.policy import Price
from state.context import Context
from state.recall import RecallState
from state.result import Usage, UsageShare
from state.schema import AgentState, Role, UsageRow
from tools.errors import ModelError
from tools.holding import holding

MILLION = 1_000_000
VERSION = re.compile(r"-(?:\d{3,}|latest|preview(?:-[\d-]+)?)$")
UNKNOWN_MODEL = "unknown"
# A reply that broke off, or that has no candidate, does not say which model wrote it.
ASKED: ContextVar[str] = ContextVar("wenmai_asked_model", default=UNKNOWN_MODEL)
# What the token limit leaves for the calls of the role that runs, before any of them.
LEFT: ContextVar[int | None] = ContextVar("wenmai_tokens_left", default=None)
COUNTS = ("calls", "input_tokens", "output_tokens", "thinking_tokens", "cached_tokens")


class Meter(BaseCallbackHandler):
    run_inline = True  # else each event is handed to a thread

    def __init__(self) -> None:
        super().__init__()
        self.reports: list[tuple[str, UsageMetadata]] = []

    @property
    def ignore_chat_model(self) -> bool:
        """Ignore starts: LangChain would render each prompt as text for them."""
        return True

    def on_llm_end(self, response: LLMResult, **kwargs: Any) -> None:
        for generation in response.generations[0][:1] if response.generations else ():
            message = generation.message if isinstance(generation, ChatGeneration) else None
            if isinstance(message, AIMessage) and message.usage_metadata:
                self.add(str(message.response_metadata.get("model_name") or ""), message.usage_metadata)

    def on_llm_error(self, error: BaseException, *, response: LLMResult | None = None, **kwargs: Any) -> None:
        if response is not None:
            self.on_llm_end(response)

    def add(self, model: str, usage: UsageMetadata) -> None:
        self.reports.append((model or ASKED.get(), usage))


def asking(model: str) -> AbstractContextManager[None]:
    """Attribute replies that do not name their model to this one."""
    return holding(ASKED, model)


@cache
def meters() -> ContextVar[Meter | None]:
    """Return the context variable in which LangChain looks for a meter.

    It is one for the process: LangChain's own `get_usage_metadata_callback` registers another one at each use and
    never removes it, so that each model call of a server would take longer than the one before.
    """
    variable: ContextVar[Meter | None] = ContextVar("wenmai_meter", default=None)
    register_configure_hook(variable, inheritable=True)
    return variable


@contextmanager
def metered(
    role: Role, attempt: int, clock: Callable[[], datetime], left: int | None = None
) -> Iterator[list[UsageRow]]:
    """Yield a list that holds, at the end, a row for each model that a role called; its calls may cost `left` tokens.

    A ModelError that ends the call carries the rows: they are paid for.
    """
    meter, rows, started = Meter(), list[UsageRow](), clock()
    try:
        try:
            with holding(meters(), meter), holding(LEFT, left):
                yield rows
        finally:
            rows += rows_of(meter.reports, role, attempt, (clock() - started).total_seconds())
    except ModelError as error:
        error.paid += rows
        raise


def rows_of(reports: Sequence[tuple[str, UsageMetadata]], role: Role, attempt: int, seconds: float) -> list[UsageRow]:
    rows: dict[str, UsageRow] = {}
    for model, report in reports:
        row = UsageRow(
            role=role,
            attempt=attempt,
            model=model,
            calls=1,
            input_tokens=report["input_tokens"],
            output_tokens=report["output_tokens"],
            thinking_tokens=report.get("output_token_details", {}).get("reasoning", 0),
            cached_tokens=report.get("input_token_details", {}).get("cache_read", 0),
            seconds=0.0 if rows else round(seconds, 3),
        )
        rows[model] = added(rows[model], row) if model in rows else row
    return list(rows.values())


def spent(rows: Sequence[UsageRow]) -> int:
    return sum(row["input_tokens"] + row["output_tokens"] for row in rows)


def tokens_for_call() -> int | None:
    """Return what the next call of the role that runs may cost with its reply, None without a limit."""
    left, meter = LEFT.get(), meters().get()
    if left is None:
        return None
    used = sum(report["input_tokens"] + report["output_tokens"] for _, report in (meter.reports if meter else ()))
    return max(0, left - used)


def tokens_left(state: AgentState | RecallState, context: Context, new: Sequence[UsageRow] = ()) -> int | None:
    """Return what the token limit leaves for model calls, None without one; the fallback mind needs none."""
    if context.max_tokens is None or state["degraded"]:
        return None
    return max(0, context.max_tokens - spent([*state["usage"], *new]))


def over_limit(state: AgentState, context: Context, new: Sequence[UsageRow] = (), *, needed: int = 1) -> bool:
    """Return True if the token limit forbids a model call that needs so many tokens."""
    left = tokens_left(state, context, new)
    return left is not None and left < needed


def usage_record(rows: Sequence[UsageRow], prices: Mapping[str, Price]) -> Usage:
    """Return tokens, seconds and USD, in total and by role and attempt; {} if no model was called."""
    if not rows:
        return Usage()
    groups: dict[tuple[Role, int, str], UsageRow] = {}
    for row in rows:
        key = (row["role"], row["attempt"], row["model"])
        groups[key] = added(groups[key], row) if key in groups else row
    costs = [cost(row, prices) for row in rows]
    return Usage(
        calls=sum(row["calls"] for row in rows),
        input_tokens=sum(row["input_tokens"] for row in rows),
        output_tokens=sum(row["output_tokens"] for row in rows),
        thinking_tokens=sum(row["thinking_tokens"] for row in rows),
        cached_tokens=sum(row["cached_tokens"] for row in rows),
        total_tokens=spent(rows),
        seconds=round(sum(row["seconds"] for row in rows), 3),
        cost_usd=None if None in costs else round(sum(one for one in costs if one), 8),
        by=[UsageShare(**row, cost_usd=cost(row, prices)) for row in groups.values()],
    )


def with_rows(usage: Usage, rows: Sequence[UsageRow], prices: Mapping[str, Price]) -> Usage:
    known: list[Any] = [{k: v for k, v in part.items() if k != "cost_usd"} for part in usage.get("by", ())]
    return usage_record([*known, *rows], prices)


def added(one: UsageRow, other: UsageRow) -> UsageRow:
    """Return the sum of two rows of the same role, attempt and model."""
    total = {name: one[name] + other[name] for name in (*COUNTS, "seconds")}  # type: ignore[literal-required]  # its keys
    return {**one, **total}  # type: ignore[typeddict-item]  # the keys are those of UsageRow


def cost(row: UsageRow, prices: Mapping[str, Price]) -> float | None:
    """Return the cost of a row in USD, None if the price is not known."""
    price = price_of(row["model"], prices)
    if price is None:
        return None
    return round(charge(price, row["input_tokens"], row["output_tokens"], row["cached_tokens"]), 8)


def charge(price: Price, input_tokens: int, output_tokens: int, cached_tokens: int = 0) -> float:
    """Return the cost of tokens in USD; cached tokens are part of the input tokens."""
    cached = cached_tokens * (price.input if price.cached is None else price.cached)
    fresh = (input_tokens - cached_tokens) * price.input
    return (fresh + cached + output_tokens * price.output) / MILLION


def price_of(model: str, prices: Mapping[str, Price]) -> Price | None:
    """Return the price of a model; the service may name a version of it (`-001`, `-preview-09-2026`)."""
    name = model.rsplit("/", 1)[-1]
    return prices.get(name) or prices.get(VERSION.sub("", name))
