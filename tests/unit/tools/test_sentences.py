"""Where sentences end, in Chinese and English, in lines that a layout broke, and inside of speech."""

import pytest

from tools.text.sentences import sentence_spans, statement_spans


def sentences(text: str) -> list[str]:
    return [text[start:end] for start, end in sentence_spans(text)]


def statements(text: str) -> list[str]:
    return [text[start:end] for start, end in statement_spans(text)]


@pytest.mark.parametrize(
    "found",
    [
        ["The town called her Mrs. Gray.", "Gray gave the umbrella to Dr. Holt."],
        ["The mast is 263.5 metres high.", "Mr. J. R. Hale built it on St. James St. in 3.5 years."],
        ['He said, "We sail at once."', "Nobody answered him.", "“Why?”", "“Because.”", "He came at 5 p.m."],
        ["他付了263.5元。", "铜门高3.5米，是Mrs. Gray的。", "她笑了。"],
        ["他叹道：“罢了！”", "遂去。", "『他来了。』", "她想。", "（真的。）"],
        ["她笑了……什么？！", "好吧！！", "他问“为什么？”", "没有人回答。"],
    ],
)
def test_abbreviations_decimals_and_quotation_marks_end_no_sentence(found: list[str]) -> None:
    assert sentences((" " if found[0].isascii() else "").join(found)) == found


def test_a_line_in_two_languages() -> None:
    assert sentences("他问。He left. 她笑了。") == ["他问。", "He left.", "她笑了。"]


def test_a_speech_is_one_sentence_and_several_statements() -> None:
    text = "他说：“我没有。你呢？真的！”她走了。"
    assert sentences(text) == ["他说：“我没有。你呢？真的！”", "她走了。"]
    assert statements(text) == ["他说：“我没有。", "你呢？", "真的！”", "她走了。"]


def test_the_opening_mark_of_a_speech_belongs_to_it() -> None:
    text = "'Do you wonder?' he cried.  'For years they waited, and this is the return.' He left."
    assert sentences(text)[1] == "'For years they waited, and this is the return.'"


def test_a_part_of_a_text_has_the_offsets_of_the_whole() -> None:
    text = "天亮了。她走了。\n  门开着。没有人。  "
    assert [text[start:end] for start, end in sentence_spans(text, 4, 15)] == ["她走了。", "门开着。"]
    assert sentences("") == sentences(" \n\n ") == []


@pytest.mark.parametrize(
    "found",
    [
        ["He told Mr. Gray, 3.5 miles away.", "Prof. Holt left.", "“Why?” she asked."],
        ["他付了263.5元。", "她问“为什么？”", "没有人回答！"],
    ],
)
def test_a_long_line_has_the_sentences_of_a_short_one(found: list[str]) -> None:
    joint, times = " " if found[0].isascii() else "", 4_000
    assert sentences(joint.join(found * times)) == found * times
