"""When the evidence does not answer: shapes of what is asked, names that no text knows, chapters, deeds."""

import pytest

from tests.unit.minds.rules import unopposed
from tools.records import Name
from tools.story.linking import NameTable
from wenmai.minds.offline.analysis import analyse

PEOPLE = ("恰斯卡", "卡齐娜", "玛薇卡")
TABLE = NameTable.build([Name(text=n, entity=n, kind="Character", mentions=9) for n in PEOPLE])


def passes(question: str, *texts: str) -> bool:
    return unopposed(question, texts, TABLE)


@pytest.mark.parametrize(
    ("question", "told", "untold"),
    [
        ("卡齐娜多大年纪？", "卡齐娜今年十六岁。", "卡齐娜在集市上遇见了恰斯卡。"),
        ("恰斯卡身高多少？", "恰斯卡身长八尺，背着长弓。", "恰斯卡背着长弓，走得很快。"),
        ("玛薇卡的长矛有多重？", "玛薇卡的长矛重八十斤。", "玛薇卡举起长矛，点燃了圣火。"),
        ("卡齐娜买长弓花了多少钱？", "卡齐娜用三十两银子买下长弓。", "卡齐娜买下了那张长弓。"),
        ("恰斯卡和玛薇卡打了多少回合？", "恰斯卡与玛薇卡战了三十合。", "恰斯卡见了玛薇卡，深施一礼。"),
        ("恰斯卡骑的马是什么颜色？", "恰斯卡骑一匹白马而来。", "恰斯卡骑马而来，风尘仆仆。"),
        ("集市上摆了几座帐篷？卡齐娜数过吗？", "卡齐娜数了数，集市上有七座帐篷。", "卡齐娜望着集市上的帐篷。"),
    ],
)
def test_what_has_a_shape_is_told_only_where_it_stands(question: str, told: str, untold: str) -> None:
    """S003-D08: an age, a height, a weight, a price, a number of bouts, a colour, a count."""
    assert passes(question, told)
    assert not passes(question, untold)


@pytest.mark.parametrize("name", ["吕玲绮", "韩季昌"])
def test_a_name_that_no_text_knows_is_objected_to(name: str) -> None:
    """S003-D08: also a name that no dictionary has; one that the story tells of is answered."""
    question = f"{name}在集市上做什么？"
    assert not passes(question, "恰斯卡在集市上买了长弓。")
    assert passes(question, f"{name}在集市上卖花，恰斯卡买了一束。")


@pytest.mark.parametrize("name", ["马云騄", "花木兰", "苏妲己", "程咬金"])
def test_a_name_is_not_read_out_of_other_words(name: str) -> None:
    """S003-D08: 军马云集 tells nothing of a 马云, 花木 nothing of a 花木兰, nor anything of other heroes."""
    question = f"{name}用的是什么兵器？"
    assert not passes(question, "集市上军马云集，广栽花木，各人带着兵器。恰斯卡已到。")
    assert passes(question, f"{name}用一杆长枪做兵器。")


def test_a_common_word_is_no_name() -> None:
    """S003-D08: the segmenter's dictionary takes beards and depths for people."""
    assert passes("恰斯卡为什么割掉胡子？", "恰斯卡割髯弃袍而走，怕人认出。")
    assert passes("司马父子是怎么到集市的？", "司马懿父子骑马到了集市。")


def test_a_speech_and_a_book_must_be_told() -> None:
    """S003-D08: nobody said what is not told, nor is there a book that is not; a speech is quoted from memory."""
    told = "恰斯卡叹道：“飞得再高，也要回到集市。”卡齐娜收起《远行录》。"
    assert passes("“飞得再高，总要回到集市里”这句话是谁说的？", told)
    assert not passes("“知识就是集市的力量”这句话是谁说的？", told)
    assert passes("“高飞远走”说的是恰斯卡吗？", told)
    assert passes("卡齐娜把《远行录》怎么样了？", told)
    assert not passes("卡齐娜把《航海录》怎么样了？", told)
    assert passes("《纳塔传》里卡齐娜收起了什么？", told)


def test_a_chapter_without_the_asked_name_is_refused() -> None:
    """S003-D08: what the asked chapter tells of somebody else is no answer."""
    texts = ("恰斯卡在集市上卖花。", "卡齐娜在比赛中落败。")
    assert passes("第1章里恰斯卡做了什么？", *texts)
    assert not passes("第2章里恰斯卡做了什么？", *texts)
    assert not passes("第9章里恰斯卡做了什么？", *texts)


@pytest.mark.parametrize(
    ("question", "asks"),
    [
        ("第1章讲了什么？", True),
        ("概括一下第1到2章的主要内容", True),
        ("What happens in chapter 1?", True),
        ("第1章里恰斯卡做了什么？", False),
        ("第1章的比赛在哪里？", False),
    ],
)
def test_what_a_chapter_tells_needs_only_the_chapter(question: str, asks: bool) -> None:
    """S003-D08: its passages answer, without a word of the question in them; other chapters' do not."""
    assert analyse(question, TABLE).is_outline is asks
    assert passes("第2章发生了什么？", "恰斯卡在集市上卖花。", "雨下了一夜。")
    assert not passes("第3章发生了什么？", "恰斯卡在集市上卖花。", "雨下了一夜。")


def test_a_deed_between_two_that_is_nowhere_told_is_objected_to() -> None:
    """S003-D08: why somebody did what the story does not tell."""
    question = "恰斯卡为什么背叛玛薇卡？"
    assert not passes(question, "恰斯卡与玛薇卡并肩守住了边境。")
    assert passes(question, "恰斯卡因家人被囚，背叛了玛薇卡。")


def test_an_event_that_no_text_names_is_refused() -> None:
    """S003-D08: 八王之乱 is of another book; a war whose place the story knows is not."""
    assert not passes("八王之乱是怎么打起来的？", "恰斯卡与玛薇卡并肩守住了边境。")
    assert passes("边境之乱是怎么平定的？", "边境乱起，恰斯卡平定了它。")


@pytest.mark.parametrize(
    "question", ["第三回合恰斯卡怎么出手？", "集市上那个高个子恰斯卡是谁？", "恰斯卡年纪轻轻为何卖花？"]
)
def test_a_word_of_a_shape_asks_for_none(question: str) -> None:
    """S003-D08: only a question for the number needs one."""
    assert passes(question, "恰斯卡年纪轻轻便在集市上卖花，个子很高，三回合间便出手。")


@pytest.mark.parametrize(
    ("question", "told", "untold"),
    [
        ("恰斯卡为什么出卖玛薇卡？", "恰斯卡受人逼迫，卖了玛薇卡。", "玛薇卡要卖长弓，恰斯卡来看。"),
        ("卡齐娜用什么杀死了玛薇卡？", "卡齐娜手起一刀，斩玛薇卡于马下。", "卡齐娜骂道：“我必杀玛薇卡！”"),
        ("恰斯卡登基后立了谁为后？", "恰斯卡于圣城即位，大赦天下。", "恰斯卡在圣城卖花。卡齐娜即位，立后。"),
        ("恰斯卡和卡齐娜是姐妹，她们在哪里长大？", "恰斯卡与卡齐娜本是姐妹，长在草原。", "恰斯卡与卡齐娜在草原相识。"),
        ("恰斯卡的妹妹嫁给了谁？", "恰斯卡有一妹，嫁与希诺宁。", "恰斯卡把长弓嫁接了一段。"),
        ("恰斯卡和卡齐娜是什么亲戚？", "卡齐娜是恰斯卡的侄女。", "恰斯卡和卡齐娜在草原长大。"),
        ("恰斯卡和卡齐娜的父母是谁？", "恰斯卡的父亲是猎人。", "恰斯卡和卡齐娜在草原长大。"),
        ("恰斯卡第七次捉住卡齐娜是在哪里？", "恰斯卡七擒卡齐娜于河边。", "恰斯卡捉住卡齐娜，关在河边。"),
    ],
)
def test_what_a_question_takes_for_granted_must_be_told(question: str, told: str, untold: str) -> None:
    """S003-D08: a deed with its doer and its sufferer, a kinship, a number of times; a threat is no deed."""
    assert passes(question, told)
    assert not passes(question, untold)


def test_two_men_alone_are_no_price() -> None:
    """S003-D08: 两个人 is a number of people, not of taels."""
    assert not passes("卡齐娜买长弓花了多少两银子？", "卡齐娜买长弓时带了两个人。")
    assert passes("卡齐娜买长弓花了多少两银子？", "卡齐娜花了二十两买长弓。")


def test_a_question_of_the_world_outside_is_refused() -> None:
    """S003-D08: today's weather is no part of a story, though the word stands in it."""
    assert not passes("今天天气怎么样？", "那天天气很好，卡齐娜去了集市。")
    assert passes("卡齐娜去集市那天天气怎么样？", "那天天气很好，卡齐娜去了集市。")


def test_a_thing_of_our_age_is_refused_in_english_too() -> None:
    """S003-D08: unless the story has it."""
    assert not passes("What is Chasca's phone number?", "Chasca counted the number of steps.")
    assert passes("What is Chasca's phone number?", "Chasca's phone number was 12.")


def test_a_name_asks_for_nothing_by_itself() -> None:
    """S003-D08: the 娘 of 乌三娘 does not ask for a mother."""
    table = NameTable.build([Name(text="乌三娘", entity="乌三娘", kind="Character", mentions=9)])
    assert unopposed("乌三娘是谁？", ("乌三娘在缝帆坊里补帆。",), table)
