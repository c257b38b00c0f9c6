"""Pronouns and bare words of office of a chapter, where it is sure whose they are."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache

from state.context import Language
from wenmai.ingestion.contracts import TaggedChapter
from wenmai.ingestion.names.mentions import Mention, within
from wenmai.language.relation_words import relation_words, seats

REACH = {"zh": 400, "en": 1000}
"""Characters before a pronoun in which it fits one person alone."""
SEAT_REACH = 1500
LEAST_VOTES, CLEAR = 2, 0.75
"""Pronouns that tell how a person is called, and the share of them that must agree."""
_OPENING = 2
"""Characters before a name at most, for it to be the subject of its sentence."""
_PRONOUNS = {
    "zh": re.compile(
        r"(?P<pair>[他她]们[俩两]个?人?|(?<![一那这])两个?人|二人)|(?P<m>他)(?![们人])|(?P<f>她)(?!们)|(?P<own>我)(?!们)"
    ),
    "en": re.compile(r"\b(?:(?P<m>[Hh]e|him|[Hh]is)|(?P<f>[Ss]he|[Hh]er)|(?P<own>I|me|[Mm]y))\b(?!['’](?:d|ll)\b)"),
}
_CLAUSE = re.compile(r"[，。；！？：、,;:!?.]")
_POSSESSIVE = frozenset(("his", "her", "my"))


@dataclass(frozen=True, slots=True)
class StandIn:
    """A pronoun as a mention of the person that it means; `suffix` is what the masked text shows behind it."""

    mention: Mention
    suffix: str = ""


@dataclass(slots=True)
class Voices:
    """Follows the sentences of a chapter in order.

    A pronoun means the only person named so far in the paragraph, the subject of the sentence before where its own
    has named nobody yet, or the only one nearby who is called so. 我 in a quotation is the only person named outside of
    quotations in its paragraph.
    """

    tagged: TaggedChapter
    quoted: bytearray
    language: Language
    _people: list[Mention] = field(init=False)
    _paragraph: tuple[int, int] = (0, 0)
    _previous: tuple[str, ...] = ()
    _subject: str | None = None
    _genders: defaultdict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))

    def __post_init__(self) -> None:
        self._people = [m for m in self.tagged.mentions if self.tagged.kinds.get(m.entity) == "Character"]
        for match in _PRONOUNS[self.language].finditer(self.tagged.chapter.text):
            if match.lastgroup in ("m", "f") and not self.quoted[match.start()]:
                paragraph = self.tagged.chapter.text.rfind("\n", 0, match.start()) + 1
                if len(before := self._distinct(paragraph, match.start())) == 1:
                    self._genders[before[0]][match.lastgroup] += 1

    def stand_ins(self, start: int, end: int) -> list[StandIn]:
        """Return the pronouns and bare offices of the next sentence that surely mean a person or an organisation."""
        self._enter(start)
        text = self.tagged.chapter.text
        found = [
            one for match in _PRONOUNS[self.language].finditer(text, start, end) for one in self._meant(match, start)
        ]
        offices = list(self._offices(start, end))
        named = sorted([*self._narrated(start, end), *(one.mention for one in found)], key=lambda m: m.start)
        opens = named and len(text[start : named[0].start].strip()) <= _OPENING and not self.quoted[named[0].start]
        self._subject = named[0].entity if opens else None
        return [*found, *offices]

    def _enter(self, start: int) -> None:
        if start < self._paragraph[1]:
            return
        self._previous = self._distinct(*self._paragraph)
        end = self.tagged.chapter.text.find("\n", start + 1)
        self._paragraph = (start, end if end > start else len(self.tagged.chapter.text))
        self._subject = None

    def _meant(self, match: re.Match[str], sentence: int) -> Sequence[StandIn]:
        kind, place = match.lastgroup or "", match.start()
        if kind == "own":
            return self._only(match, self._distinct(*self._paragraph) if self.quoted[place] else ())
        if self.quoted[place]:
            return ()
        before = self._distinct(self._paragraph[0], place)
        if kind == "pair":
            two = before or self._previous
            spans = ((place, place), (place, match.end()))
            return [StandIn(Mention(*span, who)) for span, who in zip(spans, two, strict=True)] if len(two) == 2 else ()
        return self._only(match, self._candidates(match, kind, before, sentence))

    def _candidates(self, match: re.Match[str], gender: str, before: Sequence[str], sentence: int) -> Sequence[str]:
        place, mates = match.start(), self._clause_mates(match)
        if len(before) == 1 and self._fits(before[0], gender):
            return () if before[0] in mates else before
        if self._subject and not self._distinct(sentence, place) and self._fits(self._subject, gender):
            return (self._subject,)
        near = self._distinct(max(0, place - REACH[self.language]), place)
        if any(not self._gender(one) for one in near):
            return ()
        return [one for one in near if self._gender(one) == gender and one not in mates]

    def _clause_mates(self, match: re.Match[str]) -> Sequence[str]:
        """Return who is named before a pronoun in its clause and so is not meant, unless it says whose something is."""
        text, place = self.tagged.chapter.text, match.start()
        if text.startswith("的", match.end()) or match[0].casefold() in _POSSESSIVE:
            return ()
        clause = max((m.end() for m in _CLAUSE.finditer(text, self._paragraph[0], place)), default=self._paragraph[0])
        return self._distinct(clause, place)

    def _gender(self, person: str) -> str:
        votes = self._genders[person]
        gender, most = votes.most_common(1)[0] if votes else ("", 0)
        return gender if most >= LEAST_VOTES and most >= CLEAR * votes.total() else ""

    def _fits(self, person: str, gender: str) -> bool:
        return self._gender(person) in ("", gender)

    def _offices(self, start: int, end: int) -> Iterator[StandIn]:
        """Yield the seat of a bare office before a name: the last ship for 大副季铁, the subject for 徒弟唐小棠."""
        text = self.tagged.chapter.text
        for expression, ends in _bare_offices(self.language):
            for match in expression.finditer(text, start, end):
                if not any(one.start == match.end() for one in within(self._people, match.end(), match.end() + 1)):
                    continue
                if not ends and self._subject and match.start() == start:
                    yield StandIn(Mention(match.start(), match.start(), self._subject), "的")
                near = within(self.tagged.mentions, max(0, match.start() - SEAT_REACH), match.start()) if ends else ()
                if seat := next((one.entity for one in reversed(near) if one.entity[-1] in ends), None):
                    yield StandIn(Mention(match.start(), match.start(), seat), "的")

    def _only(self, match: re.Match[str], people: Sequence[str]) -> Sequence[StandIn]:
        suffix = "'s" if match[0].casefold() in _POSSESSIVE else ""
        return [StandIn(Mention(match.start(), match.end(), people[0]), suffix)] if len(people) == 1 else ()

    def _distinct(self, start: int, end: int) -> tuple[str, ...]:
        return tuple(dict.fromkeys(m.entity for m in self._narrated(start, end)))

    def _narrated(self, start: int, end: int) -> list[Mention]:
        return [m for m in within(self._people, start, end) if not self.quoted[m.start]]


@cache
def _bare_offices(language: Language) -> tuple[tuple[re.Pattern[str], str], ...]:
    """Return the words of offices, each with the last characters of its seat, '' for those of a person."""
    rows = seats(language)
    pupils = ((relation_words(language)["pupil"], ""),) if rows else ()
    return tuple(
        (re.compile(rf"(?:(?<=[，。；：“是、\n])|^)(?:{words})", re.M), ends) for words, ends in (*rows, *pupils)
    )
