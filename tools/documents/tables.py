"""The tables among uploaded documents, read whole from their chunks, as a network of one object type each."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import PurePath

from state.context import Language
from state.schema import Evidence
from tools.documents.ports import DocumentStore
from tools.documents.records import Chunk, DocumentScope
from tools.documents.results import chunk_evidence
from tools.networks.records import (
    Account,
    Instance,
    InstancePage,
    InstanceQuery,
    NetworkSchema,
    ObjectType,
    PathQuery,
    PathResult,
    Property,
)
from tools.tables.names import comment, says_name, words_of
from tools.tables.rows import is_number

ROW = re.compile(r"^[^|]*\S: [^|]*(?: \| [^|]*\S: [^|]*)+$")  # 姓名: 张三 | 年龄: 30
CELL = re.compile(r"(?:^| \| )(?P<name>[^|]*?\S): (?P<value>[^|]*?)(?= \| |$)")

DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
TOTAL = re.compile(r"(?:合|总|小|共)计|总(?:和|数|额)|(?:sub|grand )?totals?|sum", re.IGNORECASE)
KEY = "#"  # where a row begins in its document
ID = "tables"


@dataclass(frozen=True, slots=True)
class TableRow:
    """A row of a table: its chunk as evidence, where it begins in its document, and its text."""

    piece: Evidence
    start: int
    text: str

    @property
    def cells(self) -> dict[str, str]:
        """The values by the names of their columns."""
        return cells_of(self.text)


def cells_of(row: str) -> dict[str, str]:
    """Return the values of a row's text by the names of their columns."""
    return {found["name"].strip(): found["value"].strip() for found in CELL.finditer(row)}


def row_lines(piece: Evidence) -> Iterator[TableRow]:
    """Give the rows in a chunk."""
    start = piece["start"] or 0
    for line in piece["text"].split("\n"):
        if ROW.match(line):
            yield TableRow(piece, start, line)
        start += len(line) + 1


def rows_of(chunks: Iterable[Evidence]) -> list[TableRow]:
    """Return the rows of a document's chunks in order, each once and whole: chunks overlap, and may cut a row."""
    kept: list[TableRow] = []
    end = -1
    rows = (row for one in chunks for row in row_lines(one))
    for row in sorted(rows, key=lambda one: (one.start, -len(one.text))):
        if row.start + len(row.text) > end:
            kept.append(row)
            end = row.start + len(row.text)
    return kept


def without_totals(rows: Iterable[TableRow]) -> list[TableRow]:
    """Return the rows without those that add up the others."""
    return [row for row in rows if not any(TOTAL.fullmatch(value) for value in row.cells.values())]


async def read_tables(documents: DocumentStore, scope: DocumentScope, language: Language) -> dict[str, list[TableRow]]:
    """Return the rows of each table that a scope shows, by file, and sheet where a file has several; no totals."""
    found: dict[str, list[TableRow]] = {}
    for document in await documents.documents(scope):
        ids = [
            Chunk(document=document, chunk_index=n, content="", start=0, end=0).chunk_id for n in range(document.chunks)
        ]
        chunks = [one.chunk for one in await documents.fetch(scope, ids)]
        for sheet, held in groupby(chunks, key=lambda one: one.location.sheet):
            rows = without_totals(rows_of(chunk_evidence(one, None, language) for one in held))
            if rows:
                found[f"{document.filename}{f' {sheet}' if sheet else ''}"] = rows
    return found


def type_of(name: str, rows: Sequence[Mapping[str, str]]) -> ObjectType:
    """Return a table as an object type, its columns as properties."""
    columns = list(dict.fromkeys(column for row in rows for column in row))
    values = {column: [row[column] for row in rows if row.get(column)] for column in columns}
    named = next((one for one in columns if says_name(words_of(one))), "")
    text = [one for one in columns if kind_of_values(values[one]) == "string"]
    stem = PurePath(name).stem
    return ObjectType(
        id=name,
        name=stem,
        comment=comment(" ".join(words_of(stem))),
        properties=tuple(
            Property(
                name=one,
                display_name=one,
                type=kind_of_values(values[one]),
                comment=comment(" ".join(words_of(one))),
            )
            for one in columns
        ),
        primary_keys=(KEY,),
        display_key=named or next(iter(text), ""),
    )


def kind_of_values(values: Sequence[str]) -> str:
    """Return the type of the values of a column."""
    if values and all(is_number(value.replace(",", "")) for value in values):
        return "float"
    return "date" if values and all(DATE.fullmatch(value) for value in values) else "string"


@dataclass(frozen=True, slots=True)
class TableNetwork:
    """Tables behind the port of networks: what filters and adds up their rows is the same."""

    tables: Mapping[str, Sequence[TableRow]]

    def types(self) -> tuple[ObjectType, ...]:
        """Return the tables as object types."""
        return tuple(type_of(name, [row.cells for row in rows]) for name, rows in self.tables.items())

    async def schema(self, network_id: str, account: Account, *, timeout_s: float) -> NetworkSchema:
        """Return the tables; there are no relations."""
        return NetworkSchema(id=network_id, object_types=self.types())

    async def instances(
        self, network_id: str, query: InstanceQuery, account: Account, *, timeout_s: float
    ) -> InstancePage:
        """Return the rows of a table."""
        rows = self.tables[query.object_type_id]
        return InstancePage(rows=tuple(to_instance(query.object_type_id, row) for row in rows))

    async def neighbours(self, network_id: str, query: PathQuery, account: Account, *, timeout_s: float) -> PathResult:
        """Return nothing: tables have no relations."""
        return PathResult()


def to_instance(table: str, row: TableRow) -> Instance:
    """Return a row as an instance; numbers with separators are numbers."""
    return Instance(object_type_id=table, properties=row.cells, identity={KEY: str(row.start)})
