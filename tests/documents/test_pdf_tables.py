"""Tables in PDF and DOCX: rows and columns are kept, heads named, a table over two pages is one."""

import pytest

from tests.documents import files
from tests.documents.desk import Desk
from tests.documents.test_reading import chunks_of
from wenmai.formats.pdf import read_pages

BOATS = [["Boat", "Captain", "Fare"], ["Gull", "Ines Holt", "12.50"], ["Skua", "Per Lund", "18.00"]]
MORE = [["Tern", "Ada Voss", "9.75"], ["Wren", "Jo Marsh", "22.00"]]


def lines_of(data: bytes, name: str = "a.pdf") -> list[str]:
    return [line for text, _ in chunks_of(name, data) for line in text.split("\n") if line]


@pytest.mark.parametrize("is_ruled", [True, False])
def test_rows_keep_their_columns(is_ruled: bool) -> None:
    """DOC-12: a row of a table has the head of each column, whether lines are drawn or not; text stays text."""
    above = "The ferry of Odd Sound runs four boats." if is_ruled else ""
    found = lines_of(files.table_pdf([*BOATS, *MORE], is_ruled=is_ruled, above=above))
    assert found == [
        *filter(None, [above]),
        "Boat | Captain | Fare",
        "Boat: Gull | Captain: Ines Holt | Fare: 12.50",
        "Boat: Skua | Captain: Per Lund | Fare: 18.00",
        "Boat: Tern | Captain: Ada Voss | Fare: 9.75",
        "Boat: Wren | Captain: Jo Marsh | Fare: 22.00",
    ]


@pytest.mark.parametrize("mark, is_ruled", [("* ", True), ("## ", True), ("* ", False)])
def test_the_head_of_a_table_is_no_title(mark: str, is_ruled: bool) -> None:
    """DOC-12 DOC-38: be it bold or large, it is a row; bold over columns that nothing tells from text it is a line."""
    rows = [["ship name", "fee due"], ["Gull", "12"], ["Tern", "9"], ["Wren", "8"]]
    head = [f"{mark}{cell}" for cell in rows[0]]
    data = files.table_pdf([head, *rows[1:]], is_ruled=is_ruled, above="The ferry of Odd Sound asks for these fees.")
    pages, _ = read_pages(data)
    joint = " | " if is_ruled else " "
    assert pages[0][1] == joint.join(rows[0])
    assert {place.heading for _, place in chunks_of("a.pdf", data)} == {()}


def test_a_title_above_a_numbered_clause_is_one() -> None:
    """DOC-38: a number with a gap behind it is no column."""
    parts = [
        (72, 754, "The harbour of Teal has rules for all who come."),
        (72, 720, "* Art. 1"),
        (130, 720, "* Scope"),
        (72, 700, "1.1"),
        (130, 700, "The rules hold for all ships of the harbour."),
        (72, 680, "Boats of its own are none."),
    ]
    shown = [f"BT {left} {bottom} Td\n".encode() + files.shown(text) + b"ET\n" for left, bottom, text in parts]
    assert chunks_of("a.pdf", files.drawn(b"".join(shown)))[-1][1].heading == ("Art. 1 Scope",)


@pytest.mark.parametrize("second", [MORE, [BOATS[0], *MORE]], ids=["head once", "head on each page"])
async def test_a_table_over_two_pages_is_one(second: list[list[str]]) -> None:
    """DOC-12 DOC-09: rows on the next page have the head of the page before; what is asked is asked of all of them."""
    data = files.table_pdf(BOATS, second)
    assert lines_of(data)[-1] == "Boat: Wren | Captain: Jo Marsh | Fare: 22.00"
    desk = Desk()
    await desk.put_file("boats.pdf", data)
    answer = (await desk.ask("Which boat has the highest fare?", mode="agent"))["answer"]
    assert answer == "Of 4 (boat) Wren is the highest, Fare: 22.00[1]."


def test_lines_of_narrow_cells_are_joined() -> None:
    """DOC-12: the lines of a cell are one text."""
    rows = [["Method", "Remark"], ["BM25", "A strong\nbaseline"], ["Dense", "Better by\na wide margin"]]
    assert lines_of(files.table_pdf(rows))[1:] == [
        "Method: BM25 | Remark: A strong baseline",
        "Method: Dense | Remark: Better by a wide margin",
    ]


def test_a_box_is_no_table() -> None:
    """DOC-12: one frame around text draws no table."""
    assert lines_of(files.table_pdf([["Beware of the dog."]])) == ["Beware of the dog."]


def test_spanned_cells_of_a_page() -> None:
    """DOC-12: a cell over several rows or columns stands in each of them."""
    page = (
        "<table><tr><th rowspan=2>Region</th><th colspan=2>2023</th></tr><tr><th>Q1</th><th>Q2</th></tr>"
        "<tr><td>North</td><td>1</td><td>2</td></tr><tr><td>South</td><td>5</td><td>6</td></tr></table>"
    )
    assert lines_of(page.encode(), "a.html") == [
        "Region | 2023 Q1 | 2023 Q2",
        "Region: North | 2023 Q1: 1 | 2023 Q2: 2",
        "Region: South | 2023 Q1: 5 | 2023 Q2: 6",
    ]


def test_a_page_of_leader_dots_is_read() -> None:
    """DOC-38: a table of contents is text, though half of its signs are dots."""
    lines = [f"Chapter {at} {'. ' * 30}{at}" for at in range(1, 9)]
    assert "Chapter 3" in "\n".join(lines_of(files.pdf(lines)))


def test_lines_of_a_narrow_column_are_joined() -> None:
    """DOC-37: a line is broken by the width of its own column; headings in it stand alone."""
    wide = "The ferry of Odd Sound has been studied for thirty years by people who came to see the birds of it"
    column = [
        "Method of the study",
        "The crew rowed the boat after a rest of two",
        "hours, one of which was given to the tides",
        "and one to the repair of the oars. The test",
        "comprised ten crossings of the sound. The",
        "crew began without an order and completed",
        "each crossing as fast as they could row it.",
    ]
    found = lines_of(files.pdf([wide, f"{wide}.", *column]))
    assert found[-2:] == ["Method of the study", " ".join(column[1:])]
