"""Tiny documents: what they say is answered, what they do not say is refused, by the offline mind in both modes."""

import pytest

from nodes.turn import language_of
from state.context import Context
from state.schema import Evidence
from tests.documents.desk import NOT_FOUND, Desk
from wenmai.minds.offline.document_answers import Reading, enough, holds_answer
from wenmai.minds.offline.document_guide import asks_for_list

REFUSALS = {"zh": NOT_FOUND, "en": "Sorry, no relevant information was found."}
LEAVE = "年假：员工每年享有五天年假"
PROBATION = "试用期为三个月，试用期工资为转正后的百分之八十。"
RETURNS = "退货政策：签收后七日内可无理由退货，运费由买家承担。"
COMPANY = "公司成立于一九九八年，总部位于杭州，现有员工三千余人。"
LEAVE_EN = "Employees receive five days of annual leave per year."
PROBATION_EN = "The probation period lasts three months. Salary is paid on the last Friday of each month."

ANSWERED = [
    (LEAVE, "年假有几天？", "五天"),
    (LEAVE, "年假有多少天？", "五天"),
    (PROBATION, "试用期几个月？", "三个月"),
    (PROBATION, "试用期有多长时间？", "三个月"),
    (PROBATION, "试用期工资是多少？", "百分之八十"),
    (RETURNS, "多少天内可以退货？", "七日"),
    (COMPANY, "公司是哪一年成立的？", "一九九八"),
    (COMPANY, "公司有多少员工？", "三千"),
    (LEAVE_EN, "How much annual leave is there?", "five days"),
    (PROBATION_EN, "How long is probation?", "three months"),
]
REFUSED = [
    (LEAVE, "病假有几天？"),
    (LEAVE, "老板叫什么名字？"),
    (PROBATION, "食堂几点开门？"),
    (RETURNS, "换货需要什么材料？"),
    (RETURNS, "发票怎么开？"),
    (COMPANY, "公司去年的营业额是多少？"),
    (LEAVE_EN, "How many sick days are there?"),
    (PROBATION_EN, "Where is the office?"),
]


@pytest.mark.parametrize("mode", ["rag", "agent"])
@pytest.mark.parametrize(("text", "question", "answer"), ANSWERED)
async def test_says_what_one_sentence_says(mode: str, text: str, question: str, answer: str) -> None:
    """DOC-06 S004-18: a number in numerals or in words answers how many, in a document of one chunk."""
    desk = Desk()
    await desk.put("a.txt", text)
    result = await desk.ask(question, mode=mode)
    assert answer in result["answer"] and len(result["citations"]) == 1


@pytest.mark.parametrize("mode", ["rag", "agent"])
@pytest.mark.parametrize(("text", "question"), REFUSED)
async def test_refuses_what_it_does_not_say(mode: str, text: str, question: str) -> None:
    """DOC-06 S004-D11: a tiny document too answers nothing that it does not say."""
    desk = Desk()
    await desk.put("a.txt", text)
    result = await desk.ask(question, mode=mode)
    assert result["answer"] == REFUSALS[language_of(question, Context())] and result["citations"] == []


@pytest.mark.parametrize(("text", "question", "_"), ANSWERED)
def test_no_vector_is_needed(text: str, question: str, _: str) -> None:
    """DOC-06: a chunk that was found by words alone, without a cosine, answers as well."""
    chunks = [chunk(text)]
    assert holds_answer(Reading.of(question, chunks), chunks)


@pytest.mark.parametrize("question", ["年假有几天？", "年假几天", "年假有多少天？", "年假多久？"])
def test_asking_words_weigh_nothing(question: str) -> None:
    """DOC-06: of a question for a number the words that ask are not looked for."""
    assert Reading.of(question, [chunk(LEAVE)]).said(chunk(LEAVE)) == 1.0


@pytest.mark.parametrize(
    ("said", "held", "cosine", "is_enough"),
    [
        (0.2, 0.5, 0.92, True),
        (0.2, 0.5, 0.89, False),
        (0.2, 0.6, 0.89, True),
        (0.9, 0.4, 0.88, False),
        (0.4, 0.45, None, False),
        (0.6, 0.5, None, True),
    ],
)
def test_the_nearer_the_fewer_words(said: float, held: float, cosine: float | None, is_enough: bool) -> None:
    """DOC-06: a chunk near in meaning needs fewer of the question's words; one found by words alone needs half."""
    assert enough(said, held, cosine) is is_enough


@pytest.mark.parametrize(
    "question", ["换货需要什么材料？", "报名要提交哪些材料？", "外壳是什么材料？", "入职要准备哪些文件？"]
)
def test_needed_files_are_no_list(question: str) -> None:
    """DOC-08: what files something needs is asked of a document's content."""
    assert not asks_for_list(question)


def chunk(text: str) -> Evidence:
    """Return a chunk without a cosine."""
    return Evidence(
        id="e1",
        kind="document",
        tool="keyword_search",
        call=1,
        text=text,
        score=None,
        library="",
        source="a.txt",
        part=None,
        chapter=None,
        title=None,
        event_order=None,
        entities=[],
        location=None,
        start=0,
        end=len(text),
    )
