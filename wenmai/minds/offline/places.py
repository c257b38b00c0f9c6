"""Which place 那座城 and 那里 point to, also one that no table lists."""

import re
from itertools import pairwise

from wenmai.minds.offline import phrases
from wenmai.minds.offline.answers import QUOTING
from wenmai.minds.offline.categories import tag
from wenmai.minds.offline.discourse import Discourse, Referent
from wenmai.minds.offline.reading import Reading, Word
from wenmai.minds.offline.turns import TurnView

_PLACED = re.compile(
    r"(?:[守攻取夺围困失到至在往去占进入驻烧赴据破克]|攻打|镇守|屯兵|把守|驻扎|把)$|[守失到去占夺破克取]了$"
)
_TAKEN = re.compile(r"失守|城|关|道口|口|之战|一战|粮草|粮仓|陷落|被围|被烧|失陷")
_FOR_PLACE = re.compile(r"哪[一座个处里儿]?[座个处]?(?:城|关|地|县|州)?|何处|什么地方")
_RIDDEN = re.compile("[骑乘跨匹]的?$")
_WHERE = re.compile("[在到去于至往赴入进守攻取]了?$")
_ANSWER = re.compile(r"(?:是|在|叫)?[^，。]{0,12}?(?=[，。]|$)")
_AT = re.compile(r"[^，。在到]{0,2}[在到]([\u4e00-\u9fff]{2,3})(?=的[^，。]{1,4}[上里中下边旁前]|[，。])")
_CUT_END = re.compile("[时，。城之的前后]")
LATELY = 4
PLAIN = 2  # characters of a place without 道口 behind it: 街亭


def place(discourse: Discourse, fitting: list[Referent]) -> str | None:
    """Return the place of the newest turn that tells one: what its question asks for, names, or is answered with."""
    names = {one.name for one in fitting}
    for view in discourse.turns[:LATELY]:
        if _FOR_PLACE.search(view.question.text) and (spot := _answer(view.answer, names)):
            return spot
        readings = [view.question, view.answer]
        if _FOR_PLACE.search(view.question.text):
            readings.reverse()
        elif not _tells(view):
            readings = [view.question]
        found = next((spot for reading in readings if (spot := _told(reading, names))), None)
        if found:
            return found
    return None


def is_noun(text: str) -> bool:
    """Tell whether a text begins with a noun: 青霜剑 and 铁笼山, not 骑着白马, 一把剑, 攻破城."""
    return "的" not in text and tag(text)[0][1][0] in "ngzabjs"


def _answer(answer: Reading, names: set[str]) -> str | None:
    """Return the place that an answer begins with or that ends its first clause: 乌巢 in 是袁绍屯粮的乌巢."""
    at = _AT.match(answer.text)
    if at and not any(
        one.category == "person" and one.start < at.end(1) and at.start(1) < one.end for one in answer.named
    ):
        return at[1] if is_noun(at[1]) and at[1][-1] not in "后前时里中上下间夜" else None
    clause = _ANSWER.match(answer.text)
    last = next((word for word in answer.words if clause and word.end == clause.end()), None)
    if clause is None or last is None or not 2 <= len(last.text) <= 3:
        return None
    if last.text in names:
        return last.text
    listed = any(one.start <= last.start < one.end for one in answer.named)
    return None if listed or last.tag not in ("nr", "ns", "nz", "nrt") else last.text


def ended(discourse: Discourse, head: str) -> str | None:
    """Return the newest place that a talk calls by its kind: 铁笼山 for 那座山."""
    called = re.compile(
        rf"(?:^|[在到至往从于出过守取攻围困的是做任叫去住，])([\u4e00-\u9fff]{{1,2}}{re.escape(head)})(?![\u4e00-\u9fff]?[上下]马)"
    )
    for view in discourse.turns[:LATELY] if head in phrases.PLACE_HEADS else []:
        for reading in (view.question, view.answer):
            found = called.search(reading.text)
            if found and found[1][0] not in "这那哪一几各此该" and is_noun(found[1]):
                return found[1]
    return None


def ridden(discourse: Discourse) -> set[str]:
    """Return names of places that the session uses for a beast: 骑的白马."""
    readings = [reading for view in discourse.turns for reading in (view.question, view.answer)]
    return {one.name for reading in readings for one in reading.named if _RIDDEN.search(reading.text[: one.start])}


def _tells(view: TurnView) -> bool:
    """Tell whether an answer speaks for itself, so that its places are those of the question's matter."""
    return not QUOTING.search(view.answer.text)


def _told(reading: Reading, names: set[str]) -> str | None:
    """Return the place that a text tells: one that something is done at, else the first that it names."""
    listed = [(one.start, one.name) for one in reading.named if one.name in names]
    words = [word for at, word in enumerate(reading.words) if _spot(reading, at)]
    spots = [*listed, *((word.start, _shortened(word.text)) for word in words)]
    at = sorted((start, name) for start, name in spots if _WHERE.search(reading.text[:start])) or sorted(spots)
    return at[0][1] if at else _cut(reading)


def _shortened(spot: str) -> str:
    return spot.removesuffix("道口") if len(spot) > PLAIN + 1 else spot


def _spot(reading: Reading, at: int) -> bool:
    """Tell whether a word stands where places stand, without being in any table: 劫烧乌巢粮草, 命守把陈仓道口."""
    word: Word = reading.words[at]
    if word.tag not in ("nr", "ns", "n", "nz", "nrt") or not 2 <= len(word.text) <= 3:
        return False
    if any(one.start <= word.start < one.end for one in reading.named):
        return False
    if word.text[-1] in phrases.TROOPS | phrases.PERSON_HEADS:
        return False
    lost = _TAKEN.match(reading.text, word.end) is not None
    placed = _PLACED.search(reading.text[: word.start]) is not None
    own = word.tag != "n" or word.text[-1] in phrases.PLACE_NAME_ENDS | phrases.PLACE_NAME_ENDS_UNLESS_SURNAME
    return lost or (placed and own)


def _cut(reading: Reading) -> str | None:
    """Return a place that the segmenter cuts into characters behind a verb of places: 合淝 of 攻打合淝时."""
    for one, two in pairwise(reading.words):
        placed = len(one.text) == len(two.text) == 1 and _PLACED.search(reading.text[: one.start])
        if placed and two.tag[:1] in "ngz" and _CUT_END.match(reading.text, two.end):
            return one.text + two.text
    return None
