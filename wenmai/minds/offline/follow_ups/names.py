"""The names in a text: those that a library knows, and those that the reader sees besides."""

from dataclasses import dataclass

from tools.story.linking import NameTable
from wenmai.language.spans import Span, meet
from wenmai.minds.offline.follow_ups.mentions import PRONOUN
from wenmai.minds.offline.follow_ups.talk import TalkReader
from wenmai.reader.layout import NameKind

PERSON = "Character"
"""The graph's label of people."""
_DEMONSTRATIVE = ("这", "那", "该", "此", "\u9019", "the ", "this ", "that ")


@dataclass(frozen=True, slots=True)
class Name:
    """A name at a half-open span; `is_known` if the library has it."""

    span: Span
    text: str
    is_person: bool
    is_known: bool


def names_of(reader: TalkReader, text: str, table: NameTable) -> list[Name]:
    """Return the names of a text in order."""
    known = [
        Name((one.start, one.end), one.text, any(name.kind == PERSON for name in one.candidates), True)
        for one in table.find(text)
    ]
    seen = [
        Name((one.start, one.end), text[one.start : one.end].strip(), one.kind == NameKind.PERSON, False)
        for one in reader.names(text)
    ]
    fresh = [one for one in seen if _is_name(one.text) and not any(meet(one.span, other.span) for other in known)]
    return sorted([*known, *fresh], key=lambda name: name.span)


def _is_name(text: str) -> bool:
    """Return True unless words only refer: 他, that man."""
    return len(text) > 1 and not PRONOUN.match(text) and not text.lower().startswith(_DEMONSTRATIVE)
