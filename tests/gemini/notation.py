"""Steps as JSON, for script files and for people who answer by hand.

`{"text": "…"}`, `{"calls": [{"name": "search_memory", "args": {}}], "text": "…", "thought": "…"}`, `{"json": {…}}`,
`{"status": 503}`, `{"quota": 2}`, `{"ending": "hang"}`, each with `"finish"` and `"delay_s"` if wanted, or a whole
response or error body of the API.
"""

from dataclasses import replace
from typing import Any

from tests.gemini import fault
from tests.gemini.parts import Json, as_json, call, text, thought
from tests.gemini.replies import Reply, as_reply, turn

WHOLE = frozenset({"candidates", "promptFeedback", "error"})
KNOWN = frozenset({"text", "thought", "calls", "json", "finish", "delay_s", "status", "message", "quota", "ending"})


def step_of(data: Json) -> Reply:
    """Return the reply that a JSON object stands for. Raises ValueError for words that have no meaning here."""
    if WHOLE & data.keys():
        return as_reply(data)
    if unknown := data.keys() - KNOWN:
        raise ValueError(f"a step has {sorted(KNOWN | WHOLE)}, got also {sorted(unknown)}")
    kept: dict[str, Any] = {name: data[name] for name in ("delay_s", "ending") if name in data}
    return replace(_answer(data), **kept)


def _answer(data: Json) -> Reply:
    if "status" in data:
        return fault.status(data["status"], data.get("message", ""))
    if "quota" in data:
        return fault.quota(data["quota"])
    parts = [thought(data["thought"])] if "thought" in data else []
    parts += [text(data["text"])] if "text" in data else []
    parts += [as_json(data["json"])] if "json" in data else []
    parts += [call(one["name"], one.get("args"), call_id=one.get("id")) for one in data.get("calls", [])]
    return turn(*parts, finish=data.get("finish", "STOP"))


def steps_of(data: Any) -> dict[str | None, list[Reply]]:
    """Return the queues of a script file: a list is one queue, an object has one for each model id, `*` for any."""
    if isinstance(data, list):
        return {None: [step_of(one) for one in data]}
    return {None if name == "*" else name: [step_of(one) for one in steps] for name, steps in data.items()}
