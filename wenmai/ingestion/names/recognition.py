"""Names of a text by the reader's tags, counted over the whole text and merged into people, places, organisations."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from tools.language import HAN
from tools.story.spellings import Spellings
from wenmai.ingestion.names.forms import Form, foreign_parts, form_of, given_names, is_house
from wenmai.ingestion.names.merging import Person, Place, merged
from wenmai.ingestion.names.tagging import Tagged
from wenmai.ingestion.sources.aliases import KnownName
from wenmai.language.titles import Gender

KINDS = ("Character", "Location", "Organization")
"""What the tagger's kinds are in the graph."""
LEAST_COUNT = 2
"""Times that a name must be tagged."""
LEAST_SHARE = 0.2
"""Share of a word's uses that must be tagged; below it the tags are errors."""
NAME_ONLY_SHARE = 0.75
"""Share from which on every use of a word counts as the name; below it the tagged ones alone."""
COMMON_SHARE = 0.1
"""Share of an English word's uses in lower case from which on it qualifies a name and is none."""
PRONOUN_REACH = {"zh": 30, "en": 80}
LEAST_PRONOUNS, CLEAR_PRONOUNS = 3, 3.0
_FEMALE, _MALE = re.compile(r"她|\b(?:she|her|hers)\b", re.I), re.compile(r"他|\b(?:he|him|his)\b", re.I)
_EDGES = "“”‘’\"'「」『』《》〈〉（）()[]，。、；：！？,.;:!? \u3000\n—-…·"
_COUPLE = re.compile(r"\band\b|&")
_LOWER = re.compile(r"\b[a-z]+\b")
_CAPITAL = re.compile(r"\b[A-Z][a-z]+\b")


@dataclass(frozen=True, slots=True)
class Recognised:
    """The names of a text.

    Attributes:
        names: entities, people first, the most mentioned first.
        uses: of spellings that are common words too, the offsets at which they are names, by chapter.
    """

    names: list[KnownName]
    uses: Mapping[str, Mapping[int, frozenset[int]]]


def recognise(texts: Sequence[str], known: Iterable[KnownName], tagged: Sequence[Sequence[Tagged]]) -> Recognised:
    """Find the names of a text that `known` does not hold under any spelling.

    Args:
        texts: the chapters.
        known: names that the user gave.
        tagged: where each chapter has names.
    """
    taken = {spelling for entry in known for spelling in (entry.name, entry.base, *entry.aliases)}
    places, kinds = _counted(texts, tagged)
    spellings = Spellings.compile(places)
    whole = Counter(text[start:end] for text in texts for start, end in spellings.longest(text))
    kept = [
        surface
        for surface, found in places.items()
        if surface not in taken
        and not is_house(surface)
        and len(found) >= LEAST_COUNT
        and len(found) >= LEAST_SHARE * whole[surface]
    ]
    people = _people([surface for surface in kept if kinds[surface].most_common(1)[0][0] == 0], places, texts)
    others = [
        KnownName(name=surface, kind=KINDS[kind])
        for surface in sorted(kept, key=lambda one: -len(places[one]))
        if (kind := kinds[surface].most_common(1)[0][0])
    ]
    doubtful = [surface for surface in kept if len(places[surface]) < NAME_ONLY_SHARE * whole[surface]]
    return Recognised([*people, *others], {surface: _uses(places[surface]) for surface in doubtful})


def _counted(
    texts: Sequence[str], tagged: Sequence[Sequence[Tagged]]
) -> tuple[dict[str, list[Place]], dict[str, Counter[int]]]:
    """Return the places and the kinds of each surface."""
    places: dict[str, list[Place]] = defaultdict(list)
    kinds: dict[str, Counter[int]] = defaultdict(Counter)
    for chapter, (text, tags) in enumerate(zip(texts, tagged, strict=True)):
        for tag in tags:
            raw = text[tag.start : tag.end]
            surface = raw.strip(_EDGES)
            if len(surface) < 2 and not HAN.search(surface):
                continue
            places[surface].append(Place(chapter, tag.start + raw.index(surface)))
            kinds[surface][tag.kind] += 1
    return places, kinds


def _people(surfaces: Sequence[str], places: dict[str, list[Place]], texts: Sequence[str]) -> list[KnownName]:
    foreign, common = foreign_parts(surfaces), _common_words(surfaces, texts)
    given = given_names(surfaces)
    forms = [form_of(surface, foreign, common, given) for surface in surfaces if not _COUPLE.search(surface)]
    genders: dict[str, Gender] = {surface: _gender(places[surface], texts, len(surface)) for surface in surfaces}
    people = merged(forms, places, genders)
    return [_known(person, places) for person in sorted(people, key=lambda person: -len(person.places))]


def _known(person: Person, places: Mapping[str, Sequence[Place]]) -> KnownName:
    """Return a person under its fullest name that is no rarity, with the other forms as aliases."""
    most = max(len(places[form.surface]) for form in person.forms)

    def rank(form: Form) -> tuple[bool, bool, int]:
        return form.is_full and not form.title, form.is_full, len(places[form.surface])

    best = max((form for form in person.forms if form.is_full or len(places[form.surface]) == most), key=rank)
    aliases = dict.fromkeys(form.surface for form in person.forms if form.surface != best.surface)
    return KnownName(name=best.surface, kind=KINDS[0], aliases=tuple(aliases))


def _common_words(surfaces: Iterable[str], texts: Sequence[str]) -> set[str]:
    """Return the English words of names that the text often writes in lower case."""
    wanted = {word for surface in surfaces for word in _CAPITAL.findall(surface)}
    lower, capital = Counter[str](), Counter[str]()
    for text in texts:
        lower.update(_LOWER.findall(text))
        capital.update(_CAPITAL.findall(text))
    alone = set(surfaces)
    return {word.lower() for word in wanted - alone if lower[word.lower()] > COMMON_SHARE * capital[word]}


def _gender(places: Sequence[Place], texts: Sequence[str], length: int) -> Gender:
    """Return the gender that the pronouns behind a name tell."""
    female = male = 0
    for place in places:
        text = texts[place.chapter]
        reach = PRONOUN_REACH["zh" if HAN.match(text[place.start : place.start + 1]) else "en"]
        after = text[place.start + length : place.start + length + reach]
        female += bool(_FEMALE.search(after))
        male += bool(_MALE.search(after))
    if female >= LEAST_PRONOUNS and female > CLEAR_PRONOUNS * male:
        return "f"
    return "m" if male >= LEAST_PRONOUNS and male > CLEAR_PRONOUNS * female else ""


def _uses(places: Sequence[Place]) -> dict[int, frozenset[int]]:
    found: dict[int, set[int]] = defaultdict(set)
    for place in places:
        found[place.chapter].add(place.start)
    return {chapter: frozenset(starts) for chapter, starts in found.items()}
