"""The scenarios of knowledge.md §9, with equal results on the fake and on every adapter (PLA-28)."""

import json
from typing import Any

from tests.networks.rig import CLINIC, NetworkRig, told
from tools.networks.context import compact

QUESTION = "上气道梗阻有哪些症状"


async def test_full_flow(rig: NetworkRig) -> None:
    """S001-36 S001-01 S001-03: the whole question gives the schema; the keyword the disease with five symptoms."""
    schema = await rig.schema(QUESTION)
    assert set(schema) == {"object_types", "relation_types"}
    assert {one["concept_id"] for one in schema["object_types"]} >= {"disease", "symptom"}
    answer = await rig.keyword("上气道梗阻", "disease")
    assert set(answer) == {"keyword_context"}
    [instance] = answer["keyword_context"]["instances"]
    assert (instance["instance_id"], instance["instance_name"]) == ("disease_004790", "上、下气道梗阻")
    symptoms = [one for one in instance["neighbors"] if one["relation_type_id"] == "has_symptom"]
    assert [(one["relation_type_name"], one["relation_direction"]) for one in symptoms] == [
        ("疾病症状", "outgoing")
    ] * 5
    assert {one["instance_name"] for one in symptoms} == {"呼吸困难", "咳嗽", "喘鸣", "紫绀", "烦躁不安"}


async def test_two_keywords_on_one_schema(rig: NetworkRig) -> None:
    """S001-36 S001-06: a second keyword of another type needs no second schema call."""
    await rig.schema(QUESTION)
    first = (await rig.keyword("上气道梗阻", "disease"))["keyword_context"]
    second = (await rig.keyword("症状", "symptom"))["keyword_context"]
    assert [one["instance_id"] for one in first["instances"]] == ["disease_004790"]
    assert [one["instance_name"] for one in second["instances"]] == ["症状不明"]
    assert (second["keyword"], second["object_type_id"]) == ("症状", "symptom")


async def test_no_schema(rig: NetworkRig) -> None:
    """S001-36 S001-08 S001-11: a keyword before any schema is refused with 400, and tells what to do."""
    assert await rig.keyword("上气道梗阻") == {
        "error": "Schema信息不存在，请先调用enable_keyword_context=False召回schema",
        "status_code": 400,
        "detail": {
            "message": "请先调用knowledge_network_retrieval工具，设置enable_keyword_context=False召回schema",
            "session_id": "s1",
        },
    }


async def test_no_object_type(rig: NetworkRig) -> None:
    """S001-36 S001-09: a keyword without its object type is refused with 400."""
    await rig.schema()
    refused = await rig.keyword("上气道梗阻", None)
    assert refused == {
        "error": "object_type_id参数必须提供，用于指定关键词所属的对象类型",
        "status_code": 400,
        "detail": {
            "message": "当enable_keyword_context=True时，object_type_id参数必须提供。"
            "因为即使用关键词，但是有很多对象类型，你不知道这个关键词属于哪个对象类型。",
            "suggestion": "请提供object_type_id参数，例如：object_type_id='person'",
        },
    }


async def test_compact(rig: NetworkRig) -> None:
    """S001-36 S001-26: the compact form has no nulls and says the same; both are JSON."""
    context = await rig.context("上气道梗阻")
    small = compact(context)
    assert json.loads(json.dumps(context, ensure_ascii=False)) == context
    assert "icd_id" in context["instances"][0]["properties"]
    assert not holds_null(small) and "icd_id" not in small["instances"][0]["properties"]
    assert small["instances"][0]["instance_id"] == "disease_004790" and len(small["instances"][0]["neighbors"]) == 5


async def test_schema_calls_add_up(rig: NetworkRig) -> None:
    """S001-36 KNO-32: a second schema call of a session adds to the first, without doubles."""
    await rig.schema(QUESTION)
    first = list(rig.retrieval.sessions.open(("lin", "s1", CLINIC)).object_types)
    await rig.schema("甲病区的病人是谁")
    second = list(rig.retrieval.sessions.open(("lin", "s1", CLINIC)).object_types)
    assert second[: len(first)] == first and len(second) == len(set(second))
    assert (await rig.keyword("张三", "ward-round_2"))["keyword_context"]["instances"]


async def test_several_keywords(rig: NetworkRig) -> None:
    """S001-36 S001-24 S001-06: results merge: a repeated keyword gives its matches again, none of them new."""
    await rig.schema()
    answers = [(await rig.keyword(word, "disease"))["keyword_context"] for word in ("肺炎", "感冒", "肺炎")]
    assert [[one["instance_name"] for one in answer["instances"]] for answer in answers] == [
        ["肺炎"],
        ["感冒"],
        ["肺炎"],
    ]
    assert [answer["instances"][0]["is_new"] for answer in answers] == [True, True, False]
    assert [answer["statistics"]["new_instances"] for answer in answers] == [1, 1, 0]
    assert answers[2]["statistics"]["new_neighbors"] == 0 < answers[2]["statistics"]["total_neighbors"]


async def test_a_later_answer_tells_of_all_neighbours(rig: NetworkRig) -> None:
    """S001-24: what an earlier question of the session was told is no secret from the next one."""
    await rig.schema()
    first = await rig.keyword("肺炎")
    again = await rig.ask("肺炎", enable_keyword_context=True, object_type_id="disease")
    told = again.answer["keyword_context"]["instances"][0]["neighbors"]
    assert told and told == first["keyword_context"]["instances"][0]["neighbors"]


async def test_ids_and_names(rig: NetworkRig) -> None:
    """KNO-33 S001-15: with two *_id and two *_name fields the id and the name are the right ones."""
    [instance] = (await rig.context("肺炎"))["instances"]
    assert (instance["instance_id"], instance["instance_name"]) == ("disease_000001", "肺炎")
    assert set(instance["properties"]) == {
        "disease_id",
        "disease_name",
        "disease_english_name",
        "icd_id",
        "rate",
        "infection",
        "age",
        "treatment",
        "period",
        "insurance",
        "money",
    }


async def test_composite_keys(rig: NetworkRig) -> None:
    """S001-15 S001-20: a composite key is joined in the order of its parts; neighbours are asked by all of them."""
    context = await rig.context("张三", "ward-round_2")
    [instance] = context["instances"]
    assert (instance["instance_id"], instance["instance_name"]) == ("甲_1", "张三")
    assert told(instance, "lies-in_ward") == [("肺炎", "outgoing")]
    assert sorted(told(instance, "seen_in")) == [("发热", "incoming"), ("咳嗽", "incoming")]


async def test_self_relation(rig: NetworkRig) -> None:
    """S001-19 S001-22: both sides of a self-relation, each with the direction that was asked for."""
    [instance] = (await rig.context("胸部", "part"))["instances"]
    assert told(instance) and sorted(told(instance)) == sorted(
        [("身体", "outgoing"), ("肺", "incoming"), ("气管", "incoming")]
    )


async def test_without_primary_keys(rig: NetworkRig) -> None:
    """S001-20: an instance without primary keys has no neighbours; no relation touches its type, so none is missed."""
    context = await rig.context("开门", "log")
    assert [one["properties"] for one in context["instances"]] == [{"line": "开门"}]
    assert context["instances"][0]["neighbors"] == []


async def test_nothing_found(rig: NetworkRig) -> None:
    """S001-14 S001-33: no match is an empty success with its message, neither partial nor failed."""
    context = await rig.context("天花乱坠")
    assert context["instances"] == [] and context["message"] == "未找到匹配的实例"
    assert (context["partial"], context["failed"], context["matched_field"]) == (False, False, None)
    assert not any(context["statistics"][name] for name in context["statistics"])


async def test_numbers(rig: NetworkRig) -> None:
    """S001-34: a number is looked for in numeric properties too, a text in none of them."""
    number = await rig.context("500")
    assert [one["instance_name"] for one in number["instances"]] == ["支气管炎"] and number["matched_field"] == "money"


async def test_incoming(rig: NetworkRig) -> None:
    """S001-18 S001-19 S001-22: relations that lead to an instance are walked against their direction."""
    [instance] = (await rig.context("发热", "symptom"))["instances"]
    assert {name for name, direction in told(instance, "has_symptom") if direction == "incoming"} == {
        "肺炎",
        "肺炎球菌肺炎",
        "感冒",
    }


async def test_every_instance(rig: NetworkRig) -> None:
    """S001-12 S001-D17: "*" lists a type, each with its neighbours, on every adapter alike."""
    context = await rig.context("*", "part")
    names = [one["instance_name"] for one in context["instances"]]
    assert names == ["身体", "胸部", "肺", "左肺", "右肺", "气管"]
    assert context["statistics"]["total_instances"] == 6 and told(context["instances"][0]) == [("胸部", "incoming")]


def holds_null(value: Any) -> bool:
    """Return True if some value is null."""
    if isinstance(value, dict):
        return any(one is None or holds_null(one) for one in value.values())
    return isinstance(value, list) and any(one is None or holds_null(one) for one in value)
