"""What a session and the library say of somebody whom a follow-up may mean, in numbers."""

import math
import re
from collections.abc import Iterable
from typing import NamedTuple

from wenmai.minds.offline.answers import QUOTING
from wenmai.minds.offline.discourse import Referent
from wenmai.minds.offline.open_places import OpenPlace
from wenmai.minds.offline.reading import MASK, Named, Reading
from wenmai.minds.offline.signs import UNCOUNTED
from wenmai.minds.offline.talk import Talk
from wenmai.minds.offline.turns import TurnView, embedded

LEAST_SALIENT = -12.0  # below the most salient one; how far below says nothing more
NEVER = 9.0  # turns back, or a place in a row, of what never was


class Marks(NamedTuple):
    """What a word of the question says for somebody: see `Standing`."""

    cued: float = 0.0
    described: float = 0.0
    best: bool = False
    called: bool = False
    did: float = 0.0
    near: bool = False


UNMARKED = Marks()


class Standing(NamedTuple):
    """What the session says for somebody.

    Attributes:
        salience: his salience below the most salient one's, at least `LEAST_SALIENT`; `rank` his place by salience
            among the session's people. A place in a row is counted from 0 and `NEVER` where he is not in it.
        fame: log of how often the library names him.
        known: the library has him.
        first: the last question went on with nobody and names him before anybody else, `later` behind others.
        row: his place among those whom the last question names, `offset` 0..1 where it names him, 2 where it does not.
        inside: he is named there within a modifier.
        answers: he answers it first, `guessed` the chance of the likeliest of a quotation, 0 where the turn kept
            none, `may_answer` he is one of the next, `focus` his place among them.
        answered: its answer names him in its own words, `quoted` only in a quotation.
        answer_row: his place among those whom the answer names in its own words, `answer_offset` where, in fifties of
            characters, `opens_answer` in its first clause.
        newest: the last turn names him.
        continued: the last question went on with him, `run` how many of the last questions did, `NEVER` where all did.
        owner: the last turn names him only as whose another is: 吕布 in 吕布部将曹性.
        asked_of: a question of the user's own names him, and an answer is a long quotation, which names many.
        opened: a question of the talk names him first.
        questions: how many questions name him, `told_in` how many answers do.
        asked_age: turns back to the last question of the user's own that names him, `told_age` to the last answer,
            `age` to either.
        cued: what the shape of the last question says for him.
        described: how well he fits a description, `told` that he does at all, `best` that he does so best by far,
            `called` whether talk or library call him by its noun, `did` how surely he does in the library what it says.
        near: the word is 此人 or alike, and the last question asked for him.
    """

    salience: float
    rank: float
    fame: float
    known: float
    first: float
    later: float
    row: float
    offset: float
    inside: float
    answers: float
    guessed: float
    may_answer: float
    focus: float
    answered: float
    quoted: float
    answer_row: float
    answer_offset: float
    opens_answer: float
    newest: float
    continued: float
    run: float
    owner: float
    asked_of: float
    opened: float
    questions: float
    told_in: float
    asked_age: float
    told_age: float
    age: float
    cued: float
    described: float
    told: float
    best: float
    called: float
    did: float
    near: float


class Occasion(NamedTuple):
    """What a follow-up and the talk before it are like, whoever is meant.

    Attributes:
        pronoun: a pronoun leaves the person open, `demonstrative` 那位谋士, `description` 献计的人; a possessive or
            what is left out otherwise.
        object: the place is the object of a verb, `object_gap` an object that is left out.
        male: the word says that it is a man.
        at: how many characters stand before the place, `behind` behind it, `length` of the question.
        opening: it is the first word.
        turns: how many turns the talk has, `people` how many the last question names, `candidates` may be meant.
        quoting: an answer of the talk is a quotation.
    """

    pronoun: float
    demonstrative: float
    description: float
    object: float
    object_gap: float
    male: float
    at: float
    behind: float
    length: float
    opening: float
    turns: float
    people: float
    candidates: float
    quoting: float


def standing(talk: Talk, one: Referent, below: float, marks: Marks = UNMARKED) -> Standing:
    """Return what the session says for somebody whose salience is so far below the top."""
    return Standing(
        **_prominence(talk, one, below),
        **_asked(talk, one.name),
        **_answered(talk, one.name),
        **_talked_of(talk, one),
        **marks._asdict(),
        told=marks.described > 0,
    )


def _prominence(talk: Talk, one: Referent, below: float) -> dict[str, float]:
    return {
        "salience": max(below, LEAST_SALIENT),
        "rank": _place(one.name, talk.ranked),
        "fame": math.log1p(talk.discourse.table.mentions(one.name)) if one.known else UNCOUNTED,
        "known": one.known,
    }


def _asked(talk: Talk, name: str) -> dict[str, float]:
    """Return what the last question says."""
    question, place = talk.last.question, talk.asked.get(name)
    first, new = talk.firsts[0] == name, not talk.last.continued
    return {
        "first": new and first,
        "later": new and place is not None and not first,
        "row": _place(name, talk.asked),
        "offset": place.start / max(1, len(question.text)) if place else 2.0,
        "inside": place is not None and embedded(place, question),
    }


def _answered(talk: Talk, name: str) -> dict[str, float]:
    """Return what the last answer says."""
    view, place = talk.last, talk.answered.get(name)
    answers = view.focus[:1] == [name]
    spoken_of = place is not None or name in talk.asked or name in talk.discourse.users_own
    return {
        "answers": view.sure and answers,
        "guessed": view.guesses.get(name, 0.0) if answers and not view.sure else 0.0,
        "may_answer": name in view.focus[1:],
        "focus": _place(name, view.focus),
        "answered": place is not None,
        "quoted": name in talk.in_answers[0] and not spoken_of,
        "answer_row": _place(name, talk.answered),
        "answer_offset": place.start / 50 if place else NEVER,
        "opens_answer": place is not None and "，" not in view.answer.masked[: place.start],
    }


def _talked_of(talk: Talk, one: Referent) -> dict[str, float]:
    """Return in which turns he is talked of."""
    name = one.name
    return {
        "newest": one.age == 0,
        "continued": name in talk.last.continued,
        "run": _place(False, (name in past.continued for past in talk.discourse.turns)),
        "owner": owns_only(talk.last, name),
        "asked_of": name in talk.discourse.users_own,
        "opened": name in talk.firsts,
        "questions": sum(name in names for names in talk.in_questions),
        "told_in": sum(name in names for names in talk.in_answers),
        "asked_age": _place(True, (name in names for names in talk.by_user)),
        "told_age": _place(True, (name in names for names in talk.in_answers)),
        "age": min(one.age, NEVER),
    }


def occasion(talk: Talk, left: OpenPlace, candidates: int) -> Occasion:
    """Return what a follow-up is like that leaves a person open."""
    text, turns = left.question.text, talk.discourse.turns
    return Occasion(
        pronoun=left.form == "pronoun",
        demonstrative=left.form == "demonstrative",
        description=left.form == "description",
        object=left.object,
        object_gap=left.gap == "object",
        male=left.female is False,
        at=left.at,
        behind=len(text) - left.end,
        length=len(text),
        opening=left.at == 0,
        turns=len(turns),
        people=len(talk.asked),
        candidates=candidates,
        quoting=any(QUOTING.search(past.answer.text) for past in turns),
    )


def _place(wanted: str | bool, row: Iterable[str | bool]) -> float:
    """Return the place in a row, `NEVER` where it is not in it."""
    return next((float(at) for at, other in enumerate(row) if other == wanted), NEVER)


def owns_only(view: TurnView, name: str) -> bool:
    """Tell whether a turn names somebody, and each time right before a noun that is said of another."""
    places = [
        (reading, one) for reading in (view.question, view.answer) for one in reading.people() if one.name == name
    ]
    return bool(places) and all(_owns(one, reading) for reading, one in places)


def _owns(one: Named, reading: Reading) -> bool:
    behind = OWNED.match(reading.masked, one.end)
    return behind is not None and reading.masked[behind.end() : behind.end() + 1] == MASK


OWNED = re.compile(
    r"(?:的|之|帐下|部下|手下|麾下)*(?:[^，。的是]{0,2}[将臣士官师军]|谋士|太守|儿子|女儿|妻子|弟弟|哥哥|兄长|父亲|母亲|侄子|侄儿|女婿|"
    r"族弟|心腹|家奴|随从|使者)"
)
"""What stands between somebody and another who is his: 部将, 的弟弟."""
