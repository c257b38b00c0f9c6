"""query_table: rows of uploaded tables under conditions, their number, and figures of their columns."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from math import isclose
from pathlib import PurePath
from uuid import NAMESPACE_OID, uuid5

from pydantic import BaseModel, Field

from state.context import Language
from state.schema import Evidence
from tools.base import Scope, ToolResult
from tools.documents.records import Chunk, DocumentScope
from tools.documents.search import chunk_evidence, document_id, seen_by
from tools.formatting import dump, fit_json
from tools.messages import Message
from tools.networks.context import compact
from tools.networks.figures import FigureQuery, FigureResult, NetworkRows, Order, Wanted
from tools.networks.knowledge_network_query import figure_pieces, record, to_query
from tools.networks.lexicon import ASIDE, LONGEST_NAME, PLAIN_TIME
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
    RelationType,
    instance_id,
)
from tools.networks.refusals import RefusedCall
from tools.ports import DocumentStore
from tools.tables.names import ALSO, BETWEEN, comment, says_name, says_numbering, without_id, without_name, words_of
from tools.tables.units import number_in

ROW = re.compile(r"^[^|]*\S: [^|]*(?: \| [^|]*\S: [^|]*)+$")  # 姓名: 张三 | 年龄: 30
CELL = re.compile(r"(?:^| \| )(?P<name>[^|]*?\S): (?P<value>[^|]*?)(?= \| |$)")

DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
CHINESE_AMOUNT = re.compile(r"[〇零一二两三四五六七八九十百千万亿]+[多余]?[元块角分两斤吨人个名天月年岁件册间套]?")
TOTAL = re.compile(r"(?:合|总|小|共)计|总(?:和|数|额)|(?:sub|grand )?-?totals?:?|sum", re.IGNORECASE)
TOTAL_WORD = re.compile(r"(?:合|总|小|共)计|总(?:和|数|额)|\b(?:sub-?)?(?:totals?|sum)\b", re.IGNORECASE)
AMOUNT = re.compile(r"[+-]?\s?[¥$€£￥]?\s?[+-]?[\d.,]")  # 300元 is one, A12 is none
LEAST_RISING = 3
ROUNDING = 0.01
KEY = "#"  # where a row begins in its document
ID = "tables"
ID_END = 6  # characters of an id that tell documents of one name apart, of which there are three at most


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


def without_totals(rows: Sequence[TableRow]) -> list[TableRow]:
    """Return the rows of a table but those that add up others: the label says so, and where it says more the sum."""
    kept: list[TableRow] = []
    for row in rows:
        labels = [value for value in row.cells.values() if TOTAL_WORD.search(value)]
        is_total = any(TOTAL.fullmatch(value) for value in labels)
        if not is_total and not (labels and adds_up(row.cells, [one.cells for one in kept])):
            kept.append(row)
    return kept


def adds_up(total: Mapping[str, str], above: Sequence[Mapping[str, str]]) -> bool:
    """Return True if a row has numbers, and in each the sum of the last rows above it."""
    numbers = {name: value for name, text in total.items() if (value := number_in(text)) is not None}
    if not numbers:
        return False
    sums = dict.fromkeys(numbers, 0.0)
    for row in reversed(above):
        for name in numbers:
            sums[name] += number_in(row.get(name, "")) or 0.0
        if all(isclose(sums[name], value, abs_tol=ROUNDING) for name, value in numbers.items()):
            return True
    return False


async def read_tables(
    documents: DocumentStore, scope: DocumentScope, language: Language, named: str | None = None
) -> dict[str, list[TableRow]]:
    """Return the rows of each table that a scope shows, by file, sheet and title; no totals.

    Where `named` begins with the name of a file, or a file's with it, no other is read.
    """
    chunks: list[Evidence] = []
    found = await documents.documents(scope)
    own = [
        one
        for one in found
        if named and any(named.startswith(name) or is_named(name, named) for name in (one.path, one.filename))
    ]
    for document in own or found:
        ids = [
            Chunk(document=document, chunk_index=n, content="", start=0, end=0).chunk_id for n in range(document.chunks)
        ]
        chunks += [chunk_evidence(one.chunk, None, language) for one in await documents.fetch(scope, ids)]
    return tables_of(chunks)


def tables_of(chunks: Sequence[Evidence]) -> dict[str, list[TableRow]]:
    """Return the rows of the tables of chunks, without totals, by the name of the table: its file and its place in it.

    Where the columns are others than those of the row above another table begins.
    """
    found: dict[str, list[TableRow]] = {}
    holders = defaultdict[tuple[str, str], list[Evidence]](list)
    names = names_of(chunks)
    for one in chunks:
        holders[document_id(one), one.get("table", "")].append(one)
    for (document, place), held in holders.items():
        parts = split_by_columns(rows_of(held))
        for at, part in enumerate(parts, 1):
            number = f"#{at}" if len(parts) > 1 else ""
            if body := without_totals(part):
                found[" ".join(filter(None, (names[document], *place.split("\n"), number)))] = body
    return found


def names_of(chunks: Iterable[Evidence]) -> dict[str, str]:
    """Return the names of the documents of chunks by their ids; those that share one have the end of their id.

    With two of three at hand a name is the one that all three give; a number would be another one.
    """
    files = {document_id(one): one["source"] or "" for one in chunks}
    counts = Counter(files.values())
    return {id: file if counts[file] == 1 else f"{file} ({id[-ID_END:]})" for id, file in files.items()}


def split_by_columns(rows: Sequence[TableRow]) -> list[list[TableRow]]:
    parts: list[list[TableRow]] = []
    names: set[str] = set()
    for row in rows:
        own = set(row.cells)
        if not parts or 2 * len(own & names) < len(own):
            parts.append([])
            names = set()
        parts[-1].append(row)
        names |= own
    return parts


def kind_of_values(values: Sequence[str]) -> str:
    if values and all(AMOUNT.match(value) and number_in(value) is not None for value in values):
        return "float"
    return "date" if values and all(DATE.fullmatch(value) for value in values) else "string"


@dataclass(frozen=True)
class TableNetwork:
    """A table behind the port of networks: what filters and adds up its rows is the same.

    Its rows are instances of one type, which is called as the column that tells them apart; the values of each other
    column of short texts are instances of a type of their own, to which the rows lead.
    """

    name: str
    rows: Sequence[TableRow]

    @cached_property
    def values(self) -> dict[str, list[str]]:
        """The values of each column that are there."""
        cells = [row.cells for row in self.rows]
        columns = dict.fromkeys(column for row in cells for column in row)
        return {column: [row[column] for row in cells if row.get(column)] for column in columns}

    @cached_property
    def kinds(self) -> dict[str, str]:
        return {column: kind_of_values(values) for column, values in self.values.items()}

    @cached_property
    def naming(self) -> str:
        """The column that tells rows apart: one that is called so, else the first with a value of its own in each."""
        held = {column: self.values[column] for column, kind in self.kinds.items() if kind == "string"}
        texts = [column for column, values in held.items() if not all(map(PLAIN_TIME.fullmatch, values))]
        apart = [one for one in texts if len(set(held[one])) == len(self.rows)]
        return next((one for one in apart if says_name(words_of(one))), next(iter(apart), ""))

    @cached_property
    def numbering(self) -> str:
        """The first column, if it is called like a version or a key and its numbers rise beside a name; else ''."""
        first = next(iter(self.kinds), "")
        if not says_numbering(words_of(first)):
            return ""
        numbers = [number_in(value) or 0.0 for value in self.values.get(first, ())]
        is_rising = len(numbers) >= LEAST_RISING and all(one < other for one, other in pairwise(numbers))
        return first if self.naming and self.kinds[first] == "float" and is_rising else ""

    @property
    def names(self) -> tuple[str, str]:
        """The name of the table with the folder of its document, and without it."""
        folder, joint, _ = (self.rows[0].piece["source"] or "").rpartition("/")
        return self.name, self.name.removeprefix(f"{folder}{joint}")

    @property
    def title(self) -> str:
        """What the table is called: by the heading above it, its sheet, or its file."""
        return (self.rows[0].piece.get("table") or PurePath(self.name).stem).split("\n")[-1]

    def schema_of(self) -> NetworkSchema:
        columns, values, kinds, naming = list(self.kinds), self.values, self.kinds, self.naming
        properties = {one: column_property(one, kinds[one]) for one in columns}
        if self.numbering:
            properties[self.numbering] = replace(properties[self.numbering], is_numbering=True)
        called = " ".join(without_id(without_name(words_of(naming)))) if naming else ""
        stem = PurePath(self.name).stem
        row_type = ObjectType(
            id=self.name,
            name=called or stem,
            comment=also_called(called or stem, *([stem] if called and called != stem else [])),
            properties=tuple(properties.values()),
            primary_keys=(KEY,),
            display_key=naming,
        )
        others = [
            one
            for one in columns
            if one != naming
            and kinds[one] == "string"
            and max(map(len, values[one])) <= LONGEST_NAME
            and not all(map(CHINESE_AMOUNT.fullmatch, values[one]))
        ]
        types = [self.value_type(one, properties[one]) for one in others]
        relations = [
            RelationType(
                id=one.display_key,
                name=one.display_key,
                source_object_type_id=self.name,
                target_object_type_id=one.id,
                comment=one.comment,
                mapping=((one.display_key, one.display_key),),
            )
            for one in types
        ]
        return NetworkSchema(
            id=self.name, name=self.name, object_types=(row_type, *types), relation_types=tuple(relations)
        )

    def value_type(self, column: str, own: Property) -> ObjectType:
        return ObjectType(
            id=f"{self.name}#{column}",
            name=" ".join(without_name(words_of(column))) or column,
            comment=own.comment,
            properties=(own,),
            primary_keys=(column,),
            display_key=column,
        )

    async def schema(self, network_id: str, account: Account, *, timeout_s: float) -> NetworkSchema:
        return self.schema_of()

    async def instances(
        self, network_id: str, query: InstanceQuery, account: Account, *, timeout_s: float
    ) -> InstancePage:
        return InstancePage(rows=tuple(one for one, _ in self.of_type(query.object_type_id)))

    async def neighbours(self, network_id: str, query: PathQuery, account: Account, *, timeout_s: float) -> PathResult:
        """Return nothing: the relations of a table are equal values."""
        return PathResult()

    def of_type(self, type_id: str) -> list[tuple[Instance, TableRow]]:
        """Return the instances of a type, each with the first row that it stands in."""
        _, _, column = type_id.removeprefix(self.name).partition("#")
        if not column:
            return [(to_instance(type_id, row, self.naming), row) for row in self.rows]
        first: dict[str, TableRow] = {}
        for row in self.rows:
            if value := row.cells.get(column):
                first.setdefault(value, row)
        return [
            (Instance(object_type_id=type_id, properties={column: value}, identity={column: value}), row)
            for value, row in first.items()
        ]


def column_property(name: str, kind: str) -> Property:
    """Return a column as a property: 租金（元） is called 租金 as well."""
    short = ASIDE.sub("", name).strip()
    return Property(
        name=name,
        display_name=name,
        type=kind,
        comment=also_called(" ".join(words_of(short)), *([short] if short != name else [])),
    )


def also_called(name: str, *others: str) -> str:
    """Return the comment of a part of a schema with the other names of its name, and with others."""
    known = comment(name)
    more = list(filter(None, others))
    return f"{known}{BETWEEN if known else ALSO}{BETWEEN.join(more)}" if more else known


def to_instance(table: str, row: TableRow, naming: str = "") -> Instance:
    """Return a row as an instance; one that no column names is called by all of its texts."""
    cells = row.cells
    display = cells.get(naming) or " ".join(value for value in cells.values() if kind_of_values([value]) != "float")
    return Instance(object_type_id=table, properties=cells, identity={KEY: str(row.start)}, display=display)


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
        tables = await read_tables(self.documents, seen_by(scope), scope.language, arguments.document)
        try:
            found, asked, evidence = await computed(tables, arguments)
        except RefusedCall as refused:
            return ToolResult(data=refused.answer, text=dump(refused.answer), ok=False)
        data = record(found, asked, cut=False)
        return ToolResult(data=data, text=fit_json(compact(data), scope.budget), evidence=evidence, items=found.total)


async def computed(
    tables: Mapping[str, Sequence[TableRow]], arguments: QueryTableArguments
) -> tuple[FigureResult, FigureQuery, list[Evidence]]:
    network, type = chosen(arguments.document, [TableNetwork(name, rows) for name, rows in tables.items()])
    asked = to_query(arguments, type, arguments.column)
    found = await NetworkRows(network, network.schema_of(), NOBODY).answer(asked)
    figures = [Evidence({**piece, "source": type.id}) for piece in figure_pieces(found, asked, ID)]
    return found, asked, [*figures, *row_pieces(found, network, type)]


def chosen(document: str | None, tables: Sequence[TableNetwork]) -> tuple[TableNetwork, ObjectType]:
    """Return the table of a file, or the only one, and the type of it. Raises RefusedCall with all tables."""
    types = [(one, type) for one in tables for type in one.schema_of().object_types]
    if exact := next((pair for pair in types if pair[1].id == document), None):
        return exact
    rows = [(one, type) for one, type in types if type.id == one.name]
    named = [pair for pair in rows if not document or any(is_named(one, document) for one in pair[0].names)]
    if len(named) == 1:
        return named[0]
    raise RefusedCall(
        Message("tool.which_table"),
        {"tables": {one.name: [column.name for column in type.properties] for one, type in rows}},
    )


def is_named(table: str, document: str) -> bool:
    """Return True if a file, or a table of one, is what was named; another ending counts for the same file."""
    return table.startswith((document, f"{document.removesuffix(PurePath(document).suffix)}."))


def row_pieces(found: FigureResult, network: TableNetwork, type: ObjectType) -> Iterator[Evidence]:
    """Give the rows of a result, each a piece of its own at its place."""
    rows = {instance_id(one, type): row for one, row in network.of_type(type.id)}
    for instance, _ in found.rows:
        row = rows[instance_id(instance, type)]
        id = str(uuid5(NAMESPACE_OID, f"row {row.piece['id']} {row.start}"))
        end = row.start + len(row.text)
        yield Evidence({**row.piece, "id": id, "text": row.text, "start": row.start, "end": end})
