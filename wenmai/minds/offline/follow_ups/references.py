"""Words of a question that stand for something said before, and what is put in their place."""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

from state.session import SessionTurn
from tools.language import HAN, is_chinese
from wenmai.language.spans import Span, meet
from wenmai.language.titles import Gender
from wenmai.minds.offline.follow_ups.names import PATTERNS, TalkName, TalkReader, describes_person
from wenmai.minds.offline.questions.speech import unquoted
from wenmai.reader.inputs import Turn, talk_text
from wenmai.reader.reader import Need

Referent = Literal["several", "person", "thing", "place", "gap", "phrase"]
"""A `phrase` has a noun: it stays, with the name beside it."""
_KINDS: tuple[Referent, ...] = ("several", "person", "thing", "place")
_BESIDE: frozenset[Referent] = frozenset({"gap", "phrase"})
_POSSESSIVE = frozenset({"his", "her", "hers", "its", "their", "theirs"})
_OBJECT = frozenset({"him", "her", "them"})  # pronouns that mean another than the subject does
_GENDERS: Mapping[str, Gender] = {"he": "m", "him": "m", "his": "m", "他": "m", "she": "f", "her": "f", "她": "f"}
SURE: Final = 0.8  # how likely a relative is to be that of a person who was spoken of
RIVAL_SHARE: Final = 0.6  # how likely another antecedent must be, as a share of the best
EARLIER: Final = 0.7
"""How likely what the last turn does not say is to be meant, as a share of what it says.

Of the people of its answer those alone count as said whom the question asked for.
"""
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


def mentions(question: str, need: Need, names: Sequence[Span], *, is_story: bool) -> list[Span]:
    """Return the words of a question that refer, in order, each once; its names refer to themselves.

    In a story a person without a name may be one who was spoken of, or a relative: 儿子叫什么？, the servant.
    """
    known, plain = pronouns(question), unquoted(question)
    marked = [(one.start, one.end, one.probability) for one in need.mentions]
    found: list[Span] = []
    for start, end, sure in [*marked, *((*match.span(), 1.0) for match in PATTERNS["that_one"].finditer(plain))]:
        inside = [span for span in known if meet(span, (start, end))]
        while end < len(question) and question[end - 1 : end + 1].isalnum() and question[end].isascii():
            end += 1
        words = plain[start:end]
        points = PATTERNS["pointing"].match(words) and not PATTERNS["time"].fullmatch(words)
        if not inside and (points or (is_story and sure >= SURE and describes_person(words))):
            inside = [(start, end)]
        found += [span for span in inside if not any(meet(span, one) for one in [*names, *found])]
    return sorted(found)


@dataclass(frozen=True, slots=True)
class Talk:
    """What was said before a question: the turns, the last one last, and the names in them."""

    reader: TalkReader
    turns: Sequence[Turn]
    names: Sequence[TalkName]

    @property
    def last(self) -> str:
        return self.turns[-1].question

    def meanings(self, question: str, spans: Sequence[Span], named: Collection[str]) -> list[Substitution]:
        """Return what stands in the place of mentions, of those that mean something.

        A person who is named in the question is no other person of it, nor is "him" who "he" is, nor "she".
        """
        found: list[Substitution] = []
        for span in spans:
            words = question[slice(*span)].lower()
            gender = _GENDERS.get(words)
            said = {one.name: _GENDERS.get(question[one.start : one.end].lower()) for one in found}
            others = {name for name, one in said.items() if gender and one not in (None, gender)}
            if not _is_possessive(question, span):
                others |= {*named, *(said if words in _OBJECT else ())}
            if meaning := self._antecedents(words, self.reader.antecedents(question, self.turns, span), others):
                joint = "和" if any(map(HAN.search, meaning)) else " and "
                found.append(Substitution(*span, joint.join(meaning)))
        return found

    def _antecedents(self, referring: str, found: Sequence[tuple[str, float]], others: Collection[str]) -> list[str]:
        """Return which of the pieces of the talk words in lower case stand for, not one of the others, [] if none fits.

        A plural can mean several people; '' is something left out.
        """
        kind, gender = _kind_of(referring), _GENDERS.get(referring)
        is_aside = kind == "person" and not PATTERNS["asks_person"].search(self.last)
        said = self.last if is_aside else talk_text(self.turns[-1:])
        likely = sorted(
            ((sure * (1.0 if words in said else EARLIER), words) for words, sure in found), key=lambda row: -row[0]
        )
        people = {name.text: name.gender for name in self.names if name.is_person}
        named = ((text, sure) for sure, words in likely for text in self._names_for(words, gender))
        pieces = [one for one in named if one[0] not in others]
        if gender and pieces:
            right = {text for text, told in people.items() if told in ("", gender)} - set(others)
            latest = [(one.text, RIVAL_SHARE) for one in reversed(self.names) if one.text in right]
            pieces = [one for one in pieces if one[0] in right or one[0] not in people] or latest[:1] or pieces
        is_person = {"person": True, "several": True, "place": False, "thing": False}.get(kind)  # None: either fits
        fitting = [one for one in pieces if is_person in (None, _is_person(one[0], people))]
        fitting = fitting or ([] if kind == "place" else pieces)
        taken = list(dict.fromkeys(text for text, sure in fitting if sure >= RIVAL_SHARE * fitting[0][1]))
        if kind != "several" or not taken or not _is_person(taken[0], people):
            return taken[:1]
        if len(taken) > 1:
            return taken
        # The other of the two that "they" means: the first other person of the last question.
        asked = [name.text for name in self.names if name.is_person and name.text in self.last and not name.owner]
        beside = [one for one in asked if one not in others and one not in taken[0] and taken[0] not in one]
        return [*beside[:1], *taken]

    def _names_for(self, words: str, gender: Gender | None) -> list[str]:
        """Return the known name that these words are most of, or any that they are a part of, else the words.

        Before a name stands the relative of that gender that the last question calls by it: Rupert's sister. A thing
        comes with what the last question says it is of: the stairs at the Lodge.
        """
        words = PATTERNS["dangling"].sub("", words.lstrip(_BEFORE).rstrip(_BEHIND))
        if not words or (len(words) == 1 and not any(name.text == words for name in self.names)):
            return []
        same = [one.text for one in self.names if one.is_known and one.text in words and 2 * len(one.text) > len(words)]
        wider = [one.text for one in self.names if words in one.text and words not in one.owner]
        if text := next(iter([*same, *reversed(wider)]), ""):
            relatives = (one for one in self.names if gender and one.gender == gender and one.owner == text)
            return [*(one.text for one in relatives if one.text in self.last), text]
        things = "|".join(re.escape(name.text) for name in self.names if not name.is_person) or "$"
        plain = re.escape(words)
        located = re.search(rf"\b{plain} (?:of|at|in|on|from) (?:the )?(?:{things})|(?:{things})的?{plain}", self.last)
        return [located[0] if located else words]


def with_genders(names: Sequence[TalkName], turns: Sequence[SessionTurn]) -> list[TalkName]:
    """Return names with the gender of the pronouns by which the user has called them, where nothing else tells it."""
    called: dict[str, Gender] = {}
    for turn in turns:
        words = {turn["question"][slice(*span)].lower() for span in pronouns(turn["question"])}
        genders: set[Gender] = {gender for word in words if (gender := _GENDERS.get(word))}
        fresh = {name.text for name in names if name.text in turn["resolved"] and name.text not in turn["question"]}
        if len(genders) == 1:
            called |= dict.fromkeys(fresh, genders.pop())
    return [replace(name, gender=name.gender or called.get(name.text, "")) for name in names]


def substitute(question: str, substitutions: Sequence[Substitution]) -> str:
    """Return a question with names in the place of what refers to them, or beside it."""
    replaced = [one for one in substitutions if _kind_of(question[one.start : one.end]) not in _BESIDE]
    edits = list[tuple[int, int, str]]()
    for one in replaced:
        of = "的" if question[one.start : one.end] == "其" else ""
        is_possessive = _is_possessive(question, (one.start, one.end))
        edits.append((one.start, one.end, one.name + ("'s" if is_possessive else of)))
    said = {one.name for one in replaced}
    beside = [one for one in substitutions if one not in replaced and one.name not in question and one.name not in said]
    names = list(dict.fromkeys(one.name for one in beside))
    if names and is_chinese(question):
        opening = None if PATTERNS["bare"].match(question) else PATTERNS["opening"].match(question)
        at = max(opening.end() if opening else 0, min(one.start for one in beside))
        edits.append((at, at, "、".join(names)))
    shown = question
    for start, end, text in sorted(edits, reverse=True):
        shown = shown[:start] + text + shown[end:]
    return shown if not names or is_chinese(question) else f"{shown.rstrip()} ({', '.join(names)})"


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


def _is_person(text: str, people: Collection[str]) -> bool:
    return text in people or describes_person(text)
