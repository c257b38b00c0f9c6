"""The one splitter of sentences: by a library that knows abbreviations, decimals and quotation marks, line by line.

A line end is the end of a sentence, but where the layout of a file broke the line.
"""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from itertools import pairwise

# pyright does not see through its compiled module.
from sentencex import get_sentence_boundaries  # pyright: ignore[reportAttributeAccessIssue]

from tools.language import CHINESE, HAN

WRAPPED_SHARE = 0.75  # a line this near to the longest of its text was broken by its layout
CHINESE_SHARE = 0.9  # its lines may be broken behind any character: a full one is as long as the longest
LEAST_WIDTH = 40  # columns: shorter lines are verses, headings, items
MOST_LINES = 3  # of one sentence: what goes on for longer is a list or a poem
LONGEST = 200  # characters of a sentence that is put together: no more is quoted
STOPS = tuple('。！？!?….”」』"')
ENDS = (*STOPS, *"：:；;")
ITEM = re.compile(r"\s*(?:[-*•·#>|]|\(?\d{1,3}[.)、）]|[（(]?[一二三四五六七八九十]{1,3}[、）)])")
CELLS = " | "  # what a line of a table has
PROPERTY = " · "  # between a page and a property of it
TIME_BEHIND = "{text} ({time})"
"""A message of a chat, or a subtitle, with its time."""
TIMED = re.compile(r"\(\d{1,2}:\d{2}(?::\d{2})?\)$", re.MULTILINE)
"""The end of one: its time."""
PIECE = 4_000  # characters that the library reads at once: its time grows with the square of them
_PIECE_END = re.compile(r"[。！？…]+[”’」』）]*|[!?]+[\"”’]?\s|(?<=[a-z]{5})\.[\"”’]?\s")
_CLOSING = re.compile(r"[”’」』》）〉】]+")
_OPENING = "\"'“‘「『(["
_ORDINARY = re.compile(r"\b(?:me|may|no|ill|art|fed|con|miss)(?=\.\W+\D)")  # the library has them as abbreviations
_OPENED = re.compile(r"(?<!\S)[\"“'‘](?=\w)")
_MARK = re.compile(r"[\"“”]|(?<!\w)['‘’]|['‘’](?!\w)|(?<=[.!?])[)\]]")
_ENDED = tuple("\"”'’)]")
_UNIT = re.compile(
    r"“[^“”]*”|\"[^\"]*\"|\([^()]*\)|(?<![\w.,!?;—])['‘](?=\w)(?:[^'’]|(?<![.,!?;—])['’]){1,600}(?<=[.,!?;—])['’](?!\w)"
)
_PAIR = re.compile(r'"([^"]*)"')
_OPENS = re.compile(r'(?<![^\s([{—–-])"(?=\S)')
_BEGINNING = re.compile(rf"(?<=\s){HAN.pattern}")
_INNER_END = re.compile(r"[。！？…]+[”’」』）]*|[!?][\"”’]?\s+(?![a-z])")
Span = tuple[int, int]


def sentence_spans(text: str, start: int = 0, end: int | None = None) -> list[Span]:
    """Return the half-open spans of the sentences of a text, or of a part of it, without the blanks around them.

    A quotation is in one sentence with what tells who speaks; a sentence that the layout broke is one.
    """
    spans: list[Span] = []
    for first, last in _lines(text, start, len(text) if end is None else end):
        for span in _cut(text, first, last):
            spans += [span] if _is_one(text, *span) else _stripped(text, pairwise(_breaks(text, *span)))
    return spans


def statement_spans(text: str) -> list[Span]:
    """Return the spans of sentences, those inside a quotation apart: a speech of five sentences has five."""
    spans, curled = list[Span](), with_curly_quotes(text)
    for first, last in sentence_spans(text):
        spans += pairwise([first, *_inner_starts(curled[first:last], first), last])
    return list(_stripped(text, spans))


def with_curly_quotes(text: str) -> str:
    """Return a text of the same length whose straight and corner quotation marks are “ and ”.

    In Chinese each second straight mark of a line closes; elsewhere one that stands behind a blank or a dash opens.
    """
    if '"' in text:
        lines = text.split("\n")
        text = "\n".join(_PAIR.sub(r"“\1”", line) if HAN.search(line) else _curled(line) for line in lines)
    return text.replace("「", "“").replace("」", "”")


def _curled(line: str) -> str:
    return _OPENS.sub("“", line).replace('"', "”")


def _inner_starts(sentence: str, offset: int) -> list[int]:
    """Return where the sentences begin that a quotation holds inside a sentence."""
    if HAN.search(sentence):
        return [offset + end.end() for end in _INNER_END.finditer(sentence) if end.end() < len(sentence)]
    return [offset + at for at in _english_starts(sentence)[1:]] if _MARK.search(sentence) else []


def beginning(text: str, most: int) -> str:
    """Return the first sentences of a text that fit in `most` characters; of a longer sentence its beginning."""
    if len(text) <= most:
        return text
    ends = [end for _, end in sentence_spans(text, 0, most)][:-1]
    return text[: ends[-1] if ends else most]


def on_one_line(text: str) -> str:
    """Return a text without its line breaks; between Chinese characters no blank replaces them."""
    spans = sentence_spans(text)
    inside = {at for at in wrapped_at(text) if any(start <= at < end for start, end in spans)}
    seamless = {at for at in inside if CHINESE.match(text[at - 1]) and CHINESE.match(text[at + 1])}
    return " ".join("".join(sign for at, sign in enumerate(text) if at not in seamless).split())


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
    if not following.strip() or ITEM.match(following) or TIMED.search(line):
        return False
    if any(joint in one for one in (line, following) for joint in (CELLS, PROPERTY)):
        return False
    return not (following[0].isspace() and CHINESE.match(following.lstrip()))


def width(line: str) -> int:
    """Return the width of a line in columns; a Chinese character, of three bytes, takes two."""
    return (len(line) + len(line.encode(errors="replace"))) // 2


def _lines(text: str, start: int, end: int) -> Iterator[Span]:
    """Yield the lines of a part of a text, those that the layout broke as one."""
    wrapped = set(wrapped_at(text))
    cuts = [at for at in _breaks(text, start, end)[1:-1] if at - 1 not in wrapped]
    yield from pairwise([start, *cuts, end])


def _breaks(text: str, start: int, end: int) -> list[int]:
    return [start, *(match.end() for match in re.compile("\n").finditer(text, start, end - 1)), end]


def _cut(text: str, start: int, end: int) -> Iterator[Span]:
    """Yield the sentences of a line; closing quotation marks end the one before them, opening ones begin the next."""
    line = text[start:end]
    cut = _starts if HAN.search(line) else _whole_starts
    starts = [first + at for first, last in _pieces(line) for at in cut(line[first:last])]
    return _stripped(text, pairwise(start + at for at in (*starts, len(line))))


def _pieces(line: str) -> Iterator[Span]:
    """Yield the pieces of a line; all but the last are a little longer than PIECE and end with a sentence."""
    start = 0
    while found := _PIECE_END.search(line, start + PIECE):
        yield start, found.end()
        start = found.end()
    if start < len(line):
        yield start, len(line)


def _starts(line: str) -> list[int]:
    """Return where sentences begin; in Chinese the library knows no abbreviation: there English has a say."""
    starts = _found(line, "zh")
    if ". " in line:
        english = set(_found(CHINESE.sub(" ", _BEGINNING.sub("A", line)), "en"))
        starts = [at for at in starts if at in english or not line[:at].rstrip().endswith(".")]
    closings = ((at, _CLOSING.match(line, at)) for at in starts)
    return [closing.end() if closing else _with_opening(line, at) for at, closing in closings]


def _whole_starts(line: str) -> list[int]:
    """Return where English sentences begin that are in no quotation and no brackets."""
    units = [unit.span() for unit in _UNIT.finditer(line)]
    ends = [end for _, end in units]
    owners = ((at, bisect_right(ends, at)) for at in _english_starts(line))
    return [at for at, unit in owners if unit == len(units) or at <= units[unit][0]]


def _english_starts(line: str) -> list[int]:
    """Return where English sentences begin, read without quotation marks, which mislead the library.

    A letter in place of an opening mark begins a sentence; small letters behind a closing one do not, nor does what
    follows the dot of a path: ./tools.
    """
    plain = _ORDINARY.sub(lambda word: "x" * len(word[0]), line)
    starts = _found(_MARK.sub(" ", _OPENED.sub("A", plain)), "en")
    told = {at for at in starts if line[at].islower() and line[:at].rstrip().endswith(_ENDED)}
    told |= {at for at in starts if line[at - 1 : at + 1] == "./"}
    return [_with_opening(line, at) for at in starts if at not in told]


def _found(line: str, language: str) -> list[int]:
    return [one["start_index"] for one in get_sentence_boundaries(language, line)]


def _with_opening(line: str, start: int) -> int:
    opening = len(line[:start].rstrip(_OPENING))
    return opening if not line[:opening].rstrip() or line[opening - 1].isspace() else start


def _stripped(text: str, spans: Iterable[Span]) -> Iterator[Span]:
    """Yield the spans without the blanks around them; those of blanks alone are left out."""
    for start, end in spans:
        body = text[start:end]
        if body and not body.isspace():
            yield start + len(body) - len(body.lstrip()), start + len(body.rstrip())


def _is_one(text: str, start: int, end: int) -> bool:
    """Return True for a sentence on one line, or a short one over few with an end; lists and poems have none."""
    lines = text.count("\n", start, end) + 1
    return lines == 1 or (lines <= MOST_LINES and end - start <= LONGEST and text.endswith(STOPS, start, end))
