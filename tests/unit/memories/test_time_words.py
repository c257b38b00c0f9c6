"""Which days a question speaks of."""

from datetime import UTC, date, datetime

import pytest

from tools.text.dates import ASKS_WHEN, DaySpan, said_days, spans, with_days

NOW = datetime(2026, 5, 13, 9, tzinfo=UTC)  # a Wednesday


@pytest.mark.parametrize(
    ("question", "first", "last"),
    [
        ("2023年8月店里发生了什么", "2023-08-01", "2023-08-31"),
        ("2024年2月29日去了哪里", "2024-02-29", "2024-02-29"),
        ("What happened on May 14th, 2023?", "2023-05-14", "2023-05-14"),
        ("What did she do in February 2023?", "2023-02-01", "2023-02-28"),
        ("the trip of 3 December 2022", "2022-12-03", "2022-12-03"),
        ("2023-07-05 的会议", "2023-07-05", "2023-07-05"),
        ("昨天说的方案", "2026-05-12", "2026-05-12"),
        ("前天的事", "2026-05-11", "2026-05-11"),
        ("上周讨论的预算", "2026-05-04", "2026-05-10"),
        ("what we said last month", "2026-04-01", "2026-04-30"),
        ("去年的计划", "2025-01-01", "2025-12-31"),
        ("3天前的记录", "2026-05-10", "2026-05-10"),
        ("two things from 2 weeks ago", "2026-04-26", "2026-05-02"),
        ("what I did in 2024", "2024-01-01", "2024-12-31"),
        ("三天前的记录", "2026-05-10", "2026-05-10"),
        ("上周五的会", "2026-05-08", "2026-05-08"),
        ("what we said last Monday", "2026-05-11", "2026-05-11"),
        ("我下个月的安排", "2026-06-01", "2026-06-30"),
    ],
)
def test_spans(question: str, first: str, last: str) -> None:
    """Time words become days, relative ones counted from now."""
    assert spans(question, NOW) == [DaySpan(date.fromisoformat(first), date.fromisoformat(last))]


def test_a_day_without_a_year_recurs() -> None:
    """5月6日 is that day of every year; a late telling is so many days after it."""
    [span] = spans("5月6日做了什么", NOW)
    days = [span.days_after(date(year, 5, day)) for year, day in ((2023, 6), (2024, 9), (2023, 5))]
    assert days == [0, 3, 364]


@pytest.mark.parametrize(
    "question", ["May I ask you something?", "what may he think", "13月40日", "第三章讲了什么", ""]
)
def test_no_days(question: str) -> None:
    """A verb, an impossible date and a chapter are no days."""
    assert spans(question, NOW) == []


def test_questions_for_a_day() -> None:
    """Who asks when."""
    asking = ["When did he go?", "他什么时候去的", "What year was it?"]
    others = ["What did he say when he left?", "他去哪儿了"]
    assert [bool(ASKS_WHEN.search(one)) for one in asking + others] == [True, True, True, False, False]


@pytest.mark.parametrize(
    ("statement", "day"),
    [
        ("I sold my bike yesterday.", "2026-05-12"),
        ("I planted the tree three days ago.", "2026-05-10"),
        ("I moved to Porto in March.", "2026-03"),
        ("We moved in December.", "2025-12"),
        ("I will fly to Rome in March.", "2027-03"),
        ("I saw the dentist last Wednesday.", "2026-05-06"),
        ("I married a year ago.", "2025"),
        ("我大前天去了医院。", "2026-05-10"),
        ("我两个月前换了工作。", "2026-03"),
        ("我上周日去爬山了。", "2026-05-10"),
        ("下周一我要去面试。", "2026-05-18"),
        ("我去年3月结婚了", "2025-03"),
        ("I moved here last November.", "2025-11"),
        ("My passport ran out on 2 January 2026.", "2026-01-02"),
        ("My birthday is on 5 July.", None),
        ("我的生日是7月5日。", None),
        ("I may go to the market", None),
        ("我每天都跑步。", None),
    ],
)
def test_days_of_a_statement(statement: str, day: str | None) -> None:
    """MEM-13: a statement's relative days are those of the day it is said on; what recurs has no day of its own."""
    assert [str(one.days) for one in said_days(statement, NOW.date())] == ([day] if day else [])


def test_days_stand_behind_their_words() -> None:
    days = [(one.end, str(one.days)) for one in said_days("我昨天把吉他卖了。", NOW.date())]
    assert with_days("我昨天把吉他卖了。", days) == "我昨天（2026-05-12）把吉他卖了。"
