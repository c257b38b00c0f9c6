"""Marks and sentences of drafts as models write them."""

import pytest

from nodes.citations import best_quote, with_plain_marks
from nodes.sentences import on_one_line, sentence_spans
from tests.graph.rig import piece
from tools.language import is_chinese


@pytest.mark.parametrize(
    ("written", "plain"),
    [
        ("他走了[E1, E2]。", "他走了[E1][E2]。"),
        ("他走了［E1］。", "他走了[E1]。"),
        ("他走了【E1、3】。", "他走了[E1][E3]。"),
        ("他走了[E1][E2]。", "他走了[E1][E2]。"),
        ("他走了（E1-E3）。", "他走了[E1][E2][E3]。"),
        ("他走了[2]。", "他走了[E2]。"),
        ("[原文] 碑上刻着 [3]。", "[原文] 碑上刻着 [3]。"),
    ],
)
def test_marks_in_other_brackets_and_lists_are_marks(written: str, plain: str) -> None:
    """S003-D17: what names evidence is a citation, however it is written."""
    assert with_plain_marks(written, [piece("碑上刻着 [3]。")]) == plain


def test_an_english_text_with_curly_quotes_has_english_sentences() -> None:
    """LOP-08: a quote is the sentence, not the paragraph."""
    text = "The gate was shut. “Who’s Ada?” asked the café’s keeper. Nobody knew."
    assert not is_chinese(text)
    assert best_quote("Nobody knew", text)[0].startswith("Nobody knew")
    assert best_quote("The gate closed was shut", text)[0] == "The gate was shut."


def test_full_width_punctuation_is_chinese() -> None:
    """S004-D10: the language of messages follows the question."""
    assert is_chinese("？？")
    assert not is_chinese("What is in the café?")


def test_the_quote_of_an_extract_is_a_sentence_of_it() -> None:
    """An extract whose lines were joined is not quoted from elsewhere in its passage."""
    text = "“When is the lowest tide?” she asked.\n\n“Friday,” said Gran. She went down and asked for the lowest tide."
    quote, at = best_quote("“When is the lowest tide?” she asked. “Friday,” said Gran.", text)
    assert quote in ("“When is the lowest tide?”", "“When is the lowest tide?” she asked.")
    assert text[at : at + len(quote)] == quote


WRAPPED = (
    "设备办法\n实验室的离心机应当由经过培训并取得上岗证书的人员操作，任何人不得在没有登记的情况下使用\n"
    "该设备。离心机每半年由厂家保养一次，保养记录保存在设备科的档\n案柜中。\n\n"
)


def test_the_quote_of_a_wrapped_sentence_is_whole() -> None:
    """LOP-08: a sentence that the lines of a file break in the middle is quoted as it stands there, break and all."""
    quote, at = best_quote("任何人使用该设备都要登记", WRAPPED)
    assert quote.startswith("实验室的离心机") and quote.endswith("情况下使用\n该设备。")
    assert WRAPPED[at : at + len(quote)] == quote
    english = "Rules\nThe infrared thermometers are stored on the third rack. Handheld\nscanners are in office A1.\n"
    assert best_quote("The handheld scanners: office A1", english)[0] == "Handheld\nscanners are in office A1."


def test_the_quote_of_a_documents_extract_is_the_extract() -> None:
    """LOP-08: what an answer takes over of a document is quoted from there, with the breaks that it was joined over."""
    extract = on_one_line(WRAPPED[5:-2])
    assert "情况下使用该设备。" in extract
    assert best_quote(extract, WRAPPED, is_whole=True) == (WRAPPED[5:-2], 5)


@pytest.mark.parametrize(
    "text",
    [
        "滚滚长江东逝水，浪花淘尽英雄\n是非成败转头空，青山依旧在\n",  # verses
        "这一行一直写到了版面的右边，大约有四十多列这么宽\n- 这一行是清单里的一项\n",
        "姓名: 李娜 | 部门: 研发部 | 城市: 北京市海淀区\n姓名: 王强 | 部门: 财务部 | 城市: 上海\n",
        "这一行是上一句话的结尾，它一直写到了版面的右边。\n这一行是下一句话\n",
    ],
)
def test_other_lines_stay_apart(text: str) -> None:
    """LOP-08: verses, items, rows and whole sentences are not taken for one sentence over two lines."""
    assert len(sentence_spans(text)) == 2
