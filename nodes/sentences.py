"""Where the sentences of a text stand, also where its lines are broken in the middle of one."""

import re
from collections.abc import Iterator
from itertools import pairwise

from tools.language import CHINESE, is_chinese

SENTENCE = re.compile(r"[^。！？!?…\n]*[。！？!?…\n]+[”」』’\"]*|[^。！？!?…\n]+")
EN_SENTENCE = re.compile(r"[^.!?\n]+[.!?\n]*[”\"’]*\s*")
WRAPPED_SHARE = 0.75  # a line this near to the longest of its text was broken by its layout
LEAST_WIDTH = 40  # columns: shorter lines are verses, headings, items
ENDS = tuple('。！？!?…：:；;.”」』"')
ITEM = re.compile(r"\s*(?:[-*•·#>|]|\(?\d{1,3}[.)、）]|[（(]?[一二三四五六七八九十]{1,3}[、）)])")
CELLS = " | "  # what a line of a table has
Span = tuple[int, int]


def pattern_of(text: str) -> re.Pattern[str]:
    """Return the sentence pattern of a text's script."""
    return SENTENCE if is_chinese(text) else EN_SENTENCE


def sentence_spans(text: str, start: int = 0, end: int | None = None) -> list[Span]:
    """Return the half-open offsets of the sentences of a text, or of a part of it; one that is wrapped is one."""
    found: list[Span] = []
    last = len(text) if end is None else end
    breaks = set(wrapped_at(text))
    for match in pattern_of(text).finditer(text, start, last):
        if found and found[-1][1] - 1 in breaks:
            found[-1] = (found[-1][0], match.end())
        else:
            found.append(match.span())
    return found


def wrapped_at(text: str) -> Iterator[int]:
    """Yield where a line ends in the middle of a sentence: it is about as long as any, and no other thing follows."""
    lines = text.split("\n")
    longest = max(map(width, lines))
    at = -1
    for line, following in pairwise(lines):
        at += len(line) + 1
        is_full = width(line) >= max(LEAST_WIDTH, WRAPPED_SHARE * longest)
        goes_on = bool(following.strip()) and not ITEM.match(following) and CELLS not in line + following
        if is_full and goes_on and not line.rstrip().endswith(ENDS):
            yield at


def on_one_line(text: str) -> str:
    """Return a text without its line breaks; a Chinese sentence that is wrapped gets no blank in their place."""
    seamless = {at for at in wrapped_at(text) if CHINESE.match(text[at - 1]) and CHINESE.match(text[at + 1])}
    return " ".join("".join(sign for at, sign in enumerate(text) if at not in seamless).split())


def width(line: str) -> int:
    """Return how wide a line is set: a Chinese character takes two columns."""
    return len(line) + len(CHINESE.findall(line))
