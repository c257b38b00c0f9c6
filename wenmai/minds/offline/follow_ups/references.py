"""Words of a question that stand for something said before, and questions that leave out what the last one asked."""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, pairwise
from typing import Final, Literal

from state.session import SessionTurn
from tools.language import HAN, is_chinese
from tools.story.names import NameTable
from wenmai.language.lexicon import patterns
from wenmai.language.segmenting import cut, segmenter
from wenmai.language.spans import Span, meet
from wenmai.language.titles import Gender
from wenmai.minds.offline.follow_ups.names import ROLE, TalkName, TalkReader, describes_person, names_of
from wenmai.minds.offline.questions.speech import unquoted
from wenmai.reader.inputs import Turn, talk_text
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
SURE: Final = 0.8
"""How likely a relative is to be that of somebody who was spoken of."""
RIVAL_SHARE: Final = 0.6
"""How likely another antecedent must be, as a share of the best."""
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


_PROPER = re.compile(r"(?<=\s)[A-Z][\w'-]*(?: [A-Z][\w'-]*)*")
_SHAPES = (re.compile(r"\d+"), re.compile(r"\b(?:first|second|third|fourth|fifth|sixth|last|next)\b", re.IGNORECASE))
"""Of numbers and ordinals: another one is alike where the words around it are the same."""
_NOUNS = ("n", "s", "i", "eng", "r", "zg")
"""Parts of speech, by their beginnings, of words that can be the subject of a Chinese clause."""
LEAST_HAN = 2
"""Characters of a thing that has a head."""


def is_fragment(question: str) -> bool:
    """Return True for a question that names or asks one thing and leaves out the rest."""
    return named_next(question) is not None or any(PATTERNS[kind].match(question.strip()) for kind in ("why", "bare"))


def whole_question(reader: TalkReader | None, question: str, last: str, table: NameTable) -> tuple[str, str] | None:
    """Return the one question that a fragment stands for, and what it says itself; None where that is in doubt.

    Without a reader nothing is known to be alike.
    """
    if match := PATTERNS["why"].match(question.strip()):
        words = match["zh"] or match["en"]
        whole = _asked_how(words, last) if is_chinese(last) else _asked_how_in_english(words, last)
        return (whole, words) if whole else None
    thing = named_next(question)
    whole = _asked_of_another(reader, thing, last, table) if reader and thing else None
    return (whole, thing) if thing and whole else None


def lacks_subject(question: str) -> bool:
    """Return True for a Chinese question without a noun but for what it asks: 花了多少钱."""
    opening = PATTERNS["opening"].match(question)
    rest = question[opening.end() if opening else 0 :]
    if not is_chinese(question) or PATTERNS["has_subject"].match(rest):
        return False
    before = ""
    for word, tag in segmenter().tag(rest, True):
        if tag.startswith(_NOUNS) and not PATTERNS["asks"].search(before + word):
            return False
        before = word
    return True


def spoken_of(turn: Turn, name: str) -> str:
    """Return what a Chinese question was about: 试用期 of 试用期多长, who did it and what of 谁赎回了项链.

    Where only the answer has the name of what is meant, that is it.
    """
    asked, last = _asks(turn.question), turn.question
    words = segmenter().tag(last[: asked.start()] if asked else "", True)
    while words and not words[-1][1].startswith(_NOUNS):
        words.pop()
    topic = "".join(word for word, _ in words)
    if not topic and asked:
        topic = last[asked.end() :].rstrip("？?的了")
        return topic if name in topic else name + topic * (name not in last)
    return topic if topic and (name in last or name not in turn.answer) else name


def named_next(question: str) -> str | None:
    question = question.strip()
    match = None if PATTERNS["bare"].match(question) else PATTERNS["next"].match(question)
    thing = (match["zh"] or match["en"] or match["phrase"]).strip() if match else ""
    return thing if thing and not PATTERNS["asks"].search(thing) else None


def _asked_how(words: str, last: str) -> str | None:
    """Return the last question, in Chinese, asked why, when or where instead."""
    if not is_chinese(words):
        return None
    asked = _asks(last)
    if not asked or asked.re is PATTERNS["asked_way"]:
        return f"{last[: asked.start()]}{words}{last[asked.end() :]}" if asked else None
    said = f"{last[: asked.start()]}{last[asked.end() :]}".strip("？?")
    return f"{words}{said}？"


def _asks(last: str) -> re.Match[str] | None:
    kinds = ("asked_way", "asked_thing", "asked_whether")
    return next((found for kind in kinds if (found := PATTERNS[kind].search(last))), None)


def _asked_how_in_english(words: str, last: str) -> str | None:
    """Return the last question asked why, when or to which person instead."""
    words, negation = re.sub(r" not$", "", words, flags=re.IGNORECASE), " not" if words.lower().endswith(" not") else ""
    words = words[:1].upper() + words[1:]
    asked, who = PATTERNS["asked_first"].match(last), PATTERNS["asked_who"].match(last)
    if asked and asked["whether"]:
        return f"{words} {asked['whether'].lower()}{negation} {last[asked.end() :]}"
    if asked and (not asked["who"] or PATTERNS["subject"].match(last[asked.end() :])):
        verb = asked["verb"] + ("" if asked["verb"].endswith("t") else negation)
        noun, rest = f"the{asked['noun']}" * bool(asked["noun"] and not asked["before"]), last[asked.end() :]
        if noun and verb.lower().startswith("d"):
            return f"{words} {verb} {rest.rstrip('?.! ')} {noun}?"
        return f"{words} {verb} {noun}{' ' * bool(noun)}{rest}"
    if not who:
        return None
    if re.match(r"who\b", words, re.IGNORECASE):
        return f"{words} {last[who.end() :].lstrip()}"
    return f"{words} was it that some{'one' if who['who'].lower() == 'who' else 'thing'}{last[who.end() :]}"


def _asked_of_another(reader: TalkReader, thing: str, last: str, table: NameTable) -> str | None:
    """Return the last question with a thing in the place of its like; None where nothing of it is alike."""
    if phrase := PATTERNS["circumstance"].match(thing):  # in the place of one with its preposition: by day, by night
        behind = r"(?:(?:the|an?|my|your|our) )?[\w'-]+(?-i:(?: [A-Z][\w'-]+)*)"
        other = re.search(rf"\b{phrase[1]} {behind}", last, re.IGNORECASE)
        if other and other.start():
            return last[: other.start()] + thing + last[other.end() :]
        return f"{last.rstrip('?.! ')} {thing}?"
    named, before = names_of(reader, thing, table), names_of(reader, last, table)
    now = next((name for name in named if name.text == thing), None)
    is_person = now.is_person if now else bool(ROLE.fullmatch(thing))
    same = [name.span for name in before if (now or is_person) and name.is_person == is_person]
    if thing in last:
        return None
    thing = thing if same else re.sub(r"^the | one$", "", thing)
    spans = same[:1] or _alike(thing, last, before)
    if not spans and (PATTERNS["is_time"].match(thing) or {tag for _, tag in segmenter().tag(thing, True)} == {"t"}):
        return _at_time(thing, last)
    return last[: spans[0][0]] + thing + last[spans[0][1] :] if len(spans) == 1 else None


def _at_time(thing: str, last: str) -> str:
    if clause := PATTERNS["at_time"].match(last):
        return f"{thing}{last[clause.end() :]}"
    at = 0
    for word, tag in segmenter().tag(last, True):
        if tag == "t":
            return last[:at] + thing + last[at + len(word) :]
        at += len(word)
    return f"{thing}{last}"


def _alike(thing: str, last: str, names: Sequence[TalkName]) -> Sequence[Span]:
    """Return where a question has a thing that is written alike: 年假 for 病假, 2023年 for 2024年, annual leave."""
    for shape in _SHAPES:
        if shape.search(thing):
            pattern = r"(?<!\d)" + shape.pattern.join(map(re.escape, shape.split(thing)))
            return [match.span() for match in re.finditer(pattern, last, re.IGNORECASE)]
    if is_chinese(thing):
        if spans := _of_head(thing, last):
            return spans
        owner = re.match(r"[\u4e00-\u9fff]{2,6}?(?=的)", last)  # whose thing it is, where that is no person: 苹果的单价
        if not owner or any(name.text in (owner[0], thing) for name in names):
            return []
        tags = [tag for words in (owner[0], thing) for _, tag in segmenter().tag(words, True)]
        return [owner.span()] if all(tag.startswith("n") for tag in tags) else []
    if _PROPER.fullmatch(f" {thing}", 1):
        return [match.span() for match in _PROPER.finditer(last)]
    *rest, head = thing.split()
    pattern = rf"\b(?:[\w-]+ ){{{len(rest)}}}{re.escape(head)}\b" if rest else ""
    return [match.span() for match in re.finditer(pattern, last, re.IGNORECASE)] if pattern else []


def _of_head(thing: str, last: str) -> Sequence[Span]:
    """Return where a Chinese question has whole words that end as a thing does: as many characters, else one word."""
    if len(thing) < LEAST_HAN:
        return []
    cuts = [0, *accumulate(map(len, cut(last)))]
    ends = [match.end() for match in re.finditer(re.escape(thing[-1]), last) if match.end() in cuts]
    same = [(end - len(thing), end) for end in ends if end - len(thing) in cuts]
    words = [(start, end) for start, end in pairwise(cuts) if end in ends and end - start >= LEAST_HAN]
    return same or words
