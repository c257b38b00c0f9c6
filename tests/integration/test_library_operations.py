"""What Python does with libraries is the same on the stores and through a running server."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from zipfile import ZipFile

import pytest

from tests.integration.live_server import LiveServer
from tests.integration.own_server import serving
from tests.temporary import copied
from tools.errors import IngestError, InputError, LibraryNotFound, StoreError, StoreFull, StoreLocked
from wenmai.application.caller import Caller
from wenmai.application.operations import Application
from wenmai.application.paging import Guard
from wenmai.client.client import Client
from wenmai.ingestion.contracts import Step
from wenmai.opening import open as open_wenmai

STORY = "第一回 渡口\n\n阿满在渡口卖茶。阿满的哥哥叫周老三。\n\n第二回 过河\n\n周老三撑船送阿满过河。"


@pytest.fixture(scope="module")
def live(prepared: Path) -> Iterator[LiveServer]:
    with serving(copied(prepared, prepared.parent / "library-operations")) as server:
        yield server


@pytest.fixture(params=["stores", "server"])
async def app(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Application | Client]:
    if request.param == "server":
        async with open_wenmai(url=request.getfixturevalue("live").url) as opened:
            yield opened
            for one in (await opened.libraries.list()).items:
                if one.name != "sample":
                    await opened.libraries.delete(one.name)
        return
    async with open_wenmai(data_dir=tmp_path / "data", trace_dir=tmp_path / "traces") as opened:
        yield opened


async def test_a_text_comes_changes_its_title_and_goes(app: Application | Client, tmp_path: Path) -> None:
    """A path or bytes, with names, headings and progress; what comes back is typed."""
    path, aliases, steps = tmp_path / "ferry.txt", tmp_path / "aliases.json", list[Step]()
    path.write_text(STORY, encoding="utf-8")
    aliases.write_text('{"阿满": ["小满"]}', encoding="utf-8")
    preview = await app.libraries.preview(path, show=1)
    assert [one.title for one in preview.chapters] == ["第一回 渡口", "第二回 过河"]
    assert preview.lines == ["周老三撑船送阿满过河。"]
    assert "ferry" not in {one.name for one in (await app.libraries.list()).items}
    report = await app.libraries.ingest(path, "ferry", title="渡口", aliases=aliases, progress=steps.append)
    assert (report.library, report.chapters, report.written) == (
        "ferry",
        2,
        report.passages,
    ) and "阿满" in report.people
    assert steps and {one.total for one in steps if one.unit == "passages"} <= {report.passages}
    again = await app.libraries.ingest("ferry.txt", "ferry", content=STORY.encode(), title="渡口", aliases=aliases)
    assert again.written == 0 and again.unchanged == report.passages
    await app.libraries.ingest("tale.txt", "ferry", content=STORY.encode(), chapters="none", language="zh")
    seen = await app.libraries.get("ferry", guard=Guard(as_of_chapter=1))
    assert seen.as_of and (seen.as_of.chapter, seen.chapters) == (1, 1) and seen.state == "ready"
    renamed = await app.libraries.rename("ferry", " 过河记 ")
    assert renamed.title == "过河记" == (await app.libraries.get("ferry")).title
    receipt = await app.libraries.delete_source("ferry", "tale")
    assert receipt.chapters == 1 and (await app.libraries.get("ferry")).sources == ["ferry"]
    assert (await app.libraries.delete("ferry", everything=True)).is_cleared
    with pytest.raises(LibraryNotFound):
        await app.libraries.get("ferry")


async def test_a_full_disk_takes_no_merge_but_lets_a_library_go(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing is decided that could not be written, and a deletion makes room; what cannot be counted is null."""
    folders: dict[str, Any] = {"data_dir": tmp_path / "data", "trace_dir": tmp_path / "traces"}
    async with open_wenmai(**folders) as app:
        await app.libraries.ingest("ferry.txt", "ferry", content=STORY.encode())
        with monkeypatch.context() as full:
            full.setattr("wenmai.stores.files.folder.shutil.disk_usage", lambda place: SimpleNamespace(free=0))
            with pytest.raises(StoreFull, match="磁盘空间不足"):
                await app.entities.merge("ferry", "阿满", "周老三")
        assert (await app.libraries.get("ferry")).state == "ready"
        assert (await app.entities.get("ferry", "周老三")).merged == []
    monkeypatch.setattr("wenmai.stores.files.folder.OPENING_BYTES", 2**60)
    async with open_wenmai(**folders) as app:
        receipt = await app.libraries.delete("ferry")
        assert receipt.passages is None and receipt.chapters == 2


@pytest.mark.parametrize("name", ["", "..", ".hidden.txt", "a\0b.txt", "\ud800.txt", "长" * 100 + ".txt"])
async def test_a_file_that_no_disk_can_hold_is_refused(name: str, tmp_path: Path) -> None:
    async with open_wenmai(data_dir=tmp_path / "data", trace_dir=tmp_path / "traces") as app:
        with pytest.raises(InputError, match="文件名无效"):
            await app.libraries.ingest(name, "ferry", content=STORY.encode())
        assert not (await app.libraries.list()).items and not list((tmp_path / "data" / ".uploads").iterdir())


async def test_checkpoints_that_cannot_be_read_fail_a_deletion_before_it_begins(tmp_path: Path) -> None:
    async with open_wenmai(data_dir=tmp_path / "data", trace_dir=tmp_path / "traces") as app:
        await app.libraries.ingest("ferry.txt", "ferry", content=STORY.encode())
        (tmp_path / "data" / "checkpoints.sqlite").mkdir()
        with pytest.raises(StoreError, match=r"checkpoints\.sqlite"):
            await app.libraries.delete("ferry")
        assert (await app.libraries.get("ferry")).state == "ready"


async def test_a_new_title_holds_in_citations_and_at_the_next_ingest(app: Application | Client) -> None:
    await app.libraries.ingest("ferry.txt", "ferry", content=STORY.encode(), title="渡口")
    await app.libraries.rename("ferry", "过河记")
    answer = await app.conversations.ask("阿满的哥哥叫什么？", library="ferry")
    assert answer.citations and answer.citations[0]["label"].startswith("《过河记》")
    more = STORY + "\n\n第三回 回家\n\n阿满回家了。"
    await app.libraries.ingest("ferry.txt", "ferry", content=more.encode(), title="过河记")
    assert (await app.libraries.get("ferry")).title == "过河记"


async def test_authors_are_changed_and_stay_at_the_next_ingest(app: Application | Client) -> None:
    """DOC-33"""
    text = f"渡口\n林溪 著\n\n{STORY}"
    await app.libraries.ingest("ferry.txt", "ferry", content=text.encode())
    found = await app.libraries.get("ferry")
    assert (found.title, found.authors) == ("渡口", ["林溪"])
    changed = await app.libraries.rename("ferry", authors=["周舟", " 林溪 "], source="ferry")
    assert (changed.title, changed.authors) == ("渡口", ["周舟", "林溪"])
    await app.libraries.ingest("ferry.txt", "ferry", content=f"{text}\n\n第三回 回家\n\n阿满回家了。".encode())
    assert (await app.libraries.get("ferry")).authors == ["周舟", "林溪"]
    assert (await app.libraries.rename("ferry", "过河记", authors=[])).authors == []
    for bad in ({}, {"title": "x", "source": "nothing"}):
        with pytest.raises(InputError):
            await app.libraries.rename("ferry", **bad)


async def test_what_is_refused_is_refused_in_both_places(app: Application | Client, tmp_path: Path) -> None:
    for bad in ("", "x" * 201):
        with pytest.raises(InputError):
            await app.libraries.rename("sample", bad)
    with pytest.raises((IngestError, InputError)):
        await app.libraries.preview(tmp_path / "nothing.exe") if isinstance(app, Application) else (
            await app.libraries.ingest("nothing.exe", "ferry", content=b"\0")
        )
    with pytest.raises(InputError):
        await app.libraries.ingest("a.txt", "ferry", content=STORY.encode(), chapters="(")
    with pytest.raises(InputError):
        await app.libraries.ingest("a.txt", "ferry", content=STORY.encode(), chapters="toc", headings=["第一回 渡口"])
    for work in (app.libraries.require("missing"), app.libraries.delete("missing")):
        with pytest.raises(LibraryNotFound):
            await work


async def test_only_an_administrator_changes_libraries(tmp_path: Path) -> None:
    async with open_wenmai(data_dir=tmp_path / "data", trace_dir=tmp_path / "traces") as app:
        assert isinstance(app, Application)
        await app.libraries.create("tea", "茶")
        reader = app.for_caller(Caller(user_id="alice", libraries=frozenset({"tea"}))).libraries
        assert [one.name for one in (await reader.list()).items] == ["tea"]
        for change in (
            reader.delete("tea"),
            reader.rename("tea", "水"),
            reader.ingest("a.txt", "tea", content=b"x"),
            reader.back_up(tmp_path / "all.zip"),
        ):
            with pytest.raises(InputError):
                await change
        other = app.for_caller(Caller(user_id="bob", libraries=frozenset(), is_admin=True)).libraries
        with pytest.raises(LibraryNotFound):
            await other.rename("tea", "水")


async def test_a_backup_is_put_back(tmp_path: Path) -> None:
    """Of stores that are closed; the same process refuses to copy those that it has open."""
    data, kept = tmp_path / "data", tmp_path / "all.zip"
    async with open_wenmai(data_dir=data, trace_dir=tmp_path / "traces") as app:
        assert isinstance(app, Application)
        await app.libraries.ingest("ferry.txt", "ferry", content=STORY.encode())
        with pytest.raises(StoreLocked):
            await app.libraries.back_up(kept)
    async with open_wenmai(data_dir=data, trace_dir=tmp_path / "traces") as app:
        assert isinstance(app, Application)
        path, manifest = await app.libraries.back_up(kept)
        assert path == kept and manifest.libraries == ["ferry"] and ZipFile(kept).testzip() is None
    async with open_wenmai(data_dir=tmp_path / "other", trace_dir=tmp_path / "traces") as app:
        assert isinstance(app, Application)
        assert (await app.libraries.restore(kept)).libraries == ["ferry"]
        assert [one.name for one in (await app.libraries.list()).items] == ["ferry"]


async def test_an_ingest_through_a_server_that_is_stopped_there_fails_here(live: LiveServer) -> None:
    text = "".join(f"第{at}回 渡口\n\n阿满在渡口卖茶，这是第{at}天。\n\n" for at in range(1, 400))
    async with open_wenmai(url=live.url) as app:
        assert isinstance(app, Client)
        begun = asyncio.Event()
        reading = asyncio.create_task(
            app.libraries.ingest("long.txt", "long", content=text.encode(), progress=lambda step: begun.set())
        )
        await begun.wait()
        (job,) = [one for one in (await app.server.ask("GET", "/jobs"))["items"] if one["state"] == "running"]
        await app.server.ask("DELETE", f"/jobs/{job['id']}")
        with pytest.raises(StoreError, match="cancelled"):
            await reading
        await app.libraries.delete("long")


async def test_a_file_that_is_refused_leaves_no_library(app: Application | Client) -> None:
    with pytest.raises((InputError, IngestError)):
        await app.libraries.ingest("tale.exe", "refused", content=b"MZ\0\0")
    assert "refused" not in {one.name for one in (await app.libraries.list()).items}


async def test_memories_without_a_date_get_the_one_that_is_given(app: Application | Client) -> None:
    await app.memories.load([{"content": "我喜欢喝龙井茶"}], undated=datetime(2020, 5, 1, tzinfo=UTC))
    (kept,) = (await app.memories.list()).items
    assert kept.created_at.year == 2020
    await app.memories.forget(kept.key)


async def test_a_recap_tells_the_story_as_far_as_it_was_read(app: Application | Client, tmp_path: Path) -> None:
    """STO-62: people, then each chapter in sentences that stand where they say; under a guard nothing behind it."""
    path = tmp_path / "ferry.txt"
    path.write_text(STORY, encoding="utf-8")
    await app.libraries.ingest(path, "ferry", title="渡口")
    whole = await app.summaries.recap("ferry")
    assert [one.heading for one in whole.sections] == ["第一回 渡口", "第二回 过河"] and whole.as_of is None
    assert "周老三" in {one.name for one in whole.people} and {one.by for one in whole.sections} == {"text"}
    for row in (row for one in whole.sections for row in one.sentences):
        start, end = row.start or 0, row.end or 0
        found = await app.passages.quote("ferry", row.source or "", start, end, part=1, chapter=row.chapter)
        assert found.quote.replace("\n", "") == row.text
    read = await app.summaries.recap("ferry", guard=Guard(as_of_chapter=1))
    assert [one.heading for one in read.sections] == ["第一回 渡口"] and read.as_of and read.as_of.chapter == 1
    assert "过河" not in read.model_dump_json()
    with pytest.raises(LibraryNotFound):
        await app.summaries.recap("nowhere")
