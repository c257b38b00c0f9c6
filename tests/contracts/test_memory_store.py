"""The MemoryStore port: what the fake and every engine must keep (PLA-28)."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.contracts.postgres import POSTGRES, postgres
from tests.contracts.qdrant import LOCAL_MODE, QDRANT, QDRANT_LOCAL, qdrant
from tests.engines import engines
from tests.fake_memories import FakeMemoryStore
from tests.fakes import FakeEmbedder
from tools.errors import EmbedderMismatch, InputError
from tools.memory.keywords import embedded_text
from tools.memory.records import Memory, MemoryFilter, MemoryKeyword
from wenmai.stores.edge.collections import edge_memories
from wenmai.stores.postgres.stores import postgres_memories
from wenmai.stores.qdrant.stores import qdrant_memories
from wenmai.stores.vectors.memories import VectorMemoryStore

pytestmark = LOCAL_MODE

ANY = MemoryFilter()
EVEN_OLD = MemoryFilter(active=None)
NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)
embedder = FakeEmbedder()
Store = FakeMemoryStore | VectorMemoryStore


@pytest.fixture(params=engines(__name__, "fake", "edge", QDRANT_LOCAL, servers=(QDRANT, POSTGRES)))
async def store(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Store]:
    if request.param in (QDRANT_LOCAL, QDRANT):
        async with qdrant(request.param) as server:
            yield qdrant_memories(server, "fake", "wenmai_test_memories")
        return
    if request.param == POSTGRES:
        async with postgres() as server:
            yield postgres_memories(server, "fake")
        return
    made: Store = FakeMemoryStore() if request.param == "fake" else edge_memories(tmp_path, "fake")
    yield made
    await made.close()


def memory(n: int, user: str = "甲", **fields: Any) -> Memory:
    base = Memory(memory_key=f"k{n}", user_id=user, content=f"第{n}条 数据库配置", created_at=NOON + timedelta(hours=n))
    return replace(base, **fields)


async def put(store: Store, *rows: Memory) -> None:
    await store.put(rows, await embedder.embed_passages([embedded_text(row) for row in rows]))


async def every_way(store: Store, user: str, where: MemoryFilter = ANY, limit: int = 50) -> list[list[str]]:
    """Return the (user, key) pairs that each way of reading finds, sorted."""
    vector = await embedder.embed_query("数据库配置")
    found = [
        await store.scroll(user, where, limit),
        [row.memory for row in await store.dense(user, vector, where, limit)],
        [row.memory for row in await store.sparse(user, "数据库 配置", where, limit)],
    ]
    return [sorted(f"{row.user_id}/{row.memory_key}" for row in rows) for rows in found]


def keys(rows: Sequence[Memory]) -> list[str]:
    return [row.memory_key for row in rows]


async def test_round_trip_keeps_every_field(store: Store) -> None:
    """MEM-03 S002-D21: a memory comes back as it went in; the date is UTC with its offset."""
    row = memory(
        1,
        content='他说："O\'Brien\\n; DROP" 😀𠀀\n第二行',
        summary="摘要",
        memory_type="user_preference",
        content_metadata={"sensitive": True, "列表": [1, 2.5, {"深": None}], "speaker": "小王"},
        keywords=(MemoryKeyword("数据库", 0.5), MemoryKeyword("postgres")),
        agent_id="a",
        thread_id="t",
        is_active=False,
        superseded_by="k2",
        valid_until=NOON + timedelta(days=2, microseconds=7),
    )
    await put(store, row)
    [found] = await store.get("甲", ["k1"])
    assert found == row
    assert found.created_at.isoformat() == "2026-05-01T13:00:00+00:00"
    assert (found.sensitive, found.speaker) == (True, "小王")


async def test_an_empty_store(store: Store) -> None:
    """MEM-03: a user without memories finds nothing, and that is no error."""
    assert await every_way(store, "甲") == [[], [], []]
    assert await store.get("甲", ["k1"]) == []
    assert await store.vectors("甲", ["k1"]) == {}
    assert await store.count("甲", ANY) == 0
    assert await store.delete("甲", ["k1"]) == 0


async def test_same_key_of_two_users(store: Store) -> None:
    """MEM-03 MEM-06: a key is unique per user; each reads, changes and deletes their own."""
    await put(store, memory(1), memory(1, user="乙", content="数据库配置 乙的"))
    assert [row.content for row in await store.get("乙", ["k1"])] == ["数据库配置 乙的"]
    assert await every_way(store, "甲") == [["甲/k1"]] * 3
    await put(store, memory(1, content="数据库配置 改过"))
    assert [row.content for row in await store.get("乙", ["k1"])] == ["数据库配置 乙的"]
    assert await store.delete("甲", ["k1"]) == 1
    assert await every_way(store, "甲") == [[], [], []]
    assert await every_way(store, "乙") == [["乙/k1"]] * 3


@pytest.mark.parametrize("forged", ["*", "甲*", "甲' OR 1=1 --", "甲\0", "甲 ", " 甲", '甲", "乙', "%", "[甲]", "丙"])
async def test_a_forged_user_finds_nothing(store: Store, forged: str) -> None:
    """PLA-03 S002-29: the user is compared as a whole; no wildcard, no pattern, no other spelling."""
    await put(store, memory(1), memory(1, user="乙"))
    assert await every_way(store, forged) == [[], [], []]
    assert await store.get(forged, ["k1"]) == []
    assert await store.vectors(forged, ["k1"]) == {}
    assert await store.count(forged, EVEN_OLD) == 0
    assert await store.delete(forged, ["k1"]) == 0
    assert await store.count("甲", ANY) == 1


async def test_a_blank_user_is_an_error(store: Store) -> None:
    """S002-29: user_id is mandatory in every access."""
    vector = await embedder.embed_query("配置")
    for blank in ("", "  "):
        for call in (
            put(store, memory(1, user=blank)),
            store.get(blank, ["k1"]),
            store.vectors(blank, ["k1"]),
            store.scroll(blank, ANY),
            store.dense(blank, vector, ANY, 5),
            store.sparse(blank, "配置", ANY, 5),
            store.count(blank, ANY),
            store.delete(blank, ["k1"]),
        ):
            with pytest.raises(InputError, match="user_id"):
                await call


async def test_filters_stand_inside_the_query(store: Store) -> None:
    """S002-D06 PLA-03: types, dates, thread and state hold in every way of reading and before the limit."""
    await put(
        store,
        memory(0, memory_type="user_preference"),
        memory(1, memory_type="command_output", thread_id="t1"),
        memory(2, is_active=False, superseded_by="k4", valid_until=NOON),
        memory(3, user="乙"),
        memory(4, thread_id="t1"),
    )
    day = timedelta(hours=1)
    cases = [
        (ANY, "014"),
        (EVEN_OLD, "0124"),
        (MemoryFilter(active=False), "2"),
        (MemoryFilter(types=("user_preference",)), "0"),
        (MemoryFilter(types=("user_preference", "command_output", "无")), "01"),
        (MemoryFilter(types=("*",)), ""),
        (MemoryFilter(since=NOON + day), "14"),
        (MemoryFilter(until=NOON + day), "0"),
        (MemoryFilter(since=NOON, until=NOON + 4 * day), "01"),
        (MemoryFilter(thread_id="t1"), "14"),
        (MemoryFilter(thread_id="t1", types=("general",)), "4"),
        (MemoryFilter(active=None, superseded_by="k4"), "2"),
    ]
    for where, expected in cases:
        wanted = [f"甲/k{n}" for n in expected]
        assert await every_way(store, "甲", where) == [wanted] * 3, where
        assert await store.count("甲", where) == len(wanted)


async def test_one_match_among_a_thousand_strangers(store: Store) -> None:
    """PLA-03: other users' better matches never take a place before the limit."""
    await put(store, *(memory(n, user="乙", content="数据库配置") for n in range(1000)), memory(7, content="配置"))
    assert await every_way(store, "甲", limit=1) == [["甲/k7"]] * 3


async def test_order_and_limit(store: Store) -> None:
    """S002-D06: the newest first, then by key; equal scores are cut in that order."""
    await put(store, *(memory(n, content="数据库配置") for n in range(5)), memory(9, content="天气", created_at=NOON))
    assert keys(await store.scroll("甲", ANY)) == ["k4", "k3", "k2", "k1", "k0", "k9"]
    assert keys(await store.scroll("甲", ANY, 2)) == ["k4", "k3"]
    vector = await embedder.embed_query("数据库配置")
    dense = await store.dense("甲", vector, ANY, 3)
    assert keys([row.memory for row in dense]) == ["k4", "k3", "k2"]
    assert dense[0].score == pytest.approx(1.0, abs=1e-5)
    sparse = await store.sparse("甲", "数据库 配置", ANY, 3)
    assert keys([row.memory for row in sparse]) == ["k4", "k3", "k2"]
    assert sparse[0].score > 0
    assert await store.dense("甲", vector, ANY, 0) == await store.sparse("甲", "，。", ANY, 5) == []


async def test_scroll_of_many(store: Store) -> None:
    """MEM-04: an export reads every memory, however many pages they fill."""
    await put(store, *(memory(n) for n in range(2100)))
    assert keys(await store.scroll("甲", ANY)) == [f"k{n}" for n in reversed(range(2100))]


async def test_put_replaces(store: Store) -> None:
    """MEM-04: writing a key again replaces the memory and its vectors."""
    await put(store, memory(1, content="数据库配置"))
    await put(store, memory(1, content="周末爬山"))
    assert await store.count("甲", ANY) == 1
    assert await store.sparse("甲", "数据库 配置", ANY, 5) == []
    [wanted] = await embedder.embed_passages(["周末爬山"])
    assert (await store.vectors("甲", ["k1", "无"]))["k1"] == pytest.approx(wanted, abs=1e-5)


async def test_delete(store: Store) -> None:
    """MEM-04: a deleted memory is gone from every way of reading; the count tells how many there were."""
    await put(store, *(memory(n) for n in range(3)))
    assert await store.delete("甲", ["k0", "k0", "k2", "无"]) == 2
    assert await every_way(store, "甲", EVEN_OLD) == [["甲/k1"]] * 3
    assert keys(await store.get("甲", ["k2", "k1", "k0"])) == ["k1"]


async def test_fifty_users_at_once(store: Store) -> None:
    """MEM-06: concurrent searches of different users see their own memories alone."""
    await put(store, *(memory(n, user=f"用户{n % 50}") for n in range(250)))
    together = await asyncio.gather(*(every_way(store, f"用户{n}") for n in range(50)))
    for n, found in enumerate(together):
        assert found == [sorted(f"用户{n}/k{n + 50 * step}" for step in range(5))] * 3


async def test_reopening_keeps_memories_and_their_embedder(tmp_path: Path) -> None:
    """PLA-10 PLA-25: they are there after a restart; another embedder, or a second process's lock, is a clear error."""
    first = edge_memories(tmp_path, "fake")
    await put(first, memory(1))
    await first.close()
    other = edge_memories(tmp_path, "another")
    vector = await embedder.embed_query("配置")
    with pytest.raises(EmbedderMismatch, match="EMBEDDING_MODEL"):
        await other.dense("甲", vector, ANY, 5)
    with pytest.raises(EmbedderMismatch, match=r"fake.*another"):
        await put(other, memory(2))
    assert keys(await other.scroll("甲", ANY)) == ["k1"]
    await other.close()
    again = edge_memories(tmp_path, "fake")
    assert await every_way(again, "甲") == [["甲/k1"]] * 3
    await again.close()


def found_in_files(folder: Path, text: str) -> list[str]:
    return [path.name for path in folder.rglob("*") if path.is_file() and text.encode() in path.read_bytes()]


async def test_a_rewritten_store_keeps_no_deleted_text(tmp_path: Path) -> None:
    """MEM-04: after delete and rewrite no file holds the text; all else is as it was, for searches meanwhile too."""
    store = edge_memories(tmp_path, "fake")
    await put(store, *(memory(n, content=f"数据库配置 secret-{n}-text") for n in range(20)))
    await store.delete("甲", ["k7"])
    assert found_in_files(tmp_path, "secret-7-text")
    before = await store.scroll("甲", EVEN_OLD), await store.vectors("甲", ["k3"])
    searches = [every_way(store, "甲") for _ in range(20)]
    found, *_ = await asyncio.gather(asyncio.gather(*searches), store.collection.rewrite())
    wanted = sorted(f"甲/k{n}" for n in range(20) if n != 7)
    assert found == [[wanted] * 3] * 20
    assert (await store.scroll("甲", EVEN_OLD), await store.vectors("甲", ["k3"])) == before
    await put(store, memory(30))
    await store.close()
    assert found_in_files(tmp_path, "secret-7-text") == []
    assert found_in_files(tmp_path, "secret-8-text")
    again = edge_memories(tmp_path, "fake")
    assert await again.count("甲", ANY) == 20
    await again.close()


async def test_a_rewrite_cut_short_is_finished_at_the_next_start(tmp_path: Path) -> None:
    """PLA-28: a crash between the two renames of a rewrite loses nothing."""
    store = edge_memories(tmp_path, "fake")
    await put(store, memory(1))
    await store.close()
    folder = tmp_path / ".collections" / "memories"
    (folder / "points").rename(folder / "renewed")
    (folder / "replaced").mkdir()
    again = edge_memories(tmp_path, "fake")
    assert keys(await again.scroll("甲", ANY)) == ["k1"]
    await again.close()
    assert not (folder / "replaced").exists()
