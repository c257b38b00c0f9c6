"""Which days a question speaks of."""

from datetime import UTC, date, datetime

import pytest

from tools.text.dates import ASKS_WHEN, DaySpan, spans

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
    ],
)
def test_spans(question: str, first: str, last: str) -> None:
    """Time words become days, relative ones counted from now."""
    assert spans(question, NOW) == [DaySpan(date.fromisoformat(first), date.fromisoformat(last))]


def test_a_day_without_a_year_recurs() -> None:
    """5月6日 is that day of every year; a late telling is so many days after it."""
    [span] = spans("5月6日做了什么", NOW)
    days = [span.days_after(datetime(year, 5, day, 12, tzinfo=UTC)) for year, day in ((2023, 6), (2024, 9), (2023, 5))]
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
