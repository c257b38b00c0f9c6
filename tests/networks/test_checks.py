"""The checks of keyword mode, in their order, and whose networks a call may name (knowledge.md §2-3)."""

from typing import Any

import pytest

from tests.fake_knowledge import FakeKnowledgeNetwork
from tests.networks.ports import Scripted, network, things
from tests.networks.rig import CLINIC, NetworkRig, fake_clinic, instance_queries
from tools.errors import KnowledgeFailed, KnowledgeRefused, KnowledgeTimeout


@pytest.fixture
def clinic() -> FakeKnowledgeNetwork:
    return fake_clinic()


@pytest.fixture
def rig(clinic: FakeKnowledgeNetwork) -> NetworkRig:
    return NetworkRig(clinic)


def error(answer: dict[str, Any]) -> tuple[str, int]:
    """Return the error of an answer in the shape of S001-11."""
    assert set(answer) == {"error", "status_code", "detail"}
    return answer["error"], answer["status_code"]


async def test_order_of_the_checks(rig: NetworkRig) -> None:
    """S001-07 S001-D02 S001-11: session, schema, object type, known object type, blank query; all of them 400."""
    bad: dict[str, Any] = {"session_id": None}
    assert error(await rig.keyword(" ", None, **bad)) == ("session_id参数必须提供，用于存储和检索schema信息", 400)
    assert error(await rig.keyword(" ", None))[0].startswith("Schema信息不存在")
    await rig.schema()
    assert error(await rig.keyword(" ", None))[0].startswith("object_type_id参数必须提供")
    unknown = await rig.keyword(" ", "nothing")
    assert error(unknown) == ("object_type_id不存在于已召回的schema中", 400)
    assert error(await rig.keyword(" ", "disease")) == ("query参数不能为空", 400)


async def test_no_session(rig: NetworkRig) -> None:
    """S001-10 S001-07: keyword mode invents no session id."""
    refused = await rig.keyword("肺炎", session_id=None)
    assert (refused["error"], refused["detail"]) == ("session_id参数必须提供，用于存储和检索schema信息", {})
    assert len(rig.retrieval.sessions) == 0


async def test_a_generated_session(rig: NetworkRig) -> None:
    """S001-07: schema mode may generate a session id; then it returns it, and keywords work under it."""
    schema = await rig.schema(session_id=None)
    assert schema["session_id"] == "new-1"
    found = await rig.keyword("肺炎", session_id="new-1")
    assert found["keyword_context"]["instances"]
    assert "session_id" not in await rig.schema()


async def test_unknown_object_type(rig: NetworkRig) -> None:
    """S001-D10: an object type that was not recalled is refused with those that were."""
    await rig.schema()
    refused = await rig.keyword("肺炎", "weather")
    available = ["disease", "symptom", "ward-round_2", "part", "log"]
    assert refused["detail"] == {"available_object_type_ids": available}


async def test_blank_query(rig: NetworkRig) -> None:
    """S001-D11: a blank keyword is refused after all else was right."""
    await rig.schema()
    assert await rig.keyword("\n ") == {"error": "query参数不能为空", "status_code": 400, "detail": {}}


@pytest.mark.parametrize(
    ("query", "warned"), [("肺炎", False), ("肺炎有什么症状？", True), ("肺炎" * 21, True), ("肺炎" * 20, False)]
)
async def test_a_question_for_a_keyword(rig: NetworkRig, query: str, warned: bool) -> None:
    """S001-D11: what is a question rather than a keyword is warned of, not refused."""
    context = await rig.context(query)
    assert bool(context["warnings"]) == warned and not context["failed"]


async def test_the_keyword_is_used_as_it_is(rig: NetworkRig, clinic: FakeKnowledgeNetwork) -> None:
    """S001-04: one keyword, as it is, never split; the answer is only the keyword context."""
    await rig.schema()
    answer = await rig.keyword("肺炎 感冒")
    assert set(answer) == {"keyword_context"} and answer["keyword_context"]["keyword"] == "肺炎 感冒"
    condition = instance_queries(clinic)[0].condition
    assert condition is not None and {one.value for one in condition.sub_conditions} == {"肺炎 感冒"}


async def test_keyword_mode_recalls_no_schema(rig: NetworkRig, clinic: FakeKnowledgeNetwork) -> None:
    """S001-05 S001-03: a keyword call never asks for a schema; the schema step is the default, whatever was before."""
    await rig.keyword("肺炎")
    assert clinic.history == []
    await rig.schema()
    await rig.keyword("肺炎")
    assert [method for method, *_ in clinic.history].count("schema") == 1
    assert set(await rig.schema("肺炎")) == {"object_types", "relation_types"}


async def test_several_networks_with_the_type() -> None:
    """S001-D12: two networks that hold the object type: kn_ids must name one."""
    port = Scripted({"a": network(things(), id="a"), "b": network(things(), id="b")})
    rig = NetworkRig(port, networks=("a", "b"))
    await rig.schema("物件")
    refused = await rig.keyword("灯", "thing")
    assert error(refused) == ("关键词召回只支持一个知识网络，请指定kn_ids", 400)
    assert refused["detail"] == {"kn_ids": ["a", "b"]}
    assert "keyword_context" in await rig.keyword("灯", "thing", kn_ids=[{"knowledge_network_id": "b"}])


async def test_only_the_networks_of_the_run(rig: NetworkRig, clinic: FakeKnowledgeNetwork) -> None:
    """S001-02: kn_ids may name a subset of the run's networks, as ids or as objects, and nothing beyond."""
    refused = await rig.schema(kn_ids=["other"], allowed=[CLINIC])
    assert error(refused)[1] == 400 and refused["detail"]["unknown"] == ["other"] and clinic.history == []
    named = await rig.schema(kn_ids=[{"knowledge_network_id": CLINIC}], allowed=[CLINIC, "more"])
    assert named["object_types"]
    assert (await rig.schema(kn_ids=None, allowed=[CLINIC]))["object_types"] == named["object_types"]
    assert error(await rig.schema(kn_ids=None, allowed=[])) == ("没有指定知识网络（kn_ids）", 400)


@pytest.mark.parametrize("status", [401, 403, 404])
async def test_refusals_are_passed_on(rig: NetworkRig, clinic: FakeKnowledgeNetwork, status: int) -> None:
    """KNO-32 S001-33: 401, 403 and 404 of the service come through, of every interface; nothing is saved.

    The service's own words, which may hold its addresses, do not.
    """
    for method in ("schema", "instances", "neighbours"):
        clinic.failures = {method: KnowledgeRefused("http://inside:13018 says no", status, "Code")}
        answer = await (rig.schema() if method == "schema" else rig.keyword("肺炎"))
        assert error(answer)[1] == status and CLINIC in answer["error"] and "inside" not in str(answer)
        clinic.failures = {}
        if method == "schema":
            assert len(rig.retrieval.sessions) == 0
        await rig.schema()


async def test_an_unknown_network(rig: NetworkRig) -> None:
    """S001-D12: an unknown network is the service's 404, passed on."""
    assert error(await rig.schema(kn_ids=["atlantis"]))[1] == 404


@pytest.mark.parametrize("failure", [KnowledgeTimeout("slow"), KnowledgeFailed("broken", 503)])
async def test_a_dead_service_is_502(rig: NetworkRig, clinic: FakeKnowledgeNetwork, failure: Exception) -> None:
    """KNO-32: a time-out or a 5xx of the schema is 502, with nothing saved; what was saved before stays."""
    clinic.failures = {"schema": failure}
    assert error(await rig.schema()) == ("知识网络服务暂时不可用", 502)
    assert len(rig.retrieval.sessions) == 0
    clinic.failures = {}
    await rig.schema()
    clinic.failures = {"schema": failure}
    assert error(await rig.schema())[1] == 502
    assert (await rig.keyword("肺炎"))["keyword_context"]["instances"]
