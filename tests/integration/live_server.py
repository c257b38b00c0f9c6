"""Start a real `langgraph dev` on a small library, and stop it for sure."""

import asyncio
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

from tests.command_line import inherited, run_command
from tools.records import Summary, SummarySentence
from wenmai.ingestion.passages import chapter_key
from wenmai.stores.catalog.catalog import SqliteCatalog

ROOT = Path(__file__).parents[2]
COPIED = ("graph", "nodes", "tools", "state", "wenmai", "langgraph.json", "pyproject.toml")
START_SECONDS = 300.0  # on a busy machine; a process that ends is seen at once
STORY = """第一回 雾港初遇

清晨，陆沉舟走进雾港的码头。他是港务局的新任测绘师，随身只带着一只铜罗盘。

陆沉舟在码头遇见了卖灯的姑娘苏晚照。苏晚照把一盏琉璃灯递给陆沉舟，叮嘱他雾起的时候别关灯。

第二回 灯塔之约

陆沉舟与苏晚照结为好友，约定在灯塔相见。苏晚照的哥哥苏晚亭是灯塔的守塔人。

苏晚亭点亮了灯塔，照见海上的沉船。

第三回 沉船之谜

陆沉舟潜入沉船，找到了失踪多年的航海图。苏晚亭认出航海图是父亲的遗物。

第四回 离别

苏晚照乘船离开雾港，陆沉舟把铜罗盘送给了苏晚照。
"""
ALIASES = '{"陆沉舟": ["沉舟"], "苏晚照": ["晚照"], "苏晚亭": ["晚亭"]}'


@dataclass(frozen=True, slots=True)
class LiveServer:
    """A running server and its folders."""

    url: str
    folder: Path
    pid: int

    @property
    def data(self) -> Path:
        """The stores."""
        return self.folder / "data"

    @property
    def traces(self) -> Path:
        """The trace files."""
        return self.folder / "traces"

    @property
    def log(self) -> str:
        """What the server has written so far."""
        return (self.folder / "server.log").read_text(encoding="utf-8", errors="replace")


def environment(folder: Path) -> dict[str, str]:
    """Return the environment of the server and of the command line beside it."""
    own = {"DATA_DIR": "data", "TRACE_DIR": "traces", "HOME": str(folder)}  # relative, as the defaults are
    quiet = {"LANGSMITH_TRACING": "false", "LANGGRAPH_CLI_NO_ANALYTICS": "1", "PYTHONUTF8": "1", "NO_COLOR": "1"}
    return {**inherited(), **own, **quiet}


def program(name: str) -> str:
    """Return a program of this virtual environment."""
    return str(Path(sys.executable).parent / name)


def wenmai(folder: Path, *arguments: str) -> "subprocess.CompletedProcess[str]":
    """Run the command line on the server's folders."""
    return run_command(arguments, folder=folder, environment=environment(folder))


def prepare(folder: Path) -> None:
    """Make a working copy and a small library in a folder."""
    for name in COPIED:
        (folder / name).symlink_to(ROOT / name)
    (folder / "雾港.txt").write_text(STORY, encoding="utf-8")
    (folder / "aliases.json").write_text(ALIASES, encoding="utf-8")
    done = wenmai(folder, "ingest", "雾港.txt", "--library", "sample", "--aliases", "aliases.json")
    assert done.returncode == 0, done.stderr
    with ThreadPoolExecutor(1) as other:  # a test that asks for this first may be on a loop
        other.submit(asyncio.run, add_summaries(folder / "data")).result()


async def add_summaries(data: Path) -> None:
    """Put a chapter's summary and a person's description into the library, as a model would have written them."""
    catalog = SqliteCatalog(data)
    first, *_ = await catalog.chapters("sample")
    [id, *_] = await catalog.passage_ids("sample", *chapter_key(first))
    place: Any = {"library": "sample", "task_id": first.task_id, "part": first.part, "chapter": first.number}
    place["first"] = (first.part, first.number)
    sentences = {
        "": ("陆沉舟走进雾港的码头，遇见了卖灯的姑娘苏晚照。",),
        "苏晚照": ("苏晚照是卖灯的姑娘，把一盏琉璃灯递给了陆沉舟。",),
    }
    rows = [
        Summary(
            kind="person" if subject else "chapter",
            subject=subject,
            sentences=tuple(SummarySentence(text, (id,)) for text in texts),
            **place,
        )
        for subject, texts in sentences.items()
    ]
    await catalog.put_summaries("sample", rows)
    await catalog.close()


def free_port() -> int:
    """Return a port that nobody uses now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@contextmanager
def running(folder: Path, **settings: str) -> Iterator[LiveServer]:
    """Run `langgraph dev` in a prepared folder, with further settings; its whole process group is gone at the end."""
    command = [program("langgraph"), "dev", "--no-browser", "--no-reload", "--n-jobs-per-worker", "8"]
    with started(folder, command, "/ok", settings) as server:
        yield server


@contextmanager
def started(folder: Path, command: Sequence[str], alive: str, settings: Mapping[str, str]) -> Iterator[LiveServer]:
    """Run a server's command in a folder on a free port, from when the path `alive` answers."""
    port = free_port()
    process = launched(folder, command, settings, port)
    server = LiveServer(f"http://127.0.0.1:{port}", folder, process.pid)
    try:
        wait_for(server, process, alive)
        yield server
    finally:
        stop(process)


def launched(folder: Path, command: Sequence[str], settings: Mapping[str, str], port: int) -> "subprocess.Popen[bytes]":
    """Start a server's command in a folder and return the process, the first of a group of its own."""
    with (folder / "server.log").open("ab") as log:
        return subprocess.Popen(
            [*command, "--port", str(port)],
            cwd=folder,
            env={**environment(folder), **settings},
            stdout=log,
            stderr=log,
            start_new_session=True,
        )


def wait_for(server: LiveServer, process: subprocess.Popen[bytes], alive: str) -> None:
    """Wait until the server answers."""
    end = time.monotonic() + START_SECONDS
    while time.monotonic() < end:
        assert process.poll() is None, server.log[-3000:]
        try:
            if httpx.get(f"{server.url}{alive}", timeout=30).is_success:
                return
        except httpx.TransportError:
            time.sleep(0.3)
    raise AssertionError(f"no answer within {START_SECONDS} s: {server.log[-3000:]}")


def stop(process: subprocess.Popen[bytes]) -> None:
    """End the process group of a server: politely, then for sure."""
    for kind in (signal.SIGINT, signal.SIGKILL):
        if process.poll() is None:
            os.killpg(process.pid, kind)
            try:
                process.wait(60)
            except subprocess.TimeoutExpired:
                continue
