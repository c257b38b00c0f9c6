"""Uploaded tables: the rows that a question asks for, how many, which under a condition, a sum, the greatest."""

import re
from collections.abc import Sequence
from typing import Any

from nodes.roles import PlanRequest
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
from tools.documents.search import SEMANTIC_SEARCH
from tools.networks.lexicon import Lexicon, known, lexicon_of
from tools.networks.records import NetworkSchema
from tools.networks.refusals import RefusedCall
from tools.story.names import fold
from wenmai.minds.offline.documents.asking import HALF, above, asked_words, said_share

OWN: dict[str, str] = {
    "object_type_id": "document",
    "property": "column",
}  # what the arguments of a network's query are called here
WHICH = ("谁", "哪", "什么", "who", "which", "what", "list")


def tables_of(chunks: Sequence[Evidence]) -> dict[str, list[TableRow]]:
    """Return the rows of each file that chunks have rows of."""
    files = dict.fromkeys(one["source"] or "" for one in chunks)
    return {name: rows for name in files if (rows := rows_of(one for one in chunks if one["source"] == name))}


def bodies(evidence: Sequence[Evidence]) -> dict[str, list[TableRow]]:
    """Return the rows of the tables that searches found, without those that add up others."""
    found = [one for one in evidence if one["kind"] == "document" and one["tool"] != QUERY_TABLE]
    return {name: body for name, rows in tables_of(found).items() if (body := without_totals(rows))}


def lexicon_of_rows(tables: dict[str, list[TableRow]]) -> Lexicon:
    """Return tables as a network knows its instances."""
    types = TableNetwork(tables).types()
    rows = [known(ID, type, to_instance(type.id, row), ()) for type in types for row in tables[type.id]]
    return lexicon_of(rows, True, [NetworkSchema(id=ID, object_types=types)])


def table_call(question: str, evidence: Sequence[Evidence]) -> tuple[str, dict[str, Any]] | None:
    """Return the call that a question needs of a table whose rows were found; None where single rows answer."""
    query = table_query(question, evidence)
    arguments: dict[str, Any] = query.arguments() if query else {}
    return (QUERY_TABLE, {OWN.get(name, name): value for name, value in arguments.items()}) if query else None


def table_query(question: str, evidence: Sequence[Evidence]) -> Any:
    """Return what a question asks of all rows of a table: a number, a figure, or rows under a condition."""
    from wenmai.minds.offline.networks.querying import query_of

    lexicon = lexicon_of_rows(bodies(evidence))
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
    return shown(row, named)


def shown(row: str, names: Sequence[str]) -> str:
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
    asked, wanted = fold(question), asked_words(question)
    return [
        row
        for rows in tables_of(chunks).values()
        for row in rows
        if row.piece["tool"] == QUERY_TABLE
        or (names_cell(asked, row.text) and said_share(wanted, f"{row.text}\n{' '.join(above(row.piece))}") == 1)
    ]


def counted(question: str, rows: Sequence[TableRow]) -> int | None:
    """Return how many rows a question counts, None where it counts none.

    A single row is no count: it may have the number in a cell.
    """
    return len(rows) if len(rows) > 1 and _COUNTS.search(question) else None


def is_row_asked(question: str, sentence: str, piece: Evidence) -> bool:
    """Return False for a row of a table that says no more than half of the question's words."""
    lines = [line for line in sentence.split("\n") if ROW.match(line)]
    text = "\n".join([*lines, *above(piece)])
    return not lines or said_share(asked_words(question), text) > HALF


def names_cell(asked: str, row: str) -> bool:
    """Return True if a question holds one of a row's values, of letters and digits only as a whole word."""
    values = {fold(value) for value in cells_of(row).values()}
    return any(len(value) >= _LEAST_CELL and holds(asked, value) for value in values)


def holds(text: str, value: str) -> bool:
    """Return True if a text holds a value, and not as a part of a longer word or number."""
    before, behind = _BEFORE if value[0].isascii() else "", _BEHIND if value[-1].isascii() else ""
    return re.search(f"{before}{re.escape(value)}{behind}", text) is not None
