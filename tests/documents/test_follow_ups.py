"""Follow-ups on documents, where no list of names helps: the reader finds in the last turn what is meant.

What it finds is asked of several talks at once: a reader with other weights may err in others.
"""

from collections.abc import Sequence

import pytest

from nodes.roles import ResolveRequest
from nodes.turn import language_of
from state.context import Context
from state.session import Session, SessionEntity, SessionTurn
from tests.shipped import shipped_reader
from tests.unit.tools.world import World
from tools.story.names import EntityLinker
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
MOST, ALONE = 0.6, 0.3
"""Shares that a reader must get right: of follow-ups, and of short questions that are none."""


async def test_the_name_of_the_last_turn_is_put_in() -> None:
    """LOP-09 DOC-06: what the last question or its answer names is meant, but by what asks for the files."""
    assert await resolved("它载客多少人？", asked(LEAVE, SHIP, names=("云雀号",))) == "云雀号载客多少人？"
    assert await resolved("有哪些文件？", asked(SHIP, names=("云雀号",))) == "有哪些文件？"


OF_A_PERSON = [
    ("李娜在哪个部门？", "姓名: 李娜 | 部门: 研发部", "她的工号是多少？", "李娜的工号"),
    ("那王强呢？", "姓名: 王强 | 部门: 财务部", "他什么时候入职的？", "王强什么时候入职"),
    ("苏婉是谁？", "苏婉在找失散的弟弟苏明。", "她从哪里来？", "苏婉从哪里来"),
    ("李娜的经理是谁？", "李娜的经理是赵敏。", "她的电话是多少？", "赵敏的电话"),
    ("船长是谁？", "船长是林海生，曾服役十二年。", "他当过几年兵？", "林海生当过几年兵"),
    ("林海生多大？", "林海生四十岁。", "电话是多少？", "林海生"),
    ("林海生是谁？", "林海生负责夜班调度。", "哪年入职的？", "林海生"),
    ("陈小雨呢？", "姓名: 陈小雨 | 部门: 物流", "她的电话是多少？", "陈小雨的电话"),
    ("欧阳雪梅在哪个部门？", "姓名: 欧阳雪梅", "她的电话是多少？", "欧阳雪梅的电话"),
    ("王强病了几天？", "王强病了三天。", "他什么时候回来？", "王强什么时候回来"),
]
OF_A_THING = [
    ("What causes pancreatic cancer?", "-", "Is it hereditary?", "pancreatic cancer hereditary?"),
    ("What's PSMA?", "-", "When is it useful?", "PSMA useful?"),
    ("How fast is orjson compared to json?", "-", "Does it give me a string?", "Does orjson give"),
    ("What colour is an apple?", "-", "Is it sweet?", "apple sweet?"),
    ("What is the cherry like?", "-", "Is it sweet?", "cherry sweet?"),
    ("When does the shop open?", "-", "Where is it?", "shop"),
    ("年假有几天？", "员工每年享有十五天带薪年假。", "它可以累积吗？", "年假可以累积"),
]


@pytest.mark.parametrize("talks", [OF_A_PERSON, OF_A_THING], ids=["person", "thing"])
async def test_a_pronoun_gets_what_the_last_turn_speaks_of(talks: Sequence[tuple[str, str, str, str]]) -> None:
    """LOP-09: a person by the whole name, a thing by its noun phrase."""
    found = [expected in await resolved(question, asked((last, told))) for last, told, question, expected in talks]
    assert sum(found) >= MOST * len(talks)


STANDING_ALONE = [
    (SHIP, "年假有几天？"),
    (SHIP, "出租方是谁？"),
    (LEAVE, "打印机的保修期是多久？"),
    (LEAVE, "Who wrote the safety manual?"),
    (LEAVE, "培训的地点在哪里？"),
    (("What causes pancreatic cancer?", "-"), "How many days of annual leave do we get?"),
]


async def test_a_question_with_a_subject_of_its_own_is_left_as_it_is() -> None:
    """LOP-09 DOC-06: behind a turn that speaks of something else nothing is put in."""
    kept = [await resolved(question, asked(turn)) == question for turn, question in STANDING_ALONE]
    assert sum(kept) >= ALONE * len(kept)


ANOTHER = [
    ("李娜在哪个部门？", "那陈小雨呢？", "陈小雨在哪个部门？"),
    ("员工每年有几天年假？", "病假呢？", "员工每年有几天病假？"),
    ("上海仓库有多大？", "北京仓库呢？", "北京仓库有多大？"),
    ("2023年的收入是多少？", "2024年呢？", "2024年的收入是多少？"),
    ("第一季度的销量是多少？", "第二季度呢？", "第二季度的销量是多少？"),
    ("A-100 的价格是多少？", "那 B-7 呢？", "B-7 的价格是多少？"),
    ("每月水费是多少？", "伙食费呢？", "每月伙食费是多少？"),
    ("How many days of annual leave do we get?", "And sick leave?", "How many days of sick leave do we get?"),
    ("What was the revenue in 2023?", "What about 2024?", "What was the revenue in 2024?"),
    ("住院押金是多少？", "门诊押金呢？", "门诊押金是多少？"),
    ("What is the apple pie made of?", "And the cherry pie?", "What is the cherry pie made of?"),
    ("How many days of annual leave are there?", "And sick leave?", "How many days of sick leave are there?"),
]


async def test_another_thing_of_the_kind_is_asked_the_same() -> None:
    """LOP-09: a person, a head or a shape like the last question's takes its place."""
    found = [await resolved(question, asked((before, "-"))) == expected for before, question, expected in ANOTHER]
    assert sum(found) >= MOST * len(found)


@pytest.mark.parametrize(
    ("before", "question"),
    [
        ("门诊押金是多少？" * 10_000, "住院押金呢？"),
        ("李娜的经理是谁？" * 10_000, "她的电话是多少？"),
        ("门诊押金是多少？", "押金" * 20_000 + "呢？"),
    ],
)
async def test_of_a_very_long_question_only_the_beginning_is_read(before: str, question: str) -> None:
    """LOP-09: it is not put into a follow-up as a whole, and nothing is put into it."""
    found = await resolved(question, asked((before, "-")))
    assert len(found) <= len(question) + 200
    assert found == question or len(question) <= 500


async def test_a_topic_that_was_handed_over_is_meant() -> None:
    """LOP-09: of a session without turns its topic is what was spoken of."""
    session: Session = {**asked(names=("the rain",)), "topic": "the rain"}
    assert "rain" in await resolved("Was it enough?", session)
