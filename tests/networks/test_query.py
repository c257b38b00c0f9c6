"""knowledge_network_query: conditions along relations, counts, figures and groups over a whole network."""

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from benchmarks.table_folders import hospital, write_folder
from tests.networks.rig import LIN, fake_clinic
from tools.base import Scope, ToolResult
from tools.errors import KnowledgeFailed, KnowledgeRefused
from tools.language import cost
from tools.networks.knowledge_network_query import KnowledgeNetworkQuery, KnowledgeNetworkQueryArguments
from wenmai.knowledge.inferring import read_folder
from wenmai.stores.networks.local import KnowledgeFolders, LocalKnowledge, import_content

TABLES = hospital()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tables of a hospital, imported as a network."""
    made = tmp_path_factory.mktemp("tables")
    content = read_folder(write_folder(TABLES, made / "hospital"), "hospital")
    import_content(KnowledgeFolders(made), content, lambda done, total: None)
    return made


@pytest.fixture
async def tool(folder: Path) -> AsyncIterator[KnowledgeNetworkQuery]:
    """The tool over it."""
    networks = LocalKnowledge(folder)
    yield KnowledgeNetworkQuery(networks)
    await networks.close()


async def asked(tool: KnowledgeNetworkQuery, network: str = "hospital", **arguments: Any) -> ToolResult:
    """Call the tool."""
    scope = Scope(library="", kn_ids=[network], account=LIN, language="en")
    return await tool(KnowledgeNetworkQueryArguments(**arguments), scope)


def rows(table: str, **wanted: object) -> list[dict[str, Any]]:
    """Return the rows of a table with these values."""
    return [row for row in TABLES[table] if all(row[name] == value for name, value in wanted.items())]


async def test_conditions_along_relations(tool: KnowledgeNetworkQuery) -> None:
    """KNO-38: a path goes along relations, by name, id or the type it leads to; a bare one compares names and ids."""
    maker = rows("manufacturers", manufacturer_id=1)[0]
    made = {row["drug_name"] for row in rows("drugs", manufacturer_id=1)}
    for path in ("drug_manufacturer", "manufacturer", "drug_manufacturer.company_name"):
        found = await asked(tool, object_type_id="drug", filters=[f"{path} == {maker['company_name']}"])
        assert {one["instance_name"] for one in found.data["instances"]} == made, path
    by_id = await asked(tool, object_type_id="drug", filters=["drug_manufacturer == 1", "price > 40"])
    assert {one["instance_name"] for one in by_id.data["instances"]} == {
        row["drug_name"] for row in rows("drugs", manufacturer_id=1) if row["price"] > 40
    }


async def test_a_relation_of_a_type_with_itself(tool: KnowledgeNetworkQuery) -> None:
    """KNO-38: ~ goes back: whose superior, and whom a superior has below him."""
    chief = rows("doctors", doctor_id=2)[0]
    below = await asked(
        tool, object_type_id="doctor", filters=[f"doctor_supervisor == {chief['doctor_name']}"], limit=50
    )
    assert below.data["total"] == len(rows("doctors", supervisor_id=2))
    name = below.data["instances"][0]["instance_name"]
    above = await asked(tool, object_type_id="doctor", filters=[f"~doctor_supervisor == {name}"])
    assert [one["instance_name"] for one in above.data["instances"]] == [chief["doctor_name"]]


async def test_figures_and_groups(tool: KnowledgeNetworkQuery) -> None:
    """KNO-38: sums and means of numbers along a path; groups without instances count nothing."""
    stays = rows("admissions", patient_id=TABLES["admissions"][0]["patient_id"])
    path = f"patient == {stays[0]['patient_id']}"
    total = await asked(tool, object_type_id="admission", filters=[path], aggregate="sum", property="cost")
    assert total.data["value"] == pytest.approx(sum(row["cost"] for row in stays))
    beds = await asked(tool, object_type_id="ward", aggregate="average", property="beds", filters=["closed == 0"])
    kept = [row["beds"] for row in rows("wards", closed=0)]
    assert beds.data["value"] == pytest.approx(sum(kept) / len(kept), abs=0.005)
    counts = await asked(tool, object_type_id="admission", aggregate="count", group_by="patient", order="asc", limit=50)
    assert counts.data["groups"][0]["value"] == 0 and counts.data["total"] == len(TABLES["patients"])
    best = await asked(tool, object_type_id="drug", property="price", order="desc", limit=1)
    assert best.data["instances"][0]["properties"]["price"] == max(row["price"] for row in rows("drugs"))


async def test_evidence(tool: KnowledgeNetworkQuery) -> None:
    """KNO-38: what was computed is a piece, each instance is, and the relation that a condition names."""
    maker, drug = rows("manufacturers", manufacturer_id=1)[0], rows("drugs", manufacturer_id=1)[0]
    found = await asked(tool, object_type_id="drug", filters=[f"drug_manufacturer == {maker['company_name']}"])
    texts = [piece["text"] for piece in found.evidence]
    assert texts[0].endswith(f" — drug数量: {len(rows('drugs', manufacturer_id=1))}")
    assert f"{drug['drug_name']} — manufacturer: {maker['company_name']}" in texts
    kinds = {piece["kind"] for piece in found.evidence}
    assert kinds == {"property", "relation"} and {piece["library"] for piece in found.evidence} == {"hospital"}


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ({"object_type_id": "nurse"}, "available_object_type_ids"),
        ({"object_type_id": "drug", "filters": ["colour == red"]}, "manufacturer_id"),
        ({"object_type_id": "drug", "filters": ["price"]}, "filter"),
        ({"object_type_id": "drug", "aggregate": "sum"}, "aggregate"),
        ({"object_type_id": "drug", "kn_ids": ["harbor"]}, "unknown"),
    ],
)
async def test_what_is_wrong_is_said(tool: KnowledgeNetworkQuery, arguments: dict[str, Any], told: str) -> None:
    """KNO-38 S001-11: a wrong call is answered with what there is, so that a model can repeat it."""
    found = await asked(tool, **arguments)
    assert not found.ok and found.data["status_code"] == 400 and told in json.dumps(found.data)


async def test_a_long_answer_fits(tool: KnowledgeNetworkQuery) -> None:
    """KNO-38 S003-13: the text for a model is cut to the budget, the total stays."""
    scope = Scope(library="", kn_ids=["hospital"], account=LIN, budget=1_500)
    found = await tool(KnowledgeNetworkQueryArguments(object_type_id="patient", limit=50), scope)
    shown = json.loads(found.text)
    assert cost(found.text) <= 1_500 and shown["truncated"] and shown["total"] == len(TABLES["patients"])


async def test_relations_with_links_are_asked_of_the_service() -> None:
    """KNO-38: relations that are no equal properties are fetched instance by instance."""
    clinic = fake_clinic()
    found = await asked(
        KnowledgeNetworkQuery(clinic), "clinic", object_type_id="disease", group_by="has_symptom", aggregate="count"
    )
    assert found.ok and found.data["groups"][0]["value"] >= 1
    assert any(method == "neighbours" for method, *_ in clinic.history)


@pytest.mark.parametrize(
    ("failure", "status"), [(KnowledgeFailed("down", 503), 502), (KnowledgeRefused("no", 403, "x"), 403)]
)
async def test_a_dead_service(failure: Exception, status: int) -> None:
    """KNO-38 S001-33: a failure is an error, never an empty list."""
    clinic = fake_clinic()
    clinic.failures["instances"] = failure
    found = await asked(KnowledgeNetworkQuery(clinic), "clinic", object_type_id="disease")
    assert not found.ok and found.data["status_code"] == status
