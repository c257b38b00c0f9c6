"""Questions about whole tables: how many rows, which under a condition, how much in all, the greatest."""

from collections.abc import Sequence
from typing import Any

from state.schema import Evidence
from tools.documents.query_table import NAME as QUERY_TABLE
from tools.documents.tables import ID, KEY, ROW, cells_of, type_of
from tools.networks.lexicon import Known, Lexicon, lexicon_of
from tools.networks.records import NetworkSchema
from tools.story.linking import fold

OWN: dict[str, str] = {
    "object_type_id": "document",
    "property": "column",
}  # what the arguments of a network's query are called here
WHICH = ("谁", "哪", "什么", "who", "which", "what", "list")


def lexicon_of_rows(evidence: Sequence[Evidence]) -> Lexicon:
    """Return the tables that evidence has rows of, as a network knows its instances."""
    tables: dict[str, list[dict[str, str]]] = {}
    for piece in evidence:
        if piece["kind"] == "document" and piece["tool"] != QUERY_TABLE:
            rows = [cells_of(line) for line in piece["text"].split("\n") if ROW.match(line)]
            tables.setdefault(piece["source"] or "", []).extend(rows)
    types = {name: type_of(name, rows) for name, rows in tables.items() if rows}
    known = [
        Known(
            network_id=ID,
            type=type,
            id=f"{KEY}{at}",
            name=row.get(type.display_key, "") or f"{KEY}{at}",
            values={column: (value,) for column, value in row.items() if value},
            relations=(),
        )
        for name, type in types.items()
        for at, row in enumerate(tables[name])
    ]
    return lexicon_of(known, True, [NetworkSchema(id=ID, object_types=tuple(types.values()))])


def table_call(question: str, evidence: Sequence[Evidence]) -> tuple[str, dict[str, Any]] | None:
    """Return the call that a question needs of a table whose rows were found; None where single rows answer."""
    query = table_query(question, evidence)
    arguments: dict[str, Any] = query.arguments() if query else {}
    return (QUERY_TABLE, {OWN.get(name, name): value for name, value in arguments.items()}) if query else None


def table_query(question: str, evidence: Sequence[Evidence]) -> Any:
    """Return what a question asks of all rows of a table: a number, a figure, or rows under a condition."""
    from wenmai.minds.offline.networks.querying import query_of

    lexicon = lexicon_of_rows(evidence)
    query = query_of(question, lexicon) if lexicon.members else None
    is_whole = query and (query.counts or query.degree or query.wanted != "list" or query.where)
    return query if is_whole and not lexicon.table.find(question) else None


def cells_asked(question: str, row: str) -> str:
    """Return the cells of a row that a question asks for: of the columns that it names, else the name of the row."""
    asked, cells = fold(question), cells_of(row)
    free = {name: value for name, value in cells.items() if fold(value) not in asked}
    named = [name for name in free if fold(name) in asked]
    if not named and any(word in asked for word in WHICH):
        named = list(free)[:1]
    return shown(row, named)


def shown(row: str, names: Sequence[str]) -> str:
    """Return the cells of these columns, the whole row where it has none of them."""
    cells = cells_of(row)
    return " | ".join(f"{name}: {cells[name]}" for name in dict.fromkeys(names) if name in cells) or row
