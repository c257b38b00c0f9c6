"""Spans of questions, model calls and tool calls, as a collector gets them."""

import json
from typing import Any

import pytest

from tests.gemini.parts import call, text
from tests.gemini.replies import turn
from tests.gemini.replies import usage as tokens
from tests.gemini.space import LOOPBACK_MODEL, Space
from tests.small_story import TOKEN, Opening
from tests.telemetry.collector import Collector, attributes

QUESTION = "苏晚照的哥哥是谁？"
ANSWER = "苏晚照的哥哥是苏晚亭[E1]。"
CLIENT = 3


def model_settings(service: Space) -> dict[str, Any]:
    """Return the settings that answer by the loopback service."""
    prefix = "google" if service.provider == "gemini" else "openai"
    models = {f"{one}_model": LOOPBACK_MODEL for one in (service.words.prefix.lower(), "grader", "refiner", "resolver")}
    address = {f"{service.words.address.lower()}": service.url}
    return {f"{prefix}_api_key": service.key, **address, **models}


async def test_a_turn_by_a_model(service: Space, opening: Opening, collector: Collector) -> None:
    service.play(
        turn(call("search_memory", {"query": "苏晚照 哥哥"}), tokens=tokens(100, 10)),
        turn(text(ANSWER), tokens=tokens(300, 20)),
    )
    async with opening(otel_exporter_otlp_endpoint=collector.url, **model_settings(service)) as agent:
        record = (
            await agent.ask(QUESTION, library="river", thread_id="t1", grade="never", opening_search=False)
        ).record
    (root,), chats, tools = (collector.named(one) for one in ("invoke_agent", "chat", "execute_tool"))
    assert root.name == "invoke_agent wenmai" and not root.parent_span_id
    assert all(span.parent_span_id == root.span_id and span.trace_id == root.trace_id for span in [*chats, *tools])
    told = attributes(root)
    assert told["gen_ai.operation.name"] == "invoke_agent" and told["gen_ai.conversation.id"] == "t1"
    assert told["gen_ai.usage.input_tokens"] == record["usage"]["input_tokens"] == 400
    assert told["wenmai.library"] == "river" and told["gen_ai.request.model"] == LOOPBACK_MODEL
    assert len(chats) == record["usage"]["calls"] == 2 and [one.name for one in tools] == ["execute_tool search_memory"]
    assert {attributes(one)["gen_ai.provider.name"] for one in chats} <= {"openai", "gcp.gemini"}
    assert [attributes(one)["gen_ai.usage.output_tokens"] for one in chats] == [10, 20]
    assert all(one.kind == CLIENT and one.name == f"chat {LOOPBACK_MODEL}" for one in chats)
    spans = [root, *chats, *tools]
    assert all(span.start_time_unix_nano <= span.end_time_unix_nano for span in spans)
    assert chats[0].end_time_unix_nano <= tools[0].end_time_unix_nano <= chats[1].end_time_unix_nano
    assert collector.resource["service.name"] == "wenmai"
    assert "苏晚" not in str([attributes(one) for one in spans])


async def test_contents_leave_on_request_and_keys_never(opening: Opening, collector: Collector) -> None:
    shown = {"otel_instrumentation_genai_capture_message_content": True}
    async with opening(otel_exporter_otlp_endpoint=collector.url + "/", **shown) as agent:
        await agent.ask(f"{QUESTION} {TOKEN}", library="river", user_id="u1")
    (root,) = collector.named("invoke_agent")
    (asked,) = json.loads(attributes(root)["gen_ai.input.messages"])
    assert asked["role"] == "user" and QUESTION in asked["parts"][0]["content"]
    told = [attributes(one) for one in collector.spans]
    assert "苏晚亭" in attributes(root)["gen_ai.output.messages"] and TOKEN not in str(told)
    searches = [one for one in told if one.get("gen_ai.tool.name") == "search_memory"]
    assert searches and all("query" in json.loads(one["gen_ai.tool.call.arguments"]) for one in searches)


async def test_nothing_is_lost_at_the_end(opening: Opening, collector: Collector) -> None:
    async with opening(otel_exporter_otlp_endpoint=collector.url) as agent:
        for number in range(30):
            await agent.ask(QUESTION, library="river", thread_id=f"t{number}")
    roots = collector.named("invoke_agent")
    assert {attributes(one)["gen_ai.conversation.id"] for one in roots} == {f"t{n}" for n in range(30)}
    assert len({one.trace_id for one in roots}) == len(roots) == 30


async def test_what_a_failed_model_leaves(openai: Any, opening: Opening, collector: Collector) -> None:
    given = {**model_settings(openai), "openai_api_key": "wrong-key-of-somebody", "on_model_failure": "message"}
    async with opening(otel_exporter_otlp_endpoint=collector.url, **given) as agent:
        await agent.ask(QUESTION, library="river")
    failed = [one for one in collector.named("chat") if one.status.code == 2]
    assert failed and all("Error" in attributes(one)["error.type"] for one in failed)
    assert "wrong-key-of-somebody" not in str(collector.spans)


async def test_a_collector_that_is_away(
    opening: Opening, collector: Collector, caplog: pytest.LogCaptureFixture
) -> None:
    collector.listening.stop()
    async with opening(otel_exporter_otlp_endpoint=collector.url) as agent:
        assert (await agent.ask(QUESTION, library="river")).record["status"] != "failed"
