"""Conversations and signatures that the service refuses, one by one, by plain HTTP."""

import pytest

from tests.gemini.ask import QUESTION, answer, asking, first, post, refused
from tests.gemini.parts import Json, call, text
from tests.gemini.replies import always, turn
from tests.gemini.space import Gemini

OLD_MODEL = "gemini-2-loopback"
CALLING: Json = {"role": "model", "parts": [call("search_memory", {"query": "少女"})]}
ANSWERED: Json = {"role": "user", "parts": [answer("search_memory")]}
CONVERSATIONS: dict[str, tuple[list[Json], str]] = {
    "no contents": ([], "* GenerateContentRequest.contents: contents is not specified\n"),
    "no parts": (
        [QUESTION, {"role": "model", "parts": []}],
        "* GenerateContentRequest.contents[1].parts: contents.parts must not be empty.\n",
    ),
    "an empty part": ([{"role": "user", "parts": [{}]}], "contents[0].parts[0].data: required oneof field 'data'"),
    "a role that is none": ([{"role": "tool", "parts": [text("x")]}], "Please use a valid role: user, model."),
    "a nameless response": (
        [QUESTION, CALLING, {"role": "user", "parts": [answer("")]}],
        "contents[2].parts[0].function_response.name: Name cannot be empty.",
    ),
    "an unanswered call": ([QUESTION, CALLING, QUESTION], "number of function response parts is equal to the number"),
    "an open call": ([QUESTION, CALLING], "number of function response parts is equal to the number"),
    "a surplus response": (
        [QUESTION, CALLING, {"role": "user", "parts": [answer("search_memory"), answer("search_memory")]}],
        "number of function response parts is equal to the number",
    ),
    "a response of another function": (
        [QUESTION, CALLING, {"role": "user", "parts": [answer("track_journey")]}],
        "function response names match",
    ),
    "a response with another id": (
        [
            QUESTION,
            {"role": "model", "parts": [call("search_memory", call_id="1")]},
            {"role": "user", "parts": [answer("search_memory", id="2")]},
        ],
        "functionResponse.id does not match functionCall.id",
    ),
    "a call at the beginning": ([CALLING, ANSWERED], "function call turn comes immediately after a user turn"),
    "a call after a model turn": (
        [QUESTION, {"role": "model", "parts": [text("想")]}, CALLING, ANSWERED],
        "function call turn comes immediately after a user turn",
    ),
    "a call of the user": (
        [QUESTION, {**CALLING, "role": "user"}, ANSWERED],
        "function call turn comes immediately after a user turn",
    ),
    "a response without a call": (
        [QUESTION, ANSWERED],
        "function response turn comes immediately after a function call turn",
    ),
    "a call and a response in one turn": (
        [QUESTION, {"role": "model", "parts": [call("a"), answer("a")]}],
        "can not be mixed with function_response parts",
    ),
    "only a model turn": ([{"role": "model", "parts": [text("我")]}], "single turn requests end with a user role"),
    "the model last": (
        [QUESTION, {"role": "model", "parts": [text("我")]}],
        "Requests ending with a model turn are not supported.",
    ),
    "a call without its signature": (
        [QUESTION, CALLING, ANSWERED],
        "Function call is missing a thought_signature in functionCall parts.",
    ),
    "the bypass of the signature check": (
        [
            QUESTION,
            {"role": "model", "parts": [call("search_memory", signature="skip_thought_signature_validator")]},
            ANSWERED,
        ],
        "Corrupted thought signature.",
    ),
}


@pytest.fixture(autouse=True)
def script(gemini: Gemini) -> None:
    """What is not refused is answered, so that a missing rule shows."""
    gemini.play(always(text("好")))


@pytest.mark.parametrize(("contents", "message"), CONVERSATIONS.values(), ids=CONVERSATIONS)
def test_conversations(gemini: Gemini, contents: list[Json], message: str) -> None:
    """A conversation that breaks the order of turns or the count of responses is refused."""
    assert message in refused(post(gemini, {"contents": contents}))["message"]


def test_streams_are_refused_before_they_begin(gemini: Gemini) -> None:
    """A refused stream is a plain error."""
    assert (
        "contents is not specified"
        in refused(post(gemini, {"contents": []}, "streamGenerateContent?alt=sse"))["message"]
    )


def test_altered_signature(gemini: Gemini) -> None:
    """A signature with other bytes is corrupted, one in the URL alphabet is the same."""
    gemini.signatures.sign(call("search_memory", {"query": "少女"}, signature="wenmai+/w"))
    sent = [QUESTION, {"role": "model", "parts": [{**CALLING["parts"][0], "thoughtSignature": "wenmai-_w=="}]}]
    assert post(gemini, {"contents": [*sent, ANSWERED]}).status_code == 200
    sent[1]["parts"][0]["thoughtSignature"] = "wenmai-_x=="
    assert "Corrupted thought signature." in refused(post(gemini, {"contents": [*sent, ANSWERED]}))["message"]


def conversation_of_two_calls(gemini: Gemini) -> tuple[Json, Json]:
    """Let the model make two calls and return its content and the responses."""
    gemini.play(turn(call("search_memory", {"query": "a"}), call("search_memory", {"query": "b"})), when=lambda _: True)
    made = first(post(gemini, asking()))
    assert ["thoughtSignature" in part for part in made["parts"]] == [True, False]
    return made, {"role": "user", "parts": [answer("search_memory"), answer("search_memory")]}


def test_moved_signature(gemini: Gemini) -> None:
    """A signature on another call than the one that had it is refused."""
    made, answered = conversation_of_two_calls(gemini)
    assert post(gemini, {"contents": [QUESTION, made, answered]}).status_code == 200
    one, other = made["parts"]
    moved = [{**other, "thoughtSignature": one["thoughtSignature"]}, {"functionCall": one["functionCall"]}]
    assert (
        "Corrupted thought signature."
        in refused(post(gemini, {"contents": [QUESTION, {**made, "parts": moved}, answered]}))["message"]
    )


def test_signature_lost_in_an_earlier_turn(gemini: Gemini) -> None:
    """By default the whole conversation is looked at; the real service looks at the current turn."""
    made, answered = conversation_of_two_calls(gemini)
    bare = {**made, "parts": [{"functionCall": part["functionCall"]} for part in made["parts"]]}
    body = {"contents": [QUESTION, bare, answered, QUESTION]}
    error = refused(post(gemini, body))
    assert "Function call is missing a thought_signature" in error["message"]
    assert "function call `default_api:search_memory` , position 2." in error["message"]
    gemini.signatures.scope = "turn"
    assert post(gemini, body).status_code == 200


def test_older_models_need_no_signature(gemini: Gemini) -> None:
    """A model before the third generation neither signs nor checks."""
    gemini.know(OLD_MODEL)
    body = {"contents": [QUESTION, CALLING, ANSWERED]}
    response = post(gemini, body, model=OLD_MODEL)
    assert response.status_code == 200
    assert first(response)["parts"] == [{"text": "好"}]


def test_older_models_continue_their_own_words(gemini: Gemini) -> None:
    """Ending with a model turn is refused from one generation on, in lite models earlier."""
    body = {"contents": [QUESTION, {"role": "model", "parts": [text("我")]}]}
    status = {"gemini-3.5-loopback": 200, "gemini-3.5-lite-loopback": 400, "gemini-3.6-loopback": 400}
    gemini.know(*status)
    assert {one: post(gemini, body, model=one).status_code for one in status} == status
