"""Declarations and configs that the service refuses, one by one, by plain HTTP."""

import pytest

from tests.gemini.ask import SEARCH, asking, declaring, post, refused, shaped
from tests.gemini.parts import Json, text
from tests.gemini.replies import always
from tests.gemini.space import LOOPBACK_MODEL, Gemini

OLD_MODEL = "gemini-2-loopback"
LITE_MODEL = "gemini-99-lite-loopback"
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


@pytest.fixture(autouse=True)
def script(gemini: Gemini) -> None:
    """What is not refused is answered, so that a missing rule shows."""
    gemini.play(always(text("好")))


@pytest.mark.parametrize(("body", "message"), DECLARATIONS.values(), ids=DECLARATIONS)
def test_declarations(gemini: Gemini, body: Json, message: str) -> None:
    """A declaration outside the schema subset is refused before the script is asked."""
    assert message in refused(post(gemini, body))["message"]
    assert [one.refusal for one in gemini.refused] and gemini.history[0].status == 400


@pytest.mark.parametrize(("body", "message"), OUTPUTS.values(), ids=OUTPUTS)
def test_configs(gemini: Gemini, body: Json, message: str) -> None:
    """A wrong config is refused, and so is a response schema outside the subset."""
    assert message in refused(post(gemini, body))["message"]


def test_unknown_names_are_listed_as_violations(gemini: Gemini) -> None:
    """The refusal of a payload names every field in its details."""
    error = refused(post(gemini, asking(temprature=1, extra={})))
    assert 'Unknown name "temprature": Cannot find field.' in error["message"]
    assert error["details"][0]["@type"] == "type.googleapis.com/google.rpc.BadRequest"
    assert len(error["details"][0]["fieldViolations"]) == 2


def test_tools_with_a_response_schema(gemini: Gemini) -> None:
    """Newer models take functions and a JSON response together, older ones refuse them."""
    gemini.know(OLD_MODEL)
    config = {"responseMimeType": "application/json", "responseSchema": STRING}
    body = {**declaring({"type": "OBJECT"}), "generationConfig": config}
    assert post(gemini, body).status_code == 200
    message = "Function calling with a response mime type: 'application/json' is unsupported"
    assert message in refused(post(gemini, body, model=OLD_MODEL))["message"]


def test_thinking_level_of_an_older_model(gemini: Gemini) -> None:
    """Models that think by budget have no level."""
    gemini.know(OLD_MODEL)
    body = asking(generationConfig={"thinkingConfig": {"thinkingLevel": "LOW"}})
    assert "Thinking level is not supported for this model." in refused(post(gemini, body, model=OLD_MODEL))["message"]


@pytest.mark.parametrize(("model", "status"), [(LITE_MODEL, 200), ("gemini-3.6-loopback", 200), (LOOPBACK_MODEL, 400)])
def test_minimal_thinking(gemini: Gemini, model: str, status: int) -> None:
    """The lowest thinking level is for lite and earlier models."""
    gemini.know(model)
    body = asking(generationConfig={"thinkingConfig": {"thinkingLevel": "MINIMAL"}})
    assert post(gemini, body, model=model).status_code == status
