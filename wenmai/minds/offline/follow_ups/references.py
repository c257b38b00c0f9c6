"""Words of a question that stand for something said before, and what is put in their place."""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

from state.session import SessionTurn
from tools.language import HAN
from wenmai.language.lexicon import RELATIVE
from wenmai.language.spans import Span, meet
from wenmai.language.titles import Gender
from wenmai.minds.offline.follow_ups.names import ENDS_WITH_PERSON, PATTERNS, TalkName, TalkReader, describes_person
from wenmai.minds.offline.questions.speech import unquoted
from wenmai.reader.inputs import Turn, talk_text
from wenmai.reader.reader import Need

Referent = Literal["several", "person", "thing", "place", "gap", "relative", "role", "phrase"]
"""A `relative` is somebody's (儿子), a `role` points at a person (那个徒弟); a `phrase` has another noun (那艘船)."""
_KINDS: tuple[Referent, ...] = ("several", "person", "thing", "place")
_PEOPLE: frozenset[Referent] = frozenset({"several", "person", "relative", "role"})
_STRICT: frozenset[Referent] = frozenset({"place", "relative", "role", "phrase"})
"""What means only what is of its kind; of other references a likely antecedent may be of a kind that is not seen."""
_POSSESSIVE = frozenset({"his", "her", "hers", "its", "their", "theirs"})
_OBJECT = frozenset({"him", "her", "them"})  # pronouns that mean another than the subject does
_GENDERS: Mapping[str, Gender] = {"he": "m", "him": "m", "his": "m", "他": "m", "she": "f", "her": "f", "她": "f"}
SURE: Final = 0.8  # how likely a relative is to be that of a person who was spoken of
RIVAL_SHARE: Final = 0.6  # how likely another antecedent must be, as a share of the best
CLOSE: Final = 0.9  # the same, from which on neither of two that were asked about is put in the place of a reference
LESS: Final = 0.8  # how likely the next reading of the same words is, as a share: Rupert beside Rupert's sister
POSSIBLE: Final = 0.5  # how likely one must be to be a candidate
MOST_CANDIDATES = 3
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


@dataclass(frozen=True, slots=True)
class Meaning:
    """What words at a span stand for: the names that take their place, [] where none is sure, and what else may."""

    span: Span
    names: Sequence[str]
    candidates: Sequence[str]

    @property
    def substitution(self) -> Substitution:
        joint = "和" if any(map(HAN.search, self.names)) else " and "
        return Substitution(*self.span, joint.join(self.names))


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

    def meanings(self, question: str, spans: Sequence[Span], named: Collection[str]) -> list[Meaning]:
        """Return what mentions stand for, of those that mean something.

        A person who is named in the question is no other person of it, nor is "him" who "he" is, nor "she".
        """
        found: list[Meaning] = []
        for span in spans:
            words = question[slice(*span)].lower()
            gender = _GENDERS.get(words)
            said = {name: _GENDERS.get(question[slice(*one.span)].lower()) for one in found for name in one.names}
            others = {name for name, one in said.items() if gender and one not in (None, gender)}
            if not _is_possessive(question, span):
                others |= {*named, *(said if words in _OBJECT else ())}
            names, candidates = self._antecedents(words, self.reader.antecedents(question, self.turns, span), others)
            if names or candidates:
                found.append(Meaning(span, names, candidates))
        return found

    def _antecedents(
        self, referring: str, found: Sequence[tuple[str, float]], others: Collection[str]
    ) -> tuple[list[str], list[str]]:
        """Return which pieces of the talk words in lower case stand for, not the others, and which else they may.

        A plural can mean several people; '' is something left out.
        """
        kind, gender = _kind_of(referring), _GENDERS.get(referring)
        is_aside = kind == "person" and not PATTERNS["asks_person"].search(self.last)
        said = self.last if is_aside else talk_text(self.turns[-1:])
        likely = sorted(
            ((sure * (1.0 if words in said else EARLIER), words) for words, sure in found), key=lambda row: -row[0]
        )
        people = {name.text: name.gender for name in self.names if name.is_person}
        rows = [(sure, self._names_for(words, gender)) for sure, words in likely]
        named = [(text, sure * LESS**at) for sure, names in rows for at, text in enumerate(names)]
        pieces = [one for one in named if one[0] not in others]
        if gender and pieces:
            right = {text for text, told in people.items() if told in ("", gender)} - set(others)
            latest = [(one.text, RIVAL_SHARE) for one in reversed(self.names) if one.text in right]
            pieces = [one for one in pieces if one[0] in right or one[0] not in people] or latest[:1] or pieces
        fitting = [one for one in pieces if kind == "gap" or (kind in _PEOPLE) == _is_person(one[0], people)]
        fitting = fitting or ([] if kind in _STRICT else pieces)
        taken = list(dict.fromkeys(text for text, sure in fitting if sure >= RIVAL_SHARE * fitting[0][1]))
        if kind == "several" and taken and _is_person(taken[0], people):
            if len(taken) > 1:
                return taken, []
            # The other of the two that "they" means: the first other person of the last question.
            asked = [name.text for name in self.names if name.is_person and name.text in self.last and not name.owner]
            beside = [one for one in asked if one not in others and one not in taken[0] and taken[0] not in one]
            return [*beside[:1], *taken], []
        possible = {text: sure for text, sure in reversed(fitting) if sure >= POSSIBLE or text == fitting[0][0]}
        ranked = sorted(possible, key=lambda text: -possible[text])[:MOST_CANDIDATES]
        close = [one for one in ranked if possible[one] >= CLOSE * possible[ranked[0]]]
        best = [one for one in close if one in self.last] or close  # who was asked about comes before who is told of
        known = {name.text for name in self.names if name.is_known}
        if len(best) > 1 or (kind == "phrase" and not known.intersection(best)):
            return [], ranked
        return best, [one for one in ranked if one not in best]

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
    """Return a question with names in the place of what refers to them, and of what it leaves out before the rest."""
    shown = question
    for one in sorted(substitutions, key=lambda one: -one.start):
        words, start, of = question[one.start : one.end], one.start, ""
        if words:
            owner = "'s" * _is_possessive(question, (one.start, one.end))
            of = {"relative": f"的{words}"}.get(_kind_of(words), "的" if words == "其" else owner)
        elif opening := None if PATTERNS["bare"].match(question) else PATTERNS["opening"].match(question):
            start = opening.end()
        shown = shown[:start] + one.name + of + shown[max(start, one.end) :]
    return shown


def _kind_of(words: str) -> Referent:
    """Return the kind of words that refer; '' is something left out."""
    if not words:
        return "gap"
    if words in RELATIVE and HAN.match(words):
        return "relative"
    for kind in _KINDS:
        if PATTERNS[kind].fullmatch(words):
            return kind
    return "role" if PATTERNS["pointing"].match(words) and ENDS_WITH_PERSON.search(words) else "phrase"


def _is_possessive(question: str, span: Span) -> bool:
    """Return True for his, and for her before what is hers."""
    words = question[slice(*span)].lower()
    return words in _POSSESSIVE and not (words == "her" and PATTERNS["no_noun"].match(question, span[1]))


def _is_person(text: str, people: Collection[str]) -> bool:
    return text in people or describes_person(text)
