"""Pronouns of a chapter, where it is sure whose they are."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache

from state.context import Language
from tools.records import PERSON
from wenmai.ingestion.contracts import TaggedChapter
from wenmai.ingestion.names.names import TextMention, within
from wenmai.language.lexicon import bodies, relation_words, seats

SEAT_REACH = 1500
"""Characters before an office in which its seat is named."""


@dataclass(frozen=True, slots=True)
class StandIn:
    """A word as a mention of the entity that it means; `suffix` is what the masked text shows behind it."""

    mention: TextMention
    suffix: str = ""


def bare_offices(tagged: TaggedChapter, language: Language, span: tuple[int, int], subject: str) -> Iterator[StandIn]:
    """Yield the seat of a bare office before a name: the last ship for 大副季铁, the subject for 徒弟唐小棠."""
    text = tagged.chapter.text
    for expression, ends in _office_words(language):
        for match in expression.finditer(text, *span):
            named = within(tagged.mentions, match.end(), match.end() + 1)
            if not any(tagged.kinds.get(one.entity) == PERSON for one in named):
                continue
            if not ends and subject and match.start() == span[0]:
                yield StandIn(TextMention(match.start(), match.start(), subject), "的")
            near = within(tagged.mentions, max(0, match.start() - SEAT_REACH), match.start()) if ends else ()
            if seat := next((one.entity for one in reversed(near) if one.entity[-1] in ends), None):
                yield StandIn(TextMention(match.start(), match.start(), seat), "的")


@cache
def _office_words(language: Language) -> tuple[tuple[re.Pattern[str], str], ...]:
    """Return the words of offices, each with the last characters of its seat, '' for those of a person."""
    rows = seats(language)
    pupils = ((relation_words(language)["pupil"], ""),) if rows else ()
    return tuple(
        (re.compile(rf"(?:(?<=[，。；：“是、\n])|^)(?:{words})", re.M), ends) for words, ends in (*rows, *pupils)
    )


def bare_bodies(tagged: TaggedChapter, language: Language, span: tuple[int, int]) -> Iterator[StandIn]:
    """Yield the body that its bare kind means, if the chapter has named one of the kind so far: 公会, 船上."""
    text = tagged.chapter.text
    for words, ends in bodies(language):
        for match in re.compile(rf"(?<=[是在到从进入出离回替给])(?:{words})", re.M).finditer(text, *span):
            kind = tuple(ends) or match[0]
            named = [m.entity for m in within(tagged.mentions, 0, match.start()) if m.entity.endswith(kind)]
            if len(set(named)) == 1 or (named and ends):
                yield StandIn(TextMention(match.start(), match.end(), named[-1]))


REACH = {"zh": 400, "en": 1000}
"""Characters before a pronoun in which it fits one person alone."""
_OPENING = 2
"""Characters before a name at most, for it to be the subject of its sentence."""
_LISTED = re.compile(r"[和与及跟同、]|以及|,? and |, ")
_PRONOUNS = {
    "zh": re.compile(
        r"(?P<pair>[他她]们[俩两]个?人?|(?<![一那这])两个?人|二人)|(?P<three>[他她]们(?:三个?人?|仨)|(?<![一那这])三个人)|(?P<m>他)(?![们人])|(?P<f>她)(?!们)|(?P<own>我)(?!们)"
    ),
    "en": re.compile(r"\b(?:(?P<m>[Hh]e|him|[Hh]is)|(?P<f>[Ss]he|[Hh]er)|(?P<own>I|me|[Mm]y))\b(?!['’](?:d|ll)\b)"),
}
_REACHED = frozenset("到在进给向对朝往")
"""Words before a pronoun whose owner something reaches: 移到她的喉咙上."""
_CLAUSE_MARK = re.compile(r"[，。；！？：、“”…\s]|$")
_CLAUSE = re.compile(r"[，。；！？：、,;:!?.]")
_NAMELESS = {
    "zh": re.compile(
        r"(?:^|[，。；：！？“”\n])(?:[那这][个位]?人|[那这一][个位名](?:[^，。；！？\n]{0,6}的)?"
        r"(?:男人|女人|老人|老头|老太太|孩子|汉子|姑娘|青年|少年|和尚|道士))(?!们)"
    ),
    "en": re.compile(
        r"\b(?:[Tt]he|[Aa]n?|[Tt]his|[Tt]hat|[Aa]nother) (?:\w+ )?"
        r"(?:man|woman|gentleman|lady|nobleman|girl|boy|child|fellow|stranger|servant|officer|doctor|priest)\b"
    ),
}
"""People without a name, that a pronoun may mean."""
_POSSESSIVE = frozenset(("his", "her", "my"))


@dataclass(slots=True)
class Voices:
    """Follows the sentences of a chapter in order.

    A pronoun means the only person named so far in the paragraph, the subject of the sentence before where its own
    has named nobody yet, the only person of a paragraph without speech before, or the only one nearby who is called
    so, among those who act in the paragraph first; as an object it is not the subject of its sentence.
    我 in a quotation is the only person named outside of quotations in its paragraph, elsewhere the narrator.
    """

    tagged: TaggedChapter
    quoted: bytearray
    language: Language
    _people: list[TextMention] = field(init=False)
    _paragraph: tuple[int, int] = (0, 0)
    _previous: tuple[str, ...] = ()
    _told_alone: str | None = None
    _is_open: bool = False
    _subject: str | None = None
    _is_new: bool = True
    _told: dict[int, str] = field(init=False)
    _meant_so_far: list[TextMention] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._people = [m for m in self.tagged.mentions if self.tagged.kinds.get(m.entity) == "Character"]
        self._told = {m.start: m.entity for m in self.tagged.narrator}

    def stand_ins(self, start: int, end: int) -> list[StandIn]:
        """Return the pronouns and bare offices of the next sentence that surely mean a person or an organisation."""
        self._enter(start)
        text = self.tagged.chapter.text
        found: list[StandIn] = []
        for match in _PRONOUNS[self.language].finditer(text, start, end):
            meant = self._meant(match, start)
            found += meant
            if not self.quoted[match.start()]:
                self._meant_so_far += [one.mention for one in meant]
                self._is_open = self._is_open or not meant
        offices = [*bare_offices(self.tagged, self.language, (start, end), self._subject or "")]
        offices += bare_bodies(self.tagged, self.language, (start, end))
        named = sorted([*self._narrated(start, end), *(one.mention for one in found)], key=lambda m: m.start)
        opens = named and len(text[start : named[0].start].strip()) <= _OPENING and not self.quoted[named[0].start]
        opens = opens and not any(_LISTED.fullmatch(text, named[0].end, one.start) for one in named[1:2])
        self._subject, self._is_new = (named[0].entity if opens else None), False
        return [*found, *offices]

    def _enter(self, start: int) -> None:
        if start < self._paragraph[1]:
            return
        text = self.tagged.chapter.text
        self._previous = self._distinct(*self._paragraph)
        is_told = len(self._previous) == 1 and not any(self.quoted[slice(*self._paragraph)]) and not self._is_open
        is_told = is_told and self.language == "zh"  # in English many a "he" is a king or a doctor of the line before
        self._told_alone = next((one for one in self._subjects(*self._paragraph) if is_told), None)
        self._is_open = False
        if text[self._paragraph[1] : start].strip():
            self._subject = None
        end = text.find("\n", start + 1)
        self._paragraph, self._is_new = (start, end if end > start else len(text)), True

    def _meant(self, match: re.Match[str], sentence: int) -> Sequence[StandIn]:
        kind, place = match.lastgroup or "", match.start()
        if kind == "own":
            told = (self._told[place],) if place in self._told else ()
            return self._only(match, self._distinct(*self._paragraph) if self.quoted[place] else told)
        if self.quoted[place]:
            return ()
        before = self._distinct(self._paragraph[0], place)
        if kind in ("pair", "three"):
            return self._group(match, before, 2 if kind == "pair" else 3)
        return self._only(match, self._candidates(match, kind, before, sentence))

    def _group(self, match: re.Match[str], before: Sequence[str], count: int) -> Sequence[StandIn]:
        """Return the people of the paragraph, or of the one before, or those who act nearby, if there are so many."""
        place = match.start()
        meant = (one.entity for one in self._meant_so_far if self._paragraph[0] <= one.start < place)
        here = tuple(dict.fromkeys((*before, *meant))) or self._previous
        acting = dict.fromkeys(self._subjects(max(0, place - REACH[self.language]), place))
        who = list(here if len(here) == count else acting if count > 2 else ())
        if len(who) != count:
            return ()
        listed = [StandIn(TextMention(place, place, one), "、" if count > 2 else "") for one in who[:-1]]
        return [*listed, StandIn(TextMention(place, match.end(), who[-1]))]

    def _candidates(self, match: re.Match[str], gender: str, before: Sequence[str], sentence: int) -> Sequence[str]:
        place, mates = match.start(), self._clause_mates(match)
        here = self._distinct(sentence, place)
        is_object = self._is_object(match)
        if len(before) == 1 and self._fits(before[0], gender) and not (is_object and here == before):
            return () if before[0] in mates or self._is_crossed(before[0], place) else before
        subject = self._opening(sentence, place) if here else self._subject
        if len(here) < 2 and subject and not is_object and self._fits(subject, gender, is_sure=self._is_new):
            return () if subject in mates else (subject,)
        if is_object and len(here) == 1 and self._subject not in (None, *here) and not self._is_new:
            return (self._subject,) if self._gender(self._subject) == gender else ()
        if not before and not is_object and self._told_alone and self._fits(self._told_alone, gender):
            return () if self._is_crossed(self._told_alone, place) else (self._told_alone,)
        barred = {*mates, *((self._subjects(sentence, place)[-1:] or here[:1]) if is_object else ())}
        near = {person: at for person, at in self._around(place).items() if person not in barred}
        return self._acting(near, gender, place) or self._called(near, gender, place)

    def _acting(self, near: Mapping[str, int], gender: str, place: int) -> Sequence[str]:
        """Return the only one who acts in the paragraph and is called so, if nobody who may be comes after."""
        subjects = self._subjects(self._paragraph[0], place)
        here = {person: at for person, at in near.items() if at >= self._paragraph[0] and self._fits(person, gender)}
        called = self._called({person: at for person, at in here.items() if person in subjects}, gender, place)
        return called if called and max(here.values()) == here[called[0]] else ()

    def _subjects(self, start: int, end: int) -> Sequence[str]:
        """Return who is named where a clause begins, and is no mere owner."""
        text = self.tagged.chapter.text
        people = [m for m in self._narrated(start, end) if not text.startswith("的", m.end)]
        return [m.entity for m in people if _CLAUSE_MARK.match(text[m.start - 1 : m.start])]

    def _called(self, near: Mapping[str, int], gender: str, place: int) -> Sequence[str]:
        """Return the only one of those nearby who is called so, if nobody of unknown gender comes between."""
        called = [person for person in near if self._gender(person) == gender]
        doubtful = [at for person, at in near.items() if self._gender(person) in ("", f"{gender}?")]
        if len(called) != 1 or any(at > near[called[0]] for at in doubtful) or self._is_crossed(called[0], place):
            return ()
        return called

    def _opening(self, sentence: int, place: int) -> str | None:
        first = next(iter(self._narrated(sentence, place)), None)
        opens = first and len(self.tagged.chapter.text[sentence : first.start].strip()) <= _OPENING
        return first.entity if first and opens else None

    def _is_crossed(self, person: str, place: int) -> bool:
        """Return True if a person without a name comes between: the nobleman … he died."""
        last = self._around(place).get(person, place)
        return _NAMELESS[self.language].search(self.tagged.chapter.text, last, place) is not None

    def _around(self, place: int) -> dict[str, int]:
        """Return who is named, or surely meant by a pronoun, a little before a place, with the last place of each."""
        first = max(0, place - REACH[self.language])
        meant = [one for one in self._meant_so_far if one.start >= first]
        everyone = sorted([*self._narrated(first, place), *meant], key=lambda one: one.start)
        return {one.entity: one.start for one in everyone}

    def _is_object(self, match: re.Match[str]) -> bool:
        """Return True if a Chinese pronoun follows other words of its clause, and is not the owner of their object."""
        text, before = self.tagged.chapter.text, self.tagged.chapter.text[match.start() - 1 : match.start()]
        inner = self.language == "zh" and (before in _REACHED or not text.startswith("的", match.end()))
        return inner and not _CLAUSE_MARK.match(before)

    def _clause_mates(self, match: re.Match[str]) -> Sequence[str]:
        """Return who is named before a pronoun in its clause and so is not meant, unless it says whose something is."""
        text, place = self.tagged.chapter.text, match.start()
        if text.startswith("的", match.end()) or match[0].casefold() in _POSSESSIVE:
            return ()
        clause = max((m.end() for m in _CLAUSE.finditer(text, self._paragraph[0], place)), default=self._paragraph[0])
        return self._distinct(clause, place)

    def _gender(self, person: str) -> str:
        return self.tagged.genders.get(person, "")

    def _fits(self, person: str, gender: str, *, is_sure: bool = False) -> bool:
        """Return True if a person may be called so; `is_sure`: is known to be."""
        return self._gender(person) in ((gender,) if is_sure else ("", gender, f"{gender}?"))

    def _only(self, match: re.Match[str], people: Sequence[str]) -> Sequence[StandIn]:
        suffix = "'s" if match[0].casefold() in _POSSESSIVE else ""
        return [StandIn(TextMention(match.start(), match.end(), people[0]), suffix)] if len(people) == 1 else ()

    def _distinct(self, start: int, end: int) -> tuple[str, ...]:
        return tuple(dict.fromkeys(m.entity for m in self._narrated(start, end)))

    def _narrated(self, start: int, end: int) -> list[TextMention]:
        return [m for m in within(self._people, start, end) if not self.quoted[m.start]]
