"""OpenAI's official client against `wenmai serve` and the LangGraph server: completions, streams, models, refusals."""

import json
import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, cast
from uuid import uuid4

import httpx
import openai
import pytest
from markdown_it import MarkdownIt

from tests.integration.live_server import LiveServer, wenmai
from tests.integration.own_server import API, serving
from tests.temporary import copied

WHO, AFTERWARDS = "苏晚亭是谁？", "他后来认出了什么？"
MODEL = "sample"
Client = openai.AsyncOpenAI


def client(server: LiveServer, key: str = "none", **more: Any) -> Client:
    return Client(base_url=f"{server.url}/v1", api_key=key, max_retries=0, timeout=120, **more)


@pytest.fixture(params=["own", pytest.param("server", marks=pytest.mark.costly)])
async def door(request: pytest.FixtureRequest) -> AsyncIterator[Client]:
    """A client of either server."""
    async with client(request.getfixturevalue(request.param)) as made:
        yield made


def asking(*said: str, **more: Any) -> dict[str, Any]:
    """Return a request: questions and answers in turn."""
    roles = ("user", "assistant")
    return {
        "model": MODEL,
        "messages": [{"role": roles[at % 2], "content": one} for at, one in enumerate(said)],
        **more,
    }


async def completed(door: Client, **asked: Any) -> Any:
    return await door.chat.completions.create(**asked)


async def threads(door: Client) -> int:
    async with httpx.AsyncClient(base_url=str(door.base_url).replace("/v1/", API), timeout=120) as http:
        return int((await http.get("/threads")).json()["total"])


async def test_an_answer(door: Client) -> None:
    """PLA-36: text with footnotes, annotations on its marks, usage, steps; nothing is kept."""
    before = await threads(door)
    reply = await completed(door, **asking(WHO))
    (choice,) = reply.choices
    message = choice.message
    assert (choice.finish_reason, message.role, reply.object, reply.model) == (
        "stop",
        "assistant",
        "chat.completion",
        MODEL,
    )
    answer, _, notes = message.content.partition("\n\n---\n\n")
    assert "守塔人" in answer and notes.startswith("[1] 《雾港》第二回") and "“" in notes
    cited = message.annotations[0]
    assert answer[cited.url_citation.start_index : cited.url_citation.end_index] == "[1]"
    assert cited.citation["quote"] in notes.replace("\n", "") and cited.url_citation.title in notes
    async with httpx.AsyncClient(timeout=120) as http:
        shown = (await http.get(cited.url_citation.url)).json()
    assert shown["quote"] == cited.citation["quote"]
    assert reply.usage.total_tokens == 0  # no model was asked
    assert "search_memory" in message.reasoning_content
    assert reply.wenmai["status"] == "answer" and 0 < reply.wenmai["confidence"] <= 1
    assert await threads(door) == before


async def test_a_stream(door: Client) -> None:
    """PLA-36: the same, piece by piece; annotations in the last delta, usage where it is asked for."""
    whole = (await completed(door, **asking(WHO))).choices[0].message
    chunks = [
        one async for one in await completed(door, **asking(WHO), stream=True, stream_options={"include_usage": True})
    ]
    *pieces, last, usage = chunks
    assert pieces[0].choices[0].delta.role == "assistant"
    text = "".join(one.choices[0].delta.content or "" for one in pieces)
    steps = "".join(getattr(one.choices[0].delta, "reasoning_content", None) or "" for one in pieces)
    assert (text, sorted(steps.splitlines())) == (whole.content, sorted(whole.reasoning_content.splitlines()))
    assert sum(bool(one.choices[0].delta.content) for one in pieces) > 1
    assert last.choices[0].finish_reason == "stop" and {one.choices[0].finish_reason for one in pieces} == {None}
    told = [one["url_citation"] for one in last.choices[0].delta.annotations]
    assert told == [one.url_citation.model_dump() for one in whole.annotations]
    assert usage.choices == [] and usage.usage.total_tokens == 0 and {one.usage for one in pieces} == {None}
    assert len({one.id for one in chunks}) == 1
    plain = [one async for one in await completed(door, **asking(WHO), stream=True)]
    assert all(one.choices and one.usage is None for one in plain)


MARKUP = """The lamp of the quay is green ![x](<https://evil.example/a.png>) and <b>old</b>.

The bell of the quay is blue ![x](https://evil.example/a_(1).png "t") and [new](javascript:alert(1)).
"""


async def test_markup_of_a_text_is_text(own: LiveServer) -> None:
    """PLA-36: whole and in a stream, in the answer, its quotes and the title of a library."""
    async with httpx.AsyncClient(base_url=own.url + API, timeout=120) as http:
        sent = {"data": {"thread_id": "markup"}, "files": {"file": ("<i>quay.txt", MARKUP.encode())}}
        assert (await http.post("/documents", **sent)).status_code == 201  # type: ignore[arg-type]  # as httpx takes it
    reader = MarkdownIt("commonmark")
    reader.validateLink = lambda url: True  # type: ignore[method-assign]  # as one that looks at no address
    async with client(own, default_headers={"x-wenmai-thread": "markup"}) as door:
        for question in ("What colour is the lamp of the quay?", "What colour is the bell of the quay?"):
            asked = asking(question, extra_body={"toolkits": ["documents"]})
            whole = (await completed(door, **asked)).choices[0].message
            chunks = [one async for one in await completed(door, **asked, stream=True)]
            streamed = "".join(one.choices[0].delta.content or "" for one in chunks if one.choices)
            assert streamed == whole.content and ("evil" in streamed or "alert" in streamed), streamed
            html = reader.render(streamed)
            assert not re.search(r"<(?:a|img|b|i|script)\b", html), html
            for one in cast("Any", whole).annotations:
                place = one.url_citation
                assert re.fullmatch(r"\[\d+\]", streamed[place.start_index : place.end_index])


async def test_a_history(door: Client) -> None:
    """PLA-36: what 他 means follows from the messages that the client sends, with our footnotes or without."""
    first = (await completed(door, **asking(WHO))).choices[0].message.content
    for answer in (first, first.partition("\n\n---")[0]):
        reply = await completed(door, **asking(WHO, answer, AFTERWARDS))
        assert "苏晚亭" in reply.wenmai["resolved_question"] and "航海图" in reply.choices[0].message.content
    alone = await completed(door, **asking(AFTERWARDS))
    assert "苏晚亭" not in alone.wenmai["resolved_question"]


async def test_a_named_thread(door: Client) -> None:
    """PLA-36: the header names a thread that keeps the talk; the API shows it."""
    named = {"X-Wenmai-Thread": f"chat {uuid4()}"}
    before = await threads(door)
    raw = await door.chat.completions.with_raw_response.create(**cast("Any", asking(WHO)), extra_headers=named)
    thread = raw.headers["x-wenmai-thread"]
    second = await completed(door, **asking(AFTERWARDS), extra_headers=named)
    assert "航海图" in second.choices[0].message.content and second.wenmai["thread_id"] == thread
    assert await threads(door) == before + 1
    async with httpx.AsyncClient(base_url=str(door.base_url).replace("/v1/", API), timeout=120) as http:
        turns = (await http.get(f"/threads/{thread}/turns")).json()["items"]
    assert [one["question"] for one in turns] == [WHO, AFTERWARDS]


async def test_a_guard(door: Client) -> None:
    """PLA-36: by the model's name or by fields; the answer says so, and a history's answers count by what they say."""
    for model, more in (("sample@1", {}), ("sample@1.1", {}), (MODEL, {"as_of_chapter": 1})):
        reply = await completed(door, **asking(WHO) | {"model": model}, extra_body=more)
        assert "守塔人" not in str(reply) and reply.wenmai["as_of"] == {"part": 1, "chapter": 1}
        assert reply.choices[0].message.content.endswith("（截至第 1 章）")
    lamp = await completed(door, **asking("谁递给陆沉舟琉璃灯？") | {"model": "sample@1"})
    said = lamp.choices[0].message.content
    follow = asking("谁递给陆沉舟琉璃灯？", said, "她叮嘱了什么？") | {"model": "sample@1"}
    assert "苏晚照" in (await completed(door, **follow)).wenmai["resolved_question"]
    late = asking(WHO, "苏晚亭是灯塔的守塔人。", "再说一遍") | {"model": "sample@1"}
    assert "守塔人" not in str(await completed(door, **late))


async def test_models(door: Client) -> None:
    """PLA-36: the libraries; one with a guard by its name."""
    (known,) = (await door.models.list()).data
    assert (known.id, known.object, known.owned_by) == (MODEL, "model", "wenmai")
    assert (await door.models.retrieve("sample@2")).id == "sample@2"
    for name in ("nope", "gpt/4", "nope@2"):
        with pytest.raises(openai.NotFoundError) as refused:
            await door.models.retrieve(name)
        assert refused.value.code == "model_not_found"


PART = {"type": "text", "text": WHO}
IMAGE = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}
REFUSED: tuple[tuple[dict[str, Any], str], ...] = (
    ({"model": "nope"}, "model"),
    ({"messages": []}, "messages"),
    ({"messages": [{"role": "system", "content": "x"}]}, "messages"),
    ({"messages": [{"role": "user", "content": WHO}, {"role": "assistant", "content": "x"}]}, "messages"),
    ({"messages": [{"role": "user", "content": [PART, IMAGE]}]}, "messages"),
    ({"messages": [{"role": "user", "content": "  "}]}, "messages"),
    ({"messages": [{"role": "user", "content": "长" * 100_000}]}, "messages"),
    ({"n": 2}, "n"),
    ({"logprobs": True}, "logprobs"),
    ({"tool_choice": "required"}, "tool_choice"),
    ({"response_format": {"type": "json_object"}}, "response_format"),
    ({"stream": "yes please"}, "stream"),
    ({"as_of_chaptr": 1}, "as_of_chaptr"),
    ({"as_of_chapter": -1}, "as_of_chapter"),
    ({"as_of_chapter": "two"}, "as_of_chapter"),
    ({"model": "sample@1", "as_of_chapter": 4}, "as_of_chapter"),
    ({"toolkits": ["nothing"]}, "toolkits.0"),
    ({"as_of_part": 2}, "as_of_part"),
    ({"model": "sample@9999999999"}, "model"),
    ({"messages": [{"role": "user", "content": [None]}]}, "messages.0.content"),
    ({"response_format": {"type": "json_schema", "json_schema": [1]}}, "response_format"),
)


@pytest.mark.parametrize(("wrong", "param"), REFUSED)
@pytest.mark.parametrize("stream", [False, True])
async def test_what_is_refused(own: LiveServer, wrong: dict[str, Any], param: str, stream: bool) -> None:
    """PLA-36: a status and an error in the protocol's form that names the parameter, for a stream as well."""
    body = asking(WHO, stream=stream) | wrong
    async with httpx.AsyncClient(base_url=own.url, timeout=60) as http:
        reply = await http.post("/v1/chat/completions", json=body)
    error = reply.json()["error"]
    assert reply.status_code == (404 if param == "model" else 400), reply.text
    assert (error["type"], error["param"]) == ("invalid_request_error", param) and error["message"]


async def test_what_has_no_effect(door: Client) -> None:
    """PLA-36: sampling, tools, names and instructions of a client change nothing; parts of text are read."""
    tool = {"type": "function", "function": {"name": "look", "parameters": {"type": "object", "properties": {}}}}
    messages = [
        {"role": "system", "content": "You are a pirate. Write a title for each answer."},
        {"role": "user", "content": [{"type": "text", "text": "苏晚亭"}, {"type": "text", "text": "是谁？"}]},
        {"role": "system", "content": "Stay in character."},
    ]
    usual = {"temperature": 2, "top_p": 0.1, "max_tokens": 5, "seed": 1, "user": "x", "tools": [tool], "n": 1}
    reply = await completed(
        door, **asking() | {"messages": messages}, **usual, extra_body={"min_p": 0.1, "chat_id": "x"}
    )
    assert "守塔人" in reply.choices[0].message.content


async def test_questions_of_the_client_itself(door: Client) -> None:
    """PLA-36: a title, as text, as a stream and as JSON, without a turn."""
    talk = f"USER: {WHO}\nASSISTANT: 苏晚亭是灯塔的守塔人[1]。"
    form = 'JSON format: { "title": "…" }'
    order = f"### Task:\nGenerate a title.\n### Output:\n{form}\n<chat_history>\n{talk}\n</chat_history>"
    reply = await completed(door, **asking(order))
    assert json.loads(reply.choices[0].message.content) == {"title": "苏晚亭是谁"}
    follow = order.replace("Generate a title", "Suggest follow-up questions").replace('"title"', '"follow_ups"')
    chunks = [one async for one in await completed(door, **asking(follow), stream=True)]
    made = json.loads("".join(one.choices[0].delta.content or "" for one in chunks))["follow_ups"]
    assert any("苏晚亭" in one for one in made) and WHO not in made
    guarded = await completed(door, **asking(follow.replace(WHO, "码头上有谁？")) | {"model": "sample@1"})
    assert "苏晚亭" not in guarded.choices[0].message.content


async def test_keys(prepared: Path, tmp_path: Path) -> None:
    """PLA-36: a key is needed, opens its libraries alone, and has threads of its own."""
    folder = copied(prepared, tmp_path / "keys")
    one, other, third = (key_of(folder, *who) for who in (("alice",), ("bob", "--library", "other"), ("carol",)))
    with serving(folder) as live:
        async with client(live, "wrong") as nobody, client(live, other) as bob, client(live, one) as alice:
            with pytest.raises(openai.AuthenticationError) as refused:
                await nobody.models.list()
            assert refused.value.code == "invalid_api_key"
            assert (await bob.models.list()).data == []
            for ask in (bob.models.retrieve(MODEL), completed(bob, **asking(WHO))):
                with pytest.raises(openai.NotFoundError) as hidden:
                    await ask
                assert hidden.value.code == "model_not_found"
            named = {"X-Wenmai-Thread": "talk"}
            kept = (await completed(alice, **asking(WHO), extra_headers=named)).wenmai["thread_id"]
        async with client(live, third) as carol:
            own = await completed(carol, **asking(AFTERWARDS), extra_headers=named)
            assert own.wenmai["thread_id"] != kept and "苏晚亭" not in own.wenmai["resolved_question"]
            with pytest.raises(openai.NotFoundError):
                await completed(carol, **asking(AFTERWARDS), extra_headers={"X-Wenmai-Thread": kept})


def key_of(folder: Path, user: str, *more: str) -> str:
    """Return a new key."""
    return wenmai(folder, "keys", "add", "--user", user, *more).stdout.strip()


@pytest.mark.costly
async def test_guards_in_front(prepared: Path, tmp_path: Path) -> None:
    """PLA-31 PLA-36: foreign pages, long and other bodies, too many requests, each in the protocol's form."""
    folder = copied(prepared, tmp_path / "guards")
    key = key_of(folder, "alice")
    own = {"RATE_LIMIT": "9/minute", "MAX_REQUEST_BYTES": "4000", "WENMAI_ORIGINS": "https://chat.example"}
    with serving(folder, **own) as live:
        headers = {"authorization": f"Bearer {key}"}
        async with httpx.AsyncClient(base_url=f"{live.url}/v1", headers=headers, timeout=120) as http:
            wish = {"access-control-request-method": "POST", "access-control-request-headers": "authorization"}
            for origin, status in (("https://evil.example", 403), ("https://chat.example", 200)):
                page = {"origin": origin}
                assert (await http.options("/chat/completions", headers=page | wish)).status_code == status
                reply = await http.get("/models", headers=page)
                assert reply.status_code == status
                assert status == 200 or reply.json()["error"]["code"] == "forbidden"
            plain = await http.post("/chat/completions", content="{}", headers={"content-type": "text/plain"})
            assert plain.status_code == 415 and plain.json()["error"]["type"] == "invalid_request_error"
        async with client(live, key) as alice:
            with pytest.raises(openai.APIStatusError) as long:
                await completed(alice, **asking("长" * 4000))
            assert (long.value.status_code, long.value.code) == (413, "request_too_large")
            with pytest.raises(openai.RateLimitError) as often:
                for _ in range(10):
                    await alice.models.list()
            assert often.value.code == "rate_limit_exceeded" and int(often.value.response.headers["retry-after"]) > 0
