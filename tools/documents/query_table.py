"""query_table: rows of uploaded tables under conditions, their number, and figures of their columns."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from uuid import NAMESPACE_OID, uuid5

from pydantic import BaseModel, Field

from state.schema import Evidence
from tools.base import Scope, ToolResult
from tools.documents.ports import DocumentStore
from tools.documents.search import seen_by
from tools.documents.tables import ID, TableNetwork, TableRow, read_tables
from tools.formatting import dump
from tools.messages import Message
from tools.networks.figures import FigureQuery, FigureResult, Figures, NetworkRows, Order, Wanted
from tools.networks.knowledge_network_query import figure_pieces, fitted, record, to_query
from tools.networks.records import ObjectType, instance_id
from tools.networks.refusals import CALL_S, Refused
from tools.networks.sessions import NOBODY

NAME = "query_table"


class QueryTableArguments(BaseModel):
    """Arguments of query_table."""

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
    name: str = NAME
    description: str = "对上传的表格（CSV、Excel 等）的全部行按条件筛选、计数、求和、求平均、排序、分组统计。"
    arguments: type[BaseModel] = QueryTableArguments

    async def __call__(self, arguments: QueryTableArguments, scope: Scope) -> ToolResult:
        """Return rows or figures, each with where it stands; an error lists the tables with their columns."""
        tables = await read_tables(self.documents, seen_by(scope), scope.language)
        try:
            found, asked, evidence = await computed(tables, arguments)
        except Refused as refused:
            return ToolResult(data=refused.answer, text=dump(refused.answer), ok=False)
        data = record(found, asked, cut=False)
        return ToolResult(data=data, text=fitted(data, scope.budget), evidence=evidence, items=found.total)


async def computed(
    tables: Mapping[str, Sequence[TableRow]], arguments: QueryTableArguments
) -> tuple[FigureResult, FigureQuery, list[Evidence]]:
    """Return what is asked of the rows of a table, with its evidence. Raises Refused."""
    network = TableNetwork(tables)
    schema = await network.schema(ID, NOBODY, timeout_s=CALL_S)
    asked = to_query(arguments, chosen(arguments.document, schema.object_types), arguments.column)
    found = await Figures(NetworkRows(network, schema, NOBODY))(asked)
    rows = {str(row.start): row for row in tables[asked.type.id]}
    figures = [Evidence({**piece, "source": asked.type.id}) for piece in figure_pieces(found, asked, ID)]
    return found, asked, [*figures, *row_pieces(found, rows, asked.type)]


def chosen(document: str | None, types: tuple[ObjectType, ...]) -> ObjectType:
    """Return the table of a file, or the only one. Raises Refused that tells which tables there are."""
    named = [one for one in types if document in (None, one.id, one.name) or (document and one.id.startswith(document))]
    if len(named) == 1:
        return named[0]
    raise Refused(
        Message("tool.which_table"), {"tables": {one.id: [column.name for column in one.properties] for one in types}}
    )


def row_pieces(found: FigureResult, rows: Mapping[str, TableRow], type: ObjectType) -> Iterator[Evidence]:
    """Give each row as a piece of its own, verbatim, with where it stands."""
    for instance, _ in found.rows:
        row = rows[instance_id(instance, type)]
        id = str(uuid5(NAMESPACE_OID, f"row {row.piece['id']} {row.start}"))
        end = row.start + len(row.text)
        yield Evidence({**row.piece, "id": id, "text": row.text, "start": row.start, "end": end})
