"""A statement of the text that a graph file has too: shown once, and kept for each source."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from tests.fakes import FakeCatalog, FakeEmbedder, FakePassageStore, FakeStoryGraph
from tests.shipped import shipped_reader
from tools.base import Scope
from tools.evidence import Quoting
from tools.records import Relation
from tools.story.graph import (
    FindConnection,
    FindConnectionArguments,
    LookupKnowledge,
    LookupKnowledgeArguments,
    without_doubles,
)
from tools.story.names import EntityNames
from wenmai.ingestion.contracts import Stores
from wenmai.ingestion.pipeline import IngestRequest, ingest

LIBRARY = "lib"
TEXT = "第一章 海\n\n恰斯卡是卡齐娜的姐姐。卡齐娜在船上，恰斯卡也在船上。恰斯卡笑了，卡齐娜也笑了。\n"
GIVEN = {
    "source": "恰斯卡",
    "type": "FAMILY_OF",
    "target": "卡齐娜",
    "part": 1,
    "chapter": 1,
    "evidence": "恰斯卡是卡齐娜的姐姐",
    "description": "大姐",
}


@pytest.fixture
async def stores(tmp_path: Path) -> Stores:
    """A library with a story and a graph file of it."""
    story, graph = tmp_path / "story.txt", tmp_path / "given.jsonl"
    story.write_text(TEXT, encoding="utf-8")
    graph.write_text(json.dumps(GIVEN, ensure_ascii=False) + "\n", encoding="utf-8")
    made = Stores(passages=FakePassageStore(), graph=FakeStoryGraph(), catalog=FakeCatalog())
    request = IngestRequest(path=story, library=LIBRARY, graph_files=(graph,))
    await ingest(request, stores=made, embedder=FakeEmbedder(), tagger=shipped_reader())
    return made


async def shown(stores: Stores) -> list[dict[str, object]]:
    tool = LookupKnowledge(stores.graph, Quoting(stores.passages), EntityNames(stores.graph))
    result = await tool(LookupKnowledgeArguments(entity="恰斯卡"), Scope(library=LIBRARY))
    data = result.data
    assert isinstance(data, dict) and data["total"] == len(data["relations"]) == len(result.evidence)
    return [one for one in data["relations"] if one["type"] == "FAMILY_OF"]


async def test_it_is_shown_once(stores: Stores) -> None:
    """S000-42: by its place in the text, with the description that a person gave."""
    [one] = await shown(stores)
    assert (one["description"], one["task_id"]) == ("大姐", "story")


async def test_a_connection_shows_it_once(stores: Stores) -> None:
    """S000-42: the edge between two people, as every other view has it."""
    tool = FindConnection(stores.graph, Quoting(stores.passages), EntityNames(stores.graph))
    result = await tool(FindConnectionArguments(entity1="恰斯卡", entity2="卡齐娜"), Scope(library=LIBRARY))
    data = result.data
    assert isinstance(data, dict)
    assert [one["description"] for one in data["edges"] if one["type"] == "FAMILY_OF"] == ["大姐"]


@pytest.mark.parametrize(("gone", "left"), [("given", "story"), ("story", "given")])
async def test_a_deleted_source_leaves_the_other(gone: str, left: str, stores: Stores) -> None:
    kept = [one for one in await stores.graph.relations(LIBRARY, "恰斯卡", None) if one.type == "FAMILY_OF"]
    assert {one.task_id for one in kept} == {gone, left}
    await stores.graph.delete_source(LIBRARY, gone)
    [one] = await shown(stores)
    assert one["task_id"] == left


def test_two_wordings_of_one_sentence_are_one_edge() -> None:
    one = Relation(
        source="甲", type="FAMILY_OF", target="乙", part=1, chapter=1, task_id="t", evidence="甲弟乙", start=4
    )
    back = replace(one, source="乙", target="甲", description="之弟")
    assert without_doubles([one, back]) == [replace(one, description="之弟")]
    assert len(without_doubles([one, replace(back, start=90)])) == 2


def test_other_words_another_chapter_and_one_source_are_no_doubles() -> None:
    first = Relation(
        source="甲", type="FRIEND_OF", target="乙", part=1, chapter=1, task_id="t", evidence="甲是乙的朋友"
    )
    others = [
        Relation(source="甲", type="FRIEND_OF", target="乙", part=1, chapter=2, task_id="g", evidence="甲是乙的朋友"),
        Relation(source="甲", type="FRIEND_OF", target="乙", part=1, chapter=1, task_id="g", evidence="乙救了甲"),
        Relation(source="甲", type="FRIEND_OF", target="乙", part=1, chapter=1, task_id="t", evidence="甲是乙的"),
        Relation(source="甲", type="ENEMY_OF", target="乙", part=1, chapter=1, task_id="g", evidence="甲是乙的朋友"),
    ]
    assert without_doubles([first, *others]) == [first, *others]
