"""What is quoted of a chunk: sentences below its headings, or the rows of a table that say most of the question."""

import re
from collections.abc import Sequence

from state.schema import Evidence
from tools.documents import HEADING_JOINT
from wenmai.minds.offline.matching import Term, Weights, coverage, overlap
from wenmai.minds.offline.snippets import Cue, excerpt

ROW = re.compile(r"^[^|]*\S: [^|]*(?: \| [^|]*\S: [^|]*)+$")  # 姓名: 张三 | 年龄: 30
AS_GOOD = 0.95  # share of the best row's score from which another one says as much


def quotation(piece: Evidence, terms: Sequence[Term], weights: Weights, cue: Cue, most: int) -> str:
    """Return the part of a chunk that answers, of a table whole rows."""
    text = below_headings(piece)
    lines = text.split("\n")
    if not any(map(ROW.match, lines)):
        return excerpt(text, terms, weights, cue, most)
    scores = [coverage(line, terms, weights) + overlap(line, weights) for line in lines]
    best = max(range(len(lines)), key=lambda at: (scores[at], -at))
    if not ROW.match(lines[best]):
        return excerpt(text, terms, weights, cue, most)
    good = [at for at, score in enumerate(scores) if ROW.match(lines[at]) and score >= AS_GOOD * scores[best]]
    together = "\n".join(lines[good[0] : good[-1] + 1])
    return " ".join((together if len(together) <= most else lines[best]).split())


def below_headings(piece: Evidence) -> str:
    """Return a chunk without the headings that it begins with; its place names them. Never nothing."""
    headings = (piece["location"] or "").split(HEADING_JOINT)
    lines = piece["text"].split("\n")
    while len(lines) > 1 and (not lines[0].strip() or lines[0].strip() in headings):
        lines.pop(0)
    return "\n".join(lines)
