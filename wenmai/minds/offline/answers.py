"""What a past answer tells of its question: the names that it begins with, or those of the sentence that fits."""

import re
from itertools import pairwise

from wenmai.minds.offline import phrases
from wenmai.minds.offline.reading import Named, Reading

FITTING = 0.25
"""Share of the question's content characters from which on a sentence counts as its answer."""
QUOTING = re.compile(r"[“”「」\[]")
"""Marks of an answer that quotes the story: speech, citations."""
_SENTENCE = re.compile(r"[^。！？!?\n]+[。！？!?\n]?")
_EMPTY = frozenset(
    "的了着过是在有个位名那这人者后来最被把不一和与为给向对就又也都还很上下中里去来谁哪什么怎样几多少时吗呢之其"
)
_HAN = re.compile(r"[\u4e00-\u9fff]")
_OPENING = re.compile(r"\s*(?:答案?[是：:]|是|就是|应该是)?")
_CLOSING = re.compile(r"\s*(?:[。：:，,；;（(\[\n]|$|是|于|在|把|将|被|等|（)")


def opened(answer: Reading) -> list[Named]:
    """Return the names that an answer begins with: 关羽。 or 范疆、张达：; [] where it begins otherwise."""
    found = _OPENING.match(answer.text)
    at, names = found.end() if found else 0, list[Named]()
    for one in answer.named:
        if one.start != at:
            break
        names.append(one)
        at = one.end
        joint = re.match(r"[、和与]", answer.text[at:])
        if not joint:
            break
        at += 1
    return names if names and _CLOSING.match(answer.text, names[-1].end) else []


def reliable(answer: Reading, sure: bool) -> int:
    """Return where the part of an answer ends that speaks for itself: short prose, or the sentence that opens it."""
    if not sure:
        return 0
    if not QUOTING.search(answer.text):
        return len(answer.text)
    return next((end for _, end in sentences(answer)), 0)


def sentences(answer: Reading) -> list[tuple[int, int]]:
    """Return the spans of an answer's sentences."""
    return [found.span() for found in _SENTENCE.finditer(answer.text)]


def content(question: Reading) -> set[str]:
    """Return the characters of a question that say what it asks."""
    return {char for char in _HAN.findall(question.masked) if char not in _EMPTY}


def fit(text: str, wanted: set[str]) -> float:
    """Return the share of the wanted characters that stand in a text."""
    return len(wanted & set(text)) / len(wanted) if wanted else 0.0


def told(question: Reading, answer: Reading) -> tuple[list[Named], bool]:
    """Return the persons that answer a question, likeliest first, and whether that can be relied on.

    Prose that answers names them in its first sentence; a quotation from the story may name anybody.
    """
    inside = {one.name for one in question.named}
    first = [one for one in opened(answer) if one.category == "person" and one.name not in inside]
    if first:
        return first, True
    fresh = [one for one in answer.people() if one.name not in inside]
    spans, wanted = sentences(answer), content(question)
    if not spans or not fresh:
        return fresh, False
    lead = answer.text[spans[0][0] : spans[0][1]]
    if fit(lead, wanted) >= FITTING or not QUOTING.search(answer.text):
        return fresh, True
    return sorted(fresh, key=lambda one: -_support(one, answer, spans, wanted)), False


def _support(one: Named, answer: Reading, spans: list[tuple[int, int]], wanted: set[str]) -> float:
    return max((fit(answer.text[a:b], wanted) for a, b in spans if a <= one.start < b), default=0.0)


def listed(people: list[Named], text: str) -> bool:
    """Tell whether neighbouring names are joined: 范疆、张达."""
    return any(text[a.end : b.start] in tuple("、" + phrases.CONJUNCTIONS) for a, b in pairwise(people))
