"""The double keeps the statements of the service's contract; asked with plain HTTP, as any client would."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.ontology_service.faults import Fault
from tests.ontology_service.network import Network, load
from tests.ontology_service.refusals import Json
from tests.ontology_service.server import OntologyServer

DATA = Path(__file__).parent / "data"
ROOT = Path(__file__).parents[2]
QUERY_HEADERS = {"X-HTTP-Method-Override": "GET", "x-account-id": "lin", "x-account-type": "user"}
START_TYPES = 60  # more than one batch of 50


def many() -> Network:
    """Return a network whose first type is larger than a batch."""
    rows: dict[str, list[Json]] = {
        "box": [{"id": f"box{n:02}"} for n in range(START_TYPES)],
        "ball": [{"id": f"ball{n:03}", "size": n} for n in range(3 * START_TYPES)],
    }
    properties = [{"name": "id", "type": "string"}, {"name": "size", "type": "integer"}]
    kinds: list[Json] = [
        {"id": k, "name": k, "primary_keys": ["id"], "display_key": "id", "properties": properties} for k in rows
    ]
    kinds[1]["index"] = False
    relation = {"id": "holds", "name": "holds", "source": "box", "target": "ball", "links": "x"}
    links = [((f"box{n // 3:02}",), (f"ball{n:03}",)) for n in range(3 * START_TYPES)]
    return Network({"id": "many", "object_types": kinds, "relation_types": [relation]}, rows, {"holds": links})


@pytest.fixture(scope="module", params=["older", "newer"])
def server(request: pytest.FixtureRequest) -> Iterator[OntologyServer]:
    with OntologyServer([load(DATA / "clinic"), many()], request.param) as running:
        yield running


@pytest.fixture
def client(server: OntologyServer) -> Iterator[httpx.Client]:
    server.well()
    with httpx.Client(timeout=120) as opened:
        yield opened


@pytest.fixture
def newer(server: OntologyServer) -> bool:
    return server.generation == "newer"


def post(client: httpx.Client, server: OntologyServer, path: str, body: Any, **headers: str) -> httpx.Response:
    url = f"{server.query_base}/knowledge-networks/{path}"
    return client.post(url, json=body, headers={**QUERY_HEADERS, **headers})


def diseases(client: httpx.Client, server: OntologyServer, **body: Any) -> httpx.Response:
    return post(client, server, "clinic/object-types/disease", {"limit": 10, **body})


def leaf(operation: str, field: str, value: Any) -> dict[str, Any]:
    return {"operation": operation, "field": field, "value": value, "value_from": "const"}


def walk(types: list[Any], *edges: tuple[str, str, str], limit: int | None = None) -> dict[str, Any]:
    names = ("relation_type_id", "source_object_type_id", "target_object_type_id")
    path: dict[str, Any] = {"object_types": types, "relation_types": [dict(zip(names, e, strict=True)) for e in edges]}
    return {"relation_type_paths": [{**path, **({"limit": limit} if limit else {})}]}


def subgraph(client: httpx.Client, server: OntologyServer, body: Any, network: str = "clinic") -> httpx.Response:
    return post(client, server, f"{network}/subgraph?query_type=relation_path", body)


def test_addresses_and_health(client: httpx.Client, server: OntologyServer) -> None:
    """KNO-01 KNO-06: the routes of both bases, and what /health tells."""
    assert server.query_base.endswith("/api/ontology-query/in/v1")
    health = client.get(f"http://127.0.0.1:{server.port}/health").json()
    assert set(health) == {"ServerName", "ServerVersion", "Language", "GoVersion", "GoArch"}
    schema = client.get(f"{server.manager_base}/in/v1/knowledge-networks/clinic")
    assert schema.status_code == 200
    assert "object_types" not in schema.json()


def test_external_routes_need_a_token(client: httpx.Client, server: OntologyServer) -> None:
    """KNO-02: 401 without the bearer token, the same answers with it."""
    url = server.query_base.replace("/in/v1", "/v1") + "/knowledge-networks/clinic/object-types/disease"
    refused = client.post(url, json={"limit": 1}, headers=QUERY_HEADERS, timeout=120)
    assert refused.status_code == 401
    token = {"Authorization": f"Bearer {server.service.token}"}
    assert client.post(url, json={"limit": 1}, headers={**QUERY_HEADERS, **token}).status_code == 200


def test_headers_of_a_query(client: httpx.Client, server: OntologyServer, newer: bool) -> None:
    """KNO-03 KNO-04 KNO-05: the override and the content type are checked; an error has five fields."""
    url = f"{server.query_base}/knowledge-networks/clinic/object-types/disease"
    missing = client.post(url, json={"limit": 1})
    assert (missing.status_code, missing.json()["error_code"]) == (400, "OntologyQuery.NullParameter.OverrideMethod")
    assert set(missing.json()) == {"error_code", "description", "solution", "error_link", "error_details"}
    wrong = client.post(url, json={"limit": 1}, headers={"X-HTTP-Method-Override": "PUT"})
    assert (wrong.status_code, wrong.json()["error_code"]) == (400, "OntologyQuery.InvalidParameter.OverrideMethod")
    text = client.post(url, content="{}", headers={**QUERY_HEADERS, "Content-Type": "text/plain"})
    assert text.status_code == 406
    assert text.text.count("OntologyQuery.InvalidRequestHeader.ContentType") == (1 if newer else 2)


def test_schema(client: httpx.Client, server: OntologyServer) -> None:
    """KNO-07 KNO-08 KNO-09 KNO-11: types in full, with what conditions may ask of each property."""
    params = {"include_detail": "true", "mode": "export"}
    body = client.get(f"{server.manager_base}/in/v1/knowledge-networks/clinic", params=params).json()
    assert {"id", "name", "tags", "comment", "icon", "color", "detail", "branch"} <= set(body)
    disease = body["object_types"][0]
    assert disease["data_source"]["type"] == "data_view"
    assert (disease["primary_keys"], disease["display_key"], disease["kn_id"]) == (
        ["disease_id"],
        "disease_name",
        "clinic",
    )
    known = {one["name"]: one for one in disease["data_properties"]}
    assert known["disease_name"]["mapped_field"]["name"] == "disease_name"
    assert known["disease_name"]["condition_operations"] == ["==", "!=", "like", "not_like", "in", "not_in"]
    assert known["treatment"]["condition_operations"] == ["==", "!=", "match", "multi_match"]
    relations = {one["id"]: one for one in body["relation_types"]}
    assert relations["has_symptom"]["type"] == "data_view"
    assert relations["lies-in_ward"]["type"] == "direct"
    assert relations["has_symptom"]["source_object_type"]["name"] == "疾病"
    many_types = client.get(f"{server.manager_base}/in/v1/knowledge-networks/many", params=params).json()[
        "object_types"
    ]
    assert many_types[1]["data_properties"][1]["condition_operations"] is None


def test_coarse_recall(client: httpx.Client, server: OntologyServer, newer: bool) -> None:
    """KNO-12: newer servers recall types by their words, 2000 and 300 at most; older ones have no such route."""
    parts = [leaf("knn", "*", "疾病的症状"), leaf("match", "*", "疾病的症状")]
    body = {"condition": {"operation": "or", "sub_conditions": parts}, "limit": 10}
    url = f"{server.manager_base}/in/v1/knowledge-networks/clinic"
    answers = {
        kind: client.post(f"{url}/{kind}", json=body, headers=QUERY_HEADERS)
        for kind in ("object-types", "relation-types")
    }
    if not newer:
        assert [one.status_code for one in answers.values()] == [404, 404]
        return
    assert [one["id"] for one in answers["object-types"].json()["entries"]] == ["disease", "symptom"]
    assert [one["id"] for one in answers["relation-types"].json()["entries"]] == ["has_symptom"]
    for kind, most in (("object-types", 2000), ("relation-types", 300)):
        codes = [
            client.post(f"{url}/{kind}", json={**body, "limit": n}, headers=QUERY_HEADERS).status_code
            for n in (most, most + 1)
        ]
        assert codes == [200, 400]


def test_flags_of_the_query_string(client: httpx.Client, server: OntologyServer, newer: bool) -> None:
    """KNO-13 KNO-16: type info when asked; system fields of newer servers can be left out; no boolean is 400."""
    path = "clinic/object-types/disease"
    plain = post(client, server, path, {"limit": 1}).json()
    assert "object_type" not in plain
    assert ("_instance_id" in plain["datas"][0]) == newer
    assert plain["datas"][0]["_score"] == 1.0
    told = post(client, server, f"{path}?include_type_info=true&exclude_system_properties=true", {"limit": 1}).json()
    assert told["object_type"]["id"] == "disease"
    assert "_instance_id" not in told["datas"][0]
    assert post(client, server, f"{path}?ignoring_store_cache=maybe", {"limit": 1}).status_code == 400


def test_limits(client: httpx.Client, server: OntologyServer, newer: bool) -> None:
    """KNO-15: older servers take 0 for none given, newer ones have a default and refuse what is out of range."""
    path = "clinic/object-types/disease"
    assert len(post(client, server, path, {}).json().get("datas", [])) == (6 if newer else 0)
    codes = [post(client, server, path, {"limit": limit}).status_code for limit in (0, 1, 10_000, 10_001)]
    assert codes == ([400, 200, 200, 400] if newer else [200] * 4)


def test_totals(client: httpx.Client, server: OntologyServer) -> None:
    """KNO-14 KNO-16: the total is absent when nobody asked, when it is 0, and behind search_after."""
    assert "total_count" not in diseases(client, server).json()
    assert diseases(client, server, need_total=True, limit=2).json()["total_count"] == 6
    nothing = diseases(client, server, need_total=True, condition=leaf("==", "disease_name", "鼠疫")).json()
    assert (nothing["datas"], "total_count" in nothing) == ([], False)
    page = diseases(client, server, need_total=True, limit=4).json()
    rest = diseases(client, server, need_total=True, limit=4, search_after=page["search_after"]).json()
    assert [row["disease_id"] for row in rest["datas"]] == ["disease_000005", "disease_004790"]
    assert "total_count" not in rest


def test_chosen_properties(client: httpx.Client, server: OntologyServer) -> None:
    """KNO-14: only the properties that are asked for, in the order that is asked for."""
    rows = diseases(client, server, properties=["rate"], sort=[{"field": "rate", "direction": "desc"}]).json()["datas"]
    assert [row["rate"] for row in rows][:2] == ["2%", "10%"]
    assert {name for name in rows[0] if not name.startswith("_")} == {"rate"}


def test_errors_of_interface_1(client: httpx.Client, server: OntologyServer) -> None:
    """KNO-17: unknown type 404, bad body and bad condition 400, each with its code."""
    cases = [
        ("clinic/object-types/planet", {"limit": 1}, 404, "OntologyQuery.ObjectType.ObjectTypeNotFound"),
        ("clinic/object-types/disease", {"limit": "x"}, 400, "OntologyQuery.ObjectType.InvalidParameter"),
        ("clinic/object-types/disease", [1], 400, "OntologyQuery.ObjectType.InvalidParameter"),
        (
            "clinic/object-types/disease",
            {"limit": 1, "condition": leaf("==", "x", 1)},
            400,
            "OntologyQuery.InvalidParameter.Condition",
        ),
    ]
    for path, body, status, code in cases:
        answer = post(client, server, path, body)
        assert (answer.status_code, answer.json()["error_code"]) == (status, code)


@pytest.mark.parametrize("operation", ["contain", "empty", "prefix", "null", "true"])
def test_later_operations(client: httpx.Client, server: OntologyServer, newer: bool, operation: str) -> None:
    """KNO-19: older servers refuse what came later."""
    answer = diseases(client, server, condition=leaf(operation, "disease_name", "肺炎"))
    assert answer.status_code == (200 if newer else 400)
    if not newer:
        assert f"not support condition's operation: {operation}" in answer.json()["error_details"]


def test_groups(client: httpx.Client, server: OntologyServer) -> None:
    """KNO-18 KNO-20: 1 to 100 sub-conditions, with these words otherwise."""
    for count, told in ((0, "sub condition size is 0"), (101, "sub condition size limit 100 but 101")):
        parts = [leaf("==", "disease_name", "肺炎")] * count
        answer = diseases(client, server, condition={"operation": "or", "sub_conditions": parts})
        assert (answer.status_code, answer.json()["error_details"]) == (400, told)


def test_fields_of_conditions(client: httpx.Client, server: OntologyServer, newer: bool) -> None:
    """KNO-21: binary and unknown fields are refused by all, one without mapped_field by newer servers."""
    path = "clinic/object-types/ward-round_2"
    codes = [
        post(client, server, path, {"limit": 1, "condition": leaf("==", field, "x")}).status_code
        for field in ("scan", "computed", "note")
    ]
    assert codes == [400, 400, 400 if newer else 200]


def test_text_against_numbers(client: httpx.Client, server: OntologyServer) -> None:
    """KNO-22: on a view a text against a numeric column fails, on an index it is just not found."""
    view = post(client, server, "many/object-types/ball", {"limit": 1, "condition": leaf("==", "size", "big")})
    assert (view.status_code, view.json()["error_code"].rsplit(".")[-1]) == (500, "GetViewDataByIDFailed")
    index = diseases(client, server, condition=leaf("==", "money", "big"))
    assert (index.status_code, index.json()["datas"]) == (200, [])


def test_query_types(client: httpx.Client, server: OntologyServer) -> None:
    """KNO-24: another query_type gives 200 with an empty body."""
    answer = post(client, server, "clinic/subgraph?query_type=neighbours", {})
    assert (answer.status_code, answer.content) == (200, b"")


def test_bad_paths(client: httpx.Client, server: OntologyServer) -> None:
    """KNO-25 KNO-31: types and edges must be there and fit each other; one bad path fails the request."""
    good = walk([{"id": "disease"}, {"id": "symptom"}], ("has_symptom", "disease", "symptom"))
    cases = [
        ({"relation_type_paths": [{"relation_types": []}]}, 400, "NullParameter.TypePathObjectTypes"),
        (walk([{"id": "disease"}]), 400, "NullParameter.TypePathRelationTypes"),
        (walk([{"id": "disease"}], ("has_symptom", "disease", "symptom")), 400, "TypePath"),
        (walk([{"id": "symptom"}, {"id": "disease"}], ("has_symptom", "disease", "symptom")), 400, "TypePath"),
        (walk([{"id": "disease"}, {"id": "symptom"}], ("cures", "disease", "symptom")), 404, "RelationTypeNotFound"),
    ]
    for body, status, code in cases:
        both = {"relation_type_paths": good["relation_type_paths"] + body["relation_type_paths"]}
        for sent in (body, both):
            answer = subgraph(client, server, sent)
            assert (answer.status_code, answer.json()["error_code"].endswith(code)) == (status, True)
    assert subgraph(client, server, good).status_code == 200


def test_the_batch_limit(client: httpx.Client, server: OntologyServer) -> None:
    """KNO-26: the limit of the second position holds for 50 start objects together."""
    body = walk([{"id": "box"}, {"id": "ball", "limit": 5}], ("holds", "box", "ball"))
    paths = subgraph(client, server, body, "many").json()["entries"][0]["relation_paths"]
    assert [one["relations"][0]["target_object_id"] for one in paths] == [
        f"ball-ball{n:03}" for n in [*range(5), *range(150, 155)]
    ]


def test_directions(client: httpx.Client, server: OntologyServer) -> None:
    """KNO-27 KNO-28 KNO-29: a path starts at either end, which its source is; who leads nowhere is not told."""
    body = walk([{"id": "symptom"}, {"id": "disease"}], ("has_symptom", "symptom", "disease"))
    [entry] = subgraph(client, server, body).json()["entries"]
    edges = [one["relations"][0] for one in entry["relation_paths"]]
    assert edges[0]["source_object_id"].startswith("symptom-symptom_01")
    assert edges[0]["target_object_id"].startswith("disease-")
    assert "symptom-symptom_07" not in entry["objects"]
    self_relation = walk(
        [{"id": "part", "condition": leaf("==", "part_id", 3)}, {"id": "part"}], ("part_of", "part", "part")
    )
    [entry] = subgraph(client, server, self_relation).json()["entries"]
    assert [one["relations"][0]["target_object_id"] for one in entry["relation_paths"]] == ["part-2"]


def test_objects_of_both_generations(client: httpx.Client, server: OntologyServer, newer: bool) -> None:
    """KNO-29 KNO-30 KNO-34: fields by generation, keys joined by _, null where nothing is found."""
    start = {"id": "symptom", "condition": leaf("==", "symptom_id", "symptom_03")}
    body = walk([start, {"id": "ward-round_2"}], ("seen_in", "symptom", "ward-round_2"))
    [entry] = subgraph(client, server, body).json()["entries"]
    one = entry["objects"]["ward-round_2-甲_1"]
    names = ("_instance_id", "_instance_identity", "_display") if newer else ("id", "unique_identities", "display")
    assert [one[name] for name in names] == ["ward-round_2-甲_1", {"ward": "甲", "bed-no": 1}, "张三"]
    assert (one["object_type_id"], one["object_type_name"]) == ("ward-round_2", "查房")
    start["condition"] = leaf("==", "symptom_id", "nobody")
    [entry] = subgraph(client, server, body).json()["entries"]
    assert (entry["objects"], entry["relation_paths"]) == (({}, []) if newer else (None, None))


def test_troubles(client: httpx.Client, server: OntologyServer) -> None:
    """KNO-34: troubles come on demand, for the route, the request and the number of times that they are meant for."""
    server.fault("instances", Fault("status", status=503, times=1))
    assert [diseases(client, server).status_code for _ in range(2)] == [503, 200]
    server.fault("instances", Fault("empty", only="肺炎"))
    assert diseases(client, server, condition=leaf("==", "disease_name", "肺炎")).content == b""
    assert diseases(client, server).status_code == 200
    server.well()
    for kind in ("closed", "cut"):
        server.fault("instances", Fault(kind, times=1))
        with pytest.raises(httpx.RemoteProtocolError):
            diseases(client, server)
    assert [one.route for one in server.requests] == ["instances"] * 2


def test_many_paths_may_crash_it(client: httpx.Client, server: OntologyServer) -> None:
    """KNO-31: a fragile server dies of several paths in one request."""
    body = walk([{"id": "disease"}, {"id": "symptom"}], ("has_symptom", "disease", "symptom"))
    server.service.fragile = True
    try:
        assert subgraph(client, server, body).status_code == 200
        with pytest.raises(httpx.RemoteProtocolError):
            subgraph(client, server, {"relation_type_paths": body["relation_type_paths"] * 2})
    finally:
        server.service.fragile = False


def test_as_a_process() -> None:
    """PLA-29: the double also runs as a process of its own, over the networks of folders."""
    command = [sys.executable, "-m", "tests.ontology_service", str(DATA / "clinic"), "--generation", "older"]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, encoding="utf-8") as process:
        try:
            assert process.stdout is not None
            told = dict(part.split("=", 1) for part in process.stdout.readline().split())
            url = f"{told['KNOWLEDGE_NETWORK_QUERY_API_BASE']}/knowledge-networks/clinic/object-types/symptom"
            rows = httpx.post(url, json={"limit": 1}, headers=QUERY_HEADERS, timeout=120).json()["datas"]
            assert rows == [{"symptom_id": "symptom_01", "symptom_name": "呼吸困难", "alias": "气短", "_score": 1.0}]
        finally:
            process.terminate()
            process.wait(120)
