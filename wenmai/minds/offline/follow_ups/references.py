"""Words of a question that stand for something said before, and what of the talk they mean."""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from tools.language import HAN, is_chinese
from wenmai.language.lexicon import relation_words
from wenmai.language.patterns import patterns
from wenmai.language.spans import Span, meet
from wenmai.language.titles import Gender
from wenmai.minds.offline.follow_ups.names import Name
from wenmai.minds.offline.follow_ups.talk import TalkReader
from wenmai.minds.offline.questions.speech import unquoted
from wenmai.reader.inputs import GAP, Turn, talk_text
from wenmai.reader.reader import Need

Referent = Literal["several", "person", "thing", "place", "gap", "phrase"]
"""A `phrase` has a noun: it stays, with the name beside it."""
PATTERNS = patterns("wenmai.minds.offline.follow_ups")
_KINDS: tuple[Referent, ...] = ("several", "person", "thing", "place")
_BESIDE: frozenset[Referent] = frozenset({"gap", "phrase"})
_POSSESSIVE = frozenset({"his", "her", "hers", "its", "their", "theirs"})
_OBJECT = frozenset({"him", "her", "them"})
"""Pronouns that mean another than the subject does."""
_GENDERS: Mapping[str, Gender] = {"he": "m", "him": "m", "his": "m", "他": "m", "she": "f", "her": "f", "她": "f"}
_KIN = re.compile(relation_words("zh")["kin"])
SURE: Final = 0.8
"""How likely a relative is to be that of somebody who was spoken of."""
SECOND: Final = 0.6
"""How likely another antecedent must be, as a share of the best."""
EARLIER: Final = 0.85
"""How likely what only earlier turns say is to be meant, as a share of what the last one says."""
_BEFORE = " ，。,“”\"'？?：:\n"
_BEHIND = f"{_BEFORE}."


@dataclass(frozen=True, slots=True)
class Substitution:
    """What stands in the place of a mention; the span (0, 0) is something left out."""

    start: int
    end: int
    name: str


def pronouns(question: str) -> list[Span]:
    """Return the pronouns of a question that may stand for what was said before it.

    Others speak in its quotations; behind a topic of its own (Back to Agnes: did she …) they mean that.
    """
    topic = PATTERNS["topic"].match(question)
    plain = unquoted(question)[: topic.end() if topic else None]
    return [match.span() for match in PATTERNS["pronoun"].finditer(plain)]


def mentions(question: str, need: Need, names: Sequence[Span]) -> list[Span]:
    """Return the words of a question that refer, in order, each once.

    Args:
        question: as typed.
        need: what the reader finds in it; its tokens do not end where words do.
        names: those in the question, which refer to themselves.
    """
    known, plain = pronouns(question), unquoted(question)
    pointed = [match.span() for match in PATTERNS["that_one"].finditer(plain)]
    found: list[Span] = []
    relatives = [
        (one.start, one.end)
        for one in need.mentions
        if one.probability >= SURE and _KIN.fullmatch(question[one.start : one.end])
    ]
    for start, end in [*((one.start, one.end) for one in need.mentions), *pointed]:
        inside = [span for span in known if meet(span, (start, end))]
        while end < len(question) and question[end - 1 : end + 1].isalnum() and question[end].isascii():
            end += 1
        words = plain[start:end]
        points = PATTERNS["pointing"].match(words) and not PATTERNS["time"].fullmatch(words)
        if not inside and (points or (start, end) in relatives):
            inside = [(start, end)]
        found += [span for span in inside if not any(meet(span, one) for one in [*names, *found])]
    return sorted(found)


def meanings(
    reader: TalkReader,
    question: str,
    turns: Sequence[Turn],
    spans: Sequence[Span],
    named: Sequence[Name],
    talked: Sequence[Name],
) -> list[Substitution]:
    """Return what stands in the place of mentions, of those that mean something.

    A person who is named in the question is no other person of it, nor is "him" who "he" is.

    Args:
        reader: finds the antecedents.
        question: as typed.
        turns: the talk, the last turn last.
        spans: the mentions; `GAP` is what the question leaves out.
        named: the names of the question.
        talked: those of the talk.
    """
    found: list[Substitution] = []
    for span in spans:
        words = question[slice(*span)].lower()
        others = set() if _is_possessive(question, span) else {name.text for name in named}
        if words in _OBJECT and not _is_possessive(question, span):
            others |= {one.name for one in found}
        last = talk_text(turns[-1:])
        pieces = [(text, sure * (text in last or EARLIER)) for text, sure in reader.antecedents(question, turns, span)]
        meaning = _meant(sorted(pieces, key=lambda row: -row[1]), words, talked, others)
        if _kind_of(words) == "several" and len(meaning) == 1:
            meaning = [*_beside(meaning[0], turns[-1].question, talked, others), *meaning]
        if meaning:
            found.append(Substitution(*span, _together(meaning, is_gap=span == GAP)))
    return found


def put_in(question: str, substitutions: Sequence[Substitution]) -> str:
    """Return a question with names in the place of what refers to them, or beside it."""
    replaced = [one for one in substitutions if _kind_of(question[one.start : one.end]) not in _BESIDE]
    edits = [(one.start, one.end, _in_place(question, one)) for one in replaced]
    said = {one.name for one in replaced}
    beside = [one for one in substitutions if one not in replaced and one.name not in question and one.name not in said]
    names: list[str] = []
    for one in beside:
        if not any(one.name in other or other in one.name for other in names):
            names.append(one.name)
    if names and is_chinese(question):
        opening = None if PATTERNS["bare"].match(question) else PATTERNS["opening"].match(question)
        at = max(opening.end() if opening else 0, min(one.start for one in beside))
        edits.append((at, at, "、".join(names)))
    shown = question
    for start, end, text in sorted(edits, reverse=True):
        shown = shown[:start] + text + shown[end:]
    return shown if not names or is_chinese(question) else f"{shown.rstrip()} ({', '.join(names)})"


def only_fitting(question: str, people: Mapping[str, bool]) -> list[Substitution]:
    """Return what pronouns mean without a reader: the only name that fits each.

    Args:
        question: as typed.
        people: the names that were spoken of; True for those of people.
    """
    found = []
    for start, end in pronouns(question):
        kind = _kind_of(question[start:end].lower())
        fitting = [name for name, is_person in people.items() if is_person == (kind == "person")]
        if len(fitting) == 1 and kind != "several":
            found.append(Substitution(start, end, fitting[0]))
    return found


def _kind_of(words: str) -> Referent:
    """Return the kind of words that refer; '' is something left out."""
    if not words:
        return "gap"
    for kind in _KINDS:
        if PATTERNS[kind].fullmatch(words):
            return kind
    return "phrase"


def _is_possessive(question: str, span: Span) -> bool:
    """Return True for his, and for her before what is hers."""
    words = question[slice(*span)].lower()
    return words in _POSSESSIVE and not (words == "her" and PATTERNS["no_noun"].match(question, span[1]))


def _meant(
    found: Sequence[tuple[str, float]], referring: str, names: Sequence[Name], others: Collection[str]
) -> list[str]:
    """Return what words stand for, [] if nothing fits.

    A plural can mean several; where something is left out, it can be a person and a thing.

    Args:
        found: pieces of the talk, the likeliest first.
        referring: the words in lower case; '' is something left out.
        names: those of the talk.
        others: what they do not stand for.
    """
    kind, gender = _kind_of(referring), _GENDERS.get(referring)
    people = {name.text for name in names if name.is_person}
    wrong = {name.text for name in names if gender and name.gender not in ("", gender)}
    pieces = [(text, sure) for words, sure in found if (text := _spelled(words, names)) and text not in others]
    pieces = [one for one in pieces if one[0] not in wrong] or pieces
    fitting = [one for one in pieces if _fits(one[0], kind, people)] or ([] if kind == "place" else pieces)
    taken = list(dict.fromkeys(text for text, sure in fitting if sure >= SECOND * fitting[0][1]))
    if kind == "several":
        return taken
    other = [text for text in taken[1:] if (text in people) != (taken[0] in people) and text not in taken[0]]
    return [*taken[:1], *(other[:1] if kind == "gap" else [])]


def _spelled(words: str, names: Sequence[Name]) -> str:
    """Return the known name that these words are most of, or any that they are a part of, else the words."""
    words = PATTERNS["dangling"].sub("", words.lstrip(_BEFORE).rstrip(_BEHIND))
    if not words or (len(words) == 1 and not any(name.text == words for name in names)):
        return ""
    same = [name.text for name in names if name.is_known and name.text in words and 2 * len(name.text) > len(words)]
    wider = [name.text for name in names if words in name.text]
    return next(iter([*same, *reversed(wider)]), words)


def _fits(text: str, kind: Referent, people: Collection[str]) -> bool:
    """Return True if a name can be what words of a kind stand for."""
    if kind in ("person", "several"):
        return text in people
    return kind not in ("place", "thing") or text not in people


def _beside(one: str, last: str, names: Sequence[Name], others: Collection[str]) -> list[str]:
    """Return who makes a pair with one of those that "they" means: the first other person of the last question."""
    people = [name.text for name in names if name.is_person and name.text in last and name.text not in others]
    return [name for name in people if name not in one and one not in name][:1]


def _together(names: Sequence[str], *, is_gap: bool) -> str:
    """Return names as one phrase."""
    if any(map(HAN.search, names)):
        return ("、" if is_gap else "和").join(names)
    return (", " if is_gap else " and ").join(names)


def _in_place(question: str, one: Substitution) -> str:
    if _is_possessive(question, (one.start, one.end)):
        return f"{one.name}'s"
    return f"{one.name}的" if question[one.start : one.end] == "其" else one.name
