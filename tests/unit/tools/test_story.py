"""Toolkit `story`: vector_search, graph_search, track_entity."""

from dataclasses import replace
from itertools import pairwise

import pytest

from tests.unit.tools.world import LIBRARY, TEXTS, World, data_of, edge, passage, text_of
from tools.base import Scope
from tools.records import Entity, Horizon

GUARDED = Scope(library=LIBRARY, horizon=Horizon(1, 3))


async def test_vector_search_item() -> None:
    """S000-06 S000-08 S000-D03 S000-41 S000-42: the item's fields, best first."""
    items = data_of(await World().call("vector_search", query="玛薇卡点燃圣火"))
    first = items[0]
    assert list(first) == ["id", "text", "chapter", "entities", "score", "event_order", "part", "task_id", "title"]
    assert (first["text"], first["chapter"], first["title"], first["task_id"]) == (TEXTS[2][2], 2, "第2章", "t1")
    assert first["entities"] == ["玛薇卡"] and 0 < first["score"] <= 1


async def test_vector_search_text_and_evidence() -> None:
    """S000-32 S000-42: rows with their place; each row is a piece of evidence, verbatim and with its place."""
    outcome = await World().call("vector_search", query="圣火", top_k=3)
    assert outcome.result is not None and outcome.result.items == 3
    lines = text_of(outcome).splitlines()
    assert lines[0] == f"第1部 第2章：{TEXTS[2][2]}" and lines[-1] == "显示 3/3 条"
    piece = outcome.result.evidence[0]
    assert (piece["kind"], piece["tool"], piece["call"]) == ("passage", "vector_search", 1)
    assert (piece["text"], piece["start"], piece["end"]) == (TEXTS[2][2], 0, len(TEXTS[2][2]))
    assert (piece["part"], piece["chapter"], piece["title"], piece["source"]) == (1, 2, "第2章", "t1")


async def test_vector_search_filters_combine() -> None:
    """S000-09 S000-10 S000-D04: chapter and entity filters hold together, both ends inclusive; none = no filter."""
    world = World()
    items = data_of(await world.call("vector_search", query="比赛", chapter_filter=[1, 4], entity_filter="恰斯卡"))
    assert {item["event_order"] for item in items} == {1, 4, 5}
    only = data_of(await world.call("vector_search", query="比赛", chapter_filter=[2, 4], entity_filter="恰斯卡"))
    assert {item["event_order"] for item in only} == {4}
    assert len(data_of(await world.call("vector_search", query="比赛"))) == len(TEXTS)


async def test_vector_search_finds_nothing() -> None:
    """S000-08 LOP-05: nothing found is a successful empty list."""
    outcome = await World().call("vector_search", query="圣火", entity_filter="无此人")
    assert data_of(outcome) == [] and text_of(outcome) == "未找到相关信息"


async def test_entity_lookup_is_a_vector_search() -> None:
    """S000-02: looking an entity up needs no tool of its own."""
    items = data_of(await World().call("vector_search", query="阿尤", entity_filter="阿尤", top_k=3))
    assert [item["event_order"] for item in items] == [3]


async def test_graph_search_result() -> None:
    """S000-14 S000-12 S000-11 S000-42: neighbours, triples in the stored direction, passages of both."""
    outcome = await World().call("graph_search", entity="恰斯卡", relation="friend_of", depth=1)
    data = data_of(outcome)
    assert list(data) == ["entity", "neighbors", "triples", "chunks", "total_neighbors", "truncated"]
    assert data["neighbors"] == [
        {"name": "卡齐娜", "relation": "FRIEND_OF", "direction": "out", "hop": 1, "description": "一见如故"}
    ]
    assert data["triples"] == ["恰斯卡 --friend_of--> 卡齐娜"]
    assert [chunk["event_order"] for chunk in data["chunks"]] == [1, 4]
    assert (data["total_neighbors"], data["truncated"]) == (1, False)
    assert text_of(outcome).splitlines()[0] == "恰斯卡 --friend_of--> 卡齐娜"


async def test_graph_search_walks_both_directions_two_hops() -> None:
    """S000-12 S000-D05: incoming edges count, the start is no neighbour, nobody comes twice."""
    world = World()
    data = data_of(await world.call("graph_search", entity="卡齐娜"))
    shown = {one["name"]: (one["direction"], one["hop"]) for one in data["neighbors"]}
    assert shown == {"恰斯卡": ("in", 1), "玛薇卡": ("in", 2)}
    assert world.graph.asked[-1] == ("卡齐娜", None, 2, 20, None)
    assert len(data["triples"]) == len(set(data["triples"]))


async def test_graph_search_shows_twenty_neighbours() -> None:
    """S000-12: at most 20, the total and `truncated` tell the rest."""
    edges = [edge("王", "LEADER_OF", f"臣{i:02}", 1) for i in range(25)]
    world = World(entities=[Entity(name="王")], relations=edges)
    data = data_of(await world.call("graph_search", entity="王", depth=1))
    assert [one["name"] for one in data["neighbors"]] == [f"臣{i:02}" for i in range(20)]
    assert (data["total_neighbors"], data["truncated"]) == (25, True)


async def test_graph_search_falls_back_to_a_search_for_the_neighbour() -> None:
    """S000-13: without a passage of both, the neighbour's own best two; a passage stands once."""
    world = World()
    data = data_of(await world.call("graph_search", entity="卡齐娜", depth=2))
    ids = [chunk["id"] for chunk in data["chunks"]]
    assert len(ids) == len(set(ids))
    assert world.embedder.history == ["玛薇卡"]
    scored = {chunk["event_order"] for chunk in data["chunks"] if chunk["score"] is not None}
    assert scored == {2, 5}


async def test_graph_search_evidence() -> None:
    """S000-14: one piece a relation with its quote and offsets, one a passage."""
    outcome = await World().call("graph_search", entity="恰斯卡", relation="FRIEND_OF", depth=1)
    assert outcome.result is not None
    kinds = [piece["kind"] for piece in outcome.result.evidence]
    assert kinds == ["relation", "relation", "passage", "passage"]
    first = outcome.result.evidence[0]
    assert first["text"] == "恰斯卡 --FRIEND_OF--> 卡齐娜: 一见如故 「两人一见如故」"
    assert (first["start"], first["end"], first["title"]) == (13, 19, "第1章")
    assert first["entities"] == ["恰斯卡", "卡齐娜"]
    assert len({piece["id"] for piece in outcome.result.evidence}) == 4


async def test_graph_search_unknown_relation_lists_types() -> None:
    """S000-D05 PLA-26: the type comes from the store's own list."""
    outcome = await World().call("graph_search", entity="恰斯卡", relation="x]->() DETACH DELETE n //")
    assert not outcome.ok
    assert "FRIEND_OF/LEADER_OF/LOCATED_IN/PARTNER_OF" in (outcome.error or "")


async def test_graph_search_unknown_and_lonely_entity() -> None:
    """STO-08 LOP-05: two different texts, both successful and empty."""
    world = World()
    unknown = await world.call("graph_search", entity="张三")
    assert text_of(unknown) == "未找到实体: 张三" and data_of(unknown)["neighbors"] == []
    lonely = await world.call("graph_search", entity="隐士")
    assert text_of(lonely) == "实体 隐士 没有符合条件的关系"
    assert lonely.result is not None and lonely.result.items == 0


async def test_track_entity_in_story_order() -> None:
    """S000-15 S000-16 S000-D07 STO-09 S000-42: all passages of an entity, ascending, chapter 0 included."""
    world = World()
    data = data_of(await world.call("track_entity", entity="卡齐娜"))
    assert [item["event_order"] for item in data["items"]] == [1, 4, 6]
    assert (data["entity"], data["total"], data["shown"], data["sampled"]) == ("卡齐娜", 3, 3, False)
    assert "score" not in data["items"][0]
    assert data_of(await world.call("track_entity", entity="纳塔"))["total"] == 1
    assert [method for method, _, _ in world.passages.asked] == ["scroll", "scroll"]


async def test_track_entity_range() -> None:
    """S000-15 S000-D04: inclusive bounds; a wrong range is an error."""
    world = World()
    data = data_of(await world.call("track_entity", entity="恰斯卡", chapter_range=[1, 3]))
    assert [item["event_order"] for item in data["items"]] == [1, 5]
    assert not (await world.call("track_entity", entity="恰斯卡", chapter_range=[3, 1])).ok


async def test_track_entity_missing_values_stand_last() -> None:
    """S000-D07: a passage without a chapter comes last; equal positions go by id."""
    rows = [passage(0, 1, None, "无章", ("甲",)), passage(1, 1, 2, "二", ("甲",)), passage(2, 1, 1, "一", ("甲",))]
    world = World(rows=rows)
    data = data_of(await world.call("track_entity", entity="甲"))
    assert [item["chapter"] for item in data["items"]] == [1, 2, None]


async def test_track_entity_thins_evenly() -> None:
    """S000-17 S000-D06: 30 are shown, first and last among them, and the text says so."""
    rows = [passage(i, 1, i, f"第{i}段", ("甲",)) for i in range(1_200)]
    world = World(rows=rows)
    outcome = await world.call("track_entity", entity="甲")
    data = data_of(outcome)
    orders = [item["event_order"] for item in data["items"]]
    assert (data["total"], data["shown"], data["sampled"]) == (1_200, 30, True)
    assert orders[0] == 0 and orders[-1] == 1_199
    assert {b - a for a, b in pairwise(orders)} <= {41, 42}
    assert "共 1200 条，显示 30 条（均匀抽样）" in text_of(outcome)


async def test_track_entity_finds_nothing() -> None:
    """STO-09 LOP-05: an unknown entity is nothing found."""
    outcome = await World().call("track_entity", entity="无此人")
    assert text_of(outcome) == "未找到相关信息" and data_of(outcome)["total"] == 0


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("vector_search", {"query": "卡齐娜获得古名", "top_k": 50}),
        ("graph_search", {"entity": "恰斯卡", "depth": 3}),
        ("track_entity", {"entity": "卡齐娜"}),
        ("search_memory", {"query": "卡齐娜获得古名"}),
        ("search_memory", {"query": "卡齐娜获得古名", "characters": ["无此人"], "sort_by": "time"}),
        ("lookup_knowledge", {"entity": "恰斯卡"}),
        ("track_journey", {"entity": "恰斯卡"}),
        ("find_connection", {"entity1": "玛薇卡", "entity2": "卡齐娜"}),
        ("get_character_events", {"entity": "卡齐娜"}),
        ("list_characters", {}),
        ("list_characters", {"names": ["卡齐娜"]}),
        ("read_chapters", {}),
        ("read_chapters", {"chapters": [0, -1]}),
        ("read_chapters", {"title": "章"}),
    ],
)
async def test_nothing_beyond_the_horizon(tool: str, arguments: dict[str, object]) -> None:
    """STO-19: no result names a later chapter or part; the filter stands in every store query."""
    world = World()
    outcome = await world.call(tool, GUARDED, **arguments)
    assert outcome.ok and outcome.result is not None
    for piece in outcome.result.evidence:
        assert GUARDED.horizon is not None and GUARDED.horizon.shows(piece["part"], piece["chapter"])
    assert all(where.horizon == GUARDED.horizon for _, where, _ in world.passages.asked if where is not None)
    assert "古名" not in outcome.content and "领袖" not in outcome.content.replace("纳塔的领袖", "")


@pytest.mark.parametrize("tool", ["vector_search", "search_memory"])
async def test_budget_holds(tool: str) -> None:
    """S000-D11 S004-25: the text never exceeds the scope's budget."""
    rows = [passage(i, 1, 1, "火" * 900, ("甲",)) for i in range(50)]
    world = World(rows=rows)
    scope = replace(world.scope, budget=3_000, limit=20)
    outcome = await world.call(tool, scope, query="火")
    assert len(text_of(outcome)) <= 3_000
    assert text_of(outcome).splitlines()[-1].startswith("显示 ")
