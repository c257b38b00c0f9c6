import json
from pathlib import Path

import pytest

from tools.errors import IngestError
from wenmai.ingestion.imports import load_graph

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


@pytest.mark.parametrize("text", ["{broken\n", "\n\n", "name\n"])
def test_a_file_without_a_usable_row_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(IngestError, match=r"g\.csv|g\.jsonl"):
        load_graph(write(tmp_path, "g.csv" if text == "name\n" else "g.jsonl", text))
