"""Toolkit `narrative`: four graph tools and search_memory."""

from dataclasses import replace
from typing import Any

import pytest

from tests.unit.tools.world import LIBRARY, TEXTS, World, data_of, edge, events, passage, text_of
from tools.base import Scope
from tools.dispatch import Toolbox
from tools.language import cost
from tools.records import Entity, Horizon, MajorEvent, Participant

UNKNOWN = "未找到实体: 张三。建议使用 search_memory 搜索故事原文。"


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("lookup_knowledge", {"entity": "张三"}),
        ("find_connection", {"entity1": "张三", "entity2": "恰斯卡"}),
        ("find_connection", {"entity1": "恰斯卡", "entity2": "张三"}),
        ("track_journey", {"entity": "张三"}),
        ("get_character_events", {"entity": "张三"}),
    ],
)
async def test_unknown_entity(tool: str, arguments: dict[str, str]) -> None:
    """STO-08 STO-10 LOP-05: a graph tool says that it does not know the name; that is no failure."""
    outcome = await World().call(tool, **arguments)
    assert text_of(outcome) == UNKNOWN
    assert outcome.result is not None and (outcome.result.items, outcome.result.evidence) == (0, [])


async def test_lookup_knowledge() -> None:
    """STO-10 S000-42: type, aliases, description, one-hop relations of both directions, the count last."""
    outcome = await World().call("lookup_knowledge", entity="恰斯卡")
    lines = text_of(outcome).splitlines()
    assert lines[:4] == ["**恰斯卡**", "类型: Character", "别名: 战神", "描述: 调停人"]
    assert lines[4:] == [
        "第1部 第1章：[FRIEND_OF] → 卡齐娜 (Character): 一见如故",
        "第1部 第4章：[FRIEND_OF] → 卡齐娜 (Character): 恰斯卡安慰了她",
        "第2部 第1章：[LEADER_OF] ← 玛薇卡 (Character): 领袖",
        "共 3 条关系，显示 3 条",
    ]
    assert outcome.result is not None and len(outcome.result.evidence) == 3


async def test_lookup_knowledge_limits() -> None:
    """STO-10: ten relations, descriptions of at most 100 characters; without a chapter the part alone is named."""
    world = World(relations=[edge("隐士", "KNOWS", f"客{i:02}", None, description="长" * 300) for i in range(12)])
    lines = text_of(await world.call("lookup_knowledge", entity="隐士")).splitlines()
    rows = [line for line in lines if "[KNOWS]" in line]
    assert len(rows) == 10 and lines[-1] == "共 12 条关系，显示 10 条"
    assert rows[0].startswith("第1部：[KNOWS] → 客00 (Character): 长")
    assert len(rows[0].split("): ")[1]) == 100 and rows[0].endswith("...")


async def test_lookup_knowledge_relation() -> None:
    """STO-10: one type, in any case; an unknown one lists the valid types."""
    world = World()
    text = text_of(await world.call("lookup_knowledge", entity="恰斯卡", relation="leader_of"))
    assert "LEADER_OF" in text and "FRIEND_OF" not in text
    wrong = await world.call("lookup_knowledge", entity="恰斯卡", relation="hates")
    assert not wrong.ok and "FRIEND_OF/LEADER_OF" in (wrong.error or "")


async def test_lookup_knowledge_without_relations() -> None:
    """STO-10: what is known of the entity, then nothing found with the same advice."""
    text = text_of(await World().call("lookup_knowledge", entity="隐士"))
    assert "描述: 独居者" in text
    assert text.endswith("未找到相关信息。建议使用 search_memory 搜索故事原文。")


async def test_find_connection() -> None:
    """S003-D14 S000-42: true directions, hops, the evidence of each edge."""
    outcome = await World().call("find_connection", entity1="卡齐娜", entity2="玛薇卡")
    lines = text_of(outcome).splitlines()
    assert lines[0] == "卡齐娜 <-[FRIEND_OF]- 恰斯卡 <-[LEADER_OF]- 玛薇卡"
    assert lines[1] == "跳数: 2"
    assert "第1部 第1章：恰斯卡 -[FRIEND_OF]-> 卡齐娜: 一见如故 「两人一见如故」" in lines
    data = data_of(outcome)
    assert (data["found"], data["hops"], len(data["edges"])) == (True, 2, 2)
    assert outcome.result is not None
    assert [piece["source"] for piece in outcome.result.evidence] == ["t1", "t2"]


async def test_find_connection_gives_every_direct_relation() -> None:
    """S003-D14: all of a pair, in both directions, each with its description and its own piece of evidence."""
    pair = [
        edge("甲", "FAMILY_OF", "乙", 1, description="父女", evidence="甲抱起女儿", start=0),
        edge("乙", "ENEMY_OF", "甲", 5, description="反目"),
        edge("甲", "LEADER_OF", "乙", 7),
    ]
    people = [Entity(name=name, first=(1, 1)) for name in "甲乙"]
    outcome = await World(entities=people, relations=pair).call("find_connection", entity1="甲", entity2="乙")
    assert text_of(outcome).splitlines()[1:] == [
        "跳数: 1",
        "第1部 第1章：甲 -[FAMILY_OF]-> 乙: 父女 「甲抱起女儿」",
        "第1部 第5章：乙 -[ENEMY_OF]-> 甲: 反目",
        "第1部 第7章：甲 -[LEADER_OF]-> 乙",
        "共 3 条，显示 3 条",
    ]
    assert outcome.result is not None and outcome.result.items == len(outcome.result.evidence) == 3


async def test_find_connection_avoids_hubs() -> None:
    """S003-D14: a place is no bridge; four hops at most."""
    world = World()
    outcome = await world.call("find_connection", entity1="基尼奇", entity2="玛薇卡")
    assert text_of(outcome) == "未找到 4 跳以内的路径。建议使用 search_memory 搜索两者的互动。"
    assert world.graph.asked[-1] == ("基尼奇", "玛薇卡", 4, ("Location",), None)
    assert data_of(await world.call("find_connection", entity1="基尼奇", entity2="纳塔"))["hops"] == 1


async def test_find_connection_of_one_entity() -> None:
    """S003-D14: two names of one entity."""
    text = text_of(await World().call("find_connection", entity1="火神", entity2="玛薇卡"))
    assert text.splitlines()[-1] == "两个名称指向同一实体: 玛薇卡"


async def test_track_journey() -> None:
    """STO-11 S000-42: relations of both directions in story order with their quotes."""
    lines = text_of(await World().call("track_journey", entity="恰斯卡")).splitlines()
    assert lines == [
        "第1部 第1章：恰斯卡 -[FRIEND_OF]-> 卡齐娜: 两人一见如故",
        "第1部 第4章：恰斯卡 -[FRIEND_OF]-> 卡齐娜: 恰斯卡安慰了她",
        "第2部 第1章：玛薇卡 -[LEADER_OF]-> 恰斯卡: 领袖",
        "共 3 条，显示 3 条",
    ]


async def test_track_journey_of_a_pair() -> None:
    """STO-11: with a target only the relations of the two."""
    data = data_of(await World().call("track_journey", entity="恰斯卡", target="玛薇卡"))
    assert [(row["source"], row["target"]) for row in data["rows"]] == [("玛薇卡", "恰斯卡")]


async def test_track_journey_limits() -> None:
    """STO-11: at most 50 rows of 150 characters of evidence, in story order, the total stated."""
    world = World(relations=[edge("隐士", "MEETS", f"客{i}", i, evidence="见" * 300) for i in range(80)])
    wide = replace(world.scope, budget=20_000)
    outcome = await world.call("track_journey", wide, entity="隐士")
    lines = text_of(outcome).splitlines()
    chapters = [row["chapter"] for row in data_of(outcome)["rows"]]
    assert lines[-1] == "共 80 条，显示 50 条（均匀抽样）" and len(lines) == 51
    assert chapters == sorted(chapters) and (chapters[0], chapters[-1]) == (0, 79)
    assert len(lines[0].split(": ")[-1]) == 150
    narrow = text_of(await world.call("track_journey", entity="隐士"))
    assert cost(narrow) <= 8_000 and narrow.splitlines()[-1].startswith("共 80 条，显示 ")


async def test_track_journey_empty() -> None:
    """STO-11: nothing found, with the next tool to try."""
    text = text_of(await World().call("track_journey", entity="隐士"))
    assert text.startswith("未找到相关信息") and "get_character_events" in text


async def test_get_character_events() -> None:
    """STO-12 S003-07 S000-42: the events in story order with role, outcome and evidence."""
    outcome = await World().call("get_character_events", entity="卡齐娜")
    lines = text_of(outcome).splitlines()
    assert lines == [
        "第1部 第4章：[loss] 卡齐娜初赛落败: 卡齐娜在比赛中落败，得到恰斯卡安慰 (角色: subject) "
        "证据: 卡齐娜在比赛中落败",
        "第2部 第2章：[acquisition] 卡齐娜获得古名: 卡齐娜得到古名 (角色: subject; 结果: 成为名副其实的战士) "
        "证据: 卡齐娜终于获得了自己的古名",
        "共 2 条，显示 2 条",
    ]
    data = data_of(outcome)["events"][1]
    wanted = events()[1]
    fields = ("name", "event_type", "part", "chapter", "task_id", "event_order", "primary_character", "summary")
    assert all(data[key] == getattr(wanted, key) for key in (*fields, "evidence", "outcome"))


async def test_event_evidence() -> None:
    """S003-07: one piece an event, with the offsets of its quote."""
    outcome = await World().call("get_character_events", entity="恰斯卡")
    assert outcome.result is not None and "角色: witness" in outcome.result.text
    (piece,) = outcome.result.evidence
    assert piece["kind"] == "event" and piece["entities"] == ["卡齐娜", "恰斯卡"]
    assert piece["text"] == "卡齐娜初赛落败: 卡齐娜在比赛中落败，得到恰斯卡安慰 「卡齐娜在比赛中落败」"
    assert (piece["start"], piece["end"], piece["title"]) == (0, 9, "第4章")


async def test_get_character_events_by_type() -> None:
    """STO-12: a type in any case; another one is an error with the eight types."""
    world = World()
    data = data_of(await world.call("get_character_events", entity="卡齐娜", event_type="LOSS"))
    assert [one["name"] for one in data["events"]] == ["卡齐娜初赛落败"]
    wrong = await world.call("get_character_events", entity="卡齐娜", event_type="birth")
    types = "sacrifice/transformation/acquisition/loss/encounter/conflict/revelation/milestone"
    assert not wrong.ok and types in (wrong.error or "")


async def test_events_of_a_chapter_are_told_in_text_order() -> None:
    """STO-12: two events of one passage stand as their words do, whatever their types."""
    shared: dict[str, Any] = {"part": 1, "chapter": 1, "event_order": 1, "primary_character": "隐士"}
    shared["participants"] = (Participant("隐士"),)
    late = MajorEvent(name="下山", event_type="acquisition", start=40, **shared)
    early = MajorEvent(name="出家", event_type="transformation", start=3, **shared)
    outcome = await World(events=[late, early]).call("get_character_events", entity="隐士")
    assert [one["name"] for one in data_of(outcome)["events"]] == ["出家", "下山"]


async def test_get_character_events_limits_and_empty() -> None:
    """STO-12: at most 20, evidence cut to 100, the total stated; nothing found comes with advice."""
    many = [
        MajorEvent(
            name=f"事{i}",
            event_type="conflict",
            primary_character="隐士",
            participants=(Participant("隐士"),),
            part=1,
            chapter=i,
            event_order=i,
            evidence="据" * 200,
        )
        for i in range(25)
    ]
    world = World(events=many)
    lines = text_of(await world.call("get_character_events", entity="隐士")).splitlines()
    assert len(lines) == 21 and lines[-1].startswith("共 25 条，显示 20 条")
    assert len(lines[0].split("证据: ")[1]) == 100
    empty = text_of(await world.call("get_character_events", entity="阿尤"))
    assert empty.startswith("未找到相关信息") and "track_journey" in empty and "search_memory" in empty


async def test_search_memory_rows() -> None:
    """STO-13 STO-15 STO-17 S000-42: the row's place, then the text; neither scores nor numbers of tasks and events."""
    outcome = await World().call("search_memory", query="玛薇卡点燃圣火，向众人立下誓言。")
    assert text_of(outcome).splitlines()[0] == f"第1部 第2章：{TEXTS[2][2]}"


async def test_search_memory_limit_is_the_attempts() -> None:
    """STO-14 PLA-01: the scope sets the rows; a limit from the model changes nothing."""
    world = World()
    outcome = await world.call("search_memory", replace(world.scope, limit=2), query="恰斯卡", limit=7)
    assert len(data_of(outcome)["items"]) == 2


async def test_search_memory_characters_hold_any() -> None:
    """STO-15: a passage of any of the characters stays, a JSON list or one name will do."""
    world = World()
    for given in (["阿尤", "火神"], '["阿尤", "玛薇卡"]'):
        items = data_of(await world.call("search_memory", query="誓言", characters=given))["items"]
        assert {item["event_order"] for item in items} == {2, 3, 5}
    one = data_of(await world.call("search_memory", query="誓言", characters="阿尤"))
    assert [item["event_order"] for item in one["items"]] == [3]


async def test_search_memory_relaxes_the_filter() -> None:
    """STO-15: a filter that leaves nothing is dropped, the names go before the query, the text says so."""
    world = World()
    outcome = await world.call("search_memory", query="圣火", characters=["无此人"])
    assert text_of(outcome).splitlines()[0] == "已放宽人物过滤"
    assert data_of(outcome)["relaxed"] is True and data_of(outcome)["items"]
    assert world.embedder.history == ["圣火", "无此人 圣火"]


async def test_search_memory_by_time() -> None:
    """STO-16: the best rows of the limit, in story order: the ending is not lost."""
    rows = [passage(i, 1, 7 * i % 8 + 1, "火" * (i + 1) + "水", ()) for i in range(8)]
    world = World(rows=rows)
    scope = replace(world.scope, limit=3)
    best = data_of(await world.call("search_memory", scope, query="火"))["items"]
    timed = data_of(await world.call("search_memory", scope, query="火", sort_by="time"))["items"]
    wanted = sorted(best, key=lambda item: item["chapter"])
    assert [item["id"] for item in timed] == [item["id"] for item in wanted] != [item["id"] for item in best]


async def test_search_memory_in_chapters_and_parts() -> None:
    """STO-13: both bounds are inclusive, and hold together; a wrong range is an error."""
    world = World()
    found = data_of(await world.call("search_memory", query="卡齐娜", chapters=[1, 2]))["items"]
    assert {(item["part"], item["chapter"]) for item in found} == {(1, 1), (1, 2), (2, 1), (2, 2)}
    found = data_of(await world.call("search_memory", query="卡齐娜", chapters=[2, 2], part=2))["items"]
    assert [(item["part"], item["chapter"]) for item in found] == [(2, 2)]
    relaxed = data_of(await world.call("search_memory", query="卡齐娜", part=2, characters=["无此人"]))
    assert relaxed["relaxed"] and {item["part"] for item in relaxed["items"]} == {2}
    assert not (await world.call("search_memory", query="卡齐娜", chapters=[2, 1])).ok


async def test_search_memory_finds_nothing() -> None:
    """STO-17 LOP-05: nothing visible is nothing found."""
    nowhere = Scope(library=LIBRARY, horizon=Horizon(0, 0))
    outcome = await World().call("search_memory", nowhere, query="火")
    assert text_of(outcome) == "未找到相关信息"


async def test_names_in_evidence_are_cited_once() -> None:
    """S000-D05: equal relations of one result are one piece."""
    same = [edge("甲", "MEETS", "乙", 1, evidence="相见", event_order=i) for i in range(3)]
    world = World(relations=same)
    outcome = await world.call("track_journey", entity="甲")
    assert outcome.result is not None and len(outcome.result.evidence) == 1


async def test_evidence_carries_the_title_of_its_chapter() -> None:
    """STO-11 S000-41: also for an imported relation, whose task has no passages; each title is looked up once."""
    world = await World(relations=[edge("甲", "MEETS", "乙", 2, task_id="relations", evidence="x")]).stock()
    toolbox = Toolbox([world.tools()["track_journey"]])
    first = await toolbox.run("track_journey", {"entity": "甲"}, world.scope, 1)
    asked = len(world.passages.asked)
    second = await toolbox.run("track_journey", {"entity": "乙"}, world.scope, 2)
    assert first.result is not None and second.result is not None
    assert [piece["title"] for piece in (*first.result.evidence, *second.result.evidence)] == ["第2章", "第2章"]
    assert asked == len(world.passages.asked) == 2
