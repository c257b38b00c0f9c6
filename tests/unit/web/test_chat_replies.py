"""Replies of the door for chat clients, without a server: streams that fail, notes, what a history says, errors."""

import json
from collections.abc import AsyncGenerator
from typing import Any

import pytest

from tools.errors import LibraryNotFound, ModelError, StoreLocked, StoreUnavailable
from wenmai.answer import TurnEvent, event_of
from wenmai.inputs import FieldError
from wenmai.web.openai.replies import ChatReply, Steps, error_from, error_of, footnotes, url_citations, without_notes
from wenmai.web.openai.requests import ChatMessage, conversation_of, run_of

CITATION = {
    "n": 1, "label": "《雾港》第二回", "evidence": "e1", "source": "雾港", "part": 1, "chapter": 2,
    "title": "灯塔之约", "quote": "苏晚亭是守塔人", "start": 3, "end": 10, "location": None,
}  # fmt: skip
USAGE = {"input_tokens": 7, "output_tokens": 5, "total_tokens": 12, "thinking_tokens": 2, "cached_tokens": 1}
RECORD: dict[str, Any] = {
    "answer": "他是守塔人[1]，也是哥哥[1]。", "citations": [CITATION], "language": "zh", "as_of": None, "library": "港",
    "usage": USAGE, "status": "answer",
}  # fmt: skip
REPLY = ChatReply("港", "http://127.0.0.1:2024/", wants_usage=True)


async def steps(*events: TurnEvent, error: Exception | None = None) -> AsyncGenerator[TurnEvent]:
    for event in events:
        yield event
    if error is not None:
        raise error


async def sent(events: AsyncGenerator[TurnEvent]) -> list[Any]:
    return [json.loads(one["data"]) if one["data"] != "[DONE]" else None async for one in REPLY.turn_stream(events)]


async def test_a_stream_without_pieces() -> None:
    """An answer that never came as text is sent whole; usage and annotations follow."""
    *chunks, last, usage, done = await sent(steps(event_of("answer", RECORD)))
    text = "".join(one["choices"][0]["delta"].get("content", "") for one in chunks)
    assert text == RECORD["answer"] + "\n\n---\n\n[1] 《雾港》第二回：“苏晚亭是守塔人”" and done is None
    assert len(last["choices"][0]["delta"]["annotations"]) == 2
    assert usage["usage"]["total_tokens"] == 12
    assert usage["usage"]["completion_tokens_details"] == {"reasoning_tokens": 2}


NOTES = [
    {"action": "dropped", "reason": "unsupported", "text": "他会飞。", "evidence": []},
    {"action": "flagged", "reason": "number", "text": "他九十岁。", "evidence": ["e1"]},
    {"action": "moved", "reason": "quotation", "text": "他是守塔人。", "evidence": ["e1"]},
]


async def test_what_the_check_found_is_told() -> None:
    """LOP-14 PLA-36: in a line below the text and in the field of our own, in a stream and whole."""
    record = RECORD | {"notes": NOTES}
    *chunks, last, _, _ = await sent(steps(event_of("answer", record)))
    text = "".join(one["choices"][0]["delta"].get("content", "") for one in chunks)
    line = text.rpartition("\n\n")[2]
    assert line == "核对：删去 1 句没有依据的话；1 句未能核实：“他九十岁。”（数字与资料不符）"
    whole = REPLY.turn_reply(record, "")
    assert whole["choices"][0]["message"]["content"] == text
    assert [one["wenmai"]["notes"] for one in (last, whole)] == [NOTES, NOTES]
    assert without_notes(text) == (RECORD["answer"], None)


@pytest.mark.parametrize(
    ("error", "kind"), [(ModelError("模型没有回答"), "模型没有回答"), (RuntimeError("secret"), "内部错误")]
)
async def test_a_stream_that_fails(error: Exception, kind: str) -> None:
    """It ends with an error in the protocol's form, and without the mark of a good end."""
    *_, last = await sent(steps(event_of("text", {"text": "他"}), error=error))
    assert kind in last["error"]["message"] and last["error"]["type"] == "server_error" and "secret" not in str(last)


async def test_a_stream_without_an_end() -> None:
    assert "error" in (await sent(steps(event_of("text", {"text": "他"}))))[-1]


def test_steps_of_calls() -> None:
    lines = Steps()
    start = {"event": "tool_start", "call": 1, "tool": "search", "args": {"query": "灯"}}
    end = {"event": "tool_end", "call": 1, "tool": "search", "ok": False, "items": 0}
    assert lines.line(event_of("tool", start)) is None
    assert lines.line(event_of("tool", end)) == 'search {"query": "灯"} → ✗\n'
    assert lines.line(event_of("tool", end | {"tool": "stop"})) is None
    assert lines.line(event_of("node", {"node": "x"})) is None


@pytest.mark.parametrize("language", ["zh", "en"])
@pytest.mark.parametrize("guard", [None, {"part": 1, "chapter": 20}, {"part": 3, "chapter": 7}])
@pytest.mark.parametrize("citations", [[], [CITATION]])
def test_notes_of_an_answer_are_found_again(language: str, guard: Any, citations: Any) -> None:
    record = RECORD | {"language": language, "as_of": guard, "citations": citations}
    place = [guard["part"], guard["chapter"]] if guard else None
    assert without_notes(record["answer"] + footnotes(record)) == (record["answer"], place)


def test_rules_of_others_stay() -> None:
    """A line in a text that is not ours cuts nothing off."""
    text = "一\n\n---\n\n二"
    assert without_notes(text) == (text, None)


def test_where_a_citation_leads() -> None:
    """Each mark has an annotation; a quotation without a place in a text has a name instead of an address."""
    first, second = url_citations(RECORD, "http://host/")
    assert first["url_citation"]["url"].startswith("http://host/api/v1/libraries/%E6%B8%AF/quotes?source=")
    assert (first["url_citation"]["start_index"], second["url_citation"]["start_index"]) == (5, 13)
    (memory, _) = url_citations(RECORD | {"citations": [CITATION | {"start": None}]}, "http://host/")
    assert memory["url_citation"]["url"] == "urn:wenmai:evidence:e1"


def test_a_long_history() -> None:
    """The first turn and the last five are handed over, in order; what a client wraps around a question is left out."""
    said = [one for n in range(9) for one in (("user", f"问{n}"), ("assistant", f"答{n}"))]
    wrapped = "### Task:\nUse the context.\n<context>\n材料\n</context>\n\n他呢？"
    messages = [ChatMessage(role=role, content=text) for role, text in (*said, ("system", "x"), ("user", wrapped))]  # type: ignore[arg-type]  # the two roles
    talk = conversation_of(messages, 1000)
    assert talk.question == "他呢？" and talk.session is not None
    assert [one["question"] for one in talk.session["turns"]] == ["问0", "问4", "问5", "问6", "问7", "问8"]


def test_names_of_models() -> None:
    assert run_of("红楼@20", {"language": "zh"}) == {"language": "zh", "library": "红楼", "as_of_chapter": 20}
    assert run_of("红楼@2.20", {}) == {"library": "红楼", "as_of_part": 2, "as_of_chapter": 20}
    assert run_of("红楼@x", {})["library"] == "红楼@x"
    with pytest.raises(FieldError):
        run_of("红楼@20", {"as_of_chapter": 30})


@pytest.mark.parametrize(
    ("error", "status", "kind", "code"),
    [
        (LibraryNotFound("x"), 404, "invalid_request_error", "model_not_found"),
        (FieldError("context.library", "x"), 404, "invalid_request_error", "model_not_found"),
        (FieldError("context.mode", "x"), 400, "invalid_request_error", None),
        (FieldError("request", "x", 429), 429, "rate_limit_error", "rate_limit_exceeded"),
        (StoreLocked("x"), 409, "invalid_request_error", None),
        (StoreUnavailable("x"), 503, "server_error", None),
    ],
)
def test_errors(error: Exception, status: int, kind: str, code: str | None) -> None:
    found, told = error_of(error)
    assert (found, told["error"]["type"], told["error"]["code"], told["error"]["message"]) == (status, kind, code, "x")


def test_errors_of_guards() -> None:
    """Theirs get the form; an object in another form stays."""
    told = json.loads(error_from(413, b'{"detail": [{"field": "body", "message": "long"}]}') or b"")
    assert told["error"] == {
        "message": "long",
        "type": "invalid_request_error",
        "param": "body",
        "code": "request_too_large",
    }
    assert error_from(400, b'{"error": {}}') is None
