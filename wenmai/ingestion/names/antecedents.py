"""Who is meant where a text says that a person is called so: 赵虎力气大，大家都叫他铁牛.

The one person named before in the sentence; else, where the sentence goes on about "him", the one person of the
sentence before. Where two could be meant, or a person without a name steps in, nobody is.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from tools.language import HAN
from wenmai.ingestion.names.declarations import is_habit
from wenmai.language.lexicon import CALLED, ENGLISH_CALLED, ENGLISH_NAMED, NAMED, words

OTHERS = re.compile(
    r"[哥弟姐妹兄嫂妻父母爹娘妈爸夫婿侄叔伯舅徒]|儿子|女儿|(?<![医学先])生|[一之][子女]|朋友|手下|主人|的$|^的(?!本名|原名|真名)"
    r"|^['’]s?\b|\b(?:son|daughter|brother|sister|wife|husband|father|mother|friend|child)\b"
)
"""Words between a name and what somebody is called that bring in another person."""
MOST_NAMES = 8
"""Names before another one among which its bearer is looked for."""
_OWN = ("的", "'s", "’s")
_PERSONAL = re.compile(
    r"(?:[,(“\"—-]|\b(?:who|whom|he|she|him|her|was|is|had|has|been|also|better|otherwise|always|now|then|and|but))$"
)
"""What stands before "known as" where a person is: no town is meant."""
STRANGER = re.compile(
    r"一[个位名条]|有[个位]|[这那某][个位人]|另[外一]|\b(?:an?|another|some)\s+(?:\w+\s+){0,2}(?:man|woman|boy|girl|child)\b"
)
_OBJECT = re.compile(r"[他她]|\b(?:him|her|them)\b")
_QUOTES = '“「『‘"”」』’'
_CUE = {
    "zh": re.compile(f"(?:{CALLED}|(?P<named>{NAMED}))[{_QUOTES}]?$"),
    "en": re.compile(f"(?:{ENGLISH_CALLED}|(?P<named>{ENGLISH_NAMED}))[{_QUOTES}]?$"),
}
_CUE_REACH = {"zh": 24, "en": 80}
_LAST_CHARACTERS = frozenset("叫喊唤称是为作做乃号名字送他她其之声，：")
_LAST_WORDS = frozenset(words("him her as the called nicknamed alias is was except but only simply of to named dubbed"))
_SENTENCE = re.compile(rf"[。！？!?；;\n{_QUOTES}](?!s\b)|(?<!\bMr)(?<!\bMrs)(?<!\bDr)(?<!\bSt)\.(?=\s)")
_BREAK = re.compile(rf"[\n{_QUOTES}]")
_CLAUSE = re.compile(r"[，,、—]")
_SENTENCE_REACH = 240


@dataclass(frozen=True, slots=True)
class Named:
    """A name at `[start:end]` of a text."""

    start: int
    end: int
    name: str


def antecedent(text: str, spans: Sequence[Named], at: int) -> str:
    """Return the name of the person who is called by the name `spans[at]`, '' where that is not said or not sure."""
    cue = _cue(text, spans[at].start)
    if not cue or text.startswith(("'s", "’s"), spans[at].end):
        return ""
    begin, is_named = cue
    opens = _after_last(_SENTENCE, text, begin)
    head = max(opens, _after_last(_CLAUSE, text, begin))
    before = [span for span in spans[max(0, at - MOST_NAMES) : at] if span.name != spans[at].name]
    limit = begin if is_named else head
    if near := [span for span in before if opens <= span.start and span.end <= limit]:
        return _of_sentence(text, near, opens, limit, is_named=is_named)
    previous = _after_last(_SENTENCE, text, opens - 1)
    if is_named or _BREAK.search(text, previous, opens):
        return ""
    return _of_sentence_before(text, [span for span in before if previous <= span.start < opens], opens, head)


def _cue(text: str, end: int) -> tuple[int, bool] | None:
    """Return where the words begin that give a name which begins at `end`, and whether they do without "him"."""
    language = "zh" if HAN.match(text, end) else "en"
    before = text[max(0, end - _CUE_REACH[language]) : end]
    bare = before.rstrip(_QUOTES + " \n")
    if bare[-1:] not in _LAST_CHARACTERS if language == "zh" else bare.rpartition(" ")[2].lower() not in _LAST_WORDS:
        return None
    found = _CUE[language].search(before)
    if not found or found["who"] in ("我", "me"):
        return None
    begin = end - len(before) + found.start()
    if language == "zh" and not found["named"] and not found["given"] and not is_habit(text, begin):
        return None
    return begin, found["named"] is not None


def begins_clause(text: str, at: int) -> bool:
    """Return True if a clause begins at an offset."""
    return not at or bool(_CLAUSE.match(text, at - 1) or _SENTENCE.match(text, at - 1))


def _after_last(pattern: re.Pattern[str], text: str, end: int) -> int:
    """Return the end of the last match before an offset."""
    ends = [match.end() for match in pattern.finditer(text, max(0, end - _SENTENCE_REACH), max(0, end))]
    return ends[-1] if ends else max(0, end - _SENTENCE_REACH)


def _of_sentence(text: str, near: Sequence[Named], opens: int, limit: int, *, is_named: bool) -> str:
    """Return the one person named in a sentence, or the one that it begins with and says something of (甲是…，外号)."""
    first, last = near[0], near[-1]
    is_topic = is_named and begins_clause(text, limit)
    if is_topic and not text[opens : first.start].strip() and text[first.end : first.end + 1] in ("是", "乃"):
        return first.name
    rest = text[last.end : limit]
    is_alone = len({span.name for span in near}) == 1
    if rest.strip() in _OWN or not rest.strip(" ，,、（("):
        return last.name if is_alone or is_named or begins_clause(text, last.start) else ""
    if is_named and not HAN.search(rest) and not _PERSONAL.search(rest.rstrip()):
        return ""
    return last.name if is_alone and not OTHERS.search(rest) and not STRANGER.search(rest) else ""


def _of_sentence_before(text: str, earlier: Sequence[Named], opens: int, head: int) -> str:
    """Return the one person of a sentence, or the one that it ends with, if the next goes on about the same one."""
    if not earlier:
        return ""
    last = earlier[-1]
    ends_it = not text[last.end : opens].strip(" 。.")
    rest = text[last.end : head]
    is_sure = len({span.name for span in earlier}) == 1 or ends_it
    if not is_sure or _OBJECT.search(text, last.end, opens) or OTHERS.search(rest) or STRANGER.search(rest):
        return ""
    return last.name
