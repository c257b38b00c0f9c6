"""Who reads and who writes a library at the same time, step by step on a real catalog."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tools.errors import LibraryNotFound, StoreCorrupt, StoreLocked, StoreUnfinished
from wenmai.app.container import Services
from wenmai.ingestion.library.decisions import Decisions, save_decisions
from wenmai.ingestion.library.known_state import UNFINISHED_COPY
from wenmai.settings.settings import load_settings

LIBRARY = "tea"


@pytest.fixture
async def services(tmp_path: Path) -> AsyncIterator[Services]:
    made = Services(load_settings(data_dir=tmp_path / "data", trace_dir=tmp_path / "traces"))
    async with made.libraries.writing(LIBRARY):
        await made.catalog.create(LIBRARY, "茶", "words", 4, "zh")
    yield made
    await made.close()


async def read(services: Services) -> str:
    async with services.libraries.reading(LIBRARY):
        return (await services.catalog.info(LIBRARY)).title


async def test_a_writer_waits_for_readers_and_refuses_new_ones(services: Services) -> None:
    """PLA-38: who reads already ends undisturbed; nobody reads while it is written."""
    order: list[str] = []

    async def write() -> None:
        async with services.libraries.writing(LIBRARY):
            order.append("written")
            with pytest.raises(StoreLocked):
                await read(services)

    async with services.libraries.reading(LIBRARY) as reader:
        writer = asyncio.create_task(write())
        while True:  # until the writer is there
            try:
                await read(services)
                await asyncio.sleep(0)
            except StoreLocked:
                break
        with pytest.raises(StoreLocked):
            async with services.libraries.writing(LIBRARY):
                pytest.fail("two writers")
        order.append("read")
        reader.require_undisturbed()
    await writer
    assert order == ["read", "written"]
    assert await read(services) == "茶"


async def test_a_reader_who_takes_too_long_is_refused(services: Services) -> None:
    """PLA-38: what it has read may be of two states; whatever went wrong with it meanwhile says that, too."""
    for failure in (None, StoreCorrupt("delete it")):
        with pytest.raises(StoreLocked, match="正在被修改"):
            async with services.libraries.reading(LIBRARY) as reader:
                async with services.libraries.writing(LIBRARY, patience_s=0):
                    pass
                with pytest.raises(StoreLocked):
                    reader.require_undisturbed()
                if failure:
                    raise failure


async def test_a_deletion_waits_for_nobody(services: Services) -> None:
    """PLA-38: its readers learn that it is gone, also where another library has its name by then."""
    with pytest.raises(LibraryNotFound, match="刚刚被删除"):
        async with services.libraries.reading(LIBRARY):
            await services.libraries.delete(LIBRARY)
            async with services.libraries.writing(LIBRARY):
                await services.catalog.create(LIBRARY, "新茶", "words", 4, "zh")
    assert await read(services) == "新茶"


async def test_a_library_is_whole_when_its_catalog_says_so(services: Services) -> None:
    """PLA-38: before, it is being changed as long as somebody is at it, and unfinished afterwards."""
    async with services.libraries.writing(LIBRARY, patience_s=None):  # its first text is being read
        with pytest.raises(StoreLocked):
            await read(services)
        await save_decisions(services.catalog, LIBRARY, Decisions(settled=False))
        with pytest.raises(StoreLocked):
            await read(services)
    with pytest.raises(StoreUnfinished, match="wenmai ingest"):
        await read(services)
    await save_decisions(services.catalog, LIBRARY, Decisions())
    assert await read(services) == "茶"
    await services.catalog.put_note(LIBRARY, UNFINISHED_COPY, True)
    with pytest.raises(StoreUnfinished):
        await read(services)


async def test_another_process_may_be_at_a_shared_library(tmp_path: Path) -> None:
    """PLA-38: with all engines on servers nothing tells who writes: the line names both reasons."""
    servers = {"qdrant_url": "http://127.0.0.1:1", "neo4j_uri": "bolt://127.0.0.1:1", "neo4j_password": "x"}
    one, other = (Services(load_settings(data_dir=tmp_path, **servers)) for _ in range(2))
    await one.catalog.create(LIBRARY, "茶", "words", 4, "zh")
    assert await read(other) == "茶"
    await save_decisions(one.catalog, LIBRARY, Decisions(settled=False))
    with pytest.raises(StoreLocked, match="或者导入未完成"):
        await read(other)
    (tmp_path / LIBRARY).rename(tmp_path / "gone")  # one deletes it and makes it anew
    await one.catalog.create(LIBRARY, "新茶", "words", 4, "zh")
    assert await read(other) == await read(one) == "新茶"
    for services in (one, other):
        await services.close()
