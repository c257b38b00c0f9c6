"""What of a name tells its bearer from others: a surname behind titles, a Chinese name without the title behind it."""

import re
from itertools import accumulate

from tools.language import HAN
from wenmai.language.lexicon import is_surname
from wenmai.language.segmenting import cut, segmenter
from wenmai.language.spans import Span, meet
from wenmai.language.titles import CHINESE_PREFIXES, CHINESE_TITLES, is_english_title, without_title

_WORD = re.compile(r"[^\W\d_]+(?:[-.][^\W\d_]+)*")
_POINTING = re.compile(r"^[这那该此]|[他她它您你谁]")
_ROLE_ENDS = "长匠工员师生士夫官医警手"
"""Last characters of what people are, as in 邹场长 and 周铁匠."""


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
    is_cut = bool(segmenter().has_word(text[end - 1 : end + 1])) and end not in accumulate(map(len, cut(text)))
    if len(name) < 2 or name in CHINESE_TITLES or _POINTING.search(name) or is_cut:
        return span, ""
    bare = name[1:] if len(name) == 2 and name[0] in CHINESE_PREFIXES else without_title(name)[0]
    if bare == name and is_surname(name[0]) and name[-1] in _ROLE_ENDS and segmenter().has_word(name[1:]):
        bare = name[0]
    return (start, start + len(name)), bare
