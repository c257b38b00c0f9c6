"""query_table: rows of uploaded tables under conditions, their number, and figures of their columns."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import PurePath
from uuid import NAMESPACE_OID, uuid5

from pydantic import BaseModel, Field

from state.context import Language
from state.schema import Evidence
from tools.base import Scope, ToolResult
from tools.documents.records import Chunk, DocumentScope
from tools.documents.search import chunk_evidence, seen_by
from tools.formatting import dump, fit_json
from tools.messages import Message
from tools.networks.context import compact
from tools.networks.figures import FigureQuery, FigureResult, NetworkRows, Order, Wanted
from tools.networks.knowledge_network_query import figure_pieces, record, to_query
from tools.networks.records import (
    NOBODY,
    Account,
    Instance,
    InstancePage,
    InstanceQuery,
    NetworkSchema,
    ObjectType,
    PathQuery,
    PathResult,
    Property,
    instance_id,
)
from tools.networks.refusals import CALL_S, RefusedCall
from tools.ports import DocumentStore
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
    piece: Evidence
    start: int
    text: str

    @property
    def cells(self) -> dict[str, str]:
        return cells_of(self.text)


def cells_of(row: str) -> dict[str, str]:
    return {found["name"].strip(): found["value"].strip() for found in CELL.finditer(row)}


def row_lines(piece: Evidence) -> Iterator[TableRow]:
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
                name=one, display_name=one, type=kind_of_values(values[one]), comment=comment(" ".join(words_of(one)))
            )
            for one in columns
        ),
        primary_keys=(KEY,),
        display_key=named or next(iter(text), ""),
    )


def kind_of_values(values: Sequence[str]) -> str:
    if values and all(is_number(value.replace(",", "")) for value in values):
        return "float"
    return "date" if values and all(DATE.fullmatch(value) for value in values) else "string"


@dataclass(frozen=True, slots=True)
class TableNetwork:
    """Tables behind the port of networks: what filters and adds up their rows is the same."""

    tables: Mapping[str, Sequence[TableRow]]

    def types(self) -> tuple[ObjectType, ...]:
        return tuple(type_of(name, [row.cells for row in rows]) for name, rows in self.tables.items())

    async def schema(self, network_id: str, account: Account, *, timeout_s: float) -> NetworkSchema:
        return NetworkSchema(id=network_id, object_types=self.types())

    async def instances(
        self, network_id: str, query: InstanceQuery, account: Account, *, timeout_s: float
    ) -> InstancePage:
        rows = self.tables[query.object_type_id]
        return InstancePage(rows=tuple(to_instance(query.object_type_id, row) for row in rows))

    async def neighbours(self, network_id: str, query: PathQuery, account: Account, *, timeout_s: float) -> PathResult:
        """Return nothing: tables have no relations."""
        return PathResult()


def to_instance(table: str, row: TableRow) -> Instance:
    """Return a row as an instance; numbers with separators are numbers."""
    return Instance(object_type_id=table, properties=row.cells, identity={KEY: str(row.start)})


QUERY_TABLE = "query_table"


class QueryTableArguments(BaseModel):
    document: str | None = Field(
        default=None, description="表格的文件名，只有一个表格时可省略；不知道有哪些表格和列时先省略"
    )
    filters: list[str] = Field(
        default_factory=list,
        description="条件，须全部满足，每个写作“列名 运算符 值”，如 价格 > 50；"
        "运算符：== != >= <= > < contains starts lacks（都不含，不写值则没有值）",
    )
    aggregate: Wanted = Field(
        default="list", description="list 列出行；count 计数；sum、average、max、min 统计 column 的值"
    )
    column: str | None = Field(default=None, description="要排序或统计的列，可选")
    group_by: str | None = Field(default=None, description="按哪一列分组统计，可选")
    order: Order = Field(default="none", description="按 column 的值（分组时按统计值）排序：none、asc、desc")
    limit: int = Field(default=20, ge=1, le=50, description="返回的行数或组数")


@dataclass(frozen=True, slots=True)
class QueryTable:
    """Filters, counts and adds up the rows of a whole table, which a search shows only a part of."""

    documents: DocumentStore
    name: str = QUERY_TABLE
    description: str = "对上传的表格（CSV、Excel 等）的全部行按条件筛选、计数、求和、求平均、排序、分组统计。"
    arguments: type[BaseModel] = QueryTableArguments

    async def __call__(self, arguments: QueryTableArguments, scope: Scope) -> ToolResult:
        """Return rows or figures, each with where it stands; an error lists the tables with their columns."""
        tables = await read_tables(self.documents, seen_by(scope), scope.language)
        try:
            found, asked, evidence = await computed(tables, arguments)
        except RefusedCall as refused:
            return ToolResult(data=refused.answer, text=dump(refused.answer), ok=False)
        data = record(found, asked, cut=False)
        return ToolResult(data=data, text=fit_json(compact(data), scope.budget), evidence=evidence, items=found.total)


async def computed(
    tables: Mapping[str, Sequence[TableRow]], arguments: QueryTableArguments
) -> tuple[FigureResult, FigureQuery, list[Evidence]]:
    network = TableNetwork(tables)
    schema = await network.schema(ID, NOBODY, timeout_s=CALL_S)
    asked = to_query(arguments, chosen(arguments.document, schema.object_types), arguments.column)
    found = await NetworkRows(network, schema, NOBODY).answer(asked)
    rows = {str(row.start): row for row in tables[asked.type.id]}
    figures = [Evidence({**piece, "source": asked.type.id}) for piece in figure_pieces(found, asked, ID)]
    return found, asked, [*figures, *row_pieces(found, rows, asked.type)]


def chosen(document: str | None, types: tuple[ObjectType, ...]) -> ObjectType:
    """Return the table of a file, or the only one. Raises RefusedCall that tells which tables there are."""
    named = [one for one in types if document in (None, one.id, one.name) or (document and one.id.startswith(document))]
    if len(named) == 1:
        return named[0]
    raise RefusedCall(
        Message("tool.which_table"), {"tables": {one.id: [column.name for column in one.properties] for one in types}}
    )


def row_pieces(found: FigureResult, rows: Mapping[str, TableRow], type: ObjectType) -> Iterator[Evidence]:
    for instance, _ in found.rows:
        row = rows[instance_id(instance, type)]
        id = str(uuid5(NAMESPACE_OID, f"row {row.piece['id']} {row.start}"))
        end = row.start + len(row.text)
        yield Evidence({**row.piece, "id": id, "text": row.text, "start": row.start, "end": end})
