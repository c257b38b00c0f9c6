"""XLSX through openpyxl and CSV: rows that carry the names of their columns. Formulas are values, never run."""

import csv
import io
import warnings
from collections.abc import Iterable, Iterator, Sequence
from datetime import date, datetime, time
from typing import Any

from tools.documents.records import Location
from wenmai.documents.parsing.draft import Draft
from wenmai.formats.blocks import column_names, headed_row

SNIFFED = 65_536
DELIMITERS = ",;\t|"
LONGEST_CELL = 2**20
VISIBLE = "visible"

Numbered = Iterable[tuple[int, Sequence[str]]]


def read_xlsx(filename: str, data: bytes, draft: Draft) -> None:
    from openpyxl import load_workbook  # type: ignore[import-untyped]  # the package has no stubs

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about styles and extensions that no text depends on
        book = load_workbook(io.BytesIO(data), read_only=True, data_only=True, keep_links=False)
        for sheet in book.worksheets:
            if sheet.sheet_state == VISIBLE:
                draft.begin(Location(sheet=sheet.title))
                sheet.reset_dimensions()  # the declared size may be a lie, and rows would be filled up to it
                read_rows(sheet_rows(sheet.iter_rows(values_only=True)), draft)


def sheet_rows(rows: Iterable[Sequence[Any]]) -> Iterator[tuple[int, Sequence[str]]]:
    for number, row in enumerate(rows, 1):
        yield number, [shown(value) for value in row]


def shown(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, datetime) and value.time() == time():
        return value.date().isoformat()
    if isinstance(value, datetime | date | time):
        return value.isoformat(sep=" ") if isinstance(value, datetime) else value.isoformat()
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return " ".join(str(value).split())


def read_csv(text: str, draft: Draft) -> None:
    """Read rows with the delimiter that the text uses; a row counts as in a spreadsheet program."""
    csv.field_size_limit(LONGEST_CELL)
    try:
        dialect: Any = csv.Sniffer().sniff(text[:SNIFFED], DELIMITERS)
    except csv.Error:
        dialect = csv.excel
    draft.begin(Location())
    rows = csv.reader(io.StringIO(text, newline=""), dialect)
    read_rows(((number, [" ".join(cell.split()) for cell in row]) for number, row in enumerate(rows, 1)), draft)


def read_rows(rows: Numbered, draft: Draft) -> None:
    """Add the filled rows; the first may name the columns."""
    names: list[str] | None = None
    for number, cells in rows:
        if not any(cells):
            continue
        draft.row(headed_row(cells, names or ()), number)
        if names is None:
            names = column_names(cells)
