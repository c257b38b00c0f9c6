"""Where sentences end, in Chinese and English, in lines that a layout broke, and inside of speech."""

import pytest

from tools.text.sentences import sentence_spans, statement_spans, with_curly_quotes


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


@pytest.mark.parametrize(
    "found",
    [
        ['"Stop!"', "The man ran.", '"Wait for me."', "She gave him the letter."],
        ["“Stop!” cried the man.", "“Why?” asked the woman.", "“Because.”", "He left."],
        ["'Stop!'", "The man ran.", "'It's mine,' said Mr. Gray.", "'Yes.'"],
        ['"I shall be back," said Mr. Hale.', '"Wait for me."', '"No."', "He looked at me.", "Anna left."],
        ['"What\'s there?"', '"The swamp," she said.', '"And what\'s behind it?"', '"Nothing."'],
        ['She read "War and Peace."', "It was long.", "(He knew it.)", "No. 5 is in No. 7."],
    ],
)
def test_english_sentences_begin_behind_closing_marks(found: list[str]) -> None:
    assert sentences(" ".join(found)) == statements(" ".join(found)) == found


@pytest.mark.parametrize("found", [["and told nobody."], ["by noon.", "He left."], ["rb”"], ["then\tthe bell"]])
def test_a_text_that_begins_with_a_small_letter_keeps_its_first_sentence(found: list[str]) -> None:
    assert statements(" ".join(found)) == found


def test_an_english_speech_is_one_sentence_and_several_statements() -> None:
    text = '"It is late. Is it? We go," he said. "Come!"'
    assert sentences(text) == ['"It is late. Is it? We go," he said.', '"Come!"']
    assert statements(text) == ['"It is late.', "Is it?", 'We go," he said.', '"Come!"']


def test_a_speech_that_goes_on_in_the_next_paragraph_has_its_sentences() -> None:
    assert sentences("“I came. I saw Mr. Gray. He left.") == ["“I came.", "I saw Mr. Gray.", "He left."]


def test_a_line_in_two_languages() -> None:
    assert sentences("他问。He left. 她笑了。") == ["他问。", "He left.", "她笑了。"]


def test_a_speech_is_one_sentence_and_several_statements() -> None:
    text = "他说：“我没有。你呢？真的！”她走了。"
    assert sentences(text) == ["他说：“我没有。你呢？真的！”", "她走了。"]
    assert statements(text) == ["他说：“我没有。", "你呢？", "真的！”", "她走了。"]


def test_straight_marks_belong_to_a_chinese_speech_like_curly_ones() -> None:
    text = '"会一点。"顾长风说，"不过我更喜欢画画。我从小就画。"白露笑了。'
    assert statements(text) == ['"会一点。"', '顾长风说，"不过我更喜欢画画。', '我从小就画。"', "白露笑了。"]


def test_quotation_marks_become_curly_in_place() -> None:
    """In pairs line by line in Chinese; in English by what stands before them."""
    assert with_curly_quotes('他说："走。"\n"好。"她说，「你先走。」') == "他说：“走。”\n“好。”她说，“你先走。”"
    assert (
        with_curly_quotes('"Go," he said—"now.\n\n"And take the 6" nail."')
        == "“Go,” he said—“now.\n\n“And take the 6” nail.”"
    )


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
