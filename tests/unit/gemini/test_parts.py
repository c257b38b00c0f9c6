"""Small parts: schemas, numbers, prices, meters."""

import asyncio
import json
from datetime import UTC, datetime
from itertools import count
from typing import Any

import pytest
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage
from langchain_core.messages.ai import UsageMetadata

from nodes.policy import Price
from nodes.usage import metered, meters, price_of, usage_record
from wenmai.minds.model.schemas import Graded, Queries, Resolved, declared

PRICES = {"gemini-7-flash": Price(input=1, output=2), "gemini-7-flash-lite": Price(input=3, output=4)}


@pytest.mark.parametrize("schema", [Graded, Resolved, Queries])
def test_schemas_hold_only_what_the_service_knows(schema: Any) -> None:
    """S000-D09: no defaults, titles or developers' words; each property required."""
    text = json.dumps(declared(schema))
    assert '"default"' not in text and '"title"' not in text and '"description"' not in text
    made = declared(schema)
    assert made.get("required", []) == list(made.get("properties", {}))


def test_a_missing_score_is_0() -> None:
    """S003-D01: what the grader leaves out counts nothing; an unknown type does not spoil the grade."""
    graded = Graded.model_validate_json('{"question_type": "poem", "scores": {"depth": 12.0, "evidence": "15"}}')
    assert (graded.scores.depth, graded.scores.evidence, graded.scores.citation) == (12, 15, 0)


@pytest.mark.parametrize(
    ("model", "price"),
    [
        ("gemini-7-flash", 1),
        ("models/gemini-7-flash-001", 1),
        ("gemini-7-flash-preview-09-2026", 1),
        ("gemini-7-flash-lite", 3),
        ("gemini-7-flash-lite-latest", 3),
        ("gemini-7-flash-image", None),
        ("gemini-7", None),
    ],
)
def test_prices_of_versions(model: str, price: float | None) -> None:
    """S000-D16: a version costs what its model costs; another model never does."""
    found = price_of(model, PRICES)
    assert (found.input if found else None) == price


def test_no_model_no_usage() -> None:
    """LOP-09: the offline mind costs nothing."""
    assert usage_record([], PRICES) == {}


def reply(tokens: int) -> AIMessage:
    usage = UsageMetadata(input_tokens=tokens, output_tokens=1, total_tokens=tokens + 1)
    return AIMessage("好", usage_metadata=usage, response_metadata={"model_name": "gemini-7-flash"})


async def test_meters_of_concurrent_questions_do_not_mix() -> None:
    """S003-23: each question counts its own calls, and measuring leaves nothing behind in the process."""
    seconds = count()

    def clock() -> datetime:
        return datetime.fromtimestamp(next(seconds), UTC)

    async def question(tokens: int) -> Any:
        model = GenericFakeChatModel(messages=iter([reply(tokens), reply(tokens)]))
        with metered("planner", 1, clock) as rows:
            await model.ainvoke("一")
            await asyncio.sleep(0)
            await model.ainvoke("二")
        return rows

    made = await asyncio.gather(*(question(n) for n in (10, 200)))
    assert [[(row["calls"], row["input_tokens"]) for row in rows] for rows in made] == [[(2, 20)], [(2, 400)]]
    from langchain_core.tracers import context

    before = len(context._configure_hooks)
    await question(1)
    assert len(context._configure_hooks) == before and meters().get() is None
