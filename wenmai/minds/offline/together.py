"""Who belong together in a past turn: the answer to a question for two, names that are joined, kin, one question."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from types import MappingProxyType

from wenmai.language.lexicon import surname
from wenmai.minds.offline import phrases
from wenmai.minds.offline.reading import Named, Reading
from wenmai.minds.offline.turns import TurnView

ANSWERED = 3.1
EXPLICIT = 3.0
TOLD = 2.9
GUESSED = 2.6
WITH_TOPIC = 2.4
GONE_ON = 2.3
BESIDE = 2.2
NAMED_BESIDE = 1.8
LIKELIER = 0.1
"""How surely some belong together, by what joins them: they answer a question for two, a conjunction in the question,
one in the answer, they are guessed to answer, topic and answer, who was gone on about and answer, one
question, one turn; what each likelier guess adds."""

PAIR = 2  # persons
_RELATIONS = MappingProxyType(
    {
        "夫": "妻妇妾嫁娶婚许",
        "男": "妻妾妇嫁娶婚许恋",
        "子": "父母儿",
        "女": "父母女",
        "兄": "哥兄弟",
        "弟": "哥兄弟",
        "妹": "姐妹",
    }
)
_KIN_WORDS = "|".join(sorted((word for word in phrases.KIN if word not in ("子", "女")), key=len, reverse=True))
_KIN_BEFORE = re.compile(rf"(?:{_KIN_WORDS}|[之的其]子|妾)$")
_SEVERAL = re.compile(r"哪[两几二些三]|哪一?些|有谁|什么人|[两二三四五几]个|谁[和跟与]谁")


@dataclass(frozen=True, slots=True)
class Group:
    """Some who belong together in a turn, and how surely."""

    names: tuple[str, ...]
    weight: float


def relation(text: str) -> str:
    """Return the characters that tell what the two of a plural are to each other (父子俩), '' for none."""
    found = re.search(phrases.KIN_PAIR, text)
    pair = found[0] if found else "男女" if text.endswith("一对") else ""
    return "".join(dict.fromkeys(pair + "".join(_RELATIONS.get(char, "") for char in pair)))


def groups(view: TurnView, *, kin: str, women: bool) -> Iterator[Group]:
    """Yield who may belong together in a turn."""
    asked = tuple(dict.fromkeys(one.name for one in view.question.people()))
    told = runs(view.answer, view.answerers(), loose=True)
    if view.focus and view.sure and (_SEVERAL.search(view.question.text) or _listed(view, told)):
        yield Group(tuple(view.focus), ANSWERED)
    if re.search("哪一?对", view.question.text):
        yield from (Group(names, ANSWERED + PAIR * LIKELIER) for names in told)
    yield from (Group(names, EXPLICIT) for names in runs(view.question, view.question.people()))
    yield from (Group(names, TOLD) for names in told)
    yield from _guessed(view)
    if kin and "男" not in kin:
        yield from (Group(names, EXPLICIT) for names in _kin(view, asked))
        yield from (Group(names, ANSWERED + LIKELIER) for names in _namesakes(told))
    if len(asked) > 1:
        yield Group(asked, BESIDE)
        yield from (
            Group((name, one), GONE_ON) for name in view.continued[:1] if name in asked for one in view.focus[:1]
        )
        yield from (Group((asked[-1], one), NAMED_BESIDE) for one in view.focus[:1])
    elif view.focus:
        yield Group((*asked, *view.focus[:1]), WITH_TOPIC)
    yield from _beside(view, asked, women=women)


def _beside(view: TurnView, asked: tuple[str, ...], *, women: bool) -> Iterator[Group]:
    """Yield those whom question and answer name, where there are not more than two, or women are meant."""
    fresh = [one.name for one in view.answerers() if one.name not in asked and not _owner(one, view.answer)]
    names = (*asked, *dict.fromkeys(fresh))
    if len(names) == PAIR or women:
        yield Group(names, NAMED_BESIDE)


def _owner(one: Named, answer: Reading) -> bool:
    return answer.text[one.end : one.end + 1] in ("的", "之")


def runs(reading: Reading, people: Sequence[Named], *, loose: bool = False) -> list[tuple[str, ...]]:
    """Return those whom a text joins: 马超和韩遂; `loose` also with a noun between: 马超与叔父韩遂."""
    noun = "[^，。的]{0,5}" if loose else ""
    joint = re.compile(rf"[{phrases.CONJUNCTIONS}]{noun}|，一[名个位]")
    found, run = list[tuple[str, ...]](), list[Named]()
    for one in people:
        if run and not joint.fullmatch(reading.text[run[-1].end : one.start]):
            found.append(tuple(dict.fromkeys(other.name for other in run)))
            run = []
        run.append(one)
    found.append(tuple(dict.fromkeys(other.name for other in run)))
    return [names for names in found if len(names) > 1]


def _listed(view: TurnView, told: list[tuple[str, ...]]) -> bool:
    joined = any(set(names[:2]) <= set(view.focus) for names in told)
    return joined and view.role in ("identity", "agent", "object", "name")


def _guessed(view: TurnView) -> Iterator[Group]:
    """Yield who of a quotation may answer: guesses that it joins, else the two best where two were asked for."""
    if view.sure or not view.guesses:
        return
    several, guesses = _SEVERAL.search(view.question.text) is not None, list(view.guesses)
    if len({one.name for one in view.question.people()}) == PAIR and "什么人" in view.question.text:
        return  # 甘宁射死了凌统的什么人 names the two itself
    inside = {one.name for one in view.question.named}
    joined = [names[:2] for names in runs(view.answer, view.answer.people()) if not inside & set(names[:2])]
    for names in joined:
        shared = [name for name in names if name in guesses]
        if len(shared) > 1 or (shared and several):
            yield Group(names, GUESSED + LIKELIER * (len(shared) - guesses.index(shared[0]) / len(guesses)))
    if several and len(guesses) > 1:
        yield Group(tuple(guesses[:2]), GUESSED)


def _namesakes(told: list[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """Return those of a list who bear one surname: 丁仪、丁廙 of 曹植与丁仪、丁廙."""
    families = [(name, surname(name)) for names in told if len(names) > PAIR for name in names]
    return [(a, b) for (a, one), (b, two) in pairwise(families) if one and one == two]


def _kin(view: TurnView, asked: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """Yield somebody with the kin whom a text names beside him: 诸葛瞻 in 他儿子诸葛尚."""
    for reading in (view.question, view.answer):
        people = reading.people()
        for one in people:
            found = _KIN_BEFORE.search(reading.text[: one.start])
            if found is None:
                continue
            owner = next((other.name for other in people if other.end in (found.start(), found.start() - 1)), None)
            first = next((other.name for other in people if other.name != one.name), None)
            whose = owner or (asked[0] if asked and asked[0] != one.name else first)
            if whose:
                yield (whose, one.name)
