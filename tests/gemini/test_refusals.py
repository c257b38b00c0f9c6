"""Every refusal of the service, one by one, by plain HTTP."""

import re
from typing import Any

import httpx
import pytest

from tests.gemini import fault
from tests.gemini.ask import QUESTION, SEARCH, answer, asking, declaring, first, post, shaped
from tests.gemini.parts import Json, call, text
from tests.gemini.replies import always, turn
from tests.gemini.space import LOOPBACK_EMBEDDER, LOOPBACK_MODEL, Gemini

OLD_MODEL = "gemini-2-loopback"
STRING: Json = {"type": "STRING"}
DECLARED = "tools[0].function_declarations[0].parameters"
DECLARATIONS: dict[str, tuple[Json, str]] = {
    "array without items": (
        declaring({"type": "OBJECT", "properties": {"tags": {"type": "ARRAY"}}}),
        f"* GenerateContentRequest.{DECLARED}.properties[tags].items: missing field.\n",
    ),
    "$ref": (
        declaring({"type": "OBJECT", "properties": {"a": {"$ref": "#/$defs/A"}}}),
        f"Unknown name \"$ref\" at '{DECLARED}.properties[0].value': Cannot find field.",
    ),
    "additionalProperties": (
        declaring({"type": "OBJECT", "properties": {"a": STRING}, "additionalProperties": False}),
        f"Unknown name \"additionalProperties\" at '{DECLARED}': Cannot find field.",
    ),
    "const inside anyOf": (
        declaring({"type": "OBJECT", "properties": {"a": {"anyOf": [{"const": "x"}]}}}),
        f"Unknown name \"const\" at '{DECLARED}.properties[0].value.any_of[0]': Cannot find field.",
    ),
    "list of types": (
        declaring({"type": "OBJECT", "properties": {"a": {"type": ["string", "null"]}}}),
        "Proto field is not repeating, cannot start list.",
    ),
    "enum of integers": (
        declaring({"type": "OBJECT", "properties": {"n": {"type": "INTEGER", "enum": ["1", "2"]}}}),
        f"{DECLARED}.properties[n].enum: only allowed for STRING type",
    ),
    "enum values that are no strings": (
        declaring({"type": "OBJECT", "properties": {"n": {"type": "STRING", "enum": [1]}}}),
        f"Invalid value at '{DECLARED}.properties[0].value.enum[0]' (TYPE_STRING), 1",
    ),
    "empty enum value": (
        declaring({"type": "OBJECT", "properties": {"n": {"type": "STRING", "enum": [""]}}}),
        f"{DECLARED}.properties[n].enum[0]: cannot be empty",
    ),
    "no type": (
        declaring({"type": "OBJECT", "properties": {"a": {"description": "x"}}}),
        f"{DECLARED}.properties[a].type: must be specified when not using one_of, any_of or all_of fields",
    ),
    "unknown type": (declaring({"type": "OBJECT", "properties": {"a": {"type": "tuple"}}}), '.Type), "tuple"'),
    "required but not declared": (
        declaring({"type": "OBJECT", "properties": {}, "required": ["ref"]}),
        f"{DECLARED}.required[0]: property is not defined",
    ),
    "properties of a string": (
        declaring({"type": "OBJECT", "properties": {"a": {"type": "STRING", "properties": {"b": STRING}}}}),
        f"{DECLARED}.properties[a].properties: only allowed for OBJECT type",
    ),
    "format of a string": (
        declaring({"type": "OBJECT", "properties": {"a": {"type": "STRING", "format": "uri"}}}),
        "format: only 'enum' and 'date-time' are supported for STRING type",
    ),
    "parameters that are no object": (declaring({"type": "STRING"}), "should be of type OBJECT"),
    "empty name": (declaring({"type": "OBJECT"}, name=""), "Invalid function name."),
    "name with spaces": (declaring({"type": "OBJECT"}, name="search memory"), "Invalid function name."),
    "name of 65 letters": (declaring({"type": "OBJECT"}, name="a" * 65), "Invalid function name."),
    "the same name twice": (
        asking(tools=[{"functionDeclarations": [SEARCH, SEARCH]}]),
        "Duplicate function declaration found: search_memory",
    ),
    "two kinds of parameters": (
        declaring({"type": "OBJECT", "properties": {"a": STRING}}, parametersJsonSchema={"type": "object"}),
        "mutually exclusive",
    ),
    "unknown field of a declaration": (declaring({"type": "OBJECT"}, strict=True), 'Unknown name "strict"'),
    "JSON schema with an unknown keyword": (
        asking(tools=[{"functionDeclarations": [{"name": "a", "parametersJsonSchema": {"type": "object", "if": {}}}]}]),
        "parameters_json_schema.if: unsupported keyword",
    ),
}
OUTPUTS: dict[str, tuple[Json, str]] = {
    "array without items": (
        shaped({"type": "OBJECT", "properties": {"a": {"type": "ARRAY"}}}),
        "* GenerateContentRequest.generation_config.response_schema.properties[a].items: missing field.\n",
    ),
    "unknown keyword": (
        shaped({"type": "OBJECT", "properties": {"a": STRING}, "additionalProperties": False}),
        "Unknown name \"additionalProperties\" at 'generation_config.response_schema': Cannot find field.",
    ),
    "object without properties": (
        shaped({"type": "OBJECT", "properties": {"a": {"type": "OBJECT"}}}),
        "response_schema.properties[a].properties: should be non-empty for OBJECT type",
    ),
    "schema without the mime type": (
        asking(generationConfig={"responseSchema": STRING}),
        "response_mime_type: must be application/json",
    ),
    "both schemas": (shaped(STRING, responseJsonSchema={"type": "string"}), "mutually exclusive"),
    "mime type": (asking(generationConfig={"responseMimeType": "text/html"}), "allowed mimetypes are"),
    "temperature": (asking(generationConfig={"temperature": 2.5}), "temperature must be in the range [0.0, 2.0]."),
    "candidates": (asking(generationConfig={"candidateCount": 9}), "candidate_count"),
    "output tokens": (asking(generationConfig={"maxOutputTokens": 0}), "max_output_tokens"),
    "unknown field": (asking(generationConfig={"max_tokens": 5}), "Unknown name \"max_tokens\" at 'generation_config'"),
    "thinking twice": (
        asking(generationConfig={"thinkingConfig": {"thinkingLevel": "LOW", "thinkingBudget": 5}}),
        "You can only set only one of thinking budget and thinking level.",
    ),
    "thinking level": (
        asking(generationConfig={"thinkingConfig": {"thinkingLevel": "MINIMAL"}}),
        "Thinking level MINIMAL is not supported for this model.",
    ),
    "choice without functions": (
        asking(toolConfig={"functionCallingConfig": {"mode": "ANY"}}),
        "Function calling config is set without function_declarations.",
    ),
    "choice of an undeclared function": (
        {
            **declaring({"type": "OBJECT"}),
            "toolConfig": {"functionCallingConfig": {"mode": "ANY", "allowedFunctionNames": ["x"]}},
        },
        "allowed_function_names",
    ),
    "names in AUTO mode": (
        {
            **declaring({"type": "OBJECT"}),
            "toolConfig": {"functionCallingConfig": {"mode": "AUTO", "allowedFunctionNames": ["search_memory"]}},
        },
        "only allowed when the mode is ANY",
    ),
}
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


def refused(response: httpx.Response, message: str, code: int = 400, status: str = "INVALID_ARGUMENT") -> Json:
    """Assert the form of a refusal and return its body."""
    body: Json = response.json()["error"]
    assert response.status_code == body["code"] == code
    assert body["status"] == status
    assert message in body["message"]
    return body


@pytest.fixture(autouse=True)
def script(gemini: Gemini) -> None:
    """What is not refused is answered, so that a missing rule shows."""
    gemini.play(always(text("好")))


@pytest.mark.parametrize(("body", "message"), DECLARATIONS.values(), ids=DECLARATIONS)
def test_declarations(gemini: Gemini, body: Json, message: str) -> None:
    """A declaration outside the schema subset is refused before the script is asked."""
    refused(post(gemini, body), message)
    assert [one.refusal for one in gemini.refused] and gemini.history[0].status == 400


@pytest.mark.parametrize(("body", "message"), OUTPUTS.values(), ids=OUTPUTS)
def test_configs(gemini: Gemini, body: Json, message: str) -> None:
    """A wrong config is refused, and so is a response schema outside the subset."""
    refused(post(gemini, body), message)


@pytest.mark.parametrize(("contents", "message"), CONVERSATIONS.values(), ids=CONVERSATIONS)
def test_conversations(gemini: Gemini, contents: list[Json], message: str) -> None:
    """A conversation that breaks the order of turns or the count of responses is refused."""
    refused(post(gemini, {"contents": contents}), message)


def test_streams_are_refused_before_they_begin(gemini: Gemini) -> None:
    """A refused stream is a plain error."""
    refused(post(gemini, {"contents": []}, "streamGenerateContent?alt=sse"), "contents is not specified")


def test_unknown_names_are_listed_as_violations(gemini: Gemini) -> None:
    """The refusal of a payload names every field in its details."""
    error = refused(post(gemini, asking(temprature=1, extra={})), 'Unknown name "temprature": Cannot find field.')
    assert error["details"][0]["@type"] == "type.googleapis.com/google.rpc.BadRequest"
    assert len(error["details"][0]["fieldViolations"]) == 2


@pytest.mark.parametrize("raw", ["{", "[1]", '"x"'])
def test_bodies_that_are_no_object(gemini: Gemini, raw: str) -> None:
    """A body that is no JSON object is refused."""
    address = f"{gemini.url}/v1beta/models/{LOOPBACK_MODEL}:generateContent"
    response = httpx.post(address, content=raw, headers={"x-goog-api-key": gemini.key})
    refused(response, "Invalid JSON payload received.")


def test_altered_signature(gemini: Gemini) -> None:
    """A signature with other bytes is corrupted, one in the URL alphabet is the same."""
    gemini.signatures.sign(call("search_memory", {"query": "少女"}, signature="wenmai+/w"))
    sent = [QUESTION, {"role": "model", "parts": [{**CALLING["parts"][0], "thoughtSignature": "wenmai-_w=="}]}]
    assert post(gemini, {"contents": [*sent, ANSWERED]}).status_code == 200
    sent[1]["parts"][0]["thoughtSignature"] = "wenmai-_x=="
    refused(post(gemini, {"contents": [*sent, ANSWERED]}), "Corrupted thought signature.")


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
    refused(post(gemini, {"contents": [QUESTION, {**made, "parts": moved}, answered]}), "Corrupted thought signature.")


def test_signature_lost_in_an_earlier_turn(gemini: Gemini) -> None:
    """By default the whole conversation is looked at; the real service looks at the current turn."""
    made, answered = conversation_of_two_calls(gemini)
    bare = {**made, "parts": [{"functionCall": part["functionCall"]} for part in made["parts"]]}
    body = {"contents": [QUESTION, bare, answered, QUESTION]}
    error = refused(post(gemini, body), "Function call is missing a thought_signature")
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


def test_tools_with_a_response_schema(gemini: Gemini) -> None:
    """Newer models take functions and a JSON response together, older ones refuse them."""
    gemini.know(OLD_MODEL)
    config = {"responseMimeType": "application/json", "responseSchema": STRING}
    body = {**declaring({"type": "OBJECT"}), "generationConfig": config}
    assert post(gemini, body).status_code == 200
    message = "Function calling with a response mime type: 'application/json' is unsupported"
    refused(post(gemini, body, model=OLD_MODEL), message)


def test_thinking_level_of_an_older_model(gemini: Gemini) -> None:
    """Models that think by budget have no level."""
    gemini.know(OLD_MODEL)
    body = asking(generationConfig={"thinkingConfig": {"thinkingLevel": "LOW"}})
    refused(post(gemini, body, model=OLD_MODEL), "Thinking level is not supported for this model.")


@pytest.mark.parametrize(
    ("model", "method"),
    [("gemini-99-nobody", "generateContent"), (LOOPBACK_MODEL, "embedContent"), (LOOPBACK_EMBEDDER, "generateContent")],
)
def test_unknown_model(gemini: Gemini, model: str, method: str) -> None:
    """An unknown model, or a method that it does not have, is not found."""
    message = f"models/{model} is not found for API version v1beta, or is not supported for {method}."
    refused(post(gemini, asking(), method, model), message, 404, "NOT_FOUND")


def test_keys(gemini: Gemini) -> None:
    """A wrong key is a 400 with its reason, no key a 403; neither enters the history."""
    address = f"{gemini.url}/v1beta/models/{LOOPBACK_MODEL}:generateContent"
    wrong = httpx.post(address, json=asking(), headers={"x-goog-api-key": "nobody's"})
    error = refused(wrong, "API key not valid. Please pass a valid API key.")
    assert error["details"][0]["reason"] == "API_KEY_INVALID"
    refused(httpx.post(address, json=asking()), "unregistered callers", 403, "PERMISSION_DENIED")
    assert httpx.post(f"{address}?key={gemini.key}", json=asking()).status_code == 200
    assert len(gemini.history) == 1


def test_region(gemini: Gemini) -> None:
    """An outage answers everything, here that the place is not served."""
    gemini.outage = fault.region()
    message = "User location is not supported for the API use."
    refused(post(gemini, asking()), message, 400, "FAILED_PRECONDITION")
    gemini.outage = None
    assert post(gemini, asking()).status_code == 200


def test_quota(gemini: Gemini) -> None:
    """A spent quota carries its violation and when to come back."""
    gemini.play(fault.quota(7, model=LOOPBACK_MODEL), when=lambda _: True)
    error = refused(post(gemini, asking()), "You exceeded your current quota", 429, "RESOURCE_EXHAUSTED")
    details = {re.sub(r".*\.", "", one["@type"]): one for one in error["details"]}
    assert details["RetryInfo"]["retryDelay"] == "7s"
    assert details["QuotaFailure"]["violations"][0]["quotaDimensions"]["model"] == LOOPBACK_MODEL


EMBEDDINGS: dict[str, tuple[Any, str]] = {
    "nothing": ({"requests": []}, "requests is not specified"),
    "too many": (
        {"requests": [{"model": f"models/{LOOPBACK_EMBEDDER}", "content": {"parts": [text("a")]}}] * 101},
        "at most 100 requests can be in one batch",
    ),
    "another model": (
        {"requests": [{"model": LOOPBACK_EMBEDDER, "content": {"parts": [text("a")]}}]},
        "unexpected model name format",
    ),
    "an empty text": (
        {"requests": [{"model": f"models/{LOOPBACK_EMBEDDER}", "content": {"parts": [text("")]}}]},
        "content is required",
    ),
    "dimensions": (
        {
            "requests": [
                {
                    "model": f"models/{LOOPBACK_EMBEDDER}",
                    "content": {"parts": [text("a")]},
                    "outputDimensionality": 9999,
                }
            ]
        },
        "output_dimensionality",
    ),
}


@pytest.mark.parametrize(("body", "message"), EMBEDDINGS.values(), ids=EMBEDDINGS)
def test_embedding_requests(gemini: Gemini, body: Json, message: str) -> None:
    """Wrong batches are refused."""
    refused(post(gemini, body, "batchEmbedContents", LOOPBACK_EMBEDDER), message)
