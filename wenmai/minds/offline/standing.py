"""What a session and the library say of somebody whom a follow-up may mean, in numbers."""

import math
import re
from collections.abc import Sequence
from typing import NamedTuple

from wenmai.minds.offline.answers import QUOTING
from wenmai.minds.offline.attested import OpenPlace
from wenmai.minds.offline.discourse import Discourse, Referent, first_named
from wenmai.minds.offline.reading import MASK, Named, Reading
from wenmai.minds.offline.signs import UNCOUNTED
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

    salience: float = 0.0
    rank: float = 0.0
    fame: float = 0.0
    known: float = 0.0
    first: float = 0.0
    later: float = 0.0
    row: float = 0.0
    offset: float = 0.0
    inside: float = 0.0
    answers: float = 0.0
    guessed: float = 0.0
    may_answer: float = 0.0
    focus: float = 0.0
    answered: float = 0.0
    quoted: float = 0.0
    answer_row: float = 0.0
    answer_offset: float = 0.0
    opens_answer: float = 0.0
    newest: float = 0.0
    continued: float = 0.0
    run: float = 0.0
    owner: float = 0.0
    asked_of: float = 0.0
    opened: float = 0.0
    questions: float = 0.0
    told_in: float = 0.0
    asked_age: float = 0.0
    told_age: float = 0.0
    age: float = 0.0
    cued: float = 0.0
    described: float = 0.0
    told: float = 0.0
    best: float = 0.0
    called: float = 0.0
    did: float = 0.0
    near: float = 0.0


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

    pronoun: float = 0.0
    demonstrative: float = 0.0
    description: float = 0.0
    object: float = 0.0
    object_gap: float = 0.0
    male: float = 0.0
    at: float = 0.0
    behind: float = 0.0
    length: float = 0.0
    opening: float = 0.0
    turns: float = 0.0
    people: float = 0.0
    candidates: float = 0.0
    quoting: float = 0.0


def standing(discourse: Discourse, one: Referent, below: float, marks: Marks = UNMARKED) -> Standing:
    """Return what the session says for somebody whose salience is so far below the top."""
    view, name = discourse.turns[0], one.name
    asked = list(dict.fromkeys(other.name for other in view.question.people()))
    answered = list(dict.fromkeys(other.name for other in view.answerers()))
    ranked = [other.name for other in discourse.people()]
    first, new = first_named(view) == name, not view.continued
    answers = view.focus[:1] == [name]
    place = next((other for other in view.question.people() if other.name == name), None)
    told = next((other for other in view.answerers() if other.name == name), None)
    in_question = [_names(past.question, name) for past in discourse.turns]
    in_answer = [_names(past.answer, name) for past in discourse.turns]
    own = [named and name not in past.continued for named, past in zip(in_question, discourse.turns, strict=True)]
    return Standing(
        salience=max(below, LEAST_SALIENT),
        rank=_place(name, ranked),
        fame=math.log1p(discourse.table.mentions(name)) if one.known else UNCOUNTED,
        known=one.known,
        first=new and first,
        later=new and name in asked and not first,
        row=_place(name, asked),
        offset=place.start / max(1, len(view.question.text)) if place else 2.0,
        inside=place is not None and embedded(place, view.question),
        answers=view.sure and answers,
        guessed=view.guesses.get(name, 0.0) if answers and not view.sure else 0.0,
        may_answer=name in view.focus[1:],
        focus=_place(name, view.focus),
        answered=name in answered,
        quoted=in_answer[0]
        and name not in answered
        and name not in asked
        and name not in discourse.users_own,
        answer_row=_place(name, answered),
        answer_offset=told.start / 50 if told else 0.0,
        opens_answer=told is not None and "，" not in view.answer.masked[: told.start],
        newest=one.age == 0,
        continued=name in view.continued,
        run=_place(False, [name in past.continued for past in discourse.turns]),
        owner=owns_only(view, name),
        asked_of=name in discourse.users_own,
        opened=any(name == first_named(past) for past in discourse.turns),
        questions=sum(in_question),
        told_in=sum(in_answer),
        asked_age=_place(True, own),
        told_age=_place(True, in_answer),
        age=min(one.age, NEVER),
        cued=marks.cued,
        described=marks.described,
        told=marks.described > 0,
        best=marks.best,
        called=marks.called,
        did=marks.did,
        near=marks.near,
    )  # fmt: skip


def occasion(discourse: Discourse, left: OpenPlace, candidates: int) -> Occasion:
    """Return what a follow-up is like that leaves a person open."""
    text, view = left.question.text, discourse.turns[0]
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
        turns=len(discourse.turns),
        people=len({one.name for one in view.question.people()}),
        candidates=candidates,
        quoting=any(QUOTING.search(past.answer.text) for past in discourse.turns),
    )


def _names(reading: Reading, name: str) -> bool:
    return any(one.name == name for one in reading.people())


def _place(wanted: str | bool, row: Sequence[str | bool]) -> float:
    """Return the place in a row, `NEVER` where it is not in it."""
    return float(row.index(wanted)) if wanted in row else NEVER


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
