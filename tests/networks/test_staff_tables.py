"""Questions to CSV files of a workshop: roles, empty days, flags, zero, days after a year, two conditions."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from wenmai.agent import Agent, open_agent
from wenmai.knowledge.inferring import read_folder
from wenmai.stores.networks.local import KnowledgeFolders, import_content

FILES = {
    "staff.csv": "staffID,fullName,title,deptID,mentorID,salary,active\n1,Ann Berg,Chief,20,,9800,1\n"
    "2,Bo Carr,Clerk,20,1,7200,1\n"
    "3,Cy Dahl,Clerk,20,1,6100,0\n4,Di Ekman,Clerk,10,2,4300,1\n",
    "departments.csv": "deptID,deptName\n10,Sales\n20,Research\n",
    "projects.csv": "projectID,projectName,leadID,deptID,startDate,endDate\n501,Aurora,2,20,2021-02-01,2022-06-30\n"
    "502,Beacon,4,20,2022-09-15,\n503,Comet,3,10,2023-01-05,2023-12-20\n",
    "parts.csv": "partID,partName,stock\nP-1,Motor,20\nP-2,Lid,0\nP-3,Housing,4\n",
    "project_parts.csv": "projectID,partID,quantity\n501,P-1,4\n501,P-2,8\n502,P-1,3\n502,P-3,6\n503,P-3,5\n",
}
NOT_FOUND, NOT_FOUND_ZH = "Sorry, no relevant information was found.", "抱歉，未能找到相关信息。"


def imported(folder: Path, files: dict[str, str]) -> Path:
    """Import CSV files as a network."""
    (folder / "shop").mkdir()
    for name, text in files.items():
        (folder / "shop" / name).write_text(text, encoding="utf-8")
    import_content(KnowledgeFolders(folder), read_folder(folder / "shop", "shop"), lambda done, total: None)
    return folder


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The workshop as a network."""
    return imported(tmp_path_factory.mktemp("shop"), FILES)


@pytest.fixture(scope="module")
def leaderless(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The workshop without who leads a project."""
    rows = [line.split(",") for line in FILES["projects.csv"].splitlines()]
    text = "".join(",".join([*row[:2], *row[3:]]) + "\n" for row in rows)
    return imported(tmp_path_factory.mktemp("leaderless"), FILES | {"projects.csv": text})


@pytest.fixture
async def agent(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Agent]:
    """The offline agent over one of them."""
    folder: Any = request.getfixturevalue(getattr(request, "param", "folder"))
    async with open_agent(data_dir=folder, trace_dir=tmp_path, google_api_key=None) as opened:
        yield opened


async def asked(agent: Agent, question: str) -> str:
    """Return the answer to a question."""
    return (await agent.ask(question, toolkits=["knowledge"], kn_ids=["shop"])).text


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("Beacon 项目的负责人是谁？", "Beacon的lead：Di Ekman[1]。"),
        ("Who leads project Beacon?", "Beacon — lead: Di Ekman[1]."),
        ("How many staff does Ann Berg mentor?", "Ann Berg — staff: 2 in all: Bo Carr[1], Cy Dahl[2]."),
        ("Who mentors Di Ekman?", "Di Ekman — mentor: Bo Carr[1]."),
        ("Who is the mentor of Di Ekman?", "Di Ekman — mentor: Bo Carr[1]."),
        ("哪些员工没有导师？", "没有mentor的staff共1个：Ann Berg[1]。"),
        ("Who is not active?", "staff with active 0: 1 in all: Cy Dahl[1]."),
        ("Which project has not ended yet?", "project with no end date: 1 in all: Beacon[1]."),
        ("哪些零件库存为 0？", "stock为0的part共1个：Lid[1]。"),
        ("Which parts are out of stock?", "part with stock 0: 1 in all: Lid[1]."),
        ("2022 年以后开始的项目有哪些？", "start date2022 年以后的project共2个：Beacon[1]、Comet[2]。"),
        ("Aurora 和 Beacon 都用到了哪些零件？", "project为Aurora、project为Beacon的part共1个：Motor[1]。"),
    ],
)
async def test_conditions_and_roles(agent: Agent, question: str, told: str) -> None:
    """KNO-36 KNO-39: a role leads to its person, either way; what is empty, zero, denied or later is a condition."""
    assert await asked(agent, question) == told


@pytest.mark.parametrize("agent", ["leaderless"], indirect=True)
@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("Beacon 项目的负责人是谁？", NOT_FOUND_ZH),
        ("Beacon 项目的客户是谁？", NOT_FOUND_ZH),
        ("Bo Carr 负责哪些项目？", NOT_FOUND_ZH),
        ("Who is the lead of project Beacon?", NOT_FOUND),
        ("Which projects does Bo Carr lead?", NOT_FOUND),
        ("Beacon 属于哪个部门？", "Beacon的dept：Research[1]。"),
    ],
)
async def test_what_nobody_recorded_is_refused(agent: Agent, question: str, told: str) -> None:
    """KNO-39: a role that the network has not is no other way to the same type, nor a row that names the instance."""
    assert await asked(agent, question) == told
