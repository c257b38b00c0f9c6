"""Make the examples of the API's document anew: `python -m tests.api_examples`.

Each request of `examples.json` is made of a real server, in its order. Ids that a server chooses stand for those of
the run, so that a later request can name what an earlier one made. Long lists and texts are shown by their beginning.
"""

import json
import re
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import httpx

from tests.integration.live_server import prepare
from tests.integration.own_server import API, serving
from wenmai.web.openapi import EXAMPLES, Example

ID = re.compile(
    r"[0-9a-f]{8}-[0-9a-f]{4}-[45][0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}|\d{8}-\d{6}-[0-9a-f]{6}(?:-\d+)?|\b[0-9a-f]{12}\b"
)
TOKEN, HIDDEN = re.compile(r"wm_[0-9a-f]{12}_\S+"), "wm_4f419ec8ad65_…"
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[0-9.]*(?:Z|[+-]\d\d:\d\d)")
DECIMAL = re.compile(r"\d+\.\d+")
VARYING = ("progress", "seconds", "duration", "usage", "latency", "version", "started", "trace")
ROWS, CHARACTERS, FIELDS = 2, 240, 24
STREAM = "text/event-stream"


def played(http: httpx.Client, wanted: Sequence[Example]) -> Iterator[dict[str, Any]]:
    """Make each request and yield it with what was answered."""
    known: dict[str, str] = {}
    for one in wanted:
        sent = json.loads(replaced(json.dumps({**one, "answer": None}, ensure_ascii=False), known))
        reply = made(http, sent)
        answer = answer_of(reply)
        if isinstance(answer, dict) and TOKEN.fullmatch(answer.get("token", "")):
            http.headers.setdefault("authorization", f"Bearer {answer['token']}")  # from the first key on one is needed
        known |= ids_of(one.get("answer"), answer)
        if reply.status_code == httpx.codes.ACCEPTED and not one.get("goes_on"):
            wait_for(http, answer["id"])
        told = {"answer": brief(answer)} if answer is not None else {}
        yield {key: value for key, value in sent.items() if key != "answer"} | {"status": reply.status_code} | told


def replaced(text: str, known: dict[str, str]) -> str:
    """Return a text with the ids of this run in place of an earlier one's."""
    return ID.sub(lambda found: known.get(found[0], found[0]), text)


def made(http: httpx.Client, sent: dict[str, Any]) -> httpx.Response:
    """Make a request; a form's files are pairs of name and text."""
    options: dict[str, Any] = {"params": sent.get("query", {})}
    if "form" in sent:
        files = {name: (file, text.encode()) for name, file, text in sent["form"]}
        options |= {"files": files, "data": {name: one for name, one in sent["sent"].items() if name not in files}}
    elif "sent" in sent:
        options["json"] = sent["sent"]
    return http.request(sent["method"], sent["path"], **options)


def answer_of(reply: httpx.Response) -> Any:
    """Return what was answered: JSON, or text, None for nothing."""
    assert reply.is_success, (str(reply.request.url), reply.text)
    kind = reply.headers.get("content-type", "").partition(";")[0]
    if not reply.content or kind.startswith("image/"):
        return None
    return reply.json() if kind == "application/json" else reply.text


def wait_for(http: httpx.Client, job: str) -> None:
    """Wait for the end of a job."""
    while http.get(f"/jobs/{job}").json()["state"] == "running":
        time.sleep(0.1)


def ids_of(before: Any, now: Any) -> dict[str, str]:
    """Return the ids of this run by those that stood in their places."""
    if isinstance(before, dict) and isinstance(now, dict):
        return {old: new for key in before.keys() & now.keys() for old, new in ids_of(before[key], now[key]).items()}
    if isinstance(before, list) and isinstance(now, list):
        return {old: new for pair in zip(before, now, strict=False) for old, new in ids_of(*pair).items()}
    if isinstance(before, str) and isinstance(now, str) and ID.fullmatch(before) and ID.fullmatch(now):
        return {before: now}
    return {}


def brief(value: Any) -> Any:
    """Return the beginning of long lists and texts."""
    if isinstance(value, dict):
        return {key: brief(one) for key, one in list(value.items())[:FIELDS]}
    if isinstance(value, list):
        return value if all(isinstance(one, int) for one in value) else [brief(one) for one in value[:ROWS]]
    if isinstance(value, str) and TOKEN.fullmatch(value):
        return HIDDEN
    if isinstance(value, str) and len(value) > CHARACTERS and not value.startswith("event: "):
        return value[:CHARACTERS] + "…"
    return value


def steady(value: Any) -> Any:
    """Return what is the same in every run."""
    if isinstance(value, dict):
        return {key: steady(one) for key, one in value.items() if not any(word in key for word in VARYING)}
    if isinstance(value, list):
        return [steady(one) for one in value]
    if isinstance(value, str):
        return DECIMAL.sub("0.0", TIME.sub("TIME", ID.sub("ID", value)))
    return round(value, 1) if isinstance(value, float) else value


def main() -> None:
    """Write the file."""
    wanted = json.loads(EXAMPLES.read_text(encoding="utf-8"))
    with tempfile.TemporaryDirectory() as folder:
        prepare(Path(folder))
        with serving(Path(folder)) as live, httpx.Client(base_url=live.url + API, timeout=120) as http:
            rows = list(played(http, wanted))
    EXAMPLES.write_text(json.dumps(rows, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
