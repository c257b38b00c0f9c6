"""Tables in grids of cells: titles above them, heads of several rows, groups, notes below; rows as named text."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from tools.language import CHINESE, is_chinese

CELL_JOINT = " | "
STOPS = (".", "。", "!", "！", ";", "；")
GROUP = ("Group", "分组")  # what the column of groups is called, by whether they are Chinese
Cells = Sequence[str]
SEAM = re.compile(rf"(?<={CHINESE.pattern}) (?={CHINESE.pattern})")
YEAR_OR_MONTH = re.compile(r"(?:19|20)\d\d(?:[-/.]\d{1,2})?")  # a number that names a column
NOTE = re.compile(
    r"\s*(?:[*※†]|(?:notes?|sources?|remarks?|[备附]?注|说明|(?:数据|资料)?来源)\s*[:：\d])", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class GridRow:
    """A row as its file counts it; merged cells hold their value in each place, but their first one `again`."""

    number: int
    cells: Cells
    again: frozenset[int] = frozenset()

    @property
    def filled(self) -> list[str]:
        return [cell for cell in self.cells if cell]

    @property
    def is_single(self) -> bool:
        """True for a row that says one thing: a title, a group, a note; equal numbers are values."""
        filled = self.filled
        return len(set(filled)) == 1 and (len(filled) == 1 or not is_number(filled[0]))

    def part(self, first: int, last: int) -> "GridRow":
        return replace(self, cells=self.cells[first:last])


@dataclass(slots=True)
class CellCounts:
    """How many cells of each column are filled, and how many of these are numbers."""

    filled: Counter[int] = field(default_factory=Counter)
    numbers: Counter[int] = field(default_factory=Counter)

    def add(self, row: GridRow) -> None:
        for at, cell in enumerate(row.cells):
            if cell:
                self.filled[at] += 1
                self.numbers[at] += is_number(cell)

    @property
    def numeric(self) -> set[int]:
        """The columns of which most cells are numbers."""
        return {at for at, count in self.numbers.items() if 2 * count > self.filled[at]}


@dataclass(slots=True)
class Table:
    """Rows under the names of their columns; `head` is where these stand, `titles` what stands above, then below."""

    names: list[str]
    head: GridRow | None
    columns: frozenset[int]
    titles: list[GridRow] = field(default_factory=list)
    rows: list[tuple[GridRow, str]] = field(default_factory=list)
    """Each with the group that it stands under, or ''."""
    notes: list[GridRow] = field(default_factory=list)
    counts: CellCounts = field(default_factory=CellCounts)

    def add(self, row: GridRow, group: str) -> None:
        self.rows.append((row, group))
        self.counts.add(row)

    @property
    def amounts(self) -> set[int]:
        """The columns of numbers that are added up: behind one of text, no years. Others tell rows apart."""
        label = min(set(self.counts.filled) - self.counts.numeric, default=None)
        behind = {at for at in self.counts.numeric if label is not None and label < at}
        return {at for at in behind if not all(map(YEAR_OR_MONTH.fullmatch, self.values(at)))}

    def values(self, column: int) -> list[str]:
        return [row.cells[column] for row, _ in self.rows if column < len(row.cells) and row.cells[column]]


def tables_in(rows: Sequence[GridRow]) -> Iterator[Table]:
    """Give the tables of a sheet; text that stands by itself is the notes of one without rows."""
    open_table: Table | None = None
    waiting: list[GridRow] = []
    for block in with_heads(list(blocks_of(rows))):
        body = [row for row in block if not row.is_single]
        if not body:
            waiting += block
            continue
        if open_table and continues(open_table, block):
            open_table.notes += waiting
            fill(open_table, block)
        else:
            if open_table:
                below = [row for row in waiting if NOTE.match(row.filled[0]) or row.filled[0].endswith(STOPS)]
                open_table.notes += below
                waiting = [row for row in waiting if row not in below]
                yield open_table
            open_table = table_of(block, waiting)
        waiting = []
    if open_table:
        open_table.notes += waiting
        yield open_table
    elif waiting:
        yield Table([], None, frozenset(), notes=waiting)


def with_heads(blocks: Sequence[list[GridRow]]) -> Iterator[list[GridRow]]:
    """Give blocks of rows; a head that an empty row parts from the rows below it is of their block."""
    held: list[GridRow] = []
    for block in blocks:
        is_of_head = bool(held) and used_columns(block) == used_columns(held) and not heads_numbers(block)
        if held and not is_of_head:
            yield held
        block = [*held, *block] if is_of_head else block
        is_head_alone = not held and len(body_of(block)) == 1 and not block[-1].is_single and is_head(block[-1], ())
        held = block if is_head_alone else []
        if not is_head_alone:
            yield block
    if held:
        yield held


def heads_numbers(block: Sequence[GridRow]) -> bool:
    """Return True if the first row of a block is the head of columns with numbers."""
    return is_head(block[0], block[1:]) and bool(numeric_columns(block[1:]))


def blocks_of(rows: Sequence[GridRow]) -> Iterator[list[GridRow]]:
    """Give rows without an empty one between them, tables that stand side by side one after the other."""
    block: list[GridRow] = []
    for row in [*rows, GridRow(0, ())]:
        if row.filled:
            block.append(row)
        elif block:
            yield from beside_each_other(block)
            block = []


def beside_each_other(block: list[GridRow]) -> Iterator[list[GridRow]]:
    """Give the parts of a block on either side of an empty column: their heads are alike, or their lengths differ."""
    used = used_columns(block)
    width = max(used) + 1
    gaps = [at for at in range(min(used), width) if at not in used]
    for gap in gaps:
        left = [part for row in block if (part := row.part(0, gap)).filled]
        right = [replace(row, cells=[""] * gap + list(row.cells[gap:])) for row in block]
        right = [row for row in right if row.filled]
        ends = [rows[0].filled for rows in (body_of(left), body_of(right)) if rows]
        if len(ends) == len((left, right)) and min(len(used_columns(left)), len(used_columns(right))) > 1:
            is_alike = bool(set(ends[0]) & set(ends[1]))
            if is_alike or {row.number for row in body_of(left)} != {row.number for row in body_of(right)}:
                yield left
                yield from beside_each_other(right)
                return
    yield block


def body_of(block: Sequence[GridRow]) -> list[GridRow]:
    return [row for row in block if not row.is_single]


def used_columns(rows: Sequence[GridRow]) -> frozenset[int]:
    return frozenset(at for row in rows for at, cell in enumerate(row.cells) if cell)


def numeric_columns(rows: Iterable[GridRow]) -> set[int]:
    counts = CellCounts()
    for row in rows:
        counts.add(row)
    return counts.numeric


def continues(table: Table, block: Sequence[GridRow]) -> bool:
    """Return True if a block behind an empty row has more rows of a table, not a head of its own."""
    body = body_of(block)
    columns = used_columns(body)
    if not table.names or not columns <= table.columns:
        return False
    own = table.counts.numeric & columns
    if own:
        return any(is_number(cell) for at, cell in enumerate(body[0].cells) if at in own)
    return columns == table.columns and not block[0].is_single and not any(map(is_number, body[0].filled))


def table_of(block: Sequence[GridRow], above: Sequence[GridRow]) -> Table:
    """Return the table of a block with what stands above it as its titles."""
    first = next(at for at, row in enumerate(block) if not row.is_single)
    titles, rest = [*above, *block[:first]], block[first:]
    widths = Counter(len(row.filled) for row in body_of(rest))
    usual = max(widths, key=lambda width: (widths[width], width))
    at = next((at for at, row in enumerate(rest) if len(row.filled) >= max(2, usual - 1) and not row.is_single), 0)
    levels, begin = head_levels(rest, at)
    if not levels:
        table = Table([], None, used_columns(rest), titles)
        fill(table, rest)
        return table
    numbers = {row.number for row in levels}
    apart = [row for row in rest[:begin] if row.number not in numbers]
    columns = used_columns(body_of(rest[begin:]) or levels)
    names = names_of(levels, columns)
    remarks = [row for row in apart if is_level(row)]
    titles += [row for row in apart if row not in remarks]
    table = Table(names, replace(levels[-1], cells=names), columns, titles, notes=remarks)
    fill(table, rest[begin:])
    return table


def head_levels(rest: Sequence[GridRow], at: int) -> tuple[list[GridRow], int]:
    """Return the rows that name the columns, from the row at `at` on, and where the body begins; [] for none."""
    if len(rest) <= at + 1 or not is_head(rest[at], rest[at + 1 :]):
        return [], 0
    levels = [replace(row, cells=spread(row.cells)) for row in rest[:at] if is_level(row)]
    levels.append(rest[at])
    end = at + 1
    while end < len(rest) - 1 and is_head(rest[end], rest[end + 1 :]):
        numeric = numeric_columns(rest[end + 1 :])
        is_text_on_numbers = any(cell and not is_number(cell) for n, cell in enumerate(rest[end].cells) if n in numeric)
        if not (is_text_on_numbers and numeric) and len(set(rest[end - 1].filled)) == len(rest[end - 1].filled):
            break
        levels.append(rest[end])
        end += 1
    return (levels if nest(levels) else levels[-1:]), end


def nest(levels: Sequence[GridRow]) -> bool:
    """Return True if rows are levels of one head: where a name begins in one, one begins in all below, or none stands.

    Remarks above a head, which are written into any cells, do not nest so.
    """
    for at, upper in enumerate(levels):
        for column in starts_of(upper):
            below = [column < len(row.cells) and row.cells[column] != "" for row in levels[at + 1 :]]
            is_begun = all(
                column in starts_of(row) for row, is_filled in zip(levels[at + 1 :], below, strict=True) if is_filled
            )
            if not is_begun or sorted(below, reverse=True) != below:
                return False
    return True


def starts_of(row: GridRow) -> set[int]:
    """Return the columns in which the names of a row begin: one that is repeated goes on."""
    return {at for at, cell in enumerate(row.cells) if cell and (at == 0 or cell != row.cells[at - 1])}


def is_head(row: GridRow, below: Sequence[GridRow]) -> bool:
    """Return True if a row may name columns: no numbers, but for years over what is none."""
    years = {at for at, cell in enumerate(row.cells) if YEAR_OR_MONTH.fullmatch(cell)}
    others = [cell for at, cell in enumerate(row.cells) if cell and at not in years]
    values = [one.cells[at] for one in below for at in years if at < len(one.cells) and one.cells[at]]
    is_of_years = bool(values) and all(map(YEAR_OR_MONTH.fullmatch, values))
    return not row.is_single and not any(map(is_number, others)) and not is_of_years and bool(others or years)


def is_level(row: GridRow) -> bool:
    """Return True for a row above a head that names several columns at once: with a value again, or room behind it."""
    first = next(at for at, cell in enumerate(row.cells) if cell)
    cells = list(row.cells[first:])
    repeated = any(one and one == other for one, other in pairwise(cells))
    inner = "".join("x" if cell else " " for cell in cells).rstrip()
    colon = any(cell.endswith((":", "：")) for cell in row.filled)
    return is_head(row, ()) and (repeated or " " in inner) and not colon and not row.is_single


def spread(cells: Cells) -> list[str]:
    """Return cells with each value also in the empty places behind it."""
    found: list[str] = []
    for cell in cells:
        found.append(cell or (found[-1] if found else ""))
    return found


def names_of(levels: Sequence[GridRow], columns: frozenset[int]) -> list[str]:
    """Return the names of columns: of several levels one behind the other; one without a name has its letters."""
    names: list[str] = []
    for at in range(max(columns) + 1):
        parts = dict.fromkeys(row.cells[at] for row in levels if at < len(row.cells) and row.cells[at])
        name = SEAM.sub("", " ".join(parts)) or (column_letters(at) if at in columns else "")
        again = sum(one == name or one.startswith(f"{name} (") for one in names) if name else 0
        names.append(f"{name} ({again + 1})" if again else name)
    return names


def column_letters(at: int) -> str:
    """Return the letters of a column as spreadsheet programs count it: A for 0, AA for 26."""
    rest, letter = divmod(at, 26)
    return (column_letters(rest - 1) if rest else "") + chr(ord("A") + letter)


def fill(table: Table, rows: Sequence[GridRow]) -> None:
    """Add rows to a table, each under its group: a row that says one thing, in the first column or over several."""
    group = ""
    numeric = numeric_columns(rows) & table.columns
    last = max((at for at, row in enumerate(rows) if not is_remark(row, numeric, len(table.columns))), default=-1)
    for at, row in enumerate(rows):
        if table.head is not None and [cell for cell in table.head.cells if cell] == row.filled:
            continue  # the head again, on the next page
        if at > last:
            table.notes.append(row)
        elif row.is_single and table.names and is_group(row, table):
            group = row.filled[0]
        else:
            table.add(row, group)


def is_remark(row: GridRow, numeric: set[int], columns: int) -> bool:
    """Return True for a row that says one thing, or little and nothing of it in numbers where others have them."""
    has_numbers = any(at in numeric and is_number(cell) for at, cell in enumerate(row.cells))
    return row.is_single or (bool(numeric) and not has_numbers and 2 * len(row.filled) <= columns)


def is_group(row: GridRow, table: Table) -> bool:
    return len(row.filled) > 1 or (len(table.columns) > 2 and bool(row.cells[min(table.columns)]))


def headed_row(cells: Cells, names: Cells) -> str:
    """Return a row with the name of its column before each cell: 姓名: 张三 | 年龄: 30."""
    named = zip(cells, [*names, *[""] * len(cells)], strict=False)
    return CELL_JOINT.join(f"{name}: {cell}" if name else cell for cell, name in named if cell)


def is_number(cell: str) -> bool:
    """Return True if a cell holds a number, an amount or a date in digits."""
    digits = sum(char.isdigit() for char in cell)
    return digits > 0 and not any(char.isalpha() for char in cell)


def table_rows(rows: Sequence[Cells]) -> list[str]:
    """Return the rows of one table as text, each with the names of its columns; a head without rows as it is."""
    grid = [GridRow(at, [" ".join(cell.split()) for cell in row]) for at, row in enumerate(rows, 1)]
    tables = list(tables_in([row for row in grid if row.filled]))
    return [text for one in tables for text in (*map(title_text, one.titles), *(line for _, line in body_lines(one)))]


def title_text(row: GridRow) -> str:
    return row.filled[0] if row.is_single else CELL_JOINT.join(row.filled)


def body_lines(table: Table) -> Iterator[tuple[int, str]]:
    """Give the lines of a table below its titles with their numbers: the head, rows, notes."""
    lines = [(table.head.number, CELL_JOINT.join(table.head.filled))] if table.head else []
    once = table.amounts if any(row.again for row, _ in table.rows) else set[int]()
    for row, group in table.rows:
        cells = ["" if at in row.again & once else cell for at, cell in enumerate(row.cells)]
        if group:
            lines.append((row.number, headed_row([group, *cells], [GROUP[is_chinese(group)], *table.names])))
        else:
            lines.append((row.number, headed_row(cells, table.names)))
    lines += [(row.number, title_text(row)) for row in table.notes]
    yield from sorted(lines, key=lambda line: line[0])
