"""The offline resolver: what refers back is replaced, what stands by itself is left alone."""

from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nodes.roles import Resolution, ResolveRequest
from state.session import Session, SessionEntity, SessionTurn
from tools.records import Horizon, Name
from tools.story.linking import NameTable
from wenmai.minds.offline.resolver import resolved
from wenmai.minds.offline.small_talk import is_small_talk

PEOPLE = [
    "刘备", "关羽", "张飞", "曹操", "孙权", "诸葛亮", "吕布", "董卓", "华雄", "马谡",
    "黄忠", "夏侯渊", "范疆", "张达", "王允", "许攸", "袁绍", "基尼奇", "阿尤",
]  # fmt: skip
NAMES = [
    *(Name(text=name, entity=name, kind="Character", mentions=9) for name in PEOPLE),
    Name(text="云长", entity="关羽", kind="Character", mentions=9),
    Name(text="孙夫人", entity="孙夫人", kind="Character", mentions=9),
    Name(text="荆州", entity="荆州", kind="Location", mentions=9),
    Name(text="江油城", entity="江油城", kind="Location", mentions=2),
]
TABLE = NameTable.build(NAMES)
EMPTY = Session(entities=[], topic=None, turns=[])


def ask(question: str, session: Session = EMPTY, *, language: str = "zh", table: NameTable = TABLE) -> Resolution:
    request = ResolveRequest(
        question=question, session=session, library="x", horizon=None, language="en" if language == "en" else "zh"
    )
    return resolved(request, table)


def after(*exchanges: tuple[str, str]) -> Session:
    """Replay questions and answers as a session."""
    session = EMPTY
    for question, answer in exchanges:
        resolution = ask(question, session)
        turn = SessionTurn(question=question, resolved=resolution.question, answer=answer, entities=resolution.entities)
        session = Session(entities=[], topic=resolution.topic, turns=[*session["turns"], turn][-5:])
    return session


def stack(*names: str, topic: str | None = None) -> Session:
    entities = [SessionEntity(name=name, kind=None, gloss=None) for name in reversed(names)]
    return Session(entities=entities, topic=topic, turns=[])


def follow_up(question: str, *exchanges: tuple[str, str]) -> str:
    return ask(question, after(*exchanges)).question


def test_it_from_a_given_session_context() -> None:
    """S000-39 S000-24: the newest fitting entity of a session context."""
    resolution = ask("它在任务中做了什么？", stack("基尼奇", "阿尤", topic="龙伙伴"))
    assert resolution.question == "阿尤在任务中做了什么？"
    assert resolution.mentions == [{"mention": "它", "entity": "阿尤"}]
    assert resolution.entities == ["阿尤"]


CASES: Sequence[tuple[str, str, tuple[str, str]]] = [
    ("他后来怎么样了？", "关羽后来怎么样了？", ("谁杀了华雄？", "关羽杀了华雄。")),
    ("他字什么？", "刘备字什么？", ("刘备是哪里人？", "刘备是涿郡人，在荆州见过曹操。")),
    ("字什么？", "刘备的字什么？", ("刘备是哪里人？", "刘备是涿郡人。")),
    ("后来怎么死的？", "张飞后来怎么死的？", ("张飞和谁结义？", "张飞与刘备结义。")),
    ("她后来去了哪里？", "孙夫人后来去了哪里？", ("刘备的妻子是谁？", "刘备的妻子是孙夫人。")),
    ("其子是谁？", "关羽的子是谁？", ("关羽是怎么死的？", "关羽被孙权所害。")),
    ("他俩是什么关系？", "刘备和关羽是什么关系？", ("刘备和关羽在哪里相遇？", "在涿郡。")),
    ("他们为什么要杀他？", "范疆和张达为什么要杀张飞？", ("张飞是被谁杀害的？", "张飞被范疆、张达所杀。")),
    ("那位司徒最后怎么死的？", "王允最后怎么死的？", ("谁献的连环计？", "司徒王允献计，让吕布杀了董卓。")),
    ("守那里的将领是谁？", "守江油城的将领是谁？", ("刘备先取了哪座城？", "刘备先取了江油城。")),
    ("那把刀重多少？", "青龙刀重多少？", ("关羽的青龙刀是谁打的？", "铁匠打的。")),
    ("他后来怎么样了？", "关羽后来怎么样了？", ("关羽是谁？", "关羽是刘备的义弟。")),
    ("为什么要杀他？", "曹操为什么要杀华雄？", ("华雄是怎么死的？", "华雄被曹操所杀。")),
]


@pytest.mark.parametrize(("question", "expected", "before"), CASES)
def test_what_refers_back_is_named(question: str, expected: str, before: tuple[str, str]) -> None:
    """LOP-09: pronouns, demonstratives and dropped subjects take the fitting name of the session."""
    assert follow_up(question, before) == expected


ALONE = [
    "曹操为什么要杀吕布？",
    "刘备三顾茅庐时他见到了谁？",
    "关羽死后，他的首级被孙权送给了谁？",
    "其他人还有谁反对曹操？",
    "吉他这种乐器在书里出现过吗？",
    "空城计是怎么回事？",
    "五虎大将有哪些人？",
    "谁发明了木牛流马？",
    "杀华雄的人是谁？",
    "在赤壁之战中谁放的火？",
    "那么曹操最后怎么样了？",
    "曹操手下有哪两个人最能打？",
    "第三回讲了什么？",
    "关羽骑的赤兔马是谁送给他的？",
    "Who killed 华雄?",
]


@pytest.mark.parametrize("question", ALONE)
def test_what_stands_by_itself_stays_character_for_character(question: str) -> None:
    """LOP-09 S000-22: bound pronouns, false friends and noun phrases of their own are left alone."""
    session = after(("袁绍是怎么败的？", "袁绍听不进许攸的话，败给了曹操。"))
    resolution = ask(question, session)
    assert resolution.question == question
    assert resolution.mentions == []


def test_an_object_pronoun_is_not_the_subject_of_its_verb() -> None:
    """LOP-09: 曹操为什么要杀他 never means 曹操."""
    assert follow_up("曹操为什么要杀他？", ("吕布最后怎么了？", "吕布被曹操擒住。")) == "曹操为什么要杀吕布？"


def test_two_equal_pronouns_of_one_clause_are_two_people() -> None:
    """LOP-09: subject and object differ, possessor and object are the same."""
    before = ("许攸原来是谁的谋士？", "许攸原来是袁绍的谋士。")
    assert follow_up("他为什么背叛他？", before) == "许攸为什么背叛袁绍？"
    assert follow_up("他的副将是怎么劝他的？", before) == "许攸的副将是怎么劝许攸的？"


def test_the_topic_goes_on_over_turns_past_a_nearer_name() -> None:
    """S000-42: a name that only answers does not take the pronoun from whom the talk is about."""
    turns = (("马谡是哪里人？", "马谡是襄阳人。"), ("他还打过谁？", "马谡还打过曹操。"))
    assert follow_up("最后怎么死的？", *turns) == "马谡最后怎么死的？"


def test_a_dropped_subject_is_noted_with_an_empty_mention() -> None:
    """S000-22: the record says which word became which entity."""
    resolution = ask("后来怎么死的？", after(("关羽是谁？", "关羽是刘备的义弟。")))
    assert resolution.mentions == [{"mention": "", "entity": "关羽"}]
    assert resolution.entities == ["关羽"]
    assert resolution.topic == "关羽"


@pytest.mark.parametrize("text", ["你好", "谢谢你！", "再见啦", "Hello!", "Thank you very much.", "thanks, bye"])
def test_small_talk(text: str) -> None:
    """LOP-07: a greeting, thanks or farewell is left alone."""
    assert is_small_talk(text)


@pytest.mark.parametrize(
    "text", ["你好，关羽是谁？", "谢谢是谁说的？", "Hello, who is he?", "好汉是谁？", "早期的曹操如何？"]
)
def test_a_question_with_a_greeting_is_a_question(text: str) -> None:
    """LOP-07: only a whole question of small talk counts."""
    assert not is_small_talk(text)


def test_names_outside_the_horizon_are_not_used() -> None:
    """STO-19: the table that the linker gives holds visible names only, and nothing else is put in."""
    visible = NameTable.build(name for name in NAMES if name.entity != "关羽")
    session = Session(
        entities=[],
        topic=None,
        turns=[
            SessionTurn(question="刘备认识谁？", resolved="刘备认识谁？", answer="刘备认识关羽。", entities=["刘备"])
        ],
    )
    request = ResolveRequest(
        question="他后来怎么样了？", session=session, library="x", horizon=Horizon(1, 3), language="zh"
    )
    assert "关羽" not in resolved(request, visible).question


def test_english_pronouns() -> None:
    """LOP-09: he, his and it in English; a bound pronoun stays."""
    table = NameTable.build(
        [Name(text="Ada", entity="Ada", kind="Character"), Name(text="Bob", entity="Bob", kind="Character")]
    )
    turn = SessionTurn(question="Who is Ada?", resolved="Who is Ada?", answer="Ada is a sailor.", entities=["Ada"])
    session = Session(entities=[], topic="Ada", turns=[turn])
    assert ask("Where was she born?", session, language="en", table=table).question == "Where was Ada born?"
    assert ask("What is her job?", session, language="en", table=table).question == "What is Ada's job?"
    bound = "When Bob left, where did he go?"
    assert ask(bound, session, language="en", table=table).question == bound


@given(st.text(max_size=60))
@settings(max_examples=200, deadline=None)
def test_without_a_session_nothing_changes(question: str) -> None:
    """LOP-09: no context at all leaves every question as it is."""
    assert ask(question).question == question


@given(st.text(alphabet="他她它其这那谁的死后时，？是杀关羽曹操为什么孙夫人刀城", max_size=30))
@settings(max_examples=200, deadline=None)
def test_any_question_gets_an_answer(question: str) -> None:
    """LOP-09: no question breaks the resolver, and what it changed it reports."""
    resolution = ask(question, after(("关羽的青龙刀是谁打的？", "是曹操送的。")))
    assert bool(resolution.mentions) == (resolution.question != question)
