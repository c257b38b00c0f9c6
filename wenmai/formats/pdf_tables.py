"""Tables on the pages of a PDF: in cells that lines or boxes draw, and in columns that pdf_oxide finds without any."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from wenmai.formats.tables import CELL_JOINT, SEAM, GridRow, Table, body_lines, tables_in, title_text

Box = tuple[float, float, float, float]
"""Left, bottom, width and height in points; a page counts upwards."""
Grid = list[list[str]]
TOUCH, THIN = 2.0, 3.0  # points
MOST_EDGES = 3_000  # of a page: more are a drawing
LEAST_FILLED = 0.5  # share of the cells of a table that hold text: those of a chart's grid are empty
ROW = "\0"  # stands before a line that is a row


@dataclass(frozen=True, slots=True)
class PageTable:
    box: Box
    grid: Grid

    @property
    def top(self) -> float:
        return self.box[1] + self.box[3]


@dataclass(slots=True)
class TableReader:
    """Reads pages in their order: a table at the end of one may go on at the beginning of the next."""

    document: Any
    _open: Table | None = None
    """The table that the last page ends with."""

    def lines(self, page: int) -> list[str]:
        """Return the lines of a page from its top, each row of a table behind the sign of rows."""
        tables = page_tables(self.document, page)
        if not tables:
            self._open = None
            return str(self.document.extract_text(page)).strip().split("\n")
        boxes = [one.box for one in tables]
        texts = [
            (middle_of(one.bbox), one.text)
            for one in self.document.extract_text_lines(page)
            if not any(overlaps(box, one.bbox) for box in boxes)
        ]
        lines = list[str]()
        for one in tables:
            lines += [text for middle, text in texts if middle > one.top]
            texts = [(middle, text) for middle, text in texts if middle <= one.top]
            lines += [f"{ROW}{line}" for line in self.rows(one.grid, is_first=not any(map(is_text, lines)))]
        below = [text for _, text in texts]
        if any(map(is_text, below)):
            self._open = None
        return lines + below

    def rows(self, grid: Grid, *, is_first: bool) -> Iterator[str]:
        """Give the rows of a table, named by the head on an earlier page where it goes on from there."""
        before = self._open if is_first else None
        names = before.names if before and len(before.names) == max(map(len, grid)) else []
        rest = grid[1:] if names and grid[0] == names else grid
        cells = [names, *rest] if names else grid
        found = list(tables_in([GridRow(at, row) for at, row in enumerate(cells) if any(row)]))
        for table in found:
            yield from map(title_text, table.titles)
            yield from (line for at, line in body_lines(table) if at or not names)
        self._open = found[-1] if found and found[-1].names else None


def is_text(line: str) -> bool:
    """Return True for a line of text, not of a number of a page."""
    return any(char.isalpha() for char in line)


def page_tables(document: Any, page: int) -> list[PageTable]:
    """Return the tables of a page from its top."""
    found = list(drawn_tables(document, page))
    for table in document.extract_tables(page):
        grid = [[plain(cell["text"]) for cell in row["cells"]] for row in table["rows"]]
        if not any(overlaps(one.box, table["bbox"]) for one in found) and is_table(grid):
            found.append(PageTable(table["bbox"], grid))
    return sorted(found, key=lambda one: -one.top)


def is_table(grid: Grid) -> bool:
    cells = [cell for row in grid for cell in row]
    rows, columns = sum(any(row) for row in grid), sum(any(column) for column in zip(*grid, strict=False))
    return rows > 1 and columns > 1 and sum(map(bool, cells)) >= LEAST_FILLED * len(cells)


def middle_of(box: Box) -> float:
    return box[1] + box[3] / 2


def overlaps(one: Box, other: Box) -> bool:
    return all(one[at] < other[at] + other[at + 2] and other[at] < one[at] + one[at + 2] for at in (0, 1))


@dataclass(slots=True)
class Edges:
    """Edges that touch: upright and level ones."""

    upright: list[Box] = field(default_factory=list)
    level: list[Box] = field(default_factory=list)


def drawn_tables(document: Any, page: int) -> Iterator[PageTable]:
    """Give the tables that edges draw: text stands in the cell where it begins."""
    boxes: list[Box] = [one["bbox"] for one in (*document.extract_rects(page), *document.extract_lines(page))]
    edges = list(dict.fromkeys(edge for box in boxes for edge in edges_of(box)))
    if not edges or len(edges) > MOST_EDGES:
        return
    places = [
        (apart([edge[0] for edge in group.upright]), apart([edge[1] for edge in group.level]))
        for group in touching(edges)
    ]
    drawn = [(lefts, bottoms) for lefts, bottoms in places if len(lefts) > 2 and len(bottoms) > 2]
    words = document.extract_words(page) if drawn else ()
    for lefts, bottoms in drawn:
        grid = grid_of(words, lefts, bottoms)
        if is_table(grid):
            yield PageTable((lefts[0], bottoms[0], lefts[-1] - lefts[0], bottoms[-1] - bottoms[0]), grid)


def edges_of(box: Box) -> Iterator[Box]:
    """Give the edges of a box; a thin one is an edge itself."""
    left, bottom, width, height = box
    if width > THIN:
        yield left, bottom, width, 0.0
        if height > THIN:
            yield left, bottom + height, width, 0.0
    if height > THIN:
        yield left, bottom, 0.0, height
        if width > THIN:
            yield left + width, bottom, 0.0, height


def touching(edges: Sequence[Box]) -> list[Edges]:
    """Return the edges in groups that touch each other."""
    group = list(range(len(edges)))

    def first(at: int) -> int:
        while group[at] != at:
            group[at] = group[group[at]]
            at = group[at]
        return at

    order = sorted(range(len(edges)), key=lambda at: edges[at][1])
    for place, at in enumerate(order):
        left, bottom, width, height = edges[at]
        for other in order[place + 1 :]:
            near = edges[other]
            if near[1] > bottom + height + TOUCH:
                break
            if near[0] <= left + width + TOUCH and left <= near[0] + near[2] + TOUCH:
                group[first(other)] = first(at)
    found: dict[int, Edges] = {}
    for at, edge in enumerate(edges):
        own = found.setdefault(first(at), Edges())
        (own.level if edge[3] == 0 else own.upright).append(edge)
    return list(found.values())


def apart(places: Sequence[float]) -> list[float]:
    """Return places in order, those that touch as one."""
    kept: list[float] = []
    for place in sorted(places):
        if not kept or place > kept[-1] + TOUCH:
            kept.append(place)
    return kept


def grid_of(words: Sequence[Any], lefts: Sequence[float], bottoms: Sequence[float]) -> Grid:
    """Return the texts of cells from the top, their words line by line."""
    columns, rows = list(pairwise(lefts)), list(pairwise(bottoms))[::-1]
    held: dict[tuple[int, int], list[tuple[float, float, str]]] = {}
    for word in words:
        left, bottom, *_ = word.bbox
        middle = middle_of(word.bbox)
        row = next((at for at, (low, high) in enumerate(rows) if low <= middle < high), None)
        column = next((at for at, (low, high) in enumerate(columns) if low - TOUCH <= left < high - TOUCH), None)
        if row is not None and column is not None:
            held.setdefault((row, column), []).append((-round(bottom / TOUCH), left, word.text))
    return [
        [plain(" ".join(text for _, _, text in sorted(held.get((row, column), ())))) for column in range(len(columns))]
        for row in range(len(rows))
    ]


def plain(text: str) -> str:
    """Return the text of a cell in one line, without what parts cells."""
    return SEAM.sub("", " ".join(text.replace(CELL_JOINT.strip(), " ").split()))
