"""Knowledge networks on a Neo4j server: what test_local_knowledge.py shows of those on files, and crashed imports."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.fake_knowledge import FakeKnowledgeNetwork
from tests.knowledge_rig import CONDITIONS, LIN, ROWS, beside, content, names, row, schema
from tests.neo4j_rig import emptied
from tests.ontology_service.network import Network
from tools.errors import KnowledgeFailed, KnowledgeRefused, StoreLocked
from tools.networks.records import Condition, InstanceQuery, equals
from wenmai.knowledge.content import CheckedContent
from wenmai.stores.neo4j import Neo4jConnection, Neo4jEndpoint
from wenmai.stores.networks import neo4j
from wenmai.stores.networks.neo4j import Neo4jKnowledge


@pytest.fixture
async def kept() -> AsyncIterator[Neo4jKnowledge]:
    async with emptied() as connection:
        yield Neo4jKnowledge(connection)


async def keep(kept: Neo4jKnowledge, made: CheckedContent) -> bool:
    return (await kept.put(made, lambda done, total: None)).written


async def nodes(kept: Neo4jKnowledge) -> int:
    found = await kept.connection.read(lambda ask: ask("MATCH (n) WHERE NOT n:WenmaiSchema RETURN count(n)", {}))
    return int(found[0][0])


async def test_networks_do_not_see_each_other(kept: Neo4jKnowledge) -> None:
    """PLA-03: the same ids in two networks are two things in every way of asking; nothing of a removed one stays."""
    assert await keep(kept, content([row("1", name="甲"), row("2", name="甲邻")], [("1", "2")]))
    assert await keep(kept, content([row("1", name="乙"), row("2", name="乙邻")], [("1", "2")], "other"))
    assert [one.spec.id for one in await kept.networks()] == ["kn", "other"]
    assert await names(kept, equals("id", "1")) == ["甲"]
    assert await names(kept, Condition("like", "name", "邻"), "other") == ["乙邻"]
    assert (await beside(kept, "1"), await beside(kept, "1", "other")) == (["甲邻"], ["乙邻"])
    before = await nodes(kept)
    assert await kept.remove("kn") == {"object_types": 1, "relation_types": 1, "instances": 2, "relations": 1}
    assert await nodes(kept) * 2 == before
    assert await names(kept, None, "other") == ["乙", "乙邻"]
    with pytest.raises(KnowledgeRefused):
        await names(kept)
    assert not await kept.has("kn")


async def test_what_is_written_is_what_is_read(kept: Neo4jKnowledge) -> None:
    """PLA-28: the whole content comes back, and the very same is not written again."""
    made = content([row(str(n), name=f"名{n}", tags=["同", n], size=n) for n in range(3)], [("0", "1"), ("2", "2")])
    assert await keep(kept, made)
    assert await kept.content("kn") == made
    assert not await keep(kept, made)


async def test_an_import_beside_readers(kept: Neo4jKnowledge) -> None:
    """Who reads sees the old content or the new one, whole; afterwards the new one, and the old one is gone."""
    assert await keep(kept, content([row(str(n), name="旧") for n in range(50)]))
    size = await nodes(kept)
    seen: list[set[str]] = []

    async def reader() -> None:
        for _ in range(20):
            seen.append(set(await names(kept)))

    await asyncio.gather(reader(), reader(), keep(kept, content([row(str(n), name="新") for n in range(50)])))
    assert {frozenset(one) for one in seen} <= {frozenset({"旧"}), frozenset({"新"})}
    assert await names(kept) == ["新"] * 50
    assert await nodes(kept) == size


async def test_an_import_that_dies(kept: Neo4jKnowledge, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was there stays; another import waits its turn, and one that was killed gives way after a time."""
    assert await keep(kept, content([row("1", name="旧")]))
    size = await nodes(kept)

    def killed(*_: Any) -> None:
        raise asyncio.CancelledError

    with monkeypatch.context() as patch:
        patch.setattr(neo4j.Import, "_join", killed)
        patch.setattr(neo4j.Import, "_release", lambda self, ask: ask("RETURN 1", {}))  # nobody cleans up after it
        with pytest.raises(asyncio.CancelledError):
            await keep(kept, content([row("1", name="新"), row("2")], [("1", "2")]))
    assert await names(kept) == ["旧"]
    with pytest.raises(StoreLocked, match="正被另一个进程导入"):
        await keep(kept, content([row("1", name="新")]))
    monkeypatch.setattr(neo4j, "STALE_MS", -1)
    assert await keep(kept, content([row("1", name="新")]))
    assert (await names(kept), await nodes(kept)) == (["新"], size)


async def test_odd_values(kept: Neo4jKnowledge) -> None:
    """PLA-26: what stands in a value is never read as a query, a pattern or a separator, by neither language."""
    odd = ["'}) DETACH DELETE n //", '"a" OR "b"', "%", "\\", "a\0b", "\u2028\n\t", "𠀀😀", "+scope:x", "气道*", "〇甲"]
    assert await keep(kept, content([row(str(n), name=name, tags=[name, "同"]) for n, name in enumerate(odd)]))
    for name in odd:
        assert await names(kept, equals("name", name)) == [name]
        assert name in await names(kept, Condition("like", "name", name))
        assert name in await names(kept, Condition("like", "tags", name))
    assert await names(kept, Condition("like", "name", "甲")) == ["〇甲"]
    assert len(await names(kept, equals("tags", "同"))) == len(odd)


async def test_a_dead_server_is_no_empty_network() -> None:
    """PLA-28: it is a failure that names the server."""
    nowhere = Neo4jKnowledge(Neo4jConnection(Neo4jEndpoint("bolt://127.0.0.1:1", "neo4j", "x")))
    with pytest.raises(KnowledgeFailed, match=r"Neo4j（bolt://127.0.0.1:1）没有响应"):
        await names(nowhere)
    await nowhere.close()


@given(rows=ROWS, conditions=st.lists(CONDITIONS, min_size=1, max_size=6))
@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_conditions_as_the_double_has_them(rows: list[dict[str, Any]], conditions: list[Condition]) -> None:
    """KNO-19 KNO-22 KNO-23 PLA-28: the server finds, scores and orders what a plain look at every row does."""
    made = [row(f"{n:02}", **values) for n, values in enumerate(rows)]
    fake = FakeKnowledgeNetwork(Network(schema("kn"), {"thing": [dict(one) for one in made]}, {"near": []}))

    async def compare() -> None:
        async with emptied() as connection:
            kept = Neo4jKnowledge(connection)
            await keep(kept, content(made))
            for condition in conditions:
                query = InstanceQuery(object_type_id="thing", condition=condition, limit=100, need_total=True)
                ours = await kept.instances("kn", query, LIN, timeout_s=30)
                theirs = await fake.instances("kn", query, LIN, timeout_s=30)
                assert [(one.identity["id"], one.score) for one in ours.rows] == [
                    (one.identity["id"], one.score) for one in theirs.rows
                ]
                assert ours.total_count == theirs.total_count

    asyncio.run(compare())
