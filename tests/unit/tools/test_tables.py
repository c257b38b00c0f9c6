"""Conditions and figures over values, and how people say them."""

from typing import Any

import pytest

from tools.networks.words import pattern_of
from tools.tables.names import comment, glossary, singular, without_id, words_of
from tools.tables.rows import PathCondition, by_value, date_in, figure, limits_in
from tools.tables.units import number_in


@pytest.mark.parametrize(
    ("condition", "value", "holds"),
    [
        ("price > 50", 50.5, True),
        ("price > 50", "$1,200.50", True),
        ("price > 50", "cheap", False),
        ("price == 3.5", "3.50", True),
        ("day >= 2024-03", "2024-05-01", True),
        ("day < 2024-03", "2024-05-01", False),
        ("closed == 1", True, True),
        ("closed == yes", "1", True),
        ("name == iris imports", "Iris Imports", True),
        ("name contains imp", "Iris Imports", True),
        ("day starts 2024", "2024-05-01", True),
        ("name != Iris", "Iris", False),
    ],
)
def test_conditions(condition: str, value: Any, holds: bool) -> None:
    """KNO-38: numbers with units and separators, days, yes and no, texts whatever their case."""
    parsed = PathCondition.parsed(condition)
    assert parsed is not None and parsed.text == condition
    assert parsed.holds([value]) is holds


def test_what_is_no_condition() -> None:
    """KNO-38: a text without an operation, or without a value, is none."""
    assert [PathCondition.parsed(text) for text in ("price", "price >", "")] == [None] * 3


def test_figures() -> None:
    """KNO-38: figures of numbers, of days; of nothing there is none."""
    assert [figure([1, "2.5", "x"], how) for how in ("count", "sum", "average")] == [3, 3.5, 1.75]
    assert figure(["2024-05-01", "2023-01-01"], "min") == "2023-01-01"
    assert figure([], "sum") is None and figure(["x"], "average") is None
    assert by_value({"a": 2, "b": 10, "c": None}, descending=True) == [("b", 10), ("a", 2)]
    assert [number_in(text) for text in ("180 t", "¥1,200", "(017) 555-7110", "2024-01-02")] == [180, 1200, None, None]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("载重超过200的船", [(">", "200")]),
        ("ships built before 1850", [("<", "1850")]),
        ("between 5 and 10 beds", [(">=", "5"), ("<=", "10")]),
        ("价格在 5 到 10 之间", [(">=", "5"), ("<=", "10")]),
        ("1830年以前成立的商号", [("<", "1830")]),
        ("price over 50 and stock under 20", [(">", "50"), ("<", "20")]),
        ("at least 3 orders", [(">=", "3")]),
        ("order 10248", []),
        ("from 2024-01-05", []),
    ],
)
def test_limits(text: str, found: list[tuple[str, str]]) -> None:
    """KNO-39: limits and ranges, several in one question."""
    assert [(one.operation, one.value) for one in limits_in(text)] == found


def test_years() -> None:
    """KNO-39: a year is one that is spoken of as such."""
    texts = ("orders in 2025", "2025年的订单", "in 2025-03", "2025年以后", "order 2025")
    days = (
        "2024年8月有多少个订单？",
        "orders in August 2024",
        "on 3 August 2024",
        "2024年8月3日的订单",
        "after 2024-08-01",
    )
    assert [date_in(text) for text in texts] == ["2025", "2025", "2025-03", "", ""]
    assert [date_in(text) for text in days] == ["2024-08", "2024-08", "2024-08-03", "2024-08-03", ""]


@pytest.mark.parametrize(
    ("header", "words"),
    [
        ("supplierID", ("supplier", "id")),
        ("supplier_id", ("supplier", "id")),
        ("ReportsTo", ("reports", "to")),
        ("Order Details", ("order", "details")),
        ("供应商编号", ("供应商编号",)),
    ],
)
def test_words_of_headers(header: str, words: tuple[str, ...]) -> None:
    """KNO-36: headers as programs and people write them."""
    assert words_of(header) == words


def test_names_in_both_languages() -> None:
    """KNO-37: a label is known by its other names, those of the other language first, and a role by its verbs."""
    assert comment("supplier").startswith("又称：供应商、")
    assert comment("供应商").startswith("又称：supplier、")
    assert comment("unheard of") == ""
    assert {"supply", "供应"} <= set(glossary().leading(["supplier"]))
    assert "←下属" in glossary().leading(["reports to"])
    assert without_id(("供应商编号",)) == ("供应商",) and without_id(("city",)) == ("city",)
    assert [singular(word) for word in ("categories", "boxes", "people", "address")] == [
        "category",
        "box",
        "person",
        "address",
    ]


@pytest.mark.parametrize(
    ("name", "text", "is_found"),
    [
        ("supplier", "Who supplies Chai", True),
        ("reports to", "does she report to", True),
        ("unitPrice", "the unit price of", True),
        ("unit price", "unitPrice是多少", True),
        ("phone", "它的phone是", True),
        ("price", "priceless", False),
        ("head", "ahead", False),
    ],
)
def test_english_forms(name: str, text: str, is_found: bool) -> None:
    """KNO-39: a word in its forms, whole, beside Chinese too."""
    assert (pattern_of(name).search(text) is not None) is is_found
