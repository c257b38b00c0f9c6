"""The real clients against the service: sync, async, streaming, tools, structured output, embeddings."""

import math
from collections.abc import Sequence
from typing import Any

import pytest
from langchain_core.messages import AIMessage, AIMessageChunk, AnyMessage, HumanMessage, SystemMessage, ToolMessage
from langchain_google_genai import ChatGoogleGenerativeAI, GoogleGenerativeAIEmbeddings
from langchain_google_genai.chat_models import GoogleInvalidRequestError
from pydantic import BaseModel, SecretStr

from tests.gemini.parts import as_json, call, text, thought
from tests.gemini.replies import turn, usage
from tests.gemini.space import LOOPBACK_EMBEDDER, LOOPBACK_MODEL, Gemini

SEARCH: dict[str, Any] = {
    "name": "search_memory",
    "description": "搜索故事",
    "parameters": {
        "type": "object",
        "properties": {"query": {"type": "string"}, "chapters": {"type": "array", "items": {"type": "integer"}}},
        "required": ["query"],
    },
}
OPENING: list[AnyMessage] = [SystemMessage("你是检索专家"), HumanMessage("少女是谁？")]
TWO_CALLS = turn(
    thought("先想想"),
    text("先查一查少女和她的权能"),
    call("search_memory", {"query": "少女"}),
    call("search_memory", {"query": "权能", "chapters": [3.0, 4.0]}),
)
ANSWER = "少女献出了自己的身体，才得以重回世界。"


def client(gemini: Gemini, **more: Any) -> ChatGoogleGenerativeAI:
    """Return the chat client as the product builds it."""
    key = SecretStr(gemini.key)
    return ChatGoogleGenerativeAI(
        model=LOOPBACK_MODEL, base_url=gemini.url, api_key=key, max_retries=1, timeout=120, **more
    )


def results(message: AIMessage) -> list[ToolMessage]:
    """Answer every call of a model turn."""
    return [ToolMessage('{"result": "找到"}', tool_call_id=str(one["id"])) for one in message.tool_calls]


def assert_two_turns(gemini: Gemini, asked: AIMessage) -> None:
    """Assert what both sides saw of a conversation of two turns."""
    assert [one["args"] for one in asked.tool_calls] == [{"query": "少女"}, {"query": "权能", "chapters": [3.0, 4.0]}]
    assert asked.text == "先查一查少女和她的权能"
    second = gemini.history[1]
    assert second.system == "你是检索专家"
    assert second.tools == ["search_memory"]
    assert second.responses == [("search_memory", {"result": "找到"})] * 2
    signed = ["thoughtSignature" in part for part in second.contents[1]["parts"] if "functionCall" in part]
    assert signed == [True, False]
    gemini.assert_clean()


@pytest.fixture
def two_turns(gemini: Gemini) -> Gemini:
    """A script of calls and an answer."""
    gemini.play(TWO_CALLS, text(ANSWER))
    return gemini


def test_two_turns(two_turns: Gemini) -> None:
    """Parallel calls beside text and thoughts are answered, their signature comes back."""
    model = client(two_turns).bind_tools([SEARCH])
    asked = model.invoke(OPENING)
    last = model.invoke([*OPENING, asked, *results(asked)])
    assert_two_turns(two_turns, asked)
    assert last.text == ANSWER


async def test_two_turns_async(two_turns: Gemini) -> None:
    """The same with the async client."""
    model = client(two_turns).bind_tools([SEARCH])
    asked = await model.ainvoke(OPENING)
    last = await model.ainvoke([*OPENING, asked, *results(asked)])
    assert_two_turns(two_turns, asked)
    assert last.text == ANSWER


def joined(chunks: Sequence[AIMessage]) -> AIMessageChunk:
    """Return a stream as one message."""
    parts = [one for one in chunks if isinstance(one, AIMessageChunk)]
    whole = parts[0]
    for one in parts[1:]:
        whole += one
    return whole


def test_two_turns_as_a_stream(two_turns: Gemini) -> None:
    """The same as a stream: texts in pieces, the signature still at its call."""
    model = client(two_turns).bind_tools([SEARCH])
    asked = joined(list(model.stream(OPENING)))
    pieces = list(model.stream([*OPENING, asked, *results(asked)]))
    assert len([one for one in pieces if one.text]) > 1
    assert_two_turns(two_turns, asked)
    assert joined(pieces).text == ANSWER
    assert {one.method for one in two_turns.history} == {"streamGenerateContent"}


async def test_two_turns_as_an_async_stream(two_turns: Gemini) -> None:
    """The same with the async client."""
    model = client(two_turns).bind_tools([SEARCH])
    asked = joined([one async for one in model.astream(OPENING)])
    last = joined([one async for one in model.astream([*OPENING, asked, *results(asked)])])
    assert_two_turns(two_turns, asked)
    assert last.text == ANSWER


def test_three_rounds(gemini: Gemini) -> None:
    """Sequential calls each carry a signature, and all come back."""
    gemini.play(call("search_memory", {"query": "a"}), call("search_memory", {"query": "a"}), text(ANSWER))
    model, messages = client(gemini).bind_tools([SEARCH]), list(OPENING)
    for _ in range(2):
        asked = model.invoke(messages)
        messages += [asked, *results(asked)]
    assert model.invoke(messages).text == ANSWER
    made = [part["thoughtSignature"] for one in gemini.history[2].contents[1::2] for part in one["parts"]]
    assert len(set(made)) == 2  # equal calls, different signatures
    gemini.assert_clean()


def test_rebuilt_message_is_refused(two_turns: Gemini) -> None:
    """A message made anew from text and calls has lost the signature; the client's bypass does not hide it."""
    model = client(two_turns).bind_tools([SEARCH])
    asked = model.invoke(OPENING)
    rebuilt = AIMessage(asked.text, tool_calls=asked.tool_calls)
    with pytest.raises(GoogleInvalidRequestError, match="Corrupted thought signature"):
        model.invoke([*OPENING, rebuilt, *results(asked)])
    two_turns.signatures.allow_skip = True
    assert model.invoke([*OPENING, rebuilt, *results(asked)]).text == ANSWER


def test_unanswered_call_is_refused(two_turns: Gemini) -> None:
    """One result for two calls is refused."""
    model = client(two_turns).bind_tools([SEARCH])
    asked = model.invoke(OPENING)
    with pytest.raises(GoogleInvalidRequestError, match="number of function response parts"):
        model.invoke([*OPENING, asked, *results(asked)[:1]])
    assert len(two_turns.refused) == 1
    assert two_turns.left == 1  # a refused request takes no step


class Grade(BaseModel):
    """A structured output."""

    score: int
    reasons: list[str]


@pytest.mark.parametrize("method", ["json_schema", "function_calling"])
def test_structured_output(gemini: Gemini, method: Any) -> None:
    """Structured output by schema and by forced call."""
    value = {"score": 78, "reasons": ["有据"]}
    gemini.play(as_json(value) if method == "json_schema" else call("Grade", value))
    made = client(gemini).with_structured_output(Grade, method=method).invoke("评分")
    assert made == Grade(score=78, reasons=["有据"])
    request = gemini.history[0]
    assert (request.schema is None) == (method == "function_calling")
    assert request.tools == ([] if method == "json_schema" else ["Grade"])
    gemini.assert_clean()


def test_tokens(gemini: Gemini) -> None:
    """Token counts reach the message: thoughts are output, cached ones a part of the input."""
    gemini.play(turn(thought("想"), text("好"), tokens=usage(100, 20, thoughts=30, cached=40)))
    counted = client(gemini, include_thoughts=True).invoke("问").usage_metadata
    assert counted is not None
    assert (counted["input_tokens"], counted["output_tokens"], counted["total_tokens"]) == (100, 50, 150)
    assert counted.get("input_token_details") == {"cache_read": 40}
    assert counted.get("output_token_details") == {"reasoning": 30}


def test_tokens_of_a_stream(gemini: Gemini) -> None:
    """The counts of a stream's chunks add up to those of the whole."""
    gemini.play(turn(text(ANSWER), tokens=usage(100, 20, thoughts=30)))
    counted = joined(list(client(gemini).stream("问"))).usage_metadata
    assert counted is not None
    assert (counted["input_tokens"], counted["output_tokens"], counted["total_tokens"]) == (100, 50, 150)


def embedder(gemini: Gemini) -> GoogleGenerativeAIEmbeddings:
    """Return the embedding client."""
    key = SecretStr(gemini.key)
    return GoogleGenerativeAIEmbeddings(
        model=LOOPBACK_EMBEDDER, base_url=gemini.url, api_key=key, output_dimensionality=16
    )


def test_embeddings(gemini: Gemini) -> None:
    """Vectors have the asked length and norm 1, depend on the text alone, and come in the order of the texts."""
    texts = [f"第{number}章" for number in range(120)]  # more than one batch
    vectors = embedder(gemini).embed_documents(texts)
    assert len(vectors) == 120
    assert {len(one) for one in vectors} == {16}
    assert all(math.isclose(math.hypot(*one), 1.0) for one in vectors)
    assert vectors[7] == embedder(gemini).embed_query("第7章")
    assert vectors[7] != vectors[8]
    assert {one.method for one in gemini.history} == {"batchEmbedContents"}


async def test_embeddings_async(gemini: Gemini) -> None:
    """The same with the async client."""
    assert await embedder(gemini).aembed_query("少女") == embedder(gemini).embed_query("少女")


def test_count_tokens(gemini: Gemini) -> None:
    """The client can count tokens; longer texts have more."""
    model = client(gemini)
    assert model.get_num_tokens("少女" * 50) > model.get_num_tokens("少女")
    assert [one.method for one in gemini.history] == ["countTokens"] * 2
