"""The KnowledgeNetwork port: what the fake and every adapter must keep with equal results (PLA-28)."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from tests.engines import engines
from tests.fake_knowledge import FakeKnowledgeNetwork
from tests.neo4j_rig import emptied, endpoint
from tests.ontology_service.server import OntologyServer
from tools.errors import KnowledgeQueryError, KnowledgeRefused
from tools.networks.records import (
    Account,
    Condition,
    Direction,
    InstancePage,
    InstanceQuery,
    PathQuery,
    PathResult,
    RelationType,
    Sort,
    Value,
    all_of,
    any_of,
    equals,
)
from tools.ports import KnowledgeNetwork
from wenmai.knowledge.files import read_network
from wenmai.stores.neo4j import Neo4jConnection
from wenmai.stores.networks.local import KnowledgeFolders, LocalKnowledge, import_content
from wenmai.stores.networks.neo4j import Neo4jKnowledge
from wenmai.stores.networks.service import KnowledgeService, ServiceEndpoint

Kept = FakeKnowledgeNetwork | Path | OntologyServer | str
DATA = Path(__file__).parents[1] / "ontology_service" / "data"
LIN = Account("lin")
DISEASE = "disease"


@pytest.fixture(scope="module", params=engines(__name__, "fake", "local", "older", "newer", servers=("neo4j",)))
def kept(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kept]:
    """Whoever keeps the network `clinic`: the double, the files of a local one, a service of either generation."""
    if request.param == "fake":
        yield FakeKnowledgeNetwork.of(DATA / "clinic")
    elif request.param == "neo4j":
        asyncio.run(kept_by_neo4j())
        yield "neo4j"
    elif request.param == "local":
        folder = tmp_path_factory.mktemp("local")
        import_content(KnowledgeFolders(folder), read_network(DATA / "clinic", None), lambda done, total: None)
        yield folder
    else:
        with OntologyServer.of(DATA / "clinic", generation=request.param) as server:
            yield server


@pytest.fixture
async def network(kept: Kept) -> AsyncIterator[KnowledgeNetwork]:
    """The port over the network `clinic`."""
    if isinstance(kept, FakeKnowledgeNetwork):
        yield kept
        return
    if isinstance(kept, str):
        opened: Neo4jKnowledge | LocalKnowledge | KnowledgeService = Neo4jKnowledge(Neo4jConnection(endpoint()))
    else:
        opened = LocalKnowledge(kept) if isinstance(kept, Path) else KnowledgeService(endpoint_of(kept))
    yield opened
    await opened.close()


async def kept_by_neo4j() -> None:
    """Make the server hold the network, and nothing else."""
    async with emptied() as connection:
        content = read_network(DATA / "clinic", None)
        assert (await Neo4jKnowledge(connection).put(content, lambda done, total: None)).written


def endpoint_of(server: OntologyServer) -> ServiceEndpoint:
    return ServiceEndpoint(query_base=server.query_base, manager_base=server.manager_base)


async def ask(
    network: KnowledgeNetwork, condition: Condition | None, kind: str = DISEASE, limit: int = 10, total: bool = True
) -> InstancePage:
    query = InstanceQuery(object_type_id=kind, condition=condition, limit=limit, need_total=total)
    return await network.instances("clinic", query, LIN, timeout_s=5)


async def names(
    network: KnowledgeNetwork, condition: Condition | None, kind: str = DISEASE, limit: int = 10
) -> list[str]:
    return [str(row.properties[f"{kind}_name"]) for row in (await ask(network, condition, kind, limit)).rows]


async def walk(
    network: KnowledgeNetwork, relation: str, direction: Direction, kind: str, limit: int = 10, **key: Value
) -> PathResult:
    schema = await network.schema("clinic", LIN, timeout_s=5)
    [edge] = [one for one in schema.relation_types if one.id == relation]
    query = PathQuery(
        object_type_id=kind,
        key={name.replace("__", "-"): value for name, value in key.items()},
        relation=edge,
        direction=direction,
        limit=limit,
    )
    return await network.neighbours("clinic", query, LIN, timeout_s=5)


async def test_schema(network: KnowledgeNetwork) -> None:
    """KNO-07 KNO-08 KNO-09 KNO-10 KNO-11: types with properties, keys and operations; ids may hold - and _."""
    schema = await network.schema("clinic", LIN, timeout_s=5)
    assert (schema.id, schema.name) == ("clinic", "诊所")
    assert [one.id for one in schema.object_types] == ["disease", "symptom", "ward-round_2", "part", "log"]
    disease = schema.object_type(DISEASE)
    assert disease is not None
    assert (disease.name, disease.comment, disease.primary_keys, disease.display_key) == (
        "疾病",
        "疾病及其治疗",
        ("disease_id",),
        "disease_name",
    )
    operations = {one.name: set(one.condition_operations) for one in disease.properties}
    assert operations["disease_name"] == {"==", "!=", "like", "not_like", "in", "not_in"}
    symptom = schema.object_type("symptom")
    assert symptom is not None
    assert {"like", "match", "multi_match"} <= set(symptom.properties[1].condition_operations)
    assert operations["treatment"] == {"==", "!=", "match", "multi_match"}
    assert operations["money"] == {"==", "!=", "in", "not_in"}
    ward = schema.object_type("ward-round_2")
    assert ward is not None
    assert ward.primary_keys == ("ward", "bed-no")
    assert [one.name for one in ward.properties if one.mapped_field == ""] == ["note"]
    assert (
        RelationType(
            id="lies-in_ward",
            name="诊断",
            source_object_type_id="ward-round_2",
            target_object_type_id=DISEASE,
            mapping=(("disease_ref", "disease_id"),),
        )
        in schema.relation_types
    )
    assert [one.id for one in schema.relation_types if one.reflexive] == ["part_of"]


async def test_unknown_network_and_type(network: KnowledgeNetwork) -> None:
    """KNO-17: what is not there is refused with 404; that is not "no instances"."""
    for call in (
        network.schema("nowhere", LIN, timeout_s=5),
        network.instances("nowhere", InstanceQuery(object_type_id=DISEASE), LIN, timeout_s=5),
        network.instances("clinic", InstanceQuery(object_type_id="planet"), LIN, timeout_s=5),
    ):
        with pytest.raises(KnowledgeRefused) as refused:
            await call
        assert refused.value.status == 404


async def test_an_instance(network: KnowledgeNetwork) -> None:
    """KNO-16 KNO-33: every data property with its type, nulls too; system fields are none of them."""
    [row] = (await ask(network, equals("disease_name", "上、下气道梗阻"))).rows
    assert row.object_type_id == DISEASE
    assert row.properties == {
        "disease_id": "disease_004790",
        "disease_name": "上、下气道梗阻",
        "disease_english_name": None,
        "icd_id": None,
        "rate": "0.05%",
        "infection": "无传染性",
        "age": "婴幼儿",
        "treatment": "清除异物、气管切开，必要时吸氧",
        "period": "1周",
        "insurance": "是",
        "money": None,
    }


async def test_exact(network: KnowledgeNetwork) -> None:
    """KNO-18 KNO-22: equality of one field, of any of several, of all; numbers as numbers."""
    assert await names(network, equals("disease_name", "肺炎")) == ["肺炎"]
    assert await names(network, equals("disease_name", "肺")) == []
    assert await names(network, any_of(equals("disease_name", "肺炎"), equals("disease_id", "肺炎"))) == ["肺炎"]
    assert await names(network, all_of(equals("age", "老人"), equals("insurance", "否"))) == ["肺炎球菌肺炎"]
    assert await names(network, equals("money", 500)) == ["支气管炎"]
    assert await names(network, Condition("in", "money", [500, 100])) == ["支气管炎", "感冒"]


async def test_order_and_total(network: KnowledgeNetwork) -> None:
    """KNO-14 KNO-16: better score first, then primary keys; the total counts all, and is absent for none."""
    page = await ask(network, any_of(equals("infection", "有传染性"), equals("age", "老人")), limit=3)
    assert [row.properties["disease_name"] for row in page.rows] == ["肺炎", "肺炎球菌肺炎", "支气管炎"]
    assert page.total_count == 4
    assert (await ask(network, equals("disease_name", "鼠疫"))).total_count is None
    assert (await ask(network, None, total=False)).total_count is None


async def test_substring(network: KnowledgeNetwork) -> None:
    """KNO-23: like is a substring, of one character too; % and _ are characters like others."""
    assert await names(network, Condition("like", "disease_name", "气道梗阻")) == ["上、下气道梗阻"]
    assert await names(network, Condition("like", "disease_name", "炎")) == ["肺炎", "支气管炎", "肺炎球菌肺炎"]
    assert await names(network, Condition("like", "disease_name", "%")) == ["50%气道狭窄"]
    assert await names(network, Condition("like", "disease_name", "_")) == []
    assert await names(network, Condition("like", "disease_english_name", "pneu")) == ["肺炎"]


async def test_words(network: KnowledgeNetwork) -> None:
    """KNO-23: match ranks a text by the words that it shares, and needs one that is kept for it."""
    assert await names(network, Condition("match", "treatment", "抗生素治疗")) == ["肺炎", "支气管炎", "50%气道狭窄"]
    assert await names(network, Condition("match", "symptom_name", "呼吸不困难"), "symptom") == ["呼吸困难"]
    with pytest.raises(KnowledgeQueryError):
        await ask(network, Condition("match", "disease_name", "肺炎"))


@pytest.mark.parametrize(
    "condition",
    [
        any_of(),
        any_of(*[equals("disease_name", str(n)) for n in range(101)]),
        equals("colour", "红"),
        any_of(equals("disease_name", "肺炎"), equals("colour", "红")),
        equals("disease_name", ["肺炎"]),
        Condition("like", "money", "5"),
        Condition("sounds_like", "disease_name", "肺炎"),
    ],
)
async def test_a_bad_condition(network: KnowledgeNetwork, condition: Condition) -> None:
    """KNO-19 KNO-20 KNO-21 KNO-22 KNO-23: one bad part fails the whole query, and that is not "nothing found"."""
    with pytest.raises(KnowledgeQueryError) as refused:
        await ask(network, condition)
    assert refused.value.status == 400


async def test_a_hundred_conditions(network: KnowledgeNetwork) -> None:
    """KNO-20: a hundred are accepted."""
    many = any_of(*[equals("disease_name", str(n)) for n in range(99)], equals("disease_name", "感冒"))
    assert await names(network, many) == ["感冒"]


async def test_a_binary_field(network: KnowledgeNetwork) -> None:
    """KNO-21: a condition on a binary property is refused."""
    with pytest.raises(KnowledgeQueryError):
        await ask(network, equals("scan", "x"), "ward-round_2")


async def test_chosen_properties_and_order(network: KnowledgeNetwork) -> None:
    """KNO-14: only the properties that are asked for, in the order that is asked for."""
    query = InstanceQuery(
        object_type_id="symptom", properties=("symptom_name",), sort=(Sort("symptom_id", "desc"),), limit=2
    )
    page = await network.instances("clinic", query, LIN, timeout_s=5)
    assert [dict(row.properties) for row in page.rows] == [{"symptom_name": "症状不明"}, {"symptom_name": "烦躁不安"}]


async def test_pages(network: KnowledgeNetwork) -> None:
    """KNO-14: search_after leads through all instances, each once."""
    seen: list[str] = []
    after: tuple[Value, ...] = ()
    for _ in range(10):
        query = InstanceQuery(object_type_id="symptom", limit=3, search_after=after)
        page = await network.instances("clinic", query, LIN, timeout_s=5)
        seen += [str(row.properties["symptom_id"]) for row in page.rows]
        after = page.search_after
        if not after:
            break
    assert seen == [f"symptom_0{n}" for n in range(1, 8)]


async def test_neighbours_both_ways(network: KnowledgeNetwork) -> None:
    """KNO-25 KNO-27 KNO-29 S001-19: from either end; neighbours have the shape of instances."""
    out = await walk(network, "has_symptom", "outgoing", DISEASE, disease_id="disease_004790")
    assert [one.display for one in out.neighbours] == ["呼吸困难", "咳嗽", "喘鸣", "紫绀", "烦躁不安"]
    first = out.neighbours[0]
    assert (first.object_type_id, first.object_type_name) == ("symptom", "症状")
    assert first.identity == {"symptom_id": "symptom_01"}
    assert first.properties["alias"] == "气短"
    back = await walk(network, "has_symptom", "incoming", "symptom", symptom_id="symptom_03")
    assert [one.display for one in back.neighbours] == ["肺炎", "肺炎球菌肺炎", "感冒"]
    assert out.covered
    assert back.covered


async def test_neighbours_of_equal_properties(network: KnowledgeNetwork) -> None:
    """KNO-09: a direct relation joins equal values; one that no instance has leads nowhere."""
    found = await walk(network, "lies-in_ward", "incoming", DISEASE, disease_id="disease_000001")
    assert [one.display for one in found.neighbours] == ["张三", "李四"]
    found = await walk(network, "lies-in_ward", "outgoing", "ward-round_2", ward="甲_1", bed__no=1)
    assert found.neighbours == ()


async def test_composite_keys(network: KnowledgeNetwork) -> None:
    """KNO-30 S001-20: all parts of a key count, and an identity tells them apart."""
    found = await walk(network, "lies-in_ward", "outgoing", "ward-round_2", ward="甲", bed__no=2)
    assert [one.display for one in found.neighbours] == ["肺炎"]
    found = await walk(network, "seen_in", "outgoing", "symptom", symptom_id="symptom_02")
    assert [dict(one.identity) for one in found.neighbours] == [
        {"ward": "乙", "bed-no": 1},
        {"ward": "甲", "bed-no": 1},
    ]


async def test_self_relation(network: KnowledgeNetwork) -> None:
    """KNO-27 S001-19: both directions of a self-relation are told apart."""
    assert [n.display for n in (await walk(network, "part_of", "outgoing", "part", part_id=3)).neighbours] == ["胸部"]
    incoming = await walk(network, "part_of", "incoming", "part", part_id=3)
    assert [one.display for one in incoming.neighbours] == ["左肺", "右肺"]
    assert incoming.covered


async def test_limit_of_neighbours(network: KnowledgeNetwork) -> None:
    """KNO-26: no more neighbours than asked for."""
    found = await walk(network, "has_symptom", "outgoing", DISEASE, limit=2, disease_id="disease_004790")
    assert [one.display for one in found.neighbours] == ["呼吸困难", "咳嗽"]


async def test_no_neighbours(network: KnowledgeNetwork) -> None:
    """KNO-28 KNO-31: an unknown instance has none; an unknown relation is an error."""
    assert (await walk(network, "has_symptom", "outgoing", DISEASE, disease_id="disease_x")).neighbours == ()
    unknown = RelationType(id="cures", name="治", source_object_type_id=DISEASE, target_object_type_id="symptom")
    query = PathQuery(object_type_id=DISEASE, key={"disease_id": "x"}, relation=unknown, direction="outgoing")
    with pytest.raises(KnowledgeRefused) as refused:
        await network.neighbours("clinic", query, LIN, timeout_s=5)
    assert refused.value.status == 404
