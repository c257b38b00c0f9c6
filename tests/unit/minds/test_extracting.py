"""Sentences picked by their words, where the reader is missing."""

from wenmai.minds.offline.calibration import REFUSAL, calibrated
from wenmai.minds.offline.reading import Extractor, no_reader

TEXT = "天亮了。卡齐娜获得了自己的古名。大家都很高兴。"


def test_the_sentence_that_shares_most_with_the_question_is_picked() -> None:
    [one] = Extractor().answers("卡齐娜的古名怎么来的？", TEXT)

    assert TEXT[slice(*one.span)] == "卡齐娜获得了自己的古名。"


def test_more_shared_words_are_a_surer_answer() -> None:
    [near] = Extractor().answers("卡齐娜获得了什么古名？", TEXT)
    [far] = Extractor().answers("谁在悬崖边争吵？", TEXT)

    assert near.margin == near.answerable == near.sentence(near.span)
    assert near.margin > 0 > far.margin
    assert calibrated(near.margin) > calibrated(far.margin) and calibrated(far.margin) < REFUSAL


def test_of_equal_sentences_the_first_one_is_picked() -> None:
    [one] = Extractor().answers("圣火？", "圣火灭了。圣火亮了。")

    assert one.span == (0, 5)


def test_an_empty_passage_has_no_answer() -> None:
    assert Extractor().answers("圣火？", "") == []
    assert [one.margin for one in Extractor().answers("", "圣火灭了。")] == [
        Extractor().answers("？", "天。")[0].margin
    ]


def test_no_reader_is_none() -> None:
    assert no_reader() is None  # type: ignore[func-returns-value]  # that is what it is for
