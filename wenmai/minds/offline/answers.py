"""What a past answer tells of its question: the names that it begins with, or those of the sentence that fits."""

import re
from itertools import pairwise

from wenmai.minds.offline import phrases, quotes
from wenmai.minds.offline.reading import Named, Reading

QUOTING = re.compile(r"[“”「」\[]")
"""Marks of an answer that quotes the story: speech, citations."""
_SENTENCE = re.compile(r"[^。！？!?\n]+[。！？!?\n]?")
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


def told(question: Reading, answer: Reading) -> tuple[list[Named], bool]:
    """Return the persons that answer a question, likeliest first, and whether that can be relied on.

    Prose that answers names them in its first sentence; a quotation from the story may name anybody.
    """
    inside = {one.name for one in question.named}
    first = [one for one in opened(answer) if one.category == "person" and one.name not in inside]
    if first:
        return first, True
    fresh = [one for one in answer.people() if one.name not in inside]
    if not fresh:
        return fresh, False
    if not QUOTING.search(answer.text):
        return fresh, True
    return quotes.ranked(question, answer, fresh)


def listed(people: list[Named], text: str) -> bool:
    """Tell whether neighbouring names are joined: 范疆、张达."""
    return any(text[a.end : b.start] in tuple("、" + phrases.CONJUNCTIONS) for a, b in pairwise(people))
