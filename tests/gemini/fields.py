"""The messages of the API as far as requests use them: field names and types, and the check of a payload.

From the public reference (v1beta: GenerateContentRequest, Content, Tool, Schema, EmbedContentRequest). Fields that only
other products have, such as `additionalProperties` or `$ref` in a Schema, are unknown here as they are there.
A type is a message of this table, `string`, `number`, `integer`, `boolean`, `any`, `[…]` for lists and `{…}` for maps.
"""

import re
from collections.abc import Iterator
from typing import Any

from tests.gemini.parts import Json
from tests.gemini.refusals import violations

PACKAGE = "type.googleapis.com/google.ai.generativelanguage.v1beta"
MESSAGES: dict[str, dict[str, str]] = {
    "GenerateContentRequest": {
        "model": "string",
        "contents": "[Content]",
        "systemInstruction": "Content",
        "tools": "[Tool]",
        "toolConfig": "ToolConfig",
        "safetySettings": "[SafetySetting]",
        "generationConfig": "GenerationConfig",
        "cachedContent": "string",
        "serviceTier": "string",
        "store": "boolean",
    },
    "CountTokensRequest": {"contents": "[Content]", "generateContentRequest": "GenerateContentRequest"},
    "BatchEmbedContentsRequest": {"requests": "[EmbedContentRequest]"},
    "EmbedContentRequest": {
        "model": "string",
        "content": "Content",
        "taskType": "string",
        "title": "string",
        "outputDimensionality": "integer",
        "embedContentConfig": "any",
    },
    "Content": {"role": "string", "parts": "[Part]"},
    "Part": {
        "text": "string",
        "thought": "boolean",
        "thoughtSignature": "string",
        "functionCall": "FunctionCall",
        "functionResponse": "FunctionResponse",
        **dict.fromkeys(["inlineData", "fileData", "executableCode", "codeExecutionResult", "toolCall"], "any"),
        **dict.fromkeys(["toolResponse", "videoMetadata", "partMetadata", "mediaResolution"], "any"),
    },
    "FunctionCall": {"id": "string", "name": "string", "args": "struct"},
    "FunctionResponse": {
        "id": "string",
        "name": "string",
        "response": "struct",
        "parts": "any",
        "willContinue": "boolean",
        "scheduling": "string",
    },
    "Tool": {
        "functionDeclarations": "[FunctionDeclaration]",
        **dict.fromkeys(["googleSearch", "googleSearchRetrieval", "codeExecution", "urlContext"], "any"),
        **dict.fromkeys(["computerUse", "fileSearch", "googleMaps", "mcpServers"], "any"),
    },
    "FunctionDeclaration": {
        "name": "string",
        "description": "string",
        "behavior": "string",
        "parameters": "Schema",
        "parametersJsonSchema": "any",
        "response": "Schema",
        "responseJsonSchema": "any",
    },
    "ToolConfig": {
        "functionCallingConfig": "FunctionCallingConfig",
        "retrievalConfig": "any",
        "includeServerSideToolInvocations": "boolean",
    },
    "FunctionCallingConfig": {"mode": "string", "allowedFunctionNames": "[string]"},
    "SafetySetting": {"category": "string", "threshold": "string"},
    "GenerationConfig": {
        "stopSequences": "[string]",
        "responseMimeType": "string",
        "responseSchema": "Schema",
        "responseJsonSchema": "any",
        "responseFormat": "any",
        "responseModalities": "[string]",
        **dict.fromkeys(["candidateCount", "maxOutputTokens", "seed", "logprobs"], "integer"),
        **dict.fromkeys(["temperature", "topP", "topK", "presencePenalty", "frequencyPenalty"], "number"),
        **dict.fromkeys(["responseLogprobs", "enableEnhancedCivicAnswers"], "boolean"),
        **dict.fromkeys(["speechConfig", "imageConfig", "mediaResolution"], "any"),
        "thinkingConfig": "ThinkingConfig",
    },
    "ThinkingConfig": {"includeThoughts": "boolean", "thinkingBudget": "integer", "thinkingLevel": "string"},
    "Schema": {
        **dict.fromkeys(["type", "format", "title", "description", "pattern"], "string"),
        "nullable": "boolean",
        "enum": "[string]",
        **dict.fromkeys(["maxItems", "minItems", "minLength", "maxLength"], "integer"),
        **dict.fromkeys(["minProperties", "maxProperties"], "integer"),
        **dict.fromkeys(["minimum", "maximum"], "number"),
        **dict.fromkeys(["example", "default"], "any"),
        "properties": "{Schema}",
        "items": "Schema",
        "anyOf": "[Schema]",
        **dict.fromkeys(["required", "propertyOrdering"], "[string]"),
    },
}
SCALARS: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "number": (int, float),
    "integer": (int, float),
    "boolean": (bool,),
    "struct": (dict,),
}
Found = tuple[str, str]


def check_payload(message: str, body: Json) -> Json:
    """Return the body in one spelling. Raises Refusal for names and values that the message does not have."""
    found = list(problems(message, body, ""))
    if found:
        raise violations(found)
    spelled: Json = normal(message, body)
    return spelled


def normal(kind: str, value: Any) -> Any:
    """Return a value with the names of its messages in camel case; free-form parts stay as they are."""
    if kind[0] == "[" and value is not None:
        return [normal(kind[1:-1], one) for one in (value if isinstance(value, list) else [value])]
    if kind[0] == "{" and isinstance(value, dict):
        return {name: normal(kind[1:-1], one) for name, one in value.items()}
    if kind in MESSAGES and isinstance(value, dict):
        fields = MESSAGES[kind]
        return {camel(name): normal(fields[camel(name)], one) for name, one in value.items() if one is not None}
    return value


def camel(name: str) -> str:
    """Return a name as the table spells it: the API takes both spellings."""
    return re.sub(r"_([a-z])", lambda match: match.group(1).upper(), name)


def snake(name: str) -> str:
    """Return a name as the service's messages spell it."""
    return re.sub(r"([A-Z])", lambda match: f"_{match.group(1).lower()}", name)


def problems(kind: str, value: object, path: str) -> Iterator[Found]:
    """Yield what is wrong with a value of a type."""
    if kind == "any" or value is None:
        return
    if kind[0] == "[":
        items = value if isinstance(value, list) else [value]  # the API takes one item for a list of one
        for number, item in enumerate(items):
            yield from problems(kind[1:-1], item, f"{path}[{number}]")
    elif kind[0] == "{" and isinstance(value, dict):
        for number, item in enumerate(value.values()):
            yield from problems(kind[1:-1], item, f"{path}[{number}].value")
    elif kind in MESSAGES and isinstance(value, dict):
        yield from message_problems(MESSAGES[kind], value, path)
    else:
        yield from scalar_problems(kind, value, path)


def message_problems(fields: dict[str, str], value: Json, path: str) -> Iterator[Found]:
    """Yield unknown names, and what is wrong with the known ones."""
    for name, item in value.items():
        kind = fields.get(camel(name))
        if kind is None:
            at = f" at '{path}'" if path else ""
            yield path, f'Invalid JSON payload received. Unknown name "{name}"{at}: Cannot find field.'
        elif isinstance(item, list) and kind[0] != "[" and kind != "any":
            yield (
                path,
                f"Invalid JSON payload received. Unknown name \"{name}\" at '{path}': "
                "Proto field is not repeating, cannot start list.",
            )
        else:
            yield from problems(kind, item, f"{path}.{snake(name)}".lstrip("."))


def scalar_problems(kind: str, value: object, path: str) -> Iterator[Found]:
    """Yield a value of the wrong type."""
    wrong_bool = isinstance(value, bool) and kind != "boolean"
    fraction = kind == "integer" and isinstance(value, float) and not value.is_integer()
    if kind in SCALARS and isinstance(value, SCALARS[kind]) and not wrong_bool and not fraction:
        return
    said = f"TYPE_{kind.upper()}" if kind in SCALARS and kind != "struct" else f"{PACKAGE}.{kind.strip('{}')}"
    yield path, f"Invalid value at '{path}' ({said}), {value!r}"
