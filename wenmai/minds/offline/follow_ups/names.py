"""The talk before a follow-up as the reader reads it, and the names in it: known to a library, or seen besides."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, Protocol

from nodes.roles import ReadAnswer
from state.session import Session
from tools.records import PERSON
from tools.story.names import NameTable
from wenmai.language.lexicon import DESCRIPTIVE, RELATIVE, bare_form, patterns, relation_words
from wenmai.language.spans import Span, meet
from wenmai.language.titles import Gender, is_english_title, told_gender
from wenmai.reader.inputs import Turn
from wenmai.reader.layout import NameKind, TaggedSpan
from wenmai.reader.reader import Need

LEAST_MARGIN: Final = -8.0  # log odds of an answer below which its turn counts as unanswered
SHORT_ANSWER = 40  # characters; a shorter answer is read whole
LONGEST_PART = 200  # characters of a question or an answer that are read
_MARK = re.compile(r"\s*\[\d+\]")


class TalkReader(Protocol):
    def answer(self, question: str, passage: str) -> ReadAnswer | None: ...

    def names(self, text: str) -> Sequence[TaggedSpan]: ...

    def need(self, question: str, talk: Sequence[Turn]) -> Need: ...

    def antecedents(self, question: str, talk: Sequence[Turn], mention: Span) -> list[tuple[str, float]]: ...


def talk_of(reader: TalkReader, session: Session) -> list[Turn]:
    """Return the turns of a session; of one that has only names, a turn that says them."""
    turns = list[Turn]()
    for turn in session["turns"]:  # with the words of its answer that answer: a quotation names many who are not meant
        question, told = turn["resolved"][:LONGEST_PART], _MARK.sub("", turn["answer"])[:LONGEST_PART].strip()
        if len(told) > SHORT_ANSWER:
            found = reader.answer(question, told)
            told = told[slice(*found.span)] if found and found.margin >= LEAST_MARGIN else ""
        turns.append(Turn(question, told))
    if not turns and session["entities"]:
        names = "、".join(entity["name"] for entity in reversed(session["entities"]))
        return [Turn(session["topic"] or names, names)]
    return turns


PATTERNS = patterns("wenmai.minds.offline.follow_ups")
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
ENDS_WITH_PERSON = re.compile(rf"(?<![a-z'’-])(?:{_PERSON})$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class TalkName:
    """A name at a half-open span; `is_known` if the library has it; the gender is what one of its spellings tells.

    `owner` is the person that a relative without a name is named after: 张三 of 张三的妹妹.
    """

    span: Span
    text: str
    is_person: bool
    is_known: bool
    gender: Gender = ""
    owner: str = ""


def names_of(reader: TalkReader, text: str, table: NameTable) -> list[TalkName]:
    """Return the names of a text in order, among them words for people without one, the longer before what it holds."""
    known = list[TalkName]()
    for mention in table.find(text):  # with the gender that any of its spellings tells
        spellings = [mention.text, *(table.aliases(mention.entity) if mention.entity else ())]
        told: list[Gender] = [gender for spelling in spellings if (gender := told_gender(spelling))]
        is_person = any(name.kind == PERSON for name in mention.candidates)
        known.append(TalkName((mention.start, mention.end), mention.text, is_person, True, *told[:1]))
    seen = [
        TalkName((one.start, one.end), words, one.kind == NameKind.PERSON, False, told_gender(words))
        for one in reader.names(text)
        if _is_name(words := PATTERNS["dangling"].sub("", text[one.start : one.end].strip()))
    ]
    fresh = [one for one in seen if not any(meet(one.span, other.span) for other in known)]
    named = list[TalkName]()
    for one in [*known, *fresh]:  # a title with the article before it, as in the King
        has_article = is_english_title(one.text) and text[: one.span[0]].endswith(("the ", "The "))
        named.append(replace(one, text=f"the {one.text}") if has_article else one)
    for name in list(named):  # a person named by a relative: 张三的妹妹, Rupert's sister
        if name.is_person and (role := _OF_NAME.match(text, name.span[1])):
            span = (name.span[0], role.end())
            sex: Gender = "f" if PATTERNS["woman"].search(role[0]) else "m" if PATTERNS["man"].search(role[0]) else ""
            named.append(TalkName(span, text[slice(*span)], True, False, sex, name.text))
    return sorted(named, key=lambda name: (name.span[0], -name.span[1]))


def describes_person(words: str) -> bool:
    """Return True for words whose last one is for a person, but for those that only point: the old man, 张三的妹妹."""
    return bool(ENDS_WITH_PERSON.search(words)) and not PATTERNS["pointing"].match(words)


def _is_name(text: str) -> bool:
    """Return True unless words only refer: 他, that man."""
    refers = PATTERNS["pronoun"].match(text) or f"{text.lower()} ".startswith(_DEMONSTRATIVE)
    return len(text) > 1 and not refers and bare_form(text) not in RELATIVE
