"""The tool over the real client while the service is in trouble (§8): what succeeded is told, and what did not."""

from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest

from tests.networks.rig import DATA, NetworkRig
from tests.ontology_service.faults import Fault, Kind
from tests.ontology_service.server import OntologyServer
from wenmai.stores.networks.service import KnowledgeService, ServiceEndpoint

LASTING: tuple[Kind, ...] = ("status", "empty", "gateway", "null objects", "closed", "cut")


@pytest.fixture(scope="module", params=["older", "newer"])
def server(request: pytest.FixtureRequest) -> Iterator[OntologyServer]:
    with OntologyServer.of(DATA / "clinic", generation=request.param) as running:
        yield running


@pytest.fixture
async def rig(server: OntologyServer) -> AsyncIterator[NetworkRig]:
    server.well()
    client = KnowledgeService(ServiceEndpoint(server.query_base, server.manager_base))
    yield NetworkRig(client)
    await client.close()


async def after_schema(rig: NetworkRig, server: OntologyServer, keyword: str, **trouble: Any) -> dict[str, Any]:
    await rig.schema()
    for route, fault in trouble.items():
        server.fault(route, fault)  # type: ignore[arg-type]
    context: dict[str, Any] = (await rig.keyword(keyword))["keyword_context"]
    return context


@pytest.mark.parametrize("kind", LASTING)
async def test_interface_1(rig: NetworkRig, server: OntologyServer, kind: Kind) -> None:
    """S001-31 S001-33 KNO-34: no instances, and no word of "not found"; other keywords of the session go on."""
    context = await after_schema(rig, server, "肺炎", instances=Fault(kind))
    assert (context["instances"], context["failed"], context["message"]) == ([], True, None)
    assert context["warnings"]
    server.well()
    assert len((await rig.keyword("感冒"))["keyword_context"]["instances"]) == 1


@pytest.mark.parametrize("kind", LASTING)
async def test_interface_2(rig: NetworkRig, server: OntologyServer, kind: Kind) -> None:
    """S001-32 S001-33 KNO-34: instances without the neighbours that failed; each failed relation is named."""
    context = await after_schema(rig, server, "肺炎", subgraph=Fault(kind, only="has_symptom"))
    [instance] = context["instances"]
    assert {one["relation_type_id"] for one in instance["neighbors"]} == {"lies-in_ward"}
    assert (context["partial"], context["failed"]) == (True, False)
    assert ["疾病症状" in one for one in context["warnings"]] == [True]
    server.well()
    again = (await rig.keyword("肺炎"))["keyword_context"]
    assert {one["relation_type_id"] for one in again["instances"][0]["neighbors"]} == {"lies-in_ward", "has_symptom"}
    assert not again["partial"]


async def test_the_second_stage_alone(rig: NetworkRig, server: OntologyServer) -> None:
    """S001-31 S001-D01: what only the second stage could find is not "not found" when that stage fails."""
    context = await after_schema(rig, server, "上气道梗阻", instances=Fault("status", status=503, only='"like"'))
    assert (context["instances"], context["failed"], context["message"]) == ([], True, None)


@pytest.mark.parametrize("kind", ["closed", "cut"])
@pytest.mark.parametrize("route", ["instances", "subgraph"])
async def test_a_crash_in_the_middle(rig: NetworkRig, server: OntologyServer, kind: Kind, route: str) -> None:
    """KNO-31 S001-33: a server that crashes once and is up again gives the whole answer."""
    context = await after_schema(rig, server, "肺炎", **{route: Fault(kind, times=1)})
    assert len(context["instances"]) == 1
    assert context["statistics"]["total_neighbors"] == 5
    assert (context["partial"], context["failed"]) == (False, False)


@pytest.mark.parametrize("status", [401, 403, 404])
async def test_refusals(rig: NetworkRig, server: OntologyServer, status: int) -> None:
    """S001-33: 401, 403 and 404 of the service are errors with that status_code."""
    await rig.schema()
    server.fault("instances", Fault("status", status=status))
    assert (await rig.keyword("肺炎"))["status_code"] == status
