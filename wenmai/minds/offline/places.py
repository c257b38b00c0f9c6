"""Which place 那座城 and 那里 point to, also one that no table lists."""

import re

from wenmai.minds.offline.discourse import Discourse, Referent
from wenmai.minds.offline.reading import Reading, Word
from wenmai.minds.offline.salience import best_of

_PLACED = re.compile(r"[守攻取夺围困失到至在往去占进入驻烧]$|[守失到去占]了$|把$")
_TAKEN = re.compile(r"失守|城|关|道口|口|之战|一战|粮草|粮仓|陷落|被围|被烧|失陷")
_FOR_PLACE = re.compile(r"哪[一座个处里儿]?[座个处]?(?:城|关|地|县|州)?|何处|什么地方")


def place(discourse: Discourse, fitting: list[Referent]) -> str | None:
    """Return the place that questions named, listed or not, else the one that answers a question for a place."""
    asked = [(one.score, one) for one in fitting if any(role != "answer" for _, role in one.roles)]
    named = best_of(asked)
    if named and discourse.referents[named].age == 0:
        return named
    return unlisted(discourse) or named


def unlisted(discourse: Discourse) -> str | None:
    """Return a place that stands where places stand, without being in any table: 劫烧乌巢粮草, 命守把陈仓道口."""
    for view in discourse.turns[:2]:
        for reading in (view.question, view.answer):
            if reading is view.answer and not _FOR_PLACE.search(view.question.text):
                continue
            spot = next((word.text for at, word in enumerate(reading.words) if _spot(reading, at)), None)
            if spot:
                return spot.rstrip("道口") if len(spot) > 2 else spot
    return None


def _spot(reading: Reading, at: int) -> bool:
    word: Word = reading.words[at]
    if word.tag not in ("nr", "ns", "n", "nz", "nrt") or not 2 <= len(word.text) <= 3:
        return False
    if any(one.start <= word.start < one.end and one.category != "place" for one in reading.named):
        return False
    before = reading.words[at - 1].text if at else ""
    lost = _TAKEN.match(reading.text, word.end) is not None
    return lost if word.tag == "n" else lost or _PLACED.search(before) is not None
