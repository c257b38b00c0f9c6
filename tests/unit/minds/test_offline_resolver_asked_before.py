"""Follow-ups that go back to whom the user asked about, or that leave out whom it befell."""

import pytest

from state.session import Session, SessionTurn
from tests.unit.minds.test_offline_resolver_shapes import TABLE, asked
from wenmai.minds.offline.anaphora import find_anaphors
from wenmai.minds.offline.discourse import AT_LENGTH, build, named_by_user, quoted_at_length
from wenmai.minds.offline.pointing import marks_of
from wenmai.minds.offline.reading import read
from wenmai.minds.offline.standing import standing
from wenmai.minds.offline.talk import talk_of

BLADE = ("赵铁山的大刀有多重？", "重八十二斤。")
SPEAR = ("李青云用的是什么兵器？", "用一杆长枪。")
SURRENDER = ("王守拙归降孙大勇是在第几回？", "第九回。")
BEAST = ("孙大勇骑的赤兔马有多高？", "高八尺。")
LONG = "“" + "钱小满与吴长河在渡口相遇，各引三千军马，从清晨杀到日暮，未分胜败。" * 4 + "”[1]"


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("最先问的那位后来怎么样了？", "赵铁山后来怎么样了？"),
        ("再回到我最初问的那个人，他死在哪里？", "再回到赵铁山，他死在哪里？"),
        ("还是回到头一个人，他母亲是谁？", "还是回到赵铁山，他母亲是谁？"),
        ("先前问大刀的那位，最后死在谁手里？", "赵铁山，最后死在谁手里？"),
        ("先前归降孙大勇的那位，又是怎么死的？", "王守拙，又是怎么死的？"),
        ("刚才说的那个人是哪里人？", "王守拙是哪里人？"),
    ],
)
def test_whom_the_user_asked_about_before(question: str, expected: str) -> None:
    """S000-22 LOP-09: the first of the talk, the last before the present one, or the one of whom it was asked."""
    assert asked(question, BLADE, SURRENDER, SPEAR) == expected


@pytest.mark.parametrize("question", ["孙大勇刚才说的那个计策是什么？", "最先冲上城的人是谁？"])
def test_what_only_sounds_so(question: str) -> None:
    """LOP-09: a thing that somebody said, and who did it first, are nobody whom the user asked about."""
    assert asked(question, BLADE, SPEAR) == question


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("后来孙大勇用什么办法斩掉的？", "后来孙大勇用什么办法斩掉赵铁山的？"),
        ("孙大勇事后赏了把什么剑？", "孙大勇事后赏了赵铁山把什么剑？"),
        ("早年游荡的时候，人家给起了个什么外号？", "早年游荡的时候，人家给赵铁山起了个什么外号？"),
        ("后人写诗称赞，首句是什么？", "后人写诗称赞赵铁山，首句是什么？"),
        ("在石门关被擒后，孙大勇是怎么处死的？", "在石门关被擒后，孙大勇是怎么处死赵铁山的？"),
        ("孙大勇不肯喝酒，又是怎么劝的？", "孙大勇不肯喝酒，赵铁山又是怎么劝的？"),
        ("斩孙大勇又是在第几回？", "赵铁山斩孙大勇又是在第几回？"),
        ("逃到县城被抓住，是谁放了的？", "赵铁山逃到县城被抓住，是谁放了的？"),
        ("带人去讨孙大勇，结果被谁刺死？", "赵铁山带人去讨孙大勇，结果被谁刺死？"),
        ("孙大勇伏诛之后，又被谁接走了？", "孙大勇伏诛之后，赵铁山又被谁接走了？"),
        ("推荐了谁来接替？", "赵铁山推荐了谁来接替？"),
        ("向孙大勇推荐的是谁？", "赵铁山向孙大勇推荐的是谁？"),
        ("后来为什么又归顺孙大勇了？", "赵铁山后来为什么又归顺孙大勇了？"),
        ("孙大勇事后是怎么祭奠的？", "孙大勇事后是怎么祭奠赵铁山的？"),
        ("献的空城那条计，孙大勇为什么不用？", "赵铁山献的空城那条计，孙大勇为什么不用？"),
    ],
)
def test_what_is_left_out(question: str, expected: str) -> None:
    """S000-22 LOP-09: whom it was done to, who did it, and whose it was."""
    assert asked(question, BLADE) == expected


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("在为孙大勇报仇之前，他被谁害死？", "在为孙大勇报仇之前，赵铁山被谁害死？"),
        ("孙大勇嫌书信没写日期，他是怎么圆过去的？", "孙大勇嫌书信没写日期，赵铁山是怎么圆过去的？"),
        ("孙大勇说要去石门关，他故意听成了哪里？", "孙大勇说要去石门关，赵铁山故意听成了哪里？"),
        ("孙大勇临终前对李青云是怎么评价他的？", "孙大勇临终前对李青云是怎么评价赵铁山的？"),
        ("孙大勇是听了谁的计策，把他的母亲骗到城里的？", "孙大勇是听了谁的计策，把赵铁山的母亲骗到城里的？"),
        ("孙大勇的部将中，是谁盗走他的双戟的？", "孙大勇的部将中，是谁盗走赵铁山的双戟的？"),
        ("孙大勇的妻子为什么骂了他一句？", "孙大勇的妻子为什么骂了他一句？"),
        ("孙大勇在渡口被擒以后，他降了吗？", "孙大勇在渡口被擒以后，他降了吗？"),
    ],
)
def test_who_of_the_question_he_cannot_be(question: str, expected: str) -> None:
    """LOP-09: not who is acted on, who objects, who speaks of him; but who has a wife, or was caught, himself."""
    assert asked(question, BLADE) == expected


def test_who_did_it_once_did_it_again() -> None:
    """LOP-09: after 李青云斩了郑一鸣 he who slew another too is 李青云; who was told to do it does it."""
    slew = ("李青云是在第几回斩了郑一鸣的？", "第五回。")
    told = ("孙大勇派李青云守在哪条路上？", "守在石门关。")
    assert asked("钱小满也是被他斩的吗？", slew) == "钱小满也是被李青云斩的吗？"
    assert asked("他出发前写下了什么？", told) == "李青云出发前写下了什么？"


def test_names_of_beasts_stand_by_themselves() -> None:
    """S000-22: 的 is no part of a name, and 那匹赤兔马 says itself which."""
    assert asked("这马以前归李青云。那他是哪里人？", BEAST) == "赤兔马以前归李青云。那孙大勇是哪里人？"
    assert "那匹赤兔马" in asked("还有那匹赤兔马，是谁送的？", BLADE)


def test_three_of_one_question_are_meant_by_three() -> None:
    """S000-22: 他们三个 before a verb counts persons, not what they make."""
    sworn = ("赵铁山、孙大勇、李青云是在第几回结义的？", "第一回。")
    assert asked("他们三个打造的兵器各叫什么？", sworn) == "赵铁山、孙大勇和李青云打造的兵器各叫什么？"


def test_names_of_a_long_quotation_weigh_less_than_the_users_own() -> None:
    """S000-D10 LOP-09: where an answer quotes at length, whom the user's own questions name are likelier meant."""
    turn = SessionTurn(question="赵铁山守哪里？", resolved="赵铁山守哪里？", answer=LONG, entities=[])
    discourse = build(Session(entities=[], topic=None, turns=[turn]), TABLE)
    assert len(LONG) > AT_LENGTH
    assert quoted_at_length(discourse)
    assert named_by_user(discourse, "赵铁山")
    assert not named_by_user(discourse, "钱小满")
    assert standing(talk_of(discourse), discourse.referents["赵铁山"], 0.0).asked_of == 1.0
    again = SessionTurn(question="谁来攻关？", resolved="谁来攻关？", answer=LONG + "“赵铁山死守。”", entities=[])
    later = build(Session(entities=[], topic=None, turns=[turn, again]), TABLE)
    assert standing(talk_of(later), later.referents["钱小满"], 0.0).quoted == 1.0
    assert standing(talk_of(later), later.referents["赵铁山"], 0.0).quoted == 0.0
    turn["answer"] = "守石门关。"
    short = build(Session(entities=[], topic=None, turns=[turn]), TABLE)
    assert standing(talk_of(short), short.referents["赵铁山"], 0.0).asked_of == 0.0


def test_who_fits_a_description_best_by_far() -> None:
    """S000-22: 使刀的那位 is marked best where only his questions tell of a blade."""
    turns = [SessionTurn(question=q, resolved=q, answer=a, entities=[]) for q, a in (BLADE, SPEAR)]
    discourse = build(Session(entities=[], topic=None, turns=turns), TABLE)
    (one,) = find_anaphors(read("使大刀的那位多大？", TABLE))
    fitting = [(5.0 if other.name == "赵铁山" else 0.0, other) for other in discourse.people()]
    marks = marks_of(discourse, one, fitting)
    assert marks["赵铁山"].best
    assert not marks["李青云"].best


@pytest.mark.parametrize(
    "question",
    [
        "孙大勇最先提拔的那位将军是谁？",
        "最先提出火攻的那个人是谁？",
        "孙大勇当面说的那个人是谁？",
        "请李青云出山的时候，他多大年纪？",
        "没有李青云，他赢得了吗？",
        "孙大勇派李青云守石门关，他守了几年？",
        "孙大勇的儿子中，他最喜欢谁？",
        "孙大勇兵败以后，把他的妻子托付给了谁？",
        "孙大勇后来是怎么葬的？",
        "孙大勇是怎么擒住的？",
        "火烧赤壁又是在第几回？",
        "孙大勇不肯留下，又是怎么回到李青云身边的？",
        "孙大勇被斩之后，被葬在哪里？",
        "赶回来以后，孙大勇做了什么？",
        "守城的人头上戴着什么？",
    ],
)
def test_what_brings_its_own_people_stays(question: str) -> None:
    """LOP-09: close to the forms above, and self-contained."""
    assert asked(question, BLADE) == question


def test_commanderies_are_no_words_of_speech() -> None:
    """S000-22: 汝南郡 is a place; 汝 before a verb is none."""
    assert [one.name for one in read("汝南郡在哪里？", TABLE).named] == ["汝南郡"]
    assert not read("汝焉敢尽废县事！", TABLE).named
