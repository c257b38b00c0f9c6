"""Rows, budgets and cuts."""

import json
import logging

import pytest

from state.context import Language
from tools.formatting import (
    ListRow,
    behind_place,
    fit_json,
    listing,
    marked,
    place,
    rarity_of,
    shorten,
    thin,
    unmarked,
    with_rows,
)
from tools.language import affordable, cost, tokens
from tools.messages import speaking


def rows(count: int, length: int) -> list[ListRow]:
    return [ListRow(text=f"{i}. {'字' * length}") for i in range(1, count + 1)]


@pytest.mark.parametrize(
    ("where", "wanted"),
    [
        ((2, 7, "潮生"), "第2部 第7章 潮生"),
        ((2, 7, "第七章 潮生"), "第2部 第七章 潮生"),
        ((1, 3, ""), "第1部 第3章"),
        ((1, 0, "序"), "第1部 序"),
        ((1, None, "番外 雪夜"), "第1部 番外 雪夜"),
        ((None, None, None), ""),
        ((1, 4, "Chapter IV. The Tide"), "第1部 Chapter IV. The Tide"),
    ],
)
def test_places(where: tuple[int | None, int | None, str | None], wanted: str) -> None:
    """S000-32: the part is always named, the chapter once."""
    assert place(*where) == wanted


def test_rows_carry_their_place_and_what_they_show() -> None:
    """S000-32: `<place>：<text>` in order, the count last; a row knows its piece of evidence, and shows none of it."""
    rows = [
        ListRow(text=behind_place(place(1, number, ""), text), evidence=f"p{number}")
        for number, text in ((3, "甲"), (4, "乙"))
    ]
    text = listing(rows, 8_000)
    assert unmarked(text).splitlines() == ["第1部 第3章：甲", "第1部 第4章：乙", "显示 2/2 条"]
    assert with_rows(text, lambda id, row: f"<{id}> {row}").startswith("<p3> 第1部 第3章：甲\n<p4> ")


def test_no_text_can_end_or_begin_a_row() -> None:
    """LOP-06: signs within a text are dropped; a row that was cut in its midst is shown as far as it goes."""
    hostile = marked("a", marked("b", "甲"))
    assert with_rows(hostile, lambda id, row: f"[{id}]{row}") == "[a]b甲"
    assert [unmarked(marked("id", "一二三")[:end]) for end in (2, 5, 7)] == ["", "一", "一二三"]


def test_nothing_found() -> None:
    """S000-32: an empty list has a text."""
    assert listing([], 8_000) == "未找到相关信息"


def test_rows_share_the_budget() -> None:
    """S000-D11: a row is cut to budget / n, with "..." where it was cut."""
    text = listing(rows(10, 2_000), 8_000)
    lines = text.splitlines()
    assert cost(text) <= 8_000 and lines[-1] == "显示 10/10 条，其中第 1、2、3、4、5、6、7、8、9、10 条有删节"
    assert all(750 <= cost(line) <= 800 and line.endswith("...") for line in lines[:-1])


def test_the_best_rows_may_be_shown_whole() -> None:
    """LOP-17: the first rows are cut after the others, which share what is left; all fit in the budget."""
    *lines, last = listing(rows(10, 600), 4_300, whole=4).splitlines()
    assert sum(map(cost, lines)) < 4_300 and last == "显示 10/10 条，其中第 5、6、7、8、9、10 条有删节"
    assert [line.endswith("...") for line in lines] == [False] * 4 + [True] * 6
    shares = [cost(line) for line in lines[4:]]
    assert min(shares) >= 200 and max(shares) - min(shares) <= 3


@pytest.mark.parametrize("language", ["zh", "en"])
def test_a_row_is_never_cut_in_the_sentence_that_was_looked_for(language: Language) -> None:
    """S000-D11: of a row that is cut the sentence with most of the query's words stays; the last line says which."""
    dull, said, asked = {
        "zh": ("那天夜里雨下个不停。", "石敢把铜罗盘递给了孟鸢。", "石敢把什么递给了孟鸢？"),
        "en": ("It rained all that night. ", "Ada handed the brass compass to Ben. ", "What did Ada hand to Ben?"),
    }[language]
    texts = [dull * 60 + said + dull * 60, said, dull * 20 + said]
    rarity = rarity_of(asked, texts)
    with speaking(language):
        text = listing([ListRow(head="I: ", text=one, rarity=rarity) for one in texts], 700)
    *lines, last = text.splitlines()
    assert len(lines) == 3 and all(said.strip() in line for line in lines) and cost(text) <= 700
    assert lines[0].startswith("I: ...") and lines[0].endswith("...") and lines[1].strip() == f"I: {said}".strip()
    assert last == {"zh": "显示 3/3 条，其中第 1 条有删节", "en": "3/3 rows shown (cut: 1)"}[language]


@pytest.mark.parametrize("language", ["zh", "en"])
def test_a_sentence_that_is_longer_than_a_row_may_be_is_cut(language: Language) -> None:
    """S000-D11: around the clauses that were looked for; a sentence without an end leaves room for the other rows."""
    dull, said, query = {
        "zh": ("雨下个不停，", "石敢把铜罗盘递给了孟鸢，", "石敢把什么递给了孟鸢？"),
        "en": ("the rain fell on and on, ", "Ada handed the brass compass to Ben, ", "What did Ada hand to Ben?"),
    }[language]
    texts = [dull * 700 + said + dull * 700, said]
    rarity = rarity_of(query, texts)
    with speaking(language):
        text = listing([ListRow(head="I: ", text=one, rarity=rarity) for one in texts], 2_000)
    first, second, _ = text.splitlines()
    assert said.strip() in first and first.startswith("I: ...") and cost(first) <= 1_520 and said.strip() in second


@pytest.mark.parametrize(("letters", "budget"), [("字", 800), ("a", 2_298)])
def test_a_budget_holds_as_many_tokens_of_either_script(letters: str, budget: int) -> None:
    """S004-25: 800 Chinese characters, or the 2,300 letters that cost a model as many tokens."""
    assert affordable(letters * 9_000, 800) == pytest.approx(budget, abs=2)
    assert cost(letters * budget) == pytest.approx(800, abs=2)
    assert tokens(letters * budget) == pytest.approx(632, abs=2)


def test_a_row_is_at_most_1500() -> None:
    """S000-D11: one long row is cut to 1500; a short one is not marked."""
    long, _ = listing(rows(1, 3_000), 8_000).splitlines()
    assert 1_499 <= cost(long) <= 1_500 and long.endswith("...")
    short, _ = listing(rows(1, 1_000), 8_000).splitlines()
    assert not short.endswith("...")


def test_rows_that_do_not_fit_are_left_out_from_the_end(caplog: pytest.LogCaptureFixture) -> None:
    """S000-D11 S004-D14: at 200 characters a row the last ones go; the count and the log say so."""
    with caplog.at_level(logging.INFO):
        text = listing(rows(50, 500), 4_000)
    lines = text.splitlines()
    assert cost(text) <= 4_000
    assert lines[-1].startswith(f"显示 {len(lines) - 1}/50 条")
    assert lines[0].startswith("1. ") and 15 <= len(lines) - 1 <= 20
    assert "Left out" in caplog.text


@pytest.mark.parametrize(("text", "limit", "wanted"), [("abc", 3, "abc"), ("abcdef", 5, "ab..."), ("abcd", 2, "..")])
def test_shorten(text: str, limit: int, wanted: str) -> None:
    """S000-D11: "..." only when something was cut, and never beyond the limit."""
    assert shorten(text, limit) == wanted


def test_thin_keeps_first_and_last() -> None:
    """S000-D06: an even spread."""
    assert thin(list(range(100)), 5) == [0, 25, 50, 74, 99]
    assert thin(list(range(3)), 5) == [0, 1, 2]
    assert thin(list(range(3)), 1) == [0]
    kept = thin(list(range(1_000)), 30)
    assert len(set(kept)) == 30 and kept == sorted(kept)


def test_json_under_budget_is_untouched() -> None:
    """S004-25: nothing is cut without need."""
    assert json.loads(fit_json({"items": [1, 2]}, 100)) == {"items": [1, 2]}


def test_json_drops_last_items_first() -> None:
    """S004-25 S004-D14: valid JSON, last items dropped, `truncated` set, texts whole."""
    value = {"total": 50, "items": [{"id": i, "text": "字" * 300} for i in range(50)]}
    cut = json.loads(fit_json(value, 8_000))
    assert cut["truncated"] is True and cut["total"] == 50
    assert [item["id"] for item in cut["items"]] == list(range(len(cut["items"])))
    assert len(cut["items"]) > 15 and cut["items"][-1]["text"] == "字" * 300


def test_json_then_cuts_texts(caplog: pytest.LogCaptureFixture) -> None:
    """S004-D14: one item is left, its text is cut, the cut is logged."""
    with caplog.at_level(logging.INFO):
        text = fit_json({"items": [{"text": "字" * 20_000}, {"text": "b"}], "note": "n" * 9_000}, 8_000)
    cut = json.loads(text)
    assert len(text) <= 8_000 and cut["truncated"] is True
    assert cut["items"][0]["text"].endswith("...") and len(cut["items"]) == 1
    assert "Cut a JSON result" in caplog.text


def test_json_of_any_shape_fits() -> None:
    """S004-25: what cannot be cut gives way, the object stays valid."""
    assert json.loads(fit_json({f"k{i}": i for i in range(1_000)}, 200)) == {"truncated": True}
