"""Forms of names taken apart: given name, family name, title, and what each tells of the person."""

import re
from collections.abc import Collection
from dataclasses import dataclass

from tools.language import HAN
from wenmai.language.lexicon import COMPOUND_SURNAMES, SURNAMES, surname
from wenmai.language.segmenting import segmenter, tag_of
from wenmai.language.titles import CHINESE_PREFIXES, Gender, english_gender, is_english_title, without_title

_DOT = re.compile(r"[·・•‧．]")
_WORD = re.compile(r"[^\s,]+")
_POSSESSIVE = re.compile(r"(?:’s|'s|’|')$")


@dataclass(frozen=True, slots=True)
class Form:
    """A form of a name.

    Attributes:
        surface: as the text has it.
        given: given name, '' where the form has none or nothing tells it from a family name.
        family: family name, '' likewise.
        parts: all parts of the name, without titles; one part may be either.
        title: what stands beside the name.
        gender: what the title tells.
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


def form_of(
    surface: str, foreign: Collection[str] = (), common: Collection[str] = (), given: Collection[str] = ()
) -> Form:
    """Take a name apart.

    Args:
        surface: the name as it stands.
        foreign: parts of the text's names with a dot, which are not Chinese surnames and given names.
        given: names that stand behind a surname in other names of the text: 云龙 of 李云龙.
        common: English words of names that the text uses in lower case too: they qualify (Black Michael, the Duke).
    """
    return _chinese(surface, foreign, given) if HAN.search(surface) else _english(surface, common)


def foreign_parts(surfaces: Collection[str]) -> set[str]:
    """Return the parts of the names that have a dot."""
    return {
        part for surface in surfaces if _DOT.search(surface) for part in _DOT.split(without_title(surface)[0]) if part
    }


def given_names(surfaces: Collection[str]) -> set[str]:
    """Return the names that stand alone and behind a surname: 云龙 beside 李云龙."""
    behind = {surface[len(family) :] for surface in surfaces if (family := surname(surface))}
    return behind.intersection(surfaces) - COMPOUND_SURNAMES


def _chinese(surface: str, foreign: Collection[str], given: Collection[str]) -> Form:
    name, title, gender = without_title(surface)
    if _DOT.search(surface):
        parts = tuple(part for part in _DOT.split(name) if part) or (surface,)
        return Form(surface, parts[0], parts[-1] if len(parts) > 1 else "", parts, title, gender)
    if surface in foreign or surface in given:
        return Form(surface, "", "", (surface,))
    if name in foreign:
        return Form(surface, "", "", (name,), title, gender)
    if title and (name in COMPOUND_SURNAMES or (len(name) == 1 and name in SURNAMES)):
        return Form(surface, "", name, (name,), title, gender)
    if len(name) == 2 and name[0] in CHINESE_PREFIXES and name[1] in SURNAMES:
        return Form(surface, "", name[1], (name[1],), name[0] + title, gender)
    family = surname(name)
    rest = name[len(family) :]
    if family and rest not in given and is_common_noun(rest):
        return Form(surface, "", family, (family,), rest + title, gender)
    if family and len(rest) in (1, 2):
        return Form(surface, rest, family, (family, rest), title, gender)
    return Form(surface, "", "", (name,), title, gender)


def is_common_noun(word: str) -> bool:
    """Return True for a Chinese word that the dictionary has as a noun and not as a name: 长兄, 客人, 进士."""
    tag = tag_of(word) if len(word) > 1 and segmenter().has_word(word) else ""
    return tag.startswith("n") and tag not in ("nr", "ns", "nt", "nz", "nrt", "nrfg")


def is_house(surface: str) -> bool:
    """Return True for a family as a whole, or its house: 周家, 严府."""
    return len(surface) == 2 and surface[0] in SURNAMES and surface[1] in HOUSES


def _english(surface: str, common: Collection[str]) -> Form:
    words = [_POSSESSIVE.sub("", word) for word in _WORD.findall(surface)]
    titles = [word for word in words if is_english_title(word) or word.lower() in common]
    parts = tuple(word for word in words if word not in titles)
    genders: list[Gender] = [found for word in titles if (found := english_gender(word))]
    gender: Gender = genders[0] if genders else ""
    if len(parts) > 1:
        return Form(surface, parts[0], parts[-1], parts, " ".join(titles), gender)
    family = parts[0] if parts and any(word.lower().rstrip(".") in FAMILY_TITLES for word in titles) else ""
    return Form(surface, "", family, parts or (surface,), " ".join(titles), gender)


HOUSES = "家府宅门"
FAMILY_TITLES = frozenset({"mr", "mrs", "ms", "dr", "doctor", "professor", "captain", "colonel", "major", "inspector"})
"""Titles that stand before a family name."""
