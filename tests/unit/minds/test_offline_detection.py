"""What a follow-up leaves out and which of its words point back, before anybody asks at whom."""

import pytest

from tools.records import Name
from tools.story.linking import NameTable
from wenmai.minds.offline.anaphor import Anaphor
from wenmai.minds.offline.anaphora import find_anaphors
from wenmai.minds.offline.reading import read
from wenmai.minds.offline.subjects import missing

TABLE = NameTable.build(
    [Name(text=name, entity=name, kind="Character", mentions=9) for name in ("关羽", "曹操", "何进", "张鲁", "王朗")]
)


def anaphors(question: str) -> list[Anaphor]:
    """Return what points back in a question."""
    return find_anaphors(read(question, TABLE))


def gap(question: str) -> tuple[str, int] | None:
    """Return what a question leaves out and where."""
    reading = read(question, TABLE)
    found = missing(reading, find_anaphors(reading))
    return (found.gap, found.at) if found else None


@pytest.mark.parametrize(
    "question",
    [
        "在曹操面前告了谁的状？",
        "一刀砍中了谁？",
        "一怒之下杀了谁？",
        "拔剑杀了谁？",
        "放箭射死了谁？",
        "行刺成功了没有？",
        "突围出去没有？",
        "次日又斩了谁？",
        "路上碰见了谁？",
        "登基后封谁做了丞相？",
        "跟后宫算什么关系？",
    ],
)
def test_a_deed_without_a_doer_lacks_its_subject(question: str) -> None:
    """LOP-09: the segmenter takes 行刺, 砍中 and 放箭 for nouns, the question opens with a verb all the same."""
    assert gap(question) == ("subject", 0)


@pytest.mark.parametrize("question", ["喝的酒是谁酿的？", "抓到的俘虏怎么处理的？", "突围以后，碰见的樵夫说了什么？"])
def test_a_relative_clause_lacks_its_subject_where_its_verb_has_one(question: str) -> None:
    """LOP-09: who drank and who met somebody is left out."""
    assert gap(question) == ("subject", 0)


@pytest.mark.parametrize(
    "question",
    [
        "献计的人是谁？",
        "使者来了没有？",
        "粮草运到了没有？",
        "失忆的王朗是怎样认出女儿来的？",
        "曹操登基以后，用的年号是什么？",
        "他以后还回来吗？",
        "有人去报信吗？",
    ],
)
def test_a_question_with_a_subject_lacks_none(question: str) -> None:
    """LOP-09: nouns that begin like a verb, descriptions and pronouns are subjects."""
    assert gap(question) is None


def test_two_of_a_family_are_somebodys() -> None:
    """LOP-09: 母子 needs one of the two."""
    assert gap("父子重逢以后说了什么？") == ("subject", 0)


@pytest.mark.parametrize(
    ("question", "text", "head", "modifier"),
    [
        ("那小校当时多大？", "那小校", "小校", ""),
        ("这道士后来去了哪里？", "这道士", "道士", ""),
        ("后来那徒弟怎么样了？", "那徒弟", "徒弟", ""),
        ("那刺史的女儿嫁给了谁？", "那刺史", "刺史", ""),
        ("那出卖主公的家奴得了什么赏？", "那出卖主公的家奴", "家奴", "出卖主公"),
        ("那骑马的黑大汉呢？", "那骑马的黑大汉", "黑大汉", "骑马"),
        ("那放箭的呢，抓到了吗？", "那放箭的", "", "放箭"),
        ("那位下棋的，劝过曹操没有？", "那位下棋的", "", "下棋"),
        ("那个动手的汉子后来怎样了？", "那个动手的汉子", "汉子", "动手"),
        ("出主意那位最后怎样了？", "出主意那位", "", "出主意"),
        ("报完信以后，放箭那人去了哪里？", "放箭那人", "人", "放箭"),
        ("救他的那位上司后来怎样了？", "救他的那位上司", "上司", "救他"),
        ("曹操为什么要杀这样的忠臣？", "这样的忠臣", "忠臣", ""),
        ("另外那位坚守不出，曹操怎么办？", "另外那位", "", ""),
        ("这个从事为什么放走曹操？", "这个从事", "从事", ""),
        ("跟来的那位是怎么想的？", "跟来的那位", "", "跟来"),
        ("把人救出来了没有？", "人", "人", ""),
        ("曹操上门的时候，人家在做什么？", "人家", "人", ""),
    ],
)
def test_a_person_is_pointed_at(question: str, text: str, head: str, modifier: str) -> None:
    """LOP-09: with or without a measure word, with the deed before or behind; the whole phrase is one reference."""
    (one,) = anaphors(question)
    assert (one.text, one.head, one.modifier, one.wanted) == (text, head, modifier, "person")
    assert question[one.start : one.end] == text


@pytest.mark.parametrize(
    "question",
    [
        "那曹操呢？",
        "那大将军何进是怎么死的？",
        "那樵夫是谁？",
        "那其他人呢？",
        "那大臣们怎么说？",
        "那最厉害的呢？",
        "那随后发生了什么？",
        "从那以后还打过仗吗？",
        "那伏兵藏在哪？",
        "那儿子后来怎么样了？",
        "那徒弟叫什么？",
        "另一位是谁？",
        "有没有这样的将军？",
        "曹操和另一位将军怎么了？",
        "人们怎么评价？",
        "王朗要救何进，谁劝过不如把人抓了？",
        "曹操怎么解释这两个字？",
        "曹操那两个将领里谁最强？",
    ],
)
def test_then_the_new_and_the_counted_thing_are_not_pointed_at(question: str) -> None:
    """LOP-09: 那 is "then" before a name, a kin and who is asked for."""
    assert anaphors(question) == []


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("那两员被擒的降将后来呢？", "那两员被擒的降将"),
        ("这两个凶手是谁处死的？", "这两个凶手"),
        ("那两个投降的，曹操怎么处置？", "那两个投降的"),
        ("这两个俘虏里谁受了伤？", "这两个"),
    ],
)
def test_what_is_counted_belongs_to_the_reference(question: str, text: str) -> None:
    """LOP-09: the noun behind 那两个 goes with it, unless one of them is picked."""
    (one,) = anaphors(question)
    assert (one.text, one.form) == (text, "plural")


def test_who_is_somebodys_keeps_his_owner() -> None:
    """LOP-09: 他派去的那个使者 is told by whose he is."""
    (one,) = anaphors("他派去的那个使者说了什么？")
    assert one.text == "他"


@pytest.mark.parametrize(
    "question",
    [
        "这样的将军还有哪些？",
        "这样的人还有谁？",
        "那魏国的大将有哪些？",
        "那古代的将军怎么升官？",
        "那大汉后来怎么灭亡的？",
        "人怎么样才能长寿？",
        "人死了以后会去哪里？",
        "敌人那边有多少兵？",
        "另一个儿子后来怎么样了？",
        "那座城将会怎样？",
    ],
)
def test_what_is_asked_of_all_of_a_kind_points_at_nobody(question: str) -> None:
    """LOP-09: kinds, mankind, other ones and 将 as "will" are no one person of the talk."""
    assert [one for one in anaphors(question) if one.wanted == "person" or one.form == "place"] == []


@pytest.mark.parametrize(("question", "word"), [("他两个儿子叫什么？", "他"), ("他们两个儿子是谁？", "他们")])
def test_two_of_his_are_not_the_two(question: str, word: str) -> None:
    """S000-22: 他两个儿子 are two sons of one."""
    assert [one.text for one in anaphors(question)][:1] == [word]
