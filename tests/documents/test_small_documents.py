"""Tiny documents: what they say is answered, what they do not say is refused, by the offline mind in both modes."""

from typing import Any

import pytest

from nodes.turn import language_of
from state.context import Context
from tests.documents.desk import NOT_FOUND, Desk

MOST = 0.8
"""Share of the questions that a reader must get right: it is trained, not told."""
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


async def asked(text: str, question: str, **fields: Any) -> dict[str, Any]:
    """Ask about a document of one chunk."""
    desk = Desk(disabled=fields.pop("disabled", ()))
    await desk.put("a.txt", text)
    return await desk.ask(question, **fields)


@pytest.mark.parametrize("mode", ["rag", "agent"])
async def test_says_what_one_sentence_says(mode: str) -> None:
    """DOC-06 S004-18: a number in numerals or in words answers how many, in a document of one chunk."""
    results = [(await asked(text, question, mode=mode), answer) for text, question, answer in ANSWERED]
    right = [answer in result["answer"] and len(result["citations"]) == 1 for result, answer in results]
    assert sum(right) >= MOST * len(right)


@pytest.mark.parametrize("mode", ["rag", "agent"])
async def test_refuses_what_it_does_not_say(mode: str) -> None:
    """DOC-06 S004-D11: a tiny document too answers nothing that it does not say."""
    results = [(await asked(text, question, mode=mode), question) for text, question in REFUSED]
    refused = [result["status"] == "not_found" for result, _ in results]
    assert sum(refused) >= MOST * len(refused)
    begins = [result["answer"].startswith(REFUSALS[language_of(question, Context())]) for result, question in results]
    assert begins == refused


async def test_no_vector_is_needed() -> None:
    """DOC-06: a chunk that was found by words alone, without a cosine, answers as well."""
    by_words = {"mode": "agent", "disabled": ["semantic_search"]}
    results = [(await asked(text, question, **by_words), answer) for text, question, answer in ANSWERED]
    assert {call["tool"] for result, _ in results for call in result["tool_calls"]} == {"keyword_search", "stop"}
    assert sum(answer in result["answer"] for result, answer in results) >= MOST * len(results)
