"""All rules for a request to generate, in the order in which the service looks at them."""

from collections import Counter
from collections.abc import Iterator

from tests.gemini.conversation import check_conversation
from tests.gemini.models import Model
from tests.gemini.parts import Json
from tests.gemini.refusals import invalid
from tests.gemini.schema_rules import declaration_problems, json_schema_problems, schema_problems
from tests.gemini.signatures import Signatures

ROOT = "GenerateContentRequest"
MODES = frozenset({"AUTO", "ANY", "NONE", "VALIDATED"})
MIME_TYPES = frozenset({"text/plain", "application/json", "text/x.enum"})
MAX_CANDIDATES = 8
MAX_STOPS = 5
RANGES = {"temperature": (0.0, 2.0), "topP": (0.0, 1.0)}


def check_generate(body: Json, model: Model, signatures: Signatures) -> None:
    """Raise Refusal when the service would refuse the request; the body is spelled as `check_payload` returns it."""
    found = [*tool_problems(body), *config_problems(body.get("generationConfig") or {})]
    if found:
        raise invalid("".join(f"* {one}\n" for one in found))
    contents = body.get("contents") or []
    check_conversation(contents, model)
    check_choice(body)
    check_model(body, model)
    if model.signs:
        signatures.check(contents)


def declarations(body: Json) -> list[Json]:
    """Return all function declarations."""
    return [one for tool in body.get("tools") or [] for one in tool.get("functionDeclarations") or []]


def tool_problems(body: Json) -> Iterator[str]:
    """Yield what is wrong with the declarations."""
    for number, tool in enumerate(body.get("tools") or []):
        for place, one in enumerate(tool.get("functionDeclarations") or []):
            yield from declaration_problems(one, f"{ROOT}.tools[{number}].function_declarations[{place}]")
        if not tool:
            yield f"{ROOT}.tools[{number}].tool_type: required one_of 'tool_type' must have one initialized field"
    for name, count in Counter(one.get("name") for one in declarations(body)).items():
        if count > 1:
            yield f"{ROOT}.tools: Duplicate function declaration found: {name}"


def config_problems(config: Json) -> Iterator[str]:
    """Yield what is wrong with the generation config."""
    where = f"{ROOT}.generation_config"
    wanted, as_json_schema = config.get("responseSchema"), config.get("responseJsonSchema")
    if wanted is not None:
        yield from schema_problems(wanted, f"{where}.response_schema", needs_properties=True)
    if as_json_schema is not None:
        yield from json_schema_problems(as_json_schema, f"{where}.response_json_schema")
    if wanted is not None and as_json_schema is not None:
        yield f"{where}: response_schema and response_json_schema are mutually exclusive"
    mime = config.get("responseMimeType", "text/plain")
    if mime not in MIME_TYPES:
        listed = ", ".join(sorted(MIME_TYPES))
        yield f"{where}.response_mime_type: allowed mimetypes are {listed}"
    if (wanted is not None or as_json_schema is not None) and mime == "text/plain":
        yield f"{where}.response_mime_type: must be application/json or text/x.enum when a response schema is set"
    yield from number_problems(config, where)


def number_problems(config: Json, where: str) -> Iterator[str]:
    """Yield numbers out of their range."""
    for name, (low, high) in RANGES.items():
        if config.get(name) is not None and not low <= config[name] <= high:
            yield f"{where}.{name}: {name} must be in the range [{low}, {high}]."
    if not 1 <= config.get("candidateCount", 1) <= MAX_CANDIDATES:
        yield f"{where}.candidate_count: must be in the range [1, {MAX_CANDIDATES}]"
    if config.get("maxOutputTokens", 1) < 1:
        yield f"{where}.max_output_tokens: must be positive"
    if len(config.get("stopSequences") or []) > MAX_STOPS:
        yield f"{where}.stop_sequences: at most {MAX_STOPS} stop sequences are allowed"


def check_choice(body: Json) -> None:
    """Refuse a function calling config that has nothing to choose from, or chooses what is not declared."""
    config = (body.get("toolConfig") or {}).get("functionCallingConfig")
    if config is None:
        return
    names = {one.get("name") for one in declarations(body)}
    where = f"* {ROOT}.tool_config.function_calling_config"
    if not names:
        raise invalid("Function calling config is set without function_declarations.")
    mode = str(config.get("mode", "AUTO")).upper()
    if mode not in MODES:
        raise invalid(f"Invalid value at 'tool_config.function_calling_config.mode', \"{config['mode']}\"")
    allowed = config.get("allowedFunctionNames") or []
    if allowed and mode not in ("ANY", "VALIDATED"):
        raise invalid(f"{where}.allowed_function_names: only allowed when the mode is ANY or VALIDATED\n")
    if not set(allowed) <= names:
        raise invalid(f"{where}.allowed_function_names: must be a subset of the declared functions\n")


def check_model(body: Json, model: Model) -> None:
    """Refuse what this generation of models does not do."""
    config = body.get("generationConfig") or {}
    mime = config.get("responseMimeType", "text/plain")
    if declarations(body) and mime != "text/plain" and not model.tools_with_schema:
        raise invalid(f"Function calling with a response mime type: '{mime}' is unsupported")
    thinking = config.get("thinkingConfig") or {}
    level = thinking.get("thinkingLevel")
    if level is not None and thinking.get("thinkingBudget") is not None:
        raise invalid("You can only set only one of thinking budget and thinking level.")
    if level is not None and not model.thinking_levels:
        raise invalid("Thinking level is not supported for this model.")
    if level is not None and level.upper() not in model.thinking_levels:
        raise invalid(
            f"Thinking level {level.upper()} is not supported for this model. Please retry with other thinking level."
        )
