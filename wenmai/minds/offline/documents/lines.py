"""Lines of a draft that need no reading: the list of documents, and rows of their tables."""

from collections.abc import Sequence

from nodes.roles import PlanRequest
from state.draft import Sentence
from state.schema import Evidence
from tools.documents.search import LIST_DOCUMENTS
from tools.story.names import fold
from wenmai.minds.offline.documents.asking import (
    HALF,
    admitted,
    asked_words,
    asks_for_list,
    exact_terms,
    said_share,
    whole,
)
from wenmai.minds.offline.documents.tables import (
    asked_of_table,
    asked_rows,
    cells_asked,
    counted,
    is_seen_whole,
    shown,
    table_query,
)
from wenmai.minds.offline.networks.ranking import subject_of, value_of
from wenmai.minds.offline.reading import sentences_of
from wenmai.minds.offline.wordings import cited, say, sentence

MOST_ROWS = 10
HEADS = (("documents.one_found", "documents.found"), ("documents.one_listed", "documents.listed"))


def listing(request: PlanRequest) -> list[Sentence]:
    """Return the files, each once, where a question asks which there are; else []."""
    if not asks_for_list(request.resolved):
        return []
    documents = [piece for piece in request.evidence if piece["kind"] == "document"]
    listed = [piece for piece in documents if piece["tool"] == LIST_DOCUMENTS]
    files: dict[str, Evidence] = {}
    for piece in listed or documents:
        files.setdefault(piece["source"] or "", piece)
    head = HEADS[bool(listed)][len(files) != 1]
    lines = [sentence("- ", _cited(name, piece, request.evidence)) for name, piece in files.items()]
    return [sentence(say(head, request.language, count=len(files))), *lines] if lines else []


async def row_lines(request: PlanRequest) -> list[Sentence]:
    """Return the rows that a question asks for, a line each, behind their number where it counts them."""
    if told := _table_lines(request, await asked_of_table(request)):
        return told
    chunks = [piece for piece in admitted(request.resolved, request.evidence) if piece["kind"] == "document"]
    rows = asked_rows(request.resolved, chunks)
    lines = [_cited(cells_asked(request.resolved, row.text), row.piece, request.evidence) for row in rows[:MOST_ROWS]]
    count = counted(request.resolved, rows)
    return [sentence(say("documents.rows", request.language, count=count)), *lines] if count else lines


def _table_lines(request: PlanRequest, own: Sequence[Evidence]) -> list[Sentence]:
    """Return what was computed over a table: a figure, or the names of rows behind their number; last, if in part."""
    query = table_query(request.resolved, request.evidence) if own else None
    if query is None:
        return []
    figures = [piece for piece in own if piece["kind"] == "property"]
    rows = [piece for piece in own if piece["kind"] == "document"][: 1 if query.degree else None]
    named = (query.type.display_key, query.label) if query.degree else (query.label or query.type.display_key,)
    lines = [_cited(shown(piece["text"], named), piece, request.evidence) for piece in rows]
    is_told = query.wanted != "list" or query.group or query.counts
    heads = [
        _cited(f"{subject_of(one)}: {value_of(one)}" if query.group else value_of(one), one, request.evidence)
        for one in figures[: 1 if is_told else 0]
    ]
    if heads + lines and not is_seen_whole(request):
        lines.append(_cited(say("documents.part", request.language), own[0], request.evidence))
    return [*heads, *lines]


def term_lines(request: PlanRequest) -> list[Sentence]:
    """Return the sentence that has the codes and quoted phrases of a question, where little else is asked; else []."""
    terms = [fold(term) for term in exact_terms(request.resolved)]
    rest = [word for word in asked_words(request.resolved) if not any(fold(word) in term for term in terms)]
    for piece in admitted(request.resolved, request.evidence) if terms else []:
        if piece["kind"] == "document" and said_share(rest, whole(piece)) >= HALF:
            sentences = (piece["text"][slice(*span)] for span in sentences_of(piece, piece["text"]))
            told = [_cited(one, piece, request.evidence) for one in sentences if any(t in fold(one) for t in terms)]
            return told[:1]
    return []


def _cited(text: str, piece: Evidence, evidence: Sequence[Evidence]) -> Sentence:
    """Return a text that cites its piece, of what was computed from a chunk that chunk."""
    is_held = any(one["id"] == piece["id"] for one in evidence)
    holder = piece if is_held else next(one for one in evidence if _has(one, piece))
    return cited(" ".join(text.split()), holder["id"])


def _has(chunk: Evidence, row: Evidence) -> bool:
    """Return True if a chunk has a row that was computed from it, or is of the table of a figure."""
    return chunk["source"] == row["source"] and (row["kind"] == "property" or row["text"] in chunk["text"])
