"""`wenmai serve` with real clients: threads, questions, what a killed server keeps, how a thread grows."""

import asyncio
import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx
import pytest

from benchmarks.server_house import Tokens
from benchmarks.server_isolation import keys_in
from tests.command_line import run_command
from tests.integration.live_server import STORY, LiveServer, environment, started, wenmai
from tests.integration.own_server import API, serving
from tests.integration.test_mcp import called, client_of
from tests.integration.test_server_crash import alive, killed
from tests.temporary import copied
from wenmai.checkpoints import CHECKPOINTS_FILE
from wenmai.web.server import STOP_SECONDS

WHO, AFTERWARDS = "苏晚亭是谁？", "他后来认出了什么？"
OTHERS = ("陆沉舟是谁？", "陆沉舟与苏晚照是什么关系？", "谁点亮了灯塔？", "主要人物有谁？", "苏晚照把什么递给陆沉舟？")
TURN_BYTES, KILLS = 60_000, 4
ANSWER_SECONDS = 120  # for the first answers of a server on a busy machine

STUCK = """
import asyncio, sys
from wenmai.app.container import Services
from wenmai.web import server

def endless():
    while True:
        pass

async def close(self):
    await asyncio.to_thread(endless)

Services.close = close
server.STOP_SECONDS = server.CLOSE_SECONDS = 1
server.serve("127.0.0.1", int(sys.argv[-1]))
"""


@pytest.fixture(scope="module")
def own(prepared: Path) -> Iterator[LiveServer]:
    with serving(copied(prepared, prepared.parent / "own")) as live:
        yield live


@pytest.fixture(scope="module")
def keyed(prepared: Path) -> Iterator[tuple[LiveServer, Tokens]]:
    """A server with the keys of two users."""
    folder = copied(prepared, prepared.parent / "users")
    tokens = keys_in(folder)
    with serving(folder) as live:
        yield live, tokens


@pytest.fixture
async def http(own: LiveServer) -> AsyncIterator[httpx.AsyncClient]:
    async with client(own) as made:
        yield made


def client(server: LiveServer, key: str = "") -> httpx.AsyncClient:
    headers = {"authorization": f"Bearer {key}"} if key else {}
    return httpx.AsyncClient(base_url=f"{server.url}{API}", headers=headers, timeout=120)


async def ask(http: httpx.AsyncClient, thread: str, question: str = WHO, **more: Any) -> dict[str, Any]:
    reply = await http.post(f"/threads/{thread}/ask", json={"question": question, "library": "sample", **more})
    assert reply.status_code == 200, reply.text
    return dict(reply.json())


async def test_a_thread_whose_name_has_slashes(http: httpx.AsyncClient) -> None:
    """PLA-02: as a program may have named it."""
    name = "..%2F..%2Fetc"
    await ask(http, name)
    assert (await http.get(f"/threads/{name}")).json()["id"] == "../../etc"
    turns = (await http.get(f"/threads/{name}/turns")).json()["items"]
    assert [one["question"] for one in turns] == [WHO]
    assert (await http.get(f"/threads/{name}/turns/1/record")).json()["record"]["question"] == WHO
    assert len((await http.get(f"/threads/{name}/export")).json()["turns"]) == 1
    assert (await http.patch(f"/threads/{name}", json={"title": "雾港"})).json()["title"] == "雾港"
    assert (await http.delete(f"/threads/{name}")).status_code == 200
    assert (await http.get(f"/threads/{name}")).status_code == 404


async def test_a_conversation(http: httpx.AsyncClient) -> None:
    """A question, a follow-up, what is listed of them, another title, an export, a deletion."""
    first = (await http.post("/ask", json={"question": WHO, "library": "sample"})).json()
    assert first["status"] == "answer" and "守塔人" in first["answer"] and first["citations"][0]["n"] == 1
    thread = first["thread_id"]
    second = await ask(http, thread, AFTERWARDS)
    assert "苏晚亭" in second["resolved_question"] and "航海图" in second["answer"]
    (known, *_) = (await http.get("/threads")).json()["items"]
    assert (known["id"], known["title"], known["library"]) == (thread, WHO, "sample")
    turns = (await http.get(f"/threads/{thread}/turns")).json()
    assert [one["question"] for one in turns["items"]] == [WHO, AFTERWARDS] and turns["next"] is None
    assert [one["citations"] for one in turns["items"]] == [first["citations"], second["citations"]]
    renamed = await http.patch(f"/threads/{thread}", json={"title": "雾港"})
    assert renamed.json()["title"] == (await http.get(f"/threads/{thread}")).json()["title"] == "雾港"
    text = (await http.get(f"/threads/{thread}/export", params={"format": "markdown"})).text
    assert text.startswith("# 雾港\n") and f"## {AFTERWARDS}" in text and "> [1]" in text
    assert "> 理解为：" in text and "> 可信度" in text and " UTC" in text
    one = await http.get(f"/threads/{thread}/export", params={"format": "markdown", "number": 2})
    assert f"## {AFTERWARDS}" in one.text and f"## {WHO}" not in one.text
    assert (await http.get(f"/threads/{thread}/export", params={"number": 3})).status_code == 404
    export = await http.get(f"/threads/{thread}/export")
    assert len(export.json()["turns"]) == 2 and "attachment" in export.headers["content-disposition"]
    guarded = await http.get(f"/threads/{thread}/export", params={"format": "markdown", "as_of_chapter": 1})
    assert f"## {AFTERWARDS}" in guarded.text and "没有导出" in guarded.text and second["answer"] not in guarded.text
    trace = (await http.get(f"/traces/{first['trace_id']}")).json()["trace"]
    assert trace["query"] == WHO and trace["attempts"]
    listed = (await http.get("/traces", params={"thread": thread})).json()
    assert {one["query"] for one in listed["items"]} == {WHO, AFTERWARDS}
    assert (await http.delete(f"/threads/{thread}")).json() == {"documents": 0, "traces": 2}
    for path in (f"/threads/{thread}", f"/threads/{thread}/turns", f"/traces/{first['trace_id']}"):
        assert (await http.get(path)).status_code == 404


async def test_a_stream(http: httpx.AsyncClient) -> None:
    """Steps, the text piece by piece, the whole turn last; what is wrong with a question is no stream."""
    names: list[str] = []
    text, last = "", {}
    body = {"question": WHO, "library": "sample"}
    async with http.stream("POST", "/ask", json=body, headers={"accept": "text/event-stream"}) as reply:
        assert reply.headers["content-type"].startswith("text/event-stream")
        async for line in reply.aiter_lines():
            name, _, data = line.partition(": ")
            if name == "event":
                names.append(data)
            elif name == "data":
                last = json.loads(data)
                text += last["text"] if names[-1] == "text" else ""
    assert names[0] == "thread" and names[-1] == "answer" and {"node", "tool", "text"} <= set(names)
    assert text == last["answer"] and last["citations"]
    wrong = await http.post("/ask", json=body | {"library": "nope"}, headers={"accept": "text/event-stream"})
    assert wrong.status_code == 404 and wrong.json()["title"] == "Not Found"


async def test_a_stream_that_is_left(own: LiveServer, http: httpx.AsyncClient) -> None:
    """The question is given up: nothing of it is kept, and the thread can be asked again at once."""
    thread = str(uuid4())
    body = {"question": WHO, "library": "sample"}
    path = f"/threads/{thread}/ask"
    async with http.stream("POST", path, json=body, headers={"accept": "text/event-stream"}) as reply:
        async for line in reply.aiter_lines():
            if line == "event: node":
                break
    turn = await ask(http, thread, "陆沉舟是谁？")
    turns = (await http.get(f"/threads/{thread}/turns")).json()["items"]
    assert turns[-1]["answer"] == turn["answer"] and len(turns) <= 2
    assert "Traceback" not in own.log


async def test_questions_that_are_left_at_once(own: LiveServer, http: httpx.AsyncClient) -> None:
    """No thread is listed that has no turn."""
    body = {"question": WHO, "library": "sample"}
    for lines in range(1, 8):
        async with http.stream("POST", "/ask", json=body, headers={"accept": "text/event-stream"}) as reply:
            async for _ in reply.aiter_lines():
                lines -= 1
                if not lines:
                    break
    for seconds in (0.02, 0.1, 0.2, 0.3):
        with suppress(httpx.TimeoutException):
            await http.post("/ask", json=body | {"question": "主要人物有谁？请详细说明"}, timeout=seconds)
    empty: list[Any] = []
    for _ in range(240):  # the server sees after a while that nobody listens
        await asyncio.sleep(0.5)
        listed = (await http.get("/threads", params={"limit": 100})).json()["items"]
        turns = [(await http.get(f"/threads/{one['id']}/turns")).json() for one in listed]
        empty = [one for one in turns if not one.get("total")]
        if not empty and "wenmai_turns_running 0.0" in (await http.get(f"{own.url}/metrics")).text:
            break
    assert not empty, empty
    assert "Traceback" not in own.log


async def test_questions_at_once_on_a_thread(own: LiveServer, http: httpx.AsyncClient) -> None:
    """They are answered one after the other, and each is kept; those that wait leave the places to other threads."""
    thread, running = str(uuid4()), set()
    asking = asyncio.gather(*(ask(http, thread, question) for question in OTHERS))
    while not asking.done():
        lines = (await http.get(f"{own.url}/metrics")).text.splitlines()
        running |= {line.split()[1] for line in lines if line.startswith("wenmai_turns_running ")}
    await asking
    assert "1.0" in running <= {"0.0", "1.0"}
    turns = (await http.get(f"/threads/{thread}/turns")).json()["items"]
    assert sorted(one["question"] for one in turns) == sorted(OTHERS)


async def test_users(keyed: tuple[LiveServer, Tokens]) -> None:
    """Without a key 401; with one the threads of another user do not exist; libraries and rights are the key's."""
    live, tokens = keyed
    async with client(live) as nobody, client(live, tokens.victim) as alice, client(live, tokens.thief) as mallory:
        assert (await nobody.get("/threads")).status_code == 401
        assert (await nobody.get("/settings")).json()["needs_key"] is True
        assert (await nobody.get("/health")).json()["ready"] is True
        turn = (await alice.post("/ask", json={"question": WHO, "library": "sample"})).json()
        thread = turn["thread_id"]
        assert (await mallory.get("/threads")).json()["total"] == 0
        for reply in (
            await mallory.get(f"/threads/{thread}"),
            await mallory.get(f"/threads/{thread}/turns"),
            await mallory.get(f"/threads/{thread}/export"),
            await mallory.patch(f"/threads/{thread}", json={"title": "x"}),
            await mallory.post(f"/threads/{thread}/ask", json={"question": WHO, "library": "sample"}),
            await mallory.delete(f"/threads/{thread}"),
            await mallory.get(f"/traces/{turn['trace_id']}"),
        ):
            assert reply.status_code == 404, reply.request.url
        assert (await alice.get(f"/threads/{thread}/turns")).json()["total"] == 1
        assert (await alice.delete("/libraries/sample")).status_code == 403


@pytest.mark.costly
async def test_a_killed_server_goes_on(prepared: Path, tmp_path: Path) -> None:
    """Killed again and again under load: every answer that was given is there, libraries are whole.

    Each time it is killed a random moment after some more answers, however long these took. A text that was
    being taken in is taken in by another try.
    """
    folder, told = copied(prepared, tmp_path / "killed"), random.Random(33)
    text = {"file": ("新.txt", STORY.replace("雾港", "新港").encode())}
    answered: dict[str, list[str]] = {str(uuid4()): [] for _ in range(3)}
    for _ in range(KILLS):
        with serving(folder) as live:
            async with client(live) as http:
                await http.post("/libraries", json={"name": "new", "title": "新港"})
                await http.post("/libraries/new/sources", files=text)
                asking = [asyncio.create_task(keep_asking(http, thread, kept)) for thread, kept in answered.items()]
                wanted = sum(map(len, answered.values())) + told.randint(1, 4)
                async with asyncio.timeout(ANSWER_SECONDS):
                    while sum(map(len, answered.values())) < wanted and not any(one.done() for one in asking):
                        await asyncio.sleep(0.01)
                await asyncio.sleep(told.uniform(0, 0.5))
                killed(live)
                await asyncio.gather(*asking)
    with serving(folder) as live:
        async with client(live) as http:
            assert {one["id"] for one in (await http.get("/threads")).json()["items"]} >= {
                thread for thread, kept in answered.items() if kept
            }
            for thread, kept in answered.items():
                turns = (await http.get(f"/threads/{thread}/turns")).json()["items"] if kept else []
                stored = (one["answer"] for one in turns)  # also one whose asker was cut off before it came
                assert [one for one in kept if one not in stored] == [], "given, in this order"
                assert "守塔人" in (await ask(http, thread))["answer"]
            assert (await http.get("/libraries/sample")).json()["problem"] is None
            job = (await http.post("/libraries/new/sources", files=text)).json()["id"]
            while (await http.get(f"/jobs/{job}")).json()["state"] == "running":
                await asyncio.sleep(0.1)
            assert (await http.get(f"/jobs/{job}")).json()["state"] == "done"
            known = (await http.get("/libraries/new")).json()
            assert (known["chapters"], known["passages"], known["problem"]) == (4, 4, None)


async def keep_asking(http: httpx.AsyncClient, thread: str, answers: list[str]) -> None:
    """Ask until the server is gone; keep what it answered."""
    try:
        while True:
            answers.append((await ask(http, thread, random.choice(OTHERS)))["answer"])
    except httpx.TransportError:
        return


async def test_how_a_thread_grows(own: LiveServer, http: httpx.AsyncClient) -> None:
    """PLA-35: at most 60 kB a turn, and no more checkpoints than are kept."""
    thread, turns = str(uuid4()), 24
    for number in range(turns):
        await ask(http, thread, OTHERS[number % len(OTHERS)])
    with closing(sqlite3.connect(own.data / CHECKPOINTS_FILE)) as base:
        query = "SELECT count(*), sum(length(checkpoint) + length(metadata)) FROM checkpoints WHERE thread_id = ?"
        count, size = base.execute(query, (thread,)).fetchone()
        (written,) = base.execute("SELECT count(*) FROM writes WHERE thread_id = ?", (thread,)).fetchone()
    assert count == 20 and written == 0 and size / turns <= TURN_BYTES
    listed = (await http.get(f"/threads/{thread}/turns", params={"limit": 100})).json()["items"]
    assert len(listed) == turns and not listed[0]["citations"] and listed[-1]["trace_id"]


async def test_a_server_that_is_asked_to_end(prepared: Path, tmp_path: Path) -> None:
    """It answers what is on its way, and is gone soon."""
    with serving(copied(prepared, tmp_path / "ending")) as live:
        async with client(live) as http:
            await http.post("/ask", json={"question": WHO, "library": "sample"})
            asking = asyncio.create_task(http.post("/ask", json={"question": OTHERS[1], "library": "sample"}))
            while "wenmai_turns_running 1.0" not in (await http.get(f"{live.url}/metrics")).text and not asking.done():
                await asyncio.sleep(0.005)
            os.kill(live.pid, signal.SIGTERM)
            assert (await asking).json()["status"] == "answer"
        for _ in range(STOP_SECONDS * 40):
            if not alive(live.pid):
                break
            await asyncio.sleep(0.1)
        assert not alive(live.pid) and "Traceback" not in live.log


@pytest.mark.costly
async def test_a_server_whose_stores_cannot_be_closed(prepared: Path, tmp_path: Path) -> None:
    """A thread that goes on does not keep it: it is gone when the time for its end is up."""
    folder = copied(prepared, tmp_path / "stuck")
    with started(folder, [sys.executable, "-c", STUCK], "/health", {}) as live:
        os.kill(live.pid, signal.SIGTERM)
        for _ in range(1_200):
            if not alive(live.pid):
                break
            await asyncio.sleep(0.1)
        assert not alive(live.pid) and "in endless" in live.log


def test_a_server_with_a_wrong_setting(prepared: Path, tmp_path: Path) -> None:
    """One line says what to mend."""
    folder = copied(prepared, tmp_path / "wrong")
    done = run_command(
        ["serve", "--port", "1"], folder=folder, environment=environment(folder) | {"RATE_LIMIT": "soon"}
    )
    assert done.returncode == 2 and "RATE_LIMIT" in done.stderr and "Traceback" not in done.stderr


@pytest.mark.costly
async def test_other_agents(prepared: Path, tmp_path: Path) -> None:
    """The official MCP client: tools, a thread by a name of one's own, which another user's same name is not."""
    folder = copied(prepared, tmp_path / "agents")
    tokens = keys_in(folder)
    with serving(folder) as live:
        async with client_of(live.url, tokens.victim) as mcp:
            assert {"ask", "list_libraries", "vector_search"} <= {tool.name for tool in (await mcp.list_tools()).tools}
            ok, asked, _ = await called(mcp, "ask", question=WHO, library="sample", thread="雾港")
            assert ok and "守塔人" in asked["answer"] and asked["citations"]
            ok, asked, _ = await called(mcp, "ask", question=AFTERWARDS, library="sample", thread="雾港")
            assert ok and "航海图" in asked["answer"]
            ok, refused, _ = await called(mcp, "ask", question=WHO, library="nope")
            assert not ok and "nope" in refused["error"]
        async with client_of(live.url, tokens.thief) as mcp:
            ok, asked, _ = await called(mcp, "ask", question=AFTERWARDS, library="sample", thread="雾港")
            assert ok and "苏晚亭" not in asked["resolved_question"]
        async with client(live, tokens.victim) as http:
            (thread,) = (await http.get("/threads")).json()["items"]
            assert (await http.get(f"/threads/{thread['id']}/turns")).json()["total"] == 2


async def test_users_are_kept_apart(keyed: tuple[LiveServer, Tokens]) -> None:
    """Everything of one user is tried by another, who knows every id: 404, or an answer that holds nothing of it."""
    (live, tokens), secret = keyed, "海棠七号"
    async with client(live, tokens.victim) as alice, client(live, tokens.thief) as mallory:
        turn = (await alice.post("/ask", json={"question": f"{secret}是谁？", "library": "sample"})).json()
        thread, trace = turn["thread_id"], turn["trace_id"]
        files = {"file": (f"{secret}.txt", f"口令是{secret}。".encode())}
        stored = (await alice.post("/documents", data={"thread_id": thread}, files=files)).json()
        memory = (await alice.post("/memories", json={"content": f"口令是{secret}"})).json()
        document, key, of = stored["document"]["id"], memory["key"], {"thread_id": thread}
        asked = {"question": "口令是什么？", "library": "sample"}
        attempts: list[tuple[str, str, dict[str, Any]]] = [
            ("GET", "/threads", {}),
            ("GET", f"/threads/{thread}", {}),
            ("GET", f"/threads/{thread}/turns", {}),
            ("GET", f"/threads/{thread}/turns/1/evidence", {}),
            ("GET", f"/threads/{thread}/export", {}),
            ("GET", f"/threads/{thread}/export?format=markdown", {}),
            ("PATCH", f"/threads/{thread}", {"json": {"title": "x"}}),
            ("DELETE", f"/threads/{thread}", {}),
            ("POST", f"/threads/{thread}/ask", {"json": asked}),
            ("POST", f"/threads/{thread.upper()}/ask", {"json": asked}),
            ("POST", f"/threads/{{{thread}}}/ask", {"json": asked}),
            ("POST", f"/threads/{thread}/ask", {"json": asked | {"toolkits": ["documents"]}}),
            ("POST", f"/threads/{thread}/ask", {"json": asked | {"user_id": "alice"}}),
            ("POST", "/ask", {"json": asked | {"toolkits": ["memory"]}}),
            ("POST", "/ask", {"json": asked | {"account": "alice"}}),
            ("GET", "/traces", {}),
            ("GET", "/traces", {"params": {"thread": thread}}),
            ("GET", f"/traces/{trace}", {}),
            ("GET", f"/traces/..%2f{trace}", {}),
            ("GET", "/documents", {"params": of}),
            ("GET", "/documents", {"params": of | {"user_id": "alice"}}),
            ("DELETE", f"/documents/{document}", {"params": of}),
            ("DELETE", "/documents", {"params": of}),
            ("GET", "/memories", {}),
            ("GET", "/memories/export", {}),
            ("GET", f"/memories/{key}", {}),
            ("GET", "/memories/search", {"params": {"q": "口令"}}),
            ("PATCH", f"/memories/{key}", {"json": {"content": "x"}}),
            ("DELETE", f"/memories/{key}", {}),
            ("POST", "/tools/search_memories", {"json": {"query": "口令", "user_id": "alice"}}),
            ("POST", "/tools/get_memory_detail", {"json": {"memory_key": key}}),
            ("POST", "/tools/list_documents", {"json": {"session_id": thread}}),
            ("POST", "/tools/semantic_search", {"json": {"query": "口令", "session_id": thread}}),
            ("POST", "/tools/keyword_search", {"json": {"keywords": ["口令"], "session_id": thread}}),
            ("POST", "/tools/ask", {"json": {**asked, "thread": thread}}),
            ("GET", "/jobs", {}),
        ]
        for method, path, request in attempts:
            reply = await mallory.request(method, path, **request)
            assert reply.status_code < 500 and secret not in reply.text, (method, path, reply.text)
        assert (await alice.get(f"/threads/{thread}/turns")).json()["total"] == 1
        assert (await alice.get("/documents", params=of)).json()["total"] == 1
        assert secret in (await alice.get(f"/memories/{key}")).text and secret in (await alice.get("/traces")).text


@pytest.mark.costly
async def test_the_command_line_beside_a_server(prepared: Path, tmp_path: Path) -> None:
    """A question goes to the server that holds the stores; without one, or with keys, the line says what to do."""
    folder = copied(prepared, tmp_path / "beside")
    words = ("ask", WHO, "--library", "sample", "--json")
    with serving(folder) as live:
        async with client(live) as http:
            first = (await http.post("/ask", json={"question": WHO, "library": "sample"})).json()
            done = wenmai(folder, *words)
            assert done.returncode == 0 and json.loads(done.stdout)["answer"] == first["answer"], done.stderr
            done = wenmai(folder, "ask", AFTERWARDS, "--library", "sample", "--thread", first["thread_id"])
            assert "航海图" in done.stdout and (await http.get("/threads")).json()["total"] == 2
        assert "local" in wenmai(folder, *words, "--user", "bob").stderr
        second = [sys.executable, "-m", "wenmai", "serve", "--port", live.url.rpartition(":")[2]]
        assert subprocess.run(second, cwd=folder, env=environment(folder), capture_output=True).returncode != 0
        assert wenmai(folder, *words).returncode == 0  # the one that could not start left the address of the other
        killed(live)
    key = wenmai(folder, "keys", "add", "--user", "alice").stdout.strip()
    assert wenmai(folder, *words).returncode == 0
    with serving(folder) as live:
        async with client(live, key) as http:
            assert (await http.post("/ask", json={"question": WHO, "library": "sample"})).status_code == 200
        assert "WENMAI_API_KEY" in wenmai(folder, *words).stderr
        own = environment(folder) | {"WENMAI_API_KEY": key}
        done = run_command(words, folder=folder, environment=own)
        assert done.returncode == 0 and "守塔人" in json.loads(done.stdout)["answer"]


@pytest.mark.costly
def test_files_that_a_killed_server_left_are_deleted(prepared: Path, tmp_path: Path) -> None:
    folder = copied(prepared, tmp_path / "killed")
    left = folder / "data" / ".uploads" / "999999999-x"
    left.mkdir(parents=True)
    with serving(folder):
        assert not left.exists()
