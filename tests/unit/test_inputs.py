"""What a caller may send, and what is said of the rest."""

import re
from typing import Any

import pytest

from wenmai.inputs import FieldError, checked_question, context_from, query_from, session_context_from

LATIN_WORDS = re.compile(r"[A-Za-z]{2,} [A-Za-z]{2,}")


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"as_of_chapter": "3"}, "context.as_of_chapter: 必须是整数，收到 '3'"),
        ({"as_of_chapter": -1}, "context.as_of_chapter: 不能小于 0，收到 '-1'"),
        ({"as_of_chapter": 1.5}, "context.as_of_chapter: 必须是整数，收到 '1.5'"),
        ({"toolkits": "story"}, "context.toolkits: 必须是列表，收到 'story'"),
        ({"toolkits": []}, "context.toolkits: 至少要有 1 项，收到 '[]'"),
        (
            {"toolkits": ["s"]},
            "context.toolkits.0: 只能是 'story'、'narrative'、'memory'、'documents'、'knowledge'，收到 's'",
        ),
        ({"search_limits": [21]}, "context.search_limits.0: 不能大于 20，收到 '21'"),
        ({"deadline_s": 0}, "context.deadline_s: 必须大于 0，收到 '0'"),
        ({"deadline_s": "x"}, "context.deadline_s: 必须是数字，收到 'x'"),
        ({"library": None}, "context.library: 必须是文本，收到 'None'"),
        ({"library": ""}, "context.library: 不能为空，收到 ''"),
        ({"stream_drafts": "x"}, "context.stream_drafts: 必须是 true 或 false，收到 'x'"),
    ],
)
def test_a_wrong_field_is_told_in_one_language(values: dict[str, Any], said: str) -> None:
    """PLA-08: the field, what it must be, what came."""
    with pytest.raises(FieldError) as caught:
        context_from(values)
    assert str(caught.value) == said and not LATIN_WORDS.search(caught.value.reason)


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ({"topic": "x"}, "session_context.entities: 缺少这个字段"),
        ({"entities": "x"}, "session_context.entities: 必须是列表，收到 'x'"),
        ([1], "session_context: 必须是一个对象，收到 '[1]'"),
    ],
)
def test_a_wrong_session_is_told_in_one_language(value: object, said: str) -> None:
    """S000-24: the session that a caller hands over."""
    with pytest.raises(FieldError) as caught:
        session_context_from(value)
    assert str(caught.value) == said


@pytest.mark.parametrize(
    ("text", "said"), [("问" * 11, "问题有 11 个字符，最多 10 个"), ("a" * 11, "11 characters; the limit is 10")]
)
def test_a_long_question_is_refused_in_its_own_language(text: str, said: str) -> None:
    """PLA-31: with the limit, its setting and the way out; so is a long query of a recall."""
    with pytest.raises(FieldError, match=rf"{said}.*MAX_QUESTION_CHARS.*wenmai ingest"):
        checked_question(text, 10)
    with pytest.raises(FieldError, match=r"11 .*10 .*MAX_QUESTION_CHARS"):
        query_from(text, 10)
    assert checked_question(text[:10], 10) == query_from(text[:10], 10) == text[:10]


@pytest.mark.parametrize("question", ["？？？", "...", "🙂", "…… 🙂 ！"])
def test_a_question_without_words_is_none(question: str) -> None:
    with pytest.raises(FieldError, match="没有文字"):
        checked_question(question, 100)
