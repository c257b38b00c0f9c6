"""Follow-ups about whom the last answer brought: 谁-questions, 这位老人, the dead, names that no library lists."""

import pytest

from nodes.roles import ResolveRequest
from state.session import Session, SessionTurn
from tests.unit.minds.test_offline_resolver_sessions import follow_up
from tools.records import Name
from tools.story.linking import NameTable
from wenmai.minds.offline.reading import read
from wenmai.minds.offline.resolver import resolved

PEOPLE = (
    "周泰",
    "孙权",
    "糜竺",
    "陶谦",
    "甘宁",
    "凌操",
    "黄祖",
    "孙策",
    "太史慈",
    "孔融",
    "文钦",
    "张飞",
    "张达",
    "邓艾",
)
TABLE = NameTable.build(
    Name(text=text, entity=entity, kind="Character", mentions=9)
    for text, entity in (*((name, name) for name in PEOPLE), ("子文", "曹彰"), ("曹彰", "曹彰"))
)
QUOTED = "孙权与周泰守宣城，忽山贼四面杀至。朱治引军来救。[1]"


def after_quotation(question: str, asked: str, focus: list[str]) -> str:
    """Resolve behind a 谁-question that was answered by a quotation, the turn keeping who may be meant."""
    turn = SessionTurn(question=asked, resolved=asked, answer=QUOTED, entities=["孙权"], focus=focus)
    session = Session(entities=[], topic=None, turns=[turn])
    request = ResolveRequest(question=question, session=session, library="x", horizon=None, language="zh")
    return resolved(request, TABLE).question


@pytest.mark.parametrize("question", ["后来是哪个医生治好了他？", "此人后来怎么样了？", "身上挨了几枪？"])
def test_a_kept_answerer_is_meant_before_who_was_named_in_the_question(question: str) -> None:
    """LOP-09: the turn read more of the story than the words that are left of its answer."""
    assert "周泰" in after_quotation(question, "在宣城救出孙权的是谁？", ["周泰"])
    assert "太史慈" in after_quotation(question, "在宣城救出孙权的是谁？", ["太史慈"])


def test_a_kept_answerer_counts_only_where_somebody_was_asked_for() -> None:
    """LOP-09: behind another question the talk goes on about whom it named."""
    assert after_quotation("他后来怎么样了？", "孙权守的是哪座城？", ["周泰"]) == "孙权后来怎么样了？"


@pytest.mark.parametrize("asked", ["糜竺是谁推荐给陶谦的？", "糜竺归降以前在谁手下？"])
def test_the_talk_stays_with_whom_a_passive_question_names(asked: str) -> None:
    """LOP-09: a guess at who did it does not displace him; an answer that says it does."""
    assert after_quotation("他后来怎么样了？", asked, ["太史慈"]) == "糜竺后来怎么样了？"


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("前者是怎么死的？", "甘宁是怎么死的？"),
        ("后者呢？", "凌操呢？"),
        ("后一个的结局怎么样？", "凌操的结局怎么样？"),
    ],
)
def test_the_former_and_the_latter(question: str, expected: str) -> None:
    """LOP-09: the first and the last of those whom the newest turn names that has several."""
    two = ("甘宁和凌操都是东吴的将领吗？", "是的。")
    assert follow_up(question, two, ("东吴在哪里？", "在江东。"), table=TABLE) == expected
    joined = ("东吴有哪两员猛将？", "甘宁和凌操。")
    assert follow_up(question, joined, table=TABLE) == expected


@pytest.mark.parametrize("question", ["最后一个被杀的是谁？", "前一个问题答得不对", "诸将退后者斩是谁的命令？"])
def test_words_that_hold_a_latter_are_none(question: str) -> None:
    """LOP-09: 最后一个 and 前一个问题 ask of no two."""
    two = ("甘宁和凌操都是东吴的将领吗？", "是的。")
    assert question in follow_up(question, two, table=TABLE)


@pytest.mark.parametrize(
    ("question", "expected", "before"),
    [
        ("这位老人为什么不把徐州传给儿子？", "陶谦为什么不", ("糜竺在哪位州牧手下做事？", "糜竺被陶谦聘为别驾。")),
        ("这个番王后来又被谁杀了？", "张达后来又被谁杀了", ("甘宁是被哪个番王射中的？", "甘宁被张达射中。")),
        ("这员魏将外号叫什么？", "张达外号", ("跟张飞大战的魏将是谁？", "张达。")),
        ("他是哪里人？", "张达是哪里人", ("张飞请了哪位医生看病？", "张飞请了张达。")),
        ("他干这件事图的是什么？", "张达干这件事", ("孙权和孙策是被谁告发的？", "孙权和孙策被张达告发。")),
        ("那位救人者后来怎么样了？", "张达后来怎么样了", ("谁出来救下了张飞？", "张达救下了张飞。")),
        ("张飞不听，他哭着说了什么？", "张飞不听，张达哭着", ("劝张飞退兵的是谁？", "张达。")),
        ("张飞派给他的副将是谁？", "张飞派给张达的副将", ("失了营寨的是谁？", "张达。")),
        ("后来杀他的两个人是谁？", "后来杀张达的两个人是谁", ("张达是谁的部下？", "孙权。")),
        ("接班的这个人有什么癖好？", "张达有什么癖好？", ("接班的是谁？", "张达。")),
        ("这个偷戟的人有什么本事？", "张达有什么本事？", ("偷戟的是谁？", "张达。")),
        ("身长几尺？", "张达的身长几尺", ("失了营寨的是谁？", "张达。")),
        ("中箭的那位东吴将军死在哪里？", "甘宁死在哪里", ("甘宁是怎么中箭的？", "甘宁在阵前中箭。张达没有受伤。")),
        ("死者的儿子当时多大？", "凌操的儿子", ("甘宁早年射死的是哪员将？", "甘宁一箭射死了凌操。")),
        ("那年多大？", "文鸯那年", ("单枪匹马打退敌兵的小将是谁？", "是文钦的儿子文鸯。")),
        ("后来两人逃到了哪里？", "范疆和张达逃到", ("范疆和张达为什么要杀张飞？", "张飞鞭打二人。")),
        ("那人捉住他以后是怎么待他的？", "孙策捉住太史慈以后是怎么待太史慈的", ("太史慈和谁打得难分胜负？", "孙策。")),
        ("头一个抢下的是哪座城？", "邓艾头一个抢下", ("邓艾是用什么办法下山的？", "邓艾用毡裹身滚下。")),
    ],
)
def test_whom_the_last_turn_brought(question: str, expected: str, before: tuple[str, str]) -> None:
    """LOP-09: the answer's person, the one who was killed, a name that the library does not list, a dropped doer."""
    assert expected in follow_up(question, before, table=TABLE)


@pytest.mark.parametrize(
    ("question", "before"),
    [
        ("后来有个自称是王经侄子的人来投降，那人是谁？", ("邓艾守的是哪座城？", "邓艾守的是新城。")),
        ("守城的是哪支军队？", ("邓艾是用什么办法下山的？", "邓艾用毡裹身滚下。")),
    ],
)
def test_a_question_with_its_own_subject_stays_as_it_is(question: str, before: tuple[str, str]) -> None:
    """LOP-09: somebody whom it brings in itself, a doer whom it asks for."""
    assert follow_up(question, before, table=TABLE) == question


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("那人放走他之后还信任他吗？", "孙策放走太史慈之后还信任太史慈吗？"),
        ("那人见到他的时候认出他了吗？", "孙策见到太史慈的时候认出太史慈了吗？"),
        ("他后来为什么杀了他？", "太史慈后来为什么杀了孙策？"),
        ("他以后还见过他吗？", "太史慈以后还见过孙策吗？"),
    ],
)
def test_two_equal_pronouns_mean_one_person_behind_what_befell_him(question: str, expected: str) -> None:
    """LOP-09: he to whom something is done is who is spoken of behind it; who does something has another before him."""
    assert follow_up(question, ("太史慈和谁打得难分胜负？", "孙策。"), table=TABLE) == expected


STYLED = NameTable.build(
    Name(text=text, entity=entity, kind="Character", mentions=9)
    for text, entity in (("子龙", "赵云"), ("司马仲达", "司马懿"), ("子敬", "鲁肃"), ("刘备", "刘备"))
)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("刘备的儿子龙骧是谁？", ["刘备"]),
        ("刘备的妻子敬重谁？", ["刘备"]),
        ("子龙和刘备是什么关系？", ["赵云", "刘备"]),
        ("刘备在马上司马仲达在船上", ["刘备", "司马懿"]),
    ],
)
def test_a_style_name_is_none_inside_a_word_for_kin(text: str, names: list[str]) -> None:
    """LOP-09: the 子龙 of 儿子龙骧 is nobody; it is somebody at the beginning, and where the kin is no word: 马上."""
    assert [one.name for one in read(text, STYLED).named if one.known] == names


DESCENT = ("邓艾是用什么办法下山的？", "邓艾用毡裹身滚下。")


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("最先打下的是哪座城？", "邓艾最先打下的是哪座城？"),
        ("烧的是哪座营？", "邓艾烧的是哪座营？"),
        ("埋伏的是哪路人马？", "关于邓艾，埋伏的是哪路人马？"),
        ("最先到的是哪支军队？", "关于邓艾，最先到的是哪支军队？"),
    ],
)
def test_a_doer_is_put_in_where_a_thing_is_asked_for(question: str, expected: str) -> None:
    """LOP-09: what a deed is done to is asked of somebody; troops that are asked for do it themselves."""
    assert follow_up(question, DESCENT, table=TABLE) == expected


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("后来有个自称是张飞旧部的人来投奔，结果怎样？", "后来有个自称是张飞旧部的人来投奔，结果怎样？"),
        ("当时有一位自称是孔融门客的人求见，为了什么？", "当时有一位自称是孔融门客的人求见，为了什么？"),
        ("有个妹妹吗？", "邓艾有个妹妹吗？"),
        ("有个放牛的人给他带路吗？", "有个放牛的人给邓艾带路吗？"),
    ],
)
def test_somebody_new_has_no_owner(question: str, expected: str) -> None:
    """LOP-09: a person whom the question brings in is nobody's; kin, and who is spoken of besides, are put in."""
    assert follow_up(question, DESCENT, table=TABLE) == expected
