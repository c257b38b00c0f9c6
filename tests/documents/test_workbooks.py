"""Workbooks as offices have them: the tables that are found in a sheet, and what is asked of them."""

import pytest

from tests.documents import files
from tests.documents.desk import Desk
from tests.documents.test_reading import chunks_of

STALLS: files.Rows = [
    ["Group", "Stall", "Amount"],
    ["Food", "Pies", 1000],
    ["Food", "Soup", 400],
    ["Food Total", None, 1400],
    ["Crafts", "Baskets", 600],
    ["Crafts", "Candles", 200],
    ["Crafts Total", None, 800],
    ["Grand Total", None, 2200],
]
TITLE: files.Rows = [["Stall revenue 2023, in crowns"]]


def text_of(data: bytes) -> list[str]:
    return [line for text, _ in chunks_of("a.xlsx", data) for line in text.split("\n") if line]


@pytest.mark.parametrize("above", [TITLE, [*TITLE, []], [[None, "Stall revenue 2023, in crowns"], []]])
@pytest.mark.parametrize("merged", [(), ("A1:C1",)])
def test_a_title_is_no_head(above: files.Rows, merged: tuple[str, ...]) -> None:
    """DOC-12: what stands above a table by itself is its title, a heading of its place, and names no column."""
    is_first = above[0][0] is not None
    (text, place), *_ = chunks_of("a.xlsx", files.xlsx(merged=merged if is_first else (), 表=[*above, *STALLS]))
    assert place.heading == ("Stall revenue 2023, in crowns",)
    assert "Group: Food | Stall: Pies | Amount: 1000" in text.split("\n")


def test_remarks_around_a_table_are_no_head() -> None:
    """DOC-12: rows above a head whose cells do not nest in those below are remarks, as are such rows below it."""
    rows: files.Rows = [
        ["Some people", None, None, None, None],
        ["like to write", None, None, None, "their notes"],
        ["at", "the", "top", None, "of"],
        ["or", "merging", None, None, "cells"],
        ["Name", "Trade", "Age", "Guild", "Town"],
        ["Ada Voss", "smith", 41, "yes", "Quern"],
        ["Per Lund", "baker", 38, "no", "Quern"],
        ["and", None, None, None, None],
        [None, "below it", None, "as well,", None],
        [None, None, None, None, "too!"],
    ]
    found = text_of(files.xlsx(merged=("A2:D2", "B4:D4"), 表=rows))
    assert "Name: Ada Voss | Trade: smith | Age: 41 | Guild: yes | Town: Quern" in found
    assert not [line for line in found if ": below it" in line or ": too!" in line]


def test_heads_of_several_rows_and_merged_cells() -> None:
    """DOC-12: a column is called by all rows of its head; merged cells hold their value in each of their rows."""
    rows: files.Rows = [
        ["大区", "门店", "一季度", None, "二季度"],
        [None, None, "线上", "线下", "线上"],
        ["华北", "城东店", 12, 30, 15],
        [None, "城西店", 8, 22, 9],
    ]
    found = text_of(files.xlsx(merged=("A1:A2", "B1:B2", "C1:D1", "A3:A4"), 表=rows))
    assert found[0] == "大区 | 门店 | 一季度线上 | 一季度线下 | 二季度线上"
    assert found[2] == "大区: 华北 | 门店: 城西店 | 一季度线上: 8 | 一季度线下: 22 | 二季度线上: 9"


SHARED: files.Rows = [
    ["Year", "Region", "Stall", "Revenue", "Plot", "Remark"],
    [2023, "North", "Pies", 500, 7, "shared"],
    [None, None, "Tea", None, None, "shared"],
    [None, "South", "Cider", 200, 8, None],
    [2024, None, "Buns", 300, 9, None],
]


def test_an_amount_in_merged_cells_stands_once() -> None:
    """DOC-12: a year or a label is that of each row, also a number before the texts; an amount is added up."""
    found = text_of(files.xlsx(merged=("A2:A4", "B2:B3", "B4:B5", "D2:D3", "E2:E3"), 表=SHARED))
    assert found[1:3] == [
        "Year: 2023 | Region: North | Stall: Pies | Revenue: 500 | Plot: 7 | Remark: shared",
        "Year: 2023 | Region: North | Stall: Tea | Remark: shared",
    ]


async def test_a_sum_over_merged_cells() -> None:
    """DOC-12: a sum of two stalls counts once."""
    desk = Desk()
    data = files.xlsx(merged=("A2:A4", "B2:B3", "B4:B5", "D2:D3", "E2:E3"), 表=SHARED)
    await desk.put_file("shared.xlsx", data)
    assert "1000" in (await desk.ask("What is the total revenue?", mode="agent"))["answer"].partition("\n")[0]


MEASURES = [f"Measure {number:03}" for number in range(1, 121)]
NUMBERS: files.Rows = [[f"Store {store}", *(store * 1000 + at for at in range(1, 121))] for store in range(9)]
WIDE: files.Rows = [["Store", *MEASURES], *NUMBERS]


def test_a_wide_row_is_whole() -> None:
    """DOC-03 DOC-12: a chunk of a table ends with a row, also one that is longer than other chunks."""
    chunks = chunks_of("wide.xlsx", files.xlsx(表=WIDE))
    assert [text.count("\n") for text, _ in chunks] == [1] * 10
    assert chunks[3][0].startswith("Store: Store 2 | Measure 001: 2001 |")
    assert chunks[3][0].endswith("| Measure 120: 2120\n")


@pytest.mark.parametrize(
    ("question", "told"),
    [("What is Measure 117 of Store 3?", "3117"), ("What is the sum of Measure 118?", "37062")],
)
async def test_questions_to_a_wide_sheet(question: str, told: str) -> None:
    """DOC-12"""
    desk = Desk()
    await desk.put_file("wide.xlsx", files.xlsx(表=WIDE))
    assert told in (await desk.ask(question, mode="agent"))["answer"].partition("\n")[0]


def test_empty_rows_groups_and_notes() -> None:
    """DOC-12: a table goes on behind an empty row; a row that says one thing is a group, below the rows a note."""
    rows: files.Rows = [
        ["书名", "作者", "册数"],
        ["小说", None, None],
        ["渡口", "闻人朔", 3],
        [],
        ["童书", None, None],
        ["雪团子", "麦小满", 8],
        [],
        ["备注：盘点于三月。"],
    ]
    found = text_of(files.xlsx(目录=rows))
    assert found[1:] == [
        "分组: 小说 | 书名: 渡口 | 作者: 闻人朔 | 册数: 3",
        "分组: 童书 | 书名: 雪团子 | 作者: 麦小满 | 册数: 8",
        "备注：盘点于三月。",
    ]


@pytest.mark.parametrize("is_beside", [True, False])
def test_two_tables_of_a_sheet(is_beside: bool) -> None:
    """DOC-12: tables one below the other, or side by side, are two, each with its own columns."""
    below: files.Rows = [["Boat", "Seats"], ["Heron", 8], ["Teal", 4], [], ["Member", "Role"], ["Ona", "Cox"]]
    beside: files.Rows = [
        ["Boat", "Seats", None, "Member", "Role"],
        ["Heron", 8, None, "Ona", "Cox"],
        ["Teal", 4, None, None, None],
    ]
    found = text_of(files.xlsx(Club=beside if is_beside else below))
    assert found == [
        *("Boat | Seats", "Boat: Heron | Seats: 8", "Boat: Teal | Seats: 4"),
        *("Member | Role", "Member: Ona | Role: Cox"),
    ]


def test_years_may_name_columns() -> None:
    """DOC-12: a head of years names columns; a column of years is one of values."""
    found = text_of(files.xlsx(表=[["Item", 2021, 2022], ["Milk", 3, 4]]))
    assert found[1] == "Item: Milk | 2021: 3 | 2022: 4"
    found = text_of(files.xlsx(表=[["Year", "Milk"], [2021, 3], [2022, 4]]))
    assert found[2] == "Year: 2022 | Milk: 4"


QUESTIONS = [
    ("How many stalls are there?", "stall: 4 in all: Pies[1], Soup[2], Baskets[3], Candles[4]."),
    ("What is the total amount?", "{title} — total Amount: 2200[1]."),
    ("How much did Pies bring in?", "Pies — Amount: 1000[1]."),
    ("Which stall brought in the most?", "Of 4 (stall) Pies is the most, Amount: 1000[1]."),
    ("What is the sum of Amount for Food?", "Food — total Amount: 1400[1]."),
    ("Which Stall has the highest Amount?", "Of 4 (stall) Pies is the highest, Amount: 1000[1]."),
    ("What is the amount for each group?", "Food — total Amount: 1400[1].\nCrafts — total Amount: 800[2]."),
]


@pytest.mark.parametrize("above", [[], TITLE], ids=["plain", "title"])
@pytest.mark.parametrize(("question", "told"), QUESTIONS)
async def test_questions_to_a_workbook(above: files.Rows, question: str, told: str) -> None:
    """DOC-09: sums leave subtotals out, the answer names the row and cites it, under a title as without one."""
    desk = Desk()
    await desk.put_file("stalls.xlsx", files.xlsx(Revenue=[*above, *STALLS]))
    result = await desk.ask(question, mode="agent")
    assert result["answer"] == told.format(title=above[0][0] if above else "Revenue")
    assert result["citations"]


@pytest.mark.parametrize(
    ("question", "told"),
    [
        (
            "How much more did Pies bring in 2024 than in 2023?",
            "Difference in Amount: 250 (Pies Stall revenue 2023, in crowns 1000[1], Pies Stall revenue 2024 1250[2]).",
        ),
        ("How much did Pies bring in in 2024?", "Pies — Amount: 1250[1]."),
        (
            "How much more did Pies bring in than Soup in 2023?",
            "Difference in Amount: 600 (Pies 1000[1], Soup 400[2]).",
        ),
    ],
)
async def test_two_workbooks(question: str, told: str) -> None:
    """DOC-09: a question is of the tables that it names by their year; the difference of two is computed."""
    desk = Desk()
    later: files.Rows = [["Stall revenue 2024"], ["Group", "Stall", "Amount"], ["Food", "Pies", 1250]]
    await desk.put_file("revenue_2023.xlsx", files.xlsx(Revenue=[*TITLE, *STALLS]))
    await desk.put_file("revenue_2024.xlsx", files.xlsx(Revenue=later))
    assert (await desk.ask(question, mode="agent"))["answer"] == told


async def test_a_year_that_no_table_has_is_refused() -> None:
    """DOC-09: a table that is not of the year that the question names does not answer."""
    desk = Desk()
    await desk.put_file("stalls.xlsx", files.xlsx(Revenue=[*TITLE, *STALLS]))
    result = await desk.ask("How much did Pies bring in in 2019?", mode="agent")
    assert "1000" not in result["answer"].split("\n")[0]


async def test_a_label_with_total_is_a_row_where_it_adds_nothing_up() -> None:
    """DOC-09: a row whose name says total is a subtotal only if its numbers are the sum of rows above it."""
    desk = Desk()
    rows: files.Rows = [["Brand", "Sold"], ["Acme", 3], ["Total Gym", 8], ["Total", 11]]
    await desk.put_file("brands.xlsx", files.xlsx(Brands=rows))
    assert "11[1]" in (await desk.ask("What is the total sold?", mode="agent"))["answer"]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("Name,City\n\nAnna,Paris\nBob,Rome\n", ["Name: Anna | City: Paris", "Name: Bob | City: Rome"]),
        ("Name,Age\n\nAnna,31\n\nBob,52\n", ["Name: Anna | Age: 31", "Name: Bob | Age: 52"]),
        ("x,y\n1,2\n3,3\n4,5\n", ["x: 1 | y: 2", "x: 3 | y: 3", "x: 4 | y: 5"]),
        ("x,y\n1,2\n3,3\n", ["x: 1 | y: 2", "x: 3 | y: 3"]),
    ],
)
def test_rows_that_programs_write(text: str, wanted: list[str]) -> None:
    """DOC-12: an empty row below the head, or below each row, parts nothing; equal numbers are a row."""
    lines = [line for chunk, _ in chunks_of("a.csv", text.encode()) for line in chunk.split("\n") if line]
    assert lines[1:] == wanted
