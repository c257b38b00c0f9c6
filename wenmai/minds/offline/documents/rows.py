"""The rows of an uploaded table that a question asks for."""

import re
from collections.abc import Sequence

from state.schema import Evidence
from tools.documents.query_table import NAME as QUERY_TABLE
from tools.documents.tables import ROW as ROW
from tools.documents.tables import TableRow, cells_of
from tools.story.linking import fold
from tools.text.sentences import CELLS as CELLS
from wenmai.minds.offline.documents.asking import HALF, above, asked_words, said_share
from wenmai.minds.offline.documents.tables import tables_of

_BEFORE, _BEHIND = r"(?<![a-z0-9])(?<!\d[.])", r"(?![a-z0-9])(?![.]\d)"
_LEAST_CELL = 2  # characters: 男 and 是 are in any question
_COUNTS = re.compile(r"(?:几|多少)[个名位人行条项家种款笔]|\bhow many\b", re.IGNORECASE)


def asked_rows(question: str, chunks: Sequence[Evidence]) -> list[TableRow]:
    """Return the rows that a question asks for, each once though chunks overlap.

    The question names a cell whole, as it stands, and the row says each of its content words: 李娜在哪个部门 has the
    cell 李娜 and the column 部门. What stands above the table, its file and its sheet, says them as well.
    """
    asked, wanted = fold(question), asked_words(question)
    return [
        row
        for rows in tables_of(chunks).values()
        for row in rows
        if row.piece["tool"] == QUERY_TABLE
        or (names_cell(asked, row.text) and said_share(wanted, f"{row.text}\n{' '.join(above(row.piece))}") == 1)
    ]


def counted(question: str, rows: Sequence[TableRow]) -> int | None:
    """Return how many rows a question counts, None where it counts none.

    A single row is no count: it may have the number in a cell.
    """
    return len(rows) if len(rows) > 1 and _COUNTS.search(question) else None


def is_row_asked(question: str, sentence: str, piece: Evidence) -> bool:
    """Return False for a row of a table that says no more than half of the question's words."""
    lines = [line for line in sentence.split("\n") if ROW.match(line)]
    text = "\n".join([*lines, *above(piece)])
    return not lines or said_share(asked_words(question), text) > HALF


def names_cell(asked: str, row: str) -> bool:
    """Return True if a question holds one of a row's values, of letters and digits only as a whole word."""
    values = {fold(value) for value in cells_of(row).values()}
    return any(len(value) >= _LEAST_CELL and holds(asked, value) for value in values)


def holds(text: str, value: str) -> bool:
    """Return True if a text holds a value, and not as a part of a longer word or number."""
    before, behind = _BEFORE if value[0].isascii() else "", _BEHIND if value[-1].isascii() else ""
    return re.search(f"{before}{re.escape(value)}{behind}", text) is not None
