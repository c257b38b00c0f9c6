"""The role of the resolver: what is replaced and by what, what is completed, and what is asked as it is."""

import threading
from collections.abc import Sequence
from typing import cast

import pytest

from nodes.roles import Resolution, ResolveRequest
from nodes.turn import language_of
from state.context import Context
from state.session import Session, SessionEntity, SessionTurn
from tests.shipped import shipped_reader
from tests.unit.minds.rooms import mind_of
from tests.unit.minds.scripted import NOT, ScriptedReader, talk
from tests.unit.tools.world import LIBRARY, World
from tools.records import Entity
from wenmai.reader.inputs import Turn
from wenmai.reader.reader import Need, Reader

DIED = talk(("张三是怎么死的？", "张三在渡口被赵铁山一刀砍死。[1]"))
NAMES = ("张三", "赵铁山", "王五")
STABBED = talk(("How did Rupert wound Rassendyll?", "With a dagger."))
ENGLISH = ("Rupert", "Rassendyll")
HE = ScriptedReader(mentions=["他"], antecedents_of={"他": [("张三", 0.9)]})


async def resolution(
    question: str, session: Session = DIED, reader: ScriptedReader | Reader | None = HE, names: Sequence[str] = NAMES
) -> Resolution:
    """Resolve over a library that knows people, and a place; over documents where it knows nobody."""
    places = [Entity(name="渡口", kind="Location", first=(1, 1), mentions=9)]
    known = [Entity(name=name, kind="Character", first=(1, 1), mentions=9) for name in names]
    world = World(rows=[], entities=[*known, *places] if names else [], relations=[], events=[])
    request = ResolveRequest(
        question=question,
        session=session,
        library=LIBRARY if names else "",
        horizon=None,
        language=language_of(question, Context()),
    )
    return await (await mind_of(reader, world)).resolver.resolve(request)


async def resolved(
    question: str, session: Session = DIED, reader: ScriptedReader | Reader | None = HE, names: Sequence[str] = NAMES
) -> str:
    """Return the resolved question."""
    return (await resolution(question, session, reader, names)).question


def stack(*entities: tuple[str, str | None]) -> Session:
    """Return a session of one turn with these entities."""
    session = talk(("张三是怎么死的？", "被赵铁山砍死。"))
    session["entities"] = [SessionEntity(name=name, kind=kind, gloss=None) for name, kind in entities]
    return session


async def test_what_was_put_in_is_told() -> None:
    found = await resolution("他多大了？")
    assert found.question == "张三多大了？"
    assert found.mentions == [{"mention": "他", "entity": "张三"}]
    assert (found.entities, found.topic) == (["张三"], "张三")
    assert not found.small_talk


WITHOUT_SEARCH = [
    "谢谢",
    "你能做什么？",
    "你会回答哪些问题",
    "我可以问你什么？",
    "怎么用？",
    "What can you do?",
    "What can I ask?",
    "再说一遍",
    "请再说一遍",
    "换个说法",
    "能不能换一种方式说？",
    "Again, please.",
    "Could you rephrase that?",
    "我一共问了几个问题？",
    "我刚才问了什么？",
    "我上一个问题是什么？",
    "What did I ask?",
    "List my questions",
]


@pytest.mark.parametrize("question", WITHOUT_SEARCH)
async def test_no_search_and_no_change(question: str) -> None:
    found = await resolution(question)
    assert (found.small_talk, found.question, found.entities) == (True, question, [])


async def test_a_very_long_question_is_not_read() -> None:
    reader, question = ScriptedReader(), "他" * 501
    assert await resolved(question, reader=reader) == question
    assert not reader.asked


async def test_the_reader_does_not_hold_up_the_loop() -> None:
    threads: list[int] = []

    class Watched(ScriptedReader):
        def need(self, question: str, talk: Sequence[Turn]) -> Need:
            threads.append(threading.get_ident())
            return super().need(question, talk)

    await resolved("他多大了？", reader=Watched(mentions=["他"]))
    assert threads
    assert threads[0] != threading.get_ident()


async def test_turns_of_an_earlier_version_are_read() -> None:
    turn = {"question": "张三是谁？", "resolved": "张三是谁？", "answer": "渡口的船夫。", "entities": ["张三"]}
    kept = cast("SessionTurn", turn | {"focus": ["张三"], "chances": [0.9], "as_of": None})
    assert await resolved("他多大了？", Session(entities=[], topic=None, turns=[kept])) == "张三多大了？"


BEFORE = talk(("灯塔在哪里？", "在北岸的礁石上。[1]"), ("船长叫什么？", "船长叫林海生。[2]"))
BEFORE_ENGLISH = talk(("Who is the narrator?", "A retired pilot.[1]"), ("Summarise the refund policy.", "30 days.[2]"))
SELF_CONTAINED = [
    ("磨坊有几层？", BEFORE),
    ("谁修的桥？", BEFORE),
    ("墙上写着什么字？", BEFORE),
    ("哪根手指断了？", BEFORE),
    ("结局怎么样？", BEFORE),
    ("“他在哪里？”是谁问的？", BEFORE),
    ("Which finger was lost?", BEFORE_ENGLISH),
    ("Where did the money come from?", BEFORE_ENGLISH),
    ("Who paid the doctor?", BEFORE_ENGLISH),
    ("What colour is the door?", BEFORE_ENGLISH),
    ("How can customers pay?", BEFORE_ENGLISH),
    ("Which rooms are open this week?", BEFORE_ENGLISH),
]


@pytest.mark.parametrize("names", [("林海生", "Ada Moss"), ()], ids=["story", "documents"])
@pytest.mark.parametrize(("question", "session"), SELF_CONTAINED)
async def test_a_question_that_stands_by_itself_is_asked_as_it_is(
    question: str, session: Session, names: Sequence[str]
) -> None:
    """S000-D10: in a running session too, with the reader that the package ships."""
    assert await resolved(question, session, shipped_reader(), names) == question


@pytest.mark.parametrize("question", ["怎么付款？", "几点出发？", "要多久才能送到？", "支持分期吗？"])
async def test_of_a_document_one_asks_without_a_subject(question: str) -> None:
    session = talk(("总结一下退货政策。", "三十天内可以退货。"))
    assert await resolved(question, session, shipped_reader(), ()) == question


@pytest.mark.parametrize("question", ["为什么？", "后来呢？", "花了多少钱？", "那王五呢？", "Why?", "And then?"])
@pytest.mark.parametrize("last", ["是谁赎回项链的？", "Who bought the necklace?"])
async def test_no_other_question_is_put_beside_it(question: str, last: str) -> None:
    """S000-D10: a completed one is still one question."""
    found = await resolved(question, talk((last, "-")), shipped_reader())
    assert found.count("？") + found.count("?") == 1
    assert last.rstrip("？?") not in found


async def test_a_pronoun_gives_way_to_the_likeliest_person() -> None:
    reader = ScriptedReader(mentions=["他"], antecedents_of={"他": [("渡口", 0.9), ("张三", 0.7), ("赵铁山", 0.6)]})
    assert await resolved("他多大了？", reader=reader) == "张三多大了？"


async def test_a_mention_is_no_wider_than_its_pronoun() -> None:
    reader = ScriptedReader(mentions=["他的刀"], antecedents_of={"他": [("张三", 0.9)]})
    assert await resolved("他的刀在哪？", reader=reader) == "张三的刀在哪？"


async def test_a_piece_of_a_name_is_the_name() -> None:
    reader = ScriptedReader(mentions=["他"], antecedents_of={"他": [("铁山", 0.9)]})
    assert await resolved("他多大了？", reader=reader) == "赵铁山多大了？"


async def test_a_plural_means_all_who_are_nearly_as_likely() -> None:
    reader = ScriptedReader(mentions=["他们"], antecedents_of={"他们": [("张三", 0.9), ("赵铁山", 0.6), ("王五", 0.2)]})
    assert await resolved("他们认识吗？", reader=reader) == "张三和赵铁山认识吗？"


async def test_they_are_at_least_two() -> None:
    session = talk(("张三的父亲是谁？", "王五。"))
    reader = ScriptedReader(mentions=["他们"], antecedents_of={"他们": [("王五", 0.9)]})
    assert await resolved("他们卖什么？", session, reader) == "张三和王五卖什么？"


async def test_no_name_is_put_beside_a_noun_that_is_pointed_at() -> None:
    """S000-D10: a person, or a thing that the library knows, takes its place; of others there are candidates."""
    reader = ScriptedReader(mentions=["那把刀"], antecedents_of={"那把刀": [("赵铁山", 0.9), ("断水", 0.8)]})
    found = await resolution("那把刀后来在哪？", reader=reader)
    assert (found.question, found.refers) == ("那把刀后来在哪？", True)
    assert list(found.candidates) == [{"entity": "断水", "question": "断水后来在哪？"}]
    reader = ScriptedReader(mentions=["那个徒弟"], antecedents_of={"那个徒弟": [("赵铁山", 0.9)]})
    assert await resolved("那个徒弟后来在哪？", reader=reader) == "赵铁山后来在哪？"
    reader = ScriptedReader(mentions=["那个码头"], antecedents_of={"那个码头": [("渡口", 0.9)]})
    assert await resolved("那个码头有谁？", reader=reader) == "渡口有谁？"


async def test_what_is_not_sure_is_asked_as_it_stands_with_the_candidates() -> None:
    """S000-D10: each with the question that has its name; a likely one leaves the other to be chosen."""
    session = talk(("赵铁山认识王五吗？", "认识。"))

    def likely(rows: list[tuple[str, float]]) -> ScriptedReader:
        return ScriptedReader(mentions=["他"], antecedents_of={"他": rows})

    found = await resolution("他多大了？", session, likely([("赵铁山", 0.8), ("王五", 0.75), ("渡口", 0.7)]))
    both = [{"entity": "赵铁山", "question": "赵铁山多大了？"}, {"entity": "王五", "question": "王五多大了？"}]
    assert (found.question, found.mentions, found.refers) == ("他多大了？", [], True)
    assert list(found.candidates) == both
    found = await resolution("他多大了？", session, likely([("赵铁山", 0.8), ("王五", 0.6)]))
    assert (found.question, list(found.candidates)) == ("赵铁山多大了？", both[1:])
    found = await resolution(
        "他多大了？", talk(("王五认识谁？", "赵铁山。")), likely([("赵铁山", 0.8), ("王五", 0.75)])
    )
    assert (found.question, list(found.candidates)) == ("王五多大了？", both[:1])
    assert not (await resolution("他多大了？")).candidates


@pytest.mark.parametrize("words", ["the office", "哪把刀"])
async def test_a_noun_that_nothing_points_at_refers_to_nothing(words: str) -> None:
    """A reader may take it for what was spoken of."""
    reader = ScriptedReader(mentions=[words], antecedents_of={words: [("张三", 0.9)]})
    assert await resolved(f"{words} 1?", reader=reader) == f"{words} 1?"


async def test_a_file_that_begins_with_a_dot_keeps_it() -> None:
    reader = ScriptedReader(mentions=["it"], antecedents_of={"it": [(".env file.", 0.9)]})
    session = talk(("How do I load a .env file?", "-"))
    assert await resolved("Where is it?", session, reader, ()) == "Where is .env file?"


async def test_a_time_is_not_replaced() -> None:
    reader = ScriptedReader(mentions=["那年", "他"], antecedents_of={"那年": [("张三", 0.9)], "他": [("张三", 0.9)]})
    assert await resolved("那年他几岁？", reader=reader) == "那年张三几岁？"


async def test_who_is_named_in_the_question_is_not_its_pronoun() -> None:
    reader = ScriptedReader(mentions=["他"], antecedents_of={"他": [("赵铁山", 0.9), ("张三", 0.5)]})
    assert await resolved("赵铁山给他留下什么？", reader=reader) == "赵铁山给张三留下什么？"


async def test_him_is_another_than_he() -> None:
    both = [("Rupert", 0.9), ("Rassendyll", 0.7)]
    reader = ScriptedReader(mentions=["he", "him"], antecedents_of={"he": both, "him": both})
    assert await resolved("Where did he hit him?", STABBED, reader, ENGLISH) == "Where did Rupert hit Rassendyll?"


async def test_a_possessive_may_mean_who_is_named() -> None:
    reader = ScriptedReader(mentions=["his"], antecedents_of={"his": [("Rupert", 0.8)]})
    found = await resolved("Did Rupert lose his dagger?", STABBED, reader, ENGLISH)
    assert found == "Did Rupert lose Rupert's dagger?"


async def test_a_place_is_no_person() -> None:
    reader = ScriptedReader(mentions=["那里"], antecedents_of={"那里": [("张三", 0.9), ("渡口", 0.5)]})
    assert await resolved("那里还有谁？", reader=reader) == "渡口还有谁？"
    reader = ScriptedReader(mentions=["那里"], antecedents_of={"那里": [("张三", 0.9)]})
    assert await resolved("那里还有谁？", reader=reader) == "那里还有谁？"


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Who saved her?", "Who saved Clara?"),
        ("What did he bring her afterwards?", "What did he bring Clara afterwards?"),
        ("Who gave her the lamp?", "Who gave Clara the lamp?"),
        ("Who bought her picture?", "Who bought Clara's picture?"),
        ("Is the house hers?", "Is the house Clara's?"),
    ],
)
async def test_her_is_whose_or_whom(question: str, expected: str) -> None:
    word = "hers" if "hers" in question else "her"
    reader = ScriptedReader(mentions=[word], antecedents_of={word: [("Clara's", 0.9)]})
    assert (
        await resolved(question, talk(("Who fell into the water?", "Clara.")), reader, ("Clara", "Peter")) == expected
    )


async def test_nobody_of_the_other_gender_is_meant() -> None:
    reader = ScriptedReader(mentions=["he"], antecedents_of={"he": [("Clara Rudd", 0.9), ("Thomas Rudd", 0.6)]})
    session = talk(("Who was the father of Clara Rudd?", "Thomas Rudd."))
    assert (
        await resolved("How did he die?", session, reader, ("Clara Rudd", "Thomas Rudd")) == "How did Thomas Rudd die?"
    )


async def test_who_was_asked_about_last_is_likelier_than_who_was_before() -> None:
    session = talk(("王五在哪里？", "在渡口。"), ("张三弹了什么曲子？", "一支小曲。"))
    reader = ScriptedReader(mentions=["他"], antecedents_of={"他": [("王五", 0.84), ("张三", 0.8)]})
    assert await resolved("是谁教他的？", session, reader) == "是谁教张三的？"


async def test_who_was_asked_about_is_likelier_than_who_the_answer_names_besides() -> None:
    """Unless the question asked for a person."""
    reader = ScriptedReader(mentions=["他"], antecedents_of={"他": [("赵铁山", 0.8), ("张三", 0.7)]})
    answer = "被赵铁山砍死。"
    assert await resolved("他多大了？", talk(("张三是怎么死的？", answer)), reader) == "张三多大了？"
    assert await resolved("他多大了？", talk(("谁砍死了张三？", answer)), reader) == "赵铁山多大了？"


async def test_a_pronoun_of_the_gender_of_the_relative_who_was_asked_about_means_that_one() -> None:
    session = talk(("Where does Rupert's sister live?", "-"))
    for word, expected in (("she", "How old is Rupert's sister?"), ("he", "How old is Rupert?")):
        reader = ScriptedReader(mentions=[word], antecedents_of={word: [("Rupert", 0.9)]})
        assert await resolved(f"How old is {word}?", session, reader, ENGLISH) == expected


async def test_he_and_she_of_one_question_are_two() -> None:
    reader = ScriptedReader(
        mentions=["他", "她"], antecedents_of={"他": [("张三", 0.9)], "她": [("张三", 0.9), ("王五", 0.3)]}
    )
    assert await resolved("他答应过给她什么？", reader=reader) == "张三答应过给王五什么？"


async def test_who_was_called_she_is_not_he() -> None:
    session = talk(("张三的孩子叫什么？", "王五。"), ("她多大了？", "六岁。"))
    session["turns"][1]["resolved"] = "王五多大了？"
    reader = ScriptedReader(mentions=["他", "她"], antecedents_of={word: [("王五", 0.9)] for word in "他她"})
    assert await resolved("她住在哪里？", session, reader) == "王五住在哪里？"
    assert await resolved("他住在哪里？", session, reader) == "张三住在哪里？"


async def test_a_thing_comes_with_what_it_is_of() -> None:
    reader = ScriptedReader(mentions=["它"], antecedents_of={"它": [("石阶", 0.9)]})
    assert await resolved("它是谁修的？", talk(("渡口的石阶有几级？", "-")), reader) == "渡口的石阶是谁修的？"
    assert await resolved("它是谁修的？", talk(("渡口有石阶吗？", "-")), reader) == "石阶是谁修的？"


async def test_a_topic_is_what_the_pronouns_behind_it_mean() -> None:
    reader = ScriptedReader(mentions=["she"], antecedents_of={"she": [("Rupert", 0.9)]})
    for question in ("And the daughter, how old was she?", "Back to Rassendyll: did she leave?"):
        assert await resolved(question, STABBED, reader, ENGLISH) == question


async def test_a_title_keeps_its_article() -> None:
    reader = ScriptedReader(mentions=["him"], antecedents_of={"him": [("King", 0.9)]})
    assert (
        await resolved("Who guards him?", talk(("Where is the King?", "-")), reader, ("King",))
        == "Who guards the King?"
    )


@pytest.mark.parametrize("words", ["这人", "\u9019人", "that man"])
async def test_words_that_point_are_no_name(words: str) -> None:
    reader = ScriptedReader(
        mentions=["他"], antecedents_of={"他": [(words, 0.9), ("林小满", 0.8)]}, people=[words, "林小满"]
    )
    assert await resolved("他多大了？", talk((f"{words} 见林小满吗？", "-")), reader) == "林小满多大了？"


@pytest.mark.parametrize(("question", "said"), [("王大锤后来怎么样了？", "王大锤"), ("Who is Mr. Darcy?", "Mr. Darcy")])
async def test_who_is_unknown_stays(question: str, said: str) -> None:
    """A reader may take the name for one that refers."""
    reader = ScriptedReader(mentions=[said], antecedents_of={said: [("张三", 0.9)]}, people=[said])
    assert await resolved(question, reader=reader) == question


async def test_a_reader_that_sees_no_reference_leaves_the_question() -> None:
    reader = ScriptedReader(mentions=["他"], antecedents_of={"他": [("张三", 0.9)]}, reference=NOT)
    assert await resolved("他山之石是什么？", reader=reader) == "他山之石是什么？"


async def test_the_reader_sees_the_words_that_answered() -> None:
    """Not the other people of a quotation, and no marks."""
    told = "那天夜里，王五和赵铁山喝了三坛酒，天亮前张三便在渡口被人一刀砍死了，连刀也没有找到，只留下一只鞋。[1]"
    reader = ScriptedReader({"被人一刀砍死": 2.0})
    await resolved("他多大了？", talk(("张三是怎么死的？", told), ("谁埋的？", "赵铁山。[2]")), reader)
    assert [turn.answer for turn in reader.asked[0]] == ["被人一刀砍死", "赵铁山。"]


async def test_a_session_of_names_alone_is_a_talk() -> None:
    session = talk()
    session["entities"] = [{"name": "张三", "kind": "Character", "gloss": None}]
    assert await resolved("他多大了？", session) == "张三多大了？"


async def test_nothing_was_said_before() -> None:
    assert await resolved("他多大了？", talk()) == "他多大了？"


async def test_what_is_left_out_is_what_the_last_question_was_about() -> None:
    """In a story, where a question has no noun of its own; what only the answer names is put in as it is."""
    session = talk(("赵铁山的渡船卖给了谁？", "王五。"))
    reader = ScriptedReader(antecedents_of={"": [("赵铁山", 0.9)]})
    assert await resolved("花了多少钱？", session, reader) == "赵铁山的渡船花了多少钱？"
    reader = ScriptedReader(antecedents_of={"": [("王五", 0.9)]})
    assert await resolved("花了多少钱？", session, reader) == "王五花了多少钱？"
    assert await resolved("官司花了多少钱？", session, reader) == "官司花了多少钱？"


async def test_who_is_left_out_is_put_in_beside_a_place() -> None:
    session = talk(("赵铁山在渡口吗？", "在。"))
    reader = ScriptedReader(mentions=["那里"], antecedents_of={"那里": [("渡口", 0.9)], "": [("赵铁山", 0.9)]})
    assert await resolved("在那里做什么？", session, reader) == "赵铁山在渡口做什么？"


@pytest.mark.parametrize(
    ("last", "topic"), [("年假要怎么申请？", "年假"), ("试用期是多久？", "试用期"), ("下一期读哪本书？", "下一期")]
)
@pytest.mark.parametrize("question", ["由谁审批？", "从几月开始？", "到什么时候结束？"])
async def test_of_a_document_the_doer_and_the_time_are_asked_of_what_was_spoken_of(
    last: str, topic: str, question: str
) -> None:
    reader = ScriptedReader(antecedents_of={"": [(topic, 0.9)]})
    assert await resolved(question, talk((last, "-")), reader, ()) == topic + question


async def test_what_is_left_out_behind_who_is_what_was_done_and_who_did_it() -> None:
    session = talk(("后来是谁把项链赎回来的？", "赵铁山。"))
    reader = ScriptedReader(antecedents_of={"": [("赵铁山", 0.9)]})
    assert await resolved("花了多少钱？", session, reader) == "赵铁山把项链赎回来花了多少钱？"


@pytest.mark.parametrize(
    ("words", "sure", "expected"), [("儿子", 0.9, "张三的儿子"), ("新娘", 0.9, "新娘"), ("儿子", 0.7, "儿子")]
)
async def test_a_relative_who_surely_refers_is_that_of_who_was_spoken_of(
    words: str, sure: float, expected: str
) -> None:
    """In a story; elsewhere a relative is anybody's."""
    reader = ScriptedReader(mentions=[words], antecedents_of={words: [("张三", 0.9)]}, sure=sure)
    assert await resolved(f"{words}后来怎么样了？", reader=reader) == f"{expected}后来怎么样了？"
    assert await resolved(f"{words}后来怎么样了？", reader=reader, names=()) == f"{words}后来怎么样了？"


async def test_a_gap_that_nothing_fills_still_needs_the_talk() -> None:
    """S000-D10: so that a model is asked; not for a question in which nothing is left out."""
    found = await resolution("花了多少钱？", DIED, ScriptedReader())
    assert (found.question, found.refers) == ("花了多少钱？", True)
    whole = await resolution("王五花了多少钱？", DIED, ScriptedReader(reference=NOT, gap=NOT))
    assert (whole.question, whole.refers) == ("王五花了多少钱？", False)


SLUICED = [
    ("张三是怎么死的？", "为什么？", "张三是为什么死的？"),
    ("张三是怎么死的？", "什么时候？", "张三是什么时候死的？"),
    ("张三去了吗？", "为什么？", "为什么张三去了？"),
    ("谁丢了戒指？", "在哪里？", "在哪里丢了戒指？"),
    ("Where does Rupert live?", "Since when?", "Since when does Rupert live?"),
    ("In which year did Rupert fall?", "After how long?", "After how long did Rupert fall?"),
    ("Did Rupert leave?", "Why not?", "Why did not Rupert leave?"),
    ("Who lit the lamp?", "When?", "When was it that someone lit the lamp?"),
    ("Which arm was broken?", "Why?", "Why was the arm broken?"),
    ("Who can't swim?", "Who else?", "Who else can't swim?"),
]
OF_ANOTHER = [
    ("张三是怎么死的？", "那王五呢？", "王五是怎么死的？"),
    ("张三是怎么死的？", "那张三的妹妹呢？", "张三的妹妹是怎么死的？"),
    ("张三的哥哥叫什么？", "那张三的妹妹呢？", "张三的妹妹叫什么？"),
    ("张三多大了？", "那掌柜呢？", "掌柜多大了？"),
    ("年假有几天？", "病假呢？", "病假有几天？"),
    ("上海仓库有多大？", "北京仓库呢？", "北京仓库有多大？"),
    ("每月水费是多少？", "伙食费呢？", "每月伙食费是多少？"),
    ("2023年的营收是多少？", "2024年呢？", "2024年的营收是多少？"),
    ("苹果的单价是多少？", "香蕉呢？", "香蕉的单价是多少？"),
    ("图书馆几点开门？", "周末呢？", "周末图书馆几点开门？"),
    ("三月的时候，泳池哪天关？", "那现在呢？", "现在泳池哪天关？"),
    ("Who is Rupert?", "What about Rassendyll?", "Who is Rassendyll?"),
    ("Where does Rupert live?", "And Rupert's sister?", "Where does Rupert's sister live?"),
    ("How old is Rupert?", "And the captain?", "How old is the captain?"),
    ("Who guards Rupert by night?", "And by day?", "Who guards Rupert by day?"),
    ("Who guards Rupert?", "And by day?", "Who guards Rupert by day?"),
    ("What does a ticket for the Comet cost?", "And for the Arrow?", "What does a ticket for the Arrow cost?"),
    ("How much did Rugs take?", "And Lamps?", "How much did Lamps take?"),
    ("Where was the first meeting held?", "And the second one?", "Where was the second meeting held?"),
    ("How many days of annual leave do I get?", "What about sick leave?", "How many days of sick leave do I get?"),
]


@pytest.mark.parametrize(("last", "question", "expected"), [*SLUICED, *OF_ANOTHER])
async def test_a_fragment_becomes_one_whole_question(last: str, question: str, expected: str) -> None:
    """S000-D10: what it names or asks takes its place in the last one."""
    assert await resolved(question, talk((last, "-")), ScriptedReader(), (*NAMES, *ENGLISH)) == expected


async def test_a_relative_of_who_is_meant() -> None:
    reader = ScriptedReader(mentions=["他", "his"], antecedents_of={"他": [("张三", 0.9)], "his": [("Rupert", 0.9)]})
    assert await resolved("那他的外甥女呢？", reader=reader) == "张三的外甥女是怎么死的？"
    session = talk(("Where does Rupert live?", "-"))
    assert await resolved("And his sister?", session, reader, ENGLISH) == "Where does Rupert's sister live?"


async def test_someone_whom_only_the_reader_knows() -> None:
    assert await resolved("那李四呢？", reader=ScriptedReader(people=["李四"])) == "李四是怎么死的？"


@pytest.mark.parametrize(
    ("question", "last"),
    [
        ("年假呢？", "年假和病假各有几天？"),
        ("假呢？", "年假有几天？"),
        ("报销呢？", "年假有几天？"),
        ("体重呢？", "重量是多少？"),
        ("事假呢？", "年假和病假各有几天？"),
        ("What about leave?", "How many days of annual leave do I get?"),
        ("那王五何时来呢？", "张三何时来？"),
        ("And where is the dog?", "Where is the cat?"),
        ("为什么？", "介绍一下年假。"),
    ],
)
async def test_what_has_no_place_in_the_last_question_is_asked_as_it_is(question: str, last: str) -> None:
    assert await resolved(question, talk((last, "-")), ScriptedReader(), ()) == question


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("他多大了？", "张三多大了？"),
        ("为什么？", "张三是为什么死的？"),
        ("赵铁山认识他吗？", "赵铁山认识他吗？"),
        ("他们认识吗？", "他们认识吗？"),
        ("渡口在哪里？", "渡口在哪里？"),
    ],
)
async def test_without_a_reader_only_what_is_plain(question: str, expected: str) -> None:
    assert await resolved(question, stack(("张三", "Character"), ("渡口", "Location")), None) == expected


async def test_without_a_reader_two_people_are_too_many() -> None:
    assert await resolved("他多大了？", stack(("张三", "Character"), ("赵铁山", None)), None) == "他多大了？"


CHINESE_FOLLOW_UPS = [
    ("他多大了？", "张三多大了？"),
    ("他的儿子叫什么？", "张三的儿子叫什么？"),
    ("谁是李掌柜？", "谁是李掌柜？"),
    ("王五是谁？", "王五是谁？"),
    ("这本书讲了什么？", "这本书讲了什么？"),
    ("后来呢？", "张三后来呢？"),
]
SAWYER = talk(("Who is Tom Sawyer?", "Tom Sawyer is a boy who lives with Aunt Polly.[1]"))
ENGLISH_FOLLOW_UPS = [
    ("Where does he live?", "Where does Tom Sawyer live?"),
    ("What about Huck?", "Who is Huck?"),
    ("Who is Injun Joe?", "Who is Injun Joe?"),
    ("What did Huck find in the cave?", "What did Huck find in the cave?"),
]


@pytest.mark.parametrize(("question", "expected"), [*CHINESE_FOLLOW_UPS, *ENGLISH_FOLLOW_UPS])
async def test_plain_follow_ups_with_the_shipped_reader(question: str, expected: str) -> None:
    session = SAWYER if question.isascii() else DIED
    names = (*NAMES, "Tom Sawyer", "Huck", "Becky", "Aunt Polly")
    assert await resolved(question, session, shipped_reader(), names) == expected


async def test_a_thing_of_documents_with_the_shipped_reader() -> None:
    session = talk(("How many days of annual leave do I get?", "You get ten days of annual leave."))
    found = await resolved("Can it be carried over?", session, shipped_reader(), ())
    assert found in ("Can ten days be carried over?", "Can annual leave be carried over?")
