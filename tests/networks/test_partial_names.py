"""Offline questions that name an instance by a part of its name (issue 43, 5): what is kept here, and a service's."""

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.networks.harbor import NOT_FOUND
from tests.networks.rig import CLINIC, DATA
from tests.ontology_service.server import OntologyServer
from wenmai.agent import Agent, open_agent
from wenmai.knowledge.files import read_network
from wenmai.stores.networks.local import KnowledgeFolders, import_content

NETWORK: dict[str, Any] = {"toolkits": ["knowledge"], "kn_ids": [CLINIC]}
RETRIEVAL = "knowledge_network_retrieval"
SYMPTOMS = "上、下气道梗阻的疾病症状：呼吸困难[1]、咳嗽[2]、喘鸣[3]、紫绀[4]、烦躁不安[5]。"


@asynccontextmanager
async def opened(folder: Path, **settings: Any) -> AsyncIterator[Agent]:
    async with open_agent(data_dir=folder, trace_dir=folder / "traces", google_api_key=None, **settings) as agent:
        yield agent


@pytest.fixture(params=["older", "newer"])
def service(request: pytest.FixtureRequest) -> Iterator[OntologyServer]:
    """The clinic behind a service of either generation."""
    with OntologyServer.of(DATA / CLINIC, generation=request.param) as server:
        yield server


def bases(server: OntologyServer) -> dict[str, str]:
    return {
        "knowledge_network_query_api_base": server.query_base,
        "knowledge_network_api_base": server.manager_base,
    }


@pytest.fixture(params=["local", "older", "newer"])
async def agent(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Agent]:
    """The offline agent over the clinic: kept here, or a service's."""
    if request.param == "local":
        import_content(KnowledgeFolders(tmp_path), read_network(DATA / CLINIC, None), lambda done, total: None)
        async with opened(tmp_path) as agent:
            yield agent
        return
    with OntologyServer.of(DATA / CLINIC, generation=request.param) as server:
        async with opened(tmp_path, **bases(server)) as agent:
            yield agent


async def said(agent: Agent, question: str, thread: str | None = None) -> dict[str, Any]:
    return (await agent.ask(question, thread_id=thread, **NETWORK)).record


@pytest.mark.parametrize("mark", ["", "？"])
async def test_the_specifications_own_example(agent: Agent, mark: str) -> None:
    """S001-36 KNO-35: Given 上、下气道梗阻, When 上气道梗阻 is asked about, Then schema, keyword, its five symptoms."""
    record = await said(agent, f"上气道梗阻有哪些症状{mark}")
    assert [(one["tool"], one["args"]) for one in record["tool_calls"]] == [
        (RETRIEVAL, {"query": f"上气道梗阻有哪些症状{mark}"}),
        (RETRIEVAL, {"query": "上气道梗阻", "enable_keyword_context": True, "object_type_id": "disease"}),
        ("stop", {"reason": "sufficient"}),
    ]
    assert (record["answer"], record["passed"]) == (SYMPTOMS, True)
    assert record["resolved_question"] == record["question"]
    first = record["citations"][0]
    assert first["quote"] == "上、下气道梗阻 — 疾病症状: 呼吸困难"
    assert first["location"] == "clinic / disease_004790 / 疾病症状"


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("气道的梗阻怎么治疗？", "上、下气道梗阻的治疗：清除异物、气管切开，必要时吸氧[1]。"),
        ("下气道梗阻的疗程是多久？", "上、下气道梗阻的疗程：1周[1]。"),
        ("肺炎球菌的治疗是什么？", "肺炎球菌肺炎的治疗：青霉素[1]。"),
        ("气道狭窄的治疗是什么？", "50%气道狭窄的治疗：手术_治疗[1]。"),
        ("肺炎的疗程是多久？", "肺炎的疗程：2周[1]。"),
        ("肺结核的疗程是多久？", NOT_FOUND),
        ("球菌性脑膜炎有哪些症状？", NOT_FOUND),
    ],
)
async def test_parts_of_names(agent: Agent, question: str, answer: str) -> None:
    """LOP-09 KNO-40: two words of a name, words around a whole name, a name; another name is refused."""
    assert (await said(agent, question))["answer"] == answer


async def test_what_is_named_in_part_can_be_asked_on(agent: Agent) -> None:
    """LOP-09 S000-D10: it is an entity of the session under its whole name, and so is what replaces it."""
    await said(agent, "上气道梗阻有哪些症状？", "t1")
    record = await said(agent, "它的疗程是多久？", "t1")
    assert record["resolved_question"] == "上、下气道梗阻的疗程是多久？"
    assert record["answer"] == "上、下气道梗阻的疗程：1周[1]。"
    assert (await said(agent, "那肺炎球菌呢？", "t1"))["answer"] == "肺炎球菌肺炎的疗程：2周[1]。"


async def test_several_names_at_once(agent: Agent) -> None:
    """LOP-09 KNO-40: a part of one name beside another."""
    answer = (await said(agent, "上气道梗阻和肺炎的疗程分别是多久？"))["answer"]
    assert "肺炎的疗程：2周" in answer and "上、下气道梗阻的疗程：1周" in answer


async def test_a_service_is_not_read(service: OntologyServer, tmp_path: Path) -> None:
    """KNO-40 KNO-15: Given a service, When questions name its instances, Then no type of it is read as a whole."""
    async with opened(tmp_path, **bases(service)) as agent:
        for question in ("上气道梗阻有哪些症状？", "肺炎有哪些症状？", "张三在哪个病区？", "你好"):
            await said(agent, question, "t1")
        asked = [one.body for one in service.requests if "/object-types/" in one.path]
        assert asked and all(body and body.get("condition") and body["limit"] <= 50 for body in asked)
        count = len(service.requests)
        assert (await said(agent, "上气道梗阻有哪些症状？", "t2"))["answer"] == SYMPTOMS
        again = [one for one in service.requests[count:] if "/object-types/" in one.path]
        assert {one.path.rpartition("/")[2].partition("?")[0] for one in again} == {"disease"}, "known names stay known"


async def test_a_talk_goes_on_in_another_process(service: OntologyServer, tmp_path: Path) -> None:
    """LOP-09 KNO-40: the instance that a talk is about is found again by its name."""
    async with opened(tmp_path, **bases(service)) as agent:
        await said(agent, "上气道梗阻有哪些症状？", "t1")
    async with opened(tmp_path, **bases(service)) as agent:
        assert (await said(agent, "它的疗程是多久？", "t1"))["answer"] == "上、下气道梗阻的疗程：1周[1]。"


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("一共有多少种疾病？", "疾病共6个："),
        ("哪些疾病的费用超过1000？", "费用超过1000的疾病共2个：肺炎[1]、肺炎球菌肺炎[2]。"),
        ("有哪些有传染性的疾病？", "传染性为有传染性的疾病共4个："),
        ("老人易患哪些疾病？", "易感人群为老人的疾病共2个："),
        ("哪些疾病有医保？", "医保的疾病共3个："),
        ("肺炎和感冒哪个更贵？", "肺炎的费用：3000[1]。\n感冒的费用：100[2]。\n更贵的是肺炎[1]。"),
    ],
)
async def test_figures_of_what_is_not_read(agent: Agent, question: str, answer: str) -> None:
    """KNO-39 KNO-40: conditions, numbers and comparisons, of a service as of what is kept here."""
    assert (await said(agent, question))["answer"].startswith(answer)


MANY = """
id: garden
name: 园子
object_types:
- {id: bed, name: 花坛, primary_keys: [id], display_key: name, instances: bed.csv,
   properties: [{name: id, display_name: 编号, type: string}, {name: name, display_name: 名称, type: string}]}
- {id: plant, name: 植物, primary_keys: [id], display_key: name, instances: plant.csv,
   properties: [{name: id, display_name: 编号, type: string}, {name: name, display_name: 名称, type: string}]}
relation_types:
- {id: grows, name: 种植, source: bed, target: plant, links: grows.csv}
"""


async def test_more_neighbours_than_an_answer_has(tmp_path: Path) -> None:
    """S001-23 KNO-40: Given twelve neighbours, When they are asked for, Then a query follows the keyword."""
    folder = tmp_path / "garden"
    folder.mkdir()
    (folder / "network.yaml").write_text(MANY, encoding="utf-8")
    plants = [f"p{at:02},第{at}号月季" for at in range(1, 13)]
    (folder / "bed.csv").write_text("id,name\nb1,东南角的圆花坛\n", encoding="utf-8")
    (folder / "plant.csv").write_text("\n".join(["id,name", *plants]), encoding="utf-8")
    links = [f"b1,{one.partition(',')[0]}" for one in plants]
    (folder / "grows.csv").write_text("\n".join(["source,target", *links]), encoding="utf-8")
    with OntologyServer.of(folder) as server:
        async with opened(tmp_path, **bases(server)) as agent:
            record = (await agent.ask("东南角花坛种植了哪些植物？", toolkits=["knowledge"], kn_ids=["garden"])).record
    tools = [one["tool"] for one in record["tool_calls"]]
    assert tools == [RETRIEVAL, RETRIEVAL, "knowledge_network_query", "stop"]
    assert all(f"第{at}号月季" in record["answer"] for at in range(1, 13))


WARD = """
id: ward
name: Ward
object_types:
- {id: disease, name: Disease, primary_keys: [id], display_key: name, instances: disease.csv,
   properties: [{name: id, display_name: ID, type: string}, {name: name, display_name: Name, type: string},
     {name: therapy, display_name: Treatment, type: string}]}
- {id: symptom, name: Symptom, primary_keys: [id], display_key: name, instances: symptom.csv,
   properties: [{name: id, display_name: ID, type: string}, {name: name, display_name: Name, type: string}]}
relation_types:
- {id: shows, name: Symptoms, source: disease, target: symptom, links: shows.csv}
"""
WARD_ROWS = {
    "disease.csv": "id,name,therapy\nd1,Acute Upper Airway Obstruction,surgery\nd2,Bacterial Pneumonia,antibiotics\n"
    "d3,Viral Pneumonia,rest\nd4,Lower Respiratory Tract Infections,fluids\n",
    "symptom.csv": "id,name\ns1,Stridor\ns2,Cyanosis\ns3,Fever\ns4,Cough\n",
    "shows.csv": "source,target\nd1,s1\nd1,s2\nd2,s3\nd2,s4\nd3,s3\nd4,s4\n",
}
AIRWAY = "Acute Upper Airway Obstruction — Symptoms: Stridor[1], Cyanosis[2]."
EITHER = "Bacterial Pneumonia — Symptoms: Fever[1], Cough[2].\nViral Pneumonia — Symptoms: Fever[3]."


@pytest.fixture(scope="module")
def ward(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A network in English, in a folder."""
    folder = tmp_path_factory.mktemp("english") / "ward"
    folder.mkdir()
    for name, text in {"network.yaml": WARD, **WARD_ROWS}.items():
        (folder / name).write_text(text, encoding="utf-8")
    return folder


@pytest.mark.parametrize("is_service", [False, True])
async def test_parts_of_english_names(ward: Path, tmp_path: Path, *, is_service: bool) -> None:
    """KNO-40: Given English names, When a part is asked about in any case or number, Then it is found."""
    with OntologyServer.of(ward) as server:
        import_content(KnowledgeFolders(tmp_path), read_network(ward, None), lambda done, total: None)
        async with opened(tmp_path, **(bases(server) if is_service else {})) as agent:
            for question, answer in {
                "What are the symptoms of Upper Airway Obstruction?": AIRWAY,
                "what are the symptoms of airway obstructions?": AIRWAY,
                "What is the treatment of a lower respiratory tract infection?": (
                    "Lower Respiratory Tract Infections — Treatment: fluids[1]."
                ),
                "What are the symptoms of pneumonia?": EITHER,
                "What is the treatment of tuberculosis?": "Sorry, no relevant information was found.",
            }.items():
                record = (await agent.ask(question, toolkits=["knowledge"], kn_ids=["ward"])).record
                assert record["answer"] == answer, question
