"""What people ask of tables with columns named as in a database: groups, years, flags, small words, short headers."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from wenmai.agent import Agent, open_agent
from wenmai.knowledge.inferring import read_folder
from wenmai.stores.networks.local import KnowledgeFolders, import_content

NETWORK: dict[str, Any] = {"toolkits": ["knowledge"], "kn_ids": ["orchard"]}
TABLES = {
    "growers.csv": "GrowerId,FirstName,LastName,Country,City\n1,Ines,Falk,Norway,Molde\n2,Otto,Brandt,Norway,Oslo\n"
    "3,Mia,Serra,Italy,Asti\n4,Leo,Conti,Italy,Asti\n5,Ada,Renn,Norway,Molde\n6,Pia,Holm,Denmark,Ribe\n",
    "clerks.csv": "EmployeeId,FirstName,LastName\n1,Jon,Vale\n2,Eva,Lind\n3,Tom,Hart\n",
    "varieties.csv": "VarietyId,Name,Symbol,GrowerId,RepId,alt,avg_wt,discovery_year,found_by,is_hardy,grade,density\n"
    "1,Red Belong,In,1,1,320,140,1895,A. Moss,1,2,0.81\n2,Gold Crest,Au,2,1,80,155,1911,B. Reed,1,1,0.92\n"
    "3,Snow Bell,The,3,2,640,90,1895,C. Dorn,0,2,0.77\n4,Pearl,Pe,3,2,510,120,1950,A. Moss,0,3,0.98\n"
    "5,Belong,Be,1,3,45,150,1902,D. Ames,1,2,0.88\n",
    "sales.csv": "SaleId,VarietyId,SaleDate,Total\n1,1,2009-04-02,12.5\n2,1,2010-01-15,8.25\n3,2,2009-07-30,30.0\n"
    "4,4,2009-12-01,4.75\n2009,5,2011-02-02,99.0\n",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tables, imported as a network."""
    made = tmp_path_factory.mktemp("tables")
    (made / "orchard").mkdir()
    for name, text in TABLES.items():
        (made / "orchard" / name).write_text(text, encoding="utf-8")
    import_content(KnowledgeFolders(made), read_folder(made / "orchard", "orchard"), lambda done, total: None)
    return made


@pytest.fixture
async def agent(folder: Path, tmp_path: Path) -> AsyncIterator[Agent]:
    """The offline agent over it."""
    async with open_agent(data_dir=folder, trace_dir=tmp_path, google_api_key=None) as opened:
        yield opened


@pytest.mark.parametrize(
    ("question", "told", "not_told"),
    [
        ("Which country has the most growers?", ["Norway", "3"], ["Italy"]),
        ("哪个城市的种植者最多？", [], ["GrowerId"]),
        ("How many growers are there per country?", ["Norway 3", "Italy 2", "Denmark 1"], []),
        ("How many growers are there in each city?", ["Molde 2", "Asti 2", "Oslo 1"], []),
        ("How many sales were there in 2009?", ["3"], ["2009 —"]),
        ("Which varieties were found in 1895?", ["Red Belong", "Snow Bell"], ["Pearl", "Gold Crest"]),
        ("How many varieties are hardy?", ["3"], []),
        ("How many varieties are in grade 2?", ["3"], []),
        ("Which varieties grow above 500 m?", ["Snow Bell", "Pearl"], ["Gold Crest"]),
        ("What is the altitude of Pearl?", ["510"], []),
        ("What do the sales add up to?", ["154.5"], []),
        ("How many varieties belong to Ines Falk?", ["2"], []),
        ("Which is denser, pearl or gold crest?", ["denser: Pearl"], []),
        ("Who is the rep of Pearl?", ["Eva Lind"], ["Otto"]),
        ("Pearl 的密度是多少？", ["0.98"], []),
        ("哪个 variety 的密度最高？", ["Pearl"], ["Gold"]),
        ("Pearl 这个 variety 的密度是多少？", ["0.98"], []),
    ],
)
async def test_what_people_ask_of_tables(agent: Agent, question: str, told: list[str], not_told: list[str]) -> None:
    """KNO-67 KNO-68: groups, years, flags, numbers behind names, units, short headers and small words."""
    answer = (await agent.ask(question, **NETWORK)).text
    assert all(one in answer for one in told), answer
    assert not any(one in answer for one in not_told), answer


@pytest.mark.parametrize(
    "question",
    [
        "What is the average sweetness of the varieties?",  # a column that is not there: neither a list nor a number
        "What is the salary of Eva Lind?",
        "What is the market price of Pearl?",
    ],
)
async def test_what_no_column_holds_is_refused(agent: Agent, question: str) -> None:
    """KNO-68: letters that a value shares with a question are no answer."""
    assert (await agent.ask(question, **NETWORK)).record["status"] == "not_found"


async def test_confidence_of_an_answer_falls_with_what_is_not_understood(agent: Agent) -> None:
    """KNO-44 KNO-69: what the question says and the network does not have makes its answer less sure."""
    plain = (await agent.ask("How many growers are from Norway?", **NETWORK)).record
    more = (await agent.ask("How many growers are from Norway with a tractor?", **NETWORK)).record
    assert plain["confidence"] > 0.8
    assert more["status"] == "not_found" or more["confidence"] < 0.5
