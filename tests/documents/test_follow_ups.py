"""Follow-ups on documents, where no list of names helps: the last turn tells what is meant, or nothing is put in."""

from collections.abc import Sequence

import pytest

from nodes.roles import ResolveRequest
from nodes.turn import language_of
from state.context import Context
from state.session import Session, SessionEntity, SessionTurn
from tests.shipped import shipped_reader
from tests.unit.tools.world import World
from tools.story.linking import EntityLinker
from wenmai.minds.offline.mind import offline_mind


def asked(*turns: tuple[str, str], names: tuple[str, ...] = ()) -> Session:
    """Return a session of questions that stood by themselves, and their answers."""
    rows = [SessionTurn(question=q, resolved=q, answer=a, entities=[n for n in names if n in q]) for q, a in turns]
    return Session(entities=[SessionEntity(name=name, kind=None, gloss=None) for name in names], topic=None, turns=rows)


async def resolved(question: str, session: Session, library: str = "") -> str:
    request = ResolveRequest(
        question=question,
        session=session,
        library=library,
        horizon=None,
        language=language_of(question, Context()),
        mode="rag",
    )
    world = World()
    mind = offline_mind(EntityLinker(world.graph), world.passages, world.embedder, reader=shipped_reader)
    return (await mind.resolver.resolve(request)).question


SHIP = ("云雀号哪年下水的？", "云雀号 2006 年下水。")
LEAVE = ("员工每年有几天年假？", "员工每年享有十五天带薪年假，需提前两周书面申请。")


@pytest.mark.parametrize("question", ["需要提前多久申请？", "那报销呢？", "有哪些文件？"])
async def test_a_name_of_an_older_turn_is_not_put_in(question: str) -> None:
    """LOP-09 DOC-06: behind a turn that speaks of something else a question is left as it is."""
    assert await resolved(question, asked(SHIP, LEAVE, names=("云雀号",))) == question


async def test_the_name_of_the_last_turn_is_put_in() -> None:
    """LOP-09: what the last question or its answer names is meant."""
    assert await resolved("它载客多少人？", asked(LEAVE, SHIP, names=("云雀号",))) == "云雀号载客多少人？"
    assert await resolved("有哪些文件？", asked(SHIP, names=("云雀号",))) == "有哪些文件？"


@pytest.mark.parametrize(
    ("asked_before", "told", "question", "expected"),
    [
        ("李娜在哪个部门？", "姓名: 李娜 | 部门: 研发部", "她的工号是多少？", "李娜的工号是多少？"),
        ("那王强呢？", "姓名: 王强 | 部门: 财务部", "他什么时候入职的？", "王强什么时候入职的？"),
        ("苏婉是谁？", "苏婉在找失散的弟弟苏明。", "她从哪里来？", "苏婉从哪里来？"),
        ("李娜的经理是谁？", "李娜的经理是赵敏。", "她的电话是多少？", "赵敏的电话是多少？"),
        ("出租方是谁？", "出租方：刘建国承租方：孙晓梅", "他的电话是多少？", "他的电话是多少？"),
        ("船长是谁？", "船长是林海生，曾服役十二年。", "他当过几年兵？", "林海生当过几年兵？"),
        ("林海生多大？", "林海生四十岁。", "电话是多少？", "林海生的电话是多少？"),
        ("林海生是谁？", "林海生负责夜班调度。", "哪年入职的？", "林海生哪年入职的？"),
        ("陈小雨呢？", "姓名: 陈小雨 | 部门: 物流", "她的电话是多少？", "陈小雨的电话是多少？"),
        ("欧阳雪梅在哪个部门？", "姓名: 欧阳雪梅", "她的电话是多少？", "欧阳雪梅的电话是多少？"),
        ("王强病了几天？", "王强病了三天。", "他什么时候回来？", "他什么时候回来？"),
        ("李娜在哪个部门？", "姓名: 李娜 | 部门: 研发部", "其他人呢？", "其他人呢？"),
        ("李娜在哪个部门？", "姓名: 李娜 | 部门: 研发部", "年假有几天？", "年假有几天？"),
    ],
)
async def test_a_pronoun_gets_the_one_person(asked_before: str, told: str, question: str, expected: str) -> None:
    """LOP-09: a person of the last turn is meant by his whole name; of several, or where it may go on, nobody is."""
    assert await resolved(question, asked((asked_before, told))) == expected


@pytest.mark.parametrize(
    ("before", "question", "expected"),
    [
        ("李娜在哪个部门？", "那陈小雨呢？", "陈小雨在哪个部门？"),
        ("员工每年有几天年假？", "病假呢？", "员工每年有几天病假？"),
        ("上海仓库有多大？", "北京仓库呢？", "北京仓库有多大？"),
        ("2023年的收入是多少？", "2024年呢？", "2024年的收入是多少？"),
        ("第一季度的销量是多少？", "第二季度呢？", "第二季度的销量是多少？"),
        ("A-100 的价格是多少？", "那 B-7 呢？", "B-7 的价格是多少？"),
        ("每月水费是多少？", "伙食费呢？", "伙食费呢？"),
        ("How many days of annual leave do we get?", "And sick leave?", "How many days of sick leave do we get?"),
        ("What was the revenue in 2023?", "What about 2024?", "What was the revenue in 2024?"),
        ("What colour is an apple?", "And Banana?", "And Banana?"),
        ("住院押金是多少？", "门诊押金呢？", "门诊押金是多少？"),
        ("What is the apple pie made of?", "And the cherry pie?", "What is the cherry pie made of?"),
        ("How long is the annual leave?", "And paid sick leave?", "How long is the paid sick leave?"),
        ("How many days of annual leave are there?", "And sick leave?", "How many days of sick leave are there?"),
    ],
)
async def test_another_thing_of_the_kind_is_asked_the_same(before: str, question: str, expected: str) -> None:
    """LOP-09: a person, a head or a shape like the last question's takes its place; nothing else does."""
    assert await resolved(question, asked((before, "-"))) == expected


@pytest.mark.parametrize(
    ("before", "question"),
    [
        ("门诊押金是多少？" * 10_000, "住院押金呢？"),
        ("李娜的经理是谁？" * 10_000, "她的电话是多少？"),
        ("门诊押金是多少？", "押金" * 20_000 + "呢？"),
    ],
)
async def test_beside_a_very_long_question_nothing_is_put_in(before: str, question: str) -> None:
    """LOP-09: it brings its own context, and is not searched for what a follow-up may mean."""
    assert await resolved(question, asked((before, "-"))) == question


@pytest.mark.parametrize(
    ("before", "question"),
    [
        ("负责人是谁？", "其他人呢？"),
        ("表格在哪里下载？", "价格呢？"),
        ("合同的期限是多久？", "权限呢？"),
        ("机房的湿度是多少？", "制度呢？"),
        ("项目的成本是多少？", "样本呢？"),
        ("会议的时间是几点？", "空间呢？"),
        ("产品的重量是多少？", "质量呢？"),
        ("培训的地点在哪里？", "重点呢？"),
        ("销售经理是谁？", "其他经理呢？"),
        ("员工有几天年假？", "请假呢？"),
        ("每月电费是多少？", "免费呢？"),
        ("How long is the annual leave?", "And the fire drill?"),
    ],
)
async def test_a_thing_of_another_kind_takes_no_place(before: str, question: str) -> None:
    """S000-23: one character that two nouns end with does not make them alike; of other things nobody knows which."""
    assert await resolved(question, asked((before, "-"))) == question


@pytest.mark.parametrize(
    ("turns", "question", "expected"),
    [
        (("What colour is an apple?", "And Banana?"), "Where does it come from?", "Where does Banana come from?"),
        (("What colour is an apple?",), "Is it sweet?", "Is apple sweet?"),
        (("What colour is an apple?", "What about the cherry?"), "Is it sweet?", "Is cherry sweet?"),
        (("When does the shop open?", "And why?"), "Where is it?", "Where is shop?"),
    ],
)
async def test_the_thing_that_was_named_last_is_meant(turns: Sequence[str], question: str, expected: str) -> None:
    """LOP-09: a question without a verb brings a new topic, and a property is asked of its thing."""
    assert await resolved(question, asked(*((one, "-") for one in turns))) == expected


async def test_a_question_that_was_kept_as_topic_is_none() -> None:
    """LOP-09: where no question names a thing, no text of one is put in for it; a topic handed over is."""
    session = asked(("Is that all?", "-"))
    assert await resolved("Was it enough?", Session(**{**session, "topic": "Is that all"})) == "Was it enough?"
    assert await resolved("Was it enough?", Session(**{**session, "topic": "the rain"})) == "Was the rain enough?"


@pytest.mark.parametrize(
    ("before", "question", "expected"),
    [
        ("What causes pancreatic cancer?", "Is it hereditary?", "Is pancreatic cancer hereditary?"),
        ("What's PSMA?", "When is it useful?", "When is PSMA useful?"),
        ("How fast is orjson compared to json?", "Does it give me a string?", "Does orjson give me a string?"),
        ("How do I load a .env file in Python?", "Where is it?", "Where is .env file?"),
        ("What happens if that function fails?", "Is it logged?", "Is it logged?"),
        ("By how much did it increase?", "Was it enough?", "Was it enough?"),
    ],
)
async def test_an_english_pronoun_gets_the_thing_asked_of(before: str, question: str, expected: str) -> None:
    """LOP-09: the noun phrase of the question before, never its verbs; where it has none nothing is put in."""
    assert await resolved(question, asked((before, "-"))) == expected
