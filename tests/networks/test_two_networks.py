"""Two networks in one run that have the same types, instance ids and some names: each keeps what is its own."""

import shutil
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from wenmai.agent import Agent, open_agent
from wenmai.app.sample import NETWORK, sample_folder
from wenmai.knowledge.files import read_network
from wenmai.stores.networks.local import KnowledgeFolders, import_content

OTHER = "wharf"
RENAMED = {
    "港口登记册": "码头登记册",
    "云雀号": "朱雀号",
    "温若水": "贺知秋",
    "云州": "青州",
    "恒顺行": "万泰行",
    ": 210": ": 333",
}
NAMES = ("港口登记册", "码头登记册")
"""What the second network calls other than the first: its 长风号 has the same id and name, and another tonnage."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample network and its twin, imported."""
    made, twin = tmp_path_factory.mktemp("both"), tmp_path_factory.mktemp("twin") / OTHER
    shutil.copytree(sample_folder() / NETWORK, twin)
    for file in twin.iterdir():
        text = file.read_text(encoding="utf-8").replace(f"id: {NETWORK}\n", f"id: {OTHER}\n")
        for old, new in RENAMED.items():
            text = text.replace(old, new)
        file.write_text(text, encoding="utf-8")
    for source in (sample_folder() / NETWORK, twin):
        import_content(KnowledgeFolders(made), read_network(source, None), lambda done, total: None)
    return made


@pytest.fixture
async def agent(folder: Path, tmp_path: Path) -> AsyncIterator[Agent]:
    """The offline agent over both."""
    async with open_agent(data_dir=folder, trace_dir=tmp_path, google_api_key=None) as opened:
        yield opened


async def answer(agent: Agent, question: str) -> str:
    asked = await agent.ask(question, toolkits=["knowledge"], kn_ids=[NETWORK, OTHER])
    return str(asked.record["answer"])


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("云雀号的船长是谁？", "云雀号的船长：温若水[1]。"),
        ("朱雀号的船长是谁？", "朱雀号的船长：贺知秋[1]。"),
        ("朱雀号的船长的籍贯是哪里？", "朱雀号的船长：贺知秋[1]。\n贺知秋的籍贯：青州[2]。"),
        ("云雀号和朱雀号的船长分别是谁？", "云雀号的船长：温若水[1]。\n朱雀号的船长：贺知秋[2]。"),
    ],
)
async def test_one_id_in_both(agent: Agent, question: str, told: str) -> None:
    """KNO-35: s01 is 云雀号 in one network and 朱雀号 in the other."""
    assert await answer(agent, question) == told


async def test_an_id_without_a_name(agent: Agent) -> None:
    """KNO-39: a number that both networks have is told of each."""
    found = await answer(agent, "编号 s01 的船的船长是谁？")
    assert "云雀号的船长：温若水" in found and "朱雀号的船长：贺知秋" in found


async def test_one_name_in_both(agent: Agent) -> None:
    """KNO-35: the values of two instances of one name and id are not told as if one had both."""
    found = await answer(agent, "长风号的载重是多少？")
    assert "210" in found and "333" in found
    assert not any("210" in line and "333" in line for line in found.splitlines())


async def test_a_walk_stays_in_its_network(agent: Agent) -> None:
    """KNO-35: 长风号 of each network leads to its own owner."""
    found = await answer(agent, "万泰行的船的载重是多少？")
    assert "333" in found and "210" not in found


async def test_a_connection_is_of_one_network(agent: Agent) -> None:
    """KNO-35: names of the one network are no way between names of the other."""
    found = await answer(agent, "恒顺行和长风号有什么关系？")
    assert "恒顺行" in found and "万泰行" not in found


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("哪艘船的载重最大？", ["12个船只中，北斗号最大，载重：240[1]。", "12个船只中，长风号最大，载重：333[2]。"]),
        ("三桅货船有哪些？", ["船型为三桅货船的船只共3个：云雀号", "船型为三桅货船的船只共3个：朱雀号"]),
        ("一共有多少艘船？", ["船只共12个：云雀号[1]、长风号[2]", "船只共12个：朱雀号[13]、长风号[14]"]),
    ],
)
async def test_each_network_is_asked(agent: Agent, question: str, told: list[str]) -> None:
    """KNO-35: a list, a count and a maximum are of each network of the run."""
    found = (await answer(agent, question)).splitlines()
    assert len(found) == len(told)
    assert all(line.startswith(f"{name}中，{own}") for line, name, own in zip(found, NAMES, told, strict=True))


async def test_a_network_without_the_type_is_not_asked(agent: Agent) -> None:
    """KNO-35: a list of what an instance of one network has is of that one."""
    assert "码头登记册" not in await answer(agent, "恒顺行有哪些船？")
