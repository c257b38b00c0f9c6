"""The rules around the reader: what is replaced, by what, and what stays as it is."""

import pytest

from tests.unit.minds.scripted import NOT, ScriptedReader, people, talk
from wenmai.minds.offline.follow_ups.names import Name, names_of
from wenmai.minds.offline.follow_ups.references import HARDLY, resolve
from wenmai.minds.offline.follow_ups.rewriting import Substitution, rewritten

DIED = talk(("张三是怎么死的？", "张三在渡口被赵铁山一刀砍死。[1]"))
NAMES = people("张三", "赵铁山", "王五")
STABBED = talk(("How did Rupert wound Rassendyll?", "With a dagger."))


def resolved(reader: ScriptedReader, question: str) -> str:
    """Resolve a question behind the death of 张三."""
    return resolve(reader, question, DIED, NAMES).question


def test_a_pronoun_gives_way_to_the_likeliest_person() -> None:
    reader = ScriptedReader(mentions=["他"], antecedents_of={"他": [("渡口", 0.9), ("张三", 0.7), ("赵铁山", 0.6)]})
    assert resolved(reader, "他多大了？") == "张三多大了？"


def test_a_mention_is_no_wider_than_its_pronoun() -> None:
    reader = ScriptedReader(mentions=["他的刀"], antecedents_of={"他": [("张三", 0.9)]})
    assert resolved(reader, "他的刀在哪？") == "张三的刀在哪？"


@pytest.mark.parametrize("words", ["这人", "\u9019人", "that man"])
def test_words_that_point_are_no_name(words: str) -> None:
    assert names_of(ScriptedReader(people=[words, "林小满"]), f"{words} 见林小满", people()) == [
        Name((len(words) + 2, len(words) + 5), "林小满", is_person=True, is_known=False)
    ]


def test_a_piece_of_a_name_is_the_name() -> None:
    reader = ScriptedReader(mentions=["他"], antecedents_of={"他": [("铁山", 0.9)]})
    assert resolved(reader, "他多大了？") == "赵铁山多大了？"


def test_a_plural_means_all_who_are_nearly_as_likely() -> None:
    reader = ScriptedReader(mentions=["他们"], antecedents_of={"他们": [("张三", 0.9), ("赵铁山", 0.6), ("王五", 0.2)]})
    assert resolved(reader, "他们认识吗？") == "张三和赵铁山认识吗？"


def test_a_noun_stays_with_the_name_before_it() -> None:
    reader = ScriptedReader(mentions=["那把刀"], antecedents_of={"那把刀": [("赵铁山", 0.9)]})
    assert resolved(reader, "那把刀后来在哪？") == "赵铁山那把刀后来在哪？"


def test_what_leaves_out_something_of_the_last_question_goes_on_with_it() -> None:
    reader = ScriptedReader(antecedents_of={"": [("张三", 0.9)]})
    assert resolved(reader, "那埋在哪里了？") == "张三是怎么死的，那埋在哪里了？"


def test_what_is_left_out_of_the_answer_is_put_in_behind_the_opening() -> None:
    """It can be a person and a thing."""
    reader = ScriptedReader(antecedents_of={"": [("赵铁山", 0.9), ("王五", 0.8), ("渡口", 0.7)]})
    assert resolved(reader, "那是哪一年的事？") == "张三是怎么死的，那赵铁山、渡口是哪一年的事？"


def test_a_name_and_a_part_of_it_are_put_in_once() -> None:
    left_out = [Substitution(0, 0, "张三家"), Substitution(0, 0, "张三"), Substitution(0, 0, "渡口")]
    assert rewritten("那报销呢？", left_out, None) == "那张三家、渡口报销呢？"


def test_a_file_that_begins_with_a_dot_keeps_it() -> None:
    reader = ScriptedReader(mentions=["it"], antecedents_of={"it": [(".env file.", 0.9)]})
    found = resolve(reader, "Where is it?", talk(("How do I load a .env file?", "-")), people())
    assert found.question == "Where is .env file?"


def test_a_time_is_not_replaced() -> None:
    reader = ScriptedReader(mentions=["那年", "他"], antecedents_of={"那年": [("张三", 0.9)], "他": [("张三", 0.9)]})
    assert resolved(reader, "那年他几岁？") == "那年张三几岁？"


def test_who_is_named_in_the_question_is_not_its_pronoun() -> None:
    reader = ScriptedReader(mentions=["他"], antecedents_of={"他": [("赵铁山", 0.9), ("张三", 0.5)]})
    assert resolved(reader, "赵铁山给他留下什么？") == "赵铁山给张三留下什么？"


def test_him_is_another_than_he() -> None:
    both = [("Rupert", 0.8), ("Rassendyll", 0.7)]
    reader = ScriptedReader(mentions=["he", "him"], antecedents_of={"he": both, "him": both})
    found = resolve(reader, "Where did he hit him?", STABBED, people("Rupert", "Rassendyll"))
    assert found.question == "Where did Rupert hit Rassendyll?"


def test_a_possessive_may_mean_who_is_named() -> None:
    reader = ScriptedReader(mentions=["his"], antecedents_of={"his": [("Rupert", 0.8)]})
    found = resolve(reader, "Did Rupert lose his dagger?", STABBED, people("Rupert", "Rassendyll"))
    assert found.question == "Did Rupert lose Rupert's dagger?"


def test_a_place_is_no_person() -> None:
    reader = ScriptedReader(mentions=["那里"], antecedents_of={"那里": [("张三", 0.9), ("渡口", 0.5)]})
    assert resolved(reader, "那里还有谁？") == "渡口还有谁？"
    reader = ScriptedReader(mentions=["那里"], antecedents_of={"那里": [("张三", 0.9)]})
    assert resolved(reader, "那里还有谁？") == "那里还有谁？"


@pytest.mark.parametrize(
    ("question", "expected"), [("为什么？", "张三是怎么死的，为什么？"), ("然后呢？", "张三是怎么死的，然后呢？")]
)
def test_a_bare_question_goes_on_with_the_last_one(question: str, expected: str) -> None:
    assert resolved(ScriptedReader(), question) == expected


@pytest.mark.parametrize(
    "question",
    ["这本书讲了什么？", "主角是谁？", "第三章写了什么？", "有哪些文件？", "What is the book about?", "我住在哪里？"],
)
def test_what_asks_of_the_whole_or_of_the_user_stays(question: str) -> None:
    assert resolved(ScriptedReader(antecedents_of={"": [("张三", 0.9)]}), question) == question


def test_a_reader_that_sees_no_reference_leaves_the_question() -> None:
    reader = ScriptedReader(reference=NOT, antecedents_of={"": [("张三", 0.9)]})
    assert resolved(reader, "谁是李掌柜？") == "谁是李掌柜？"


def test_a_name_asks_for_a_surer_reader() -> None:
    """One that the library does not know too."""
    doubtful = ScriptedReader(reference=HARDLY / 2, antecedents_of={"": [("张三", 0.9)]}, people=["李掌柜"])
    assert resolved(doubtful, "李掌柜在哪里？") == "李掌柜在哪里？"
    assert resolved(doubtful, "官司是谁了结的？") == "张三是怎么死的，官司是谁了结的？"


def test_a_doubtful_reader_resolves_nothing_of_documents() -> None:
    doubtful = ScriptedReader(reference=HARDLY / 2, antecedents_of={"": [("年假", 0.9)]})
    session = talk(("年假有几天？", "十天。"))
    assert resolve(doubtful, "婚假有几天？", session, people()).question == "婚假有几天？"


def test_the_reader_sees_the_words_that_answered() -> None:
    """Not the other people of a quotation, and no marks."""
    told = "那天夜里，王五和赵铁山喝了三坛酒，天亮前张三便在渡口被人一刀砍死了，连刀也没有找到，只留下一只鞋。[1]"
    reader = ScriptedReader({"被人一刀砍死": 2.0})
    resolve(reader, "他多大了？", talk(("张三是怎么死的？", told), ("谁埋的？", "赵铁山。[2]")), NAMES)
    assert [turn.answer for turn in reader.asked[0]] == ["被人一刀砍死", "赵铁山。"]


def test_a_session_of_names_alone_is_a_talk() -> None:
    session = talk()
    session["entities"] = [{"name": "张三", "kind": "Character", "gloss": None}]
    reader = ScriptedReader(mentions=["他"], antecedents_of={"他": [("张三", 0.9)]})
    assert resolve(reader, "他多大了？", session, NAMES).question == "张三多大了？"


def test_nothing_was_said_before() -> None:
    reader = ScriptedReader(mentions=["他"], antecedents_of={"他": [("张三", 0.9)]})
    assert resolve(reader, "他多大了？", talk(), NAMES).question == "他多大了？"
    assert not reader.asked


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Who saved her?", "Who saved Clara?"),
        ("What did he bring her afterwards?", "What did he bring Clara afterwards?"),
        ("Who gave her the lamp?", "Who gave Clara the lamp?"),
        ("Who bought her picture?", "Who bought Clara's picture?"),
        ("Is the house hers?", "Is the house Clara's?"),
    ],
)
def test_her_is_whose_or_whom(question: str, expected: str) -> None:
    word = "hers" if "hers" in question else "her"
    reader = ScriptedReader(mentions=[word], antecedents_of={word: [("Clara's", 0.9)]})
    session = talk(("Who fell into the water?", "Clara."))
    assert resolve(reader, question, session, people("Clara", "Peter")).question == expected


def test_nobody_of_the_other_gender_is_meant() -> None:
    reader = ScriptedReader(mentions=["he"], antecedents_of={"he": [("Clara Rudd", 0.9), ("Thomas Rudd", 0.6)]})
    session = talk(("Who was the father of Clara Rudd?", "Thomas Rudd."))
    found = resolve(reader, "How did he die?", session, people("Clara Rudd", "Thomas Rudd"))
    assert found.question == "How did Thomas Rudd die?"


def test_who_was_asked_about_last_is_likelier_than_who_was_before() -> None:
    session = talk(("王五在哪里？", "在渡口。"), ("张三弹了什么曲子？", "一支小曲。"))
    reader = ScriptedReader(mentions=["他"], antecedents_of={"他": [("王五", 0.84), ("张三", 0.8)]})
    assert resolve(reader, "是谁教他的？", session, NAMES).question == "是谁教张三的？"


def test_they_are_at_least_two() -> None:
    session = talk(("张三的父亲是谁？", "王五。"))
    reader = ScriptedReader(mentions=["他们"], antecedents_of={"他们": [("王五", 0.9)]})
    assert resolve(reader, "他们卖什么？", session, NAMES).question == "张三和王五卖什么？"


def test_a_gap_that_nothing_fills_still_needs_the_talk() -> None:
    """S000-D10: so that a model is asked; not for a question in which nothing is left out."""
    found = resolve(ScriptedReader(), "花了多少钱？", DIED, NAMES)
    assert (found.question, found.refers) == ("花了多少钱？", True)
    whole = resolve(ScriptedReader(reference=HARDLY - 1), "王五花了多少钱？", DIED, NAMES)
    assert (whole.question, whole.refers) == ("王五花了多少钱？", False)
    named = resolve(ScriptedReader(mentions=["王大锤"], people=["王大锤"]), "王大锤花了多少钱？", DIED, NAMES)
    assert (named.question, named.refers) == ("王大锤花了多少钱？", False)


@pytest.mark.parametrize(("question", "said"), [("王大锤后来怎么样了？", "王大锤"), ("Who is Mr. Darcy?", "Mr. Darcy")])
def test_who_is_unknown_stays(question: str, said: str) -> None:
    """A reader may take the name for one that refers."""
    reader = ScriptedReader(mentions=[said], antecedents_of={said: [("张三", 0.9)]}, people=[said])
    assert resolved(reader, question) == question


def test_a_relative_takes_the_place_of_whose_relative_it_is() -> None:
    reader = ScriptedReader(mentions=["他", "his"], antecedents_of={"他": [("张三", 0.9)], "his": [("Rupert", 0.9)]})
    assert resolved(reader, "那他的外甥女呢？") == "张三的外甥女是怎么死的？"
    found = resolve(reader, "And his sister?", talk(("Where does Rupert live?", "-")), people("Rupert"))
    assert found.question == "Where does Rupert's sister live?"


def test_a_topic_is_what_the_pronouns_behind_it_mean() -> None:
    reader = ScriptedReader(mentions=["she"], antecedents_of={"she": [("Rupert", 0.9)], "": [("Rupert", 0.8)]})
    found = resolve(reader, "And the daughter, how old was she?", STABBED, people("Rupert"))
    assert "how old was she" in found.question


def test_a_title_keeps_its_article() -> None:
    reader = ScriptedReader(mentions=["him"], antecedents_of={"him": [("King", 0.9)]})
    found = resolve(reader, "Who guards him?", talk(("Where is the King?", "-")), people("King"))
    assert found.question == "Who guards the King?"
