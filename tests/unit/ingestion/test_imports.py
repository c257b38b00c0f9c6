import json
from pathlib import Path

import pytest

from tests.fakes import FakeCatalog, FakeEmbedder, FakePassageStore, FakeStoryGraph
from tests.shipped import shipped_reader
from tools.errors import IngestError
from wenmai.ingestion.contracts import Stores
from wenmai.ingestion.pipeline import IngestRequest, ingest
from wenmai.ingestion.sources.imports import load_graph

TABLES = {
    "关系_主公_父_主公": ("son,father\n刘禅,刘备", ("刘禅", "FAMILY_OF", "刘备", "父", "Character", "Character")),
    "关系_主公_兄_主公": (
        "ybrother,ebrother\n孙权,孙策",
        ("孙权", "FAMILY_OF", "孙策", "兄", "Character", "Character"),
    ),
    "关系_武将_籍贯_州": ("name,hometown\n曹仁,豫州", ("曹仁", "HOMETOWN", "豫州", "籍贯", "Character", "Location")),
    "关系_主公_参战_战役": (
        "name,war\n曹操,官渡之战",
        ("曹操", "PARTICIPATED_IN", "官渡之战", "参战", "Character", "Event"),
    ),
    "关系_文臣_隶属_主公": (
        "slaver,master\n荀彧,曹操",
        ("荀彧", "MEMBER_OF", "曹操", "隶属", "Character", "Character"),
    ),
}


def write(tmp_path: Path, name: str, text: str) -> Path:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8-sig")
    return path


@pytest.mark.parametrize("stem", TABLES)
def test_tables_of_relations_work_as_they_are(tmp_path: Path, stem: str) -> None:
    text, edge = TABLES[stem]
    found = load_graph(write(tmp_path, f"{stem}.csv", text))
    assert [(r.source, r.type, r.target, r.description, r.source_kind, r.target_kind) for r in found.relations] == [
        edge
    ]
    assert found.relations[0].task_id == stem and found.relations[0].chapter is None


@pytest.mark.parametrize(
    ("stem", "text", "entity"),
    [
        (
            "主公",
            "name,camp,hometown,position\n曹操,魏,豫州,魏武帝",
            ("曹操", "Character", "阵营: 魏，籍贯: 豫州，职位: 魏武帝"),
        ),
        ("州", "state,caption\n司州,洛阳", ("司州", "Location", "治所: 洛阳")),
        ("战役", "name,start_time,end_time\n官渡之战,200,200", ("官渡之战", "Event", "开始: 200，结束: 200")),
    ],
)
def test_tables_of_entities_keep_their_columns(
    tmp_path: Path, stem: str, text: str, entity: tuple[str, str, str]
) -> None:
    found = load_graph(write(tmp_path, f"{stem}.csv", text))
    assert [(e.name, e.kind, e.description) for e in found.entities] == [entity]


def test_json_lines(tmp_path: Path) -> None:
    """S003-07: relations, events and entities; a bad row is named with file and line, the rest goes in."""
    rows: list[object] = [
        {"source": "甲", "type": "friend of", "target": "乙", "part": 1, "chapter": 3, "evidence": "e"},
        {
            "name": "甲乙相会",
            "event_type": "encounter",
            "characters": [{"name": "乙", "role": "object"}, {"name": "甲", "role": "subject"}],
        },
        {"name": "丙", "kind": "势力", "aliases": ["丙帮"], "description": "d"},
        {"source": "甲", "type": "x'; DROP", "target": "乙"},
        {"name": "n", "event_type": "party", "characters": ["甲"]},
        {"source": "甲", "type": "FRIEND_OF", "target": "乙", "chapter": "三"},
        ["not", "an object"],
        {"nothing": 1},
    ]
    lines = "\n".join(json.dumps(row, ensure_ascii=False) for row in rows) + "\n{broken\n"
    found = load_graph(write(tmp_path, "g.jsonl", lines))
    assert [(r.type, r.chapter) for r in found.relations] == [("FRIEND_OF", 3)]
    assert [(e.primary_character, e.task_id) for e in found.events] == [("甲", "g")]
    assert [(e.name, e.kind, e.aliases) for e in found.entities] == [("丙", "Organization", ("丙帮",))]
    assert [row.rsplit(":", 1)[0] for row in found.bad] == [f"g.jsonl:{line}" for line in (4, 5, 6, 7, 8, 9)]


@pytest.mark.parametrize(
    ("name", "text", "reason"),
    [
        ("g.csv", "source,type\n甲,FRIEND_OF\n", "缺少列 target"),
        ("g.csv", "type,target\nFRIEND_OF,乙\n", "缺少列 source"),
        ("g.csv", "foo,bar\n甲,乙\n", "缺少列 name"),
        ("g.csv", "name,event_type\n相会,encounter\n", "JSONL"),
        ("g.csv", "source,target,source\n甲,乙,丙\n", "重复"),
        ("关系_主公_父_主公.csv", "son\n刘禅\n", "缺少列 name"),
        ("g.csv", "source,type,target\n甲\n乙,FRIEND_OF,丙,丁\n", r"g\.csv:2|有 1 列"),
    ],
)
def test_a_table_whose_columns_tell_nothing_is_refused(tmp_path: Path, name: str, text: str, reason: str) -> None:
    """A column that is missing is named with the file; nothing is taken for what it is not."""
    with pytest.raises(IngestError, match=reason) as caught:
        load_graph(write(tmp_path, name, text))
    assert name in str(caught.value)


def test_broken_rows_and_unknown_kinds_are_named(tmp_path: Path) -> None:
    """STO-05: with file and line; the rows beside them go in."""
    text = "source,type,target,target_kind\n甲,FRIEND_OF,乙,人物\n甲,FRIEND_OF\n甲,KNOWS,乙,Dragon\n甲,KNOWS,乙,,x\n"
    found = load_graph(write(tmp_path, "g.csv", text))
    assert [(r.source, r.type, r.target_kind) for r in found.relations] == [("甲", "FRIEND_OF", "Character")]
    assert [row.split(": ")[0] for row in found.bad] == ["g.csv:3", "g.csv:4", "g.csv:5"]
    assert "有 2 列，表头有 4 列" in found.bad[0] and "有 5 列" in found.bad[2]
    assert "Dragon" in found.bad[1] and "Character、Event、Location、Object、Organization" in found.bad[1]
    entities = load_graph(write(tmp_path, "e.csv", "name,kind\n甲,Dragon\n乙,势力\n"))
    assert [(one.name, one.kind) for one in entities.entities] == [("乙", "Organization")]
    assert entities.bad[0].startswith("e.csv:2: 没有名为 Dragon 的 kind")


@pytest.mark.parametrize("text", ["{broken\n", "\n\n", "name\n"])
def test_a_file_without_a_usable_row_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(IngestError, match=r"g\.csv|g\.jsonl"):
        load_graph(write(tmp_path, "g.csv" if text == "name\n" else "g.jsonl", text))


def test_a_row_without_a_kind_is_no_person(tmp_path: Path) -> None:
    """STO-05: Given rows that tell no kind, When read, Then none is made up, and gloss is the description."""
    rows = [
        {"name": "青霜剑", "gloss": "林家祖传的剑"},
        {"name": "望海城", "type": "地点", "gloss": "东海边的城", "description": "港口"},
        {"name": "令牌", "type": "物品"},
        {"source": "林小满", "type": "OWNER_OF", "target": "青霜剑"},
        {"source": "林小满", "type": "FRIEND_OF", "target": "沈河"},
    ]
    found = load_graph(write(tmp_path, "g.jsonl", "\n".join(json.dumps(row, ensure_ascii=False) for row in rows)))
    assert [(one.name, one.kind, one.description) for one in found.entities] == [
        ("青霜剑", "", "林家祖传的剑"),
        ("望海城", "Location", "港口"),
        ("令牌", "Object", ""),
    ]
    assert [one.target_kind for one in found.relations] == ["Object", "Character"]
    table = load_graph(write(tmp_path, "things.csv", "name,gloss\n青霜剑,林家祖传的剑\n"))
    assert [(one.kind, one.description) for one in table.entities] == [("", "林家祖传的剑")]


def test_a_relation_without_a_type_is_one_in_both_formats(tmp_path: Path) -> None:
    """STO-05: Given a relation that has no type, When read from JSONL or CSV, Then it is RELATED_TO."""
    files = ("g.jsonl", '{"source": "甲", "target": "乙"}\n'), ("g.csv", "source,target\n甲,乙\n")
    for name, text in files:
        found = load_graph(write(tmp_path, name, text))
        assert [(one.source, one.type, one.target) for one in found.relations] == [("甲", "RELATED_TO", "乙")], name


@pytest.mark.parametrize("tagged", [True, False])
async def test_who_speaks_lines_is_a_person(tmp_path: Path, tagged: bool) -> None:
    """STO-05 S000-23: Given a row without a kind, When the text has lines of that name, Then it is a person."""
    text = "第一章 起\n\n旅人：你好，我叫旅人。\n派蒙：我们走吧！\n旅人：你要去哪里？\n派蒙：去蒙德！\n"
    graph = write(tmp_path, "g.jsonl", json.dumps({"name": "旅人"}, ensure_ascii=False))
    stores = Stores(passages=FakePassageStore(), graph=FakeStoryGraph(), catalog=FakeCatalog())
    request = IngestRequest(path=write(tmp_path, "s.txt", text), library="lib", graph_files=(graph,))
    tagger = shipped_reader() if tagged else None
    await ingest(request, stores=stores, embedder=FakeEmbedder(), tagger=tagger)
    found = await stores.graph.entity("lib", "旅人", None)
    assert found and found.kind == "Character"


async def test_what_says_no_kind_is_what_the_text_shows(tmp_path: Path) -> None:
    """STO-05 S000-23: Given untyped rows, When a story is ingested, Then text and relations type them, else nothing."""
    text = (
        "第一章 起\n\n林小满拔出了青霜剑，把玉佩交给了沈河。\n\n第二章 承\n\n林小满和沈河离开了望海城。林小满走了。\n"
    )
    rows = [
        {"name": "林小满", "gloss": "白鹤门弟子"},
        {"name": "青霜剑", "gloss": "林家祖传的剑"},
        {"name": "玉佩"},
        {"source": "林小满", "type": "OWNER_OF", "target": "玉佩", "chapter": 1},
    ]
    story = write(tmp_path, "story.txt", text)
    graph = write(tmp_path, "g.jsonl", "\n".join(json.dumps(row, ensure_ascii=False) for row in rows))
    stores = Stores(passages=FakePassageStore(), graph=FakeStoryGraph(), catalog=FakeCatalog())
    request = IngestRequest(path=story, library="lib", graph_files=(graph,))
    await ingest(request, stores=stores, embedder=FakeEmbedder(), tagger=shipped_reader())
    found = [await stores.graph.entity("lib", name, None) for name in ("林小满", "青霜剑", "玉佩")]
    assert [(one.kind, one.description) for one in found if one] == [
        ("Character", "白鹤门弟子"),
        ("Entity", "林家祖传的剑"),
        ("Object", ""),
    ]
