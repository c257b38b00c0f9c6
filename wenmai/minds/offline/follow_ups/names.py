"""The names in a text: those that a library knows, and those that the reader sees besides."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from tools.story.names import Mention, NameTable
from wenmai.language.lexicon import DESCRIPTIVE, RELATIVE, bare_form, relation_words
from wenmai.language.patterns import patterns
from wenmai.language.spans import Span, meet
from wenmai.language.titles import Gender, is_english_title, told_gender
from wenmai.minds.offline.follow_ups.talk import TalkReader
from wenmai.reader.layout import NameKind

PERSON = "Character"
"""The graph's label of people."""
_PATTERNS = patterns("wenmai.minds.offline.follow_ups")
_DEMONSTRATIVE = ("这", "那", "该", "此", "\u9019", "the ", "this ", "that ")
_ROLES = "|".join(
    words
    for language in ("zh", "en")
    for name, words in relation_words(language).items()
    if name in ("kin", "friend", "enemy", "pupil", "mate", "head", "under")
)
_PERSON = "|".join([_ROLES, *sorted(RELATIVE | DESCRIPTIVE, key=len, reverse=True)])
_OF_NAME = re.compile(rf"(?:的(?:第.个)?)?(?:{_PERSON})|['’]s (?:[\w-]+ )?(?:{_PERSON})\b", re.IGNORECASE)
ROLE = re.compile(rf"(?:the )?(?:{_PERSON})", re.IGNORECASE)
"""Words for a person that may stand alone: 掌柜, the captain."""
_ENDS_WITH_PERSON = re.compile(rf"(?<![a-z'’-])(?:{_PERSON})$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Name:
    """A name at a half-open span; `is_known` if the library has it; the gender is what one of its spellings tells.

    `owner` is the person that a relative without a name is named after: 张三 of 张三的妹妹.
    """

    span: Span
    text: str
    is_person: bool
    is_known: bool
    gender: Gender = ""
    owner: str = ""


def names_of(reader: TalkReader, text: str, table: NameTable) -> list[Name]:
    """Return the names of a text in order, among them words for people without one, the longer before what it holds."""
    known = [_library_name(one, table) for one in table.find(text)]
    seen = [
        Name((one.start, one.end), words, one.kind == NameKind.PERSON, False, told_gender(words))
        for one in reader.names(text)
        if _is_name(words := _PATTERNS["dangling"].sub("", text[one.start : one.end].strip()))
    ]
    fresh = [one for one in seen if not any(meet(one.span, other.span) for other in known)]
    named = [_with_article(one, text) for one in [*known, *fresh]]
    return sorted([*named, *_relatives(named, text)], key=lambda name: (name.span[0], -name.span[1]))


def _relatives(names: Sequence[Name], text: str) -> Iterator[Name]:
    """Yield the people that a text names by their relative: 张三的妹妹, Rupert's sister."""
    for name in names:
        if name.is_person and (role := _OF_NAME.match(text, name.span[1])):
            span = (name.span[0], role.end())
            yield Name(span, text[slice(*span)], True, False, _role_gender(role[0]), name.text)


def _role_gender(words: str) -> Gender:
    """Return the gender that a word for a relative or a person tells: sister, 丈夫."""
    return "f" if _PATTERNS["woman"].search(words) else "m" if _PATTERNS["man"].search(words) else ""


def describes_person(words: str) -> bool:
    """Return True for words whose last one is for a person, but for those that only point: the old man, 张三的妹妹."""
    return bool(_ENDS_WITH_PERSON.search(words)) and not _PATTERNS["pointing"].match(words)


def _library_name(one: Mention, table: NameTable) -> Name:
    """Return a name of the library, with the gender that any of its spellings tells."""
    spellings = [one.text, *(table.aliases(one.entity) if one.entity else ())]
    told: list[Gender] = [gender for spelling in spellings if (gender := told_gender(spelling))]
    return Name((one.start, one.end), one.text, any(name.kind == PERSON for name in one.candidates), True, *told[:1])


def _with_article(name: Name, text: str) -> Name:
    """Return a name that is a title with the article before it, as in the King."""
    has_article = is_english_title(name.text) and text[: name.span[0]].endswith(("the ", "The "))
    return replace(name, text=f"the {name.text}") if has_article else name


def _is_name(text: str) -> bool:
    """Return True unless words only refer: 他, that man."""
    refers = _PATTERNS["pronoun"].match(text) or f"{text.lower()} ".startswith(_DEMONSTRATIVE)
    return len(text) > 1 and not refers and bare_form(text) not in RELATIVE
