"""What is quoted of a chunk: sentences below its headings, or the rows of a table that say most of the question."""

from collections.abc import Sequence

from state.schema import Evidence
from tools.documents.records import HEADING_JOINT
from wenmai.minds.offline.document_rows import ROW, neighbouring
from wenmai.minds.offline.matching import Term, Weights, coverage, overlap
from wenmai.minds.offline.snippets import Cue, excerpt

AS_GOOD = 0.95  # share of the best row's score from which another one says as much
CELLS = " | "  # what a line of a table has, its head too


def quotations(
    piece: Evidence, rows: Sequence[int], terms: Sequence[Term], weights: Weights, cue: Cue, most: int
) -> list[str]:
    """Return the parts of a chunk that answer: of a table its rows of these numbers, those that stand together as one.

    Without rows that are asked for the one part that says most of the question.
    """
    if not rows:
        return [quotation(piece, terms, weights, cue, most)]
    lines = piece["text"].split("\n")
    runs = ([joined(lines[at]) for at in range(first, last + 1)] for first, last in neighbouring(rows))
    return [part for run in runs for part in ([" ".join(run)] if len(" ".join(run)) <= most else run)]


def quotation(piece: Evidence, terms: Sequence[Term], weights: Weights, cue: Cue, most: int) -> str:
    """Return the part of a chunk that says most of the question, of a table whole rows."""
    lines = below_headings(piece).split("\n")
    scores = [coverage(line, terms, weights) + overlap(line, weights) for line in lines]
    best = max(range(len(lines)), key=lambda at: (scores[at], -at))
    if not ROW.match(lines[best]):
        return excerpt(beside_tables(lines, best), terms, weights, cue, most)
    good = [at for at, score in enumerate(scores) if ROW.match(lines[at]) and score >= AS_GOOD * scores[best]]
    together = joined("\n".join(lines[good[0] : good[-1] + 1]))
    return together if len(together) <= most else joined(lines[best])


def beside_tables(lines: Sequence[str], at: int) -> str:
    """Return the lines around one, up to the next table: its rows are no sentences of the text."""
    if not any(map(ROW.match, lines)) or CELLS in lines[at]:
        return "\n".join(lines)
    cuts = [number for number, line in enumerate(lines) if CELLS in line]
    first = max((cut + 1 for cut in cuts if cut < at), default=0)
    last = min((cut for cut in cuts if cut > at), default=len(lines))
    return "\n".join(lines[first:last])


def joined(text: str) -> str:
    """Return a text on one line."""
    return " ".join(text.split())


def below_headings(piece: Evidence) -> str:
    """Return a chunk without the headings that it begins with; its place names them. Never nothing."""
    headings = (piece["location"] or "").split(HEADING_JOINT)
    lines = piece["text"].split("\n")
    while len(lines) > 1 and (not lines[0].strip() or lines[0].strip() in headings):
        lines.pop(0)
    return "\n".join(lines)
