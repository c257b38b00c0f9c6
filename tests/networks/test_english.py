"""The offline mind over a network whose names and labels are English."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from wenmai.agent import Agent, open_agent
from wenmai.knowledge.content import CheckedContent, ordered_content, to_spec
from wenmai.stores.networks.local import KnowledgeFolders, import_content

PORT: dict[str, Any] = {"toolkits": ["knowledge"], "kn_ids": ["port"]}
NOT_FOUND = "Sorry, no relevant information was found."
KINDS: dict[str, list[tuple[str, str]]] = {
    "ship": [("name", "Name"), ("kind", "Kind"), ("tonnage", "Tonnage"), ("built", "Year built")],
    "person": [("name", "Name"), ("birthplace", "Birthplace"), ("born", "Year of birth")],
    "company": [("name", "Name"), ("founded", "Founded")],
}
ROWS: dict[str, list[tuple[str, ...]]] = {
    "ship": [
        ("Skylark", "barque", "180", "1842"),
        ("Long Wind", "barque", "210", "1838"),
        ("White Heron", "brig", "95", "1851"),
    ],
    "person": [
        ("Ruth Calder", "Dunmore", "1819"),
        ("Tom Hale", "Fog Harbor", "1811"),
        ("Henry Shaw", "Dunmore", "1801"),
    ],
    "company": [("Hale & Shaw", "1805"), ("Heron Line", "1829")],
}
LINKS = {
    ("captain", "Captain", "ship", "person"): [("Skylark", "Ruth Calder"), ("Long Wind", "Tom Hale")],
    ("owned_by", "Owner", "ship", "company"): [("Skylark", "Hale & Shaw"), ("Long Wind", "Hale & Shaw")],
    ("head", "Head", "company", "person"): [("Hale & Shaw", "Henry Shaw")],
}


def content() -> CheckedContent:
    """Return a small register of ships, people and companies."""
    types = [
        {
            "id": id,
            "name": id.capitalize(),
            "primary_keys": ["name"],
            "display_key": "name",
            "instances": "x",
            "properties": [{"name": name, "display_name": label} for name, label in properties],
        }
        for id, properties in KINDS.items()
    ]
    relations = [
        {"id": id, "name": name, "source": source, "target": target, "links": "x"} for id, name, source, target in LINKS
    ]
    spec = to_spec({"id": "port", "name": "Port", "object_types": types, "relation_types": relations}, "test")
    rows = {
        id: [dict(zip((name for name, _ in KINDS[id]), row, strict=True)) for row in held] for id, held in ROWS.items()
    }
    links = {id: [((one,), (other,)) for one, other in pairs] for (id, *_), pairs in LINKS.items()}
    return ordered_content(spec, rows, links)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The network, imported."""
    made = tmp_path_factory.mktemp("port")
    import_content(KnowledgeFolders(made), content(), lambda done, total: None)
    return made


@pytest.fixture
async def agent(folder: Path, tmp_path: Path) -> AsyncIterator[Agent]:
    """The offline agent over it."""
    async with open_agent(data_dir=folder, trace_dir=tmp_path, google_api_key=None) as opened:
        yield opened


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("What is the tonnage of the Skylark?", "Skylark — Tonnage: 180[1]."),
        ("When was the Skylark built?", "Skylark — Year built: 1842[1]."),
        (
            "What is the birthplace of the captain of the Skylark?",
            "Skylark — Captain: Ruth Calder[1].\nRuth Calder — Birthplace: Dunmore[2].",
        ),
        (
            "Who is the head of the Skylark's owner?",
            "Skylark — Owner: Hale & Shaw[1].\nHale & Shaw — Head: Henry Shaw[2].",
        ),
        ("How many ships are there?", "Ship: 3 in all: Long Wind[1], Skylark[2], White Heron[3]."),
        ("Which barques are there?", "Ship with Kind barque: 2 in all: Long Wind[1], Skylark[2]."),
        ("Who was born in Dunmore?", "Person with Birthplace Dunmore: 2 in all: Henry Shaw[1], Ruth Calder[2]."),
        ("Which ship is the oldest?", "Of 3 (Ship) Long Wind is the oldest, Year built: 1838[1]."),
        (
            "Which is bigger, the Skylark or the White Heron?",
            "Skylark — Tonnage: 180[1].\nWhite Heron — Tonnage: 95[2].\nbigger: Skylark[1].",
        ),
        (
            "How are Ruth Calder and Hale & Shaw related?",
            "Skylark — Captain: Ruth Calder[1].\nSkylark — Owner: Hale & Shaw[2].",
        ),
        ("What is the tonnage of the Heron?", "White Heron — Tonnage: 95[1]."),
        ("Where was Calder born?", "Ruth Calder — Birthplace: Dunmore[1]."),
        ("Where was Ada Calder born?", NOT_FOUND),
        ("What is the price of the Skylark?", NOT_FOUND),
        ("Who is the captain of the White Heron?", NOT_FOUND),
    ],
)
async def test_questions(agent: Agent, question: str, told: str) -> None:
    """LOP-06 LOP-09 KNO-40: labels, walks, lists, degrees, connections, parts of names; the rest is refused."""
    assert (await agent.ask(question, **PORT)).text == told


async def test_follow_ups(agent: Agent) -> None:
    """LOP-09: pronouns become the instance that was asked about, or that the answer named."""
    talk = [
        ("Who is the captain of the Skylark?", "Ruth Calder"),
        ("Where was she born?", "Dunmore"),
    ]
    for question, told in talk:
        assert told in (await agent.ask(question, thread_id="t1", **PORT)).text, question


async def test_a_label_that_is_a_relation_too(tmp_path: Path) -> None:
    """KNO-39: what a relation of a type with itself is called is asked of the instance, whose label it may be."""
    kind: dict[str, Any] = {
        "id": "film",
        "name": "电影",
        "primary_keys": ["name"],
        "display_key": "name",
        "instances": "x",
        "properties": [{"name": "name", "display_name": "片名"}, {"name": "cast", "display_name": "主演"}],
    }
    stars = {"id": "stars", "name": "主演", "source": "film", "target": "film", "links": "x"}
    spec = to_spec({"id": "films", "name": "Films", "object_types": [kind], "relation_types": [stars]}, "test")
    rows: dict[str, Any] = {"film": [{"name": "纸船记", "cast": "陆晚舟"}, {"name": "旧港往事", "cast": None}]}
    made = ordered_content(spec, rows, {"stars": [(("旧港往事",), ("旧港往事",))]})
    import_content(KnowledgeFolders(tmp_path), made, lambda done, total: None)
    async with open_agent(data_dir=tmp_path, trace_dir=tmp_path / "traces", google_api_key=None) as opened:
        record = (await opened.ask("知道纸船记的主演都有谁吗？", toolkits=["knowledge"], kn_ids=["films"])).record
    assert record["answer"] == "纸船记的主演：陆晚舟[1]。"
