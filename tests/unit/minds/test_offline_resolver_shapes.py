"""Follow-ups that the shape of question and talk decides: who suffers, who is meant by a noun, what is left out."""

import pytest

from nodes.roles import ResolveRequest
from state.session import Session, SessionTurn
from tests.unit.minds.test_offline_resolver_sessions import follow_up
from tools.records import Name
from tools.story.linking import NameTable
from wenmai.minds.offline.newcomers import with_newcomers
from wenmai.minds.offline.reading import read
from wenmai.minds.offline.resolver import resolved, talk_before

PEOPLE = (
    "赵铁山", "钱小满", "孙大勇", "李青云", "周玉娘", "吴长河", "郑一鸣", "王守拙",
)  # fmt: skip
TABLE = NameTable.build(
    [
        *(Name(text=name, entity=name, kind="Character", mentions=9) for name in PEOPLE),
        Name(text="子安", entity="王守拙", kind="Character", mentions=1),
        Name(text="安平侯", entity="李青云", kind="Character", mentions=40),
    ]
)
SHOT = ("赵铁山的左臂是谁射伤的？", "是孙大勇手下的钱小满在林中放的暗箭。")
HUNT = ("孙大勇为什么要杀李青云？", "因为李青云烧了他的粮仓。")
SLAIN = ("郑一鸣是被谁杀的？", "是吴长河，他在渡口一刀斩了郑一鸣。")


def asked(question: str, *exchanges: tuple[str, str]) -> str:
    """Replay exchanges over these names."""
    return follow_up(question, *exchanges, table=TABLE)


def talked(question: str, *exchanges: tuple[str, str]) -> str:
    """Resolve behind exchanges with the people whom the talk brings in."""
    turns = [SessionTurn(question=q, resolved=q, answer=a, entities=[]) for q, a in exchanges]
    session = Session(entities=[], topic=None, turns=turns)
    request = ResolveRequest(question=question, session=session, library="x", horizon=None, language="zh")
    return resolved(request, TABLE, talk_before(request, with_newcomers(session, TABLE))).question


@pytest.mark.parametrize(
    ("question", "before", "expected"),
    [
        ("他把箭拔出来以后说了什么？", SHOT, "赵铁山把箭拔出来以后说了什么？"),
        ("最后是谁救了他？", HUNT, "最后是谁救了李青云？"),
        ("是谁给他使眼色报的信？", HUNT, "是谁给李青云使眼色报的信？"),
        ("他死的时候多大？", SLAIN, "郑一鸣死的时候多大？"),
        ("后来是谁替他报了仇？", SLAIN, "后来是谁替郑一鸣报了仇？"),
        ("他为什么要这么干？", SLAIN, "吴长河为什么要这么干？"),
    ],
)
def test_who_suffered_and_who_did_it(question: str, before: tuple[str, str], expected: str) -> None:
    """S000-22 LOP-09: who was shot has the arrow out, who was to be killed is rescued, who did it has a motive."""
    assert asked(question, before) == expected


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("被射伤的那位后来怎么样了？", "赵铁山后来怎么样了？"),
        ("放暗箭的那个当场就死了吗？", "钱小满当场就死了吗？"),
    ],
)
def test_a_description_without_a_noun(question: str, expected: str) -> None:
    """LOP-09: 那位 and 那个 behind what somebody did or suffered."""
    assert asked(question, SHOT) == expected


def test_the_other_of_two_keeps_what_stands_behind_it() -> None:
    """LOP-09: 另一位的墓 is the tomb of the one whom the talk left."""
    two = ("赵铁山和李青云是哪里人？", "都是临河人。")
    assert asked("另一位的墓在哪里？", two, ("赵铁山葬在哪里？", "葬在东山。")) == "李青云的墓在哪里？"


@pytest.mark.parametrize(
    ("question", "before", "expected"),
    [
        ("是谁求的情？", HUNT, "关于孙大勇和李青云，是谁求的情？"),
        ("被活捉以后李青云怎么处置的？", ("郑一鸣守的是哪座城？", "是石门城。"), "郑一鸣被活捉以后李青云怎么处置的？"),
        ("孙大勇后来给了个什么官？", ("李青云投降了谁？", "李青云投降了孙大勇。"), "孙大勇后来给了李青云个什么官？"),
        ("第二关呢？", ("赵铁山过的第一关是哪里？", "是石门关。"), "赵铁山过的第二关是哪里？"),
        ("上面刻着什么字？", ("钱小满的青铜大印是谁铸的？", "是王守拙铸的。"), "青铜大印的上面刻着什么字？"),
    ],
)
def test_what_a_question_leaves_out(question: str, before: tuple[str, str], expected: str) -> None:
    """S000-22: an object, whom it befell, to whom, the next of a row, on what."""
    assert asked(question, before) == expected


@pytest.mark.parametrize(
    "question",
    [
        "辕门射戟是为了给哪两家劝和？",
        "书上说的第三十回讲了什么？",
    ],
)
def test_a_question_with_a_subject_of_its_own_stays(question: str) -> None:
    """LOP-09: nothing in it refers back."""
    assert asked(question, HUNT) == question


def test_who_attacks_is_not_whom_somebody_rescues() -> None:
    """LOP-09: 他 is not the 孙大勇 of the clause before it."""
    talk = ("李青云在哪里被围住了？", "李青云在谷口被围住了。")
    assert asked("孙大勇举枪来刺，是谁救了他？", talk) == "孙大勇举枪来刺，是谁救了李青云？"


def test_she_is_a_woman_whom_the_talk_names() -> None:
    """S000-22: no man whom it names later."""
    talk = ("周玉娘嫁给了谁？", "周玉娘嫁给了李青云，媒人是王守拙。")
    assert asked("她后来怎么样了？", talk, ("李青云跟王守拙是什么关系？", "是同乡。")) == "周玉娘后来怎么样了？"


def test_a_woman_is_not_told_by_a_name_that_another_one_bears() -> None:
    """LOP-09: the 夫人 of 周夫人 says nothing of who stands behind the comma."""
    talk = ("谁捉住了周玉娘夫人？", "钱小满捉住了周玉娘夫人，孙大勇派人来换。")
    assert asked("她后来怎么样了？", talk).startswith("周玉娘")


@pytest.mark.parametrize(
    ("before", "expected"),
    [
        (("退敌的少年将军是谁？", "是文鸯，当时十八岁。"), "文鸯后来投了谁？"),
        (("钱小满的部曲叫什么？", "是部曲靳祥，他先到了城下。"), "靳祥后来投了谁？"),
    ],
)
def test_people_whom_only_the_talk_names(before: tuple[str, str], expected: str) -> None:
    """LOP-09: an answer brings in somebody whom no library lists."""
    assert talked("他后来投了谁？", before) == expected


def test_a_place_that_answers_is_nobody() -> None:
    """LOP-09: 是江油城 brings in no person."""
    talk = ("赵铁山打的第一座城是哪座？", "是江油城，守将李青云投降了。")
    assert "江油" not in talked("他老婆叫什么？", talk)


@pytest.mark.parametrize(
    ("question", "before", "expected"),
    [
        ("那里是谁在守？", ("钱小满要烧的是哪个地方的粮？", "是郑一鸣屯粮的乌巢。"), "乌巢是谁在守？"),
        ("那座山在哪里？", ("赵铁山困在铁笼山，谁来救他？", "是钱小满。"), "铁笼山在哪里？"),
        ("这书后来怎么样了？", ("钱小满背的是什么书？", "叫《临河兵法》，一共十篇。"), "《临河兵法》后来怎么样了？"),
        ("这把剑有多重？", ("钱小满夺的宝剑叫什么名字？", "叫青霜剑，砍铁如泥。"), "青霜剑有多重？"),
        ("那支军队有多少人？", ("赵铁山向谁借兵？", "向李青云借了藤甲军。"), "藤甲军有多少人？"),
    ],
)
def test_places_and_things_by_their_kind(question: str, before: tuple[str, str], expected: str) -> None:
    """S000-22: the newest of its kind, also one that no table lists."""
    assert asked(question, before) == expected


def test_an_often_used_alias_within_a_rare_one_stands_for_itself() -> None:
    """LOP-09: 公子安平侯 names 安平侯, not 子安; a full name within an alias does, too."""
    assert [mention.entity for mention in TABLE.find("公子安平侯来了")] == ["李青云"]
    table = NameTable.build(
        [
            Name(text="弟孙", entity="祭远", kind="Character", mentions=8),
            Name(text="孙翔", entity="孙翔", kind="Character", mentions=3),
        ]
    )
    assert [mention.entity for mention in table.find("他的弟弟孙翔")] == ["孙翔"]
    assert [mention.entity for mention in table.find("弟孙来了")] == ["祭远"]


@pytest.mark.parametrize(
    "question",
    [
        "维他命是什么？",
        "“他”字在书里是什么意思？",
        "赵铁山让他的士兵做了什么？",
        "周玉娘带着她的侍女去了哪里？",
        "皇帝是谁？",
        "太守是什么官？",
        "古人怎么打仗？",
        "为什么会有黄巾起义？",
        "作者是谁？",
        "这本书的作者是谁？",
        "谁是最聪明的人？",
        "谁的女儿嫁给了皇帝？",
        "哪些人投降过？",
        "给我讲个故事",
        "继续",
        "说详细点",
        "你是谁？",
        "帮我总结一下全书",
    ],
)
def test_what_is_asked_of_everybody_of_the_book_or_of_the_agent_stays(question: str) -> None:
    """LOP-09: a self-contained question stays as it is, character for character."""
    assert asked(question, ("赵铁山是谁？", "是一员大将。")) == question


def test_trust_is_no_letter() -> None:
    """LOP-09: 那信任他的人 points at no 信."""
    assert asked("那信任他的人是谁？", ("赵铁山是谁？", "是一员大将。")) == "那信任赵铁山的人是谁？"


def test_a_person_whom_the_talk_calls_by_an_ambiguous_name() -> None:
    """LOP-09: 夫人 of two ladies is nobody's name; the question that goes on is answered all the same."""
    table = NameTable.build(
        [
            *(Name(text=name, entity=name, kind="Character", mentions=9) for name in ("刘大", "孙夫人", "甘夫人")),
            *(Name(text="夫人", entity=name, kind="Character", mentions=9) for name in ("孙夫人", "甘夫人")),
        ]
    )
    exchanges = (("孙夫人为什么回家？", "因为母亲病了。"), ("刘大和夫人为什么吵架？", "为了酒。"))
    assert "刘大" in follow_up("最后是谁赢了？", *exchanges, table=table)


@pytest.mark.parametrize(
    ("text", "name"), [("郑一鸣从子安那里得到了什么？", "王守拙"), ("李青云连子安的话也不听吗？", "王守拙")]
)
def test_a_name_behind_a_preposition_is_a_name(text: str, name: str) -> None:
    """S000-22: 从 and 连 are surnames, too, but no part of the name."""
    assert name in {one.name for one in read(text, TABLE).people()}


@pytest.mark.parametrize(
    "answer", ["是大火，烧了战船。", "是伏兵，埋在山谷里。", "是误会，没有人要害他。", "是空城计，吓退了敌军。"]
)
def test_what_is_no_name_brings_in_nobody(answer: str) -> None:
    """LOP-09: an answer may begin with any noun."""
    assert talked("他后来怎么样了？", ("是什么打败了赵铁山？", answer)) == "赵铁山后来怎么样了？"
