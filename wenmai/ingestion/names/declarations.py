"""Names that a text gives to a person in so many words, whether or not a tagger knows them.

我叫贺小川, 姓郑，讳明远, 大家都叫他老狗, 外号水鬼, my name is Tobias Wren, known as Half-Moon; and words of kinship
that are names: 外婆, 二舅, 我妈, Grandmother. In a first-person story they are its narrator's; one told from outside
may call an old person so throughout.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field

from tools.language import HAN, KANA, is_japanese
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
    JAPANESE_NAMES,
    NAMED,
    ONE_OF_SEVERAL,
    RELATIVE,
    bare_form,
    is_surname,
    surname,
)
from wenmai.language.narration import is_first_person, narrated
from wenmai.language.segmenting import segmenter, tag_of
from wenmai.language.titles import (
    CHINESE_TITLES,
    CHINESE_WORD,
    CLAIMED,
    ELDERS,
    ENGLISH_WORD,
    MY_ENGLISH,
    RELATIVES,
    is_english_title,
    relative_word,
)

LEAST_OWN, LEAST_OWN_OUTSIDE = 2, 6
"""Places where a word stands as a name, in a story in the first person and in one that is told from outside."""
LEAST_SHARE = 0.6  # share of them among the places where the narrator says the word
_MINE = re.compile(r"(?:我|咱|俺)(?:们?家?的?)$")
_OTHERS = re.compile(r"[的他她它您你谁其老小大阿个位名群当做像两几各一二三四五六七八九十·]$|(?:[他她你人]们|人)家$")
_GOES_ON = "们辈家俩侄且兄弟姐妹娘妈爸爹丈子夫"  # what makes another word of a word of kinship, or two people
_DETERMINED = re.compile(
    r"(?:\b(?:the|an?|my|his|her|their|your|our|its|this|that|every|no|some|any|old|poor|dear|holy)|['’]s|s['’])\s+$",
    re.IGNORECASE,
)
_REACH = 12


@dataclass(slots=True)
class Relatives:
    """Words of kinship that are names.

    Attributes:
        places: where each stands as one.
        every: how often the narrator says each at all.
        claimed: those before which "my" stands somewhere.
    """

    places: dict[str, list[Place]] = field(default_factory=lambda: defaultdict(list))
    every: Counter[str] = field(default_factory=Counter)
    claimed: set[str] = field(default_factory=set)

    def pairs(self) -> Iterator[tuple[str, str]]:
        first: dict[str, str] = {}
        for surface in self.places:
            yield first.setdefault(group_of(surface), surface), surface

    def keep(self, least: int) -> None:
        """Forget the words that seldom stand as names."""
        groups = Counter[str]()
        for surface, places in self.places.items():
            groups[group_of(surface)] += len(places)
        for surface, places in list(self.places.items()):
            word = relative_word(surface)
            is_doubtful = word in CLAIMED and word not in self.claimed
            if is_doubtful or groups[group_of(surface)] < least or len(places) < LEAST_SHARE * self.every[surface]:
                del self.places[surface]


def relatives_of(texts: Sequence[str], ends: Collection[Place]) -> Relatives:
    """Find the relatives of a story; `ends` are the places where other names end, whose relatives are others."""
    is_first, found = is_first_person(texts), Relatives()
    for chapter, text in enumerate(texts):
        said = narrated(text)
        if HAN.search(text):
            _find_chinese(said, chapter, ends, found, is_first=is_first)
            continue
        for match in ENGLISH_WORD.finditer(said):
            found.every[match[0]] += 1
            if not _DETERMINED.search(said, max(0, match.start() - _REACH), match.start()):
                found.places[match[0]].append(Place(chapter, match.start()))
    found.keep(LEAST_OWN if is_first else LEAST_OWN_OUTSIDE)
    if is_first and any(surface.isascii() for surface in found.places):
        _add_mine(texts, found)
    return found


def group_of(surface: str) -> str:
    """Return the word that stands for a relative: 妈妈 for 我妈."""
    return RELATIVES[relative_word(surface)][0]


def _find_chinese(told: str, chapter: int, ends: Collection[Place], found: Relatives, *, is_first: bool) -> None:
    for match in CHINESE_WORD.finditer(told):
        word, start = match[0], match.start()
        before = told[max(0, start - len("我们家的")) : start]
        mine = _MINE.search(before) if is_first else None
        if not (is_first or word in ELDERS) or (len(word) == 1 and not (mine and len(mine[0]) == 1)):
            continue
        surface, at = (word, start) if len(word) > 1 else (before[-1] + word, start - 1)
        found.every[surface] += 1
        if told[match.end() : match.end() + 1] in tuple(_GOES_ON):
            continue
        if mine:
            found.claimed.add(word)
        if mine or not (_OTHERS.search(before) or Place(chapter, start) in ends):
            found.places[surface].append(Place(chapter, at))


def _add_mine(texts: Sequence[str], found: Relatives) -> None:
    """Add "my grandmother" where Grandmother is a name."""
    groups = {group_of(surface) for surface in found.places}
    for chapter, text in enumerate(texts):
        for match in MY_ENGLISH.finditer(narrated(text)):
            if RELATIVES[match[1].capitalize()][0] in groups:
                found.places[" ".join(match[0].split())].append(Place(chapter, match.start()))


LEAST_USES = 2  # times that a name must stand in the text; once is enough for a full name
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
_ADDRESSED = re.compile(
    r"[“「『](?P<name>[一-龥]{2,3})[，,！!。…]+[^”」』]{0,40}[”」』][^。！？“「『\n]{0,16}?(?P<me>[对向跟问叫喊唤]我(?!们))"
)
"""Words to the narrator that begin with his name: “沈默，”老何喊我."""
_PRESENTED = re.compile(
    r"(?:^|[。！？」』”])\s*(?P<name>[一-龥]{2,4}?)者?，"
    r"(?:字[一-龥]{1,3}[，。]|[諱讳][一-龥]{1,2}[，。]|不知何[許许]人|[一-龥]{1,6}人也[，。])",
    re.M,
)
"""How classical Chinese presents somebody: 葉生者，字子淵，淮上人也."""
_BEHIND = re.compile(rf"(?P<name>{_WORD}){ENGLISH_BEHIND}")
_JAPANESE = [re.compile(pattern) for pattern in JAPANESE_NAMES]
_NO_NAME = frozenset("rpcuydv")  # parts of speech that stand in no name


@dataclass(frozen=True, slots=True)
class DeclaredName:
    """A name where the text gives it; `is_self` if it gives it to the narrator."""

    name: str
    place: Place
    is_self: bool = False


@dataclass(frozen=True, slots=True)
class Stated:
    """Names that a text states, and words of kinship that it uses as names."""

    declared: Sequence[DeclaredName]
    relatives: Relatives

    @property
    def names(self) -> set[str]:
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


def declarations(texts: Sequence[str]) -> list[DeclaredName]:
    is_first = is_first_person(texts)
    found: dict[DeclaredName, None] = {}
    for chapter, text in enumerate(texts):
        said = narrated(text) if is_first else ""
        for name, start, cue in _stated_in_japanese(text) if is_japanese(text) else _stated(text):
            if is_english_title(name) and not text[:start].rstrip().endswith("the"):
                continue  # an English title is a name only with an article: the Duchess
            is_self = cue >= 0 and bool(said) and not said[cue].isspace()
            if cue < 0 or is_self:
                found[DeclaredName(" ".join(name.split()), Place(chapter, start), is_self)] = None
    in_japanese = is_japanese("".join(texts))
    used = {name for name in {one.name for one in found} if _is_used(name, texts, in_japanese=in_japanese)}
    return [one for one in found if one.name in used]


def is_habit(text: str, cue: int) -> bool:
    """Return True if the clause of a cue says that people call a person so all the time."""
    return bool(HABIT.search(_CLAUSE.split(text[max(0, cue - CLAUSE_REACH) : cue])[-1]))


def _stated(text: str) -> Iterator[tuple[str, int, int]]:
    """Yield names with their offset, and where the narrator's own is told; -1 for the names of others."""
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
    yield from ((match["name"], match.start("name"), -1) for match in _PRESENTED.finditer(text))
    yield from ((match["name"], match.start("name"), match.start()) for match in _I_AM[language].finditer(text))
    called = (match for match in _ADDRESSED.finditer(text) if surname(match["name"]))
    yield from ((match["name"], match.start("name"), match.start("me")) for match in called)
    for match in APART.finditer(text) if language == "zh" else ():
        if is_surname(match[1]):
            is_own = text[: match.start()].endswith("我")
            yield match[1] + match[2], match.start(1), match.start() - 1 if is_own else -1


def _stated_in_japanese(text: str) -> Iterator[tuple[str, int, int]]:
    for pattern in _JAPANESE:
        yield from ((match["name"], match.start("name"), -1) for match in pattern.finditer(text))


def _is_full(name: str) -> bool:
    return bool(surname(name)) if HAN.search(name) else " " in name


def _is_used(name: str, texts: Sequence[str], *, in_japanese: bool) -> bool:
    count = sum(text.count(name) for text in texts)
    if not HAN.search(name) and not KANA.search(name):
        return name not in RELATIVES and (count >= LEAST_USES or " " in name)
    if in_japanese:
        return True
    if bare_form(name) in RELATIVE | DESCRIPTIVE or name in RELATIVES or name in CHINESE_TITLES:
        return False
    if surname(name) and len(name) < LONGEST_FULL and not segmenter().has_word(name):
        return True
    return count >= LEAST_USES and not any(tag[0] in _NO_NAME for _, tag in segmenter().tag(name, False))
