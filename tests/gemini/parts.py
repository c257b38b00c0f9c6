"""Parts of a model's turn, in the JSON of the REST API."""

import json
from typing import Any

Json = dict[str, Any]


def text(value: str) -> Json:
    """Return a text part."""
    return {"text": value}


def thought(summary: str) -> Json:
    """Return a summary of the model's thinking, as `includeThoughts` asks for."""
    return {"text": summary, "thought": True}


def call(name: str, args: Json | None = None, *, call_id: str | None = None, signature: str | None = None) -> Json:
    """Return a function call; without a signature the service signs the first call of a turn itself."""
    made: Json = {"functionCall": {"name": name, "args": args or {}}}
    if call_id is not None:
        made["functionCall"]["id"] = call_id
    if signature is not None:
        made["thoughtSignature"] = signature
    return made


def as_json(value: object) -> Json:
    """Return the text part of a structured output."""
    return text(json.dumps(value, ensure_ascii=False))


def texts(content: Json | None) -> str:
    """Return the visible text of a content, thoughts left out."""
    parts = (content or {}).get("parts") or []
    return "".join(part.get("text", "") for part in parts if not part.get("thought"))


def calls(content: Json) -> list[Json]:
    """Return the function calls of a content."""
    return [part["functionCall"] for part in content.get("parts") or [] if "functionCall" in part]


def responses(content: Json) -> list[Json]:
    """Return the function responses of a content."""
    return [part["functionResponse"] for part in content.get("parts") or [] if "functionResponse" in part]
