"""A statement that says the opposite of what it cites: the other side, the other degree, a negation put in or out."""

from collections import Counter
from collections.abc import Iterator, Sequence

from nodes.checking.claims import Claim
from nodes.checking.findings import ALIKE
from nodes.checking.grounds import Ground
from nodes.checking.quotes import unquoted
from nodes.checking.vouching import clauses

_NEGATIONS = frozenset("没不未无非别勿") | {"not", "never", "no", "none", "nobody", "nothing", "neither", "nor"}
_LEAST_SHARED, _MOST_OTHER = 3, 3
"""Words that two clauses must share, and may have beside, where a negation alone makes the difference."""
_PAIRS = (
    "左右 南北 东西 长短 高低 高矮 大小 多少 男女 早晚 先后 冷热 亮灭 胖瘦 快慢 新旧 远近 深浅 轻重 贫富 输赢 胜败 买卖"
    " 爱恨 黑白 生死 活死 left/right north/south northward/southward east/west long/short high/low tall/short big/small"
    " large/small man/woman early/late first/last before/after old/young alive/dead open/shut hot/cold black/white"
    " rich/poor won/lost bought/sold accepted/refused brother/sister father/mother husband/wife son/daughter more/less"
    " inside/outside above/below near/far"
)
_Clause = Sequence[str]


def _opposites() -> Iterator[tuple[str, str]]:
    for pair in _PAIRS.split():
        one, other = (clauses(word)[0][0] for word in (pair.split("/") if "/" in pair else pair))
        yield from ((one, other), (other, one))


OPPOSITES = tuple(_opposites())


def is_contrary(claim: Claim) -> bool:
    """Return True if a clause of a statement turns the clause round that is nearest to it in what it cites."""
    said = [one for ground in claim.cited for one in _clauses_of(ground)]
    return any(_turns(clause, _nearest(clause, said)) for clause in clauses(unquoted(claim.told)))


def _clauses_of(ground: Ground) -> list[_Clause]:
    return [clause for sentence, _ in ground.sentences for clause in clauses(sentence)]


def _nearest(clause: _Clause, others: Sequence[_Clause]) -> _Clause:
    """Return the clause that shares most words with one, the shortest of those; () where there is none."""
    return max(others, key=lambda other: (_shared(clause, other), -len(other)), default=())


def _shared(clause: _Clause, other: _Clause) -> int:
    return sum((Counter(_plain(clause)) & Counter(_plain(other))).values())


def _plain(clause: _Clause) -> list[str]:
    return [word for word, before in zip(clause, ("", *clause), strict=False) if not _is_negation(word, before)]


def _is_negation(word: str, before: str) -> bool:
    return word in _NEGATIONS or (before + word) == "没有"


def _turns(clause: _Clause, other: _Clause) -> bool:
    said, told, shared = len(_plain(clause)), len(_plain(other)), _shared(clause, other)
    if shared >= ALIKE * said and any(one in clause and two in other for one, two in _differing(clause, other)):
        return True
    is_close = shared >= _LEAST_SHARED and said + told - 2 * shared <= _MOST_OTHER
    return is_close and _negations(clause) % 2 != _negations(other) % 2


def _differing(clause: _Clause, other: _Clause) -> Iterator[tuple[str, str]]:
    """Yield the pairs of opposites of which neither clause has both."""
    return ((one, two) for one, two in OPPOSITES if two not in clause and one not in other)


def _negations(clause: _Clause) -> int:
    return sum(word in _NEGATIONS for word in clause)
