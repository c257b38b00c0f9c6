"""Who a follow-up means by the roles of its clause and of the question before it."""

import pytest

from nodes.roles import ResolveRequest
from state.session import Session, SessionTurn
from tools.records import Name
from tools.story.linking import NameTable
from wenmai.minds.offline.resolver import resolved

PEOPLE = [
    "关羽", "孙权", "陈宫", "吕伯奢", "马超", "许褚", "韩遂", "贾诩", "曹操", "诸葛恪", "张特", "杨仪", "魏延", "于吉",
    "孙策", "刘备", "蔡瑁", "颜良", "赵云", "孙夫人", "兀突骨", "诸葛亮", "曹性", "夏侯惇", "黄忠", "韩玄", "郝昭",
]  # fmt: skip
TABLE = NameTable.build(
    [
        *(Name(text=name, entity=name, kind="Character", mentions=9) for name in PEOPLE),
        Name(text="云长", entity="关羽", kind="Character", mentions=9),
        Name(text="得来", entity="得来", kind="Character", mentions=2),
    ]
)


def follow_up(question: str, *before: tuple[str, str]) -> str:
    """Replay exchanges, then return the resolved question."""
    session = Session(entities=[], topic=None, turns=[])
    text = ""
    for asked, answer in (*before, (question, "")):
        request = ResolveRequest(question=asked, session=session, library="x", horizon=None, language="zh")
        resolution = resolved(request, TABLE)
        text = resolution.question
        turn = SessionTurn(question=asked, resolved=text, answer=answer, entities=resolution.entities)
        session = Session(entities=[], topic=resolution.topic, turns=[*session["turns"], turn][-5:])
    return text


@pytest.mark.parametrize(
    ("before", "question", "expected"),
    [
        ("关羽怎么突围的？", "孙权劝降时，他是怎么骂的？", "孙权劝降时，关羽是怎么骂的？"),
        ("陈宫为什么弃官？", "路上吕伯奢被杀，他当时说了什么？", "路上吕伯奢被杀，陈宫当时说了什么？"),
        (
            "马超为什么起兵？",
            "曹操听了贾诩的计策，怎么离间他和韩遂？",
            "曹操听了贾诩的计策，怎么离间马超和韩遂？",
        ),
        ("孙夫人为什么回江东？", "赵云追上船后，从她怀里夺走了谁？", "赵云追上船后，从孙夫人怀里夺走了谁？"),
    ],
)
def test_the_subject_of_the_clause_is_not_its_pronoun(before: str, question: str, expected: str) -> None:
    """LOP-09: an object is not its own subject, the dead do not speak, a deed without object is done to the topic."""
    assert follow_up(question, (before, "")) == expected


@pytest.mark.parametrize(
    "question",
    [
        "襄阳大宴上，是谁悄悄告诉刘备蔡瑁要害他？",
        "孙策称霸江东以后，他立了谁做先锋？",
        "关羽死后，他的首级被送给了谁？",
    ],
)
def test_a_pronoun_of_a_question_with_its_own_antecedent_stays(question: str) -> None:
    """LOP-09 S000-22: self-contained in the middle of a session."""
    assert follow_up(question, ("马超为什么起兵？", "")) == question


def test_a_subject_that_the_next_clause_names_by_a_pronoun_is_not_filled() -> None:
    """LOP-09: 长大后他… has one subject, not two."""
    before = ("诸葛恪小时候添了哪两个字？", "")
    expected = "长大后诸葛恪攻打新城，张特是怎么骗诸葛恪的？"
    assert follow_up("长大后他攻打新城，张特是怎么骗他的？", before) == expected


def test_an_object_goes_on_with_the_last_object() -> None:
    """LOP-09: parallel roles; nobody is filled in where 有没有人 is the subject."""
    assert follow_up("有没有人替他求情？", ("孙策为什么一定要杀于吉？", "")) == "有没有人替于吉求情？"


def test_the_doer_in_a_quotation_answers_who() -> None:
    """LOP-09: a quotation that shows the deed beside its doer and its victim can be relied on."""
    quoted = "“休走！”颜良措手不及，被云长手起一刀，刺于马下。[1]"
    assert follow_up("他用什么兵器？", ("谁杀了颜良？", quoted)) == "关羽用什么兵器？"


def test_a_passive_victim_is_not_the_doer_of_a_description() -> None:
    """LOP-09: 射箭的那个人 after 被谁射瞎."""
    before = ("夏侯惇的左眼是被谁射瞎的？", "曹性。")
    assert follow_up("射箭的那个人下场如何？", before) == "曹性下场如何？"


def test_a_place_that_no_table_lists() -> None:
    """LOP-09: 乌巢 is known to no dictionary and still is 那个地方."""
    before = ("向曹操献计劫烧乌巢粮草的是谁？", "")
    assert follow_up("守那个地方的将领是谁？", before) == "守乌巢的将领是谁？"


def test_a_plural_stands_for_a_troop() -> None:
    """LOP-09: 他们 after somebody's soldiers."""
    before = ("兀突骨的藤甲兵为什么难对付？", "")
    assert follow_up("诸葛亮用什么办法消灭了他们？", before) == "诸葛亮用什么办法消灭了兀突骨的藤甲兵？"


def test_a_verb_that_was_taken_for_a_name_is_nobody() -> None:
    """LOP-09: 得来 is a verb, and a doubled 的 belongs to the horse."""
    before = ("刘备的的卢马是怎么得来的？", "")
    assert follow_up("为什么说它会妨害主人？", before) == "为什么说的卢马会妨害主人？"


def test_a_matter_beside_a_pronoun_leaves_it_the_person() -> None:
    """LOP-09: 这件事 does not take the person that 他 means."""
    before = ("黄忠为什么只射盔缨？", "")
    assert follow_up("韩玄因为这件事怎么处置他？", before) == "韩玄因为这件事怎么处置黄忠？"


BEFORE = ("魏延最后是被谁杀的？", "魏延被马岱所杀。")


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("身上中了几箭？", "魏延的身上中了几箭？"),
        ("帐下有哪些猛将？", "魏延的帐下有哪些猛将？"),
        ("尸首后来怎么处理的？", "魏延的尸首后来怎么处理的？"),
        ("武艺比许褚高吗？", "魏延的武艺比许褚高吗？"),
        ("兵器丢在哪里了？", "魏延的兵器丢在哪里了？"),
        ("那年多大？", "魏延那年多大？"),
        ("那时候多大年纪了？", "魏延那时候多大年纪了？"),
        ("一生打了多少胜仗？", "魏延一生打了多少胜仗？"),
        ("会不会写字？", "魏延会不会写字？"),
        ("为什么非要追？", "魏延为什么非要追？"),
        ("第二次出征打了谁？", "魏延第二次出征打了谁？"),
        ("下山以后去了哪座城？", "魏延下山以后去了哪座城？"),
        ("再往后呢？", "魏延再往后呢？"),
        ("曹操怎么看待？", "曹操怎么看待魏延？"),
        ("后人是怎么评价的？", "后人是怎么评价魏延的？"),
    ],
)
def test_what_is_left_out_is_put_back(question: str, expected: str) -> None:
    """LOP-09: a part of somebody, a bare adverb or an amount lack their owner, a verb at the end its object."""
    assert follow_up(question, BEFORE) == expected


@pytest.mark.parametrize(
    "question",
    [
        "三国里最会打仗的人是谁？",
        "武艺最高的是哪位？",
        "哪位武将活得最久？",
        "一共有多少回？",
        "第三十回讲的是什么？",
        "怎么理解分久必合？",
        "空城计是怎么回事？",
        "用火攻的战役有哪些？",
    ],
)
def test_a_question_about_the_whole_story_is_nobodys(question: str) -> None:
    """LOP-09: nobody is put into a question that brings its own subject."""
    assert follow_up(question, BEFORE) == question
