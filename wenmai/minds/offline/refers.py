"""Whether a question that shows no word for it goes on about the talk: 那一箭是谁射的，射在哪儿."""

import re
from typing import NamedTuple

from wenmai.minds.offline import phrases
from wenmai.minds.offline.categories import tag
from wenmai.minds.offline.discourse import Discourse
from wenmai.minds.offline.reading import MASK, Reading
from wenmai.minds.offline.trees import loaded

TREES = "refers.json"
"""Fitted as `benchmarks.follow_ups` does, on 1,013 questions of 68 writers' talks over a long novel, right answers as
history, 1,002 questions of other subjects asked between them."""
LEAST = 1.2
"""Log-odds from which a question goes on: 68 of 195 that do and 7 of 818 that stand alone, when held out. It was chosen
on them, and on the questions of the tests that are of everybody, of the book or of the agent."""
_TAGS = "vpdcufatnsrmil"
"""Parts of speech, verbs and what stands before them first: the trees split this row."""
_WORDS = tuple(
    re.compile(pattern)
    for pattern in (
        "的时候|[以之]后|[以之]前|时，|后，|前，|那天|那年|那次",
        "[把将]",
        "[被让叫]",
        "给",
        "[对向跟与和]",
        "的$",
        "[了过]",
        "为什么|为何|为啥",
        "怎么|怎样|如何",
        "什么|啥",
        "哪里|哪儿|何处",
        "哪[个位员座条件几]",
        "[几多]",
        "[又还也再]",
        "后来|最后|结果|最终|当时|当初|原来|究竟|到底",
        r"第[一二三四五六七八九十百零\d]+回",
        "[他她]",
        "那",
        "这",
        "其",
        "吗|没有?$",
        "有",
        "是",
        "的",
        "自己",
        "[派令请劝]",
    )
)


class Clause(NamedTuple):
    """The first or the last clause of a question.

    Attributes:
        first: place in `_TAGS` of its first word's part of speech, -1 for any other, -2 where there is no such word;
            so `second` and `last`.
        length: in characters; `nouns`, `verbs` how many words are so.
        opens: a name opens it, `named` it has one, `asks` it asks for a person.
    """

    first: float
    second: float
    last: float
    length: float
    nouns: float
    verbs: float
    opens: float
    named: float
    asks: float


class Bond(NamedTuple):
    """What ties a question to the talk.

    Attributes:
        clauses: how many it has.
        people: how many persons it names, `listed` how many of them the library has, `others` other names.
        old: how many of the persons the talk named, `in_question` the last question, `in_answer` its answer.
        turns: how many the talk has.
        open: how many of its persons the question does not name.
        asked: how many persons the last question names, `continued` how many it went on with.
        salience: of the most salient one of the talk, `left` of the most salient whom the question does not name.
        shared: 0..1, how many of its characters the last turn has.
    """

    clauses: float
    people: float
    listed: float
    others: float
    old: float
    in_question: float
    in_answer: float
    turns: float
    open: float
    asked: float
    continued: float
    salience: float
    left: float
    shared: float


COLUMNS = (
    *(f"first clause {field}" for field in Clause._fields),
    *(f"last clause {field}" for field in Clause._fields),
    *Bond._fields,
    *(pattern.pattern for pattern in _WORDS),
)


def refers(reading: Reading, discourse: Discourse) -> bool:
    """Tell whether a question, of which the rules found nothing left out, goes on about somebody of the talk."""
    row = row_of(reading, discourse)
    discourse.observer.refers(row)
    return loaded(TREES).scores([row])[0] > LEAST


def row_of(reading: Reading, discourse: Discourse) -> list[float]:
    """Return the row of `COLUMNS` of a question."""
    text = reading.body()
    clauses = text.split("，")
    return [
        *clause(clauses[0]),
        *clause(clauses[-1]),
        *bond(reading, discourse, len(clauses)),
        *(float(pattern.search(text) is not None) for pattern in _WORDS),
    ]


def clause(text: str) -> Clause:
    """Return what a clause is like."""
    words = tag(text)
    kinds = [_TAGS.find(label[:1]) for _, label in words] or [-1]
    return Clause(
        first=kinds[0],
        second=kinds[1] if len(kinds) > 1 else -2,
        last=kinds[-1],
        length=len(text),
        nouns=sum(label[:1] == "n" for _, label in words),
        verbs=sum(label[:1] == "v" for _, label in words),
        opens=text[:1] == MASK,
        named=MASK in text,
        asks=re.search(phrases.WHO, text) is not None,
    )


def bond(reading: Reading, discourse: Discourse, clauses: int) -> Bond:
    """Return what ties a question to the talk."""
    view, people = discourse.turns[0], discourse.people()
    named = {one.name for one in reading.people()}
    asked = {one.name for one in view.question.people()}
    left = [one for one in people if one.name not in named]
    characters = set(reading.text)
    return Bond(
        clauses=clauses,
        people=len(named),
        listed=len({one.name for one in reading.people() if one.known}),
        others=len({one.name for one in reading.named} - named),
        old=len(named & {one.name for one in people}),
        in_question=len(named & asked),
        in_answer=len(named & {one.name for one in view.answer.people()}),
        turns=len(discourse.turns),
        open=len(left),
        asked=len(asked),
        continued=len(view.continued),
        salience=people[0].score if people else 0.0,
        left=left[0].score if left else 0.0,
        shared=len(characters & set(view.question.text + view.answer.text)) / max(1, len(characters)),
    )
