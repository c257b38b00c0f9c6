"""What of a name tells its bearer from others: a surname behind titles, a Chinese name without the title behind it."""

import re

from tools.language import HAN
from wenmai.language.lexicon import is_surname
from wenmai.language.segmenting import segmenter
from wenmai.language.spans import Span, meet
from wenmai.language.titles import CHINESE_PREFIXES, CHINESE_TITLES, is_english_title, without_title

_WORD = re.compile(r"[^\W\d_]+(?:[-.][^\W\d_]+)*")
_POINTING = "这那该此"


def telling_part(text: str, span: Span) -> tuple[Span, str]:
    """Return where a whole name stands that a span has most of, and the part that tells its bearer; '' for no name.

    The whole name has its titles and its surname. In Latin script its place is that of its last word alone.
    """
    return _chinese(text, span) if HAN.search(text, *span) else _latin(text, span)


def _latin(text: str, span: Span) -> tuple[Span, str]:
    own = [word for word in _WORD.finditer(text) if meet(word.span(), span) and word[0][0].isupper()]
    names = [word for word in own if not is_english_title(word[0])]
    return ((own[0].start(), names[-1].end()), names[-1][0]) if names else (span, "")


def _chinese(text: str, span: Span) -> tuple[Span, str]:
    start, end = span
    before = max(0, start - 1)
    if is_surname(text[before : start + 1]) or (is_surname(text[before:start]) and not is_surname(text[start])):
        start = before
    name = text[start:end].removesuffix("的")
    is_cut = bool(segmenter().has_word(text[end - 1 : end + 1]))
    if len(name) < 2 or name in CHINESE_TITLES or name[0] in _POINTING or is_cut:
        return span, ""
    bare = name[1:] if len(name) == 2 and name[0] in CHINESE_PREFIXES else without_title(name)[0]
    return (start, start + len(name)), bare
