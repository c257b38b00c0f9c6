"""Titles of a PDF without an outline, by its print: lines larger than the text, or bold and apart from it."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

LARGER = 1.1  # times the size of the text
APART = 1.5  # sizes of a bold line between its foot and that of the line above
SAME_LINE = 2.0  # points between the feet of words of one line
LONGEST = 120
MOST_PAGES = 2  # a line on more pages is a running head
MOST_LINES = 0.5  # share of the lines of a file: more are no titles
NUMBER = re.compile(r"\d{1,4}")  # of a page, in a running head
LEADERS = re.compile(r"(?:[.…·]\s*){4,}")
"""What a table of contents has before the number of a page."""
ENDS = tuple("。，；：、.,;:")


@dataclass(frozen=True, slots=True)
class PrintedLine:
    """A line of a page with its size, to half points; `is_bold` if all of it is and it is apart from what is above."""

    text: str
    size: float
    is_bold: bool


def printed_titles(document: Any) -> dict[int, list[tuple[int, str]]]:
    """Return the lines that are printed as titles by their pages, which count from 1, each behind its level.

    The largest have level 1, bold ones of the size of the text the last.
    """
    pages = [list(printed_lines(document.extract_spans(page))) for page in range(document.page_count())]
    lines = [(page, line, head_forms(line.text, page)) for page, found in enumerate(pages, 1) for line in found]
    sizes = Counter[float]()
    for _, line, _ in lines:
        sizes[line.size] += len(line.text)
    text_size = max(sizes, key=lambda size: sizes[size], default=0.0)
    repeated = Counter(form for _, form in {(page, form) for page, _, forms in lines for form in forms})
    kept = [
        (page, line)
        for page, line, forms in lines
        if (line.size >= LARGER * text_size or (line.is_bold and line.size >= text_size))
        and all(repeated[form] <= MOST_PAGES for form in forms)
        and may_be_title(line.text)
    ]
    levels = {size: at for at, size in enumerate(sorted({line.size for _, line in kept}, reverse=True), 1)}
    titles = defaultdict[int, list[tuple[int, str]]](list)
    for page, line in kept if len(kept) <= MOST_LINES * len(lines) else ():
        titles[page].append((levels[line.size], line.text))
    return titles


def head_forms(line: str, page: int) -> set[str]:
    """Return what is the same of a running head on each page: the line, and it with a number less the page's."""
    return {
        line,
        *(f"{line[: one.start()]}{int(one[0]) - page:+}{line[one.end() :]}" for one in NUMBER.finditer(line)),
    }


def may_be_title(text: str) -> bool:
    is_long = len(text) > LONGEST
    return any(map(str.isalpha, text)) and not is_long and not text.endswith(ENDS) and not LEADERS.search(text)


def printed_lines(spans: list[Any]) -> Iterator[PrintedLine]:
    """Yield the lines of a page that words in reading order make."""
    rows: list[list[Any]] = []
    for span in spans:
        if not span.text.strip():
            continue
        if rows and abs(span.bbox[1] - rows[-1][-1].bbox[1]) <= SAME_LINE:
            rows[-1].append(span)
        else:
            rows.append([span])
    for above, row, below in zip([None, *rows], rows, [*rows[1:], []], strict=False):
        size = min(span.font_size for span in row)
        gap = above[0].bbox[1] - row[0].bbox[1] if above else APART * size
        is_bold = all(span.is_bold for span in row) and abs(gap) >= APART * size and not heads_columns(row, below, size)
        yield PrintedLine(" ".join(span.text.strip() for span in row), round(size * 2) / 2, is_bold)


def heads_columns(row: list[Any], below: list[Any], size: float) -> bool:
    """Return True if a gap of this size goes on in the line below, as between columns; both begin with words."""
    shared = [min(end, stop) - max(start, begin) for start, end in gaps(row) for begin, stop in gaps(below)]
    are_words = all(any(map(str.isalpha, line[0].text)) for line in (row, below) if line)
    return are_words and max(shared, default=0.0) >= size


def gaps(row: list[Any]) -> list[tuple[float, float]]:
    return [(one.bbox[0] + one.bbox[2], after.bbox[0]) for one, after in pairwise(row)]
