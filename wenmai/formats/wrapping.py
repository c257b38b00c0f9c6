"""Lines that only a layout has broken, put together again; verses, speech and lists stay as they are."""

import re
from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from tools.language import CHINESE, HAN
from tools.text.sentences import ITEM, width

WRAPPED_SHARE = 0.75  # a line this near to the longest of its page was broken by the layout
SENTENCE_ENDS = tuple("。！？!?：:；;.")
NARROWEST, WIDEST = 28, 140  # columns of a layout: narrower lines are verses, wider ones paragraphs
LEAST_LINES = 4
COLUMN = 8  # lines on either side that show the width of a column
USUAL = 0.95  # the width that so many of the lines do not exceed is the layout's
FULL_CHINESE, FULL_LATIN = 0.9, 0.88
LEAST_FULL = 0.25  # share of full lines among those that another line follows
LEAST_STOPPED = 0.15  # share of full lines with the end of a sentence within: verses and lists have it at their ends
LEAST_BROKEN = 0.5  # share of them that end in the middle of a sentence, and in Latin go on in lower case
STOPS = tuple("。！？!?….”」』\"'’—")

_INNER_STOP = re.compile(r"[。！？](?!.?$)|[.!?]\s")


@dataclass(frozen=True, slots=True)
class LineLayout:
    """The width that broke the lines of a text; `is_marked` is True where blank lines or indents divide paragraphs."""

    width: int
    is_marked: bool


def paragraphs(text: str) -> list[str]:
    """Return the paragraphs of a page: lines near to its longest, or full in their column, go on in the next one."""
    lines = [line for one in text.split("\n") if (line := one.rstrip())]
    widths = [width(line) for line in lines]
    longest = max(widths, default=0)
    found: list[str] = []
    wraps = False
    for at, line in enumerate(lines):
        if wraps:
            found[-1] = joined(found[-1], line.lstrip())
        else:
            found.append(line)
        is_full = widths[at] >= WRAPPED_SHARE * longest or _fills_column(lines, widths, at)
        wraps = is_full and not line.endswith(SENTENCE_ENDS)
    return found


def _fills_column(lines: Sequence[str], widths: Sequence[int], at: int) -> bool:
    """Return True for a line of a narrow column that was full when the first word of the next line came.

    Half of the lines around it are full lines. What goes on in lower case may be a little shorter; a capital letter
    follows a small one.
    """
    if at + 1 == len(lines) or HAN.search(lines[at]) or _is_apart(lines[at], lines[at + 1]):
        return False
    usual = int(median(widths[max(0, at - COLUMN) : at + COLUMN + 1]))
    following = lines[at + 1].split(maxsplit=1)[0]
    is_capital = following[0].isupper()
    if usual < NARROWEST or (is_capital and not lines[at].split()[-1][0].islower()):
        return False
    return widths[at] + 1 + width(following) >= (1.0 if is_capital else FULL_LATIN) * usual


def layout_of(texts: Iterable[str]) -> LineLayout | None:
    lines = [line.rstrip() for text in texts for line in (*text.split("\n"), "")]
    widths = sorted(width(line) for line in lines if line)
    if len(widths) < LEAST_LINES:
        return None
    layout = LineLayout(widths[int(USUAL * (len(widths) - 1))], _is_marked(lines))
    if not NARROWEST <= layout.width <= WIDEST or widths[-1] > 2 * WIDEST:
        return None
    followed = [(line, after) for line, after in pairwise(lines) if line and after and not _is_apart(line, after)]
    full = [(line, after) for line, after in followed if _is_full(line, after, layout)]
    broken = [after for line, after in full if not line.endswith(STOPS) and not after.lstrip()[0].isupper()]
    stopped = sum(bool(_INNER_STOP.search(line)) for line, _ in full)
    is_full = len(full) >= LEAST_FULL * len(followed) and stopped >= LEAST_STOPPED * len(full)
    return layout if is_full and len(broken) > LEAST_BROKEN * len(full) else None


def unwrapped(text: str, layout: LineLayout) -> str:
    """Return a text with the lines that its layout has broken put together: Chinese without a blank, else with one."""
    return "\n".join(line for _, line in unwrapped_lines(text.split("\n"), layout))


def unwrapped_lines(
    lines: Sequence[str], layout: LineLayout, fixed: Container[int] = frozenset()
) -> list[tuple[int, str]]:
    """Return lines that were put together, each with the number of its first one, from 1; `fixed` ones stay."""
    found: list[tuple[int, str]] = []
    before = ""
    for number, line in enumerate(lines, 1):
        ends = before.rstrip().endswith(STOPS) and not layout.is_marked
        if (
            before.strip()
            and line.strip()
            and not ends
            and not (number in fixed or number - 1 in fixed)
            and _is_full(before, line, layout)
            and not _is_apart(before, line)
        ):
            found[-1] = found[-1][0], joined(found[-1][1].rstrip(), line.strip())
        else:
            found.append((number, line))
        before = line
    return found


def joined(line: str, rest: str) -> str:
    """Put a broken line together: Chinese without a blank, a divided word without its hyphen."""
    if CHINESE.match(line[-1]) or CHINESE.match(rest[0]):
        return line + rest
    if line.endswith("-") and not line.endswith("--") and rest[0].islower():
        return line[:-1] + rest
    return line + rest if line.endswith("--") else f"{line} {rest}"


def _is_full(line: str, after: str, layout: LineLayout) -> bool:
    """Return True if the first word of the next line had no room any more."""
    if HAN.search(line):
        return width(line) >= FULL_CHINESE * layout.width
    return width(line) + 1 + width(after.split(maxsplit=1)[0]) >= FULL_LATIN * layout.width


def _is_apart(line: str, after: str) -> bool:
    """Return True if the next line is an item, is indented in Chinese, or more than this one."""
    is_indented = after[0].isspace() and (bool(HAN.search(after)) or not line[0].isspace())
    return is_indented or bool(ITEM.match(after))


def _is_marked(lines: Sequence[str]) -> bool:
    """Return True if paragraphs are divided by blank lines or begin with an indent."""
    filled = [line for line in lines if line]
    blank = sum(not line for line in lines)
    indented = sum(line[0].isspace() for line in filled)
    return blank > len(filled) / 50 or indented > len(filled) / 50
