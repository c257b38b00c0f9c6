"""Names in a question that are of another book: nothing is to be answered of whom no evidence tells (S003-D08)."""

import re
from itertools import islice, pairwise

from tools.language import HAN
from tools.story.linking import fold
from wenmai.language.lexicon import COMPOUND_SURNAMES, surname
from wenmai.language.segmenting import segmenter
from wenmai.minds.offline.analysis import Analysis
from wenmai.minds.offline.lexicon import NOT_NAMES
from wenmai.minds.offline.matching import any_of

NO_NAME_ENDS = "父母兄弟妻女子氏军营里中上下内外"  # 曹营, 谷里
NAME_TAGS = ("nr", "nrt", "nrfg", "ns", "nt")
ENGLISH_NAME = re.compile(r"(?<![.?!]\s)(?<!^)\b[A-Z][a-z]{2,}\b")
NAME_CHARACTER = "g"  # how the segmenter's dictionary tags a character that only names have: 妲, 郃
NO_WORD = ("g", "zg")  # and one that is no word by itself: 騄
FULL = 3  # characters of a name with two that are given
LONGEST = 4
PLACES = 20  # where a short name is looked for
AROUND = 6  # characters that tell whether it is cut out of two words there
_ACTS = "替是在跟和与同用给的被有为怎如生教临死做当把将让对向又后最到从派带叫说嫁娶杀守骑使写去来拿打何时，？"
"""What stands behind a name that opens a clause."""
_KIN = "夫人|妻子|女儿|儿子|老婆|媳妇|妹妹|姐姐|弟弟|母亲|父亲"
OPENING_NAME = re.compile(f"(?:^|(?<=[，。？])|(?<={_KIN}))([\u4e00-\u9fff]{{2,3}}?)(?=[{_ACTS}])")
COMPOUND_NAME = re.compile(f"{any_of(tuple(sorted(COMPOUND_SURNAMES)))}([\u4e00-\u9fff]{{1,2}}?)(?=[{_ACTS}])")
_FAMILY = "家氏爷"
_GRAMMAR = ("p", "c", "r", "u", "f", "d", "m", "y")
"""How characters are tagged that are surnames too, and much oftener words of the grammar: 和, 那, 于."""


def names_outsiders(analysis: Analysis, known: str) -> bool:
    """Tell whether a question names somebody whom the evidence, folded and joined, does not."""
    return any(not is_known(fold(name), known) for name in foreign_names(analysis))


def is_known(name: str, known: str) -> bool:
    """Tell whether the evidence has a name, or, of a longer one, its given name or its beginning (张永年: 字永年)."""
    if not HAN.search(name) or len(name) < FULL:
        return stands_in(name, known)
    if name[:2] in COMPOUND_SURNAMES:
        return name in known or (len(name) > FULL and stands_in(name[2:], known))
    return name in known or stands_in(name[-2:], known) or (begins_with_name(name) and stands_in(name[:2], known))


def begins_with_name(name: str) -> bool:
    """Tell whether what a name begins with may be one: 寿春 of 寿春城, not 花木 of 花木兰."""
    first, tag = segmenter().tag(name[:2], False)[0]
    return len(first) == 1 or tag in NAME_TAGS


def stands_in(name: str, known: str) -> bool:
    """Tell whether a name stands somewhere by itself, not cut out of two words (军马云集 has no 马云)."""
    if not HAN.search(name) or len(name) == 1:
        return name in known
    return any(is_whole(match, known) for match in islice(re.finditer(re.escape(name), known), PLACES))


def is_whole(found: re.Match[str], text: str) -> bool:
    """Tell whether no word that begins or ends outside of what was found reaches into it, but a name's: 司马懿."""
    start, end = found.span()
    at = max(0, start - AROUND)
    for word, tag in segmenter().tag(text[at : end + AROUND], False):
        after = at + len(word)
        if at < start < after or (at < end < after and not (at == start and tag in NAME_TAGS)):
            return False
        at = after
    return True


def foreign_names(analysis: Analysis) -> list[str]:
    """Return the words of a question that are names, though not of this library."""
    rest = analysis.plain
    if not HAN.search(rest):
        return ENGLISH_NAME.findall(rest)
    cut = segmenter().tag(rest, False)
    known = [word for word, tag in cut if tag in NAME_TAGS and is_name(word, tag)]
    of_names = [word for word, tag in cut if tag == NAME_CHARACTER]
    heroes = [word for word, tag in cut if is_hero(word, tag)] if not analysis.entities else []
    read = [name for name in (*guessed_names(analysis.question, rest), *opening_names(rest)) if not is_common(name)]
    return list(dict.fromkeys([*(name for name in known if name[-1] not in _FAMILY), *of_names, *heroes, *read]))


def opening_names(rest: str) -> list[str]:
    """Return what opens a clause like a full name that no dictionary has, or has a surname of two characters."""
    found = [name for name in OPENING_NAME.findall(rest) if surname(name) and not segmenter().has_word(name)]
    return [*found, *(one[0] for one in COMPOUND_NAME.finditer(rest) if not segmenter().has_word(one[0]))]


def is_common(name: str) -> bool:
    """Tell whether what looks like a name of no dictionary is none: 临别时, 时几岁, 那方玺, 关二爷, 马死."""
    if segmenter().has_word(name):
        return False
    is_compound = name[:2] in COMPOUND_SURNAMES
    given = [segmenter().tag(char, False)[0][1] for char in name[2 if is_compound else 1 :]]
    family = "" if is_compound else segmenter().tag(name[0], False)[0][1]
    if name[-1] in _FAMILY or name[0] == "时" or given[-1].startswith("v"):
        return True
    if any(tag.startswith(_GRAMMAR) for tag in (family, *given)):
        return True
    begins, tag = segmenter().tag(name[:2], False)[0]
    return name in NOT_NAMES or (not is_compound and len(begins) == 2 and tag not in NAME_TAGS)


def is_hero(word: str, tag: str) -> bool:
    """Tell whether a dictionary's noun looks like a full name: 程咬金 is so famous that it is a common noun there."""
    return tag == "n" and len(word) == FULL and bool(surname(word)) and word not in NOT_NAMES


def guessed_names(question: str, rest: str) -> list[str]:
    """Return the names that no dictionary has, outside of the library's own names.

    One of two characters goes on with one that is no word: 马云 of 马云騄.
    """
    cut, guessed = segmenter().tag(question, True), list[str]()
    for (word, tag), (after, its_tag) in pairwise([*cut, ("", "x")]):
        if tag != "nr" or not 2 <= len(word) <= LONGEST or not surname(word):
            continue
        goes_on = len(word) == 2 and len(after) == 1 and its_tag in NO_WORD
        guessed += [word + after] if goes_on else [word] if spelled_out(word) else []
    return [word for word in guessed if word in rest]


def spelled_out(word: str) -> bool:
    """Tell whether no dictionary has a word, though it has one of its characters as a name."""
    parts = segmenter().tag(word, False)
    return len(parts) == len(word) and any(tag == "nr" for _, tag in parts) and word[-1] not in NO_NAME_ENDS


def is_name(word: str, tag: str) -> bool:
    """Tell whether a tagged word is a person's or place's name and not a common word."""
    if len(word) < 2 or word in NOT_NAMES:
        return False
    return tag in ("ns", "nt") or (bool(surname(word)) and len(word) <= 4)
