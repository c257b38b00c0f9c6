"""A statement that says the opposite of what it cites: the other side, the other degree, a negation put in or out."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from nodes.checking.claims import Claim
from nodes.checking.findings import ALIKE
from nodes.checking.quotes import unquoted
from nodes.checking.words import clauses, stem
from tools.language import HAN

_NEGATION = re.compile(
    r"[从并绝决毫尚再也还却仍]?(?:没有|未曾|不曾|[没不未无非别勿])(?P<rest>.*)"
    r"|(?:not|never|no|none|nobody|nothing|neither|nor|cannot)$"
)
_LEAST_SHARED, _MOST_OTHER = 3, 3
"""Units that two clauses must share, and may have beside, where a negation alone makes the difference."""
_IN_WORDS = (
    "左右 南北 东西 长短 高低 高矮 大小 男女 冷热 胖瘦 快慢 新旧 远近 深浅 轻重 贫富 输赢 胜败 爱恨"
    " left/right north/south northward/southward east/west long/short high/low tall/short big/small large/small"
    " man/woman early/late first/last before/after old/young alive/dead open/shut hot/cold black/white rich/poor"
    " won/lost bought/sold accepted/refused brother/sister father/mother husband/wife son/daughter more/less"
    " inside/outside above/below near/far"
)
"""Opposites, also as parts of words: the left hand and the right."""
_ALONE = "多少 先后 早晚 亮灭 买卖 黑白 生死 活死"
"""Opposites only as words of their own: 先 in 先生 is none of 后."""
_MOST_REPLACED = 2
"""Words in a row that may differ where one is an opposite."""


@dataclass(frozen=True, slots=True)
class Clause:
    """A clause beside another one.

    Attributes:
        words: its words without those that negate.
        negations: how many of them negate.
    """

    words: Sequence[str]
    negations: int

    @property
    def units(self) -> list[str]:
        """Its Chinese characters and other words."""
        return [unit for word in self.words for unit in (word if HAN.match(word) else [word])]


def is_contrary(claim: Claim) -> bool:
    """Return True if a clause of a statement turns the clause round that is nearest to it in what it cites."""
    segment = claim.material.segment
    sentences = [sentence for ground in claim.cited for sentence, _ in ground.sentences]
    cited = [words for sentence in sentences for words in clauses(sentence, segment)]
    stated = clauses(unquoted(claim.asserted), segment)
    return bool(cited) and any(_is_reversed(*_nearest(words, cited)) for words in stated)


def _nearest(words: Sequence[str], others: Sequence[Sequence[str]]) -> tuple[Clause, Clause]:
    """Return a clause and the one that shares most with it, of those the shortest that negates as often."""
    pairs = [(_beside(words, other), _beside(other, words)) for other in others]
    return max(pairs, key=lambda pair: (_shared(*pair), _negates_alike(*pair), -len(pair[1].units)))


def _beside(words: Sequence[str], others: Sequence[str]) -> Clause:
    text, other = "".join(words), "".join(others)
    rests = [_negated(word, text, other) for word in words]
    left = [stem(word) if rest is None else rest for word, rest in zip(words, rests, strict=True)]
    return Clause([word for word in left if word], sum(rest is not None for rest in rests))


def _negated(word: str, text: str, other: str) -> str | None:
    """Return what a word of a text negates, '' for a negation by itself, None for a word that negates nothing.

    A word that only begins like a negation is one where the other text has the rest of it, and has it as often.
    """
    match = _NEGATION.match(word)
    if match is None:
        return None
    rest = match["rest"] or ""
    return rest if not rest or text.count(rest) <= other.count(rest) else None


def _shared(clause: Clause, other: Clause) -> int:
    return (Counter(clause.units) & Counter(other.units)).total()


def _negates_alike(clause: Clause, other: Clause) -> bool:
    return clause.negations % 2 == other.negations % 2


def _is_reversed(clause: Clause, other: Clause) -> bool:
    size, shared = len(clause.units), _shared(clause, other)
    if shared >= ALIKE * size and _has_opposite(clause, other):
        return _negates_alike(clause, other)
    is_close = shared >= _LEAST_SHARED and size + len(other.units) - 2 * shared <= _MOST_OTHER
    return is_close and not _negates_alike(clause, other)


def _has_opposite(clause: Clause, other: Clause) -> bool:
    """Return True if an opposite stands in the place of the other: one character, or a word or two."""
    return any(pair in IN_WORDS for pair in _replaced(clause.units, other.units, 1)) or any(
        map(_is_opposite, _replaced(clause.words, other.words, _MOST_REPLACED))
    )


def _is_opposite(pair: tuple[str, str]) -> bool:
    """Return True for opposites, also as the one part in which two words differ."""
    differing = [(one, two) for one, two in zip(*pair, strict=False) if one != two]
    is_alike = len(pair[0]) == len(pair[1]) and len(differing) == 1
    return pair in IN_WORDS or pair in ALONE or (is_alike and differing[0] in IN_WORDS)


def _replaced(units: Sequence[str], others: Sequence[str], most: int) -> Iterator[tuple[str, str]]:
    """Yield what stands in the place of what, from both ends, where no more than so many units differ."""
    for kind, start, end, first, last in SequenceMatcher(None, units, others, autojunk=False).get_opcodes():
        if kind == "replace" and max(end - start, last - first) <= most:
            yield from ((units[start], others[first]), (units[end - 1], others[last - 1]))


def _opposites(pairs: str) -> Iterator[tuple[str, str]]:
    for pair in pairs.split():
        one, other = map(stem, pair.split("/") if "/" in pair else pair)
        yield from ((one, other), (other, one))


IN_WORDS, ALONE = frozenset(_opposites(_IN_WORDS)), frozenset(_opposites(_ALONE))
