"""Names that a text gives to a person in so many words, whether or not a tagger knows them.

我叫贺小川, 姓郑，讳明远, 大家都叫他老狗, 外号水鬼, my name is Tobias Wren, known as Half-Moon.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tools.language import HAN
from wenmai.ingestion.names.relatives import Relatives, relatives_of
from wenmai.ingestion.names.spans import Place, Surfaces
from wenmai.language.lexicon import (
    APART,
    CALLED,
    DESCRIPTIVE,
    ENGLISH_BEHIND,
    ENGLISH_CALLED,
    ENGLISH_I_AM,
    ENGLISH_NAMED,
    HABIT,
    I_AM,
    NAMED,
    ONE_OF_SEVERAL,
    RELATIVE,
    bare_form,
    is_surname,
    surname,
)
from wenmai.language.narration import is_first_person, narrated
from wenmai.language.relatives import RELATIVES
from wenmai.language.segmenting import segmenter, tag_of
from wenmai.language.titles import CHINESE_TITLES, is_english_title

LEAST_USES = 2
"""Times that a name must stand in the text; once is enough for a full name."""
LONGEST_FULL = 4
CLAUSE_REACH = 12
_QUOTES = '“「『‘"”」』’'
_CLAUSE = re.compile(rf"[，。！？；\n{_QUOTES}]")
_NAME = rf"[{_QUOTES}]?(?P<name>[一-龥·]{{2,8}}?)(?:(?=[，。；！？、：…）)\s{_QUOTES}]|的)|$)"
_WORD = r"[A-Z][\w'’-]*\w"
_WORDS = rf"(?P<name>{_WORD}(?:\s+{_WORD}){{0,2}})"
_CALLED = {"zh": re.compile(CALLED + _NAME, re.M), "en": re.compile(ENGLISH_CALLED + _WORDS)}
_NAMED = {"zh": re.compile(f"(?:{NAMED}|{ONE_OF_SEVERAL}){_NAME}", re.M), "en": re.compile(f"{ENGLISH_NAMED}{_WORDS}")}
_I_AM = {"zh": re.compile(I_AM + _NAME, re.M), "en": re.compile(ENGLISH_I_AM + _WORDS)}
_BEHIND = re.compile(rf"(?P<name>{_WORD}){ENGLISH_BEHIND}")
_NO_NAME = frozenset("rpcuydv")
"""Parts of speech that stand in no name."""


@dataclass(frozen=True, slots=True)
class Declared:
    """A name where the text gives it; `is_self` if it gives it to the narrator."""

    name: str
    place: Place
    is_self: bool = False


@dataclass(frozen=True, slots=True)
class Stated:
    """Names that a text states, and words of kinship that it uses as names."""

    declared: Sequence[Declared]
    relatives: Relatives

    @property
    def names(self) -> set[str]:
        """All of them."""
        return {*self.relatives.places, *(one.name for one in self.declared)}

    @property
    def single(self) -> set[str]:
        """Those without parts: words of kinship, and nicknames that are words."""
        nicknames = (one.name for one in self.declared if segmenter().has_word(one.name))
        return {*self.relatives.places, *(name for name in nicknames if not tag_of(name).startswith("nr"))}

    def pairs(self) -> Iterator[tuple[str, str]]:
        """Yield pairs of names of one person: words for one relative, and what the narrator is called.

        A second full name is an assumed one, or another person's.
        """
        yield from self.relatives.pairs()
        own = sorted({one.name for one in self.declared if one.is_self}, key=lambda name: not _is_full(name))
        yield from ((own[0], other) for other in own[1:] if not (_is_full(own[0]) and _is_full(other)))


def stated_names(texts: Sequence[str], found: Surfaces) -> Stated:
    """Return the names that a text states, and add them to what was tagged."""
    ends = {Place(at.chapter, at.start + len(surface)) for surface, places in found.places.items() for at in places}
    relatives = relatives_of(texts, ends)
    declared = [one for one in declarations(texts) if found.is_person(one.name) and one.name not in relatives.places]
    for one in declared:
        found.add_person(one.name, [one.place])
    for surface, places in relatives.places.items():
        found.add_person(surface, places)
    return Stated(declared, relatives)


def declarations(texts: Sequence[str]) -> list[Declared]:
    """Return the names that a text gives in so many words."""
    is_first = is_first_person(texts)
    found: dict[Declared, None] = {}
    for chapter, text in enumerate(texts):
        told = narrated(text) if is_first else ""
        for name, start, cue in _stated(text):
            is_self = cue >= 0 and bool(told) and not told[cue].isspace()
            if cue < 0 or is_self:
                found[Declared(" ".join(name.split()), Place(chapter, start), is_self)] = None
    used = {name for name in {one.name for one in found} if _is_used(name, texts)}
    return [one for one in found if one.name in used]


def is_habit(text: str, cue: int) -> bool:
    """Return True if the clause of a cue says that people call a person so all the time."""
    return bool(HABIT.search(_CLAUSE.split(text[max(0, cue - CLAUSE_REACH) : cue])[-1]))


def _stated(text: str) -> Iterator[tuple[str, int, int]]:
    """Yield names with their offset, and where the narrator's own is told; -1 for the names of others.

    An English title is one only with an article: the Duchess.
    """
    for name, start, cue in _matched(text):
        if not is_english_title(name) or text[:start].rstrip().endswith("the"):
            yield name, start, cue


def _matched(text: str) -> Iterator[tuple[str, int, int]]:
    language = "zh" if HAN.search(text) else "en"
    for match in _CALLED[language].finditer(text):
        who = match["who"] or match["given"]
        if who in ("我", "me"):
            yield match["name"], match.start("name"), match.start()
        elif language == "en" or match["given"] or is_habit(text, match.start()):
            yield match["name"], match.start("name"), -1
    for pattern in (_NAMED[language], *([_BEHIND] if language == "en" else [])):
        for match in pattern.finditer(text):
            if not text[max(0, match.start() - 2) : match.start()].endswith(("我", "我的")):
                yield match["name"], match.start("name"), -1
    yield from ((match["name"], match.start("name"), match.start()) for match in _I_AM[language].finditer(text))
    for match in APART.finditer(text) if language == "zh" else ():
        if is_surname(match[1]):
            yield match[1] + match[2], match.start(1), _own(text, match.start())


def _own(text: str, at: int) -> int:
    """Return where "I" stands right before an offset, -1 if it does not."""
    return at - 1 if text[:at].endswith("我") else -1


def _is_full(name: str) -> bool:
    """Return True for a name that seems to hold the name of a family."""
    return bool(surname(name)) if HAN.search(name) else " " in name


def _is_used(name: str, texts: Sequence[str]) -> bool:
    """Return True if a text uses as a name what it gives as one."""
    count = sum(text.count(name) for text in texts)
    if not HAN.search(name):
        return name not in RELATIVES and (count >= LEAST_USES or " " in name)
    if bare_form(name) in RELATIVE | DESCRIPTIVE or name in RELATIVES or name in CHINESE_TITLES:
        return False
    if surname(name) and len(name) < LONGEST_FULL and not segmenter().has_word(name):
        return True
    return count >= LEAST_USES and not any(tag[0] in _NO_NAME for _, tag in segmenter().tag(name, False))
