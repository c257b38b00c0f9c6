"""Clear follow-ups with the reader that the package ships."""

from functools import lru_cache

import pytest

from tests.unit.minds.scripted import people, talk
from wenmai.minds.offline.follow_ups.references import resolve
from wenmai.reader.opening import open_reader
from wenmai.reader.reader import Reader

CHINESE = talk(("张三是怎么死的？", "张三在渡口被赵铁山一刀砍死。[1]"))
ENGLISH = talk(("Who is Tom Sawyer?", "Tom Sawyer is a boy who lives with Aunt Polly.[1]"))
NAMES = people("张三", "赵铁山", "王五", "Tom Sawyer", "Huck", "Becky", "Aunt Polly")


@lru_cache(maxsize=1)
def reader() -> Reader:
    """Return the reader, opened once."""
    return open_reader(None)


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("他多大了？", "张三多大了？"),
        ("他的儿子叫什么？", "张三的儿子叫什么？"),
        ("为什么？", "张三是怎么死的，为什么？"),
        ("那王五呢？", "王五是怎么死的？"),
        ("谁是李掌柜？", "谁是李掌柜？"),
        ("王五是谁？", "王五是谁？"),
        ("这本书讲了什么？", "这本书讲了什么？"),
    ],
)
def test_chinese(question: str, expected: str) -> None:
    assert resolve(reader(), question, CHINESE, NAMES).question == expected


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Where does he live?", "Where does Tom Sawyer live?"),
        ("What about Huck?", "Who is Huck?"),
        ("Why?", "Who is Tom Sawyer? Why?"),
        ("Who is Injun Joe?", "Who is Injun Joe?"),
        ("What did Huck find in the cave?", "What did Huck find in the cave?"),
    ],
)
def test_english(question: str, expected: str) -> None:
    assert resolve(reader(), question, ENGLISH, NAMES).question == expected


def test_documents() -> None:
    session = talk(("How many days of annual leave do I get?", "You get ten days of annual leave."))
    resolved = resolve(reader(), "Can it be carried over?", session, people()).question
    assert resolved in ("Can ten days be carried over?", "Can annual leave be carried over?")
