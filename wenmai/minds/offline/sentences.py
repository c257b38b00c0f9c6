"""The parts of a piece of evidence that an answer may quote whole."""

from collections.abc import Sequence
from itertools import pairwise

from state.schema import Evidence
from tools.documents.records import HEADING_JOINT
from tools.documents.tables import ROW
from tools.text.sentences import CELLS, statement_spans, wrapped_at
from wenmai.language.spans import Span

Numbered = tuple[int, Evidence]
"""A piece with its number in the evidence, from 1."""


def sentences_of(piece: Evidence, text: str) -> list[Span]:
    """Return the spans of a piece's sentences, without the headings of a document; a relation or an event is one."""
    if piece["kind"] == "passage":
        return statement_spans(text)
    if piece["kind"] in ("document", "memory"):
        place = (piece["location"] or "").split(HEADING_JOINT)  # a chunk may begin with what its place names
        return _of_lines(text, place)
    return [(0, len(text))]


def _of_lines(text: str, headings: Sequence[str]) -> list[Span]:
    """Return the sentences of each line, a row of a table whole; a line that its layout broke goes on in the next."""
    wrapped = set(wrapped_at(text))
    cuts = [at for at, sign in enumerate(text) if sign == "\n" and at not in wrapped]
    lines = [(start + 1, end) for start, end in pairwise([-1, *cuts, len(text)])]
    spans: list[Span] = []
    for start, end in lines:
        line = text[start:end]
        if ROW.match(line):
            spans.append((start, end))
        elif CELLS not in line and (spans or line.strip() not in headings):
            spans += [(start + first, start + last) for first, last in statement_spans(line)]
    return spans or [(0, len(text))]
