import csv
import json
import time
from pathlib import Path

import pytest

from tools.errors import IngestError
from wenmai.ingestion.names.names import Namer, speakers
from wenmai.ingestion.sources.aliases import KnownName, load_aliases


def known(**aliases: list[str]) -> list[KnownName]:
    return [KnownName(name=name, aliases=tuple(found)) for name, found in aliases.items()]


def found(namer: Namer, text: str) -> list[tuple[str, str]]:
    return [(text[m.start : m.end], m.entity) for m in namer.mentions(text)]


def test_longest_spelling_wins() -> None:
    text = "刘备母病了，刘备回家。"
    namer = Namer.build(known(刘备=["玄德"], 刘备母=[]), [text])
    assert found(namer, text) == [("刘备母", "刘备母"), ("刘备", "刘备")]


def test_a_shared_alias_stays_ambiguous() -> None:
    """STO-07: an alias of several entities tags nothing by itself."""
    text = "使君来了。赵云和陈登都在别处。"
    namer = Namer.build(known(赵云=["使君"], 陈登=["使君"]), [text + "赵云。陈登。"])
    assert ("使君", "赵云") not in found(namer, "使君来了。")
    assert found(namer, "使君来了。") == []


def test_the_chapter_decides_a_shared_alias() -> None:
    """STO-07: the alias stands for the one candidate that the chapter names in full."""
    chapters = ["赵云出阵。使君可往。", "陈登出城。使君可往。", "使君可往。"]
    namer = Namer.build(known(赵云=["使君"], 陈登=["使君"]), chapters)
    assert [dict(found(namer, text)).get("使君") for text in chapters] == ["赵云", "陈登", None]


def test_an_alias_of_someone_the_text_never_names_gives_way() -> None:
    text = "鲁肃字子敬。子敬大笑。"
    namer = Namer.build(known(鲁肃=["子敬"], 刘子敬=["子敬"]), [text])
    assert found(namer, text) == [("鲁肃", "鲁肃"), ("子敬", "鲁肃"), ("子敬", "鲁肃")]


def test_namesakes_are_told_apart_by_their_qualifier() -> None:
    """STO-07: 许攸[袁绍] is meant where nearly every 许攸 stands near 袁绍."""
    text = "袁绍用许攸之计。许攸见袁绍。"
    namer = Namer.build(known(袁绍=[], **{"许攸[袁绍]": ["许攸"], "许攸[东汉]": ["许攸"]}), [text])
    assert ("许攸", "许攸[袁绍]") in found(namer, text)


def test_namesakes_without_a_sign_stay_ambiguous() -> None:
    text = "严纲出马，严纲大败。"
    namer = Namer.build(known(**{"严纲[东汉]": ["严纲"], "严纲[吴]": ["严纲"]}), [text])
    assert found(namer, text) == []
    assert namer.homonyms(text) == {"严纲[东汉]", "严纲[吴]"}


FOREIGN: dict[str, list[str]] = {f"无此人{n}": [] for n in range(20)}


def test_doubtful_aliases_of_a_foreign_dictionary_need_their_name() -> None:
    """A name without its first character (曹安民: 安民) counts only in chapters that hold the name."""
    chapters = ["曹操出榜安民，秋毫无犯。", "曹安民引路，安民死于乱军。"]
    namer = Namer.build(known(曹操=[], 曹安民=["安民"], **FOREIGN), chapters)
    assert ("安民", "曹安民") not in found(namer, chapters[0])
    assert ("安民", "曹安民") in found(namer, chapters[1])


def test_a_dictionary_made_for_the_text_is_believed() -> None:
    text = "船长来了。沈观潮没有说话。"
    assert ("船长", "沈观潮") in found(Namer.build(known(沈观潮=["船长"]), [text]), text)


@pytest.mark.parametrize(
    ("text", "given"),
    [
        ("周瑜大怒。瑜曰：“可。”", [("瑜", "周瑜")]),
        ("却说曹操引军。操大喜，遂行。", [("操", "曹操")]),
        ("张飞来见。众将谓飞曰：“不可。”", [("飞", "张飞")]),
        ("颜良来了。关公斩良\u65bc马下。", [("良", "颜良")]),
        ("法正入见。正欲行，忽报。", []),
        ("钟会在此。会见诸将。", []),
        ("瑜曰：“可。”周瑜到了。", []),
        ("周瑜到了。" + "众人商议。" * 700 + "瑜曰：“可。”", []),
    ],
)
def test_bare_given_names(text: str, given: list[tuple[str, str]]) -> None:
    """A bare given name stands for the full name before it, where it speaks or acts, and is no other word."""
    people = known(周瑜=[], 曹操=[], 张飞=[], 颜良=[], 法正=[], 钟会=[])
    assert [pair for pair in found(Namer.build(people, [text]), text) if len(pair[0]) == 1] == given


def test_the_latest_bearer_of_a_given_name_is_meant() -> None:
    text = "张昭谏曰：“不可。”昭退。司马昭入。昭曰：“可。”"
    namer = Namer.build(known(张昭=[], 司马昭=[]), [text])
    assert [entity for word, entity in found(namer, text) if word == "昭"] == ["张昭", "司马昭"]


def test_speakers_are_not_those_spoken_to() -> None:
    """S000-41: characters are the speakers: in 操谓备曰 that is 操."""
    text = "曹操谓张飞曰：“请。”刘备\u5c0d张飞曰：“坐。”刘备笑道：“好。”关羽大怒曰：“休走！”张飞在旁。"
    namer = Namer.build(known(曹操=[], 刘备=[], 关羽=[], 张飞=[]), [text])
    assert [mention.entity for mention in speakers(text, namer.mentions(text))] == ["曹操", "刘备", "刘备", "关羽"]


def test_fifty_thousand_aliases() -> None:
    people = [KnownName(name=f"甲{n}号", aliases=(f"乙{n}号",)) for n in range(25_000)]
    text = "甲7号见了乙9号。" * 2000
    started = time.process_time()
    assert {m.entity for m in Namer.build(people, [text]).mentions(text)} == {"甲7号", "甲9号"}
    assert time.process_time() - started < 10


def test_alias_files(tmp_path: Path) -> None:
    shaped, flat, table = tmp_path / "a.json", tmp_path / "b.json", tmp_path / "c.csv"
    shaped.write_text(json.dumps({"mention": {"荆州": ["荆楚"]}, "type": {"荆州": "州名"}}))
    flat.write_text(json.dumps({"玛薇卡": ["火神", "火神"]}))
    with table.open("w", encoding="utf-8-sig", newline="") as file:
        csv.writer(file).writerows([["name", "alias"], ["关羽", "云长"], ["关羽", "关公"]])
    assert load_aliases(shaped) == [KnownName(name="荆州", kind="Location", aliases=("荆楚",))]
    assert load_aliases(flat) == [KnownName(name="玛薇卡", aliases=("火神",))]
    assert load_aliases(table) == [KnownName(name="关羽", aliases=("云长", "关公"))]


@pytest.mark.parametrize("content", ["[1, 2]", '{"a": 3}', "{"])
def test_alias_files_of_a_wrong_shape(tmp_path: Path, content: str) -> None:
    path = tmp_path / "a.json"
    path.write_text(content)
    with pytest.raises(IngestError, match=r"a\.json"):
        load_aliases(path)


def test_surname_and_name_told_apart_are_the_full_name() -> None:
    """姓周，名瑜 is 周瑜; the place is that of the name, and an unknown name stays nobody."""
    text = "其人姓周，名瑜，字公瑾；又一人姓王名某，不知其字。"
    namer = Namer.build([KnownName(name="周瑜"), KnownName(name="王允")], [text, "周瑜来了。王允来了。"])
    assert [(m.entity, text[m.start : m.end]) for m in namer.mentions(text)] == [("周瑜", "瑜")]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("今上暗弱，不可以奉宗庙；吾将别立贤君。", "奉宗"),
        ("主公兴仁义之师，为百姓除害。", "公兴"),
        ("请天子上马先行！", "子上"),
        ("素知此人狼子野心，诚难久养。", "子野"),
    ],
)
def test_a_piece_of_another_word_names_nobody(text: str, name: str) -> None:
    """STO-19: who is read out of 奉宗庙 would count as told from there on, chapters before his own."""
    namer = Namer.build(known(陈祗=[name], 刘禅=[]), [text, "陈祗见刘禅。"])
    assert found(namer, text) == []


@pytest.mark.parametrize(
    ("text", "who"),
    [
        ("步骘字子山，步子山以此言难之。", ["步骘", "步骘", "步骘"]),
        ("相国步骘、御史大夫步骘。", ["步骘", "步骘"]),
        ("先打发步子山往南去了。", ["步骘"]),
    ],
)
def test_a_name_beside_a_word_still_names(text: str, who: list[str]) -> None:
    """The segmenter's word is no proof behind a surname, behind 字 and behind a title."""
    namer = Namer.build(known(步骘=["子山"]), [text])
    assert [entity for _, entity in found(namer, text)] == who


def test_a_full_name_takes_three_pieces_to_be_doubted() -> None:
    """两马相交 holds no 马相; one odd place alone does not disprove a name that was given."""
    once = "何海大怒，回马便走。"
    assert found(Namer.build(known(何海=[]), [once]), once) == [("何海", "何海")]
    often = "两马相交，斗不数合。两马相交，各用兵器。二将出阵，两马相交。"
    assert found(Namer.build(known(马相=[]), [often]), often) == []


def test_a_name_inside_the_piece_is_found() -> None:
    """城中黄祖 names 黄祖, although 中黄 begins before it."""
    text = "城中黄祖、蒯越大惊。"
    assert found(Namer.build(known(黄祖=[], 中书郎=["中黄"]), [text]), text) == [("黄祖", "黄祖")]
