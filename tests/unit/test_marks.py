"""Marks and sentences of drafts as models write them."""

import pytest

from nodes.checking.statements import sentences_of
from nodes.citations import as_draft, with_plain_marks
from nodes.quotes import MAX_QUOTE, best_quote, cite, found_joined
from tests.graph.rig import piece
from tests.shipped import shipped_reader
from tools.language import is_chinese
from tools.text.sentences import on_one_line, sentence_spans


@pytest.mark.parametrize(
    ("written", "plain"),
    [
        ("他走了[E1, E2]。", "他走了[E1][E2]。"),
        ("他走了［E1］。", "他走了[E1]。"),
        ("他走了【E1、3】。", "他走了[E1][E3]。"),
        ("他走了[E1][E2]。", "他走了[E1][E2]。"),
        ("他走了（E1-E3）。", "他走了[E1][E2][E3]。"),
        ("他走了[2]。", "他走了[E2]。"),
        ("他走了[证据E1]。", "他走了[E1]。"),
        ("他走了【资料：E1、E2】。", "他走了[E1][E2]。"),
        ("他走了[来源 1]。", "他走了[E1]。"),
        ("He left [Source 2].", "He left [E2]."),
        ("他走了[^1]。", "他走了[E1]。"),
        ("他走了（资料1）。", "他走了（资料1）。"),
        ("[原文] 碑上刻着 [3]。", "[原文] 碑上刻着 [3]。"),
    ],
)
def test_marks_in_other_brackets_and_lists_are_marks(written: str, plain: str) -> None:
    """S003-D17: what names evidence is a citation, however it is written."""
    assert with_plain_marks(written, [piece("碑上刻着 [3]。")]) == plain


def test_an_english_text_with_curly_quotes_has_english_sentences() -> None:
    """A quote is the sentence, not the paragraph."""
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


@pytest.mark.parametrize("claim", ["The tide turned at nine.", '"You should have listened," said Ines.'])
def test_the_quote_of_a_paragraph_leaves_the_next_ones_opening_mark(claim: str) -> None:
    """A straight quotation mark behind a line end opens the next paragraph, it does not close the one before."""
    text = 'The tide turned at nine.\n\n"You should have listened," said Ines. "It was the old moon."'
    assert best_quote(claim, text)[0] == claim


WRAPPED = (
    "设备办法\n实验室的离心机应当由经过培训并取得上岗证书的人员操作，任何人\n"
    "不得在没有登记的情况下使用该设备。离心机每半年由厂家保养一次，保\n养记录保存在设备科的档案柜中。\n\n"
)


def test_the_quote_of_a_wrapped_sentence_is_whole() -> None:
    """A sentence that the lines of a file break in the middle is quoted as it stands there, break and all."""
    quote, at = best_quote("任何人使用该设备都要登记", WRAPPED)
    assert quote.startswith("实验室的离心机") and quote.endswith("任何人\n不得在没有登记的情况下使用该设备。")
    assert WRAPPED[at : at + len(quote)] == quote
    english = "Rules\nThe infrared thermometers are stored on the third rack. Handheld\nscanners are in office A1.\n"
    assert best_quote("The handheld scanners: office A1", english)[0] == "Handheld\nscanners are in office A1."


def test_the_quote_of_a_documents_extract_is_the_extract() -> None:
    """What an answer takes over of a document is quoted from there, with the breaks that it was joined over."""
    extract = on_one_line(WRAPPED[5:-2])
    assert "任何人不得在没有登记的情况下使用该设备。" in extract
    assert best_quote(extract, WRAPPED, is_whole=True) == (WRAPPED[5:-2], 5)


@pytest.mark.parametrize(
    "text",
    [
        "滚滚长江东逝水，浪花淘尽英雄\n是非成败转头空，青山依旧在\n",  # verses
        "这一行一直写到了版面的右边，大约有四十多列这么宽\n- 这一行是清单里的一项\n",
        "姓名: 李娜 | 部门: 研发部 | 城市: 北京市海淀区\n姓名: 王强 | 部门: 财务部 | 城市: 上海\n",
        "这一行一直写到了版面的右边，大约有四十多列这么宽\n　　这一行是另一段的开头，它前面空了两格。",
        "这一行是上一句话的结尾，它一直写到了版面的右边。\n这一行是下一句话\n",
    ],
)
def test_other_lines_stay_apart(text: str) -> None:
    """Verses, items, rows and whole sentences are not taken for one sentence over two lines."""
    assert len(sentence_spans(text)) == 2


POEM = (
    "那一年的春天我们沿着长长的河岸一直走到了海边上\n海上的风吹着白色的帆也吹着你那一封没有写完的信\n"
    "我在灯塔下面等了一个又一个没有月亮的漫长的夜晚\n直到所有的船都回来了只有你的那一只还在雾的里面。\n"
)
DUTIES = "".join(
    f"{who}负责每天早晨打开{where}的门窗并且检查里面的灯和水电是否完好\n"
    for who in ("张三", "李四", "王五")
    for where in ("东边的会议室", "西边的实验室", "南边的阅览室")
)


@pytest.mark.parametrize("text", [POEM, DUTIES, "".join(DUTIES.splitlines(keepends=True)[:3])])
def test_long_lines_of_a_poem_or_a_list_stay_apart(text: str) -> None:
    """Many lines, or lines that end without a stop, are no sentence; the quote is the line of the claim."""
    lines = text.splitlines()
    assert len(sentence_spans(text)) == len(lines)
    for line in lines:
        claim = f"据记载：{line}"
        assert best_quote(claim, text)[0] == line


def test_an_indented_continuation_goes_on() -> None:
    """An English sentence that goes on below with an indent is one."""
    text = (
        "Notes:\n- Visitors must always wear an orange helmet that hangs\n  beside the gate of the yard. They sign.\n"
    )
    spans = [text[start:end] for start, end in sentence_spans(text)]
    assert "hangs\n  beside the gate of the yard." in spans[1]
    assert best_quote("The helmet hangs beside the gate of the yard", text)[0].endswith("beside the gate of the yard.")


def test_a_long_sentence_is_quoted_where_the_claim_is() -> None:
    """What is cut from a sentence that is too long holds the words of the claim, and stands in the text."""
    text = (
        "，".join(f"第{number}条规定了甲方应当承担的各项责任" for number in range(20)) + "，押金在退租后十五日内退还。"
    )
    quote, at = best_quote("退租以后，押金会在十五日内退还", text)
    assert "押金在退租后十五日内退还" in quote and len(quote) <= 200
    assert text[at : at + len(quote)] == quote


def test_blanks_are_passed_over_only_at_breaks() -> None:
    """A claim is found over the breaks of its lines; English words are not put together."""
    text = "The rapist was caught. A therapist\n  came later."
    assert best_quote("A therapist came later.", text, is_whole=True) == ("A therapist\n  came later.", 23)
    assert best_quote("herapist", "the rapist", is_whole=True)[0] == "the rapist"
    assert found_joined("therapist", "the rapist") is None and found_joined("", "the rapist") is None
    assert found_joined("任何人不得使用 A1", "任何人\n不得 使用\nA1 设备") == (0, 12)
    assert found_joined("任 何人", " 任何\n人 ") == (1, 5)


def test_a_mark_of_an_instance_goes_to_the_value_that_is_told() -> None:
    """S003-D17: a model cites an instance by one number; the citation quotes the property that the claim tells."""
    values = [("p01", "人员编号", "p01"), ("p01", "籍贯", "云州"), ("p01", "姓名", "温若水"), ("p02", "籍贯", "云州")]
    held = [
        piece(
            f"温若水 — {label}: {value}",
            at,
            kind="property",
            source=source,
            library="harbor",
            value=value,
            entities=["温若水"],
        )
        for at, (source, label, value) in enumerate(values, 1)
    ]
    assert as_draft("温若水的籍贯是云州[E1]。", held) == "温若水的籍贯是云州[E2]。"
    assert as_draft("她的编号是 p01[E1]，籍贯云州[E4]。", held) == "她的编号是 p01[E1]，籍贯云州[E4]。"
    assert as_draft("温若水是南屿人[E1][E9]。", held) == "温若水是南屿人[E1][E9]。"


LIGHT = (
    "Eleven of his nineteen men had come ashore alive in the long boat, six miles down the coast. The light book lay "
    "on the altar. It showed that the leading light had been moved on two nights in thirty years. Against each night, "
    "in a neat black hand, stood the same letter, Q, and a sum."
)
LAMP = (
    "可是当年满街的孩子朝她扔盐块，只有他站到她前面。他坐在灯室里擦玻璃，听见声音，头也不回。"
    "他说，“你走路的样子像你爹，先落脚跟。”"
)


@pytest.mark.parametrize(
    ("claim", "text", "said"),
    [
        ("The book showed that the lamp was shifted twice in three decades", LIGHT, "moved on two nights"),
        ("Each time the letter Q was written next to an amount of money", LIGHT, "stood the same letter, Q"),
        ("他一听脚步就知道她像她的父亲", LAMP, "像你爹"),
    ],
)
def test_the_quote_is_what_says_the_claim(claim: str, text: str, said: str) -> None:
    """S003-D17: by its words and by the reader, not the sentence that is longest."""
    quote, at = best_quote(claim, text, reader=shipped_reader())
    assert said in quote and len(quote) < 100 and text[at : at + len(quote)] == quote


def test_each_mark_has_the_quote_of_the_clause_before_it() -> None:
    """S003-D17: of one piece two sentences are quoted; a sentence without a mark lends no words."""
    pieces = [piece("卡齐娜苦练了三年。恰斯卡送给她一枚羽毛。圣火在山上。")]
    draft = "圣火在山上。卡齐娜苦练了三年[E1]，恰斯卡送给她一枚羽毛[E1]。"
    text, citations, _ = cite(sentences_of(draft, pieces), pieces, lambda _: "")
    assert text == "圣火在山上。卡齐娜苦练了三年[1]，恰斯卡送给她一枚羽毛[2]。"
    assert [one["quote"] for one in citations] == ["卡齐娜苦练了三年。", "恰斯卡送给她一枚羽毛。"]


@pytest.mark.parametrize(
    ("claim", "text", "quote"),
    [
        ("eper kept the ga", "Nobody came. The keeper kept the gate, and Ada slept.", "The keeper kept the gate,"),
        ("铜罗盘", "他掏出一只铜罗盘，盘面有碗口大。", "他掏出一只铜罗盘，"),
    ],
)
def test_a_quote_is_whole_clauses(claim: str, text: str, quote: str) -> None:
    """S003-D17: it neither begins nor ends in the middle of a word."""
    assert best_quote(claim, text)[0] == quote


def test_a_long_sentence_is_quoted_in_clauses() -> None:
    """S003-D17: those in a row that say most of the claim."""
    text = "，".join(f"第{number}个人在河边唱了一支很长的歌" for number in range(30)) + "，最后船长拔出短刀割断了缆绳。"
    quote, at = best_quote("船长用短刀割断缆绳", text)
    assert quote.endswith("最后船长拔出短刀割断了缆绳。") and len(quote) <= MAX_QUOTE and text[at - 1] == "，"


@pytest.mark.parametrize(
    ("draft", "sentences"),
    [
        ("她只说了一句“快走！”便倒下了[E1]。没有人应。", ["她只说了一句“快走！”便倒下了。", "没有人应。"]),
        ("他问“谁？”，又敲了两下门[E1]。", ["他问“谁？”，又敲了两下门。"]),
        ("“走！”她不动。", ["“走！”", "她不动。"]),
    ],
)
def test_a_quotation_that_a_sentence_goes_on_behind(draft: str, sentences: list[str]) -> None:
    """LOP-14: a mark belongs to the whole of it, and no half of it is held against a piece."""
    assert [one["text"] for one in sentences_of(draft, [])] == sentences
