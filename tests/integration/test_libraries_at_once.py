"""Writers and readers of libraries at the same time: a library is seen whole, or it is said what is with it."""

import asyncio
import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.integration.live_server import ALIASES, STORY, LiveServer, environment
from tests.integration.own_server import API, job_end, serving
from tests.temporary import copied
from tools.errors import StoreLocked
from tools.records import PassageFilter
from wenmai.app.container import Services
from wenmai.ingestion.pipeline import IngestRequest, ingest
from wenmai.settings.settings import load_settings
from wenmai.stores.catalog.catalog import SqliteCatalog

BUSY, UNFINISHED = "正在被修改", "导入未完成"
QUESTION = {"question": "苏晚照的哥哥是谁？", "language": "zh"}
LONG = "\n".join(f"第{n}回 雾\n" + STORY.replace("第", "又第") * 4 for n in range(1, 8))


@pytest.fixture(scope="module")
def own(prepared: Path) -> Iterator[LiveServer]:
    with serving(copied(prepared, prepared.parent / "at_once")) as live:
        yield live


@pytest.fixture
async def http(own: LiveServer) -> AsyncIterator[httpx.AsyncClient]:
    async with httpx.AsyncClient(base_url=own.url + API, timeout=120) as made:
        yield made


async def begun(http: httpx.AsyncClient, name: str, text: str = STORY) -> str:
    """Make a library and begin to take a text in; return the job."""
    made = await http.post("/libraries", json={"name": name, "title": "雾港"})
    assert made.status_code == 201, made.text
    return await sent(http, name, text)


async def sent(http: httpx.AsyncClient, name: str, text: str) -> str:
    files = {"file": ("雾港.txt", text.encode()), "aliases": ("a.json", ALIASES.encode())}
    job = await http.post(f"/libraries/{name}/sources", files=files)
    assert job.status_code == 202, job.text
    id: str = job.json()["id"]
    return id


async def under_way(http: httpx.AsyncClient, job: str) -> None:
    """Wait until passages of a text are written."""
    async with http.stream("GET", f"/jobs/{job}/events", headers={"accept": "text/event-stream"}) as reply:
        async for line in reply.aiter_lines():
            if line.startswith("data: "):
                now = json.loads(line.removeprefix("data: "))
                assert now["state"] == "running", now
                if now["progress"] and now["progress"]["unit"] == "passages" and now["progress"]["done"]:
                    return


async def listed(http: httpx.AsyncClient) -> dict[str, Any]:
    """Return the libraries by name."""
    found = await http.get("/libraries?limit=100")
    assert found.status_code == 200, found.text
    return {one["name"]: one for one in found.json()["items"]}


@pytest.mark.parametrize("times", [4, pytest.param(20, marks=pytest.mark.costly)])
async def test_two_new_books_at_once(tmp_path: Path, times: int) -> None:
    """Each time, both are taken in by the server of a new folder, while a third caller looks at the list."""
    folder = tmp_path / "new"
    folder.mkdir()
    with serving(folder) as live:
        async with httpx.AsyncClient(base_url=live.url + API, timeout=120) as http:
            for at in range(times):
                pair, is_over = (f"one{at}", f"two{at}"), asyncio.Event()

                async def book(name: str) -> None:
                    job = await job_end(http, await begun(http, name))
                    assert job["state"] == "done", job

                async def looking(over: asyncio.Event = is_over) -> None:
                    while not over.is_set():
                        for one in (await listed(http)).values():
                            assert one["problem"] is None or BUSY in one["problem"], one

                watcher = asyncio.create_task(looking())
                await asyncio.gather(*map(book, pair))
                is_over.set()
                await watcher
                known = await listed(http)
                assert all(known[name]["chapters"] == 4 and known[name]["problem"] is None for name in pair), known
        assert "Traceback" not in live.log, live.log[-3000:]


async def test_what_is_taken_in_is_being_changed(http: httpx.AsyncClient) -> None:
    """PLA-38: lists go on and say so; its readers and writers get 409; others are asked."""
    job = await begun(http, "busy", LONG)
    await under_way(http, job)
    known = await listed(http)
    assert BUSY in known["busy"]["problem"] and known["sample"]["problem"] is None
    reads = ("passages", "entities", "events", "relations", "relation-types", "chapters", "notes", "appearances")
    calls: list[tuple[str, str, dict[str, Any] | None]] = [
        *(("GET", f"/libraries/busy/{place}", None) for place in reads),
        ("POST", "/ask", {**QUESTION, "library": "busy"}),
        ("POST", "/libraries/busy/merges", {"name": "晚照", "into": "苏晚照"}),
        ("DELETE", "/libraries/busy/sources/雾港", None),
        ("DELETE", "/libraries/busy", None),
    ]
    replies = await asyncio.gather(*(http.request(method, path, json=body) for method, path, body in calls))
    for (_, path, _), reply in zip(calls, replies, strict=True):
        assert reply.status_code == 409 and BUSY in reply.json()["detail"], (path, reply.text)
    second = await http.post("/libraries/busy/sources", files={"file": ("b.txt", STORY.encode())})
    assert second.status_code == 409, second.text
    tool = await http.post("/tools/vector_search", json={"library": "busy", "query": "灯塔"})
    assert BUSY in tool.text, tool.text
    other = await http.post("/ask", json={**QUESTION, "library": "sample"})
    assert "苏晚亭" in other.json()["answer"], other.text
    assert (await http.get(f"/jobs/{job}")).json()["state"] == "running"  # all this while it went on
    assert (await job_end(http, job))["state"] == "done"
    assert (await listed(http))["busy"]["problem"] is None
    assert (await http.get("/libraries/busy/passages")).json()["total"] > 0


async def test_a_text_whose_ingest_is_stopped_is_unfinished(http: httpx.AsyncClient) -> None:
    """PLA-38: nothing half made is read, nothing says to delete it, the same text again makes it whole."""
    job = await begun(http, "stopped", LONG)
    await under_way(http, job)
    assert (await http.delete(f"/jobs/{job}")).json()["state"] == "cancelled"
    for reply in (
        await http.get("/libraries/stopped/passages"),
        await http.post("/ask", json={**QUESTION, "library": "stopped"}),
    ):
        assert reply.status_code == 409, reply.text
        assert UNFINISHED in reply.json()["detail"] and "delete" not in reply.text
    assert UNFINISHED in (await listed(http))["stopped"]["problem"]
    assert (await job_end(http, await sent(http, "stopped", LONG)))["state"] == "done"
    assert (await http.get("/libraries/stopped/passages")).json()["total"] > 0


async def test_one_spoilt_catalog_hides_no_other(http: httpx.AsyncClient, own: LiveServer) -> None:
    spoilt = own.data / "spoilt"
    spoilt.mkdir()
    (spoilt / "catalog.sqlite").write_bytes(b"garbage\0" * 600)
    known = await listed(http)
    assert "catalog.sqlite" in known["spoilt"]["problem"] and known["sample"]["problem"] is None
    assert (await http.delete("/libraries/spoilt")).status_code == 200
    assert "spoilt" not in await listed(http)


def ingesting(folder: Path, library: str, text: Path) -> "subprocess.Popen[str]":
    """Begin an ingest in a process of its own."""
    command = [sys.executable, "-m", "wenmai", "ingest", str(text), "--library", library]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, cwd=folder, env=environment(folder), stdout=pipe, stderr=pipe, text=True)


def ended(processes: Sequence["subprocess.Popen[str]"]) -> list[tuple[int, str]]:
    """Return how processes ended, and what they said."""
    said = [process.communicate(timeout=120) for process in processes]
    return [(process.returncode, "".join(texts)) for process, texts in zip(processes, said, strict=True)]


def test_two_processes_write_two_libraries(tmp_path: Path) -> None:
    """Both are whole afterwards; of two that write the same one, the second is refused with the first one's name."""
    text = tmp_path / "雾港.txt"
    text.write_text(STORY, encoding="utf-8")
    both = [ingesting(tmp_path, name, text) for name in ("east", "west")]
    assert [code for code, _ in ended(both)] == [0, 0]
    for name in ("east", "west"):
        with closing(sqlite3.connect(tmp_path / "data" / name / "catalog.sqlite")) as file:
            assert file.execute("SELECT count(*) FROM chapter").fetchone() == (4,)


async def taken_in(services: Services, name: str, path: Path) -> int:
    """Ingest a text, and return how many passages the library has."""
    async with services.libraries.writing(name):
        request = IngestRequest(path=path, library=name)
        await ingest(request, stores=services.stores, embedder=services.embedder, tagger=services.reader)
    async with services.libraries.reading(name):
        return await services.passages.count(name, PassageFilter())


async def test_two_books_at_once_in_python(tmp_path: Path) -> None:
    """By one application, and by two of one process, each in a thread of its own."""
    text = tmp_path / "雾港.txt"
    text.write_text(STORY, encoding="utf-8")
    settings = load_settings(data_dir=tmp_path / "data")

    async def alone(name: str) -> int:
        services = Services(settings)
        try:
            return await taken_in(services, name, text)
        finally:
            await services.close()

    one = Services(settings)
    counts = await asyncio.gather(*(taken_in(one, name, text) for name in ("a", "b")))
    await one.close()
    counts += await asyncio.gather(*(asyncio.to_thread(asyncio.run, alone(name)) for name in ("c", "d")))
    assert counts[0] > 0 and len(set(counts)) == 1, counts
    assert [one.name for one in await SqliteCatalog(tmp_path / "data").libraries()] == ["a", "b", "c", "d"]


async def test_two_processes_write_one_library(tmp_path: Path) -> None:
    """The second is refused with a line that names the first."""
    (tmp_path / "雾港.txt").write_text(STORY, encoding="utf-8")
    services = Services(load_settings(data_dir=tmp_path / "data"))
    async with services.libraries.writing("south"):
        await services.catalog.create("south", "雾港", "fake", 4, "zh")
        with pytest.raises(StoreLocked):
            await services.libraries.writing("south").__aenter__()
        [(code, said)] = await asyncio.to_thread(ended, [ingesting(tmp_path, "south", tmp_path / "雾港.txt")])
    await services.close()
    assert code == 1 and str(os.getpid()) in said and "delete" not in said, said


def test_a_list_beside_a_process_that_is_killed_while_it_writes(tmp_path: Path) -> None:
    """Wherever it is killed, the list names the library with its title, or not at all."""
    text = tmp_path / "雾港.txt"
    text.write_text(LONG, encoding="utf-8")
    process = ingesting(tmp_path, "killed", text)
    seen = 0
    catalog = SqliteCatalog(tmp_path / "data")
    while process.poll() is None:
        for one in asyncio.run(catalog.libraries()):
            assert one.name == "killed" and one.title == "雾港" and one.problem is None, one
            seen = max(seen, one.counts["chapters"])
        time.sleep(0.01)
        if seen > 2:
            process.send_signal(signal.SIGKILL)
            process.communicate(timeout=30)
    assert seen > 2 and process.returncode == -signal.SIGKILL
    done = subprocess.run(
        [sys.executable, "-m", "wenmai", "ask", "周瑜是谁？", "--library", "killed"],
        cwd=tmp_path,
        env=environment(tmp_path),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1 and UNFINISHED in done.stderr, done.stdout + done.stderr
