"""Uploaded tables: the rows that a question asks for, how many, a sum, the greatest; lines that need no reading."""

import re
from collections.abc import Sequence
from typing import Any

from nodes.roles import PlanRequest
from state.draft import Sentence
from state.schema import Evidence
from tools.documents.query_table import (
    ID,
    QUERY_TABLE,
    QueryTableArguments,
    TableNetwork,
    TableRow,
    cells_of,
    computed,
    rows_of,
    to_instance,
    without_totals,
)
from tools.documents.query_table import ROW as ROW
from tools.documents.records import OPEN_TASK
from tools.documents.search import LIST_DOCUMENTS, SEMANTIC_SEARCH
from tools.networks.lexicon import known, lexicon_of
from tools.networks.records import NetworkSchema
from tools.networks.refusals import RefusedCall
from tools.story.names import fold
from wenmai.minds.offline.documents.asking import (
    HALF,
    above,
    admitted,
    asked_words,
    asks_for_list,
    asks_open_tasks,
    exact_terms,
    mentioned_in_files,
    said_share,
    whole,
)
from wenmai.minds.offline.networks.asking import subject_of, value_of
from wenmai.minds.offline.reading import sentences_of
from wenmai.minds.offline.wordings import cited, say, sentence

OWN = {"object_type_id": "document", "property": "column"}  # what the arguments of a network's query are called here
WHICH = ("谁", "哪", "什么", "who", "which", "what", "list")


def tables_of(chunks: Sequence[Evidence]) -> dict[str, list[TableRow]]:
    files = dict.fromkeys(one["source"] or "" for one in chunks)
    return {name: rows for name in files if (rows := rows_of(one for one in chunks if one["source"] == name))}


def bodies(evidence: Sequence[Evidence]) -> dict[str, list[TableRow]]:
    """Return the rows of the tables that searches found, without those that add up others."""
    found = [one for one in evidence if one["kind"] == "document" and one["tool"] != QUERY_TABLE]
    return {name: body for name, rows in tables_of(found).items() if (body := without_totals(rows))}


def table_call(question: str, evidence: Sequence[Evidence]) -> tuple[str, dict[str, Any]] | None:
    """Return the call that a question needs of a table whose rows were found; None where single rows answer."""
    query = table_query(question, evidence)
    arguments: dict[str, Any] = query.arguments() if query else {}
    return (QUERY_TABLE, {OWN.get(name, name): value for name, value in arguments.items()}) if query else None


def table_query(question: str, evidence: Sequence[Evidence]) -> Any:
    """Return what a question asks of all rows of a table: a number, a figure, or rows under a condition."""
    from wenmai.minds.offline.networks.shapes import query_of

    tables = bodies(evidence)
    types = TableNetwork(tables).types()
    rows = [known(ID, type, to_instance(type.id, row), ()) for type in types for row in tables[type.id]]
    lexicon = lexicon_of(rows, True, [NetworkSchema(id=ID, object_types=types)])
    query = query_of(question, lexicon) if lexicon.members else None
    is_whole = query and (query.counts or query.degree or query.wanted != "list" or query.where)
    return query if is_whole and not lexicon.table.find(question) else None


async def asked_of_table(request: PlanRequest) -> list[Evidence]:
    """Return what query_table told; where it was not asked, the same of the rows that a search found, [] of none."""
    own = [piece for piece in request.evidence if piece["tool"] == QUERY_TABLE]
    call = None if own else table_call(request.resolved, request.evidence)
    if call is None:
        return own
    try:
        return (await computed(bodies(request.evidence), QueryTableArguments.model_validate(call[1])))[2]
    except RefusedCall:
        return []


def is_seen_whole(request: PlanRequest) -> bool:
    """Return True if all rows were looked at: by query_table, or by a search that found less than it might."""
    searches = [call for call in request.calls if call["tool"] == SEMANTIC_SEARCH]
    return any(one["tool"] == QUERY_TABLE for one in request.evidence) or any(
        call["ok"] and call["items"] < int(call["args"].get("top_k", 0)) for call in searches
    )


def cells_asked(question: str, row: str) -> str:
    """Return the cells of a row that a question asks for: of the columns that it names, else the name of the row."""
    asked, cells = fold(question), cells_of(row)
    free = {name: value for name, value in cells.items() if fold(value) not in asked}
    named = [name for name in free if fold(name) in asked]
    if not named and any(word in asked for word in WHICH):
        named = list(free)[:1]
    return chosen_cells(row, named)


def chosen_cells(row: str, names: Sequence[str]) -> str:
    """Return the cells of these columns, the only one by its value; the whole row where it has none of them."""
    cells = cells_of(row)
    held = [name for name in dict.fromkeys(names) if name in cells]
    return cells[held[0]] if len(held) == 1 else " | ".join(f"{name}: {cells[name]}" for name in held) or row


_BEFORE, _BEHIND = r"(?<![a-z0-9])(?<!\d[.])", r"(?![a-z0-9])(?![.]\d)"
_LEAST_CELL = 2  # characters: 男 and 是 are in any question
_COUNTS = re.compile(r"(?:几|多少)[个名位人行条项家种款笔]|\bhow many\b", re.IGNORECASE)


def asked_rows(question: str, chunks: Sequence[Evidence]) -> list[TableRow]:
    """Return the rows that a question asks for, each once though chunks overlap.

    The question names a cell whole, as it stands, and the row says each of its content words: 李娜在哪个部门 has the
    cell 李娜 and the column 部门. What stands above the table, its file and its sheet, says them as well.
    """
    asked, wanted, found = fold(question), asked_words(question), list[TableRow]()
    for row in (row for rows in tables_of(chunks).values() for row in rows):
        values = {value for one in cells_of(row.text).values() if len(value := fold(one)) >= _LEAST_CELL}
        # Of letters and digits only as a whole word, not as a part of a longer word or number.
        cells = (f"{_BEFORE * one[0].isascii()}{re.escape(one)}{_BEHIND * one[-1].isascii()}" for one in values)
        is_named = any(re.search(cell, asked) for cell in cells)
        says = is_named and said_share(wanted, f"{row.text}\n{' '.join(above(row.piece))}") == 1
        if says or row.piece["tool"] == QUERY_TABLE:
            found.append(row)
    return found


def is_row_asked(question: str, sentence: str, piece: Evidence) -> bool:
    """Return False for a row of a table that says no more than half of the question's words."""
    lines = [line for line in sentence.split("\n") if ROW.match(line)]
    text = "\n".join([*lines, *above(piece)])
    return not lines or said_share(asked_words(question), text) > HALF


MOST_ROWS = 10
HEADS = (
    ("offline.documents.one_found", "offline.documents.found"),
    ("offline.documents.one_listed", "offline.documents.listed"),
)


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


MENTIONING = ("offline.documents.one_mentioning", "offline.documents.mentioning")


def mention_listing(request: PlanRequest) -> list[Sentence]:
    """Return the files that have a name, each once, where a question asks which documents mention it; else []."""
    name = fold(mentioned_in_files(request.resolved))
    files: dict[str, Evidence] = {}
    for piece in request.evidence if name else ():
        if piece["kind"] == "document" and name in fold(whole(piece)):
            files.setdefault(piece["source"] or "", piece)
    head = say(
        MENTIONING[len(files) != 1], request.language, count=len(files), name=mentioned_in_files(request.resolved)
    )
    lines = [sentence("- ", _cited(name, piece, request.evidence)) for name, piece in sorted(files.items())]
    return [sentence(head), *lines] if lines else []


def task_lines(request: PlanRequest) -> list[Sentence]:
    """Return the open tasks of the documents, each once, where a question asks for them; else []."""
    if not asks_open_tasks(request.resolved):
        return []
    found: dict[str, Evidence] = {}
    for piece in request.evidence:
        lines = piece["text"].split("\n") if piece["kind"] == "document" else ()
        for line in lines:
            if task := line.partition(OPEN_TASK)[2].strip():
                found.setdefault(task, piece)
    return [sentence("- ", _cited(task, piece, request.evidence)) for task, piece in found.items()]


async def row_lines(request: PlanRequest) -> list[Sentence]:
    """Return the rows that a question asks for, a line each, behind their number where it counts them."""
    if told := _table_lines(request, await asked_of_table(request)):
        return told
    chunks = [piece for piece in admitted(request.resolved, request.evidence) if piece["kind"] == "document"]
    rows = asked_rows(request.resolved, chunks)
    lines = [_cited(cells_asked(request.resolved, row.text), row.piece, request.evidence) for row in rows[:MOST_ROWS]]
    is_counted = len(rows) > 1 and _COUNTS.search(request.resolved)  # a single row may have the number in a cell
    return [sentence(say("offline.documents.rows", request.language, count=len(rows))), *lines] if is_counted else lines


def _table_lines(request: PlanRequest, own: Sequence[Evidence]) -> list[Sentence]:
    """Return what was computed over a table: a figure, or the names of rows behind their number; last, if in part."""
    query = table_query(request.resolved, request.evidence) if own else None
    if query is None:
        return []
    figures = [piece for piece in own if piece["kind"] == "property"]
    rows = [piece for piece in own if piece["kind"] == "document"][: 1 if query.degree else None]
    named = (query.type.display_key, query.label) if query.degree else (query.label or query.type.display_key,)
    lines = [_cited(chosen_cells(piece["text"], named), piece, request.evidence) for piece in rows]
    is_told = query.wanted != "list" or query.group or query.counts
    heads = [
        _cited(f"{subject_of(one)}: {value_of(one)}" if query.group else value_of(one), one, request.evidence)
        for one in figures[: 1 if is_told else 0]
    ]
    if heads + lines and not is_seen_whole(request):
        lines.append(_cited(say("offline.documents.part", request.language), own[0], request.evidence))
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
    chunks = (one for one in evidence if one["source"] == piece["source"])  # a figure is of all of its table
    holder = (
        piece if is_held else next(one for one in chunks if piece["kind"] == "property" or piece["text"] in one["text"])
    )
    return cited(" ".join(text.split()), holder["id"])
