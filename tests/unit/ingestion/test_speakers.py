"""Who speaks the lines `名字：…` of a source, and that names of speakers and graph files count throughout it."""

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.fakes import FakeCatalog, FakeEmbedder, FakePassageStore, FakeStoryGraph
from tests.shipped import shipped_reader
from tools.records import Passage, PassageFilter
from wenmai.ingestion.contracts import Stores
from wenmai.ingestion.names.scripts import speaker_names
from wenmai.ingestion.pipeline import IngestRequest, ingest

TOLD = "清晨的雾还没有散去，河谷里一点声音也没有。\n" * 6


async def passages_of(folder: Path, text: str, *rows: Mapping[str, object]) -> list[Passage]:
    """Return the passages of a source, with a graph file where rows are given."""
    story, graph = folder / "石桥.txt", folder / "graph.jsonl"
    story.write_text(text, encoding="utf-8")
    graph.write_text("\n".join(json.dumps(row, ensure_ascii=False) for row in rows), encoding="utf-8")
    stores = Stores(passages=FakePassageStore(), graph=FakeStoryGraph(), catalog=FakeCatalog())
    request = IngestRequest(path=story, library="lib", graph_files=(graph,) if rows else ())
    await ingest(request, stores=stores, embedder=FakeEmbedder(), tagger=shipped_reader())
    found = await stores.passages.scroll("lib", PassageFilter())
    return sorted(found, key=lambda one: one.event_order)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("派蒙：走吧！\n掌柜（小声）：住店？\n地点：码头\n派蒙：好。\n", ["派蒙", "掌柜"]),
        ("第1场：你好！\n派蒙：走吧！\n", ["派蒙"]),
        (f"少女：请不要走那条路。\n{TOLD}少女：那口钟是我父亲铸的。\n", ["少女"]),
        (f"告示：今夜停船。\n{TOLD}告示：明日开船。\n", []),
        (f"告示：你不得入内！\n{TOLD}", []),
        (f"只是一件：我不去！\n{TOLD}只是一件：你也别去！\n", []),
        (f"Then: I left!\n{TOLD}Then: you left!\n", []),
    ],
)
def test_who_speaks(text: str, names: list[str]) -> None:
    """S000-41: not a label, a numbered scene, a turn of phrase, or a word that is no noun."""
    assert speaker_names([text]) == names


async def test_names_of_records_are_names(tmp_path: Path) -> None:
    """S000-41: an end of a relation and a character of an event, common nouns too; the record alone adds no name."""
    text = (
        f"第一章 石桥\n\n旅行者走过石桥。\n{TOLD}\n第二章 少年\n\n旅行者遇见了少年。\n{TOLD}\n第三章 归途\n\n他走了。\n"
    )
    friend = {"source": "旅行者", "type": "FRIEND_OF", "target": "老猎人"}
    meeting = {"event_type": "encounter", "name": "石桥相遇", "characters": ["少年", "旅行者"]}
    before = await passages_of(tmp_path, text)
    after = await passages_of(tmp_path, text, friend, meeting)
    assert not any({"旅行者", "少年"} & {*one.entities} for one in before)
    assert [{"旅行者", "少年", "老猎人"} & {*one.entities} for one in after] == [{"旅行者"}, {"旅行者", "少年"}, set()]


async def test_another_name_of_somebody_is_no_name_of_its_own(tmp_path: Path) -> None:
    """S000-41: a record or a line under an alias means its bearer."""
    text = f"第一章 集市\n\n火神：你们来了！\n玛薇卡：我来了！\n{TOLD}"
    given = {"name": "玛薇卡", "aliases": ["火神"]}
    (one,) = await passages_of(tmp_path, text, given, {"source": "火神", "type": "FRIEND_OF", "target": "派蒙"})
    assert one.entities == one.characters == ("玛薇卡",)


async def test_a_known_name_speaks_although_its_end_is_a_word_of_speech(tmp_path: Path) -> None:
    """STO-03: 阿云, 赵云; 玄德云 is narration, and the name of a place is a label."""
    rows = [{"name": "阿云"}, {"name": "玄德"}, {"name": "石桥", "kind": "Location"}]
    text = f"第一章 石桥\n\n阿云：昨夜有人敲钟。\n玄德云：备愿往。\n石桥：一座旧桥。\n{TOLD}"
    (one,) = await passages_of(tmp_path, text, *rows)
    assert one.characters == ("阿云",) and {"阿云", "玄德", "石桥"} <= {*one.entities}
