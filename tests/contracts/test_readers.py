"""What a reader of passages and talks does, scripted or trained."""

import math

import pytest

from tests.shipped import shipped_reader
from tests.unit.minds.scripted import ScriptedReader
from wenmai.reader.inputs import Turn
from wenmai.reader.layout import NameKind
from wenmai.reader.reader import Reader

PASSAGE = "老周在渡口开了一家面馆。那天夜里林小满来吃面，老周没有收她的钱。"
QUESTIONS = ("谁开了一家面馆？", "火箭是哪一年发射的？", "Who baked the cake?")
TALK = [Turn("老周在哪里开面馆？", "老周在渡口开了一家面馆。")]


def scripted() -> ScriptedReader:
    return ScriptedReader({"老周": 3.0}, ["他"], {"他": [("老周", 0.9), ("渡口", 0.2)]}, people=["老周", "林小满"])


@pytest.fixture(params=["scripted", "trained"])
def reader(request: pytest.FixtureRequest) -> ScriptedReader | Reader:
    return scripted() if request.param == "scripted" else shipped_reader()


@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize("passage", [PASSAGE, "天亮了。", "Nothing of it.", PASSAGE * 40])
def test_every_passage_has_an_answer_however_unlikely(
    reader: ScriptedReader | Reader, question: str, passage: str
) -> None:
    found = reader.answers(question, passage)

    assert found
    for one in found:
        start, end = one.span
        assert 0 <= start < end <= len(passage)
        assert all(map(math.isfinite, (one.margin, one.answerable, one.sentence(one.span))))


def test_an_empty_passage_has_none(reader: ScriptedReader | Reader) -> None:
    assert list(reader.answers(QUESTIONS[0], "")) == []


def test_an_answer_is_surer_where_the_passage_has_it(reader: ScriptedReader | Reader) -> None:
    def surest(passage: str) -> float:
        return max(one.margin + one.answerable for one in reader.answers(QUESTIONS[0], passage))

    assert surest(PASSAGE) > surest("天亮了。")


def test_the_one_answer_of_a_passage_is_its_surest(reader: ScriptedReader | Reader) -> None:
    found = reader.answer(QUESTIONS[0], PASSAGE)

    assert found is not None and PASSAGE[slice(*found.span)] == "老周"
    assert reader.answer(QUESTIONS[0], "") is None


def test_names_stand_in_order_within_the_text(reader: ScriptedReader | Reader) -> None:
    found = reader.names(PASSAGE)

    assert {PASSAGE[one.start : one.end] for one in found} >= {"老周", "林小满"}
    assert [one.start for one in found] == sorted(one.start for one in found)
    assert all(0 <= one.start < one.end <= len(PASSAGE) and 0 <= one.kind < len(NameKind) for one in found)
    assert list(reader.names("")) == []


def test_what_refers_stands_in_the_question_and_means_words_of_the_talk(reader: ScriptedReader | Reader) -> None:
    question, turns = "他多大了？", TALK

    need = reader.need(question, turns)
    found = reader.antecedents(question, turns, (0, 1))

    assert need.reference > 0 and [question[one.start : one.end] for one in need.mentions] == ["他"]
    assert found[0][0] == "老周" and all(0 < sure <= 1 for _, sure in found)
    assert [sure for _, sure in found] == sorted((sure for _, sure in found), reverse=True)
