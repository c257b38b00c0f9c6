"""Rows of tables as text: each cell with the name of its column."""

from collections.abc import Sequence

CELL_JOINT = " | "


def headed_row(cells: Sequence[str], names: Sequence[str]) -> str:
    """Return a row with the name of its column before each cell: 姓名: 张三 | 年龄: 30."""
    named = zip(cells, [*names, *[""] * len(cells)], strict=False)
    return CELL_JOINT.join(f"{name}: {cell}" if name else cell for cell, name in named if cell)


def column_names(cells: Sequence[str]) -> list[str]:
    """Return the names that the first row of a table gives its columns; [] where it is a row like the others."""
    filled = [cell for cell in cells if cell]
    is_head = len(filled) >= 1 and len(set(filled)) == len(filled) and not any(map(is_number, filled))
    return list(cells) if is_head else []


def is_number(cell: str) -> bool:
    """Return True if a cell holds a number, an amount or a date in digits."""
    digits = sum(char.isdigit() for char in cell)
    return digits > 0 and not any(char.isalpha() for char in cell)


def table_rows(rows: Sequence[Sequence[str]]) -> list[str]:
    """Return the rows of a table as text, each with the names of its columns; a head without rows as it is."""
    filled = [[" ".join(cell.split()) for cell in row] for row in rows]
    filled = [row for row in filled if any(row)]
    names = column_names(filled[0]) if len(filled) > 1 else []
    return [headed_row(row, names if at else ()) for at, row in enumerate(filled)]
