"""The names in a text: those that a library knows, and those that the reader sees besides."""

from dataclasses import dataclass, replace

from tools.story.linking import Mention, NameTable
from wenmai.language.patterns import patterns
from wenmai.language.spans import Span, meet
from wenmai.language.titles import Gender, is_english_title, told_gender
from wenmai.minds.offline.follow_ups.talk import TalkReader
from wenmai.reader.layout import NameKind

PERSON = "Character"
"""The graph's label of people."""
_PATTERNS = patterns("wenmai.minds.offline.follow_ups")
_DEMONSTRATIVE = ("这", "那", "该", "此", "\u9019", "the ", "this ", "that ")


@dataclass(frozen=True, slots=True)
class Name:
    """A name at a half-open span; `is_known` if the library has it; the gender is what one of its spellings tells."""

    span: Span
    text: str
    is_person: bool
    is_known: bool
    gender: Gender = ""


def names_of(reader: TalkReader, text: str, table: NameTable) -> list[Name]:
    """Return the names of a text in order."""
    known = [_known(one, table) for one in table.find(text)]
    seen = [
        Name((one.start, one.end), words, one.kind == NameKind.PERSON, False, told_gender(words))
        for one in reader.names(text)
        if _is_name(words := _PATTERNS["dangling"].sub("", text[one.start : one.end].strip()))
    ]
    fresh = [one for one in seen if not any(meet(one.span, other.span) for other in known)]
    return [_with_article(one, text) for one in sorted([*known, *fresh], key=lambda name: name.span)]


def _known(one: Mention, table: NameTable) -> Name:
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
    return len(text) > 1 and not _PATTERNS["pronoun"].match(text) and not text.lower().startswith(_DEMONSTRATIVE)
