"""What a question's calls to the agent's model have in common, and how long each may think."""

import json
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest

from tests.gemini import fault
from tests.gemini.exchange import Request
from tests.gemini.models import Model
from tests.gemini.parts import Json, as_json, call, text
from tests.gemini.replies import turn
from tests.gemini.space import LOOPBACK_MODEL, Gemini, Space
from tests.graph.talk import RESOLVER, SHALLOW, Talk, grade, models, resolved, settings, talking
from tests.openai_service.dialect import Dialect
from tests.openai_service.space import OpenAI
from tools.language import tokens

QUESTION = "恰斯卡和卡齐娜是什么关系？"
LOOK = call("find_connection", {"entity1": "恰斯卡", "entity2": "卡齐娜"})
SCENES = call("search_memory", {"query": "恰斯卡 卡齐娜"})
STOP = call("stop", {"reason": "sufficient"})
DRAFT = "恰斯卡与卡齐娜一见如故[E1]。"
CLOSING = '"}]'
LOW: Json = {"thinkingLevel": "LOW"}
BUDGET: Json = {"thinkingBudget": 1_024}


def asked(service: Space) -> list[Request]:
    return [one for one in service.history if one.model == LOOPBACK_MODEL]


def prefix(request: Request) -> bytes:
    """Return the bytes of a request that stand before its conversation: system prompt and tools."""
    body = request.body
    system = body["systemInstruction"] if "systemInstruction" in body else body["messages"][0]
    return json.dumps([system, body["tools"]], ensure_ascii=False).encode()


def thinking(request: Request) -> Json:
    """Return how long a model may think, without the wish for summaries."""
    config: Json = request.config.get("thinkingConfig") or {}
    return {key: value for key, value in config.items() if key != "includeThoughts"}


@pytest.mark.parametrize("context", [{}, {"opening_search": True}, {"stream_drafts": True}])
async def test_calls_of_a_question_begin_with_the_same_bytes(service: Space, context: dict[str, Any]) -> None:
    """S003-08: searches, drafts and the next attempt; the draft turn declares its tools and may not call them."""
    async with talking(service) as talk:
        talk.agent(turn(LOOK, SCENES), STOP, text("她们认识[E1]。"), SCENES, STOP, text(DRAFT))
        talk.grader(grade(SHALLOW), grade())
        talk.refiner(as_json(["恰斯卡 相遇", "卡齐娜 安慰"]))
        result = await talk.ask(QUESTION, **context)
    service.assert_clean()
    requests = asked(service)
    assert len(requests) == 6 and result["passed"] and result["attempt"] == 2
    assert len({prefix(one) for one in requests}) == 1
    assert [one.may_call for one in requests] == [True, True, False, True, True, False]
    assert QUESTION not in requests[0].system and all(QUESTION in str(one.contents[0]) for one in requests)
    told = [json.dumps(one.contents, ensure_ascii=False) for one in requests]
    assert all(later.startswith(earlier.rstrip(CLOSING)) for earlier, later in pairwise(told))


async def test_a_resolved_question_stands_in_the_users_turn(service: Space) -> None:
    """S003-08: two questions of a thread have the same system prompt, whatever was talked about."""
    async with talking(service) as talk:
        talk.agent(LOOK, text(DRAFT), LOOK, text(DRAFT))
        talk.grader(grade(), grade())
        await talk.ask(QUESTION)
        await talk.ask("恰斯卡和卡齐娜后来怎么样了？")
    service.assert_clean()
    assert len({prefix(one) for one in asked(service)}) == 1 and len(asked(service)) == 4


def quick(talk: Talk) -> None:
    """Script a search and a draft."""
    talk.agent(LOOK, STOP, text(DRAFT))
    talk.grader(grade())


def searching(service: Space) -> Any:
    """Return models whose agent thinks shortly while it searches."""
    agent = settings(LOOPBACK_MODEL, f"{service.words.prefix}_MODEL")
    return replace(models(service.words.prefix), agent=agent, searcher=replace(agent, thinking="low"))


async def test_a_turn_that_may_search_thinks_shortly(service: Space) -> None:
    """S003-03: low while tools may be called, the model's own level for the draft."""
    async with talking(service, models=searching(service)) as talk:
        quick(talk)
        await talk.ask(QUESTION)
    service.assert_clean()
    assert [thinking(one) for one in asked(service)] == [LOW, LOW, {}]


@pytest.mark.parametrize(
    ("refused", "levels"),
    [
        ((), [LOW, LOW, {}, LOW, LOW, {}]),
        (("LOW",), [LOW, BUDGET, BUDGET, {}, BUDGET, BUDGET, {}]),
        (("LOW", "budget"), [LOW, BUDGET, {}, {}, {}, {}, {}, {}]),
    ],
)
async def test_a_level_that_gemini_refuses(gemini: Gemini, refused: tuple[str, ...], levels: list[Json]) -> None:
    """S003-03: a budget of tokens instead, then nothing; what was refused once is not sent again."""

    def play(request: Request) -> Any:
        level = thinking(request)
        if (level == LOW and "LOW" in refused) or (level == BUDGET and "budget" in refused):
            return fault.status(400, "Thinking is not supported in this way for this model.")
        return text(DRAFT) if not request.may_call else STOP if request.responses else LOOK

    gemini.know(Model(LOOPBACK_MODEL))
    async with talking(gemini, models=searching(gemini)) as talk:
        gemini.play(*[play] * len(levels), model=LOOPBACK_MODEL)
        talk.grader(grade(), grade())
        results = [await talk.ask(QUESTION, thread=name) for name in ("t1", "t2")]
    assert [thinking(one) for one in asked(gemini)] == levels and gemini.left == 0
    assert all(one["passed"] and not one["degraded"] and not one["warning"] for one in results)


async def test_an_effort_that_a_server_does_not_know(openai: OpenAI) -> None:
    """S003-03: the field is left out from the second request on, and nobody hears of it."""
    openai.dialect = Dialect(efforts=())
    async with talking(openai, models=searching(openai)) as talk:
        quick(talk)
        quick(talk)
        roles = [await talk.ask(QUESTION, thread=name) for name in ("t1", "t2")]
    sent = ["reasoning_effort" in one.body for one in asked(openai)]
    assert sent == [True, *[False] * 6]
    assert all(one["passed"] and not one["degraded"] for one in roles)


@pytest.mark.parametrize("question", [QUESTION, "How are 恰斯卡 and 卡齐娜 related?"])
async def test_what_is_constant_comes_first(service: Space, question: str) -> None:
    """S003-08: tools and rules have the 1,024 tokens from which services cache; a resolver's talk is behind them."""
    async with talking(service) as talk:
        talk.agent(*[text(DRAFT)] * 3)
        talk.grader(*[grade()] * 3)
        talk.resolver(*[resolved("卡齐娜后来怎么样了？", ("她", "卡齐娜"))] * 2)
        for asked_next in (question, "她后来怎么样了？", "她在哪里？"):
            await talk.ask(asked_next, opening_search=True, language="zh" if question == QUESTION else "en")
    agent = [one for one in service.history if one.model == LOOPBACK_MODEL]
    resolvers = [one for one in service.history if one.model == RESOLVER]
    assert tokens(prefix(agent[0]).decode()) >= 1_024
    assert len(resolvers) == 2 and len({one.system for one in resolvers}) == 1
    first, second = (one.prompt for one in resolvers)
    assert first.splitlines()[0] == second.splitlines()[0] and "refers_back" not in first
    assert "refers_back" in resolvers[0].system and first != second
