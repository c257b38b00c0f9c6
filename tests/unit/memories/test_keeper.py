"""Store, update, supersede, deactivate, delete, export (memory.md §2)."""

from datetime import timedelta

import pytest

from tests.unit.memories.desk import NOON, Desk, keys_of
from tools.errors import InputError
from tools.memory.interchange import to_memory
from tools.memory.keywords import extract_keywords
from tools.memory.records import MemoryFilter, MemoryKeyword
from wenmai.language.segmenting import cut


@pytest.fixture
def desk() -> Desk:
    return Desk()


async def test_add_fills_what_is_not_given(desk: Desk) -> None:
    """MEM-03 S002-D21: a new key, the type general, the time in UTC, active."""
    memory = await desk.keeper.add("甲", "我喜欢简短的回答")
    assert (memory.memory_key, memory.memory_type, memory.created_at) == ("key-1", "general", NOON)
    assert memory.is_active
    assert await desk.store.get("甲", ["key-1"]) == [memory]
    assert await desk.store.get("乙", ["key-1"]) == []


async def test_keywords_are_extracted_only_when_none_are_given(desk: Desk) -> None:
    """MEM-04: given keywords stay, one without weight has 1.0."""
    found = await desk.keeper.add("甲", "PostgreSQL 数据库配置")
    assert {one.keyword for one in found.keywords} == {"postgresql", "数据库", "配置"}
    given = await desk.keeper.add("甲", "PostgreSQL", keywords=["端口", {"keyword": "版本", "weight": 0.4}])
    assert given.keywords == (MemoryKeyword("端口", 1.0), MemoryKeyword("版本", 0.4))


def test_extraction() -> None:
    """MEM-04: words of 2-6 characters by a segmenter, Latin words of three letters, lower case, weight by the rule."""
    found = extract_keywords("数据库 数据库 的 of DB Redis redis_cache a我b", cut)
    assert {one.keyword: one.weight for one in found} == pytest.approx(
        {"redis_cache": 0.3, "数据库": 0.32, "redis": 0.3}
    )
    many = extract_keywords(" ".join(f"word{chr(97 + n)}{'x' * n}" for n in range(15)), cut)
    assert len(many) == 10
    assert extract_keywords("hello " * 20, cut) == (MemoryKeyword("hello", 1.0),)
    assert extract_keywords("，。 12 3 的", cut) == ()


async def test_a_taken_key_and_wrong_fields_are_errors(desk: Desk) -> None:
    """MEM-03 S002-29: the message names what is wrong; nothing is stored."""
    await desk.keeper.add("甲", "一", memory_key="k")
    with pytest.raises(InputError, match="k 已存在"):
        await desk.keeper.add("甲", "二", memory_key="k")
    with pytest.raises(InputError, match=r"content.*weight|weight.*content"):
        await desk.keeper.add("甲", "  ", keywords=[{"keyword": "x", "weight": 3}])
    with pytest.raises(InputError, match="user_id"):
        await desk.keeper.add(" ", "三")
    await desk.keeper.add("乙", "另一个人的", memory_key="k")
    assert await desk.store.count("甲", MemoryFilter(active=None)) == 1


async def test_update_keeps_the_key_and_the_older_state(desk: Desk) -> None:
    """MEM-04 S002-D21: the newer one supersedes the older, which is inactive, with both dates readable."""
    await desk.keeper.add("甲", "数据库端口是 5432", memory_key="k", summary="端口")
    desk.now = NOON + timedelta(days=3)
    newer = await desk.keeper.update("甲", "k", content="数据库端口是 6000")
    assert (newer.content, newer.summary, newer.created_at) == ("数据库端口是 6000", "端口", desk.now)
    assert keys_of(await desk.store.scroll("甲", MemoryFilter())) == ["k"]
    current, older = await desk.keeper.history("甲", "k")
    assert current == newer
    assert (older.content, older.created_at, older.valid_until) == ("数据库端口是 5432", NOON, desk.now)
    assert (older.is_active, older.superseded_by) == (False, "k")
    assert await desk.keeper.history("乙", "k") == []


async def test_update_twice_gives_a_chain(desk: Desk) -> None:
    """S002-D21: each state is kept, the newest first; keywords follow a new content."""
    await desk.keeper.add("甲", "住在北京", memory_key="k")
    for place in ("上海", "成都"):
        desk.now += timedelta(days=1)
        await desk.keeper.update("甲", "k", content=f"住在{place}")
    assert [row.content for row in await desk.keeper.history("甲", "k")] == ["住在成都", "住在上海", "住在北京"]
    [now] = await desk.store.get("甲", ["k"])
    assert "成都" in {one.keyword for one in now.keywords}
    with pytest.raises(InputError, match="created_at"):
        await desk.keeper.update("甲", "k", created_at="2020-01-01")
    with pytest.raises(InputError, match="未找到记忆：无"):
        await desk.keeper.update("甲", "无", content="x")


async def test_supersede_with_another_memory(desk: Desk) -> None:
    """S002-D21: a newer fact takes the place of an older one under its own key."""
    older = await desk.keeper.add("甲", "喜欢咖啡", memory_key="old")
    row = {"memory_key": "new", "content": "不再喝咖啡", "created_at": "2026-06-01T08:00:00+08:00"}
    newer = await desk.keeper.supersede("甲", "old", to_memory(row, "甲", "-", NOON))
    assert keys_of(await desk.store.scroll("甲", MemoryFilter())) == ["new"]
    assert newer.created_at.isoformat() == "2026-06-01T00:00:00+00:00"
    _, was = await desk.keeper.history("甲", "new")
    assert (was.content, was.valid_until, was.superseded_by) == (older.content, newer.created_at, "new")
    with pytest.raises(InputError):
        await desk.keeper.supersede("甲", "new", to_memory({**row, "memory_key": "n2"}, "乙", "-", NOON))


async def test_delete_takes_the_history_along(desk: Desk) -> None:
    """MEM-04: nothing of a deleted memory is left, and other users' stay."""
    for user in ("甲", "乙"):
        await desk.keeper.add(user, "住在北京", memory_key="k")
    await desk.keeper.update("甲", "k", content="住在上海")
    assert await desk.keeper.delete("甲", ["k", "无"]) == 2
    assert await desk.store.count("甲", MemoryFilter(active=None)) == 0
    assert await desk.store.count("乙", MemoryFilter(active=None)) == 1


async def test_every_write_tells_the_caches_its_user(desk: Desk) -> None:
    """S002-D16: store, update, supersede and delete drop that user's entries, nobody else's."""
    await desk.keeper.add("甲", "一", memory_key="k")
    await desk.keeper.update("甲", "k", content="二")
    row = to_memory({"memory_key": "n", "content": "三"}, "甲", "-", NOON)
    await desk.keeper.supersede("甲", "k", row)
    await desk.keeper.delete("甲", ["n"])
    assert desk.changed == ["甲"] * 4


async def test_export_and_put_are_a_round_trip(desk: Desk) -> None:
    """MEM-04: an export holds every field and the history, the oldest first; read back it is the same again."""
    await desk.keeper.add("甲", "住在北京", memory_key="k", content_metadata={"sensitive": True}, thread_id="t")
    desk.now += timedelta(days=1)
    await desk.keeper.update("甲", "k", content="住在上海", keywords=["上海"])
    rows = await desk.keeper.export("甲")
    assert [row["content"] for row in rows] == ["住在北京", "住在上海"]
    other = Desk()
    await other.keeper.put([to_memory(row, "甲", "-", NOON) for row in rows])
    assert await other.keeper.export("甲") == rows
    with pytest.raises(InputError, match="用户 甲"):
        to_memory(rows[0], "乙", "-", NOON)


async def test_a_field_that_no_memory_has_is_an_error(desk: Desk) -> None:
    """A wrong keyword is not dropped without a word; None is as good as none."""
    with pytest.raises(TypeError, match="no field is_active, sumary"):
        await desk.keeper.add("甲", "一", sumary="短", is_active=False)  # type: ignore[call-arg]  # that is the point
    memory = await desk.keeper.add("甲", "一", memory_type=None, summary=None, content_metadata=None, keywords=None)
    assert (memory.memory_type, memory.summary, memory.content_metadata) == ("general", None, {})
