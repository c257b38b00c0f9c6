"""An instance that a value of it stands for: the miller, where one villager is that."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from wenmai.agent import Agent, open_agent
from wenmai.knowledge.reading import read_mended
from wenmai.stores.networks.local import KnowledgeFolders, import_content

VILLAGE = {
    "villager": "id,name,occupation,age,home\n"
    "v1,Tom Aske,blacksmith,41,Forge Cottage\nv2,Nell Pryor,midwife,58,Mill House\n"
    "v3,Giles Crane,miller,37,Mill House\nv4,Will Marsh,night watchman,63,Fold End\nv5,Ann Lowe,weaver,29,Fold End\n"
    "v6,Kit Lowe,weaver,31,Fold End\n",
    "cottage": "id,name,material\nh1,Forge Cottage,stone\nh2,Mill House,brick\nh3,Fold End,timber\n",
}
CHINESE = {
    "村民": "编号,姓名,职业,年龄,住处\n"
    "r1,赵大,铁匠,41,炉边屋\nr2,钱婆,接生婆,58,河湾屋\nr3,孙三,磨坊主,37,河湾屋\nr4,李四娘,织工,39,炉边屋\nr5,周五,织工,28,炉边屋\n"
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two villages, imported."""
    made = tmp_path_factory.mktemp("villages")
    for network, tables in (("hamlet", VILLAGE), ("village_zh", CHINESE)):
        (made / network).mkdir()
        for name, text in tables.items():
            (made / network / f"{name}.csv").write_text(text, encoding="utf-8")
        content, _ = read_mended(made / network, network, None)
        import_content(KnowledgeFolders(made / "data"), content, lambda done, total: None)
    return made / "data"


@pytest.fixture
async def agent(folder: Path, tmp_path: Path) -> AsyncIterator[Agent]:
    """The offline agent over them; no library is there."""
    async with open_agent(data_dir=folder, trace_dir=tmp_path, google_api_key=None) as opened:
        yield opened


@pytest.mark.parametrize(
    ("network", "question", "told"),
    [
        ("hamlet", "Who is the blacksmith?", "Tom Aske"),
        ("hamlet", "How old is the miller?", "37"),
        ("hamlet", "Where does the night watchman live?", "Fold End"),
        ("hamlet", "What is Nell Pryor's job?", "midwife"),
        ("village_zh", "磨坊主多大年纪？", "37"),
        ("village_zh", "铁匠的住处在哪里？", "炉边屋"),
    ],
)
async def test_a_value_stands_for_the_one_that_has_it(agent: Agent, network: str, question: str, told: str) -> None:
    """KNO-105."""
    answer = await agent.ask(question, toolkits=["knowledge"], kn_ids=[network])
    assert answer.record["status"] == "answer" and told in answer.record["answer"], answer.record["answer"]


@pytest.mark.parametrize(
    ("network", "question"),
    [("hamlet", "How old is the weaver?"), ("hamlet", "How old is the tailor?"), ("village_zh", "织工多大年纪？")],
)
async def test_of_several_or_of_nobody_nothing_is_told(agent: Agent, network: str, question: str) -> None:
    """KNO-105: two have the value, or none has."""
    answer = await agent.ask(question, toolkits=["knowledge"], kn_ids=[network])
    assert answer.record["status"] != "answer", answer.record["answer"]
