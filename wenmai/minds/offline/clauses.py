"""Clauses before the main one that leave their doer out, or whose doer is not who acts in the main one."""

import re
from collections.abc import Sequence

from wenmai.minds.offline import phrases
from wenmai.minds.offline.anaphor import opening
from wenmai.minds.offline.categories import tag
from wenmai.minds.offline.reading import MASK, Reading

Span = tuple[int, int]
_THEN = "(?:后来|最后|结果|当时|却)?"
_AGAIN = re.compile(rf"[^，{MASK}]{{2,10}}，又(?:是?靠|[向被把对给跟与劝派去回带拿到])")
"""临别走马回来，又向刘备荐了谁: both clauses are of the one who is left out."""
_REFUSED = re.compile(
    rf"{MASK}+[^，]{{0,4}}(?:不肯|不听|不信|不从|不允|不答应|拒绝)[^，]{{0,6}}，(?=又是?(?:怎么|如何|怎样)(?:劝|说服|回答))"
)
"""张昭不肯喝酒，又是怎么劝的: who persuades is left out."""
_CHALLENGED = re.compile(
    r"[^，谁哪]{2,8}(?:劝降|招降|搦战|骂阵|挑战)，(?=(?:在[^，]{1,5})?又?是?(?:怎么|如何|怎样)(?:回答|应对|回绝|拒绝|答|骂))"
)
"""靳祥来劝降，在城头上是怎么回绝的."""
_CAUGHT = re.compile(
    rf"[^，{MASK}谁哪什几多]{{2,10}}被[^，{MASK}谁哪]{{1,4}}，{_THEN}是?{phrases.WHO}"
    rf"|(?:带[人兵]|领兵|率军|率兵)去?[^，是谁的]{{1,8}}，{_THEN}被"
)
"""逃到县城被抓住，是哪个县令放了的; 带人去讨司马昭，结果被谁刺死."""
_STRUCK = re.compile(rf"([^，谁哪什几多]{{2,10}})，{_THEN}是?被{phrases.WHO}")
"""攻新城，是被谁射中的."""
_CAME_OVER = re.compile(rf"[投降](?:过去|过来)(?:的?时候?|[以之]?后)，(?={MASK})")
"""投过去的时候，曹操拿谁来打比方: who came is not who received."""
_AFTER_A_DEATH = re.compile(
    rf"{MASK}+(?:伏诛|被?[杀诛斩]|病?死|病故|去世|阵亡|自刎|被处死)[^，]{{0,2}}[以之]后，"
    r"(?=(?:最终|后来|最后)?(?:又|还|才)被谁[^，]{0,5}[接带救捉掳抢])"
)
"""董卓伏诛之后，又被谁接走了: another one than the dead."""
_BROUGHT = re.compile(rf"[献写送用骑使说提出造画收娶带夺射]的[^，]{{1,8}}，{MASK}")
"""献的那条计，孔明为什么不用: whose it is stands before it."""


def doer_left_out(reading: Reading, start: int, body: int, spans: Sequence[Span], *, referring: bool) -> int | None:
    """Return where the doer belongs that a clause leaves out, None where it leaves none out.

    `start` is where the question begins, `body` its predicate, `spans` are the clauses and places between;
    `referring` tells that another word refers back.
    """
    text = reading.masked
    behind = _REFUSED.match(text, start) or _CHALLENGED.match(text, start)
    if behind := behind or (None if referring else _AFTER_A_DEATH.match(text, start)):
        return behind.end()
    if _AGAIN.match(text, start):
        return start
    if referring:
        return None
    lacks = _BROUGHT.match(text, start) or _CAME_OVER.match(text, start) or _without_doer(reading, body, spans)
    return start if lacks else None


def _without_doer(reading: Reading, body: int, spans: Sequence[Span]) -> bool:
    """Tell whether a clause before the predicate has no subject of its own, nor the question anybody to lend it.

    临上马时，谁给斟了一杯热酒; 翻过去以后，第一座城的守将是谁.
    """
    text = reading.masked
    struck = _STRUCK.match(text, body)
    caught = _CAUGHT.match(text, body) or (struck and tag(struck[1])[0][1][0] == "v")
    if caught and not any(one.start <= body for one in reading.people()):
        return True
    deeds = [text[begin:end] for begin, end in spans if not _WHERE.match(text, begin, end)]
    if deeds and phrases.WH_SUBJECT.match(text[body:]) and not reading.people():
        return True
    return any("，" in deed for deed in deeds) and all(one.category == "group" for one in reading.named)


SCENE = re.compile(
    rf"(?:{MASK}+|[^，是谁{MASK}]{{1,4}})(?:一[战仗役]|之[战役]|那一[仗战]|大战)(?:[中里时])?，|(?:{MASK}+|[^，是谁{MASK}]{{1,5}}[陵城关山江河州县])那一?[次回]，|一[战仗](?=是?被)"
)
"""A battle or an occasion as the scene of what is asked: 乌林之战，; 高平陵那次，."""
_WHERE = re.compile(rf"{phrases.PLACE_PHRASE.pattern[1:]}|{SCENE.pattern}")


_STATE = re.compile("没了|失了|失去|丢了|同样|一样|身为|作为|同为|明明")


def subject_follows(reading: Reading, start: int, body: int) -> bool:
    """Tell whether the next clause opens with who lacks or is what the first one says: 没了兵器，典韦还怎么打."""
    text = reading.masked
    if not _STATE.match(text, start):
        return False
    border = text.find("，", body)
    if border < 0:
        return False
    at = border + 1 + opening(text[border + 1 :])
    return any(one.start == at and text[one.end : one.end + 1] not in ("的", "") for one in reading.people())
