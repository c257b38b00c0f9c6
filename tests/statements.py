"""What an ingest finds in sentences: one chapter each, names of a given list."""

import json
from pathlib import Path

from tests.fakes import FakeCatalog, FakeEmbedder, FakePassageStore, FakeStoryGraph
from tools.records import MajorEvent, Relation
from wenmai.ingestion.contracts import Stores
from wenmai.ingestion.names.spans import NameTagger
from wenmai.ingestion.pipeline import IngestRequest, ingest

PEOPLE = (
    "恰斯卡",
    "卡齐娜",
    "玛拉妮",
    "基尼奇",
    "伊法",
    "曹操",
    "关羽",
    "马超",
    "马腾",
    "颜良",
    "许攸",
    "Henry",
    "Lucy",
)
PLACES = ("流泉镇", "悬木城", "许昌", "Greyhouse", "London")
BODIES = ("花羽会", "East India Company")
NAMES = {
    "mention": {
        **{name: [] for name in (*PEOPLE, *PLACES, *BODIES)},
        "Thomas Grey": ["Thomas"],
        "Margaret Hall": ["Margaret"],
    },
    "type": {**dict.fromkeys(PLACES, "Location"), **dict.fromkeys(BODIES, "Organization")},
}


async def stated(
    folder: Path, sentences: list[str], tagger: NameTagger | None = None
) -> tuple[dict[int, list[Relation]], dict[int, list[MajorEvent]]]:
    """Ingest one chapter a sentence; return the relations and events of each chapter."""
    book, names = folder / "书.txt", folder / "names.json"
    book.write_text("\n".join(f"第{n}章 其{n}\n\n{one}\n" for n, one in enumerate(sentences, 1)), encoding="utf-8")
    names.write_text(json.dumps(NAMES), encoding="utf-8")
    graph = FakeStoryGraph()
    stores = Stores(passages=FakePassageStore(), graph=graph, catalog=FakeCatalog())
    request = IngestRequest(path=book, library="lib", aliases=None if tagger else names)
    await ingest(request, stores=stores, embedder=FakeEmbedder(), tagger=tagger)
    relations: dict[int, list[Relation]] = {}
    events: dict[int, list[MajorEvent]] = {}
    for name in {name.entity for name in await graph.names("lib", None)}:
        for relation in await graph.relations("lib", name, None):
            relations.setdefault(relation.chapter or 0, []).append(relation)
        for event in await graph.events("lib", name, None, None):
            events.setdefault(event.chapter or 0, []).append(event)
    return relations, events
