"""Requests as plain HTTP, for tests of the service itself."""

from typing import Any

import httpx

from tests.gemini.parts import Json
from tests.gemini.space import LOOPBACK_MODEL, Gemini

QUESTION: Json = {"role": "user", "parts": [{"text": "少女是谁？"}]}
SEARCH: Json = {
    "name": "search_memory",
    "description": "搜索故事",
    "parameters": {"type": "OBJECT", "properties": {"query": {"type": "STRING"}}, "required": ["query"]},
}


def post(gemini: Gemini, body: Any, method: str = "generateContent", model: str = LOOPBACK_MODEL) -> httpx.Response:
    """Send one request with the test's key."""
    address = f"{gemini.url}/v1beta/models/{model}:{method}"
    headers = {"x-goog-api-key": gemini.key}
    return httpx.post(address, json=body, headers=headers, timeout=120, verify=False)  # no certificates to load


def asking(**more: Any) -> Json:
    """Return a sound request with other fields."""
    return {"contents": [QUESTION], **more}


def declaring(parameters: Json, **more: Any) -> Json:
    """Return a request that declares one function."""
    return asking(tools=[{"functionDeclarations": [{**SEARCH, "parameters": parameters, **more}]}])


def shaped(schema: Json, **more: Any) -> Json:
    """Return a request for structured output."""
    return asking(generationConfig={"responseMimeType": "application/json", "responseSchema": schema, **more})


def answer(name: str, **more: Any) -> Json:
    """Return a function response part."""
    return {"functionResponse": {"name": name, "response": {"result": "有"}, **more}}


def first(response: httpx.Response) -> Json:
    """Return the content of the first candidate."""
    content: Json = response.json()["candidates"][0]["content"]
    return content


def refused(response: httpx.Response, code: int = 400, status: str = "INVALID_ARGUMENT") -> Json:
    """Assert the form of a refusal and return its error."""
    body: Json = response.json()["error"]
    assert response.status_code == body["code"] == code
    assert body["status"] == status
    return body
