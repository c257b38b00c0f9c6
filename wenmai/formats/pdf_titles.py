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
    lines = [(page, line) for page, found in enumerate(pages, 1) for line in found]
    sizes = Counter[float]()
    for _, line in lines:
        sizes[line.size] += len(line.text)
    text_size = max(sizes, key=lambda size: sizes[size], default=0.0)
    repeated = Counter(text for found in pages for text in {line.text for line in found})
    kept = [
        (page, line)
        for page, line in lines
        if (line.size >= LARGER * text_size or (line.is_bold and line.size >= text_size))
        and repeated[line.text] <= MOST_PAGES
        and may_be_title(line.text)
    ]
    levels = {size: at for at, size in enumerate(sorted({line.size for _, line in kept}, reverse=True), 1)}
    titles = defaultdict[int, list[tuple[int, str]]](list)
    for page, line in kept if len(kept) <= MOST_LINES * len(lines) else ():
        titles[page].append((levels[line.size], line.text))
    return titles


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
    for above, row in pairwise([None, *rows]):
        size = min(span.font_size for span in row or ())
        gap = above[0].bbox[1] - row[0].bbox[1] if above and row else APART * size
        is_bold = all(span.is_bold for span in row or ()) and abs(gap) >= APART * size
        yield PrintedLine(" ".join(span.text.strip() for span in row or ()), round(size * 2) / 2, is_bold)
