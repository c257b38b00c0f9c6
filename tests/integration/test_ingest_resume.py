"""Kill -9 in the middle of an ingest, on the embedded engines, in a process of its own."""

import asyncio
import signal
import subprocess
import sys
from pathlib import Path

from tools.records import PassageFilter
from wenmai.ingestion.library.known_state import is_unfinished
from wenmai.stores.catalog.catalog import SqliteCatalog
from wenmai.stores.edge.passages import EdgePassageStore
from wenmai.stores.graph.ladybug import LadybugEngine
from wenmai.stores.graph.store import StoryGraphStore

ROOT = Path(__file__).parents[2]
AHEAD = 1  # batches that a killed ingest may have written besides: it is killed wherever it is by then
PROGRAM = """
import asyncio, sys
from pathlib import Path
from tests.fakes import FakeEmbedder
from wenmai.ingestion.contracts import Stores
from wenmai.ingestion.pipeline import IngestRequest, ingest
from wenmai.stores.catalog.catalog import SqliteCatalog
from wenmai.stores.edge.passages import EdgePassageStore
from wenmai.stores.graph.ladybug import LadybugEngine
from wenmai.stores.graph.store import StoryGraphStore

source, data, batches = Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3])

class Embedder(FakeEmbedder):
    left = batches

    async def embed_passages(self, texts):
        self.left -= 1
        if batches and self.left < 0:
            await asyncio.Event().wait()
        return await super().embed_passages(texts)

async def main():
    passages, graph, catalog = EdgePassageStore(data), StoryGraphStore(LadybugEngine(data)), SqliteCatalog(data)
    stores = Stores(passages=passages, graph=graph, catalog=catalog)
    report = await ingest(
        IngestRequest(path=source, library="lib"), stores=stores, embedder=Embedder(),
        progress=lambda step: print("step", step.done, flush=True),
    )
    print("written", report.written, flush=True)
    for store in (passages, graph, catalog):
        await store.close()

asyncio.run(main())
"""
TEXT = "\n".join(
    f"第{n}回 题{n}\n" + f"周瑜曰：“第{n}次来。”曹操大战周瑜于江上。周瑜见曹操，曹操说：“好。”众人见周瑜来了。" * 12
    for n in range(1, 13)
)


def start(source: Path, data: Path, batches: int) -> subprocess.Popen[str]:
    """Start an ingest whose embedder hangs after so many batches, never with 0."""
    arguments = [sys.executable, "-c", PROGRAM, str(source), str(data), str(batches)]
    return subprocess.Popen(arguments, cwd=ROOT, stdout=subprocess.PIPE, text=True)


def finish(source: Path, data: Path) -> str:
    process = start(source, data, 0)
    output, _ = process.communicate(timeout=120)
    assert process.returncode == 0
    return output


def kill_after(source: Path, data: Path, steps: int) -> None:
    """Kill an ingest some time after so many steps, before its end."""
    process = start(source, data, steps + AHEAD)
    assert process.stdout is not None
    for _ in range(steps):
        assert process.stdout.readline().startswith("step")
    process.send_signal(signal.SIGKILL)
    process.communicate(timeout=120)
    assert process.returncode == -signal.SIGKILL


async def state(data: Path) -> tuple[object, ...]:
    passages, graph, catalog = EdgePassageStore(data), StoryGraphStore(LadybugEngine(data)), SqliteCatalog(data)
    found = (
        await passages.scroll("lib", PassageFilter()),
        await graph.counts("lib"),
        await graph.names("lib", None),
        await graph.relations("lib", "周瑜", None),
        await catalog.chapters("lib"),
    )
    for store in (passages, graph, catalog):
        await store.close()
    return found


async def unfinished(data: Path) -> bool:
    catalog = SqliteCatalog(data)
    found = await is_unfinished(catalog, (await catalog.libraries())[0])
    await catalog.close()
    return found


def test_resume_after_kill(tmp_path: Path) -> None:
    """PLA-23: killed at a third and at two thirds, then run again: the same as an undisturbed run, then nothing new."""
    source = tmp_path / "书.txt"
    source.write_text(TEXT, encoding="utf-8")
    finish(source, tmp_path / "calm")
    kill_after(source, tmp_path / "killed", 4)
    kill_after(source, tmp_path / "killed", 4)
    assert asyncio.run(unfinished(tmp_path / "killed"))
    finish(source, tmp_path / "killed")
    assert not asyncio.run(unfinished(tmp_path / "killed"))
    assert asyncio.run(state(tmp_path / "killed")) == asyncio.run(state(tmp_path / "calm"))
    assert "written 0" in finish(source, tmp_path / "killed")
