"""How a turn with a model ends where its reply has no end, is a call in words, or comes too dear (loop.md §3, §5)."""

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from langchain_core.messages import HumanMessage

from tests.gemini import fault
from tests.gemini.exchange import Request
from tests.gemini.parts import as_json, call, text
from tests.gemini.refusals import Refusal
from tests.gemini.replies import always, turn, usage
from tests.gemini.space import LOOPBACK_MODEL, Gemini, Space
from tests.graph.talk import GRADER, SHALLOW, grade, models, talking
from tests.unit.tools.world import World, passage
from tools.language import tokens
from wenmai.minds.model.client import ModelEndpoint
from wenmai.minds.model.providers import provider_of
from wenmai.minds.model.schemas import Queries

QUESTION = "恰斯卡和卡齐娜是什么关系？"
DRAFT = "两人一见如故[E1]。"
LOOK = call("find_connection", {"entity1": "恰斯卡", "entity2": "卡齐娜"})
OPEN: dict[str, Any] = {"opening_search": True}


@pytest.fixture(autouse=True)
def lost_signatures(service: Space) -> None:
    """A call in words has no signature: the client puts the documented string in its place."""
    if isinstance(service, Gemini):
        service.signatures.allow_skip, service.signatures.scope = True, "turn"


def asked(service: Space) -> list[Request]:
    return [one for one in service.history if one.model == LOOPBACK_MODEL]


@pytest.mark.parametrize(("finish", "word"), [("MAX_TOKENS", "OUTPUT_TOKENS"), ("SAFETY", "SAFETY")])
async def test_a_reply_that_was_broken_off_is_warned_about_and_does_not_pass(
    service: Space, finish: str, word: str
) -> None:
    """LOP-25: the text is shown with a warning; no grader is asked, and no further attempt made."""
    async with talking(service) as talk:
        talk.agent(LOOK, fault.finish(finish, text(f"{DRAFT}后来她们")))
        talk.grader(always(grade()))
        result = await talk.ask(QUESTION)
    assert "一见如故[1]" in result["answer"] and result["passed"] is False and len(result["attempts"]) == 1
    assert word in result["warning"] and result["warning"].count(word) == 1
    assert [one for one in service.history if one.model == GRADER] == []


ARGS = {"query": "恰斯卡 卡齐娜"}
WORDS = {
    "json": json.dumps({"name": "search_memory", "arguments": ARGS}, ensure_ascii=False),
    "a list": json.dumps([{"name": "search_memory", "parameters": ARGS}], ensure_ascii=False),
    "of a service": json.dumps(
        {"tool_calls": [{"function": {"name": "search_memory", "arguments": json.dumps(ARGS)}}]}
    ),
    "mistral": f'[TOOL_CALLS] [{{"name": "search_memory", "arguments": {json.dumps(ARGS)}}}]',
    "llama": f"<function=search_memory>{json.dumps(ARGS)}</function>",
    "python": "```tool_code\nprint(default_api.search_memory(query='恰斯卡 卡齐娜'))\n```",
}


@pytest.mark.parametrize("words", WORDS.values(), ids=WORDS)
async def test_a_text_that_is_a_call_is_taken_as_one(service: Space, words: str) -> None:
    """LOP-26: whatever the template, and whichever protocol; a draft is what is no call."""
    async with talking(service) as talk:
        talk.agent(text(words), text(DRAFT))
        talk.grader(grade())
        result = await talk.ask(QUESTION, opening_search=False)
    service.assert_clean()
    assert [(one["tool"], one["args"]) for one in result["tool_calls"]] == [("search_memory", ARGS)]
    assert result["answer"] == "两人一见如故[1]。"


@pytest.mark.parametrize("step", [LOOK, text(WORDS["json"])], ids=["call", "words"])
async def test_a_model_that_only_calls_ends_the_turn_with_what_was_found(service: Space, step: Any) -> None:
    """LOP-26: asked once more without tools; then the evidence at hand makes the answer, with a warning."""
    async with talking(service) as talk:
        talk.agent(always(step))
        talk.grader(always(grade()))
        result = await talk.ask(QUESTION, **OPEN)
    rounds = [one for one in asked(service) if one.may_call]
    assert len(rounds) <= 5 and len(asked(service)) <= len(rounds) + 2 and not asked(service)[-1].tools
    assert result["degraded"] and result["citations"] and "工具" in result["warning"]


def at_most(most: int) -> Callable[[Request], Any]:
    """Return a model that takes so many characters of a request, and answers from the first row."""

    def reply(request: Request) -> Any:
        if len(str(request.body)) > most:
            raise Refusal(400, f"This model's maximum context length is {most} tokens; your request has more.")
        return turn(text("恰斯卡说了话[E1]。"))

    return reply


LONG = World(rows=[passage(n, 1, n, f"恰斯卡说了第{n}句话。" + "风很大。" * 80, ("恰斯卡",)) for n in range(1, 11)])


async def test_a_request_that_is_too_long_is_sent_again_with_fewer_rows(service: Space) -> None:
    """LOP-27: the first rows of each result stay; how many are left out is said."""
    async with talking(service, world=LONG) as talk:
        service.answer(lambda request: grade() if request.model == GRADER else at_most(7_000)(request))
        result = await talk.ask("恰斯卡说了什么？", **OPEN, max_attempts=1)
    first, last = asked(service)[0], asked(service)[-1]
    assert first.prompt.count("[E") == 10 and last.prompt.count("[E") in (1, 2, 5)
    assert "条因篇幅没有列出" in last.prompt and "[E1] " in last.prompt
    assert result["answer"].startswith("恰斯卡说了话[1]") and not result["degraded"]


async def test_a_known_context_is_kept_to_beforehand(service: Space) -> None:
    """LOP-27: with CONTEXT_TOKENS no request is refused; OUTPUT_TOKENS bounds the reply."""
    agent = replace(models(service.words.prefix).agent, context_tokens=4_000, output_tokens=500)
    async with talking(service, world=LONG, models=models(service.words.prefix, agent=agent)) as talk:
        talk.agent(text("恰斯卡说了话[E1]。"))
        talk.grader(grade())
        await talk.ask("恰斯卡说了什么？", **OPEN, max_attempts=1)
    service.assert_clean()
    (request,) = asked(service)
    assert 1 <= request.prompt.count("[E") < 10 and tokens(str(request.body)) < 4_000
    limit = request.body.get("max_tokens") or (request.body.get("generationConfig") or {}).get("maxOutputTokens")
    assert limit == 500


async def test_fields_of_a_deployment_stand_in_every_request(service: Space) -> None:
    """S003-03: EXTRA_BODY, beside the schema that a structured answer is asked for with; OpenAI's protocol alone."""
    if service.provider != "openai":
        return
    service.play(text("好"), as_json(["词"]))
    endpoint = ModelEndpoint(provider="openai", key=service.key, base_url=service.url, extra_body={"seed": 7})
    provider, settings = provider_of(endpoint), models("OPENAI").agent
    await provider.turn(settings, [HumanMessage("你好")])
    await provider.structured(settings, [HumanMessage("词？")], Queries)
    await provider.close()
    assert [one.body.get("seed") for one in service.history] == [7, 7] and service.history[1].schema


@pytest.mark.parametrize("most", [500, 4_000, 6_000, 9_000])
async def test_max_tokens_bounds_a_question_beforehand(service: Space, most: int) -> None:
    """PLA-08: a call that would cost more than is left is made with fewer rows, or not at all."""

    def counted(request: Request) -> Any:
        reply = {LOOPBACK_MODEL: turn(text("恰斯卡说了话[E1]。")), GRADER: grade(SHALLOW)}.get(request.model)
        made = reply or turn(as_json(["恰斯卡 说话"]))
        return replace(made, body=made.body | {"usageMetadata": usage(tokens(str(request.body)), 200)})

    async with talking(service, world=LONG) as talk:
        service.answer(counted)
        result = await talk.ask("恰斯卡说了什么？", **OPEN, max_tokens=most)
    own = result["usage"].get("total_tokens", 0)
    assert own <= most and result["citations"]
    assert (most > 500) == bool(asked(service)) and "max_tokens" in result["warning"]


async def test_max_tokens_bounds_the_resolver_too(service: Space) -> None:
    """PLA-08: a follow-up that cannot pay its resolver is resolved by rules, and no call is made."""
    async with talking(service, world=LONG) as talk:
        talk.agent(text("恰斯卡说了话[E1]。"))
        talk.grader(grade())
        await talk.ask("恰斯卡说了什么？", **OPEN, max_attempts=1)
        before = len(service.history)
        result = await talk.ask("她说了第几句话？", **OPEN, max_tokens=700)
    assert len(service.history) == before and not result["usage"]
    assert result["resolved_question"] == "恰斯卡说了第几句话？" and "max_tokens" in result["warning"]
