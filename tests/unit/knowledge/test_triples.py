"""Networks from triples: what is a relation, what a value, and which heads are of one type."""

import json
from pathlib import Path

import pytest

from tools.errors import InputError
from wenmai.knowledge.content import CheckedContent, identifiers
from wenmai.knowledge.triples import read_triples


def network(folder: Path, triples: dict[str, list[list[str]]]) -> CheckedContent:
    path = folder / "kb.json"
    path.write_text(json.dumps(triples, ensure_ascii=False), encoding="utf-8")
    return read_triples(path, "kb")


def films(count: int) -> dict[str, list[list[str]]]:
    """Return films with their directors, each described by relations of its own kind."""
    made: dict[str, list[list[str]]] = {}
    for n in range(count):
        film, who = f"电影{n}", f"导演{n}"
        made[film] = [[film, "导演", who], [film, "上映时间", f"{1990 + n}年"], [film, "类型", "剧情"]]
        made[who] = [[who, "职业", "导演"], [who, "出生地", "北京"], [who, "代表作品", film]]
    return made


def test_values_and_relations(tmp_path: Path) -> None:
    """A tail that is another head is a relation, any other a value; several values of one relation are a list."""
    content = network(
        tmp_path,
        {
            "夜曲": [
                ["夜曲", "歌手", "周杰伦"],
                ["夜曲", "又名", "Nocturne"],
                ["夜曲", "又名", "夜の曲"],
                ["夜曲", "名", "夜曲"],
            ],
            "周杰伦": [["周杰伦", "职业", "歌手"], ["周杰伦", "职业", "歌手"]],
        },
    )
    [kind] = content.spec.object_types
    shown = {one.name: one.display_name for one in kind.properties}
    rows = {row["name"]: {shown[n]: v for n, v in row.items() if v is not None} for row in content.rows[kind.id]}
    assert rows["夜曲"] == {"名称": "夜曲", "又名": ["Nocturne", "夜の曲"], "名": "夜曲"}
    assert rows["周杰伦"] == {"名称": "周杰伦", "职业": "歌手"}
    [relation] = content.spec.relation_types
    assert (relation.name, content.links[relation.id]) == ("歌手", [(("夜曲",), ("周杰伦",))])


def test_heads_that_occur_as_values_by_chance(tmp_path: Path) -> None:
    """A relation of whose tails hardly any is a head tells values, also where one happens to be a head."""
    heads = {f"城{n}": [[f"城{n}", "特产", f"果{n}"]] for n in range(20)}
    heads["果3"] = [["果3", "颜色", "红"]]
    assert network(tmp_path, heads).spec.relation_types == []


def test_types(tmp_path: Path) -> None:
    """Heads that the same relations describe are of one type; a relation type knows its ends."""
    content = network(tmp_path, films(12))
    kinds = {one.id: {row["name"][:2] for row in content.rows[one.id]} for one in content.spec.object_types}
    assert sorted(kinds.values(), key=str) == sorted([{"电影"}, {"导演"}], key=str)
    ends = {(one.name, *kinds[one.source], *kinds[one.target]) for one in content.spec.relation_types}
    assert ends == {("导演", "电影", "导演"), ("代表作品", "导演", "电影")}


def test_heads_that_nothing_tells_apart(tmp_path: Path) -> None:
    """What only relations of all heads describe is a type of its own."""
    made = {head: [*rows, [head, "简介", f"{head}的简介"]] for head, rows in films(12).items()}
    content = network(tmp_path, made | {"无名": [["无名", "简介", "不详"]]})
    [other] = [one for one in content.spec.object_types if one.id == "other"]
    assert (other.name, [row["name"] for row in content.rows["other"]]) == ("其他", ["无名"])


def test_the_same_every_time(tmp_path: Path) -> None:
    """The same triples read again have the same revision."""
    assert network(tmp_path, films(12)).revision() == network(tmp_path, films(12)).revision()


def test_long_values_are_texts(tmp_path: Path) -> None:
    """KNO-11: a property of whole sentences is a text, searched by words; names can be found by parts and words."""
    content = network(
        tmp_path, {"故宫": [["故宫", "简介", "故宫是明清两代的皇宫。" * 10], ["故宫", "电话", "010-85007938"]]}
    )
    types = {one.display_name: one.type for one in content.spec.object_types[0].properties}
    assert types == {"名称": "string", "简介": "text", "电话": "string"}


def test_identifiers() -> None:
    """KNO-10: Chinese becomes pinyin, doubles get a number, nothing is longer than 40."""
    found = identifiers(["主演", "主 演", "BMI (kg/m²)", "！", "很" * 30], reserved={"name"})
    assert found == {
        "主演": "zhu_yan",
        "主 演": "zhu_yan_2",
        "BMI (kg/m²)": "bmi_kg_m",
        "！": "x",
        "很" * 30: "hen_hen_hen_hen_hen_hen_hen_hen_hen_hen",
    }
    assert identifiers(["name"], reserved={"name"}) == {"name": "name_2"}


@pytest.mark.parametrize("text", ["{}", '{"甲": []}', '{"甲": [["甲", " ", "乙"]]}'])
def test_nothing_to_import(tmp_path: Path, text: str) -> None:
    """A file without triples is told so."""
    (tmp_path / "kb.json").write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match="没有三元组"):
        read_triples(tmp_path / "kb.json", "kb")


@pytest.mark.parametrize(
    ("text", "told"),
    [("[" * 100_000, "嵌套太深"), ('{"夜曲": [], "夜曲": [["夜曲", "又名", "Nocturne"]]}', "重复的键 夜曲")],
)
def test_what_a_parser_would_drop_or_overflow_on(tmp_path: Path, text: str, told: str) -> None:
    """A head that stands twice would lose its first triples: one line, as for JSON that is nested without end."""
    (tmp_path / "kb.json").write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=told):
        read_triples(tmp_path / "kb.json", "kb")
