"""The DocumentStore port: what the fake and every engine must keep (PLA-28)."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from tests.contracts.postgres import POSTGRES, postgres
from tests.contracts.qdrant import LOCAL_MODE, QDRANT, QDRANT_LOCAL, qdrant
from tests.engines import engines
from tests.fake_documents import NOON, FakeDocumentStore, document_of
from tests.fakes import FakeEmbedder
from tools.documents.records import PRELOADED, Chunk, DocumentEntry, DocumentOwner, DocumentScope, Location, RankedChunk
from tools.documents.scores import searched_text
from tools.errors import InputError
from wenmai.stores.edge.collections import edge_documents
from wenmai.stores.postgres.stores import postgres_documents
from wenmai.stores.qdrant.stores import qdrant_documents
from wenmai.stores.vectors.documents import VectorDocumentStore

pytestmark = LOCAL_MODE

embedder = FakeEmbedder()
MINE = DocumentOwner("甲", "t1")
ME = DocumentScope("甲", "t1")
NOBODY = DocumentScope()
STRANGERS = (
    NOBODY,
    DocumentScope("甲"),
    DocumentScope(session_id="t1"),
    DocumentScope("甲", "t2"),
    DocumentScope("乙", "t1"),
    DocumentScope("", ""),
    DocumentScope("*", "*"),
    DocumentScope("甲' OR 1=1 --", "t1"),
    DocumentScope("甲 ", "t1"),
    DocumentScope("甲\0", "t1"),
)
Store = FakeDocumentStore | VectorDocumentStore


@pytest.fixture(params=engines(__name__, "fake", "edge", QDRANT_LOCAL, servers=(QDRANT, POSTGRES)))
async def store(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Store]:
    if request.param in (QDRANT_LOCAL, QDRANT):
        async with qdrant(request.param) as server:
            yield qdrant_documents(server, "fake", lambda: NOON, "wenmai_test_documents")
        return
    if request.param == POSTGRES:
        async with postgres() as server:
            yield postgres_documents(server, "fake")
        return
    made: Store = FakeDocumentStore() if request.param == "fake" else edge_documents(tmp_path, "fake")
    yield made
    await made.close()


def doc(n: int, *texts: str, owner: DocumentOwner = MINE, filename: str = "", hours: int = 0) -> list[Chunk]:
    """Return document n."""
    id = f"00000000-0000-4000-8000-{n:012d}"
    name = filename or f"{n}.txt"
    return document_of(*texts, id=id, filename=name, owner=owner, at=NOON + timedelta(hours=hours))


async def put(store: Store, chunks: Sequence[Chunk]) -> DocumentEntry | None:
    return await store.put(chunks, await embedder.embed_passages([searched_text(chunk) for chunk in chunks]))


async def every_way(store: Store, scope: DocumentScope, limit: int = 50) -> list[list[str]]:
    """Return what each way of reading finds of 数据库, as filename#chunk_index, sorted."""
    vector = await embedder.embed_query("数据库")
    found = [
        [row.chunk for row in await store.dense(scope, vector, limit)],
        [row.chunk for row in await store.sparse(scope, "数据库", limit)],
        [row.chunk for row in (await store.matching(scope, ["数据库"], limit)).rows],
    ]
    return [sorted(named(row) for row in rows) for rows in found]


def named(chunk: Chunk) -> str:
    return f"{chunk.filename}#{chunk.chunk_index}"


def names(rows: Sequence[RankedChunk]) -> list[str]:
    return [named(row.chunk) for row in rows]


async def test_round_trip_keeps_every_field(store: Store) -> None:
    """DOC-02: a chunk comes back as it went in, with its place; the date is UTC with its offset."""
    places = [
        Location(page=3),
        Location(slide=2, heading=("章", "节")),
        Location(sheet="价格", rows=(4, 9)),
        Location(lines=(1, 1)),
    ]
    texts = ['他说："O\'Brien\\n; DROP" 😀𠀀\n', "第二段", "姓名: 张三 | 年龄: 30\n", "尾"]
    chunks = document_of(*texts, owner=MINE, filename="报告 v1.pdf", locations=places)
    await put(store, chunks)
    rows = await store.fetch(ME, [chunk.chunk_id for chunk in reversed(chunks)])
    assert [row.chunk for row in rows] == chunks[::-1]
    [entry] = await store.documents(ME)
    assert entry == chunks[0].document
    assert (entry.chunks, entry.is_preloaded, entry.uploaded_at.isoformat()) == (4, False, "2026-05-01T12:00:00+00:00")


async def test_windows_come_back_with_what_is_ranked_by_them(store: Store) -> None:
    """A chunk keeps the vectors of its parts; one that was embedded as a whole has none."""
    whole, several = document_of("一段", "长长的一段")
    several = replace(several, windows="4:ADwAPAA8ADw=")
    await put(store, [whole, several])
    found = [row.chunk.windows for row in await store.fetch(ME, [whole.chunk_id, several.chunk_id], [1.0] * 32)]
    assert found == ["", "4:ADwAPAA8ADw="]


async def test_an_empty_store(store: Store) -> None:
    """DOC-02: nothing stored is nothing found, and no error."""
    assert await every_way(store, ME) == [[], [], []]
    assert await store.documents(ME) == []
    assert await store.fetch(ME, ["x"]) == []
    assert (await store.remove(MINE, "x")).chunks == (await store.remove_all(MINE)).chunks == 0


async def test_who_sees_what(store: Store) -> None:
    """S004-13 PLA-03: preloaded documents and those of the own user in the own session, in every way of reading."""
    own, other = doc(1, "数据库 我的"), doc(2, "数据库 他的", owner=DocumentOwner("乙", "t2"))
    shared = doc(3, "数据库 大家的", owner=PRELOADED)
    for chunks in (own, other, shared):
        await put(store, chunks)
    assert await every_way(store, ME) == [["1.txt#0", "3.txt#0"]] * 3
    assert await every_way(store, DocumentScope("乙", "t2")) == [["2.txt#0", "3.txt#0"]] * 3
    ids = [chunks[0].chunk_id for chunks in (own, other, shared)]
    assert names(await store.fetch(ME, ids)) == ["1.txt#0", "3.txt#0"]
    for stranger in STRANGERS:
        assert await every_way(store, stranger) == [["3.txt#0"]] * 3, stranger
        assert names(await store.fetch(stranger, ids)) == ["3.txt#0"]
        assert [entry.filename for entry in await store.documents(stranger)] == ["3.txt"]


async def test_who_sees_a_collection(store: Store) -> None:
    """DOC-41 S004-13: all sessions of its user, or one where folders are named; nobody else, in no way of reading."""
    top, drawer = DocumentOwner("甲", folder=""), DocumentOwner("甲", folder="t1")
    for chunks in (doc(1, "数据库", owner=top), doc(2, "数据库", owner=drawer), doc(3, "数据库")):
        await put(store, chunks)
    assert await every_way(store, ME) == [["1.txt#0", "2.txt#0", "3.txt#0"]] * 3
    assert await every_way(store, DocumentScope("甲")) == [["1.txt#0", "2.txt#0"]] * 3
    assert await every_way(store, DocumentScope("甲", "t9", ("t1",))) == [["2.txt#0"]] * 3
    assert await every_way(store, DocumentScope("甲", "t1", ())) == [["3.txt#0"]] * 3
    for stranger in (
        NOBODY,
        DocumentScope(session_id="t1"),
        DocumentScope("乙", "t1"),
        DocumentScope("乙", None, ("",)),
    ):
        assert await every_way(store, stranger) == [[]] * 3, stranger
        assert await store.chunks(stranger, doc(1, "")[0].document.id) == []
    assert [one.owner for one in await store.documents(DocumentScope("甲", None, ("",)))] == [top]
    assert len(await store.of_user("甲")) == 3
    assert [one.filename for one in (await store.remove_session("t1")).documents] == ["3.txt"]
    assert (await store.remove_user("甲")).chunks == 2


async def test_documents_get_another_owner(store: Store) -> None:
    """DOC-41: those of several owners move at once, with all of their chunks; who has one no longer gives none."""
    drawer, top = DocumentOwner("甲", folder="手册"), DocumentOwner("甲", folder="")
    chunks, other, foreign = doc(1, "数据库", "数据库 又"), doc(2, "数据库", owner=top), doc(3, "数据库", owner=top)
    for one in (chunks, other, foreign):
        await put(store, one)
    stale = replace(foreign[0].document, owner=MINE)
    await store.move([chunks[0].document, other[0].document, stale], drawer)
    found = [["1.txt#0", "1.txt#1", "2.txt#0"]] * 3
    assert await every_way(store, DocumentScope("甲", None, ("手册",))) == found
    moved, _ = sorted(await store.documents(DocumentScope("甲", None, ("手册",))), key=lambda one: one.filename)
    assert moved == replace(chunks[0].document, owner=drawer)
    assert [one.content for one in await store.chunks(DocumentScope("甲"), moved.id)] == ["数据库", "数据库 又"]
    await store.remove(drawer, moved.id)
    await store.move([moved], MINE)
    assert [one.filename for one in await store.documents(ME)] != [] and not await store.chunks(ME, moved.id)


async def test_a_newer_version_of_another_name(store: Store) -> None:
    """DOC-41: it takes the place of what it names, of its owner alone."""
    old, foreign = doc(1, "数据库"), doc(2, "数据库", owner=DocumentOwner("乙", "t1"))
    await put(store, old)
    await put(store, foreign)
    new = doc(3, "数据库 新")
    vectors = await embedder.embed_passages([searched_text(chunk) for chunk in new])
    replaced = await store.put(new, vectors, [old[0].document.id, foreign[0].document.id])
    assert replaced == old[0].document
    assert [one.filename for one in await store.documents(ME)] == ["3.txt"]
    assert [one.filename for one in await store.documents(DocumentScope("乙", "t1"))] == ["2.txt"]


@pytest.mark.parametrize("user, session", [("甲", None), (None, "t1"), ("", ""), (" ", "t1"), ("甲", "\t")])
def test_half_an_owner_is_refused(user: str | None, session: str | None) -> None:
    """S004-13: a document belongs to a user's session, or to everybody."""
    with pytest.raises(InputError, match="user_id"):
        DocumentOwner(user, session)


async def test_one_match_among_a_thousand_strangers(store: Store) -> None:
    """S004-13: what others have never takes a place before the limit, and has no say in how rare a word is."""
    await put(store, doc(1, "数据库 配置", "天气 很好"))
    before = await store.sparse(ME, "数据库 天气", 5)
    await put(store, doc(2, *["数据库"] * 1000, owner=DocumentOwner("乙", "t2")))
    assert await every_way(store, ME, limit=1) == [["1.txt#0"]] * 3
    assert [row.score for row in await store.sparse(ME, "数据库 天气", 5)] == [row.score for row in before]


async def test_order_of_ties(store: Store) -> None:
    """S004-D12: equal scores stand by filename, then by chunk_index, and are cut in that order."""
    for n in (2, 1):
        await put(store, doc(n, *["数据库"] * 3))
    vector = await embedder.embed_query("数据库")
    expected = ["1.txt#0", "1.txt#1", "1.txt#2", "2.txt#0"]
    assert names(await store.dense(ME, vector, 4)) == names(await store.sparse(ME, "数据库", 4)) == expected
    assert (await store.dense(ME, vector, 1))[0].score == pytest.approx(1.0, abs=1e-5)
    [row] = await store.fetch(ME, [doc(1, "")[0].chunk_id], vector)
    assert row.score == pytest.approx(1.0, abs=1e-5)
    assert await store.dense(ME, vector, 0) == await store.sparse(ME, "，。", 5) == []


async def test_listing(store: Store) -> None:
    """S004-08: preloaded first, then the newest, then by name; preloaded ones can be left out."""
    for n, owner, hours in ((1, MINE, 0), (2, MINE, 5), (3, PRELOADED, 1), (4, MINE, 0), (5, PRELOADED, 9)):
        await put(store, doc(n, "数据库", owner=owner, hours=hours))
    listed = [entry.filename for entry in await store.documents(ME)]
    assert listed == ["5.txt", "3.txt", "2.txt", "1.txt", "4.txt"]
    assert [one.filename for one in await store.documents(ME, include_preloaded=False)] == ["2.txt", "1.txt", "4.txt"]
    assert await store.documents(NOBODY, include_preloaded=False) == []


@pytest.mark.parametrize(
    "terms, mode, total, found",
    [
        (["气道"], "all", 2, ["a.txt#1", "a.txt#0"]),
        (["气道", "AB-12"], "all", 1, ["a.txt#2"]),
        (["气道", "肺"], "any", 3, ["a.txt#1", "a.txt#0", "a.txt#3"]),
        (["ab-12"], "all", 1, ["a.txt#2"]),
        (["１００％"], "all", 1, ["a.txt#4"]),
        (["100%_\\"], "all", 1, ["a.txt#4"]),
        (["%"], "all", 1, ["a.txt#4"]),
        (["_"], "all", 1, ["a.txt#4"]),
        (["a.c"], "all", 0, []),
        (["上、下气道梗阻"], "all", 1, ["a.txt#0"]),
        (["STRASSE"], "all", 1, ["a.txt#5"]),
        (["没有的词"], "all", 0, []),
        ([], "all", 0, []),
    ],
)
async def test_literal_terms(store: Store, terms: list[str], mode: str, total: int, found: list[str]) -> None:
    """S004-09 S004-D03 PLA-24: literal substrings after NFKC and case folding, ordered by terms, then occurrences."""
    texts = ["上、下气道梗阻", "气道，又是气道", "编号 ＡＢ-12", "肺 abc", "完成率 100%_\\ 整", "Hauptstraße"]
    if "AB-12" in terms:
        texts[2] += "，气道"
    await put(store, doc(1, *texts, filename="a.txt"))
    matches = await store.matching(ME, terms, 50)
    assert (matches.mode, matches.total, [named(row.chunk) for row in matches.rows]) == (mode, total, found)


async def test_matched_terms_and_limit(store: Store) -> None:
    """S004-09: a row tells its terms as they were asked; the total counts what the limit leaves out."""
    await put(store, doc(1, "甲乙", "甲", "乙乙"))
    await put(store, doc(2, "甲"))
    both = await store.matching(ME, ["乙", "甲", "乙"], 5)
    assert [(named(row.chunk), row.terms, row.occurrences) for row in both.rows] == [("1.txt#0", ("乙", "甲"), 2)]
    some = await store.matching(ME, ["甲", "丙"], 2)
    assert (some.mode, some.total, [named(row.chunk) for row in some.rows]) == ("any", 3, ["1.txt#0", "1.txt#1"])


async def test_the_same_name_replaces(store: Store) -> None:
    """S004-D17: a name is unique per session and among the preloaded; the new document takes the old one's place."""
    name = "报告.txt"
    assert await put(store, doc(1, "数据库 旧", "数据库 旧二", filename=name)) is None
    for n, owner in ((2, DocumentOwner("甲", "t2")), (3, DocumentOwner("乙", "t1")), (4, PRELOADED)):
        assert await put(store, doc(n, "数据库 别处", owner=owner, filename=name)) is None
    new = doc(5, "数据库 新", filename=name, hours=1)
    old = await put(store, new)
    assert old == doc(1, "", "", filename=name)[0].document
    assert await every_way(store, ME) == [["报告.txt#0"] * 2] * 3
    assert [row.chunk.content for row in (await store.matching(ME, ["新"], 5)).rows] == ["数据库 新"]
    assert (await store.matching(ME, ["旧"], 5)).total == 0
    assert (await store.matching(DocumentScope("甲", "t2"), ["别处"], 5)).total == 2
    assert [entry.id for entry in await store.documents(ME, include_preloaded=False)] == [new[0].document.id]


async def test_a_document_without_chunks_is_no_document(store: Store) -> None:
    """DOC-02: there is nothing to store."""
    with pytest.raises(ValueError, match="chunks"):
        await store.put([], [])


async def test_removal(store: Store) -> None:
    """DOC-04: a removed document is gone from every way of reading, and who does not own it removes nothing."""
    mine, shared = doc(1, "数据库", "数据库"), doc(2, "数据库", owner=PRELOADED)
    theirs = doc(3, "数据库", owner=DocumentOwner("乙", "t1"))
    for chunks in (mine, shared, theirs):
        await put(store, chunks)
    for owner in (DocumentOwner("乙", "t1"), DocumentOwner("甲", "t2"), PRELOADED):
        assert (await store.remove(owner, mine[0].document.id)).chunks == 0
    assert (await store.remove(MINE, shared[0].document.id)).chunks == 0
    removed = await store.remove(MINE, mine[0].document.id)
    assert (removed.documents, removed.chunks) == ((mine[0].document,), 2)
    assert await every_way(store, ME) == [["2.txt#0"]] * 3
    assert await store.documents(ME, include_preloaded=False) == []
    assert (await store.remove(PRELOADED, shared[0].document.id)).chunks == 1
    assert await every_way(store, DocumentScope("乙", "t1")) == [["3.txt#0"]] * 3


async def test_removal_of_a_session(store: Store) -> None:
    """DOC-04: a session's documents go together, and nobody else's."""
    for n, owner in (
        (1, MINE),
        (2, MINE),
        (3, DocumentOwner("甲", "t2")),
        (4, DocumentOwner("乙", "t1")),
        (5, PRELOADED),
    ):
        await put(store, doc(n, "数据库", "数据库", owner=owner))
    removed = await store.remove_all(MINE)
    assert ([entry.filename for entry in removed.documents], removed.chunks) == (["1.txt", "2.txt"], 4)
    assert await every_way(store, ME) == [["5.txt#0", "5.txt#1"]] * 3
    assert (await store.remove_all(PRELOADED)).chunks == 2
    assert await every_way(store, DocumentScope("甲", "t2")) == [["3.txt#0", "3.txt#1"]] * 3


async def test_removal_of_a_session_that_is_no_more(store: Store) -> None:
    """DOC-04: with a thread go the documents of everybody in it; other sessions and the preloaded stay."""
    owners = (MINE, DocumentOwner("乙", "t1"), DocumentOwner("甲", "t2"), PRELOADED)
    for n, owner in enumerate(owners, 1):
        await put(store, doc(n, "数据库", "数据库", owner=owner))
    for nowhere in ("", " ", "t", "T1", "null"):
        assert (await store.remove_session(nowhere)).chunks == 0
    removed = await store.remove_session("t1")
    assert (sorted(entry.filename for entry in removed.documents), removed.chunks) == (["1.txt", "2.txt"], 4)
    assert await every_way(store, ME) == await every_way(store, NOBODY) == [["4.txt#0", "4.txt#1"]] * 3
    assert len((await every_way(store, DocumentScope("甲", "t2")))[0]) == 4


async def test_removal_of_a_user(store: Store) -> None:
    """PLA-67: in every session of the user's; other users' documents and the preloaded stay."""
    owners = (MINE, DocumentOwner("乙", "t1"), DocumentOwner("甲", "t2"), PRELOADED)
    for n, owner in enumerate(owners, 1):
        await put(store, doc(n, "数据库", "数据库", owner=owner))
    assert [len(await store.of_user(user)) for user in ("甲", "乙", "丙")] == [2, 1, 0]
    for nobody in ("", " ", "丙"):
        assert (await store.remove_user(nobody)).chunks == 0
    removed = await store.remove_user("甲")
    assert (sorted(entry.filename for entry in removed.documents), removed.chunks) == (["1.txt", "3.txt"], 4)
    assert len((await every_way(store, DocumentScope("乙", "t1")))[0]) == 4
    assert await every_way(store, ME) == [["4.txt#0", "4.txt#1"]] * 3


async def test_twenty_sessions_at_once(store: Store) -> None:
    """DOC-07 S004-13: files of one name, written, replaced and read at once; each session sees its own alone."""

    async def session(n: int) -> None:
        owner, scope = DocumentOwner(f"用户{n % 4}", f"会话{n}"), DocumentScope(f"用户{n % 4}", f"会话{n}")
        for turn in range(3):
            await put(store, doc(100 * n + turn, *[f"数据库 {n}之{turn}"] * 3, owner=owner, filename="报告.txt"))
            matches = await store.matching(scope, ["数据库"], 50)
            assert {row.chunk.content for row in matches.rows} == {f"数据库 {n}之{turn}"}
            assert await every_way(store, scope) == [[f"报告.txt#{k}" for k in range(3)]] * 3
            [entry] = await store.documents(scope)
            assert entry.owner == owner

    await asyncio.gather(*(session(n) for n in range(20)))


async def test_readers_see_whole_documents(store: Store) -> None:
    """DOC-02: a search while a document is being replaced finds the old one whole or the new one whole."""
    await put(store, doc(1, *["数据库 旧"] * 20, filename="a.txt"))

    async def reader() -> None:
        for _ in range(30):
            found = {row.chunk.content for row in (await store.matching(ME, ["数据库"], 100)).rows}
            assert len(found) == 1, found
            assert len((await store.matching(ME, ["数据库"], 100)).rows) == 20

    async def writer() -> None:
        for n in range(2, 12):
            await put(store, doc(n, *[f"数据库 {n}"] * 20, filename="a.txt"))

    await asyncio.gather(reader(), reader(), writer())
