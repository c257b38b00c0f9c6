"""The rows of an uploaded table that a question asks for (DOC-06)."""

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from state.schema import Evidence
from tools.story.linking import fold

ROW = re.compile(r"^[^|]*\S: [^|]*(?: \| [^|]*\S: [^|]*)+$")  # 姓名: 张三 | 年龄: 30
CELL = re.compile(r"(?:^| \| )[^|]*?\S: ([^|]*?)(?= \| |$)")
BEFORE, BEHIND = r"(?<![a-z0-9])(?<!\d[.])", r"(?![a-z0-9])(?![.]\d)"
LEAST_CELL = 2  # characters: 男 and 是 stand in any question
MOST_ROWS = 10
# What counts things that may be the rows of a table.
COUNTS = re.compile(r"(?:几|多少)[个名位人行条项家种款笔]|\bhow many\b", re.IGNORECASE)


class Row(NamedTuple):
    """A row of a table: its file, where it begins there, and its text."""

    source: str | None
    start: int
    text: str


def asked_rows(question: str, words: Sequence[str], text: str, above: str) -> list[int]:
    """Return the numbers of the lines that are rows which a question asks for.

    The question names a cell whole, as it stands, and the row says each of its content words: 李娜在哪个部门 has the
    cell 李娜 and the column 部门. What stands `above` the table, its file and its sheet, says them as well. A table
    needs no more words in common: its rows are no sentences.
    """
    asked, wanted = fold(question), [fold(word) for word in words]
    told = fold(above)
    return [
        at
        for at, line in enumerate(text.split("\n"))
        if ROW.match(line) and names_cell(asked, line) and all(word in fold(line) or word in told for word in wanted)
    ]


def distinct(chunks: Sequence[Evidence], asked: Sequence[Sequence[int]]) -> list[list[int]]:
    """Return the asked rows of each chunk without those that another chunk has: what two chunks share is one row."""
    rows = [row_of(piece, number) for piece, numbers in zip(chunks, asked, strict=True) for number in numbers]
    repeated = {at for at, row in enumerate(rows) if any(same(row, other, at > n) for n, other in enumerate(rows))}
    left = iter(range(len(rows)))
    return [[number for number in numbers if next(left) not in repeated] for numbers in asked]


def row_of(piece: Evidence, number: int) -> Row:
    """Return the row on a line of a chunk."""
    lines = piece["text"].split("\n")
    return Row(piece["source"], (piece["start"] or 0) + sum(len(line) + 1 for line in lines[:number]), lines[number])


def same(row: Row, other: Row, is_later: bool) -> bool:
    """Tell whether a row is a part of another one of its document, or that row again; chunks may cut a long row."""
    if row.source != other.source or (len(row.text), not is_later) >= (len(other.text), True):
        return False
    first, second = sorted((row, other), key=lambda one: one.start)
    at = second.start - first.start
    shared = first.text[at : at + len(second.text)]
    return at <= len(first.text) and second.text.startswith(shared)


def counted(question: str, asked: Sequence[Sequence[int]]) -> int | None:
    """Return how many rows a question counts of those that it asks for, None where it counts none.

    A single row is no count: it may have the number in a cell.
    """
    count = sum(map(len, asked)) if COUNTS.search(question) else 0
    return count if count > 1 else None


def names_cell(asked: str, row: str) -> bool:
    """Tell whether a question holds one of a row's values, of letters and digits only as a whole word."""
    values = {fold(value) for value in CELL.findall(row)}
    return any(len(value) >= LEAST_CELL and holds(asked, value) for value in values)


def holds(text: str, value: str) -> bool:
    """Tell whether a text holds a value, and not as a part of a longer word or number."""
    before, behind = BEFORE if value[0].isascii() else "", BEHIND if value[-1].isascii() else ""
    return re.search(f"{before}{re.escape(value)}{behind}", text) is not None


def neighbouring(numbers: Sequence[int]) -> list[tuple[int, int]]:
    """Return runs of numbers, each as its first and last: 2, 3, 5 are (2, 3) and (5, 5)."""
    cuts = [at for at, (one, next_one) in enumerate(pairwise(numbers), 1) if next_one != one + 1]
    starts, ends = [0, *cuts], [*cuts, len(numbers)]
    return [(numbers[start], numbers[end - 1]) for start, end in zip(starts, ends, strict=True) if end > start]
