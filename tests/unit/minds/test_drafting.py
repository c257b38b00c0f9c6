"""Drafts from what was read."""

import re

from tests.graph.rig import piece
from wenmai.minds.offline.drafting import distinct, drafted, staged, unmarked
from wenmai.minds.offline.questions.asked import Asked
from wenmai.minds.offline.reading import Read

SURE, LIKELY, UNLIKELY = 20.0, 5.0, -20.0


def read(number: int, sentence: str, score: float, order: int = 0) -> Read:
    return Read(number, {**piece(sentence, number), "event_order": order}, sentence, sentence, score)


def test_the_answering_sentence_comes_first_with_its_mark() -> None:
    told = drafted([read(3, "林小满今年二十二岁。", SURE), read(1, "院长六十七岁。", UNLIKELY)], "zh")

    assert told is not None and told.lines == ["林小满今年二十二岁。 [E3]"] and told.probability > 0.9


def test_a_second_likely_sentence_belongs_to_the_answer_and_others_are_seen_also() -> None:
    reads = [
        read(1, "甲。", SURE),
        read(2, "乙。", SURE),
        read(3, "丙。", LIKELY),
        read(4, "丁。", LIKELY),
        read(5, "戊。", LIKELY),
    ]

    told = drafted(reads, "zh")

    assert told is not None and told.lines == ["甲。 [E1]", "乙。 [E2]"]
    assert told.also == ["另见：丙。 [E3]", "另见：丁。 [E4]"]


def test_an_unlikely_answer_is_none() -> None:
    assert drafted([read(1, "甲。", UNLIKELY)], "zh") is None
    assert drafted([], "en") is None


def test_a_history_is_in_the_order_of_the_story() -> None:
    reads = [read(1, "后来走了。", SURE, order=9), read(2, "起初来了。", LIKELY, order=2)]
    told = staged(reads, Asked.nameless(""))

    assert told is not None and told.lines == ["起初来了。 [E2]", "后来走了。 [E1]"]
    assert told.probability == reads[1].probability, "that of its first line"


def test_of_an_unlikely_history_the_sentences_with_the_name_are_told() -> None:
    asked = Asked({"老周": re.compile("老周")}, frozenset(), ())
    reads = [
        read(1, "老周醒了。", UNLIKELY, order=9),
        read(2, "下雨了。", UNLIKELY),
        read(3, "老周睡了。", UNLIKELY, order=2),
    ]

    told = staged(reads, asked)
    assert told is not None and told.lines == ["老周睡了。 [E3]", "老周醒了。 [E1]"]
    assert staged(reads[1:2], asked) is None


def test_the_same_sentence_of_two_passages_stands_once() -> None:
    reads = [read(1, "甲在山上。", SURE), read(2, "甲在山上。", LIKELY), read(3, "乙在山下。", LIKELY)]

    assert [one.number for one in distinct(reads)] == [1, 3]


def test_marks_of_a_quoted_text_are_no_marks_of_the_answer() -> None:
    assert unmarked("见[E1]和[2]。") == "见〔E1〕和［2］。"
