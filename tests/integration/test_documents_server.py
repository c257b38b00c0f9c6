"""Upload, list and remove through a running server; the graph answers meanwhile."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest

from tests.documents import files
from tests.integration.live_server import LiveServer

pytestmark = pytest.mark.costly

HERE = {"thread_id": "s1"}
ASKED: dict[str, Any] = {
    "assistant_id": "agent",
    "input": {"messages": [{"role": "user", "content": "苏晚亭是谁？"}]},
    "context": {"library": "sample"},
}


@pytest.fixture
async def http(server: LiveServer) -> AsyncIterator[httpx.AsyncClient]:
    async with httpx.AsyncClient(base_url=f"{server.url}/api/v1", timeout=120) as client:
        yield client


async def upload(http: httpx.AsyncClient, name: str, data: bytes, **fields: str) -> httpx.Response:
    return await http.post("/documents", files={"file": (name, data)}, data={**HERE, **fields})


def problem(reply: httpx.Response) -> tuple[int, str, str]:
    """Return the status of a refusal, the field that is wrong, '' where none is, and what is told."""
    told = reply.json()
    return reply.status_code, "".join(one["field"] for one in told["errors"]), told["detail"]


async def listed(http: httpx.AsyncClient, thread: str = "s1") -> list[str]:
    reply = await http.get("/documents", params={"thread_id": thread})
    return [row["filename"] for row in reply.json()["items"]]


async def test_upload_list_remove(http: httpx.AsyncClient) -> None:
    """DOC-02 DOC-04 S004-D17 S004-13: a session's documents over HTTP; nobody else's session sees or removes them."""
    first = await upload(http, "../报告.pdf", files.pdf(["Hello"], ["第二页"]))
    assert (first.status_code, first.json()["document"]["filename"]) == (201, "报告.pdf")
    again = await upload(http, "报告.pdf", files.pdf(["Hello again"]))
    assert again.json()["replaced"]["id"] == first.json()["document"]["id"]
    assert "替换" in again.json()["message"]
    await upload(http, "b.txt", b"hello")
    assert sorted(await listed(http)) == ["b.txt", "报告.pdf"]
    assert await listed(http, "s2") == []
    id = again.json()["document"]["id"]
    assert problem(await http.delete(f"/documents/{id}", params={"thread_id": "s2"}))[:2] == (404, "document")
    removed = await http.delete(f"/documents/{id}", params=HERE)
    assert (removed.status_code, removed.json()["chunks"]) == (200, 1)
    assert (await http.delete("/documents", params=HERE)).json()["documents"][0]["filename"] == "b.txt"
    assert await listed(http) == []


async def test_a_session_by_name(http: httpx.AsyncClient) -> None:
    """DOC-02: a server that has UUIDs alone takes a user's name for one: upload, then ask, then delete."""
    named = {"thread_id": "门 1"}
    assert (await upload(http, "key.txt", "钥匙放在门卫室。".encode(), **named)).status_code == 201
    asked = {"question": "钥匙放在哪里？", "toolkits": ["documents"]}
    answer = (await http.post("/threads/门 1/ask", json=asked)).json()
    assert "门卫室" in answer["answer"]
    turns = (await http.get("/threads/门 1/turns")).json()
    assert [one["question"] for one in turns["items"]] == [asked["question"]]
    assert (await http.get(f"/threads/{answer['thread_id']}/turns")).json() == turns
    assert (await http.delete("/threads/门 1")).status_code == 200
    assert await listed(http, named["thread_id"]) == []


async def test_a_deleted_thread_takes_its_documents_with_it(http: httpx.AsyncClient) -> None:
    """DOC-04: the thread is the session; other threads' documents stay, and so do those of a thread that is kept."""
    above = str(http.base_url).removesuffix("/api/v1/")
    threads = [(await http.post(f"{above}/threads", json={})).json()["thread_id"] for _ in range(4)]
    for thread in threads:
        assert (await upload(http, "a.txt", b"hello", thread_id=thread)).status_code == 201
    gone, pruned, trimmed, kept = threads
    assert (await http.delete(f"{above}/threads/{gone}")).status_code == 204
    asked = {"thread_ids": [pruned], "strategy": "delete"}
    assert (await http.post(f"{above}/threads/prune", json=asked)).json() == {"pruned_count": 1}
    await http.post(f"{above}/threads/prune", json={"thread_ids": [trimmed], "strategy": "keep_latest"})
    assert not (await http.delete(f"{above}/threads/not-a-thread")).is_success
    for thread, names in ((gone, []), (pruned, []), (trimmed, ["a.txt"]), (kept, ["a.txt"])):
        assert await listed(http, thread) == names


async def test_what_is_refused(http: httpx.AsyncClient) -> None:
    """DOC-03: a refusal names the field and the limit; nothing is stored."""
    assert problem(await http.post("/documents", json={}))[:2] == (422, "body")
    assert problem(await http.post("/documents", data=HERE, files={"other": b"x"}))[:2] == (422, "file")
    two = [("file", ("a.txt", b"a")), ("file", ("b.txt", b"b"))]
    assert problem(await http.post("/documents", data=HERE, files=two))[:2] == (422, "body")
    assert problem(await upload(http, "a.txt", b"a", thread_id=" "))[:2] == (422, "thread_id")
    assert problem(await upload(http, "a.txt", b"a", user_id="乙"))[:2] == (422, "user_id")
    assert problem(await upload(http, "a.txt", b""))[:2] == (422, "")
    assert problem(await http.get("/documents"))[:2] == (422, "thread_id")
    status, field, message = problem(await upload(http, "a.txt", b"a" * (10 * 2**20 + 1)))
    assert (status, field) == (413, "") and "10 MB（MAX_FILE_SIZE_MB）" in message
    status, field, message = problem(await upload(http, "scan.pdf", files.pdf([])))
    assert (status, field) == (422, "") and "OCR" in message
    assert await listed(http) == []


async def test_a_body_of_unknown_length(http: httpx.AsyncClient) -> None:
    """DOC-03: the limit holds while a body is read, whatever its headers say, and the answer names it."""

    async def endless() -> AsyncIterator[bytes]:
        yield b'--x\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\n'
        for _ in range(30):
            yield b"a" * 2**20

    headers = {"content-type": "multipart/form-data; boundary=x"}
    reply = await http.post("/documents", content=endless(), headers=headers)
    assert problem(reply)[:2] == (413, "file")


async def test_six_files_at_once(http: httpx.AsyncClient) -> None:
    """DOC-03 DOC-07: six uploads at once into one session: five are stored, the sixth is told the limit."""
    who = {"thread_id": "s6"}
    replies = await asyncio.gather(*(upload(http, f"{n}.txt", b"hello", **who) for n in range(6)))
    assert sorted(reply.status_code for reply in replies) == [201] * 5 + [422]
    (refused,) = [reply for reply in replies if reply.status_code == 422]
    assert "MAX_FILES_PER_SESSION" in problem(refused)[2]
    assert len(await listed(http, "s6")) == 5


async def test_questions_are_answered_meanwhile(http: httpx.AsyncClient, server: LiveServer) -> None:
    """DOC-03: while files are read, refused and embedded the graph answers, and nothing blocks the event loop."""
    text = "\n".join(f"第{n}段" + "沈青在白石渡等了三年。" * 40 for n in range(20))
    uploads = asyncio.gather(
        upload(http, "长.txt", text.encode(), thread_id="s7"),
        *(upload(http, f"{n}.pdf", files.pdf(*[["page"]] * 8) + b"junk", thread_id="s8") for n in range(3)),
    )
    answers = [await http.post(f"{server.url}/runs/wait", json=ASKED) for _ in range(3)]
    assert all("守塔人" in reply.json()["result"]["answer"] for reply in answers)
    assert {reply.status_code for reply in await uploads} == {201}
    assert "Blocking call" not in server.log and "BlockingError" not in server.log
    assert "Traceback" not in server.log
