"""Words for whom the user asked about before: 最先问的那位, 先前问兵器的那个人, 回到头一个人."""

import re

from wenmai.minds.offline.anaphor import Anaphor
from wenmai.minds.offline.categories import head_class
from wenmai.minds.offline.nounphrases import noun_phrase
from wenmai.minds.offline.reading import MASK, Reading

_FIRST = "最先|最早|最初|一开始|起初|开头|头先"
_EARLIER = "先前|前面|之前|刚才|刚刚|方才|早先"
_WE = "(?:我们?|咱们?)?"
_ASKED = re.compile(
    rf"{_WE}(?:{_FIRST}|{_EARLIER}|先(?![说讲谈聊](?!的))){_WE}(?:问|提(?![拔出议倡])|聊|谈|讲(?!和)|说(?![明服谎]))"
    r"(?:到|起|过)?(?:的(?![那这人]))?(?P<what>[^，。？的谁什哪怎]{0,6})的?"
    r"(?P<one>[那这]一?[位个名](?:(?P<did>[^，。谁哪什]{2,6})的(?=[，。]))?|(?=人[，。的]))"
)
_TOLD = re.compile(
    rf"(?:{_EARLIER})(?P<did>[^，。谁哪什{MASK}]{{0,6}}{MASK}[^，。谁哪什]{{0,6}})的(?P<one>[那这]一?[位个名])(?=[，。后最又是])"
)
"""先前归降孔明的那位: a question told it with a name."""
_ORDINAL = re.compile(
    r"(?:回到|说回|说到|回头[再]?[说看问讲]?|再[说看问讲]|还说)(?:一下)?(?P<one>最?[前头]一?[位个]人?|第一[位个]人?)(?=[，。的])"
)
OF_THE_FIRST = re.compile(f"{_WE}(?:{_FIRST}|最前|头|第)")
_IS_WHO = re.compile("(?:究竟|到底|又)?是(?:谁|哪[一]?[位个名]|什么人)")


def asked_before(reading: Reading) -> list[Anaphor]:
    """Return where a question means somebody by his having been asked about."""
    text = reading.masked
    found = [_anaphor(reading, m.start(), m.end(), m["did"] or m["what"]) for m in _ASKED.finditer(text)]
    found += [_anaphor(reading, m.start(), m.end(), reading.text[slice(*m.span("did"))]) for m in _TOLD.finditer(text)]
    found += [_anaphor(reading, m.start("one"), m.end(), "") for m in _ORDINAL.finditer(text)]
    return [one for one in found if one]


def _anaphor(reading: Reading, start: int, end: int, what: str) -> Anaphor | None:
    """Return the phrase with the noun behind it.

    None for what somebody else said (孙权刚才说的那个人), a thing (刚才说的那个计策), and one who is asked for.
    """
    text = reading.masked
    _, head, behind = noun_phrase(reading, end)
    after = next((word for word in reading.words if word.start == end), None)
    if not head and after and after.text == "人":
        behind = after.end
    elif not head:
        behind = end
    thing = head_class(head)[0] != "person" if head else after is not None and after.tag[:1] == "n" and behind == end
    if thing or text[start - 1 : start] == MASK or _IS_WHO.match(text, behind):
        return None
    female = head_class(head)[1] if head else None
    return Anaphor(start, behind, reading.text[start:behind], "asked", head, what, "person", female)
