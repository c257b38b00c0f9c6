"""Forms of names taken apart: given name, family name, title; and whether one may be a person's."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence, Sized
from dataclasses import dataclass

from tools.language import HAN
from wenmai.language.lexicon import SURNAMES, is_surname, surname
from wenmai.language.segmenting import segmenter, tag_of
from wenmai.language.titles import (
    CHINESE_PREFIXES,
    ENGLISH_QUALIFIERS,
    EXCLUSIVE,
    KINSHIP,
    MAIDEN,
    THROUGH_OTHERS,
    WOMEN,
    Gender,
    english_gender,
    given_gender,
    is_english_title,
    is_short_for,
    relative_gender,
    without_title,
)

_DOT = re.compile(r"[·・•‧．]")
_WORD = re.compile(r"[^\s,]+")
_POSSESSIVE = re.compile(r"(?:’s|'s|’|')$")
_NUMERAL = re.compile(r"[IVX]+")
HOUSES = "家府宅门"
FAMILY_TITLES = frozenset({"mr", "mrs", "ms", "dr", "doctor", "professor", "captain", "colonel", "major", "inspector"})
"""Titles that stand before a family name."""
OLD = "老"
PERSONS = frozenset("人夫士师员匠户缝中妇贼客僧尼仆婢匪汉长生家手官医")  # last characters of nouns for people
NUMBERS = "二三四五六七八九"
RANKS = f"大{NUMBERS}十小老"  # characters between a surname and a title: 陈大老爷, 陈二婶子
SHARE_OF_WHOLE = 0.1  # share of a name's count that the name with a surname before it must have


@dataclass(frozen=True, slots=True)
class NameForm:
    """A form of a name.

    Attributes:
        surface: as the text has it.
        given: given name, '' where the form has none or nothing tells it from a family name.
        family: family name, '' likewise.
        parts: all parts of the name, without titles; one part may be either.
    """

    surface: str
    given: str
    family: str
    parts: tuple[str, ...]
    title: str = ""
    gender: Gender = ""

    @property
    def is_full(self) -> bool:
        """Whether given and family name are both there."""
        return bool(self.given and self.family)

    @property
    def is_bare(self) -> bool:
        """Whether the form is a part of a name without a title."""
        return not self.is_full and not self.title

    @property
    def is_of_surname(self) -> bool:
        """Whether the form is a Chinese surname and a title, which many people bear."""
        return not self.given and is_surname(self.family)


@dataclass(frozen=True, slots=True)
class Parts:
    """What all names of a text tell of the parts of one.

    Attributes:
        whole: the names themselves.
        foreign: parts of names with a dot, which are not Chinese surnames and given names.
        given: names that stand behind a surname in other names: 小满 of 林小满.
        common: English words of names that the text uses in lower case too: they qualify (Old Tom, the Duke).
        single: names without parts: words of kinship, and nicknames that are words.
    """

    whole: Collection[str] = frozenset()
    foreign: Collection[str] = frozenset()
    given: Collection[str] = frozenset()
    common: Collection[str] = frozenset()
    single: Collection[str] = frozenset()


def parts_of(
    places: Mapping[str, Sized], common: Collection[str] = frozenset(), single: Collection[str] = frozenset()
) -> Parts:
    """Return what names tell of their parts; `places` are those of each name."""
    dotted = (_DOT.split(without_title(surface)[0]) for surface in places if _DOT.search(surface))
    foreign = frozenset(part for parts in dotted for part in parts if part)
    return Parts(frozenset(places), foreign, _given(places), frozenset(common), frozenset(single))


def form_of(surface: str, parts: Parts = Parts()) -> NameForm:
    if surface in parts.single:
        return NameForm(surface, "", "", (surface,), "", relative_gender(surface))
    return _chinese(surface, parts) if HAN.search(surface) else _english(surface, parts.common)


def is_common_noun(word: str) -> bool:
    """Return True for a Chinese word that the dictionary has as a noun for a person: 客人, 木匠, 郎中."""
    tag = tag_of(word) if len(word) > 1 and word[-1] in PERSONS and segmenter().has_word(word) else ""
    return tag.startswith("n") and tag not in ("nr", "ns", "nt", "nz", "nrt", "nrfg")


def is_house(surface: str) -> bool:
    """Return True for a family as a whole, or its house: 周家, 周府."""
    return len(surface) == 2 and surface[0] in SURNAMES and surface[1] in HOUSES


def _given(places: Mapping[str, Sized]) -> frozenset[str]:
    """Return the names that stand alone and behind a surname; what begins with one itself needs more proof."""
    found: set[str] = set()
    for surface in places:
        family = surname(surface)
        rest = surface[len(family) :]
        if family and rest in places and not is_surname(rest):
            odd = surname(rest) and len(places[surface]) < SHARE_OF_WHOLE * len(places[rest])
            found.update(() if odd else (rest,))
    return frozenset(found)


def _chinese(surface: str, parts: Parts) -> NameForm:  # noqa: C901  # one case after the other, the surest first
    name, title, gender = without_title(surface)
    if is_surname(surface):
        return NameForm(surface, "", surface, (surface,))
    if _DOT.search(surface):
        pieces = [part for part in _DOT.split(name) if part] or [surface]
        family = pieces[-1] if len(pieces) > 1 else ""
        return NameForm(surface, pieces[0], family, tuple(pieces), title, gender or given_gender(pieces[0]))
    family = surname(surface)
    if family and surface[len(family) :] in parts.given:
        return NameForm(surface, surface[len(family) :], family, (family, surface[len(family) :]), "", gender)
    if surface in parts.foreign or surface in parts.given:
        return NameForm(surface, "", "", (surface,), "", given_gender(surface))
    if surface[0] == OLD and (surface[1:] in parts.whole or surface[1:] in parts.foreign):
        young = _chinese(surface[1:], parts)
        title = OLD + young.title if len(young.title) > 1 else young.title
        return NameForm(surface, young.given, young.family, young.parts, title, young.gender)
    if name[0] == OLD and name[1:] in parts.foreign:
        return NameForm(surface, "", "", (name[1:],), OLD + title, gender)
    if name in parts.foreign:
        return NameForm(surface, "", "", (name,), title, gender or given_gender(name))
    if part := next((part for part in parts.foreign if surface.startswith(part)), ""):
        rest = surface[len(part) :]
        if is_common_noun(rest):
            return NameForm(surface, "", "", (part,), rest, given_gender(part))
    if title and is_surname(name):
        return NameForm(surface, "", name, (name,), title, gender)
    if title and is_surname(name[:-1]) and name[-1] in RANKS:
        return NameForm(surface, "", name[:-1], (name[:-1],), name[-1] + title, gender)
    if len(name) == 2 and name[0] in CHINESE_PREFIXES and name[1] in SURNAMES:
        return NameForm(surface, "", name[1], (name[1],), name[0] + title, gender)
    return _of_surname(surface, name, title, gender, parts)


def _of_surname(surface: str, name: str, title: str, gender: Gender, parts: Parts) -> NameForm:
    family = surname(name)
    rest = name[len(family) :]
    if family and rest not in parts.given and is_common_noun(rest):
        return NameForm(surface, "", family, (family,), rest + title, gender)
    if family and rest == OLD and not title:
        return NameForm(surface, "", family, (family,), OLD, gender)
    if family and all(character in RANKS for character in rest):
        return NameForm(surface, "", "", (name,), title, gender)
    if family and len(rest) in (1, 2) and name not in parts.given:
        return NameForm(surface, rest, family, (family, rest), title, gender)
    return NameForm(surface, "", "", (name,), title, gender)


def _english(surface: str, common: Collection[str]) -> NameForm:
    words = [_POSSESSIVE.sub("", word) for word in _WORD.findall(surface)] or [surface]
    shouted = [word for word in words if len(word) > 1 and word.isupper() and not _NUMERAL.fullmatch(word)]
    *before, last = [word.capitalize() if word in shouted else word for word in words]
    beside = [word for word in before if is_english_title(word) or word.lower() in common or word.islower()]
    parts = (*(word for word in before if word not in beside), last)
    titles = [word.lower().rstrip(".") for word in beside if is_english_title(word)]
    titles = [word for word in titles if word not in ENGLISH_QUALIFIERS]
    gender = given_gender(parts[0])
    for word in reversed(titles):  # the first title that tells a gender goes before all
        gender = english_gender(word) or gender
    title = " ".join(titles)
    if len(parts) > 1:
        family = "" if _NUMERAL.fullmatch(parts[-1]) else parts[-1]
        return NameForm(surface, parts[0], family, parts, title, gender)
    family = parts[0] if any(word in FAMILY_TITLES for word in titles) else ""
    return NameForm(surface, "", family, parts, title, gender if titles or not family else "")


DOT = "·"


def is_same_name(one: NameForm, other: NameForm) -> bool:
    """Return True if one full name is the other with a middle name or a title more, or a short form of it."""
    short, long = sorted((one.parts, other.parts), key=len)
    if one.family != other.family:
        return len(short) > 1 and DOT in one.surface and long[: len(short)] == short
    return set(short) <= set(long) or is_short_for(one.given, other.given) or is_short_for(other.given, one.given)


def fits(form: NameForm, person: Sequence[NameForm]) -> bool:
    """Return True if a form may be one of a person's by its parts."""
    if not _tells_enough(form, person):
        return False
    if any(_is_rank(form, one) or _is_end(form, one) for one in person):
        return True
    full = [one for one in person if one.is_full]
    if full:
        return any(is_part(form, one) or _is_pet_name(form, one) for one in full)
    return any(_is_same(form, one) or _are_short(form, one) for one in person)


def fits_exactly(form: NameForm, person: Sequence[NameForm]) -> bool:
    """Return True if a form is a part of a person's full name, or the same name with another title."""
    same = (is_part(form, one) if one.is_full else _is_same(form, one) for one in person)
    return _tells_enough(form, person) and any(same)


def is_part(form: NameForm, full: NameForm) -> bool:
    if form.surface in full.parts:
        return True
    if form.title == MAIDEN:
        return False
    if form.family:
        return form.family == full.family
    return all(part in full.parts for part in form.parts)


def are_exclusive(ones: Iterable[NameForm], others: Iterable[NameForm]) -> bool:
    """Return True if titles are there that no person bears both: Miss and Mrs, Mr and Sir."""
    titles = {word for form in (*ones, *others) for word in form.title.split()}
    return sum(bool(titles & group) for group in EXCLUSIVE) > 1


def is_through_another(form: NameForm) -> bool:
    """Return True for a title that a person has by a relative's name: 沙妈妈, 王二嫂, Mrs. Gray."""
    return form.title in THROUGH_OTHERS or (form.title[:1] in NUMBERS and form.title[1:] in THROUGH_OTHERS)


def _tells_enough(form: NameForm, person: Iterable[NameForm]) -> bool:
    """Return False for the title of a wife or a mother where no other has it: she has the name of another person.

    An English name without a title is seldom hers either.
    """
    known = [is_through_another(one) for one in person]
    if is_through_another(form):
        return any(known)
    return not (form.is_bare and all(known) and not HAN.search(form.surface))


def _is_same(form: NameForm, other: NameForm) -> bool:
    """Return True for the same name, but for another title with one Chinese surname (李掌柜, 李大夫), or a woman's."""
    if form.parts != other.parts:
        return False
    if not (form.title and other.title) or form.title == other.title:
        return True
    if form.is_of_surname:
        return False
    return bool(KINSHIP & {form.title, other.title}) or (form.title in WOMEN) == (other.title in WOMEN)


def _is_pet_name(form: NameForm, full: NameForm) -> bool:
    """Return True for 阿瑶, 小瑶, 瑶瑶, 瑶儿 beside 苏瑶, and for Bob beside Robert Brown."""
    if len(form.parts) != 1 or form.is_of_surname:
        return False
    [name] = form.parts
    if not HAN.match(name):
        return is_short_for(name, full.given)
    if len(name) != len("阿瑶"):
        return False
    if name[0] in CHINESE_PREFIXES and DOT in full.surface:
        return any(part[0] == name[1] for part in full.parts)
    core = name[1] if name[0] in CHINESE_PREFIXES or name[0] == name[1] else name[0] if name[1] == "儿" else ""
    return bool(core) and core in full.given


def _is_end(form: NameForm, other: NameForm) -> bool:
    """Return True for the second half of a Chinese name that is no surname and given name: 海斗 of 伊藤海斗."""
    name, whole = form.surface, other.surface
    return bool(HAN.match(name)) and 1 < len(name) < len(whole) - 1 and not other.title and whole.endswith(name)


def _is_rank(form: NameForm, other: NameForm) -> bool:
    """Return True for 三哥 beside 陈三."""
    name = other.surface[len(surname(other.surface)) :]
    return bool(form.title) and form.parts == (name,) and name in RANKS


def _are_short(one: NameForm, other: NameForm) -> bool:
    """Return True if one of two given names without a family name is short for the other: Bob, Robert."""
    names = [*one.parts, *other.parts]
    return len(names) == len((one, other)) and (is_short_for(*names) or is_short_for(*reversed(names)))
