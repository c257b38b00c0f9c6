"""The offline mind over a folder of related CSV files that has no schema of its own."""

import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from benchmarks.table_folders import hospital, write_folder
from benchmarks.table_questions import hospital_questions
from tools.networks.lexicon import NetworkSelection
from tools.networks.records import NOBODY
from tools.networks.words import identified
from wenmai.agent import Agent, open_agent
from wenmai.knowledge.inferring import read_folder
from wenmai.stores.networks.local import KnowledgeFolders, import_content

NETWORK: dict[str, Any] = {"toolkits": ["knowledge"], "kn_ids": ["hospital"]}
NOT_FOUND = "Sorry, no relevant information was found."
NOT_FOUND_ZH = "抱歉，未能找到相关信息。"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tables of a hospital, imported as a network."""
    made = tmp_path_factory.mktemp("tables")
    content = read_folder(write_folder(hospital(), made / "hospital"), "hospital")
    import_content(KnowledgeFolders(made), content, lambda done, total: None)
    return made


@pytest.fixture
async def agent(folder: Path, tmp_path: Path) -> AsyncIterator[Agent]:
    """The offline agent over it."""
    async with open_agent(data_dir=folder, trace_dir=tmp_path, google_api_key=None) as opened:
        yield opened


@pytest.mark.parametrize("question", hospital_questions(hospital()), ids=lambda one: one.text)
async def test_questions_to_related_tables(agent: Agent, question: Any) -> None:
    """KNO-36 KNO-39: by ids, verbs, counts, sums, the most and conditions, in both languages; each answer is cited."""
    record = (await agent.ask(question.text, **NETWORK)).record
    assert question.is_right(record["answer"]), record["answer"]
    assert record["citations"] and record["passed"]


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("Who does Dr. Bram Jansen report to?", "Dr. Bram Jansen — supervisor: Dr. Finn Holt[1]."),
        ("Who supervises Dr. Bram Jansen?", "Dr. Bram Jansen — supervisor: Dr. Finn Holt[1]."),
        ("谁是 Dr. Bram Jansen 的上级？", "Dr. Bram Jansen的supervisor：Dr. Finn Holt[1]。"),
        ("Which wards are not closed and have more than 20 beds?", "ward with beds more than 20, closed 0: 10 in all"),
        ("withdrawn = 1 且价格超过 30 的药品有哪些？", "price超过 30、withdrawn为1的drug共"),
        ("How many admissions were there in 2025?", "admission with admitted on 2025 — number of admission: 118[1]."),
        ("Which drugs cost between 1 and 2?", "drug with price between 1 and 2: "),
        ("Which department has the highest average salary?", "Oncology — average salary: 9322.8[1]."),
        ("Which drug was prescribed most often?", "Belomycin — number of admission: 24[1]."),
        ("谁的工资最高？", "36个doctor中，Dr. Jonas Ivers最高，salary：11421[1]。"),
        ("drug 4 的 manufacturer_id 是多少？", "Fenamycin的manufacturer id：10[1]。"),
        ("What was the cost of admission 1060?", "1060 — cost: 8549.66[1]."),
        (
            "What is the phone of the manufacturer of Hexazol?",
            "Hexazol — manufacturer: Cedar Pharma[1].\nCedar Pharma — phone:",
        ),
        ("Which manufacturers make no withdrawn drug?", "manufacturer with no withdrawn drug: "),
        ("没有停用药品的厂商有哪些？", "没有withdrawn drug的manufacturer共"),
        ("Who makes the drugs of admission 1060?", "1060 — manufacturer: "),
        ("住院 1060 的药品由谁生产？", "1060的manufacturer："),
        ("How many red drugs are there?", NOT_FOUND),
        ("法国产的红色药品有哪些？", NOT_FOUND_ZH),
        ("Which drugs weigh more than 20?", NOT_FOUND),
    ],
)
async def test_more_questions(agent: Agent, question: str, told: str) -> None:
    """KNO-39: directions, negations, ranges, years, means of groups; what nothing explains is refused."""
    answer = (await agent.ask(question, **NETWORK)).text
    assert answer.startswith(told), answer


async def test_a_number_is_told_without_its_rows(agent: Agent) -> None:
    """KNO-39: more rows than are shown are a number with one citation."""
    record = (await agent.ask("How many patients are there?", **NETWORK)).record
    assert record["answer"] == "number of patient: 110[1]." and len(record["citations"]) == 1


async def test_follow_ups(agent: Agent) -> None:
    """KNO-39 LOP-09: an instance named by its id is the one that the next question is about."""
    first = (await agent.ask("What is the price of drug 12?", thread_id="t1", **NETWORK)).record
    assert first["resolved_question"] == "What is the price of Dorimycin?"
    second = (await agent.ask("Who manufactures it?", thread_id="t1", **NETWORK)).record
    assert re.match(r"Dorimycin — manufacturer: \w+ Pharma\[1]", second["answer"])


@pytest.mark.parametrize(
    ("question", "named"),
    [
        ("What is the price of drug 12?", "What is the price of Dorimycin?"),
        ("12 号药品多少钱", "Dorimycin多少钱"),
        ("编号为 12 的药品多少钱", "Dorimycin多少钱"),
        ("Where does patient P0031 live?", "Where does Finn Birksen live?"),
        ("Who is P0031?", "Who is Finn Birksen?"),
        ("Which drugs cost over 12?", "Which drugs cost over 12?"),
        ("withdrawn = 1 的药品有哪些", "withdrawn = 1 的药品有哪些"),
    ],
)
async def test_ids(agent: Agent, question: str, named: str) -> None:
    """KNO-39: an id beside its type, or one of letters, names an instance; a number of something else does not."""
    lexicons = agent.services.assembly.lexicons
    assert identified(question, await lexicons(NetworkSelection(("hospital",), NOBODY)))[0] == named
