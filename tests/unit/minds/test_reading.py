"""Evidence read with a question."""

from state.schema import Evidence
from tests.graph.rig import piece
from tests.unit.minds.scripted import Scripted, ScriptedReader
from tools.records import Name
from tools.story.linking import NameTable
from wenmai.minds.offline.questions.asked import Asked, context_of
from wenmai.minds.offline.questions.question import understood
from wenmai.minds.offline.reading import CHINESE_PART, CHINESE_PARTS, LONGEST_SENTENCE, PIECES, read

TABLE = NameTable.build(
    [Name(text="林小满", entity="林小满", kind="Character"), Name(text="小满", entity="林小满", kind="Character")]
)


def asked(question: str) -> Asked:
    return Asked.of(understood(question, TABLE), TABLE)


async def test_the_likeliest_answer_comes_first_with_its_sentence() -> None:
    pieces = [(1, piece("院长六十七岁。她姓苏。", 1)), (2, piece("天亮了。小满二十二岁。", 2))]

    found = await read(
        ScriptedReader({"六十七岁": 1.0, "二十二岁": 2.0}), "林小满多大？", asked("林小满多大？"), pieces
    )

    assert [(one.number, one.answer, one.sentence) for one in found] == [
        (2, "二十二岁", "小满二十二岁。"),
        (1, "六十七岁", "院长六十七岁。"),
    ]
    assert found[0].probability > found[1].probability


async def test_a_sentence_with_the_asked_name_beside_it_outweighs_one_about_another() -> None:
    pieces = [(1, piece("院长六十七岁。", 1)), (2, piece("小满二十二岁。", 2))]

    found = await read(
        ScriptedReader({"六十七岁": 1.0, "二十二岁": 0.9}), "林小满多大？", asked("林小满多大？"), pieces
    )

    assert found[0].number == 2


async def test_a_passage_that_begins_in_the_middle_of_a_sentence_is_read() -> None:
    """It has a sentence to quote, however it begins."""
    text = "and told nobody before noon"
    found = await read(ScriptedReader({"nobody": 1.0}), "Who knew?", asked("Who knew?"), [(1, piece(text, 1))])
    assert [one.sentence for one in found] == [text]


async def test_words_behind_a_speech_bring_the_speech_along() -> None:
    found = await read(
        ScriptedReader({"老周": 1.0}), "谁问的？", asked("谁问的？"), [(1, piece("“铃响了没有？”老周问。", 1))]
    )

    assert found[0].sentence == "“铃响了没有？”老周问。"


async def test_of_a_very_long_sentence_the_clauses_around_the_answer_are_quoted() -> None:
    text = (
        "，".join(["这是一个很长的句子的一部分"] * 30)
        + "，他叫阿黄，"
        + "，".join(["后面还有很多别的话要说"] * 30)
        + "。"
    )

    found = await read(ScriptedReader({"阿黄": 1.0}), "他叫什么？", asked("他叫什么？"), [(1, piece(text, 1))])

    assert "他叫阿黄" in found[0].sentence and found[0].sentence in text
    assert len(found[0].sentence) <= LONGEST_SENTENCE


async def test_only_the_first_pieces_are_read() -> None:
    pieces = [(number, piece("甲说话。", number)) for number in range(1, PIECES + 5)]

    found = await read(ScriptedReader({"甲": 1.0}), "谁说话？", asked("谁说话？"), pieces)

    assert sorted(one.number for one in found) == list(range(1, PIECES + 1))


def test_the_context_of_a_sentence_is_it_with_its_neighbours() -> None:
    text = "一。二。三。四。"

    assert context_of([(0, 2), (2, 4), (4, 6), (6, 8)], (4, 6), text) == "二。三。四。"


def test_names_count_by_any_spelling_and_words_without_them() -> None:
    one = asked("林小满住在哪条街？")

    assert one.named("小满回家了。", piece("小满回家了。")) == 1.0
    assert one.named("老周回家了。", piece("老周回家了。")) == 0.0
    assert one.worded("她住在哪条街") == 1.0
    assert asked("住在哪？").named("谁都行", piece("谁都行")) == 1.0


def test_whom_a_piece_means_without_a_name_is_named_in_all_of_it() -> None:
    meant: Evidence = {**piece("我回家了。天亮了。"), "entities": ["林小满"]}
    spelled: Evidence = {**piece("小满回家了。天亮了。"), "entities": ["林小满"]}

    assert asked("林小满住在哪？").named("我回家了。", meant) == 1.0
    assert asked("林小满住在哪？").named("天亮了。", spelled) == 0.0


async def test_the_parts_that_say_most_of_a_question_are_read() -> None:
    long = piece("天亮了，他们又走了很远的路。" * 300 + "小满住在望江路。", 1)
    seen: list[str] = []

    class Seeing(ScriptedReader):
        def answers(self, question: str, passage: str) -> list[Scripted]:
            seen.append(passage)
            return []

    await read(Seeing({}), "小满住在哪条路？", asked("小满住在哪条路？"), [(1, long)])

    assert len(seen) == CHINESE_PARTS and any("望江路" in part for part in seen)
    assert max(map(len, seen)) <= CHINESE_PART
