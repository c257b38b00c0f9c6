"""Simplified and traditional Chinese are one where texts are read and compared; a text keeps its length."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.tools.world import LIBRARY, World
from tools.base import Scope
from tools.records import Entity, Name
from tools.story.names import EntityNames, NameTable, fold, spelling_key
from tools.text.scripts import simplified


@pytest.mark.parametrize(
    ("traditional", "plain"),
    [
        ("銅羅盤的蓋子裡刻著哪幾個字？", "铜罗盘的盖子里刻着哪几个字？"),
        ("乾隆皇帝後來餓了，把乾糧吃了。", "乾隆皇帝后来饿了，把干粮吃了。"),
        ("沈觀潮說：「甚麼？」", "沈观潮说：「甚么？」"),
        ("The Chinese 漢字 in it.", "The Chinese 汉字 in it."),
    ],
)
def test_a_traditional_text_is_read_as_simplified(traditional: str, plain: str) -> None:
    assert simplified(traditional) == plain


@pytest.mark.parametrize("text", ["", "沈青著书，乾坤已定。", "他站在镜子前面，" * 20 + "纔走。", "No Chinese."])
def test_other_texts_stay_as_they_are(text: str) -> None:
    """Characters that both scripts have, and one odd character in a long text."""
    assert simplified(text) == text


@given(st.text(alphabet=st.sampled_from("雾霧里裡后後 a，。𠮷😀鷄雞\n"), max_size=60))
def test_offsets_hold(text: str) -> None:
    assert len(simplified(text)) == len(fold(text)) == len(text)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("孟鳶", "孟鸢"),
        ("刻著", "刻着"),
        ("爱德华・格雷", "爱德华·格雷"),
        ("爱德华•格雷", "愛德華‧格雷"),
        ("玛丽·Holt", "瑪麗･HOLT"),
    ],
)
def test_spellings_of_a_name_are_one(one: str, other: str) -> None:
    assert fold(one) == fold(other) and spelling_key(one) == spelling_key(other)


async def test_a_name_in_either_script_and_with_any_dot_is_resolved() -> None:
    names = (Entity(name="爱德华·格雷"), Entity(name="孟鳶"))
    graph = (await World(entities=list(names)).stock()).graph
    for given_, wanted in (("愛德華・格雷", "爱德华·格雷"), ("孟鸢", "孟鳶")):
        assert (await EntityNames(graph).resolve(given_, Scope(library=LIBRARY))).name == wanted


def test_names_are_found_in_a_text_of_the_other_script() -> None:
    table = NameTable.build(Name(text=name, entity=name, kind="Character", mentions=3) for name in ("石敢", "孟鸢"))
    found = table.find("石敢是怎麼救下孟鳶的？")
    assert [(one.text, one.candidates[0].entity) for one in found] == [("石敢", "石敢"), ("孟鳶", "孟鸢")]
