"""Coercion by declared type and the errors that a model can act on."""

import logging
import math
from typing import Any, Literal

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, Field

from tools.arguments import parse
from tools.errors import ArgumentError
from tools.story.graph import GraphSearchArguments
from tools.story.search import VectorSearchArguments


class Everything(BaseModel):
    """One parameter of each declared type."""

    word: str
    count: int = Field(default=3, ge=1, le=50)
    share: float = 0.5
    flag: bool = False
    order: Literal["relevance", "time"] = "relevance"
    numbers: list[int] | None = None
    names: list[str] | None = None
    note: str | None = None


def value(name: str, given: object) -> Any:
    return getattr(parse(Everything, {"word": "x", name: given}), name)


@pytest.mark.parametrize(
    ("name", "given", "wanted"),
    [
        ("count", 5, 5),
        ("count", 5.0, 5),
        ("count", "5", 5),
        ("count", " 5.0 ", 5),
        ("share", 0.5, 0.5),
        ("share", 1, 1.0),
        ("share", "0.5", 0.5),
        ("flag", True, True),
        ("flag", "true", True),
        ("flag", "YES", True),
        ("flag", "1", True),
        ("flag", 1, True),
        ("flag", "No", False),
        ("flag", 0, False),
        ("order", "TIME", "time"),
        ("numbers", [1, 3], [1, 3]),
        ("numbers", [1.0, 3.0], [1, 3]),
        ("numbers", "[1, 3]", [1, 3]),
        ("names", ["a", "b"], ["a", "b"]),
        ("names", "恰斯卡", ["恰斯卡"]),
        ("names", '["恰斯卡", "卡齐娜"]', ["恰斯卡", "卡齐娜"]),
        ("names", [" ", "a"], ["a"]),
        ("names", [], None),
        ("note", 5, "5"),
    ],
)
def test_accepted_spellings(name: str, given: object, wanted: object) -> None:
    """S000-D15: coercion by the declared type, before validation."""
    got = value(name, given)
    assert got == wanted
    assert type(got) is type(wanted)


@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("count", 5.5),
        ("count", "five"),
        ("count", math.nan),
        ("count", True),
        ("count", "9" * 5_000),
        ("count", [5]),
        ("share", "much"),
        ("share", math.nan),
        ("share", "inf"),
        ("share", True),
        ("flag", "maybe"),
        ("flag", 2),
        ("flag", 1.0),
        ("order", "newest"),
        ("order", 1),
        ("numbers", [1, "x"]),
        ("numbers", [1, 2.5]),
        ("numbers", "1-3"),
        ("numbers", 3),
        ("numbers", {"start": 1}),
        ("names", 5),
        ("names", ["a", 5]),
        ("names", {"a": 1}),
        ("note", {"a": 1}),
        ("word", ["x"]),
    ],
)
def test_refused_values(name: str, given: object) -> None:
    """S000-D15: what the declared type does not cover is an error that names the parameter, never ignored."""
    with pytest.raises(ArgumentError, match=name):
        parse(Everything, {"word": "x", name: given})


@pytest.mark.parametrize("name", ["count", "share", "flag", "order", "numbers", "names", "note"])
def test_null_is_absent(name: str) -> None:
    """S000-D15: null for any optional counts as absent."""
    assert parse(Everything, {"word": "x", name: None}) == parse(Everything, {"word": "x"})


@pytest.mark.parametrize("given", [{}, {"word": None}, {"word": ""}, {"word": " \u3000\n"}, {"word": "\x00"}])
def test_blank_required_string_is_missing(given: dict[str, object]) -> None:
    """PLA-06: a blank required string counts as missing."""
    with pytest.raises(ArgumentError, match="缺少必填参数 word"):
        parse(Everything, given)


def test_undeclared_arguments_are_ignored_and_logged(caplog: pytest.LogCaptureFixture) -> None:
    """PLA-01 PLA-06: identity and limits from a model change nothing, and the log says so."""
    with caplog.at_level(logging.INFO):
        parsed = parse(Everything, {"word": "x", "user_id": "mallory", "library": "other", "limit": 99})
    assert parsed == Everything(word="x")
    assert "user_id" in caplog.text and "library" in caplog.text and "limit" in caplog.text


def test_out_of_range_names_range_and_value() -> None:
    """PLA-06 PLA-07: out of range is an error with the range and the value, never clamped."""
    with pytest.raises(ArgumentError) as error:
        parse(VectorSearchArguments, {"query": "q", "top_k": 80})
    assert str(error.value) == "top_k 必须在 1..50 之间，收到 80"
    with pytest.raises(ArgumentError, match=r"depth 必须在 1\.\.3 之间，收到 4"):
        parse(GraphSearchArguments, {"entity": "x", "depth": 4})
    with pytest.raises(ArgumentError, match="收到 0"):
        parse(VectorSearchArguments, {"query": "q", "top_k": 0})


def test_enum_error_lists_the_values() -> None:
    """PLA-07: the message names the valid values."""
    with pytest.raises(ArgumentError) as error:
        parse(Everything, {"word": "x", "order": "newest"})
    assert str(error.value) == "order 必须是 relevance/time 之一，收到 newest"


@pytest.mark.parametrize("pair", [[1], [1, 2, 3], [3, 1], [-1, 2], [1.5, 2], "1..3", [], "[1]", [None, 2], [True, 2]])
def test_chapter_pair_is_never_ignored(pair: object) -> None:
    """S000-D03 S000-D04: anything but two integers with 0 <= start <= end is an argument error."""
    with pytest.raises(ArgumentError, match="chapter_filter"):
        parse(VectorSearchArguments, {"query": "q", "chapter_filter": pair})


@pytest.mark.parametrize("pair", [[0, 0], [1, 3], [3.0, 4.0], "[3, 4]", ["3", "4"]])
def test_chapter_pair_accepts(pair: object) -> None:
    """S000-D04: 3.0 counts as 3, both ends may be equal, chapter 0 exists."""
    parsed = parse(VectorSearchArguments, {"query": "q", "chapter_filter": pair})
    assert parsed.chapter_filter is not None and len(parsed.chapter_filter) == 2


def test_chapter_pair_error_names_the_rule() -> None:
    """S000-D04 PLA-07: the rule stands in the message."""
    with pytest.raises(ArgumentError) as error:
        parse(VectorSearchArguments, {"query": "q", "chapter_filter": [5, 2]})
    assert str(error.value) == "chapter_filter 必须恰好是两个整数 [起始, 结束]，且 0 <= 起始 <= 结束，收到 [5, 2]"


@pytest.mark.parametrize("raw", [None, "query", ["q"], 5])
def test_arguments_must_be_an_object(raw: object) -> None:
    """PLA-07: arguments that are no object are an argument error."""
    with pytest.raises(ArgumentError, match="对象"):
        parse(Everything, raw)


def test_message_stays_short() -> None:
    """PLA-07: a value of any length is shown in one short line."""
    with pytest.raises(ArgumentError) as error:
        parse(Everything, {"word": "x", "count": "九\n" * 50_000})
    assert len(str(error.value)) < 150 and "\n" not in str(error.value)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


# The first draw of text builds a character table; on a busy machine that alone is "too slow".
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.dictionaries(st.sampled_from([*Everything.model_fields, "user_id", ""]), JSON, max_size=5))
def test_any_json_is_parsed_or_refused(raw: dict[str, object]) -> None:
    """PLA-07 S000-D15: whatever JSON comes, the outcome is valid arguments or an ArgumentError."""
    try:
        parsed = parse(Everything, raw)
    except ArgumentError as error:
        assert str(error)
    else:
        assert 1 <= parsed.count <= 50 and "\x00" not in parsed.word
