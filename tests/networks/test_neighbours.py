"""Neighbours: one path a request, both directions, limits shared fairly, what fails is named (knowledge.md §5-8)."""

import asyncio
from typing import Any

import pytest

from tests.networks.ports import Scripted, network, relation, text, thing, things
from tests.networks.rig import NetworkRig, fake_clinic, path_queries, told
from tools.errors import KnowledgeFailed, KnowledgeTimeout
from tools.networks.records import Account, Instance, InstancePage, ObjectType, PathQuery, PathResult, Property

KEEPER = ObjectType(id="keeper", name="看守", properties=(Property(name="id"),), primary_keys=("id",))


def around(count: int) -> Any:
    """Return `count` neighbours of each path, named by start, relation and direction."""

    def found(query: PathQuery) -> PathResult:
        name = f"{query.key['id']}-{query.relation.id}-{query.direction}"
        ids = [f"{name}-{number}" for number in range(count)]
        type_id = query.neighbour_type_id
        rows = tuple(Instance(object_type_id=type_id, properties={"id": id}, identity={"id": id}) for id in ids)
        return PathResult(neighbours=rows)

    return found


def rig_of(port: Scripted) -> NetworkRig:
    return NetworkRig(port, networks=("n",))


async def context(rig: NetworkRig, keyword: str = "灯") -> dict[str, Any]:
    await rig.schema("物件")
    found: dict[str, Any] = (await rig.keyword(keyword, "thing"))["keyword_context"]
    return found


def lamps(count: int) -> Any:
    rows = tuple(thing(f"灯{number}", "灯") for number in range(count))
    return lambda _: InstancePage(rows=rows)


async def test_the_requests() -> None:
    """S001-20 S001-D15 S001-D06 S001-D05: one path a request, from the instance by all its keys, limit 10, 5 s."""
    port = fake_clinic()
    await NetworkRig(port).context("张三", "ward-round_2")
    asked = [(one.relation.id, one.direction, dict(one.key), one.limit) for one in path_queries(port)]
    key = {"ward": "甲", "bed-no": 1}
    assert asked == [("lies-in_ward", "outgoing", key, 10), ("seen_in", "incoming", key, 10)]
    scripted = Scripted({"n": network(things(), relations=[relation("r")])}, rows=lamps(1), around=around(1))
    await context(rig_of(scripted))
    assert set(scripted.timeouts) == {5.0}


async def test_only_relations_that_touch_the_type() -> None:
    """S001-18: relations of other types are not asked; a type without any has instances without neighbours."""
    relations = [relation("near", "keeper", "keeper"), relation("of", "keeper", "thing")]
    port = Scripted({"n": network(things(), KEEPER, relations=relations)}, rows=lamps(1), around=around(1))
    [instance] = (await context(rig_of(port)))["instances"]
    assert [(one.relation.id, one.direction) for one in port.walked] == [("of", "incoming")]
    assert len(instance["neighbors"]) == 1
    alone = Scripted({"n": network(things())}, rows=lamps(1))
    assert (await context(rig_of(alone)))["instances"][0]["neighbors"] == [] and alone.walked == []


async def test_neighbour_fields() -> None:
    """S001-29 S001-21 S001-D18 S001-22: what is told of a neighbour; its direction is that of the request."""
    port = Scripted({"n": network(things(), KEEPER, relations=[relation("of", "keeper", "thing")])}, rows=lamps(1))
    person = {"id": "k1", "keeper_name": "顾长庚"}
    port.around = lambda _: PathResult(
        neighbours=(Instance(object_type_id="keeper", properties=person, identity={"id": "k1"}),)
    )
    [instance] = (await context(rig_of(port)))["instances"]
    assert instance["neighbors"] == [
        {
            "instance_id": "k1",
            "object_type_id": "keeper",
            "instance_name": "顾长庚",
            "relation_type_id": "of",
            "relation_type_name": "关系of",
            "relation_direction": "incoming",
            "properties": person,
        }
    ]
    assert set(instance) == {
        "instance_id",
        "object_type_id",
        "instance_name",
        "properties",
        "neighbors",
        "match_type",
        "is_new",
    }


async def test_limits_are_shared() -> None:
    """S001-23 S001-D09 S001-30: 10 a relation and direction, 50 in all, in turn over instances and relations."""
    relations = [relation("a"), relation("b")]
    port = Scripted({"n": network(things(), relations=relations)}, rows=lamps(2), around=around(12))
    found = await context(rig_of(port))
    counts = [len(told(instance)) for instance in found["instances"]]
    assert counts == [26, 24] or counts == [25, 25]
    assert found["statistics"]["total_neighbors"] == 50
    assert found["statistics"]["neighbors_truncated"] == 2 * 4 * 10 - 50
    by_list = [
        len([one for one in told(instance, id) if one[1] == direction])
        for instance in found["instances"]
        for id in "ab"
        for direction in ("outgoing", "incoming")
    ]
    assert max(by_list) - min(by_list) <= 1


async def test_statistics() -> None:
    """S001-30 S001-27 S001-28: every figure of an answer, and no key beside the keyword context's own."""
    port = Scripted({"n": network(things(), relations=[relation("a")])}, rows=lamps(2), around=around(1))
    found = await context(rig_of(port))
    assert found["statistics"] == {
        "total_instances": 2,
        "returned_instances": 2,
        "total_neighbors": 4,
        "matched_fields": ["name"],
        "new_instances": 2,
        "new_neighbors": 4,
        "neighbors_truncated": 0,
    }
    assert list(found) == [
        "keyword",
        "object_type_id",
        "matched_field",
        "instances",
        "statistics",
        "message",
        "warnings",
        "partial",
        "failed",
    ]
    assert found["message"] is None


async def test_at_most_five_at_once() -> None:
    """S001-20 S001-35: paths run side by side, five at most."""
    port = Scripted({"n": network(things(), relations=[relation(id) for id in "abc"])}, rows=lamps(3), pause_s=0.01)
    await context(rig_of(port))
    assert len(port.walked) == 18 and port.most == 5


async def test_kept_for_the_session() -> None:
    """S001-20 S001-35: paths of a session are not asked twice; another account's session asks anew."""
    port = fake_clinic()
    rig = NetworkRig(port)
    await rig.context("肺炎")
    once = len(path_queries(port))
    again = await rig.context("肺炎")
    assert len(path_queries(port)) == once and told(again["instances"][0])
    await rig.schema(account=Account("mei"))
    await rig.keyword("肺炎", account=Account("mei"))
    assert len(path_queries(port)) == 2 * once
    assert {account.id for _, _, account, query in port.history if isinstance(query, PathQuery)} == {"lin", "mei"}


async def test_thirty_seconds_over_all() -> None:
    """S001-20 S001-33: what is not asked within 30 seconds is left out, and said so: partial, not lost."""
    port = Scripted({"n": network(things(), relations=[relation(id) for id in "abcd"])}, rows=lamps(1))
    rig = rig_of(port)

    def slow(query: PathQuery) -> PathResult:
        rig.clock.seconds += 16
        return around(1)(query)  # type: ignore[no-any-return]  # a PathResult

    port.around = slow
    found = await context(rig)
    assert len(port.walked) == 5 and found["partial"] and not found["failed"]
    assert any("timeout" in warning for warning in found["warnings"])
    assert found["instances"][0]["neighbors"]


async def test_without_primary_keys() -> None:
    """S001-20: an instance without primary keys has no neighbours, and the answer says why."""
    port = Scripted(
        {"n": network(things(text("name"), keys=(), display="name"), relations=[relation("a")])},
        rows=lambda _: InstancePage(rows=(Instance(object_type_id="thing", properties={"name": "灯"}),)),
    )
    found = await context(rig_of(port))
    assert port.walked == [] and len(found["instances"]) == 1
    assert len(found["warnings"]) == 1 and "主键" in found["warnings"][0] and not found["partial"]


async def test_partly_covered_self_relation() -> None:
    """S001-19: the incoming side of a self-relation that a service could cover only in part is warned of."""
    port = Scripted({"n": network(things(), relations=[relation("a")])}, rows=lamps(1))
    port.around = lambda query: PathResult(covered=query.direction == "outgoing")
    found = await context(rig_of(port))
    assert found["warnings"] == ["关系 关系a 的入向邻居只覆盖了前 1000 个起点"]


@pytest.mark.parametrize("failure", [KnowledgeTimeout("slow"), KnowledgeFailed("broken", 503)])
async def test_interface_2_fails(failure: Exception, caplog: pytest.LogCaptureFixture) -> None:
    """S001-32 S001-33 S001-D14: the instances come without those neighbours; the relation is named and logged."""

    def broken(query: PathQuery) -> PathResult:
        if query.relation.id == "b":
            raise failure
        return around(1)(query)  # type: ignore[no-any-return]  # a PathResult

    relations = [relation("a"), relation("b")]
    port = Scripted({"n": network(things(), relations=relations)}, rows=lamps(1), around=broken)
    found = await context(rig_of(port))
    assert (found["partial"], found["failed"]) == (True, False)
    assert {one["relation_type_id"] for one in found["instances"][0]["neighbors"]} == {"a"}
    assert found["warnings"] and all("关系b" in warning for warning in found["warnings"])
    assert any("interface 2 failed" in one.message and " b:" in one.message for one in caplog.records)


async def test_a_failed_path_is_asked_again() -> None:
    """S001-32: what failed is not kept: the next call of the session asks for it again."""
    port = fake_clinic()
    rig = NetworkRig(port)
    port.failures = {"neighbours": KnowledgeFailed("broken", 500)}
    assert (await rig.context("肺炎"))["instances"][0]["neighbors"] == []
    port.failures = {}
    assert (await rig.context("肺炎"))["instances"][0]["neighbors"]


@pytest.mark.parametrize("failure", [KnowledgeTimeout("slow"), KnowledgeFailed("broken", 500)])
async def test_interface_1_fails(failure: Exception, caplog: pytest.LogCaptureFixture) -> None:
    """S001-31 S001-33 S001-D14: no instances, failed, a warning; the schema and other keywords live on."""
    port = fake_clinic()
    rig = NetworkRig(port)
    await rig.schema()
    port.failures = {"instances": failure}
    found = (await rig.keyword("肺炎"))["keyword_context"]
    assert (found["instances"], found["failed"], found["partial"], found["message"]) == ([], True, False, None)
    assert len(found["warnings"]) == 1
    record = next(one for one in caplog.records if "interface 1 failed" in one.message)
    assert "肺炎" in record.message and "disease" in record.message and str(failure) in record.message
    port.failures = {}
    assert (await rig.keyword("感冒"))["keyword_context"]["instances"]


async def test_a_batch_fails() -> None:
    """S001-33 S001-31: of two batches one fails: what succeeded is told, partial, with a warning."""
    pages = iter([InstancePage(rows=(thing("灯"),)), None])

    def rows(_: Any) -> InstancePage:
        page = next(pages)
        if page is None:
            raise KnowledgeTimeout("slow")
        return page

    port = Scripted({"n": network(things(*(text(f"p{number}") for number in range(101))))}, rows=rows)
    found = await context(rig_of(port))
    assert (found["partial"], found["failed"], len(found["instances"]), len(found["warnings"])) == (True, False, 1, 1)


async def test_a_failed_first_stage_is_no_empty_result() -> None:
    """S001-33: where the exact stage failed and the second finds nothing, that is a failure, not "not found"."""
    stages = iter([KnowledgeTimeout("slow")])

    def rows(_: Any) -> InstancePage:
        if failure := next(stages, None):
            raise failure
        return InstancePage()

    found = await context(rig_of(Scripted({"n": network(things())}, rows=rows)))
    assert found["failed"] and found["message"] is None and found["warnings"]


async def test_concurrent_keywords_share_a_session() -> None:
    """S001-25 S001-20: keywords at once in one session: each its own instances, and no path is asked twice."""
    port = fake_clinic()
    rig = NetworkRig(port)
    await rig.schema()
    answers = await asyncio.gather(*(rig.keyword(word) for word in ("肺炎", "感冒", "肺炎")))
    assert [answer["keyword_context"]["instances"][0]["instance_name"] for answer in answers] == [
        "肺炎",
        "感冒",
        "肺炎",
    ]
    assert sorted(answer["keyword_context"]["instances"][0]["is_new"] for answer in answers) == [False, True, True]
    asked = [(str(query.key), query.relation.id, query.direction) for query in path_queries(port)]
    assert asked and len(asked) == len(set(asked))
