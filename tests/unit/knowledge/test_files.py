"""Networks in files: what is read, what is refused with one clear line, what is written."""

from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest
import yaml

from tools.errors import InputError
from wenmai.knowledge.files import network_files, read_network, unpack, write_files

CLINIC = Path(__file__).parents[2] / "ontology_service" / "data" / "clinic"
Change = dict[str, Any]


def network(folder: Path, files: dict[str, str], **change: Any) -> Path:
    """Write a small network: two types, one relation."""
    schema = {
        "id": "kn",
        "object_types": [
            {
                "id": "cat",
                "name": "猫",
                "primary_keys": ["id"],
                "display_key": "name",
                "instances": "cat.csv",
                "properties": [
                    {"name": "id", "type": "integer"},
                    {"name": "name"},
                    {"name": "weight", "type": "float"},
                    {"name": "tame", "type": "boolean"},
                ],
            },
            {
                "id": "home",
                "name": "家",
                "primary_keys": ["street", "no"],
                "instances": "home.jsonl",
                "properties": [{"name": "street"}, {"name": "no", "type": "integer"}],
            },
        ],
        "relation_types": [{"id": "lives", "name": "住", "source": "cat", "target": "home", "links": "lives.csv"}],
        **change,
    }
    kept = {
        "cat.csv": "id,name,weight,tame\n2,阿花,4.5,true\n10,小黑,,no\n1,大橘,6,\n",
        "home.jsonl": '{"street": "东街", "no": 3}\n\n{"street": "东街", "no": 20}\n',
        "lives.csv": "source,target.street,target.no\n2,东街,3\n1,东街,20\n1,东街,20\n9,东街,3\n",
        "network.yaml": yaml.safe_dump(schema, allow_unicode=True),
        **files,
    }
    for name, text in kept.items():
        (folder / name).write_text(text, encoding="utf-8")
    return folder


def test_types_order_and_links(tmp_path: Path) -> None:
    """KNO-08 KNO-09: cells take their property's type, rows stand by primary key, double and dangling links go."""
    content = read_network(network(tmp_path, {}), None)
    assert [tuple(row.values()) for row in content.rows["cat"]] == [
        (1, "大橘", 6.0, None),
        (2, "阿花", 4.5, True),
        (10, "小黑", None, False),
    ]
    assert content.links["lives"] == [((1,), ("东街", 20)), ((2,), ("东街", 3))]
    assert (content.instances, content.relations, content.dangling) == (5, 2, 1)


def test_written_and_read_back(tmp_path: Path) -> None:
    """What is written is the very same network when it is read, whatever its values hold."""
    odd = '{"street": "a\\"b\\\\c\\n,d\\u2028e 😀", "no": 1}\n'
    content = read_network(
        network(tmp_path, {"home.jsonl": odd, "lives.csv": "source,target.street,target.no\n"}), None
    )
    assert content.rows["home"][0]["street"] == 'a"b\\c\n,d\u2028e 😀'
    write_files(network_files(content), tmp_path / "out")
    again = read_network(tmp_path / "out", None)
    write_files(network_files(again), tmp_path / "twice")
    assert read_network(tmp_path / "twice", None) == again
    assert (again.rows, again.links) == (content.rows, content.links)
    clinic = read_network(CLINIC, None)
    write_files(network_files(clinic), tmp_path / "clinic")
    assert (read_network(tmp_path / "clinic", None).rows) == clinic.rows


def test_the_revision_tells_contents_apart(tmp_path: Path) -> None:
    """The same content in another order is the same; one other value is not."""
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    (tmp_path / "c").mkdir()
    rows = '{"street": "东街", "no": 20}\n{"no": 3, "street": "东街"}\n'
    one = read_network(network(tmp_path / "a", {}), None).revision()
    assert read_network(network(tmp_path / "b", {"home.jsonl": rows}), None).revision() == one
    assert read_network(network(tmp_path / "c", {"home.jsonl": rows.replace("20", "21")}), None).revision() != one


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        ("cat.csv", "id,name,weight,tame\nx,阿花,,\n", r"cat.csv 第 2 行 id：应为数字，收到 'x'"),
        ("cat.csv", "id,name,weight,tame\n1.5,阿花,,\n", r"第 2 行 id：应为整数"),
        ("cat.csv", "id,name,weight,tame\n1,阿花,inf,\n", r"weight：应为有限的数字"),
        ("cat.csv", "id,name,weight,tame\n1,阿花,,maybe\n", r"tame：应为 true 或 false"),
        ("cat.csv", "id,name\n1,阿花,4\n", r"第 2 行的列数与表头不同"),
        ("cat.csv", "id,colour\n1,黑\n", r"没有的属性：colour"),
        ("cat.csv", "id,name,weight,tame\n1,a,,\n1,b,,\n", r"cat 的主键重复：1"),
        ("cat.csv", "id,name,weight,tame\n,a,,\n", r"主键 id 为空"),
        ("cat.csv", 'id,name,weight,tame\n1,"a,,\n', r"不是有效的 CSV（引号没有闭合）"),
        ("cat.csv", 'id,name,weight,tame\n1,"a"b,,\n', r"不是有效的 CSV（引号之后应为逗号或行尾）"),
        ("home.jsonl", '{"street": "", "no": 1}\n', r"主键 street、no 为空"),
        ("home.jsonl", '{"street": " ", "no": 1}\n', r"主键 street、no 为空"),
        ("home.jsonl", "{\n", r"home.jsonl 第 1 行不是有效的 JSON"),
        ("home.jsonl", "[1]\n", r"home.jsonl 第 1 行不是 JSON 对象"),
        ("home.jsonl", '{"street": 5, "no": 1}\n', r"street：应为文本，收到 '5'"),
        ("home.jsonl", '{"street": "\\ud800", "no": 1}\n', r"不成对的代理字符"),
        ("lives.csv", "source,target.street\n1,东街\n", r"lives.csv 第 2 行缺少 target.no"),
        ("lives.csv", "source,target.street,target.no,since\n1,东街,3,1900\n", r"lives.csv 第 2 行有多余的列：since"),
        ("cat.csv", "id,name,tame\n1,大橘,\n", r"cat.csv 缺少列：weight"),
        ("cat.csv", "id,name,weight,name,tame\n1,a,,b,\n", r"cat.csv 的表头重复：name"),
        ("cat.csv", "", r"cat.csv 没有表头"),
        ("home.jsonl", '{"street": "东街", "no": 1, "no": 2}\n', r"home.jsonl 第 1 行.*重复的键 no"),
        ("home.jsonl", '{"street": ' + "[" * 100_000 + "\n", r"home.jsonl 第 1 行.*嵌套太深"),
        ("home.jsonl", '{"street": ["东街", "西街"], "no": 1}\n', r"home 的主键应为单个值"),
        ("home.jsonl", '{"street": "东街", "no": 1' + "0" * 400 + "}\n", r"no：应为有限的数字"),
        ("network.yaml", "[" * 3_000, r"network.yaml 不是有效的 YAML（嵌套太深）"),
        ("network.yaml", "id: a\nname: b\nid: c\n", r"network.yaml 第 3 行不是有效的 YAML（重复的键 id）"),
    ],
)
def test_bad_rows(tmp_path: Path, name: str, text: str, told: str) -> None:
    """A bad row is one line that names file, line and what was expected."""
    with pytest.raises(InputError, match=told) as error:
        read_network(network(tmp_path, {name: text}), None)
    assert "\n" not in str(error.value)


def test_long_cells(tmp_path: Path) -> None:
    """A cell of CSV may be as long as a value of JSON lines."""
    long = "长" * 200_000
    cats = f"id,name,weight,tame\n1,{long},,\n"
    assert read_network(network(tmp_path, {"cat.csv": cats}), None).rows["cat"][0]["name"] == long


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"id": "Kn"}, "id: "),
        ({"object_types": []}, "object_types: "),
        ({"colour": 1}, "colour: "),
        (
            {"relation_types": [{"id": "r", "name": "r", "source": "cat", "target": "dog", "links": "x"}]},
            "dog 不是对象类型",
        ),
        ({"relation_types": [{"id": "r", "name": "r", "source": "cat", "target": "home"}]}, "links（文件）或 mapping"),
        (
            {
                "relation_types": [
                    {
                        "id": "r",
                        "name": "r",
                        "source": "cat",
                        "target": "home",
                        "mapping": [{"source": "x", "target": "no"}],
                    }
                ]
            },
            "cat 没有属性 x",
        ),
    ],
)
def test_bad_schemas(tmp_path: Path, change: Change, told: str) -> None:
    """KNO-10: a bad schema is one line that names the field."""
    with pytest.raises(InputError, match=told) as error:
        read_network(network(tmp_path, {}, **change), None)
    assert "\n" not in str(error.value)


def test_aliases_that_grow_without_end(tmp_path: Path) -> None:
    """A schema whose aliases would fill the memory when they are written out is one line like any other."""
    rows = ["a0: &a0 [x]", *(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 30)), "id: *a29"]
    with pytest.raises(InputError, match="id: ") as error:
        read_network(network(tmp_path, {"network.yaml": "\n".join(rows)}), None)
    assert len(str(error.value)) < 10_000 and "\n" not in str(error.value)


def test_relations_by_equal_lists_and_objects(tmp_path: Path) -> None:
    """KNO-09: values that are lists or objects are equal when they hold the same."""
    schema = """
id: kn
object_types:
- {id: a, name: a, primary_keys: [k], instances: a.jsonl, properties: [{name: k}, {name: v, type: json}]}
relation_types:
- {id: r, name: r, source: a, target: a, mapping: [{source: v, target: v}]}
"""
    rows = '{"k": "1", "v": {"x": 1, "y": [2]}}\n{"k": "2", "v": {"y": [2], "x": 1}}\n{"k": "3", "v": [3]}\n'
    content = read_network(network(tmp_path, {"network.yaml": schema, "a.jsonl": rows}), None)
    assert set(content.links["r"]) == {((a,), (b,)) for a, b in ("11", "12", "21", "22", "33")}


def test_ids_may_hold_both_signs(tmp_path: Path) -> None:
    """KNO-10: - and _ are allowed in ids and names, 40 characters at most."""
    assert read_network(network(tmp_path, {}), "a-b_c" + "d" * 35).spec.id == "a-b_c" + "d" * 35
    with pytest.raises(InputError):
        read_network(tmp_path, "d" * 41)


def test_missing_files(tmp_path: Path) -> None:
    """A file that is not there, or no text, is one line that names it."""
    folder = network(tmp_path, {})
    (folder / "home.jsonl").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InputError, match=r"home\.jsonl 不是 UTF-8"):
        read_network(folder, None)
    (folder / "home.jsonl").unlink()
    with pytest.raises(InputError, match=r"无法读取 .*home\.jsonl"):
        read_network(folder, None)
    with pytest.raises(InputError, match=r"没有 network\.yaml"):
        read_network(tmp_path / "nowhere", None)


@pytest.mark.parametrize(
    "name, encoding", [("村民.csv", "utf-8"), ("村民.csv", "gb18030"), ("café.csv", "utf-8"), ("café.csv", "cp437")]
)
def test_packed_tables_keep_their_names(tmp_path: Path, name: str, encoding: str) -> None:
    """KNO-106: also where the archive does not say how its names are written, as macOS, Windows, MS-DOS pack them."""
    written = name.encode(encoding)
    with ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("x" * len(written), "编号\n1\n")
    packed = (tmp_path / "a.zip").read_bytes().replace(b"x" * len(written), written)
    (tmp_path / "a.zip").write_bytes(packed)
    unpack(tmp_path / "a.zip", 1000)
    assert [one.name for one in tmp_path.iterdir()] == [name]
