"""那王五呢？ asks of another what the last question asked."""

import pytest

from tests.unit.minds.scripted import ScriptedReader, people
from wenmai.minds.offline.follow_ups.parallels import asked_of_another

NAMES = people("张三", "王五", "Tom Sawyer", "Huck")


@pytest.mark.parametrize(
    ("question", "last", "expected"),
    [
        ("那王五呢？", "张三是怎么死的？", "王五是怎么死的？"),
        ("What about Huck?", "Who is Tom Sawyer?", "Who is Huck?"),
        ("张三呢？", "张三是怎么死的？", "张三是怎么死的，张三呢？"),
        ("病假呢？", "年假有几天？", "病假有几天？"),
        ("北京仓库呢？", "上海仓库有多大？", "北京仓库有多大？"),
        ("伙食费呢？", "每月水费是多少？", "每月伙食费是多少？"),
        ("2024年呢？", "2023年的营收是多少？", "2024年的营收是多少？"),
        ("那张三的妹妹呢？", "张三是怎么死的？", "张三的妹妹是怎么死的？"),
        ("那张三的妹妹呢？", "张三的哥哥叫什么？", "张三的妹妹叫什么？"),
        ("那张三的妹妹呢？", "王五的哥哥叫什么？", "张三的妹妹叫什么？"),
        ("那掌柜呢？", "张三多大了？", "掌柜多大了？"),
        ("And Huck's sister?", "Where does Tom Sawyer live?", "Where does Huck's sister live?"),
        ("And the captain?", "How old is Huck?", "How old is the captain?"),
        ("And by day?", "Who guards Huck by night?", "Who guards Huck by night? And by day?"),
        ("What about sick leave?", "How many days of annual leave do I get?", "How many days of sick leave do I get?"),
    ],
)
def test_another_takes_the_place_of_the_last(question: str, last: str, expected: str) -> None:
    found = asked_of_another(ScriptedReader(), question, last, NAMES)
    assert found is not None
    assert found[0] == expected


def test_someone_whom_only_the_reader_knows() -> None:
    assert asked_of_another(ScriptedReader(people=["李四"]), "那李四呢？", "张三是怎么死的？", NAMES) == (
        "李四是怎么死的？",
        "李四",
    )


@pytest.mark.parametrize(
    "question",
    ["她哥哥呢？", "后来呢？", "为什么呢？", "报销呢？", "那王五何时来呢？", "And then?", "And where is Huck?"],
)
def test_a_question_that_asks_something_itself(question: str) -> None:
    assert asked_of_another(ScriptedReader(), question, "张三是怎么死的？", NAMES) is None


@pytest.mark.parametrize(
    ("question", "last"),
    [
        ("年假呢？", "年假和病假各有几天？"),
        ("假呢？", "年假有几天？"),
        ("报销呢？", "年假有几天？"),
        ("体重呢？", "重量是多少？"),
        ("事假呢？", "年假和病假各有几天？"),
        ("What about leave?", "How many days of annual leave do I get?"),
    ],
)
def test_a_thing_that_no_single_word_is_written_like_takes_no_place(question: str, last: str) -> None:
    assert asked_of_another(ScriptedReader(), question, last, NAMES) is None
