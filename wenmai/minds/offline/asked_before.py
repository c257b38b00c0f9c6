"""Whom the user asked about before: 最先问的那位, 先前问兵器的那个人, 回到头一个人."""

import re

from wenmai.minds.offline.anaphor import Anaphor
from wenmai.minds.offline.descriptions import called_so
from wenmai.minds.offline.discourse import Discourse, first_named
from wenmai.minds.offline.nounphrases import head_class, noun_phrase
from wenmai.minds.offline.reading import MASK, Reading
from wenmai.minds.offline.salience import gender_fits
from wenmai.minds.offline.turns import TurnView

_FIRST = "最先|最早|最初|一开始|起初|开头|头先"
_BEFORE = "先前|前面|之前|刚才|刚刚|方才|早先|先"
_ASKED = re.compile(
    rf"(?:我们?|咱们?)?(?:{_FIRST})?(?:{_BEFORE})?(?<=[先早初始头前才刚面])(?:我们?|咱们?)?(?:[问提聊谈讲]|说(?!明|服|谎))(?:到|起|过)?"
    r"(?:的(?![那这人]))?(?P<what>[^，。？的谁什哪怎]{0,6})的?(?P<one>[那这]一?[位个名](?:(?P<did>[^，。谁哪什]{2,6})的(?=[，。]))?|(?=人[，。的]))"
)
_TOLD = re.compile(
    rf"(?:{_BEFORE[:-2]})(?P<did>[^，。谁哪什{MASK}]{{0,6}}{MASK}[^，。谁哪什]{{0,6}})的(?P<one>[那这]一?[位个名])(?=[，。后最又是])"
)
"""先前归降孔明的那位: a question told it with a name."""
_ORDINAL = re.compile(
    r"(?:回到|说回|说到|回头[再]?[说看问讲]?|再[说看问讲]|还说)(?:一下)?(?P<one>最?[前头]一?[位个]人?|第一[位个]人?)(?=[，。的])"
)


def asked_before(reading: Reading) -> list[Anaphor]:
    """Return where a question means somebody by his having been asked about."""
    found = [_anaphor(match, reading, match["did"] or match["what"]) for match in _ASKED.finditer(reading.masked)]
    found += [
        _anaphor(match, reading, reading.text[slice(*match.span("did"))]) for match in _TOLD.finditer(reading.masked)
    ]
    found += [_anaphor(match, reading, "") for match in _ORDINAL.finditer(reading.masked)]
    return [one for one in found if one]


def _anaphor(match: re.Match[str], reading: Reading, what: str) -> Anaphor | None:
    """Return the phrase with its noun; None where that is no person's."""
    start, end = match.start("one") if match.re is _ORDINAL else match.start(), match.end()
    _, head, behind = noun_phrase(reading, end)
    if head and head_class(head)[0] != "person":
        return None
    after = next((word for word in reading.words if word.start == end), None)
    if not head and after and after.text == "人":
        behind = after.end
    elif not head and after and after.tag[:1] == "n":
        return None  # 刚才说的那个计策
    elif not head:
        behind = end
    text = reading.text[start:behind]
    return Anaphor(start, behind, text, "asked", head, what, "person", head_class(head)[1] if head else None)


_OF_THE_FIRST = re.compile(f"(?:我们?|咱们?)?(?:{_FIRST}|最?[前头第]一|头[位个])")


HALF = 0.5


def _said(words: str, view: TurnView) -> float:
    """Return 0..1: how many characters of some words a question has."""
    return sum(char in view.question.text for char in words) / len(words) if words else 1.0


def asked_person(discourse: Discourse, one: Anaphor, taken: set[str]) -> str | None:
    """Return whom the user asked about first of all, or last before the present one; by a noun or words if told so."""
    views = discourse.turns[::-1] if _OF_THE_FIRST.match(one.text) else discourse.turns
    most = max((_said(one.modifier, view) for view in views), default=0.0)
    told = [view for view in views if _said(one.modifier, view) == most] if most >= HALF else views
    names = [name for view in told if (name := first_named(view))]
    able = [
        name
        for name in dict.fromkeys(names)
        if name not in taken
        and discourse.referents[name].category == "person"
        and gender_fits(discourse.referents[name], one.female)
    ]
    called = [name for name in able if one.head and called_so(discourse, discourse.referents[name], one.head)]
    present = first_named(discourse.turns[0]) if discourse.turns else None
    others = able if one.modifier or views is not discourse.turns else [name for name in able if name != present]
    return next(iter([*called, *others, *able]), None)
