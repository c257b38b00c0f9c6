"""The parts of a question: those that ask by themselves, and the same of several names (各, each)."""

import re
from itertools import pairwise

from nodes.citations import letters
from tools.language import HAN
from tools.story.names import NameTable
from wenmai.language.lexicon import patterns
from wenmai.minds.offline.questions.question import ParsedQuestion, understood
from wenmai.minds.offline.questions.speech import unquoted

PARTS = patterns("wenmai.minds.offline.questions", "parts.toml")
_ENDS = " ，,。？?；;"
MOST_PARTS = 3
LEAST_ASKED = 2
"""Letters beside the words that ask, without which a part says nothing by itself."""


def parts_of(question: ParsedQuestion, table: NameTable) -> list[ParsedQuestion]:
    """Return the parts of a question, each a question by itself; the question alone where it has one.

    A part without a name gets the one of the part before: in the place of its pronoun, or of the subject left out.
    The last one has all that is asked beyond the most parts.
    """
    if len(found := _of_each(question)) < 2:
        found = _asking(question.text)
    if len(found) < 2:
        return [question]
    parts, name = list[ParsedQuestion](), ""
    for text in found:
        part = understood(text, table)
        if name and not part.entities:
            named, count = PARTS["pronoun"].subn(re.escape(name), text, count=1)
            part = understood(named if count or not HAN.search(text) else name + text, table)
        name = part.entities[0] if part.entities else name
        parts.append(part)
    if len(parts) <= MOST_PARTS:
        return parts
    rest = ("" if HAN.search(question.text) else " ").join(part.text for part in parts[MOST_PARTS - 1 :])
    return [*parts[: MOST_PARTS - 1], understood(rest, table)]


def _asking(text: str) -> list[str]:
    """Cut a question where its parts join.

    What asks nothing belongs to the part behind it; at the end of the question, to the one before, as does a bare "and
    why?", which says nothing by itself.
    """
    seams = [one.span() for one in PARTS["seam"].finditer(unquoted(text))]
    edges = [0, *(at for span in seams for at in span), len(text)]
    comma, end = ("，", "？") if HAN.search(text) else (", ", "?")
    parts, waiting = list[str](), ""
    for start, stop in list(pairwise(edges))[::2]:
        waiting = comma.join(filter(None, [waiting, text[start:stop].strip(_ENDS)]))
        if not PARTS["asks"].search(unquoted(text[start:stop]).strip()):
            continue
        if parts and len(letters(PARTS["asks"].sub("", waiting))) < LEAST_ASKED:
            parts[-1] = f"{parts[-1]}{comma}{waiting}"
        else:
            parts.append(PARTS["lead"].sub("", waiting))
        waiting = ""
    if parts and waiting:
        parts[-1] = f"{parts[-1]}{comma}{waiting}"
    return [f"{one}{end}" for one in parts if one]


def _of_each(question: ParsedQuestion) -> list[str]:
    """Return the question of each of its names, where it asks the same of several that only a conjunction joins."""
    text, mentions = question.text, question.mentions
    if len(question.entities) < 2 or not PARTS["each"].search(unquoted(text)):
        return []
    if not all(PARTS["joint"].fullmatch(text, one.end, other.start) for one, other in pairwise(mentions)):
        return []  # 张三的父亲和李四的母亲: what else stands there belongs to one of them alone
    before, behind = text[: mentions[0].start], PARTS["each"].sub("", text[mentions[-1].end :])
    names = {one.entity or one.text: one.text for one in mentions}
    return [f"{PARTS['each'].sub('', before)}{name}{behind}" for name in names.values()]
