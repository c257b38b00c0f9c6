"""Whether code alone may vouch for a statement: it is whole clauses of one sentence that it cites, word for word."""

import re
from collections import Counter
from collections.abc import Sequence

from nodes.checking.claims import Claim
from nodes.checking.findings import LIKELY
from nodes.checking.grounds import Ground
from nodes.checking.wordings import POINTS
from nodes.checking.words import clauses, stem
from nodes.results.citations import NAMED
from tools.text.scripts import simplified
from tools.text.sentences import sentence_spans

_QUALIFIES = re.compile(
    r"从来|一直|总是|始终|几乎|差点|险些|也许|可能|大概|或许|如果|假如|要是|倘若|据说|传说|听说|似乎|好像|仿佛|以为|应该"
    r"|[没不未无非别勿莫休否只仅都全除被若谎骗梦]|[“”「」『』\"]"
    r"|n['’]t\b|\b(?:not?|never|none|nobody|nothing|neither|nor|without|hardly|scarcely|barely|only|almost|nearly|always|all"
    r"|every|perhaps|maybe|might|may|can|could|would|should|must|if|unless|except|seem\w*|appear\w*|supposed\w*|by|cannot)\b",
    re.IGNORECASE,
)
"""What turns a sentence round or weakens it: negations, degrees, doubts, the passive, another's words."""
_FIRST = re.compile(r"[，,。.;；！!？?：:]")
_Clause = tuple[str, ...]


def is_vouched(claim: Claim) -> bool:
    """Return True if a piece that a statement cites has it word for word, and the reader sees it there too.

    One that begins by pointing at something said before is not vouched for: its words do not tell who is meant.
    """
    stated = _clauses(claim.sentence)
    if not stated or POINTS.search(_FIRST.split(claim.sentence, maxsplit=1)[0]):
        return False
    return any(_has(ground, claim, stated) and _is_read(claim, ground) for ground in claim.cited)


def _is_read(claim: Claim, ground: Ground) -> bool:
    reader = claim.material.reader
    margin = reader.margin(claim.sentence, ground, claim.words) if reader else None
    return margin is None or margin >= LIKELY


def _has(ground: Ground, claim: Claim, stated: Sequence[_Clause]) -> bool:
    """Return True if a sentence of a piece, or its row as a whole, has these clauses and qualifies them alike."""
    words, marked = _flat(stated), _qualifiers(claim.sentence)
    if ground.piece["kind"] == "property" or NAMED in ground.text:
        return marked == _qualifiers(ground.text) and words == _flat(_clauses(ground.text))
    sentences = (ground.text[start:end] for start, end in sentence_spans(ground.text))
    return any(marked == _qualifiers(one) and _is_run(words, _clauses(one)) for one in sentences)


def _is_run(words: _Clause, sentence: Sequence[_Clause]) -> bool:
    """Return True if words are those of clauses of a sentence that follow each other."""
    count = len(sentence)
    return any(words == _flat(sentence[start:end]) for start in range(count) for end in range(start + 1, count + 1))


def _clauses(text: str) -> list[_Clause]:
    """Return the words of each clause: Chinese characters, stems of other words, figures; light words left out."""
    return [tuple(map(stem, words)) for words in clauses(text, tuple)]


def _flat(parts: Sequence[_Clause]) -> _Clause:
    return tuple(word for part in parts for word in part)


def _qualifiers(text: str) -> Counter[str]:
    return Counter(match[0].casefold() for match in _QUALIFIES.finditer(simplified(text)))
