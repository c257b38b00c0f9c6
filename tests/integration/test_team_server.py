"""A server for a team: what belongs to a user, a thread or a library stays there, and goes with it."""

import asyncio
import json
import os
import shutil
import signal
import stat
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx
import pytest

import wenmai as wenmai_python
from benchmarks.server_isolation import said
from tests.integration.live_server import LiveServer, started, wenmai
from tests.integration.own_server import API, job_end, serving
from tests.temporary import copied
from wenmai.access.keyring import REFRESH_S
from wenmai.app.data_dir import noted_removal, unfinished_removals
from wenmai.application.quotas import MEGABYTE, MEMORY_BYTES
from wenmai.checkpoints import CHECKPOINTS_FILE
from wenmai.inputs import FieldError

WHO = {"question": "苏晚亭是谁？", "library": "sample"}
PAGE = 4_096  # of SQLite


@dataclass(frozen=True, slots=True)
class Team:
    """A server with the keys of two users, and one of the first user's for another library alone."""

    live: LiveServer
    folder: Path
    alice: str
    bob: str
    elsewhere: str


@pytest.fixture(scope="module")
def team(prepared: Path) -> Iterator[Team]:
    folder = copied(prepared, prepared.parent / "team")
    alice, bob = (said(folder, "keys", "add", "--user", user, "--admin") for user in ("alice", "bob"))
    elsewhere = said(folder, "keys", "add", "--user", "alice", "--library", "elsewhere", "--admin")
    with serving(folder) as live:
        yield Team(live, folder, alice, bob, elsewhere)


@pytest.fixture
async def alice(team: Team) -> AsyncIterator[httpx.AsyncClient]:
    async with client(team, team.alice) as http:
        yield http


def client(team: Team, key: str) -> httpx.AsyncClient:
    headers = {"authorization": f"Bearer {key}"}
    return httpx.AsyncClient(base_url=f"{team.live.url}{API}", headers=headers, timeout=120)


def trace_files(team: Team) -> int:
    return len(list((team.live.folder / "traces").glob("*.json")))


async def test_a_trace_goes_with_its_thread_and_opens_to_nobody_else(team: Team, alice: httpx.AsyncClient) -> None:
    """PLA-61: also not to who makes a thread of the same id."""
    thread, before = str(uuid4()), trace_files(team)
    first = (await alice.post(f"/threads/{thread}/ask", json=WHO)).json()
    assert trace_files(team) == before + 1
    assert (await alice.get(f"/traces/{first['trace_id']}")).json()["trace"]["user_id"] == "alice"
    receipt = (await alice.delete(f"/threads/{thread}")).json()
    assert receipt == {"documents": 0, "traces": 1} and trace_files(team) == before
    title = (await alice.post("/ask", json=WHO | {"question": "苏晚亭是谁？qzhjkvw"})).json()["thread_id"]
    assert (await alice.delete(f"/threads/{title}")).status_code == 200
    kept = [path.name for path in team.live.data.glob("checkpoints.sqlite*") if b"qzhjkvw" in path.read_bytes()]
    assert kept == []  # not in free pages or the log of the database either
    kept = (await alice.post(f"/threads/{thread}/ask", json=WHO)).json()["trace_id"]
    async with client(team, team.bob) as bob:
        assert (await bob.post(f"/threads/{thread}/ask", json=WHO)).status_code == 404
        assert (await bob.get(f"/traces/{kept}")).status_code == 404
        assert (await bob.get("/traces")).json()["total"] == 0


async def test_what_is_not_kept_leaves_no_trace(team: Team, alice: httpx.AsyncClient) -> None:
    """PLA-61: a chat client's question without a thread, and an agent's over MCP's tool."""
    before = trace_files(team)
    asked = {"model": "sample", "messages": [{"role": "user", "content": WHO["question"]}]}
    reply = await alice.post(f"{team.live.url}/v1/chat/completions", json=asked)
    assert "守塔人" in reply.json()["choices"][0]["message"]["content"]
    assert (await alice.post("/tools/ask", json=WHO)).status_code == 200
    assert trace_files(team) == before


async def test_a_key_of_one_library_sees_nothing_of_the_others(team: Team, alice: httpx.AsyncClient) -> None:
    """PLA-34: not by its user's threads, evidence, exports and traces either, nor may it remove what is everybody's."""
    turn = (await alice.post("/ask", json=WHO)).json()
    thread, trace = turn["thread_id"], turn["trace_id"]
    stored = await alice.post("/documents", data={"preloaded": "true"}, files={"file": ("all.txt", b"for everybody")})
    assert stored.status_code == 201, stored.text
    async with client(team, team.elsewhere) as narrow:
        assert (await narrow.get("/threads")).json()["total"] == 0
        assert (await narrow.get("/traces")).json()["total"] == 0
        for method, path in (
            ("GET", f"/threads/{thread}"),
            ("GET", f"/threads/{thread}/turns"),
            ("GET", f"/threads/{thread}/turns/1/record"),
            ("GET", f"/threads/{thread}/turns/1/evidence"),
            ("GET", f"/threads/{thread}/export"),
            ("DELETE", f"/threads/{thread}"),
            ("GET", f"/traces/{trace}"),
        ):
            assert (await narrow.request(method, path)).status_code == 404, path
        asked = {"question": "她后来呢？", "toolkits": ["documents"]}
        assert (await narrow.post(f"/threads/{thread}/ask", json=asked)).status_code == 404
        removed = await narrow.delete("/documents", params={"preloaded": "true"})
        assert removed.status_code == 403
    assert (await alice.get(f"/threads/{thread}/turns")).json()["total"] == 1
    assert (await alice.get("/documents", params={"preloaded": "true"})).json()["total"] == 1


TRIPLES = b'{"Haitang": [["Haitang", "owner", "Lin"], ["Haitang", "type", "ship"]]}'
ASKED = {"question": "Who is the owner of Haitang?", "toolkits": ["knowledge"], "kn_ids": ["quay"]}


async def test_a_key_of_one_kind_opens_nothing_of_the_other(team: Team, alice: httpx.AsyncClient) -> None:
    """PLA-34: with libraries alone no network, with networks alone no library, by whatever way in."""
    sent = {"file": ("quay.json", TRIPLES)}
    assert (await alice.post("/networks/quay", files=sent)).status_code == 200
    turn = (await alice.post("/ask", json=ASKED)).json()
    assert "Lin" in turn["answer"], turn
    async with client(team, team.elsewhere) as narrow:  # may administer
        assert (await narrow.get("/me")).json()["networks"] == (await narrow.get("/networks")).json()["items"] == []
        assert (await narrow.get(f"/traces/{turn['trace_id']}")).status_code == 404
        assert "Lin" not in (await narrow.get(f"/threads/{turn['thread_id']}/turns")).json()["items"][0]["answer"]
        refused = [
            await narrow.post("/ask", json=ASKED),
            await narrow.post("/tools/ask", json=ASKED),
            *[
                await narrow.post("/tools/knowledge_network_retrieval", json={"query": "Haitang", "kn_ids": names})
                for names in (["quay"], "quay", '["quay"]', [{"knowledge_network_id": "quay"}])
            ],
            await narrow.post("/networks/quay", files=sent),
            await narrow.post("/networks/quay/preview", files=sent),
            await narrow.get("/networks/quay/export"),
            await narrow.delete("/networks/quay"),
            await narrow.delete("/users/nobody"),
            await narrow.get("/keys"),
        ]
        assert all(one.status_code in (403, 404, 422) for one in refused), [one.text for one in refused]
    made = await alice.post("/keys", json={"user": "fay", "networks": ["quay", "nowhere"]})
    assert made.json()["key"]["libraries"] == [] and made.json()["unknown"] == ["nowhere"]
    async with client(team, made.json()["token"]) as fay:
        assert (await fay.get("/libraries")).json()["total"] == 0 and (await fay.get("/networks")).json()["total"] == 1
        assert (await fay.get(f"{team.live.url}/v1/models")).json()["data"] == []
        assert (await fay.post("/ask", json=WHO)).status_code == 404
        own = (await fay.post("/ask", json=ASKED)).json()
        assert "Lin" in own["answer"] and (await fay.get(f"/traces/{own['trace_id']}")).status_code == 200
    made = await alice.post("/keys", json={"user": "gus", "libraries": ["sample"]})
    async with client(team, made.json()["token"]) as gus:
        chat = {"model": "sample", "messages": [{"role": "user", "content": ASKED["question"]}]}
        asked = await gus.post(
            f"{team.live.url}/v1/chat/completions", json=chat | {"kn_ids": ["quay"], "toolkits": ["knowledge"]}
        )
        assert asked.status_code == 404 and "quay" in asked.text, asked.text
        assert (await gus.post(f"{team.live.url}/v1/chat/completions", json=chat)).status_code == 200
    assert (await alice.delete("/networks/quay")).status_code == 200


async def test_an_answer_names_no_path_of_the_server(team: Team, alice: httpx.AsyncClient) -> None:
    """PLA-67: not whole, streamed, kept or exported."""
    turn = await alice.post("/ask", json=WHO)
    thread = turn.json()["thread_id"]
    asked = {"model": "sample", "messages": [{"role": "user", "content": WHO["question"]}]}
    told = [
        turn,
        await alice.post("/ask", json=WHO, headers={"accept": "text/event-stream"}),
        await alice.post("/tools/ask", json=WHO),
        await alice.post(f"{team.live.url}/v1/chat/completions", json=asked, headers={"x-wenmai-thread": "p"}),
        *[await alice.get(f"/threads/{thread}/{part}") for part in ("turns", "turns/1/record", "export")],
        await alice.get(f"/traces/{turn.json()['trace_id']}"),
    ]
    assert [one.status_code for one in told] == [200] * len(told)
    assert not [one.request.url for one in told if str(team.live.folder) in one.text or "traces/" in one.text]


def test_files_are_their_owners_alone(team: Team) -> None:
    """PLA-60: also those that were there before, and what a command makes."""
    data = team.live.data
    assert said(team.folder, "keys", "list")
    open_to_others = [
        str(path.relative_to(data)) for path in (data, *data.rglob("*")) if stat.S_IMODE(path.lstat().st_mode) & 0o077
    ]
    assert open_to_others == []


@pytest.mark.parametrize("left_mb", [1, 20, 100])
async def test_a_full_disk_refuses_writes_and_ends_nothing(prepared: Path, small_disk: Path, left_mb: int) -> None:
    """PLA-62: at the start too, where the engine that maps files would end the process by SIGBUS."""
    folder = copied(prepared, small_disk / "served")
    fill = shutil.disk_usage(small_disk).free - (left_mb << 20)
    with (small_disk / "fill").open("wb") as file:
        os.posix_fallocate(file.fileno(), 0, fill)
    with serving(folder) as live:
        async with httpx.AsyncClient(base_url=live.url, timeout=120) as http:
            ready = await http.get("/ready")
            assert ready.status_code in (200, 503) and "MB" in ready.json()["warnings"][0], ready.text
            refused = [
                await http.post(f"{API}/ask", json=WHO),
                await http.post(f"{API}/memories", json={"content": "我喜欢茶。"}),
                await http.post(f"{API}/documents", data={"thread_id": "t"}, files={"file": ("a.txt", b"hello")}),
            ]
            for reply in refused:
                assert (reply.status_code, reply.json()["code"]) == (507, "StoreFull") and "MB" in reply.text
            assert (await http.get("/health")).status_code == 200
            (small_disk / "fill").unlink()
            assert "守塔人" in (await http.post(f"{API}/ask", json=WHO)).json()["answer"]


async def test_below_the_reserve_reading_goes_on(prepared: Path, small_disk: Path) -> None:
    """PLA-62: what is open stays open."""
    folder = copied(prepared, small_disk / "served")
    with serving(folder) as live:
        async with httpx.AsyncClient(base_url=f"{live.url}{API}", timeout=120) as http:
            assert (await http.post("/ask", json=WHO)).status_code == 200
            with (small_disk / "fill").open("wb") as file:
                os.posix_fallocate(file.fileno(), 0, shutil.disk_usage(small_disk).free - (50 << 20))
            assert (await http.post("/ask", json=WHO)).status_code == 507
            asked = {"model": "sample", "messages": [{"role": "user", "content": WHO["question"]}]}
            kept_nowhere = await http.post(f"{live.url}/v1/chat/completions", json=asked)
            assert "守塔人" in kept_nowhere.json()["choices"][0]["message"]["content"]
            assert (await http.get("/libraries/sample")).status_code == 200


async def test_a_spoilt_file_of_conversations(prepared: Path, tmp_path: Path) -> None:
    """PLA-63: the server starts, says which file in one line, and begins a new one only where it is told so."""
    folder = copied(prepared, tmp_path / "spoilt")
    file = folder / "data" / "checkpoints.sqlite"
    with serving(folder) as live:
        async with httpx.AsyncClient(base_url=f"{live.url}{API}", timeout=120) as http:
            assert (await http.post("/ask", json=WHO)).status_code == 200
    spoilt = b"no database at all" * 1_000
    file.write_bytes(spoilt)
    doctor = wenmai(folder, "doctor")
    assert doctor.returncode != 0 and "checkpoints.sqlite" in doctor.stdout
    with serving(folder) as live:
        async with httpx.AsyncClient(base_url=f"{live.url}{API}", timeout=120) as http:
            reply = await http.post("/ask", json=WHO)
            assert (reply.json()["code"], reply.status_code) == ("StoreCorrupt", 503) and "\n" not in reply.text
            ready = await http.get(f"{live.url}/ready")
            assert ready.status_code == 503 and ready.json()["stores"]["checkpoints"] == "down"
            assert (await http.get("/libraries/sample")).status_code == 200
        assert "Traceback" not in live.log and "--recover" in live.log
    assert file.read_bytes() == spoilt
    with started(folder, [sys.executable, "-m", "wenmai", "serve", "--recover"], "/health", {}) as live:
        async with httpx.AsyncClient(base_url=f"{live.url}{API}", timeout=120) as http:
            assert (await http.post("/ask", json=WHO)).status_code == 200
    (aside,) = file.parent.glob("checkpoints.sqlite.spoilt-*")
    assert aside.read_bytes() == spoilt


async def test_conversations_that_are_spoilt_in_part(prepared: Path, tmp_path: Path) -> None:
    """PLA-63: some pages of many; the server knows it at its start, commands say what the doctor says."""
    folder = copied(prepared, tmp_path / "partly")
    file = folder / "data" / "checkpoints.sqlite"
    with serving(folder) as live:
        async with httpx.AsyncClient(base_url=f"{live.url}{API}", timeout=120) as http:
            thread = (await http.post("/ask", json=WHO)).json()["thread_id"]
            assert (await http.post("/ask", json=WHO)).status_code == 200
    spoil(file)
    spoilt = file.read_bytes()
    for command in (("doctor",), ("talks", thread), ("backup", "kept.zip")):
        done = wenmai(folder, *command)
        said_all = done.stdout + done.stderr
        assert done.returncode == 1 and "checkpoints.sqlite" in said_all and "--recover" in said_all, said_all
    assert not (folder / "kept.zip").exists()
    with serving(folder) as live:
        async with httpx.AsyncClient(base_url=f"{live.url}{API}", timeout=120) as http:
            ready = await http.get(f"{live.url}/ready")
            assert ready.status_code == 503 and ready.json()["stores"]["checkpoints"] == "down"
            for reply in (await http.post("/ask", json=WHO), await http.get(f"/threads/{thread}/turns")):
                assert (reply.json()["code"], reply.status_code) == ("StoreCorrupt", 503), reply.text
            assert (await http.get("/libraries/sample")).status_code == 200
        assert "Traceback" not in live.log and "--recover" in live.log
    assert file.read_bytes() == spoilt


def spoil(file: Path) -> None:
    """Write over the second half of a database, but its first pages."""
    content = bytearray(file.read_bytes())
    begin = max(2 * PAGE, len(content) // 2 // PAGE * PAGE)
    content[begin:] = b"\xa5" * (len(content) - begin)
    file.write_bytes(content)


@pytest.mark.parametrize("file", ["catalog.sqlite", "passages/edge_config.json", "graph.lbug"])
async def test_a_spoilt_library_is_not_the_servers(prepared: Path, tmp_path: Path, file: str) -> None:
    """PLA-63: the others are listed and answer, and the server is ready."""
    folder = copied(prepared, tmp_path / "half")
    broken = folder / "data" / "a-broken"
    shutil.copytree(folder / "data" / "sample", broken)
    assert (broken / file).exists()
    (broken / file).write_bytes(b"garbage")
    with serving(folder) as live:
        async with httpx.AsyncClient(base_url=f"{live.url}{API}", timeout=120) as http:
            looked = await http.get("/libraries/a-broken")
            assert looked.status_code == 503 or looked.json()["state"] == "broken", looked.text
            assert (await http.post("/ask", json=WHO)).status_code == 200
            assert (await http.get(f"{live.url}/ready")).status_code == 200
            assert not (await http.post("/ask", json=WHO | {"library": "a-broken"})).is_success
            rows = {one["name"]: one for one in (await http.get("/libraries")).json()["items"]}
            assert rows["sample"]["problem"] is None and "Traceback" not in live.log
            assert rows["a-broken"]["state"] == "broken" and "a-broken" in rows["a-broken"]["problem"]
            counted = (await http.get(f"{live.url}/metrics")).text
            assert (
                'wenmai_libraries{state="ready"} 1.0' in counted and 'wenmai_libraries{state="broken"} 1.0' in counted
            )
        doctor = wenmai(folder, "doctor")
        lines = [line for line in doctor.stdout.splitlines() if "资料库" in line]
        assert doctor.returncode == 1 and [line[0] for line in lines[:3]] == ["!", "✗", "✓"], doctor.stdout


async def test_a_library_that_has_lost_passages_says_so(prepared: Path, tmp_path: Path) -> None:
    """PLA-64: half of an index's file is gone: each answer and the state of the server say it, nothing is silent."""
    folder = copied(prepared, tmp_path / "lost")
    (ids,) = (folder / "data" / "sample" / "passages").rglob("*id_tracker.mappings")
    ids.write_bytes(ids.read_bytes()[: ids.stat().st_size // 2])
    with serving(folder) as live:
        async with httpx.AsyncClient(base_url=f"{live.url}{API}", timeout=120) as http:
            reply = (await http.post("/ask", json=WHO)).json()
            assert "wenmai ingest" in reply["warning"] or "检索不到" in reply["warning"], reply
            health = (await http.get("/health")).json()
            assert len(health["warnings"]) == 1 and "sample" in health["warnings"][0]
            row = (await http.get("/libraries/sample")).json()
            assert row["warning"] == health["warnings"][0] or row["state"] == "broken"
            counted = (await http.get(f"{live.url}/metrics")).text
            assert 'wenmai_libraries{state="ready"} 0.0' in counted
        assert "检索不到" in live.log


async def test_an_upload_is_a_job(team: Team, alice: httpx.AsyncClient) -> None:
    """PLA-66: at once where that is asked for, with its progress, and its result as the waiting form has it."""
    form: dict[str, Any] = {"data": {"thread_id": "jobs"}, "files": {"file": ("a.txt", b"The key is under the mat.")}}
    begun = await alice.post("/documents", headers={"prefer": "respond-async"}, **form)
    job = begun.json()
    assert (begun.status_code, job["kind"], job["subject"], job["state"]) == (202, "upload", "a.txt", "running")
    async with client(team, team.bob) as bob:  # who may administer, but the file is another's
        assert (await bob.get(f"/jobs/{job['id']}")).status_code == 404
    ended = await job_end(alice, job["id"])
    assert ended["state"] == "done" and ended["progress"]["unit"] == "chunks"
    waited = await alice.post("/documents", **form)
    assert waited.status_code == 201
    assert waited.json()["replaced"]["id"] == ended["result"]["document"]["id"]
    refused = await alice.post("/documents", data={"thread_id": "jobs"}, files={"file": ("a.pdf", b"%PDF-1.4 nothing")})
    assert refused.status_code == 422


async def test_a_quota_of_the_disk(prepared: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """PLA-67: memories, documents and conversations count; reading goes on, and what is forgotten makes room."""
    folder = copied(prepared, tmp_path / "disk")
    monkeypatch.chdir(folder)
    places: Any = {"data_dir": folder / "data", "trace_dir": folder / "traces"}
    rows = [{"memory_key": str(n), "content": "我有一本书"} for n in range(MEGABYTE // MEMORY_BYTES + 1)]
    async with wenmai_python.open(user_disk_mb=1, **places) as app:
        thread = (await app.conversations.ask(WHO["question"], library="sample")).thread_id
        known: Any = app
        assert 1_000 < await (await known.shared.conversations()).kept_bytes(known.caller) < MEGABYTE
        await app.documents.upload("b.txt", content=b"The key is under the mat.", thread_id=str(thread))
        await app.memories.load(rows)
        for refused in (
            app.conversations.ask("她后来呢？", library="sample", thread_id=thread),
            app.memories.add("我喜欢茶。"),
            app.documents.upload("a.txt", content=b"The key is under the mat.", thread_id=str(thread)),
            app.documents.upload("b.txt", content=b"It is on the table.", thread_id=str(thread)),
        ):
            with pytest.raises(FieldError, match="USER_DISK_MB") as caught:
                await refused
            assert caught.value.status == 507
        assert (await app.conversations.turns(str(thread))).total == 1
        await app.memories.forget(*(row["memory_key"] for row in rows[::2]))
        assert (await app.memories.add("我喜欢茶。")).content == "我喜欢茶。"


async def test_python_beside_a_server(team: Team, alice: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch) -> None:
    """PLA-71: a question and a search go through the server that holds the stores, as the user of the key."""
    for name, value in (("DATA_DIR", team.live.data), ("TRACE_DIR", team.live.traces), ("WENMAI_API_KEY", team.alice)):
        monkeypatch.setenv(name, str(value))
    answer = await asyncio.to_thread(wenmai_python.ask, WHO["question"], library="sample")
    assert "守塔人" in answer.text and (await alice.get(f"/threads/{answer.thread_id}")).status_code == 200
    found = await wenmai_python.retriever("sample", as_of_chapter=2, top_k=2).ainvoke("灯塔的守塔人")
    assert len(found) == 2 and {one.metadata["chapter"] for one in found} <= {1, 2} and found[0].metadata["score"]
    files = {"file": ("rule.txt", b"The key is under the mat.")}
    assert (await alice.post("/documents", data={"thread_id": "python"}, files=files)).status_code == 201
    search = wenmai_python.retriever(session_id="python")
    [first, *_] = await asyncio.to_thread(search.invoke, "the key")
    assert first.page_content.strip() == "The key is under the mat."
    with pytest.raises(wenmai_python.InputError, match="bob"):
        await asyncio.to_thread(wenmai_python.ask, WHO["question"], library="sample", user_id="bob")


@pytest.mark.costly
async def test_an_ingest_goes_on_after_a_kill(prepared: Path, tmp_path: Path) -> None:
    """PLA-66: the library says that it is not whole, and the job goes on with the file that was sent."""
    folder = copied(prepared, tmp_path / "killed")
    text = "\n\n".join(f"第{n}章\n\n" + "林舟走进灯塔，点亮了灯。苏晚亭站在海边等船。" * 30 for n in range(1, 16))
    with serving(folder, INGESTS_AT_ONCE="1") as live:
        async with httpx.AsyncClient(base_url=f"{live.url}{API}", timeout=120) as http:
            for name in ("first", "second"):
                await http.post("/libraries", json={"name": name, "title": name})
            sent = {"file": ("书.txt", text.encode())}
            jobs = [(await http.post(f"/libraries/{one}/sources", files=sent)).json() for one in ("first", "second")]
            assert [one["is_waiting"] for one in jobs] == [False, True]
            while not (await http.get(f"/jobs/{jobs[0]['id']}")).json()["progress"]:
                await asyncio.sleep(0.05)
        os.kill(live.pid, signal.SIGKILL)
    with serving(folder) as live:
        async with httpx.AsyncClient(base_url=f"{live.url}{API}", timeout=120) as http:
            for job in jobs:
                assert (await job_end(http, job["id"]))["state"] == "done"
            rows = {one["name"]: one for one in (await http.get("/libraries")).json()["items"]}
            assert rows["first"]["problem"] is None and rows["first"]["chapters"] == rows["second"]["chapters"] == 15
    assert not list((folder / "data" / ".jobs").iterdir())


async def test_a_user_is_removed_everywhere(team: Team, alice: httpx.AsyncClient) -> None:
    """PLA-67: with a receipt; the key opens nothing any more, others keep theirs."""
    made = said(team.folder, "keys", "add", "--user", "carol")
    await asyncio.sleep(REFRESH_S)
    async with client(team, made) as carol:
        thread = (await carol.post("/ask", json=WHO)).json()["thread_id"]
        for of in (thread, "never-begun"):
            files = {"file": ("a.txt", b"The key is under the mat.")}
            assert (await carol.post("/documents", data={"thread_id": of}, files=files)).status_code == 201
        assert (await carol.post("/memories", json={"content": "我喜欢茶。"})).status_code == 201
        too_long = await carol.post("/memories", json={"content": "茶" * 8_001})
        assert (too_long.status_code, too_long.json()["errors"][0]["field"]) == (422, "content")
        [chapter, *_] = (await carol.get("/libraries/sample/chapters")).json()["items"]
        place = {"source": chapter["source"], "part": chapter["part"], "chapter": chapter["chapter"]}
        assert (await carol.put("/libraries/sample/place", json=place)).is_success
        assert files_with("place:carol", team.live.data)
        assert (await carol.delete("/users/carol")).status_code == 403
        receipt = (await alice.delete("/users/carol")).json()
        assert receipt == {"threads": 1, "documents": 2, "memories": 1, "traces": 1, "places": 1, "keys": 1}
        assert files_with("place:carol", team.live.data) == []
        assert (await alice.delete("/users/carol")).json() == dict.fromkeys(receipt, 0)
        assert (await carol.get("/me")).status_code == 401
    keys = [json.loads(line) for line in said(team.folder, "keys", "list", "--json").splitlines()]
    assert any(row["user"] == "alice" and row["used_at"] for row in keys)


async def test_who_alone_administers_is_not_removed(prepared: Path, tmp_path: Path) -> None:
    """PLA-67: over HTTP and by the command; with another who does it goes. A user without a name is none."""
    folder = copied(prepared, tmp_path / "boss")
    boss = said(folder, "keys", "add", "--user", "boss", "--admin")
    said(folder, "keys", "add", "--user", "part", "--admin", "--library", "sample")
    assert "不能为空" in wenmai(folder, "users", "erase", " ").stderr
    assert "boss" in wenmai(folder, "users", "erase", "boss", "--yes").stderr
    with serving(folder) as live:
        headers = {"authorization": f"Bearer {boss}"}
        async with httpx.AsyncClient(base_url=f"{live.url}{API}", headers=headers, timeout=120) as http:
            kept = await http.delete("/users/boss")
            assert kept.status_code == 409 and "\n" not in kept.json()["detail"], kept.text
            assert (await http.post("/keys", json={"user": "next", "is_admin": True})).status_code == 201
            assert (await http.delete("/users/boss")).status_code in (200, 401)  # its own request may be stopped
            await asyncio.sleep(REFRESH_S)
            assert (await http.get("/me")).status_code == 401


async def test_a_user_who_is_removed_while_everything_runs(team: Team, alice: httpx.AsyncClient) -> None:
    """PLA-67: questions, a stream, an upload and a watched job end, no later request opens, and nothing is left."""
    made = said(team.folder, "keys", "add", "--user", "erin")
    await asyncio.sleep(REFRESH_S)
    text = b"The key is under the mat. " * 30_000
    before = trace_files(team)
    async with client(team, made) as erin:
        form: dict[str, Any] = {"data": {"thread_id": "busy"}, "files": {"file": ("long.txt", text)}}
        job = (await erin.post("/documents", headers={"prefer": "respond-async"}, **form)).json()

        async def asked(number: int) -> int:
            return (await erin.post("/ask", json=WHO | {"question": f"苏晚亭是谁？{number}"})).status_code

        under_way = [asyncio.Event(), asyncio.Event()]

        async def streamed(begun: asyncio.Event, path: str, **more: Any) -> None:
            async with erin.stream("POST" if more else "GET", path, **more) as reply:
                async for _ in reply.aiter_lines():
                    begun.set()

        running = [
            *(asyncio.create_task(asked(number)) for number in range(6)),
            asyncio.create_task(streamed(under_way[0], "/ask", json=WHO, headers={"accept": "text/event-stream"})),
            asyncio.create_task(streamed(under_way[1], f"/jobs/{job['id']}/events")),
            asyncio.create_task(erin.post("/documents", **form)),
        ]
        await asyncio.wait_for(asyncio.gather(*(one.wait() for one in under_way)), 120)
        receipt = await alice.delete("/users/erin")
        assert receipt.status_code == 200, receipt.text
        assert (await erin.get("/me")).status_code == 401  # at once, in the process that removed the user
        ended = await asyncio.wait_for(asyncio.gather(*running, return_exceptions=True), 120)
    assert {one for one in ended[:6] if isinstance(one, int)} <= {200, 401}, ended
    await asyncio.sleep(2)  # what is written too late would be there by then
    gone = (await alice.delete("/users/erin")).json()
    assert gone == dict.fromkeys(gone, 0) and trace_files(team) == before
    kept = [path for path in team.live.data.glob("keys.*") if "erin" in path.read_text(errors="replace")]
    assert not kept and "Traceback" not in team.live.log, team.live.log[-3000:]


async def test_a_removal_that_was_broken_off_is_finished(prepared: Path, tmp_path: Path) -> None:
    """PLA-67: by the next start, and no word is left in any file, also of what was changed or never answered."""
    folder, word = copied(prepared, tmp_path / "removed"), "jqzvxkwt"
    key = said(folder, "keys", "add", "--user", "frank")
    with serving(folder) as live:
        headers = {"authorization": f"Bearer {key}"}
        async with httpx.AsyncClient(base_url=f"{live.url}{API}", headers=headers, timeout=120) as frank:
            asked = WHO | {"question": f"苏晚亭是谁？{word}"}
            assert (await frank.post("/ask", json=asked)).status_code == 200
            memory = (await frank.post("/memories", json={"content": f"口令是{word}。"})).json()
            assert (await frank.patch(f"/memories/{memory['key']}", json={"content": "口令没有了。"})).is_success
            files = {"file": ("a.txt", word.encode())}
            assert (await frank.post("/documents", data={"thread_id": "t"}, files=files)).status_code == 201
            async with frank.stream("POST", "/ask", json=asked, headers={"accept": "text/event-stream"}) as reply:
                assert await anext(reply.aiter_lines())
                os.kill(live.pid, signal.SIGKILL)  # while it is answered
    places = (folder / "data", folder / "traces")
    assert {found.name for found in files_with(word, *places)} >= {CHECKPOINTS_FILE + "-wal", "page_0.dat"}
    with suppress(KeyboardInterrupt):
        async with noted_removal(folder / "data", "frank"):
            raise KeyboardInterrupt
    with serving(folder) as live:
        async with asyncio.timeout(60):
            while unfinished_removals(folder / "data"):
                await asyncio.sleep(0.2)
        assert files_with(word, *places) == []
        assert "'documents': 1, 'memories': 2, " in live.log  # the question that was left may have been answered


def files_with(word: str, *folders: Path) -> list[Path]:
    files = [path for folder in folders for path in folder.rglob("*") if path.is_file()]
    return [path for path in files if word.encode() in path.read_bytes()]


@pytest.mark.costly
async def test_a_request_that_the_end_cuts_short_is_told(prepared: Path, tmp_path: Path) -> None:
    """PLA-69: after the ten seconds that requests have at SIGTERM, in one line and without a traceback in the log."""
    folder = copied(prepared, tmp_path / "ending")
    with serving(folder) as live:
        port = int(live.url.rpartition(":")[2])
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        head = f"POST {API}/memories HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\n"
        writer.write(f"{head}content-length: 100\r\n\r\n".encode() + b'{"content": "half')
        await writer.drain()
        await asyncio.sleep(1)
        os.kill(live.pid, signal.SIGTERM)
        async with asyncio.timeout(60):
            reply = await reader.read()
        writer.close()
    assert reply.startswith(b"HTTP/1.1 503") and json.loads(reply.rpartition(b"\r\n\r\n")[2])["detail"]
    assert "Traceback" not in live.log and "Application shutdown complete" in live.log


async def test_quotas_and_the_audit_line(prepared: Path, tmp_path: Path) -> None:
    """PLA-67: questions 429, what is kept 507, each with its setting; a line a request, without a text."""
    folder = copied(prepared, tmp_path / "quotas")
    key = said(folder, "keys", "add", "--user", "dan")
    limits = {"USER_QUESTIONS": "2/hour", "USER_DOCUMENTS": "1", "USER_MEMORIES": "1", "AUDIT": "true"}
    with serving(folder, **limits) as live:
        headers = {"authorization": f"Bearer {key}"}
        async with httpx.AsyncClient(base_url=f"{live.url}{API}", headers=headers, timeout=120) as http:
            asked = [await http.post("/ask", json=WHO) for _ in range(3)]
            assert [one.status_code for one in asked] == [200, 200, 429] and "USER_QUESTIONS" in asked[2].text
            by_tool = await http.post("/tools/ask", json=WHO)
            chat = {"model": "sample", "messages": [{"role": "user", "content": WHO["question"]}]}
            by_chat = await http.post(f"{live.url}/v1/chat/completions", json=chat)
            assert [(one.status_code, int(one.headers["retry-after"]) > 0) for one in (asked[2], by_tool, by_chat)] == [
                (429, True)
            ] * 3
            assert (await http.get("/me", headers={"authorization": "Bearer wrong"})).status_code == 401
            kept = [await http.post("/memories", json={"content": text}) for text in ("我喜欢茶。", "我喜欢雨。")]
            assert [one.status_code for one in kept] == [201, 507] and "USER_MEMORIES" in kept[1].text
            sent = [
                await http.post("/documents", data={"thread_id": f"t{n}"}, files={"file": ("a.txt", b"mat")})
                for n in range(2)
            ]
            assert [one.status_code for one in sent] == [201, 507] and "USER_DOCUMENTS" in sent[1].text
            own = [  # faults of their own, which come first
                await http.post("/ask", json=WHO | {"question": "？！"}),
                await http.post("/memories", json={"content": " "}),
                await http.post("/documents", data={"thread_id": "t2"}, files={"file": ("a.pdf", b"%PDF-1.4 nothing")}),
            ]
            assert [one.status_code for one in own] == [422] * 3, [one.text for one in own]
            unknown = await http.post("/ask", json={"question": "Who is she?", "library": "nowhere"})
            assert unknown.status_code in (404, 429) and unknown.text.isascii(), unknown.text
            told = await http.post("/ask", json=WHO | {"mode": "x"}, headers={"accept-language": "en"})
            assert told.status_code == 422 and "must be" in told.json()["detail"]
    lines = [json.loads(line) for line in live.log.splitlines() if '"wenmai.audit"' in line]
    first = lines[0]
    assert (first["user"], first["key"], first["library"], first["status"]) == ("dan", key.split("_")[1], "sample", 200)
    assert first["route"] == "POST /api/v1/ask" and first["thread"] and "苏晚亭" not in live.log
    assert [one["status"] for one in lines[:3]] == [200, 200, 429] and first["address"] == "127.0.0.1"
    requests = [json.loads(line) for line in live.log.splitlines() if '"wenmai.requests"' in line]
    assert {one.get("address") for one in requests if one["status"] == 401} == {"127.0.0.1"}
    assert not [one for one in requests if one["status"] < 400 and "address" in one]
