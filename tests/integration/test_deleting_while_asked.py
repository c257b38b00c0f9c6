"""A library that is deleted on `wenmai serve` while others ask it and read it."""

import asyncio
import json
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.integration.live_server import ALIASES, STORY, LiveServer
from tests.integration.own_server import API, job_end, serving
from tests.temporary import copied

ROUNDS, ASKERS = 3, 3
QUESTION = "苏晚照的哥哥是谁？"
BOOK, OTHER = "/libraries/book", "/libraries/sample"
STREAM = {"accept": "text/event-stream"}
GONE = ("没有名为 book 的资料库", "资料库 book 刚刚被删除", "资料库 book 正在被修改", "资料库 book 尚未建成")


@pytest.fixture(scope="module")
def own(prepared: Path) -> Iterator[LiveServer]:
    folder = copied(prepared, prepared.parent / "deleting")
    left = folder / "data" / ".gone.deleted"
    left.mkdir()
    (left / "graph.lbug").write_bytes(b"x")
    with serving(folder, MAX_TURNS_AT_ONCE="4", MAX_PENDING_TURNS="20") as live:
        yield live


@pytest.fixture
async def http(own: LiveServer) -> AsyncIterator[httpx.AsyncClient]:
    async with httpx.AsyncClient(base_url=own.url + API, timeout=120) as made:
        yield made


async def taken_in(http: httpx.AsyncClient) -> None:
    made = await http.post("/libraries", json={"name": "book", "title": "雾港"})
    assert made.status_code == 201, made.text
    files = {"file": ("雾港.txt", STORY.encode()), "aliases": ("a.json", ALIASES.encode())}
    job = (await http.post(f"{BOOK}/sources", files=files)).json()
    job = await job_end(http, job["id"])
    assert job["state"] == "done", job


async def last_event(http: httpx.AsyncClient, library: str) -> tuple[str, Any]:
    """Ask, and return how it ended: `answer`, or what was refused."""
    body = {"question": QUESTION, "library": library}
    async with http.stream("POST", "/ask", json=body, headers=STREAM) as reply:
        lines = [line async for line in reply.aiter_lines() if line]
    if reply.status_code != 200:
        return "refused", json.loads("".join(lines))
    return lines[-2].removeprefix("event: "), json.loads(lines[-1].removeprefix("data: "))


async def looked_at(http: httpx.AsyncClient, whole: int) -> None:
    """List the libraries and the passages of the book: all of them, none before its text, or one line why not."""
    listed = await http.get("/libraries")
    assert listed.status_code == 200, listed.text
    for one in listed.json()["items"]:
        assert one["problem"] is None or one["problem"].startswith(GONE), one
    shown = await http.get(f"{BOOK}/passages")
    if shown.status_code == 200:
        assert shown.json()["total"] in (0, whole), shown.text
    else:
        assert shown.status_code in (404, 409) and shown.json()["detail"].startswith(GONE), shown.text


async def test_questions_go_on_while_a_library_is_deleted_and_taken_in_again(
    http: httpx.AsyncClient, own: LiveServer
) -> None:
    """Who asks it gets an answer or one line that it is gone or changed; other libraries notice nothing."""
    assert not (own.data / ".gone.deleted").exists()  # a deletion that was cut short is finished at the start
    ends: Counter[str] = Counter()
    answered, refused, is_over = asyncio.Event(), asyncio.Event(), asyncio.Event()

    async def asking() -> None:
        while not is_over.is_set():
            kind, data = await last_event(http, "book")
            ends[data.get("status") if kind == "answer" else kind] += 1
            if kind == "answer":
                assert data["status"] in ("answer", "not_found") and not data["warning"], json.dumps(data)
                assert data["status"] == "not_found" or "苏晚亭" in data["answer"], data  # before its text, or whole
            else:
                assert data["detail"].startswith(GONE), data
            (answered if data.get("status") == "answer" else refused).set()

    async def asking_another() -> None:
        while not is_over.is_set():
            kind, data = await last_event(http, "sample")
            assert kind == "answer" and "苏晚亭" in data["answer"] and not data["warning"], data

    async def reading() -> None:
        while not is_over.is_set():
            await looked_at(http, whole)

    await taken_in(http)
    whole = (await http.get(f"{BOOK}/passages")).json()["total"]
    async with asyncio.TaskGroup() as tasks:
        for work in (*[asking] * ASKERS, asking_another, reading):
            tasks.create_task(work())
        for _ in range(ROUNDS):
            answered.clear()
            await answered.wait()
            refused.clear()
            receipt = await http.delete(BOOK)
            assert receipt.status_code == 200 and receipt.json()["chapters"] == 4, receipt.text
            assert not list(own.data.glob("*book*"))
            await refused.wait()
            await taken_in(http)
        is_over.set()
    assert ends["answer"] and ends["error"] + ends["refused"] >= ROUNDS, ends
    assert (await last_event(http, "book"))[1]["citations"]
    assert "Traceback" not in own.log, own.log[-3000:]
