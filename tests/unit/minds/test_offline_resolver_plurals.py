"""Follow-ups about two or more: who stood together, who answered, what they are to each other."""

import pytest

from nodes.roles import ResolveRequest
from state.session import Session, SessionTurn
from tests.unit.minds.test_offline_resolver_sessions import follow_up
from tools.records import Name
from tools.story.linking import NameTable
from wenmai.minds.offline.asked_part import noun_asked, noun_called
from wenmai.minds.offline.reading import read
from wenmai.minds.offline.resolver import resolved

PEOPLE = (
    "张飞", "张达", "范疆", "刘备", "关羽", "曹操", "曹丕", "曹植", "陆逊", "陆抗", "赵昂", "王氏", "孙策", "王允",
    "貂蝉", "吕布", "陈宫", "甘宁", "周泰", "凌操", "黄祖", "丁仪", "丁廙", "黄忠", "夏侯尚",
)  # fmt: skip
TABLE = NameTable.build(Name(text=name, entity=name, kind="Character", mentions=9) for name in PEOPLE)
SLAIN = ("张飞死在谁手里？", "张飞被部将范疆、张达刺死。")
SWORN = ("刘备、关羽和张飞谁最大？", "刘备。")


def asked(question: str, *exchanges: tuple[str, str]) -> str:
    """Replay exchanges over these names."""
    return follow_up(question, *exchanges, table=TABLE)


@pytest.mark.parametrize("plural", ["他俩", "他们俩", "这两个人", "这两个凶手", "这两位部将", "二人"])
def test_two_whom_the_answer_joins_before_those_of_its_question(plural: str) -> None:
    """LOP-09 S000-22: 范疆、张达 of the answer, with the noun behind the number."""
    before = ("黄祖和甘宁打败过谁？", "凌操。")
    assert asked(f"{plural}后来怎么样了？", before, SLAIN) == "范疆和张达后来怎么样了？"


def test_nobody_whom_the_question_names_is_one_of_the_two() -> None:
    """LOP-09: 关羽认识他们俩吗 is of others than 关羽."""
    older, newer = ("甘宁和周泰是谁的部将？", "孙策。"), ("关羽和张飞去了哪里？", "古城。")
    assert asked("关羽认识他们俩吗？", older, newer) == "关羽认识甘宁和周泰吗？"
    assert asked("曹操认识他们俩吗？", older, newer) == "曹操认识关羽和张飞吗？"


@pytest.mark.parametrize("question", ["这两个字是什么意思？", "这两个问题怎么解决？", "那两位老人是谁？"])
def test_a_number_of_other_things_is_no_two_persons(question: str) -> None:
    """LOP-09: 这两个 before a thing's noun stays."""
    assert asked(question, ("刘备是谁？", "刘备是汉室宗亲。")) == question


@pytest.mark.parametrize(
    ("exchange", "expected"),
    [
        (("放走曹操的那个县令叫什么？", "叫陈宫。"), "曹操和陈宫后来去了哪里？"),
        (("放走曹操的是谁？", "陈宫。"), "曹操和陈宫后来去了哪里？"),
        (("东吴有哪两员猛将？", "甘宁，还有周泰。"), "甘宁和周泰后来去了哪里？"),
    ],
)
def test_one_of_the_question_and_its_answer(exchange: tuple[str, str], expected: str) -> None:
    """LOP-09: topic and answer stand together; two who were asked for are meant before them."""
    assert asked("两个人后来去了哪里？", exchange) == expected


@pytest.mark.parametrize(
    ("question", "exchange", "expected"),
    [
        ("父子二人谁更出名？", ("陆逊有哪些战功？", "火烧连营。他儿子陆抗也是名将。"), "陆逊和陆抗谁更出名？"),
        ("夫妻俩后来怎么样了？", ("赵昂为什么犹豫？", "为了儿子。妻子王氏劝他起兵。"), "赵昂和王氏后来怎么样了？"),
        ("那两兄弟和好了吗？", ("曹植为什么被贬？", "因为曹丕忌他。"), "曹植和曹丕和好了吗？"),
        ("兄弟俩呢？", ("曹操抓了谁？", "抓了曹植与丁仪、丁廙。"), "丁仪和丁廙呢？"),
        ("这一对后来结婚了吗？", ("王允把谁许给吕布？", "王允把貂蝉许给了吕布。"), "吕布和貂蝉后来结婚了吗？"),
        ("他们兄弟二人谁大？", ("曹丕和曹植谁当了皇帝？", "曹丕。"), "曹丕和曹植谁大？"),
    ],
)
def test_two_by_what_they_are_to_each_other(question: str, exchange: tuple[str, str], expected: str) -> None:
    """LOP-09: kin that a text names beside somebody, namesakes of a list, couples."""
    assert asked(question, exchange) == expected


@pytest.mark.parametrize("plural", ["他们仨", "三人", "他们三个人", "这三位", "他们"])
def test_three(plural: str) -> None:
    """LOP-09: all whom the question joins."""
    assert asked(f"{plural}后来怎么样了？", SWORN) == "刘备、关羽和张飞后来怎么样了？"


def test_two_who_are_asked_for_are_not_those_of_before() -> None:
    """LOP-09: 送马的那两个商人叫什么 asks for others."""
    question = "给他们送马的那两个商人叫什么？"
    assert asked(question, SWORN) == "给刘备、关羽和张飞送马的那两个商人叫什么？"


def test_those_without_names_whom_the_answer_tells_of() -> None:
    """LOP-09: 许贡的三个门客."""
    assert asked("他们为什么失败？", ("谁袭击了孙策？", "是许贡的三个门客。")) == "许贡的三个门客为什么失败？"


def test_what_is_said_of_two_finds_their_turn() -> None:
    """LOP-09: 那两个投降的 are those of the older turn, and 他们 behind are the same."""
    older = ("谁投降了曹操？", "甘宁和周泰投降了。")
    question = "那两个投降的，后来怎么处置他们？"
    assert asked(question, older, SLAIN) == "甘宁和周泰，后来怎么处置甘宁和周泰？"


@pytest.mark.parametrize(
    ("focus", "answer", "expected"),
    [
        (["周泰", "甘宁", "凌操"], "“快走！”黄祖大惊。", "周泰和甘宁"),
        (["周泰", "甘宁", "凌操"], "“快走！”甘宁、凌操赶到，黄祖大惊。", "甘宁和凌操"),
        (["周泰", "甘宁"], "“快走！”甘宁、凌操赶到，黄祖大惊。", "甘宁和凌操"),
    ],
)
def test_a_quotation_gives_the_best_guesses_and_those_it_joins(focus: list[str], answer: str, expected: str) -> None:
    """LOP-09: behind a question for two, whom the turn kept, before them two whom the quotation joins."""
    said = "救出孙策的是哪两员将？"
    turn = SessionTurn(question=said, resolved=said, answer=answer, entities=[], focus=focus)
    session = Session(entities=[], topic=None, turns=[turn])
    request = ResolveRequest(question="他俩呢？", session=session, library="x", horizon=None, language="zh")
    assert resolved(request, TABLE).question == f"{expected}呢？"


@pytest.mark.parametrize(("question", "noun"), [("守城的是哪两个将领？", "将领"), ("哪些大臣反对？", "大臣")])
def test_a_question_for_several_asks_for_persons(question: str, noun: str) -> None:
    """LOP-09: 哪两个 and 哪些 as 哪个."""
    assert noun_asked(question) == noun


@pytest.mark.parametrize(
    ("question", "noun"), [("那个县令叫什么？", "县令"), ("头领叫什么名字？", "头领"), ("那匹马叫什么？", "")]
)
def test_who_is_called_what(question: str, noun: str) -> None:
    """LOP-09: a person's noun before 叫什么 asks for him; a beast's name is no person."""
    assert noun_called(question) == noun


def test_a_person_behind_a_word_of_motion_is_no_place() -> None:
    """LOP-09: 放回夏侯尚, is not a place that somebody goes back to."""
    reading = read("黄忠放回夏侯尚，收兵。", TABLE)
    assert [one.category for one in reading.named] == ["person", "person"]
