"""Follow-ups that name nobody, or somebody else, and leave out what they go on about."""

import pytest

from state.session import Session, SessionTurn
from tests.unit.minds.test_offline_resolver_shapes import TABLE, asked
from tools.records import Name
from tools.story.linking import NameTable
from wenmai.minds.offline.discourse import build
from wenmai.minds.offline.reading import read
from wenmai.minds.offline.standing import standing
from wenmai.minds.offline.talk import talk_of
from wenmai.minds.offline.turns import EVEN, view_of

FELL = ("赵铁山是在哪里战死的？", "在石门关，他死守寨门而死。")
SEAL = ("钱小满的传国玉玺从哪里捞上来的？", "从井里捞上来的。")
BOOK = ("孙大勇背的是哪篇赋？", "背的是《临河赋》。")
PROMISED = ("李青云求孙大勇做什么？", "李青云求孙大勇放了周玉娘。")


@pytest.mark.parametrize(
    ("question", "before", "expected"),
    [
        ("双戟是被谁偷走的？", FELL, "关于赵铁山，双戟是被谁偷走的？"),
        ("信使被谁截住了？", FELL, "关于赵铁山，信使被谁截住了？"),
        ("孙大勇答应了吗？", PROMISED, "关于李青云，孙大勇答应了吗？"),
        ("孙大勇是怎么破的？", ("李青云守石门关用了什么计？", "用了空城计。"), "关于李青云，孙大勇是怎么破的？"),
        ("谁给孙大勇点破的？", ("王守拙的真名是什么？", "他本名石大。"), "关于王守拙，谁给孙大勇点破的？"),
        ("当初是谁推荐给孙大勇的？", FELL, "关于赵铁山，当初是谁推荐给孙大勇的？"),
        ("后来是谁救上来的？", ("赵铁山是怎么落水的？", "被一箭射落水里。"), "关于赵铁山，后来是谁救上来的？"),
    ],
)
def test_what_brings_no_subject_of_its_own_goes_on(question: str, before: tuple[str, str], expected: str) -> None:
    """S000-22 LOP-09: a question that names nobody, or only who did it, goes on with the last one's people."""
    assert asked(question, before) == expected


@pytest.mark.parametrize(
    "question",
    ["首级后来被带到哪里去了？", "那一箭是谁射的，射在哪儿？", "临死前一夜做了什么梦？", "那次一共折了多少人马？"],
)
def test_a_question_without_a_word_for_it_may_go_on(question: str) -> None:
    """S000-22 LOP-09: what is asked is of the last one's day, though no word says so."""
    assert asked(question, FELL) == f"关于赵铁山，{question}"


@pytest.mark.parametrize(
    "question",
    [
        "那次之后，孙大勇折了多少人马？",
        "石门关之战那一箭是谁射的，射在哪儿？",
        "孙大勇出城以后，他折了多少人马？",
        "当时一共折了多少人马的那位将军是谁？",
        "自从开战以后，一共折了多少人马？",
    ],
)
def test_a_question_that_says_of_whom_or_what_does_not_go_on(question: str) -> None:
    """LOP-09: a name at the end's beginning, a battle, a pronoun of its own, a person who is asked for."""
    assert asked(question, FELL) == question


@pytest.mark.parametrize(
    "question",
    [
        "作者是谁？",
        "太守是什么官？",
        "第三十回讲了什么？",
        "“破釜沉舟”是谁说的？",
        "武艺最高的是哪位？",
        "石门关之战谁赢了？",
    ],
)
def test_what_stands_alone_stays(question: str) -> None:
    """LOP-09: nothing is put before a question that is asked of everybody, of a word, of a place or of a quotation."""
    assert asked(question, FELL) == question


@pytest.mark.parametrize(
    ("question", "before", "expected"),
    [
        ("谁写的？", BOOK, "关于《临河赋》，谁写的？"),
        ("最后落到谁手里？", SEAL, "传国玉玺最后落到谁手里？"),
        ("孙大勇死后又落到了谁手里？", SEAL, "关于传国玉玺，孙大勇死后又落到了谁手里？"),
        ("上头刻的什么字？", SEAL, "关于传国玉玺，上头刻的什么字？"),
    ],
)
def test_what_is_said_of_things(question: str, before: tuple[str, str], expected: str) -> None:
    """S000-22: who wrote it, who has it, what is engraved on it: the thing of the last question."""
    assert asked(question, before) == expected


@pytest.mark.parametrize(
    ("question", "before", "expected"),
    [
        ("临上马时，谁给斟了一杯热酒？", FELL, "赵铁山临上马时，谁给斟了一杯热酒？"),
        ("赵铁山死后两个儿子怎么办呢？", FELL, "赵铁山死后两个儿子怎么办呢？"),
        ("死后两个儿子怎么办呢？", FELL, "死后赵铁山的两个儿子怎么办呢？"),
        ("临别走马回来，又向孙大勇荐了谁？", FELL, "赵铁山临别走马回来，又向孙大勇荐了谁？"),
        ("那一夜折了多少人马？", FELL, "赵铁山那一夜折了多少人马？"),
        ("临终时把印绶交给了谁？", FELL, "赵铁山临终时把印绶交给了谁？"),
        ("六岁那年在宴席上添了哪两个字？", FELL, "赵铁山六岁那年在宴席上添了哪两个字？"),
        ("告发以后孙大勇怎么处置的？", FELL, "告发以后孙大勇怎么处置赵铁山的？"),
        ("事后又怎么反咬一口？", FELL, "赵铁山事后又怎么反咬一口？"),
    ],
)
def test_clauses_that_leave_their_subject_out(question: str, before: tuple[str, str], expected: str) -> None:
    """S000-22: the subject of the clause before 谁, the owner of counted kin, both clauses of 又."""
    assert asked(question, before) == expected


def test_of_another_person_the_same_is_asked() -> None:
    """S000-22: 那X呢 asks of X what was asked of the one whom the last question did not go on with."""
    turns = (("王守拙骂了谁？", "他骂了满堂宾客。"), ("他说赵铁山只配干什么？", "说赵铁山只配放马。"))
    assert asked("那李青云呢？", *turns) == "王守拙说李青云只配干什么？"
    assert asked("赵铁山呢？", turns[0]) == "赵铁山骂了谁？"
    assert asked("李青云呢？", ("赵铁山用什么兵器？", "用一杆枪。")) == "李青云用什么兵器？"


@pytest.mark.parametrize("question", ["最后被谁打得大败？", "是谁拿下的？", "后来到谁家去了？"])
def test_what_is_said_of_people_is_not_said_of_things(question: str) -> None:
    """S000-22: the seal of the last question is not beaten, arrested or visited."""
    assert "玉玺" not in asked(question, SEAL)


@pytest.mark.parametrize(
    "question", ["如果没有东风，大战会怎样？", "除了空城计，还有哪些计策？", "自从起义以后，朝廷发生了哪些变化？"]
)
def test_a_clause_that_opens_a_question_of_its_own(question: str) -> None:
    """LOP-09: 如果, 除了 and 自从 go on with nobody."""
    assert asked(question, FELL) == question


def test_she_is_the_wife_whom_only_a_noun_tells() -> None:
    """S000-22: 她 behind 赵铁山的妻子 is she, not he."""
    before = ("那部医书最后是被谁烧掉的？", "被赵铁山的妻子烧了。")
    assert asked("她为什么要烧？", before) == "赵铁山的妻子为什么要烧？"


def test_an_occasion_of_another_one() -> None:
    """LOP-09: 他 is not whose banquet it was."""
    assert asked("孙大勇设宴那次，他又帮了什么忙？", FELL) == "孙大勇设宴那次，赵铁山又帮了什么忙？"


def test_whom_a_clause_without_a_subject_is_done_to() -> None:
    """LOP-09: in 投孙大勇以前，他… he is not 孙大勇."""
    assert asked("投孙大勇以前，他跟过哪些人？", FELL) == "投孙大勇以前，赵铁山跟过哪些人？"


def test_a_spelling_between_two_words_is_no_name() -> None:
    """S000-22: the 后主 of 背后主使 is nobody; 后主 by itself is."""
    table = NameTable.build([Name(text="后主", entity="后主", kind="Character", mentions=90)])
    assert not read("背后主使的是哪两个人？", table).named
    assert read("后主为什么投降？", table).named


def test_who_may_answer_weighs_by_his_chance() -> None:
    """S000-D10 LOP-09: of a quotation the likeliest answer counts as much as it is likely to be one."""
    turn = SessionTurn(
        question="谁守石门关？", resolved="谁守石门关？", answer="“赵铁山、李青云俱在关上。”[1]", entities=[],
        focus=["李青云", "赵铁山"], chances=[0.7, 0.2],
    )  # fmt: skip
    discourse = build(Session(entities=[], topic=None, turns=[turn]), TABLE)
    assert discourse.turns[0].guesses == {"李青云": 0.7, "赵铁山": 0.2}
    assert standing(talk_of(discourse), discourse.referents["李青云"], 0.0).guessed == 0.7
    assert standing(talk_of(discourse), discourse.referents["赵铁山"], 0.0).guessed == 0.0
    del turn["chances"]  # as threads of an earlier version were kept
    assert view_of(turn, TABLE).guesses == {"李青云": EVEN, "赵铁山": EVEN}


@pytest.mark.parametrize("question", ["弓箭能射多远？", "情节可信吗？", "火攻要什么条件？", "结义有什么讲究？"])
def test_what_is_asked_of_the_book_or_of_those_days_stays(question: str) -> None:
    """LOP-09: nobody of the talk is put into it."""
    assert asked(question, FELL) == question
