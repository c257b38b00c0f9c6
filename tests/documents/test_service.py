"""Upload, list and remove through the application functions: limits, replacement, tries, nothing by halves."""

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from tests.documents.files import pdf
from tests.fake_documents import FakeDocumentStore
from tests.fakes import FakeEmbedder
from tools.documents.records import PRELOADED, DocumentOwner, DocumentScope
from tools.errors import IngestError, InputError, ModelError, StoreError
from wenmai.documents.originals import ORIGINALS, Originals
from wenmai.documents.parsing.child import read_limited
from wenmai.documents.parsing.parser import Parser
from wenmai.documents.service import BATCH, RETRIES, DocumentService, TooLarge, TooMany, bare_name
from wenmai.minds.model.patience import Patience
from wenmai.stores.edge.collections import edge_documents
from wenmai.stores.vectors.documents import VectorDocumentStore

MINE = DocumentOwner("甲", "t1")
ME = DocumentScope("甲", "t1")
TRIES_AT_ONCE = Patience(attempts=3, first_s=0.001, longest_s=0.002)
STORY = "沈青在白石渡等了三年。"


class FlakyEmbedder(FakeEmbedder):
    """Fails so many times, then works; `sizes` keeps how many texts each call had."""

    def __init__(self, failures: int = 0, transient: bool = True) -> None:
        super().__init__()
        self.failures = failures
        self.transient = transient
        self.sizes: list[int] = []

    async def embed_passages(self, texts: Sequence[str]) -> list[list[float]]:
        self.sizes.append(len(texts))
        await asyncio.sleep(0)
        if self.failures:
            self.failures -= 1
            raise ModelError("503", transient=self.transient)
        return await super().embed_passages(texts)


class HeldEmbedder(FakeEmbedder):
    """Says when it is asked, and answers when it is let go."""

    def __init__(self) -> None:
        super().__init__()
        self.asked, self.free = asyncio.Event(), asyncio.Event()

    async def embed_passages(self, texts: Sequence[str]) -> list[list[float]]:
        self.asked.set()
        await self.free.wait()
        return await super().embed_passages(texts)


class InProcess(Parser):
    """Reads in this process, as text: what is tested here is not the parser."""

    __slots__ = ()

    def _answer(self, filename: str, data: bytes, order: list[Any]) -> bytes:
        return json.dumps(read_limited(filename, data, self.size, self.overlap, "zh")).encode()


@pytest.fixture(autouse=True)
def hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    """Do not wait between tries."""
    monkeypatch.setattr("wenmai.documents.service.RETRIES", TRIES_AT_ONCE)


def service_on(folder: Path, embedder: FakeEmbedder | None = None, max_files: int = 5) -> DocumentService:
    numbers, store = count(1), edge_documents(folder, "fake")
    return DocumentService(
        store=store,
        embedder=embedder or FakeEmbedder(),
        parser=InProcess(200, 40),
        originals=Originals(folder / ORIGINALS),
        clock=lambda: datetime(2026, 5, 1, tzinfo=UTC),
        new_id=lambda: f"00000000-0000-4000-8000-{next(numbers):012d}",
        max_bytes=2**20,
        max_files=max_files,
        clean=store.collection.clean,
    )


@pytest.fixture
async def service(tmp_path: Path) -> AsyncIterator[DocumentService]:
    made = service_on(tmp_path)
    yield made
    await closed(made)


async def closed(service: DocumentService) -> None:
    await service.close()
    assert isinstance(service.store, VectorDocumentStore)
    await service.store.close()


async def names(service: DocumentService, scope: DocumentScope = ME) -> list[str]:
    return [entry.filename for entry in await service.documents(scope)]


async def contents(service: DocumentService, term: str) -> list[str]:
    return [row.chunk.content for row in (await service.store.matching(ME, [term], 5)).rows]


async def test_upload_and_replacement(service: DocumentService) -> None:
    """S004-D17 DOC-02: an upload says what it stored; the same name again takes the old one's place and says so."""
    first = await service.upload("故事.txt", STORY.encode(), MINE)
    assert (first.message, first.replaced) == ("已上传 故事.txt（1 段）", None)
    second = await service.upload("故事.txt", "沈河开了茶铺。".encode(), MINE)
    assert second.replaced == first.document
    assert second.message == "已上传 故事.txt（1 段），替换了 2026-05-01 00:00 UTC 上传的同名文件"
    assert await contents(service, "沈河") == ["沈河开了茶铺。\n"]
    assert await contents(service, "白石渡") == []
    elsewhere = await service.upload("故事.txt", STORY.encode(), DocumentOwner("甲", "t2"))
    everybody = await service.upload("故事.txt", STORY.encode(), PRELOADED)
    assert elsewhere.replaced is everybody.replaced is None
    assert await names(service) == ["故事.txt", "故事.txt"]


TOP, DRAWER = DocumentOwner("甲", folder=""), DocumentOwner("甲", folder="手册")


async def test_a_collection_has_folders(service: DocumentService) -> None:
    """DOC-41: every session of a user sees the collection; a name is one document in each folder of it."""
    await service.upload("a.txt", STORY.encode(), TOP)
    inner = await service.upload("a.txt", "沈河开了茶铺。".encode(), DRAWER)
    assert inner.replaced is None
    assert await names(service) == await names(service, DocumentScope("甲", "t2")) == ["a.txt", "a.txt"]
    assert await names(service, DocumentScope("乙", "t1")) == []
    with pytest.raises(InputError, match="有几个文件夹都有"):
        await service.remove(TOP, ["a.txt"], everywhere=True)
    assert [one.folder for one in (await service.remove(DRAWER, ["a.txt"])).documents] == ["手册"]
    assert [one.folder for one in await service.own(TOP, everywhere=True)] == [""]


async def test_a_document_is_named_with_its_folder(service: DocumentService) -> None:
    """DOC-41: as lists and citations call it, also where another folder has the name."""
    await service.upload("a.txt", STORY.encode(), TOP)
    inner = await service.upload("a.txt", "沈河开了茶铺。".encode(), DRAWER)
    [moved] = await service.move(TOP, ["手册/a.txt"], DocumentOwner("甲", folder="旧"), everywhere=True)
    assert (moved.id, moved.path) == (inner.document.id, "旧/a.txt")
    removed = await service.remove(TOP, ["旧/a.txt"], everywhere=True)
    assert [one.id for one in removed.documents] == [inner.document.id]
    with pytest.raises(InputError, match=r"旧/a\.txt"):
        await service.remove(TOP, ["旧/a.txt"], everywhere=True)


async def test_documents_are_moved(service: DocumentService) -> None:
    """DOC-41: from a session into a folder and on; where the name is taken nothing moves."""
    await service.upload("a.txt", STORY.encode(), MINE)
    [moved] = await service.move(MINE, ["a.txt"], DRAWER)
    assert (moved.folder, await service.own(MINE), await names(service, DocumentScope("甲", "t9"))) == (
        "手册",
        [],
        ["a.txt"],
    )
    await service.upload("a.txt", STORY.encode(), TOP)
    with pytest.raises(InputError, match="已有同名文档"):
        await service.move(DRAWER, [], TOP)
    assert await service.own(DRAWER) == [moved]
    assert await service.move(DRAWER, ["a.txt"], DRAWER) == [moved]


async def test_many_documents_are_moved_at_once(service: DocumentService) -> None:
    """DOC-41: by one change of the store, so that none is left behind where it fails."""
    store = FakeDocumentStore()
    many = replace(service, store=store)
    for number in range(3):
        await many.upload(f"{number}.txt", STORY.encode(), TOP)
    await many.move(TOP, [], DRAWER)
    assert [name for name, _ in store.history].count("move") == 1 and len(await many.own(DRAWER)) == 3


async def test_a_newer_version_under_another_name(service: DocumentService) -> None:
    """DOC-41: it takes the place of the document that it names, but not the name of a third."""
    old = await service.upload("规定 2021.txt", STORY.encode(), DRAWER)
    other = await service.upload("别的.txt", STORY.encode(), DRAWER)
    with pytest.raises(InputError, match=r"已有同名文档：别的\.txt"):
        await service.upload("别的.txt", STORY.encode(), DRAWER, replaces=old.document)
    new = await service.upload("规定 2023.txt", "沈河开了茶铺。".encode(), DRAWER, replaces=old.document)
    assert new.replaced == old.document
    assert "替换了 2026-05-01 00:00 UTC 上传的 规定 2021.txt" in new.message
    assert {one.id for one in await service.own(DRAWER)} == {new.document.id, other.document.id}


async def test_the_file_of_a_pdf_is_kept_as_long_as_its_document(service: DocumentService, tmp_path: Path) -> None:
    """DOC-42 DOC-04: what replaces or removes a document takes its file along, what fails leaves none."""
    kept = tmp_path / ORIGINALS
    first = await service.upload("a.pdf", pdf(["one"]), DRAWER)
    await service.upload("b.txt", STORY.encode(), DRAWER)
    assert [one.name for one in kept.iterdir()] == [f"{first.document.id}.pdf"]
    second = await service.upload("a.pdf", pdf(["two"]), DRAWER)
    assert [one.name for one in kept.iterdir()] == [f"{second.document.id}.pdf"]
    assert await service.kept_bytes([second.document]) == len(pdf(["two"]))
    await service.remove_all(DRAWER)
    await service.upload("a.pdf", pdf(["one"]), MINE)
    await service.remove_sessions(["t1"], None)
    await service.upload("a.pdf", pdf(["one"]), DRAWER)
    await service.remove_user("甲")
    assert list(kept.iterdir()) == []


async def test_what_is_not_removed_keeps_its_file(service: DocumentService, tmp_path: Path) -> None:
    """DOC-42 DOC-04: where the store fails the document is still there, and so is its PDF."""

    async def failing(*given: Any) -> Any:
        raise StoreError("down")

    there = (await service.upload("a.pdf", pdf(["one"]), DRAWER)).document
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(service.store, "remove", failing)
        with pytest.raises(StoreError):
            await service.remove(DRAWER, ["a.pdf"])
    assert [one.name for one in (tmp_path / ORIGINALS).iterdir()] == [f"{there.id}.pdf"]


async def test_files_that_cannot_be_kept(service: DocumentService, tmp_path: Path) -> None:
    """DOC-42: a disk that takes none is an error of the store, and nothing is stored."""
    (tmp_path / ORIGINALS).write_text("no folder")
    with pytest.raises(StoreError, match=r"\.documents"):
        await service.upload("a.pdf", pdf(["one"]), DRAWER)
    assert await service.own(DRAWER) == []


async def test_a_file_that_is_too_large(service: DocumentService) -> None:
    """DOC-03: over MAX_FILE_SIZE_MB: refused with the limit, nothing stored."""
    with pytest.raises(TooLarge, match=r"1 MB（MAX_FILE_SIZE_MB）"):
        await service.upload("a.txt", b"a" * (2**20 + 1), MINE)
    assert await names(service) == []


async def test_a_sixth_file(service: DocumentService) -> None:
    """DOC-03: over MAX_FILES_PER_SESSION: refused with the limit; a known name, another session, preloading are not."""
    for n in range(5):
        await service.upload(f"{n}.txt", STORY.encode(), MINE)
    with pytest.raises(TooMany, match=r"t1 已有 5 个文件，上限是 5 个（MAX_FILES_PER_SESSION）"):
        await service.upload("5.txt", STORY.encode(), MINE)
    assert len(await names(service)) == 5
    assert (await service.upload("4.txt", STORY.encode(), MINE)).replaced is not None
    for owner in (DocumentOwner("甲", "t2"), DocumentOwner("乙", "t1"), *[PRELOADED] * 6):
        await service.upload(f"{owner.user_id}.txt", STORY.encode(), owner)
    await service.remove(MINE, ["0.txt"])
    await service.upload("5.txt", STORY.encode(), MINE)


async def test_two_uploads_do_not_both_take_the_last_place(tmp_path: Path) -> None:
    """DOC-03 DOC-07: the limit holds for uploads that run at once."""
    service = service_on(tmp_path, FlakyEmbedder(), max_files=2)
    done = await asyncio.gather(
        *(service.upload(f"{n}.txt", STORY.encode(), MINE) for n in range(6)), return_exceptions=True
    )
    assert sum(isinstance(one, TooMany) for one in done) == 4
    assert len(await names(service)) == 2
    await closed(service)


async def test_batches_and_tries(tmp_path: Path) -> None:
    """DOC-03: embeddings are made in batches of 32, each tried three times; progress is told."""
    assert (BATCH, RETRIES.attempts) == (32, 3)
    embedder = FlakyEmbedder(failures=2)
    service, told = service_on(tmp_path, embedder), list[tuple[int, int]]()
    text = "\n".join(f"第{n}段" + "字" * 150 for n in range(250))
    stored = await service.upload("a.txt", text.encode(), MINE, lambda done, total: told.append((done, total)))
    assert stored.document.chunks == 250
    assert embedder.sizes == [32] * 9 + [26]
    assert told == [*((n, 250) for n in range(0, 250, 32)), (250, 250)]
    await closed(service)


@pytest.mark.parametrize("failures, transient, calls", [(3, True, 3), (1, False, 1)])
async def test_a_failed_embedding_stores_nothing(tmp_path: Path, failures: int, transient: bool, calls: int) -> None:
    """DOC-03: after three tries, or one that cannot succeed, the old document is as it was."""
    embedder = FlakyEmbedder()
    service = service_on(tmp_path, embedder)
    await service.upload("a.txt", STORY.encode(), MINE)
    embedder.failures, embedder.transient, embedder.sizes = failures, transient, []
    with pytest.raises(ModelError):
        await service.upload("a.txt", "新的内容".encode(), MINE)
    assert len(embedder.sizes) == calls
    assert await names(service) == ["a.txt"]
    assert await contents(service, "白石渡") == [STORY + "\n"]
    await closed(service)


async def test_an_upload_that_is_given_up(tmp_path: Path) -> None:
    """DOC-03: cancelled while it is embedded, it has stored nothing, and the next one works."""
    embedder = HeldEmbedder()
    service = service_on(tmp_path, embedder)
    task = asyncio.ensure_future(service.upload("a.txt", STORY.encode(), MINE))
    await embedder.asked.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert await names(service) == []
    embedder.free.set()
    await service.upload("a.txt", STORY.encode(), MINE)
    assert await names(service) == ["a.txt"]
    await closed(service)


async def test_a_replacement_that_is_given_up_while_it_is_stored(service: DocumentService, tmp_path: Path) -> None:
    """DOC-42: it goes to its end, and the file that is kept is that of the document that is there."""
    await service.upload("a.pdf", pdf(["one"]), DRAWER)
    put, asked, free = service.store.put, asyncio.Event(), asyncio.Event()

    async def held(*given: Any) -> Any:
        done = await put(*given)
        asked.set()
        await free.wait()
        return done

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(service.store, "put", held)
        task = asyncio.ensure_future(service.upload("a.pdf", pdf(["two"]), DRAWER))
        await asked.wait()
        task.cancel()
        await asyncio.sleep(0)
        free.set()
        with pytest.raises(asyncio.CancelledError):
            await task
    [there] = await service.own(DRAWER)
    assert [one.name for one in (tmp_path / ORIGINALS).iterdir()] == [f"{there.id}.pdf"]


async def test_removal_by_name_and_id(service: DocumentService) -> None:
    """DOC-04: by file name or id; where one is unknown, none is removed; other sessions keep theirs."""
    for name in ("a.txt", "b.txt", "c.txt"):
        await service.upload(name, STORY.encode(), MINE)
    other = await service.upload("a.txt", STORY.encode(), DocumentOwner("甲", "t2"))
    with pytest.raises(InputError, match=r"t1 中没有：x\.txt"):
        await service.remove(MINE, ["a.txt", "x.txt"])
    with pytest.raises(InputError, match="没有"):
        await service.remove(MINE, [other.document.id])
    assert len(await names(service)) == 3
    ids = {entry.filename: entry.id for entry in await service.documents(ME)}
    removed = await service.remove(MINE, ["a.txt", ids["a.txt"], ids["b.txt"]])
    assert ([entry.filename for entry in removed.documents], removed.chunks) == (["a.txt", "b.txt"], 2)
    assert (await service.remove_all(MINE)).chunks == 1
    assert await names(service, DocumentScope("甲", "t2")) == ["a.txt"]


@pytest.mark.parametrize(
    "sent, kept",
    [
        ("../../etc/passwd", "passwd"),
        ("C:\\Windows\\system32\\win.ini", "win.ini"),
        ("/etc/报告.txt", "报告.txt"),
        ("a\0b\n.txt", "ab.txt"),
        ("报告\u202egpj.exe", "报告gpj.exe"),
        ("e\u0301.txt", "é.txt"),
        ("  空 格 .txt ", "空 格 .txt"),
    ],
)
def test_names(sent: str, kept: str) -> None:
    """DOC-03: a name is a bare name, without folders and invisible characters."""
    assert bare_name(sent) == kept


@pytest.mark.parametrize("sent", ["", "..", "/", "a/..", "\u200b", " . ", "x" * 256])
def test_names_that_name_nothing(sent: str) -> None:
    """DOC-03: a file without a name, or with one that no disk would take, is refused."""
    with pytest.raises(InputError, match="文件名"):
        bare_name(sent)


async def test_an_unreadable_file(service: DocumentService) -> None:
    """DOC-03: what cannot be read is refused by name, and nothing is stored."""
    real = replace(service, parser=Parser(200, 40))
    with pytest.raises(IngestError, match=r"a\.pdf：不是可读的 PDF"):
        await real.upload("a.pdf", b"%PDF-1.7 nothing else", MINE)
    assert await names(service) == []


async def test_removed_text_leaves_the_disk(tmp_path: Path) -> None:
    """DOC-04: whoever removes, a removed document's words are in no file of the store any more."""
    service, secret = service_on(tmp_path), "青铜门后第九级台阶"
    await service.upload("a.txt", secret.encode(), MINE)
    await service.upload("b.txt", "别的内容".encode(), MINE)
    await service.remove(MINE, ["a.txt"])
    assert not any(path.is_file() and secret.encode() in path.read_bytes() for path in tmp_path.rglob("*"))
    assert [entry.filename for entry in await service.documents(ME)] == ["b.txt"]
    await closed(service)


async def test_sessions_that_are_no_more(tmp_path: Path) -> None:
    """DOC-04: of many threads at once the files are rewritten once, where anything was in them; a user's own alone."""
    rewrites: list[int] = []

    async def rewrite() -> None:
        rewrites.append(1)

    service = replace(service_on(tmp_path), clean=rewrite)
    threads = ["t1", "t2", "t3"]
    owners = [DocumentOwner(user, thread) for thread in threads for user in ("甲", "乙")]
    for owner in owners:
        await service.upload("雾.txt", STORY.encode(), owner)
    await service.remove_sessions(threads, "甲")
    assert len(rewrites) == 1
    left = [await service.documents(DocumentScope(owner.user_id, owner.session_id)) for owner in owners]
    assert [len(found) for found in left] == [0, 1] * 3
    await service.remove_sessions(threads, None)
    await service.remove_sessions(threads, None)
    assert len(rewrites) == 2
    assert [await service.documents(DocumentScope(owner.user_id, owner.session_id)) for owner in owners] == [[]] * 6
    await service.close()
