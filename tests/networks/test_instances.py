"""Which instances a keyword means: usable properties, batches, two stages, ids and names (knowledge.md §4)."""

from typing import Any

import pytest

from tests.networks.ports import Scripted, network, text, thing, things, words_of
from tests.networks.rig import NetworkRig, fake_clinic, instance_queries
from tools.errors import KnowledgeTimeout
from tools.networks.keyword import parts_of
from tools.networks.records import (
    Instance,
    InstancePage,
    InstanceQuery,
    ObjectType,
    Property,
    instance_id,
    instance_name,
)


def number(name: str, **fields: object) -> Property:
    """Return a numeric property."""
    known = {"name": name, "type": "integer", "condition_operations": ("==", "in")}
    return Property(**(known | fields))  # type: ignore[arg-type]  # fields of Property


async def conditions(type: ObjectType, keyword: str) -> list[list[tuple[str, str, object]]]:
    """Return the alternatives of every query that a keyword without any match leads to."""
    port = Scripted({"n": network(type)})
    rig = NetworkRig(port, networks=("n",))
    await rig.schema("物件")
    await rig.keyword(keyword, "thing")
    assert all(query.condition is not None and query.condition.operation == "or" for query in port.asked)
    return [words_of(query.condition) for query in port.asked]


async def test_the_request() -> None:
    """S001-12 S001-13: one request: `or` of equalities, one a property, the keyword as value; limit 10, total, 5 s."""
    port = fake_clinic()
    await NetworkRig(port).context("肺炎")
    [query] = instance_queries(port)
    words = words_of(query.condition)
    assert (query.limit, query.need_total) == (10, True)
    assert len(words) == len({name for _, name, _ in words}) > 5
    assert {(operation, value) for operation, _, value in words} == {("==", "肺炎")}
    scripted = Scripted({"n": network(things())})
    rig = NetworkRig(scripted, networks=("n",))
    await rig.schema("物件")
    await rig.keyword("灯", "thing")
    assert set(scripted.timeouts) == {5.0}


async def test_usable_properties() -> None:
    """S001-34 S001-D03: strings with `==`; no binary, none without a field; numbers only for a number."""
    type = things(
        text("id"),
        text("name", "match"),
        text("hidden", mapped_field=""),
        text("mapped", mapped_field="f"),
        text("scan", type="binary"),
        text("when", type="datetime"),
        number("money"),
    )
    exact = (await conditions(type, "灯"))[0]
    assert exact == [("==", "id", "灯"), ("==", "mapped", "灯")]
    assert ("==", "money", 12) in (await conditions(type, "12"))[0]
    assert ("==", "money", 1.5) in (await conditions(type, "1.5"))[0]


async def test_batches() -> None:
    """S001-D03: more than 100 properties are asked in batches of 100, their rows merged."""
    names = [f"p{number:03}" for number in range(250)]
    pages = iter([[thing("a")], [thing("b"), thing("a")], []])
    port = Scripted(
        {"n": network(things(*(text(name) for name in names)))}, rows=lambda _: InstancePage(rows=tuple(next(pages)))
    )
    rig = NetworkRig(port, networks=("n",))
    await rig.schema("物件")
    context = (await rig.keyword("a", "thing"))["keyword_context"]
    assert [len(words_of(query.condition)) for query in port.asked] == [100, 100, 50]
    assert sorted(one["instance_id"] for one in context["instances"]) == ["a", "b"]
    assert context["statistics"]["total_instances"] == 2


async def test_nothing_to_ask() -> None:
    """S001-D03: a type without a usable property costs no call and gives a warning."""
    port = Scripted({"n": network(things(text("scan", type="binary"), number("money")))})
    rig = NetworkRig(port, networks=("n",))
    await rig.schema("物件")
    context = (await rig.keyword("灯", "thing"))["keyword_context"]
    assert port.asked == [] and context["instances"] == [] and len(context["warnings"]) == 1
    assert not context["failed"]


async def test_second_stage() -> None:
    """S001-D01: without an exact row: the keyword, then without punctuation, then its suffixes and prefixes."""
    asked = await conditions(things(text("name"), text("told", "match", type="text"), text("id", "==")), "上、气道梗阻")
    assert asked[1] == [("like", "name", "上、气道梗阻"), ("match", "told", "上、气道梗阻")]
    assert asked[2] == [("like", "name", "上气道梗阻"), ("match", "told", "上气道梗阻")]
    assert [value for operation, _, value in asked[3] if operation == "like"] == ["气道梗阻", "上气道梗"]


def test_parts() -> None:
    """S001-D01: suffixes and prefixes have at least 4 characters and 60 percent of the keyword, longer ones first."""
    assert parts_of("上气道梗阻") == ["气道梗阻", "上气道梗"]
    assert parts_of("气道梗阻") == []
    assert {len(part) for part in parts_of("一二三四五六七八九十")} == {9, 8, 7, 6}


async def test_only_what_is_like_the_keyword() -> None:
    """S001-D01: a row of the second stage is kept for its characters in order or half of its pairs, and is fuzzy."""
    rows = [thing("1", "上、下气道梗阻"), thing("2", "肠梗阻"), thing("3", "气道梗阻上")]

    def found(query: InstanceQuery) -> InstancePage:
        like = any(operation == "like" for operation, _, _ in words_of(query.condition))
        return InstancePage(rows=tuple(rows) if like else ())

    rig = NetworkRig(Scripted({"n": network(things())}, rows=found), networks=("n",))
    await rig.schema("物件")
    context = (await rig.keyword("上气道梗阻", "thing"))["keyword_context"]
    assert [(one["instance_id"], one["match_type"]) for one in context["instances"]] == [("1", "fuzzy"), ("3", "fuzzy")]
    assert context["statistics"]["total_instances"] == 2


async def test_exact_rows_come_first() -> None:
    """S001-35 S001-D01: exact rows stand first, the rest in the service's order."""
    rows = (thing("1", "灯塔站"), thing("2", "灯塔"), thing("3", "老灯塔"), thing("4", "灯塔"))
    port = Scripted({"n": network(things())}, rows=lambda _: InstancePage(rows=rows))
    rig = NetworkRig(port, networks=("n",))
    await rig.schema("物件")
    context = (await rig.keyword("灯塔", "thing"))["keyword_context"]
    assert [one["instance_id"] for one in context["instances"]] == ["2", "4", "1", "3"]
    assert [one["match_type"] for one in context["instances"]] == ["exact", "exact", "fuzzy", "fuzzy"]


async def test_matched_fields() -> None:
    """S001-16 S001-17 S001-D08: the union of the matching fields by frequency; the first is the matched one."""
    type = things(text("id"), text("name"), text("alias"), text("seat"))
    rows = (
        thing("1", "灯塔", alias="灯塔", seat="港"),
        thing("2", "灯", alias="灯塔"),
        thing("3", "灯", alias=["光", "灯塔"]),
    )
    port = Scripted({"n": network(type)}, rows=lambda _: InstancePage(rows=(*rows, rows[0])))
    rig = NetworkRig(port, networks=("n",))
    await rig.schema("物件")
    context = (await rig.keyword("灯塔", "thing"))["keyword_context"]
    assert context["statistics"]["matched_fields"] == ["alias", "name"] and context["matched_field"] == "alias"
    assert [one["instance_id"] for one in context["instances"]] == ["1", "2", "3"]


@pytest.mark.parametrize(("total", "told"), [(57, 57), (None, 10)])
async def test_totals(total: int | None, told: int) -> None:
    """S001-D17 S001-23: the service's total, or the row count where it tells none; at most 10 are returned."""
    rows = tuple(thing(f"灯{number}", "灯") for number in range(10))
    page = InstancePage(rows=rows, total_count=total)
    rig = NetworkRig(Scripted({"n": network(things())}, rows=lambda _: page), networks=("n",))
    await rig.schema("物件")
    statistics = (await rig.keyword("灯", "thing"))["keyword_context"]["statistics"]
    assert (statistics["total_instances"], statistics["returned_instances"]) == (told, 10)


DISEASE = ObjectType(id="disease", name="疾病")
BOTH = {"icd_id": "J18", "disease_id": "d1", "disease_english_name": "Pneumonia", "disease_name": "肺炎"}


@pytest.mark.parametrize(
    ("type", "instance", "id", "name"),
    [
        (DISEASE, {"properties": BOTH}, "d1", "肺炎"),
        (DISEASE, {"properties": BOTH | {"disease_id": None, "disease_name": None}}, "J18", "Pneumonia"),
        (DISEASE, {"properties": BOTH, "display": "肺部炎症"}, "d1", "肺部炎症"),
        (
            ObjectType(id="disease", name="疾病", primary_keys=("icd_id",), display_key="disease_english_name"),
            {"properties": BOTH},
            "J18",
            "Pneumonia",
        ),
        (
            ObjectType(id="bed", name="床", primary_keys=("ward", "bed")),
            {"properties": {}, "identity": {"bed": 2, "ward": "甲"}},
            "甲_2",
            "甲_2",
        ),
        (
            ObjectType(id="bed", name="床", primary_keys=("ward", "bed")),
            {"properties": {"ward": "甲", "bed": None}},
            "甲___NULL__",
            "甲___NULL__",
        ),
    ],
)
def test_id_and_name(type: ObjectType, instance: dict[str, object], id: str, name: str) -> None:
    """S001-15 S001-D04 KNO-33: identity, then keys in their order, then *_id; display, display_key, *_name, the id."""
    one = Instance(object_type_id=type.id, **instance)  # type: ignore[arg-type]  # fields of Instance
    assert (instance_id(one, type), instance_name(one, type)) == (id, name)


async def test_rows_without_any_key_stay_apart() -> None:
    """S001-D04: rows that have neither key nor *_id are told apart by what they hold."""
    rows = tuple(Instance(object_type_id="thing", properties={"line": text}) for text in ("开门", "开门了"))
    port = Scripted({"n": network(things(text("line"), keys=(), display=""))}, rows=lambda _: InstancePage(rows=rows))
    rig = NetworkRig(port, networks=("n",))
    await rig.schema("物件")
    context = (await rig.keyword("开门", "thing"))["keyword_context"]
    assert [one["properties"]["line"] for one in context["instances"]] == ["开门", "开门了"]
    assert len({one["instance_id"] for one in context["instances"]}) == 2


async def test_every_instance() -> None:
    """S001-12 S001-23 S001-D17: "*" is no value to look for: the first ten instances of the type, and how many."""
    port = fake_clinic()
    rig = NetworkRig(port)
    context = await rig.context("*", "symptom")
    assert [one["instance_name"] for one in context["instances"]][:2] == ["呼吸困难", "咳嗽"]
    assert context["statistics"]["total_instances"] == len(context["instances"]) == 7
    [query] = instance_queries(port)
    assert (query.condition, query.limit, query.need_total) == (None, 10, True)


async def test_every_instance_of_a_large_type() -> None:
    """S001-23 S001-31: beyond ten the total says how many there are; a failure is no empty type."""
    port = Scripted({"n": network(things())}, rows=lambda _: InstancePage(rows=(thing("灯"),), total_count=2_000))
    rig = NetworkRig(port, networks=("n",))
    await rig.schema("物件")
    found = (await rig.keyword("*", "thing"))["keyword_context"]
    assert (found["statistics"]["total_instances"], found["statistics"]["returned_instances"]) == (2_000, 1)

    def broken(_: Any) -> InstancePage:
        raise KnowledgeTimeout("slow")

    port.rows = broken
    found = (await rig.keyword("*", "thing"))["keyword_context"]
    assert found["failed"] and found["message"] is None
