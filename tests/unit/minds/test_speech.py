"""Who said quoted words."""

import pytest

from tests.graph.rig import piece
from tests.unit.minds.scripted import ScriptedReader
from wenmai.minds.offline.questions.speech import asks_speaker, holding, quoted_in, spoken, unquoted

PASSAGE = "门开了。“铃响了没有？”老周问。没有人回答他。"


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("“铃响了没有？”这句话是谁问的？", "铃响了没有？"),
        ('Who says "It was a dark night"?', "It was a dark night"),
        ("“铃响了没有？”是什么意思？", None),
        ("谁问铃响了没有？", None),
        ("是谁喊了“快跑吧大家”？", "快跑吧大家"),
        ("“快跑吧大家”是谁的话？", "快跑吧大家"),
        ("小说里谁被称为“白色的鹿”？", None),
        ("请问谁知道“白色的鹿”在哪？", None),
        ("“快跑吧大家”是对谁说的？", None),
        ("“铃响了没有？”这句话出自哪一章？", None),
        ('Who is called "the white deer"?', None),
        ("“……！！”是谁说的？", None),
    ],
)
def test_a_question_for_the_speaker_quotes_words_and_asks_who(question: str, words: str | None) -> None:
    assert asks_speaker(question) == words


def test_short_words_in_quotes_are_a_turn_of_phrase() -> None:
    assert quoted_in("“太太”是什么意思？") is None


def test_quoted_words_are_found_whatever_their_marks() -> None:
    pieces = [(1, piece("别的话。", 1)), (2, piece(PASSAGE, 2))]

    assert [(number, found["text"][slice(*span)]) for number, found, span in holding("铃响了，没有", pieces)] == [
        (2, "铃响了没有")
    ]


def test_the_speaker_is_read_around_the_words() -> None:
    reader = ScriptedReader({"老周": 3.0, "没有人": 1.0})

    found = spoken(reader, "“铃响了没有？”是谁问的？", "铃响了没有？", [(4, piece(PASSAGE, 4))])

    assert found is not None
    assert (found.number, found.speaker) == (4, "老周") and "铃响了没有" in found.quote and found.quote in PASSAGE


def test_words_of_the_speech_itself_are_no_speaker() -> None:
    reader = ScriptedReader({"铃": 9.0, "老周": 1.0})

    found = spoken(reader, "“铃响了没有？”是谁问的？", "铃响了没有？", [(1, piece(PASSAGE, 1))])

    assert found is not None and found.speaker == "老周"


def test_who_says_their_own_name_is_the_speaker() -> None:
    reader = ScriptedReader({"老周”": -20.0, "老周说": 5.0})
    pieces = [(1, piece("“我就是老周”，老周说。", 1))]

    found = spoken(reader, "“我就是老周”是谁说的？", "我就是老周", pieces)

    assert found is not None and found.speaker == "老周说"


def test_a_speaker_is_named_outside_of_speech() -> None:
    text = "我问：“铃响了吗？”老周笑着说：“别应。应了，他就要进来了。”"

    found = spoken(
        ScriptedReader({"铃响了吗？”老周": 9.0}),
        "谁说“别应。应了，他就要进来了”？",
        "别应。应了，他就要进来了",
        [(1, piece(text, 1))],
    )

    assert found is not None and found.speaker == "老周"


@pytest.mark.parametrize(
    ("text", "to"),
    [
        ("她回过头，对赶来的老周说：“门没有锁。”", "老周"),
        ("“门没有锁。”她向老周喊道。", "老周"),
        ('"The door is open," she said to old Joe.', "Joe"),
    ],
)
def test_whom_words_are_said_to_is_not_their_speaker(text: str, to: str) -> None:
    words = "The door is open" if "door" in text else "门没有锁"

    found = spoken(ScriptedReader({to: 9.0}), f"“{words}”是谁说的？", words, [(1, piece(text, 1))])

    assert found is not None and found.speaker == "" and words in found.quote


@pytest.mark.parametrize("words", [{"铃": 9.0}, {"老周": -5.0}, {}])
def test_where_nobody_surely_said_the_words_there_is_no_speaker(words: dict[str, float]) -> None:
    question = "“铃响了没有？”是谁问的？"

    found = spoken(ScriptedReader(words), question, "铃响了没有？", [(1, piece(PASSAGE, 1))])

    assert found is not None and found.speaker == "" and found.quote in PASSAGE


@pytest.mark.parametrize(
    ("text", "pointed", "quote"),
    [
        ("他在灯下坐着。“门没有锁。”他说。", "他说", ""),
        ("老周走了。下雨了。又过了三天。“门没有锁。”有人说。", "老周", ""),
        ("老周走进来。“门没有锁。”他又出去了。", "老周", "老周走进来。“门没有锁。”"),
    ],
)
def test_the_sentence_that_names_the_speaker_has_the_words_or_stands_beside_them(
    text: str, pointed: str, quote: str
) -> None:
    """A pronoun names nobody, and who is named elsewhere need not have said it."""
    found = spoken(ScriptedReader({pointed: 9.0}), "“门没有锁”是谁说的？", "门没有锁", [(1, piece(text, 1))])

    assert found is not None and (found.quote if found.speaker else "") == quote


def test_words_that_no_passage_has_were_said_by_nobody() -> None:
    assert spoken(ScriptedReader({}), "“天塌下来了”是谁说的？", "天塌下来了", [(1, piece(PASSAGE, 1))]) is None


def test_marks_alone_are_no_words() -> None:
    assert quoted_in("“……！！”和“铃响了没有”是什么意思？") == "铃响了没有"
    assert quoted_in("“……！！”是什么意思？") is None


def test_what_others_say_is_blanked() -> None:
    assert unquoted("“我住东街”是谁说的？") == " " * len("“我住东街”") + "是谁说的？"
    assert unquoted("Who said 'I live in the east street'?").split() == ["Who", "said", "?"]
