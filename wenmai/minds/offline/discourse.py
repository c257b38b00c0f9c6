"""What a session has been about: who and what was named, how lately, in which role."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from state.session import Session
from tools.story.linking import NameTable
from wenmai.minds.offline import phrases
from wenmai.minds.offline.answers import QUOTING
from wenmai.minds.offline.categories import Category, category
from wenmai.minds.offline.gender import gender
from wenmai.minds.offline.lore import Lore
from wenmai.minds.offline.observing import NOBODY, Observer
from wenmai.minds.offline.open_places import UNASKED, Attested
from wenmai.minds.offline.reading import Named
from wenmai.minds.offline.turns import TurnView, embedded, several, view_of

AT_LENGTH = 100  # characters: 560 of 560 quoting answers of the offline mind are longer, 0 of 255 right ones
CONTINUED = 10.0
CONTINUED_AS_PAIR = 4.0
NAMED_FIRST = 8.0
NAMED_LATER = 6.0
FOCUS_IDENTITY = 9.0
FOCUS_OBJECT = 8.5
FOCUS_BESIDE_TOPIC = 6.0
FOCUS_UNSURE = 5.0
FOCUS_GUESSED = 8.25
QUOTED = 1.5
ANSWERED = 4.5
FIRST_IN_ANSWER = 1.0
CROWDED = 1.0
KEPT = 0.15
STACKED = 1.0
DECAY = 0.7
DECAY_NEW_SUBJECT = 0.35
"""Weights of salience, after the ranking of centering: what is talked on about, subject, asked-for, the rest.

FOCUS_GUESSED, whom a quotation may answer with, is to stand just above NAMED_FIRST. It was chosen on follow-ups to
谁-questions over a long novel; `benchmarks/quality.py --sessions` counts those that are resolved right.
"""


@dataclass(slots=True)
class Referent:
    """Somebody or something that the session named; `age` counts turns back from the newest, 0 is the last."""

    name: str
    category: Category
    known: bool
    score: float = 0.0
    age: int = 99
    female: bool | None = None
    roles: list[tuple[int, str]] = field(default_factory=list)


@dataclass(slots=True)
class Discourse:
    """The session as the resolver sees it; `turns` newest first.

    `users_own` are those whom the user's own questions name, where an answer is a long quotation; empty where none is.
    """

    referents: dict[str, Referent]
    turns: list[TurnView]
    table: NameTable
    topic: str | None
    known: Mapping[str, str] = field(default_factory=dict)
    lore: Lore = field(default_factory=Lore)
    attested: Attested = UNASKED
    users_own: frozenset[str] = frozenset()
    observer: Observer = NOBODY

    def people(self) -> list[Referent]:
        """Return the persons, most salient first."""
        return self.ranked(lambda one: one.category == "person")

    def ranked(self, accept: Callable[[Referent], bool]) -> list[Referent]:
        """Return the referents that are accepted, most salient first."""
        return sorted(
            (one for one in self.referents.values() if accept(one)), key=lambda one: (-one.score, one.age, one.name)
        )


def build(
    session: Session,
    table: NameTable,
    known: Mapping[str, str] | None = None,
    observer: Observer = NOBODY,
) -> Discourse:
    """Read a session, oldest turn first; `known` is what the graph says of its people."""
    discourse = Discourse({}, [], table, session["topic"], known or {}, observer=observer)
    count = len(session["turns"])
    for at, turn in enumerate(session["turns"]):
        view = view_of(turn, table)
        _add_turn(discourse, view, count - 1 - at)
        discourse.turns.insert(0, view)
    for rank, entity in enumerate(session["entities"]):
        if entity["name"] not in discourse.referents and (not count or rank < 8):
            kind = entity["kind"] or table.kind(entity["name"])
            one = _referent(discourse, Named(entity["name"], category(entity["name"], kind), 0, 0, True))
            one.score += STACKED - rank * 0.1
            one.age = min(one.age, count + rank)
    if quoted_at_length(discourse):
        discourse.users_own = frozenset(name for name in discourse.referents if named_by_user(discourse, name))
    for referent in discourse.referents.values():
        if referent.category == "person":
            spellings = [referent.name, *table.aliases(referent.name)]
            referent.female = gender(referent.name, spellings, discourse.turns)
    return discourse


def _add_turn(discourse: Discourse, view: TurnView, age: int) -> None:
    people = {one.name for one in view.question.people()}
    fresh_subject = bool(people) and not people & set(view.continued)
    for referent in discourse.referents.values():
        referent.score *= DECAY_NEW_SUBJECT if fresh_subject else DECAY
    named = list({one.name: one for one in reversed(view.question.named)}.values())[::-1]
    first = first_named(view)
    for one in named:
        continued = one.name in view.continued
        weight = CONTINUED if continued else NAMED_FIRST if one.name == first else NAMED_LATER
        rank = view.continued.index(one.name) * 0.5 if continued else 0.0
        if not continued:  # named anew: what it was before does not add to it
            _referent(discourse, one).score *= KEPT
        elif _possessor(one, view):
            weight, rank = NAMED_LATER, 0.0
            _referent(discourse, one).score = 0.0
        elif one.name in view.joined:
            weight = CONTINUED_AS_PAIR
        _add(discourse, one, weight - rank, age, "continued" if continued else "named")
    _add_answer(discourse, view, age)


def quoted_at_length(discourse: Discourse) -> bool:
    """Tell whether an answer of the talk is a long quotation: the names in it are the story's, not the talk's."""
    answers = (view.answer.text for view in discourse.turns)
    return any(len(text) > AT_LENGTH and QUOTING.search(text) for text in answers)


def named_by_user(discourse: Discourse, name: str) -> bool:
    """Tell whether one of the user's own questions names somebody."""
    return any(
        one.name == name and name not in view.continued for view in discourse.turns for one in view.question.people()
    )


def _possessor(one: Named, view: TurnView) -> bool:
    """Tell whether a name only says whose the object is: 诸葛亮消灭了兀突骨的藤甲兵."""
    others = any(other.end <= one.start and other.name != one.name for other in view.question.people())
    return others and re.match("的[^？?。]", view.question.text[one.end :]) is not None


def first_named(view: TurnView) -> str | None:
    """Return the name that the question is about: the head of its first noun phrase, not a name inside a modifier."""
    heads = [one for one in view.question.named if not embedded(one, view.question)]
    people = [one for one in heads if one.category == "person"]
    return (people or heads)[0].name if heads else None


def _add_answer(discourse: Discourse, view: TurnView, age: int) -> None:
    answered = list({one.name: one for one in view.answer.named}.values())
    inside = {one.name for one in view.question.named}
    base = _focus_weight(view)
    crowd = len({one.name for one in answered if one.name not in inside} - set(view.focus))
    for name in view.focus[:1]:
        if name not in {one.name for one in answered}:  # the answer is kept cut
            _add(discourse, Named(name, "person", 0, 0, True), base, age, "focus")
    for at, one in enumerate(answered):
        if one.name in view.focus:
            weight = base - 2.0 * view.focus.index(one.name)
            _add(discourse, one, max(weight, ANSWERED if one.end <= view.end else QUOTED), age, "focus")
        elif one.name not in inside:
            weight = (ANSWERED if one.end <= view.end else QUOTED) - CROWDED * max(crowd - 1, 0) - 0.3 * at
            _add(discourse, one, max(weight, 0.5), age, "answer")
        elif at == 0 and not view.role and view.sure:
            _referent(discourse, one).score += FIRST_IN_ANSWER


def _focus_weight(view: TurnView) -> float:
    listed = re.search(r"哪[两几二些三]|[两二三四五几]个|分别|有谁", view.question.text)
    if not view.sure:
        return FOCUS_GUESSED if view.role == "identity" and not view.continued and not listed else FOCUS_UNSURE
    if listed or several(view):
        return CONTINUED_AS_PAIR
    continued = any(discourse_person in view.continued for discourse_person in (p.name for p in view.question.people()))
    if view.role in ("identity", "name"):
        return FOCUS_IDENTITY
    if view.role == "object" and not continued:
        return FOCUS_OBJECT
    if view.role == "agent" and re.search(f"谁[^，]*?[{phrases.KILL}]|死在谁", view.question.masked):
        return FOCUS_BESIDE_TOPIC if continued else FOCUS_OBJECT
    return FOCUS_BESIDE_TOPIC


def _add(discourse: Discourse, one: Named, weight: float, age: int, role: str) -> None:
    referent = _referent(discourse, one)
    referent.score = max(referent.score, weight) if role == "answer" else referent.score + weight
    referent.age = min(referent.age, age)
    referent.roles.append((age, role))


def _referent(discourse: Discourse, one: Named) -> Referent:
    if not one.known:  # 卢马 is the 的卢马 of before
        longer = [
            name
            for name, other in discourse.referents.items()
            if name.endswith(one.name) and other.category == one.category
        ]
        if longer:
            return discourse.referents[longer[0]]
    return discourse.referents.setdefault(one.name, Referent(one.name, one.category, one.known))
