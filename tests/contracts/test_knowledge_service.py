"""The client of an ontology-query service: what it sends, what it makes of answers and of troubles."""

import asyncio
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.ontology_service.faults import Fault, Kind
from tests.ontology_service.network import Network, load
from tests.ontology_service.server import OntologyServer
from tools.errors import (
    KnowledgeFailed,
    KnowledgeQueryError,
    KnowledgeRefused,
    KnowledgeTimeout,
    StoreUnavailable,
)
from tools.networks.records import (
    Account,
    Condition,
    Direction,
    InstancePage,
    InstanceQuery,
    PathQuery,
    PathResult,
    RelationType,
    any_of,
    equals,
)
from wenmai.settings.settings import load_settings
from wenmai.stores.networks.local import LocalKnowledge
from wenmai.stores.networks.networks import KnowledgeNetworks, knowledge_service_of
from wenmai.stores.networks.service import KnowledgeService, ServiceEndpoint

DATA = Path(__file__).parents[1] / "ontology_service" / "data"
LIN = Account("林 7", "app")
DISEASES = InstanceQuery(object_type_id="disease")
SYMPTOMS = RelationType(
    id="has_symptom", name="疾病症状", source_object_type_id="disease", target_object_type_id="symptom"
)
PART_OF = RelationType(id="part_of", name="属于", source_object_type_id="part", target_object_type_id="part")
LARGE = 1_001


def parts(count: int) -> Network:
    """Return a network of so many parts, all of which belong to the first."""
    names = [{"name": "part_id", "type": "integer"}, {"name": "part_name", "type": "string"}]
    kind = {"id": "part", "name": "部位", "primary_keys": ["part_id"], "display_key": "part_name", "properties": names}
    relation = {"id": "part_of", "name": "属于", "source": "part", "target": "part", "links": "x"}
    rows = [{"part_id": n, "part_name": f"部位{n}"} for n in range(count)]
    schema = {"id": f"parts{count}", "object_types": [kind], "relation_types": [relation]}
    return Network(schema, {"part": rows}, {"part_of": [((n,), (0,)) for n in range(1, count)]})


@pytest.fixture(scope="module", params=["older", "newer"])
def server(request: pytest.FixtureRequest) -> Iterator[OntologyServer]:
    with OntologyServer([load(DATA / "clinic"), parts(LARGE), parts(3)], request.param) as running:
        yield running


@pytest.fixture
async def client(server: OntologyServer) -> AsyncIterator[KnowledgeService]:
    server.well()
    opened = KnowledgeService(ServiceEndpoint(query_base=server.query_base, manager_base=server.manager_base))
    yield opened
    await opened.close()


async def found(client: KnowledgeService, query: InstanceQuery = DISEASES, timeout_s: float = 5) -> InstancePage:
    return await client.instances("clinic", query, LIN, timeout_s=timeout_s)


async def walked(
    client: KnowledgeService,
    relation: RelationType = SYMPTOMS,
    direction: Direction = "outgoing",
    network: str = "clinic",
    **key: Any,
) -> PathResult:
    kind = relation.source_object_type_id if direction == "outgoing" else relation.target_object_type_id
    own = key or {"disease_id": "disease_004790"}
    query = PathQuery(object_type_id=kind, key=own, relation=relation, direction=direction)
    return await client.neighbours(network, query, LIN, timeout_s=5)


async def test_request_for_a_schema(client: KnowledgeService, server: OntologyServer) -> None:
    """KNO-01 KNO-02 KNO-07: the manager's internal route, in full, for the run's account."""
    await client.schema("clinic", LIN, timeout_s=5)
    [came] = server.requests
    assert (came.method, came.path) == ("GET", "/api/ontology-manager/in/v1/knowledge-networks/clinic")
    assert came.params == {"include_detail": "true", "mode": "export"}
    assert (came.headers["x-account-id"], came.headers["x-account-type"]) == ("%E6%9E%97 7", "app")
    assert "authorization" not in came.headers


async def test_request_for_instances(client: KnowledgeService, server: OntologyServer) -> None:
    """KNO-03 KNO-04 KNO-14 KNO-15 KNO-18: the override, the content type, the limit and value_from are always sent."""
    words = Condition("multi_match", "treatment", "治疗")
    await found(client, InstanceQuery(object_type_id="disease", condition=any_of(equals("rate", "1%"), words)))
    [came] = server.requests
    assert came.path == "/api/ontology-query/in/v1/knowledge-networks/clinic/object-types/disease"
    assert (came.headers["x-http-method-override"], came.headers["content-type"]) == ("GET", "application/json")
    assert came.body == {
        "limit": 10,
        "need_total": False,
        "condition": {
            "operation": "or",
            "sub_conditions": [
                {"operation": "==", "field": "rate", "value": "1%", "value_from": "const"},
                {
                    "operation": "multi_match",
                    "field": "treatment",
                    "fields": ["treatment"],
                    "value": "治疗",
                    "value_from": "const",
                },
            ],
        },
    }


async def test_request_for_neighbours(client: KnowledgeService, server: OntologyServer) -> None:
    """KNO-24 KNO-25 KNO-31 S001-19 S001-20 S001-D04: one path from the instance's key; the other end is unfiltered."""
    await walked(client)
    await walked(client, direction="incoming", symptom_id="symptom_02")
    forward, back = server.requests
    assert forward.params == {"query_type": "relation_path"}
    key = {"operation": "==", "field": "disease_id", "value": "disease_004790", "value_from": "const"}
    edge = {"relation_type_id": "has_symptom"}
    assert forward.body["relation_type_paths"] == [
        {
            "object_types": [{"id": "disease", "condition": key, "limit": 1}, {"id": "symptom", "limit": 10}],
            "relation_types": [{**edge, "source_object_type_id": "disease", "target_object_type_id": "symptom"}],
            "limit": 10,
        }
    ]
    [path] = back.body["relation_type_paths"]
    assert [one["id"] for one in path["object_types"]] == ["symptom", "disease"]
    assert path["relation_types"] == [{**edge, "source_object_type_id": "symptom", "target_object_type_id": "disease"}]


async def test_composite_key_of_a_path(client: KnowledgeService, server: OntologyServer) -> None:
    """S001-20: a composite key is the conjunction of its parts."""
    kind = RelationType(
        id="lies-in_ward", name="", source_object_type_id="ward-round_2", target_object_type_id="disease"
    )
    key = {"ward": "甲", "bed-no": 2}
    query = PathQuery(object_type_id="ward-round_2", key=key, relation=kind, direction="outgoing")
    result = await client.neighbours("clinic", query, LIN, timeout_s=5)
    [path] = server.requests[0].body["relation_type_paths"]
    condition = path["object_types"][0]["condition"]
    assert (condition["operation"], [one["field"] for one in condition["sub_conditions"]]) == (
        "and",
        ["ward", "bed-no"],
    )
    assert [one.display for one in result.neighbours] == ["肺炎"]


async def test_incoming_side_of_a_self_relation(client: KnowledgeService, server: OntologyServer) -> None:
    """KNO-26 KNO-27 S001-19: it starts at the unfiltered type with limit 1000; a larger type is partly covered."""
    small = await walked(client, PART_OF, "incoming", "parts3", part_id=0)
    assert [one.display for one in small.neighbours] == ["部位1", "部位2"]
    assert small.covered
    [path] = next(one.body["relation_type_paths"] for one in server.requests if one.route == "subgraph")
    assert path["object_types"][0] == {"id": "part", "limit": 1000}
    assert path["object_types"][1]["condition"]["value"] == 0
    large = await walked(client, PART_OF, "incoming", f"parts{LARGE}", part_id=0)
    assert len(large.neighbours) == 10
    assert not large.covered
    assert (await walked(client, PART_OF, "outgoing", f"parts{LARGE}", part_id=5)).covered


async def test_external_routes(server: OntologyServer) -> None:
    """KNO-02: with external addresses and a token both sides are asked there; without one 401 is passed on."""
    server.well()
    base = server.query_base.replace("/in/v1", "/v1")
    inside = KnowledgeService(
        ServiceEndpoint(base, server.manager_base, token=server.service.token, business_domain="bd")
    )
    assert (await inside.schema("clinic", LIN, timeout_s=5)).name == "诊所"
    assert len((await found(inside)).rows) == 6
    assert server.requests[0].path == "/api/ontology-manager/v1/knowledge-networks/clinic"
    assert server.requests[1].headers["x-business-domain"] == "bd"
    outside = KnowledgeService(ServiceEndpoint(base, server.manager_base))
    with pytest.raises(KnowledgeRefused) as refused:
        await found(outside)
    assert refused.value.status == 401
    await inside.close()
    await outside.close()


@pytest.mark.parametrize("status", [401, 403, 404])
async def test_refusals_are_passed_on(client: KnowledgeService, server: OntologyServer, status: int) -> None:
    """KNO-05: 401, 403 and 404 keep their status and the service's code."""
    server.fault("instances", Fault("status", status=status))
    with pytest.raises(KnowledgeRefused) as refused:
        await found(client)
    assert refused.value.status == status
    assert refused.value.code.startswith("OntologyQuery.")
    assert "data view is not available" in str(refused.value)


@pytest.mark.parametrize("status", [400, 406, 422])
async def test_refused_queries(client: KnowledgeService, server: OntologyServer, status: int) -> None:
    """KNO-04 KNO-05: other refusals are judged by the status; asking again cannot help, so they are not transient."""
    server.fault("instances", Fault("status", status=status))
    with pytest.raises(KnowledgeQueryError) as refused:
        await found(client)
    assert refused.value.status == status
    assert not isinstance(refused.value, StoreUnavailable)
    assert len(server.requests) == 1


TROUBLES: list[tuple[Kind, type[Exception]]] = [
    ("hang", KnowledgeTimeout),
    ("slow", KnowledgeTimeout),
    ("status", KnowledgeFailed),
    ("empty", KnowledgeFailed),
    ("gateway", KnowledgeFailed),
    ("null objects", KnowledgeFailed),
    ("closed", KnowledgeFailed),
    ("cut", KnowledgeFailed),
]


@pytest.mark.parametrize(("kind", "error"), TROUBLES)
@pytest.mark.parametrize("route", ["instances", "subgraph", "schema"])
async def test_troubles(
    client: KnowledgeService, server: OntologyServer, kind: Kind, error: type[Exception], route: Any
) -> None:
    """KNO-24 KNO-34: no trouble is taken for an empty answer, on any route; afterwards the client works on."""
    relation = RelationType(id="has_symptom", name="", source_object_type_id="disease", target_object_type_id="symptom")
    query = PathQuery(
        object_type_id="disease", key={"disease_id": "disease_004790"}, relation=relation, direction="outgoing"
    )
    server.fault(route, Fault(kind, seconds=2))
    limit = 0.5 if error is KnowledgeTimeout else 10.0
    with pytest.raises(error):
        match route:
            case "instances":
                await client.instances("clinic", DISEASES, LIN, timeout_s=limit)
            case "subgraph":
                await client.neighbours("clinic", query, LIN, timeout_s=limit)
            case _:
                await client.schema("clinic", LIN, timeout_s=limit)
    server.well()
    assert len((await found(client)).rows) == 6


@pytest.mark.parametrize("kind", ["closed", "cut"])
async def test_a_broken_connection_is_tried_once_more(
    client: KnowledgeService, server: OntologyServer, kind: Kind
) -> None:
    """KNO-31: a server that crashed and is up again has answered at the second try; queries change nothing."""
    server.fault("instances", Fault(kind, times=1))
    assert len((await found(client)).rows) == 6
    assert len(server.requests) == 2


async def test_no_server_at_all() -> None:
    """KNO-17: a service that cannot be reached is a failure with its address, not an empty network."""
    client = KnowledgeService(ServiceEndpoint("http://127.0.0.1:9/in/v1", "http://127.0.0.1:9"))
    with pytest.raises(KnowledgeFailed, match=r"127\.0\.0\.1:9"):
        await found(client)
    await client.close()


async def test_requests_at_once(server: OntologyServer) -> None:
    """The client sends no more requests at once than its endpoint allows, and its deadline counts the waiting."""
    server.well()
    narrow = KnowledgeService(ServiceEndpoint(server.query_base, server.manager_base, concurrency=2))
    server.fault("instances", Fault("slow", seconds=0.3))
    begun = time.monotonic()
    pages = await asyncio.gather(*(found(narrow) for _ in range(6)))
    assert time.monotonic() - begun > 0.85
    assert {len(page.rows) for page in pages} == {6}
    late = await asyncio.gather(*(found(narrow, timeout_s=0.5) for _ in range(6)), return_exceptions=True)
    assert sum(isinstance(one, KnowledgeTimeout) for one in late) >= 2
    await narrow.close()


async def test_settings_choose_the_service(server: OntologyServer, tmp_path: Path) -> None:
    """KNO-01: without addresses there is no service; with them networks that are not kept here are asked there."""
    server.well()
    none = load_settings(_env_file=None, data_dir=tmp_path)
    assert knowledge_service_of(none) is None
    with pytest.raises(KnowledgeRefused):
        await KnowledgeNetworks(LocalKnowledge(tmp_path), None).schema("clinic", LIN, timeout_s=5)
    some = load_settings(
        _env_file=None,
        data_dir=tmp_path,
        knowledge_network_query_api_base=server.query_base,
        knowledge_network_api_base=server.manager_base,
    )
    networks = KnowledgeNetworks(LocalKnowledge(tmp_path), knowledge_service_of(some))
    assert (await networks.schema("clinic", LIN, timeout_s=5)).name == "诊所"
    await networks.close()
    half = knowledge_service_of(load_settings(_env_file=None, knowledge_network_query_api_base="http://q/in/v1"))
    assert half is not None
    assert half.endpoint.model("x") == "http://ontology-manager-svc:13014/api/ontology-manager/in/v1/x"
