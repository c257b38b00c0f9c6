"""Networks that are kept here: isolation, imports beside readers, odd values, broken files, and its own conditions."""

import asyncio
import errno
import sqlite3
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.fake_knowledge import FakeKnowledgeNetwork
from tests.knowledge_rig import CONDITIONS, LIN, ROWS, beside, content, names, row, schema
from tests.ontology_service.network import Network
from tests.temporary import unpack
from tools.errors import KnowledgeFailed, KnowledgeQueryError, KnowledgeRefused, StoreError
from tools.networks.records import Condition, InstanceQuery, equals
from wenmai.knowledge.content import CheckedContent
from wenmai.stores.networks import local as knowledge_folders
from wenmai.stores.networks.local import KnowledgeFolders, LocalKnowledge, import_content
from wenmai.stores.networks.network_file import NetworkFileWriter


def keep(local: LocalKnowledge, kept: CheckedContent) -> bool:
    return import_content(local.folders, kept, lambda done, total: None).written


@pytest.fixture
async def local(tmp_path: Path) -> AsyncIterator[LocalKnowledge]:
    opened = LocalKnowledge(tmp_path)
    yield opened
    await opened.close()


async def test_networks_do_not_see_each_other(local: LocalKnowledge) -> None:
    """PLA-03: the same ids in two networks are two things, in every way of asking."""
    keep(local, content([row("1", name="甲"), row("2", name="甲邻")], [("1", "2")]))
    keep(local, content([row("1", name="乙"), row("2", name="乙邻")], [("1", "2")], "other"))
    assert await names(local, equals("id", "1")) == ["甲"]
    assert await names(local, Condition("like", "name", "邻"), "other") == ["乙邻"]
    assert (await beside(local, "1"), await beside(local, "1", "other")) == (["甲邻"], ["乙邻"])
    local.folders.remove("kn")
    assert await names(local, None, "other") == ["乙", "乙邻"]
    with pytest.raises(KnowledgeRefused):
        await names(local)


@pytest.mark.parametrize("forged", ["", ".", "..", "kn/../other", "KN", "kn*", "kn\0", "k n", "知识"])
async def test_forged_ids(local: LocalKnowledge, forged: str) -> None:
    """KNO-10 PLA-03: no other spelling leads to a network, or out of the folder of networks."""
    keep(local, content([row("1", name="甲")]))
    with pytest.raises(KnowledgeRefused) as refused:
        await names(local, None, forged)
    assert refused.value.status == 404


async def test_an_import_while_it_is_open(local: LocalKnowledge) -> None:
    """Who reads sees the old content or the new one, whole; afterwards the new one, with another revision."""
    keep(local, content([row(str(n), name="旧") for n in range(50)]))
    before = (await local.schema("kn", LIN, timeout_s=10)).revision
    seen: list[set[str]] = []

    async def reader() -> None:
        for _ in range(40):
            seen.append(set(await names(local)))

    new = content([row(str(n), name="新") for n in range(50)])
    await asyncio.gather(reader(), reader(), asyncio.to_thread(keep, local, new))
    assert {frozenset(one) for one in seen} <= {frozenset({"旧"}), frozenset({"新"})}
    assert await names(local) == ["新"] * 50
    assert (await local.schema("kn", LIN, timeout_s=10)).revision != before
    assert not keep(local, new)


async def test_two_who_read_at_once(local: LocalKnowledge, tmp_path: Path) -> None:
    """Several may have a network open: nothing of it is locked for reading."""
    keep(local, content([row("1", name="甲")]))
    other = LocalKnowledge(tmp_path)
    assert await names(local) == await names(other) == ["甲"]
    await other.close()


async def test_odd_values(local: LocalKnowledge) -> None:
    """What stands in a value is never read as a query, a pattern, a path or a separator."""
    odd = ["'; DROP TABLE exact; --", '"a" OR "b"', "%", "_", "\\", "a\0b", "\u2028\n\t", "𠀀😀", "NULL", "p0x61", "*"]
    keep(local, content([row(str(n), name=name, tags=[name, "同"]) for n, name in enumerate(odd)]))
    for name in odd:
        assert await names(local, equals("name", name)) == [name]
        assert name in await names(local, Condition("like", "name", name))
        assert name in await names(local, Condition("like", "tags", name))
    assert await names(local, Condition("like", "name", "甲")) == []
    assert len(await names(local, equals("tags", "同"))) == len(odd)


async def test_lists_and_long_values(local: LocalKnowledge) -> None:
    """KNO-22: equality is true for any element of a list, and tells long values apart behind a common beginning."""
    long = "长" * 500
    rows = [row("1", name="a", tags=["甲", "乙"], note=long), row("2", name="b", tags="甲乙", note=long + "尾")]
    keep(local, content(rows))
    assert await names(local, equals("tags", "乙")) == ["a"]
    assert await names(local, Condition("like", "tags", "甲乙")) == ["b"]
    assert (await names(local, equals("note", long)), await names(local, equals("note", long + "尾"))) == (["a"], ["b"])


async def test_a_folder_with_quotes(tmp_path: Path) -> None:
    """A path is quoted where the engine takes it as part of a statement."""
    folder = tmp_path / 'it\'s a "place" 资料'
    opened = LocalKnowledge(folder)
    keep(opened, content([row("1", name="甲"), row("2", name="乙")], [("1", "2")]))
    assert await beside(opened, "1") == ["乙"]
    await opened.close()


@pytest.mark.parametrize("name", ["network.sqlite", "network.json"])
async def test_broken_files(local: LocalKnowledge, tmp_path: Path, name: str) -> None:
    """A file that cannot be read is a failure that says what to do, not an empty network."""
    keep(local, content([row("1", name="甲"), row("2", name="乙")], [("1", "2")]))
    [path] = (tmp_path / ".knowledge" / "kn").rglob(name)
    path.write_bytes(b"broken" * 1000)
    with pytest.raises(KnowledgeFailed, match="wenmai knowledge import"):
        await names(local, equals("name", "甲"))
        await beside(local, "1")
    assert keep(LocalKnowledge(tmp_path), content([row("1", name="新")]))


async def test_an_import_that_fails(local: LocalKnowledge, monkeypatch: pytest.MonkeyPatch) -> None:
    """A failure of the engines while they write is one clear line, and what was there stays."""
    keep(local, content([row("1", name="旧")]))
    for error, told in ((sqlite3.OperationalError("database or disk is full"), "磁盘"), (OSError("boom"), "boom")):

        def fail(*_: Any, error: Exception = error) -> None:
            raise error

        monkeypatch.setattr(NetworkFileWriter, "add", fail)
        with pytest.raises(StoreError, match=told):
            keep(local, content([row("1", name="新")]))
        assert await names(local) == ["旧"]
        assert [
            path.name for path in (local.data_dir / ".knowledge" / "kn").iterdir() if path.name == ".building"
        ] == []
    monkeypatch.undo()
    assert keep(local, content([row("1", name="新")]))


async def test_limits(local: LocalKnowledge) -> None:
    """KNO-15: a limit out of range is a refused query."""
    keep(local, content([row("1", name="甲")]))
    for limit in (0, -1, 10_001):
        with pytest.raises(KnowledgeQueryError):
            await local.instances("kn", InstanceQuery(object_type_id="thing", limit=limit), LIN, timeout_s=5)


@given(rows=ROWS, conditions=st.lists(CONDITIONS, min_size=1, max_size=6))
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_conditions_as_the_double_has_them(
    tmp_path_factory: pytest.TempPathFactory, rows: list[dict[str, Any]], conditions: list[Condition]
) -> None:
    """KNO-19 KNO-22 KNO-23 PLA-28: the index finds, scores and orders what a plain look at every row does."""
    made = [row(f"{n:02}", **values) for n, values in enumerate(rows)]
    folder = tmp_path_factory.mktemp("kn")
    import_content(KnowledgeFolders(folder), content(made), lambda done, total: None)
    fake = FakeKnowledgeNetwork(Network(schema("kn"), {"thing": [dict(one) for one in made]}, {"near": []}))

    async def compare() -> None:
        local = LocalKnowledge(folder)
        for condition in conditions:
            query = InstanceQuery(object_type_id="thing", condition=condition, limit=100, need_total=True)
            ours = await local.instances("kn", query, LIN, timeout_s=10)
            theirs = await fake.instances("kn", query, LIN, timeout_s=10)
            assert [(one.identity["id"], one.score) for one in ours.rows] == [
                (one.identity["id"], one.score) for one in theirs.rows
            ]
            assert ours.total_count == theirs.total_count
        await local.close()

    asyncio.run(compare())


async def test_files_of_another_layout(local: LocalKnowledge, monkeypatch: pytest.MonkeyPatch) -> None:
    """Files in another layout are not read, which one line says; the same content over them is written anew."""
    kept = content([row("1", name="甲")])
    monkeypatch.setattr(knowledge_folders, "LAYOUT", 0)
    assert keep(local, kept) and not keep(local, kept)
    monkeypatch.undo()
    with pytest.raises(KnowledgeFailed, match="重新导入"):
        await names(local)
    assert keep(local, kept) and not keep(local, kept)
    assert await names(local) == ["甲"]


@pytest.fixture
def earlier(tmp_path: Path) -> Path:
    """A DATA_DIR with a network as commit 48df1c88 wrote it: Ladybug beside an SQLite index."""
    unpack(Path(__file__).with_name("layout_2.tar.xz"), tmp_path)
    return tmp_path


EARLIER = [
    row("1", name="甲", size=1, tags=["红", "圆"], note="山上的灯塔"),
    row("2", name="乙", size=2),
    row("3", name="甲邻", size=2.5, tags="红"),
]


async def test_a_network_of_layout_2(earlier: Path) -> None:
    """It is rewritten at its first opening, by one of those who open it at once, and answers as an import of today."""
    both = LocalKnowledge(earlier), LocalKnowledge(earlier)
    found = await asyncio.gather(*(one.content("kn") for one in both))
    whole = content(EARLIER, [("1", "3"), ("1", "2"), ("3", "1")])
    assert [(one.rows, one.links, one.revision()) for one in found] == [(whole.rows, whole.links, whole.revision())] * 2
    for condition in (equals("tags", "红"), Condition("like", "name", "邻"), Condition("match", "note", "灯塔"), None):
        fake = FakeKnowledgeNetwork(Network(schema("kn"), {"thing": [dict(one) for one in EARLIER]}, {"near": []}))
        assert await names(both[0], condition) == await names(fake, condition)
    assert await beside(both[1], "1") == ["乙", "甲邻"]
    assert not keep(both[0], whole)
    for one in both:
        await one.close()
    [folder] = [path for path in (earlier / ".knowledge" / "kn").iterdir() if path.is_dir()]
    assert sorted(path.name for path in folder.iterdir()) == ["network.json", "network.sqlite"]


async def test_a_network_of_layout_2_that_cannot_be_rewritten(earlier: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where its folder cannot be written, the error says what to do; nothing of it is changed."""
    local = LocalKnowledge(earlier)
    before = {path: path.read_bytes() for path in earlier.rglob("*") if path.is_file() and path.name != ".lock"}

    def refuse(*_: Any, **__: Any) -> None:
        raise OSError(errno.EROFS, "Read-only file system")

    with monkeypatch.context() as patch:
        patch.setattr(Path, "mkdir", refuse)
        with pytest.raises(KnowledgeFailed, match=r"首次打开时须转换一次.*磁盘是否可写"):
            await names(local)
    assert {path: path.read_bytes() for path in before} == before
    [graph] = earlier.rglob("graph.lbug")
    graph.write_bytes(b"broken" * 1000)
    with pytest.raises(KnowledgeFailed, match="首次打开时须转换一次"):
        await names(local)
    assert keep(local, content(EARLIER)) and await names(local) == ["甲", "乙", "甲邻"]
    await local.close()
