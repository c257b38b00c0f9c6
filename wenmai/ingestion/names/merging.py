"""Forms of names merged into people: who bears which.

A full name makes a person, and what the text equates belongs together. A part of a name, or a family name with a title,
belongs to the one person whose name holds it, whose gender agrees, and who does not stand beside it in a sentence;
where several do, to the one that has the title, or that is mostly the one named last. What nothing decides is an alias
of those that it may mean; what fits nobody is a person of its own.
"""

import re
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from tools.language import HAN
from wenmai.ingestion.names.forms import (
    NUMBERS,
    RANKS,
    NameForm,
    are_exclusive,
    fits,
    fits_exactly,
    is_same_name,
    is_through_another,
)
from wenmai.ingestion.names.spans import Place
from wenmai.language.lexicon import SURNAMES
from wenmai.language.titles import WOMEN, Gender

PRONOUN_REACH = {"zh": 30, "en": 80}
LEAST_TOLD, CLEAR = 3, 3.0
BY_FORM = 6  # pronouns that a title or a given name counts for
TITLE_REACH = 16  # characters behind a name in which its bearer may be called something: 沈千山是个监生
FAR = 3000  # characters beyond which another name says nothing of who is meant
BEHIND = 3  # how much farther a name behind counts than one before
_PRONOUN = re.compile(r"[她他]|\b(?:she|her|hers|he|him|his)\b", re.I)
_FEMALE = re.compile(r"她|she|hers?", re.I)
_QUOTE = re.compile(r"[“”「」\"\n]")
_SEGMENT = re.compile(r"[。！？!?；;…“”「」『』\"\n]|\.\s")
_IS = re.compile(r"(?:，|,)?(?:是|乃|系|做了?|当了?|为)[^，。！？；“”]*|，[^，。！？；“”]{0,12}|")


LONG_TITLES = {"队": "队长", "处": "处长", "局": "局长", "科": "科长", "院": "院长", "导": "导演", "工": "工程师"}


@dataclass(frozen=True)
class NameEvidence:
    """Chapters with the places of names in them; what a name's pronouns and sentences are is worked out once."""

    texts: Sequence[str]
    places: Mapping[str, Sequence[Place]]
    _pronouns: dict[str, Counter[str]] = field(default_factory=dict)
    _segments: dict[str, set[tuple[int, int]]] = field(default_factory=dict)

    def count(self, surfaces: Iterable[str]) -> int:
        """Return how often names stand in the text."""
        return sum(len(self.places[surface]) for surface in surfaces)

    def gender(self, forms: Iterable[NameForm]) -> Gender:
        """Return what forms and the first pronouns behind them tell."""
        votes: Counter[str] = Counter()
        for form in forms:
            votes += self._pronouns_behind(form.surface)
            votes += Counter({form.gender: BY_FORM} if form.gender else {})
        if votes["f"] >= LEAST_TOLD and votes["f"] > CLEAR * votes["m"]:
            return "f"
        return "m" if votes["m"] >= LEAST_TOLD and votes["m"] > CLEAR * votes["f"] else ""

    def _pronouns_behind(self, surface: str) -> Counter[str]:
        if surface not in self._pronouns:
            found = self._pronouns[surface] = Counter()
            reach = PRONOUN_REACH["zh" if HAN.search(surface) else "en"]
            for place in self.places[surface]:
                end = place.start + len(surface)
                after = self.texts[place.chapter][end : end + reach]
                if first := _PRONOUN.search(_QUOTE.split(after, maxsplit=1)[0]):
                    found["f" if _FEMALE.fullmatch(first[0]) else "m"] += 1
        return self._pronouns[surface]

    def has_title(self, name: str, title: str) -> bool:
        """Return True if a title stands beside a name somewhere: 知县沈千山, 沈千山是个监生."""
        title = LONG_TITLES.get(title, title)
        for place in self.places[name]:
            text, end = self.texts[place.chapter], place.start + len(name)
            at = text.find(title, end, end + TITLE_REACH)
            is_behind = at > end and text[at - 1] not in SURNAMES and bool(_IS.fullmatch(text, end, at))
            if is_behind or text[max(0, place.start - len(title)) : place.start] == title:
                return True
        return False

    def are_apart(self, ones: Collection[str], others: Collection[str], least: int, share: float) -> bool:
        """Return True if names of two sides stand in one piece of a sentence so often that they are two people's.

        `least` pieces at least, and a `share` of the places of the rarer side.
        """
        pieces = sum(len(self._segments_of(one) & self._segments_of(other)) for one in ones for other in others)
        return pieces >= least and pieces >= share * min(self.count(ones), self.count(others))

    def _segments_of(self, surface: str) -> set[tuple[int, int]]:
        if surface not in self._segments:
            self._segments[surface] = {
                (place.chapter, bisect_right(self._breaks[place.chapter], place.start))
                for place in self.places[surface]
            }
        return self._segments[surface]

    @cached_property
    def _breaks(self) -> list[list[int]]:
        return [[match.start() for match in _SEGMENT.finditer(text)] for text in self.texts]

    def nearest(self, surface: str, groups: Sequence[Iterable[str]]) -> Counter[int]:
        """Return how often a name of each group is the nearest one to a name, before it rather than behind."""
        found = sorted((place, at) for at, group in enumerate(groups) for one in group for place in self.places[one])
        votes: Counter[int] = Counter()
        for place in self.places[surface]:
            at = bisect_right(found, place, key=lambda row: row[0])
            near = [
                (place.start - row[0].start if row[0] <= place else BEHIND * (row[0].start - place.start), row[1])
                for row in found[max(0, at - 1) : at + 1]
                if row[0].chapter == place.chapter
            ]
            distance, group = min(near, default=(FAR, 0))
            votes[group] += distance < FAR
        return +votes


DECIDED = 0.65  # share of the votes that one person must have
POSSIBLE = 0.25  # share of the votes from which on an undecided form may mean a person
LEAST_TOGETHER, OFTEN_TOGETHER = 2, 0.1
"""Sentences, and their share of the rarer name's places, that tell two people apart."""
SURELY_TOGETHER, MOSTLY_TOGETHER = 4, 0.3
"""The same where a text seems to say that two names are one person's: a sentence that says it holds both too."""


@dataclass(slots=True, eq=False)
class NamedPerson:
    """A person under merging: forms, the likeliest name first; `shared` ones may mean others too.

    People are numbered as they are found.
    """

    number: int
    forms: list[NameForm] = field(default_factory=list)
    shared: list[NameForm] = field(default_factory=list)

    @property
    def surfaces(self) -> list[str]:
        return [form.surface for form in self.forms]

    @property
    def families(self) -> set[str]:
        return {form.family or form.parts[0] for form in self.forms if form.is_full or form.title}

    @property
    def full(self) -> list[NameForm]:
        return [form for form in self.forms if form.is_full]


def merged_people(
    forms: Iterable[NameForm], evidence: NameEvidence, equations: Collection[tuple[str, str]] = ()
) -> list[NamedPerson]:
    """Return the people that forms of names stand for; the text says that the two of an equation are one person."""
    merging = _Merging(evidence)
    ordered = sorted(forms, key=lambda form: (-len(evidence.places[form.surface]), form.surface))
    units = _units(ordered, equations, evidence)
    for unit in (unit for unit in units if any(form.is_full for form in unit)):
        merging.add_full(unit)
    rest = [unit for unit in units if not any(form.is_full for form in unit)]
    for unit in sorted(rest, key=lambda unit: min(_order(form) for form in unit)):
        merging.add_part(unit)
    return merging.people


def _units(
    forms: Sequence[NameForm], equations: Collection[tuple[str, str]], evidence: NameEvidence
) -> list[list[NameForm]]:
    """Return the forms that belong together by what the text says, unless it shows two people all the same."""
    groups: dict[str, list[NameForm]] = {form.surface: [form] for form in forms}
    full = {form.surface for form in forms if form.is_full}
    for one, other in equations:
        if one not in groups or other not in groups or groups[one] is groups[other]:
            continue
        pair = groups[one], groups[other]
        surfaces, other_surfaces = ([form.surface for form in group] for group in pair)
        genders = {gender for group in pair if (gender := evidence.gender(group))}
        are_two = len(genders) > 1 or evidence.are_apart(surfaces, other_surfaces, SURELY_TOGETHER, MOSTLY_TOGETHER)
        both = all(any(form.is_full for form in group) for group in pair)
        if (not both or {one, other} <= full) and not are_two:
            joined = [*pair[0], *pair[1]]
            groups.update((form.surface, joined) for form in joined)
    return list({id(group): group for group in groups.values()}.values())


@dataclass(slots=True)
class _Merging:
    evidence: NameEvidence
    people: list[NamedPerson] = field(default_factory=list)
    by_key: dict[str, set[int]] = field(default_factory=lambda: defaultdict(set))

    def add_full(self, unit: list[NameForm]) -> None:
        same = [
            person
            for person in self._near(unit)
            if any(is_same_name(one, form) for one in person.forms for form in unit if one.is_full and form.is_full)
            and self._agrees(person, unit)
        ]
        self._give(unit, same[0] if same else self._new())

    def add_part(self, unit: list[NameForm]) -> None:
        """Add forms among which there is no full name; where nothing decides between people, each shares them."""
        bearers = self._bearers(unit, self._candidates(unit))
        if len(bearers) < 2:
            self._give(unit, bearers[0] if bearers else self._new())
        else:
            for person in bearers:
                person.shared.extend(unit)

    def _new(self) -> NamedPerson:
        self.people.append(NamedPerson(len(self.people)))
        return self.people[-1]

    def _give(self, unit: Sequence[NameForm], person: NamedPerson) -> None:
        person.forms.extend(unit)
        for form in unit:
            for key in _keys(form):
                self.by_key[key].add(person.number)

    def _near(self, unit: Sequence[NameForm]) -> list[NamedPerson]:
        """Return the people with a form that may be like one of these, in order."""
        numbers = {number for form in unit for key in _keys(form) for number in self.by_key.get(key, ())}
        return [self.people[number] for number in sorted(numbers)]

    def _candidates(self, unit: Sequence[NameForm]) -> list[NamedPerson]:
        near = self._near(unit)
        exact = [person for person in near if any(fits_exactly(form, person.forms) for form in unit)]
        fitting = exact or [person for person in near if any(fits(form, person.forms) for form in unit)]
        fitting = [
            person
            for person in fitting
            if self._agrees(person, unit)
            and not any(
                self.evidence.are_apart([form.surface], person.surfaces, LEAST_TOGETHER, OFTEN_TOGETHER)
                for form in unit
            )
        ]
        # The name of an English family without a title is seldom a woman's.
        if len(unit) == 1 and all(unit[0].surface in person.families for person in fitting):
            fitting = [person for person in fitting if self.evidence.gender(person.forms) != "f"] or fitting
        titles = {form.title for form in unit if form.is_of_surname and form.title}
        titled = [
            person
            for person in fitting
            if any(self.evidence.has_title(one.surface, title) for one in person.full for title in titles)
        ]
        return titled or fitting

    def _bearers(self, unit: Sequence[NameForm], people: list[NamedPerson]) -> list[NamedPerson]:
        """Return the one that a form is, or those between which nothing decides."""
        if len(people) < 2:
            return people
        groups = [person.surfaces for person in people]
        votes: Counter[int] = Counter()
        for form in unit:
            votes.update(self.evidence.nearest(form.surface, groups))
        least = DECIDED if votes and max(votes.values()) >= DECIDED * votes.total() else POSSIBLE
        possible = [person for at, person in enumerate(people) if votes[at] >= max(1, least * votes.total())]
        return possible if least == DECIDED or len(possible) > 1 else []

    def _agrees(self, person: NamedPerson, unit: Sequence[NameForm]) -> bool:
        """Return True if neither genders nor titles contradict each other."""
        stated = {form.gender for form in (*person.forms, *unit) if form.gender}
        ours, theirs = self.evidence.gender(person.forms), self.evidence.gender(unit)
        if len(stated) > 1 or (ours and theirs and ours != theirs) or are_exclusive(person.forms, unit):
            return False
        if any(map(is_through_another, unit)) and not any(map(is_through_another, person.forms)):
            return False
        # A family name with a title that a wife has too, or one daughter of several (鲍三姐), is a woman's.
        is_hers = any(
            len(form.parts) == 1
            and (form.title in WOMEN or (form.is_of_surname and form.gender == "f" and form.title[:1] in NUMBERS))
            for form in unit
        )
        return not is_hers or not person.full or ours == "f"


def _keys(form: NameForm) -> Iterable[str]:
    """Return what two forms of one name have in common: a Chinese character; of others any two may be alike."""
    return HAN.findall(form.surface) or [""]


def _order(form: NameForm) -> tuple[int, int]:
    """Return when a form without a full name is merged: with a title, without one, a number in a family; long first."""
    return 2 if form.parts[0] in RANKS else 1 if form.is_bare else 0, -len(form.surface)
