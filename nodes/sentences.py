"""Spans of the sentences of a text, also of those that are wrapped over several lines."""

import re
from collections.abc import Iterator
from itertools import pairwise

from tools.language import CHINESE, is_chinese

SENTENCE = re.compile(r"[^。！？!?…\n]*[。！？!?…\n]+[”」』’\"]*|[^。！？!?…\n]+")
EN_SENTENCE = re.compile(r"[^.!?\n]+[.!?\n]*[”\"’]*\s*")
WRAPPED_SHARE = 0.75  # a line this near to the longest of its text was broken by its layout
CHINESE_SHARE = 0.9  # its lines may be broken behind any character: a full one is as long as the longest
LEAST_WIDTH = 40  # columns: shorter lines are verses, headings, items
MOST_LINES = 3  # of one sentence: what goes on for longer is a list or a poem
LONGEST = 200  # characters of a sentence that is put together: no more is quoted
STOPS = tuple('。！？!?….”」』"')
ENDS = (*STOPS, *"：:；;")
ITEM = re.compile(r"\s*(?:[-*•·#>|]|\(?\d{1,3}[.)、）]|[（(]?[一二三四五六七八九十]{1,3}[、）)])")
CELLS = " | "  # what a line of a table has
Span = tuple[int, int]


def pattern_of(text: str) -> re.Pattern[str]:
    """Return the sentence pattern of a text's script."""
    return SENTENCE if is_chinese(text) else EN_SENTENCE


def sentence_spans(text: str, start: int = 0, end: int | None = None) -> list[Span]:
    """Return the half-open offsets of the sentences of a text, or of a part of it; a wrapped sentence is one."""
    breaks = set(wrapped_at(text))
    groups: list[list[Span]] = []
    for match in pattern_of(text).finditer(text, start, len(text) if end is None else end):
        if groups and not breaks.isdisjoint(range(*gap(text, groups[-1][-1]))):
            groups[-1].append(match.span())
        else:
            groups.append([match.span()])
    wholes = ([(group[0][0], group[-1][1])] if is_sentence(text, group) else group for group in groups)
    return [span for group in wholes for span in group]


def gap(text: str, span: Span) -> Span:
    """Return the blanks at the end of a span."""
    start, end = span
    return start + len(text[start:end].rstrip()), end


def is_sentence(text: str, lines: list[Span]) -> bool:
    """Return True if lines are one short sentence with an end; lists and poems have several, or no end."""
    whole = text[lines[0][0] : lines[-1][1]].strip()
    return len(lines) <= MOST_LINES and len(whole) <= LONGEST and whole.endswith(STOPS)


def wrapped_at(text: str) -> Iterator[int]:
    """Yield the offsets of line breaks that may be in a sentence: the line is full, no item or paragraph follows."""
    lines = text.split("\n")
    if len(lines) == 1:
        return
    longest = max(map(width, lines))
    at = -1
    for line, following in pairwise(lines):
        at += len(line) + 1
        share = CHINESE_SHARE if CHINESE.search(line) else WRAPPED_SHARE
        is_full = width(line) >= max(LEAST_WIDTH, share * longest)
        if is_full and goes_on(line, following) and not line.rstrip().endswith(ENDS):
            yield at


def goes_on(line: str, following: str) -> bool:
    """Return True if a line may continue in the next one, which is no item, row or indented paragraph."""
    if not following.strip() or ITEM.match(following) or CELLS in line + following:
        return False
    return not (following[0].isspace() and CHINESE.match(following.lstrip()))


def on_one_line(text: str) -> str:
    """Return a text without its line breaks; between Chinese characters no blank replaces them."""
    spans = sentence_spans(text)
    inside = {at for at in wrapped_at(text) if any(start <= at < gap(text, (start, end))[0] for start, end in spans)}
    seamless = {at for at in inside if CHINESE.match(text[at - 1]) and CHINESE.match(text[at + 1])}
    return " ".join("".join(sign for at, sign in enumerate(text) if at not in seamless).split())


def width(line: str) -> int:
    """Return the width of a line in columns; a Chinese character takes two."""
    return len(line) + len(CHINESE.findall(line))
