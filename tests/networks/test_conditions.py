"""What questions to networks say beside names and labels: times, units, one name of several, what is not there."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from wenmai.agent import Agent, open_agent
from wenmai.knowledge.inferring import read_folder
from wenmai.stores.networks.local import KnowledgeFolders, import_content

PORTS: dict[str, Any] = {"toolkits": ["knowledge"], "kn_ids": ["harbourmasters"]}
FILMS: dict[str, Any] = {"toolkits": ["knowledge"], "kn_ids": ["films"]}
TABLES = {
    "harbourmasters/masters.csv": "masterID,masterName,born\n1,Ned Calloway,1901\n2,Ruth Amsel,1920\n"
    "3,Ned Calloway,1955\n4,Petra Voss,1960\n",
    "harbourmasters/ports.csv": "portID,portName,depth_m,width_ft\n10,Gannet Port,12,300\n11,Teal Harbour,9.5,1200\n"
    "12,Smew Bay,31 ft,400\n",
    "harbourmasters/terms.csv": "masterID,portID,valid_from,valid_to\n1,10,1940-01-01,1962-06-30\n"
    "2,10,1962-06-30,1985-03-01\n3,10,1985-03-01,\n3,11,1979-01-01,1985-02-28\n4,11,1985-03-01,2001-12-31\n",
    "films/films.csv": "filmID,片名,片长,年份,导演ID\n1,雨巷,96,1994,1\n2,长桥,148,2006,2\n3,风筝,87,2011,1\n",
    "films/people.csv": "personID,姓名,出生年,籍贯\n1,林岳,1958,扬州\n2,高原,1963,兰州\n3,唐宁,1990,扬州\n",
    "films/roles.csv": "filmID,personID,角色\n1,3,船夫\n2,3,邮差\n2,1,站长\n",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tables, imported as two networks."""
    made = tmp_path_factory.mktemp("tables")
    for name, text in TABLES.items():
        path = made / "csv" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    for name in ("harbourmasters", "films"):
        import_content(KnowledgeFolders(made), read_folder(made / "csv" / name, name), lambda done, total: None)
    return made


@pytest.fixture
async def agent(folder: Path, tmp_path: Path) -> AsyncIterator[Agent]:
    """The offline agent over them."""
    async with open_agent(data_dir=folder, trace_dir=tmp_path, google_api_key=None) as opened:
        yield opened


@pytest.mark.parametrize(
    ("question", "told", "not_told"),
    [
        ("Who was master of Gannet Port in 1950?", ["Ned Calloway (born 1901)"], ["Ruth", "1955"]),
        ("Who is the current master of Gannet Port?", ["Ned Calloway (born 1955)"], ["Ruth", "1901"]),
        ("Who was master of Gannet Port on 1962-06-30?", ["Ruth Amsel"], ["Calloway"]),
        ("Which masters served between 1980 and 1990?", ["Ruth Amsel", "Ned Calloway (born 1955)", "Voss"], ["1901"]),
        ("Who was master of Teal Harbour in the 1980s?", ["Ned Calloway (born 1955)", "Petra Voss"], ["Ruth"]),
        ("When was Ruth Amsel master of Gannet Port?", ["1962-06-30 – 1985-03-01"], []),
        ("Which port is the deepest?", ["Gannet Port is the deepest"], []),
        ("Which ports are deeper than 32 ft?", ["Gannet Port"], ["Smew", "Teal"]),
        ("Which port is the widest?", ["Teal Harbour is the widest, width ft: 1200"], ["number of"]),
        (
            "Which ports did Ned Calloway manage?",
            [
                "Ned Calloway (born 1901) — term port: Gannet Port",
                "(born 1955) — term port: Gannet Port[2], Teal Harbour",
            ],
            [],
        ),
    ],
)
async def test_times_units_and_namesakes(agent: Agent, question: str, told: list[str], not_told: list[str]) -> None:
    """KNO-42 KNO-43: rows of a time, numbers in one unit, the column that is meant, several of one name told apart."""
    record = (await agent.ask(question, **PORTS)).record
    assert all(one in record["answer"] for one in told), record["answer"]
    assert not any(one in record["answer"] for one in not_told), record["answer"]
    assert record["passed"]


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("《长桥》是谁导演的？", "高原"),
        ("谁演过《长桥》？", "唐宁"),
        ("林岳导演了哪些电影？", "雨巷"),
        ("唐宁在《雨巷》里演什么角色？", "船夫"),
        ("2010年以后的电影有哪些？", "风筝"),
        ("唐宁一共演过几部电影？", "2"),
        ("最长的电影是哪一部？", "长桥"),
    ],
)
async def test_everyday_words(agent: Agent, question: str, told: str) -> None:
    """KNO-43: the words that people have for columns and relations."""
    record = (await agent.ask(question, **FILMS)).record
    assert told in record["answer"].splitlines()[0] and record["status"] == "answer", record["answer"]


async def test_what_is_not_applied_is_named(agent: Agent) -> None:
    """KNO-44: a condition that nothing in the network says is named, and such an answer does not pass."""
    plain = (await agent.ask("Which ports did Petra Voss manage?", **PORTS)).record
    kept = (await agent.ask("Which foggy ports did Petra Voss manage?", **PORTS)).record
    assert "“foggy”" in kept["answer"] and "foggy" not in plain["answer"]
    assert plain["passed"] and not kept["passed"] and kept["confidence"] < plain["confidence"]


async def test_how_sure_an_answer_is_depends_on_what_was_understood(agent: Agent) -> None:
    """KNO-44: no constant: words that the reading does not say cost."""
    questions = [
        "Which port is the deepest?",
        "Which ports did Petra Voss manage?",
        "Who strangely managed Smew Bay in 1999?",
    ]
    sure = [(await agent.ask(one, **PORTS)).record["confidence"] for one in questions]
    assert len(set(sure)) > 1


@pytest.mark.parametrize("question", ["When was Edwin Harrow born?", "Which ports did Owen Grey manage?"])
async def test_a_name_that_is_not_there(agent: Agent, question: str) -> None:
    """KNO-45: of a name that the network does not have nothing is told, and of nobody that was spoken of before."""
    await agent.ask("When was Ned Calloway born?", thread_id="t", **PORTS)
    record = (await agent.ask(question, thread_id="t", **PORTS)).record
    assert record["status"] == "not_found" and record["resolved_question"] == question


async def test_a_value_alone_takes_the_place_of_the_last(agent: Agent) -> None:
    """KNO-45: and those of Lanzhou, after those of Yangzhou."""
    await agent.ask("哪些人是扬州人？", thread_id="v", **FILMS)
    record = (await agent.ask("兰州呢？", thread_id="v", **FILMS)).record
    assert "高原" in record["answer"] and "林岳" not in record["answer"]


async def test_citations_name_rows_by_what_they_join(agent: Agent) -> None:
    """KNO-46: a row without a name is called by the ends that it joins, never by its keys."""
    record = (await agent.ask("Who was master of Gannet Port on 1962-06-30?", **PORTS)).record
    assert [one["quote"] for one in record["citations"]] == ["Ruth Amsel / Gannet Port — master: Ruth Amsel"]
