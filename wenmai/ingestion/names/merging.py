"""Forms of names merged into people: who bears which.

A full name makes a person. A given name, or a family name with a title, belongs to the one person whose name holds it
and whose gender agrees; where several do, to the one that stands near it as often as all the others. A form that fits
nobody, or that nothing decides, makes a person of its own.
"""

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from wenmai.ingestion.names.forms import Form
from wenmai.language.titles import Gender

NEAR = 1500
"""Characters on either side in which another form of a person speaks for it."""
DECIDED = 0.5
"""Share of what stands near that one person must have more of."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a form stands: the chapter and the offset in it."""

    chapter: int
    start: int


@dataclass(slots=True)
class Person:
    """A person under merging: forms, the likeliest name first."""

    forms: list[Form]
    gender: Gender = ""
    places: list[Place] = field(default_factory=list)


def merged(forms: Iterable[Form], places: dict[str, list[Place]], genders: dict[str, Gender]) -> list[Person]:
    """Return the people that forms of names stand for.

    Args:
        forms: of people, each once.
        places: where each surface stands, in order.
        genders: what the text around a surface tells.
    """
    ordered = sorted(forms, key=lambda form: (not form.is_full, -len(places[form.surface]), form.surface))
    people: list[Person] = []
    for form in (form for form in ordered if form.is_full):
        same = [person for person in people if _same_name(person.forms[0], form) and _agree(person, form, genders)]
        _take(same[0] if same else _new(people), form, places, genders)
    bearers = list(people)
    for form in (form for form in ordered if not form.is_full):
        found = _bearers(form, bearers, places, genders)
        person = found[0] if found else _alike(form, people[len(bearers) :], genders) or _new(people)
        _take(person, form, places, genders)
    return people


def _new(people: list[Person]) -> Person:
    people.append(Person([]))
    return people[-1]


def _take(person: Person, form: Form, places: dict[str, list[Place]], genders: dict[str, Gender]) -> None:
    person.forms.append(form)
    person.gender = person.gender or form.gender or genders.get(form.surface, "")
    person.places = sorted([*person.places, *places[form.surface]], key=lambda place: (place.chapter, place.start))


def _same_name(one: Form, other: Form) -> bool:
    """Return True if one full name is the other with a middle name or a title more."""
    small, large = sorted((set(one.parts), set(other.parts)), key=len)
    return small <= large and one.family == other.family


def _agree(person: Person, form: Form, genders: dict[str, Gender]) -> bool:
    gender = form.gender or genders.get(form.surface, "")
    return not gender or not person.gender or gender == person.gender


def _bearers(
    form: Form, people: Sequence[Person], places: dict[str, list[Place]], genders: dict[str, Gender]
) -> list[Person]:
    """Return the people with full names that a form may stand for; one where that is decided."""
    fitting = [person for person in people if any(_fits(form, full) for full in person.forms if full.is_full)]
    agreeing = [person for person in fitting if _agree(person, form, genders)]
    if len(agreeing) < 2:
        return agreeing
    near = Counter({at: _near(places[form.surface], person.places) for at, person in enumerate(agreeing)})
    [(best, count), *_] = near.most_common(1)
    return [agreeing[best]] if near.total() and count > DECIDED * near.total() else []


def _fits(form: Form, full: Form) -> bool:
    """Return True if a form is a part of a full name."""
    if form.surface in full.parts:
        return True
    if form.family:
        return form.family == full.family
    return all(part in full.parts for part in form.parts)


def _near(ones: Sequence[Place], others: Sequence[Place]) -> int:
    """Return how many places have one of the others near them."""
    by_chapter: dict[int, list[int]] = defaultdict(list)
    for place in others:
        by_chapter[place.chapter].append(place.start)
    count = 0
    for place in ones:
        starts = by_chapter.get(place.chapter, [])
        at = bisect_left(starts, place.start - NEAR)
        count += at < len(starts) and starts[at] <= place.start + NEAR
    return count


def _alike(form: Form, people: Sequence[Person], genders: dict[str, Gender]) -> Person | None:
    """Return a person without a full name that bears the same name; two different titles of a family are two people."""
    for person in people:
        same = any(form.parts == other.parts for other in person.forms)
        titles = {one.title for one in (form, *person.forms) if one.title}
        if same and len(titles) < 2 and _agree(person, form, genders):
            return person
    return None
