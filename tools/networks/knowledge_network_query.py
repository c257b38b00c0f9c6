"""knowledge_network_query: instances under conditions, counts and figures over a whole network, for a model to call.

What it answers, as plain data for a program and a model and figures as evidence, query_table answers too.
"""

import logging
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from pydantic import BaseModel, Field

from state.schema import Evidence
from tools.arguments import WRAPPED_IN
from tools.base import Scope, ToolResult
from tools.evidence import unique
from tools.formatting import dump, fit_json
from tools.messages import Message, say
from tools.networks.context import NAMED, compact, piece, spoken, text_of, with_score
from tools.networks.figures import JOINT, FigureQuery, FigureResult, NetworkRows, Order, Wanted
from tools.networks.records import NOBODY, NetworkSchema, ObjectType, instance_id
from tools.networks.refusals import CALL_S, FAILURES_AND_REFUSALS, RefusedCall, of_service
from tools.ports import KnowledgeNetwork
from tools.tables.rows import PathCondition

FIGURES: Mapping[str, Message] = {
    "count": Message("network.figure.count"),
    "sum": Message("network.figure.sum"),
    "average": Message("network.figure.average"),
    "max": Message("network.figure.max"),
    "min": Message("network.figure.min"),
}


class QueryArguments(Protocol):
    filters: list[str]
    aggregate: Wanted
    group_by: str | None
    order: Order
    limit: int


def to_query(arguments: QueryArguments, type: ObjectType, property: str | None, at: str = "") -> FigureQuery:
    """Return what is asked of a type. Raises RefusedCall for a condition that is none."""
    filters: list[PathCondition] = []
    for text in arguments.filters:
        condition = PathCondition.parsed(text)
        if condition is None:
            raise RefusedCall(Message("network.query.bad_condition"), {"filter": text})
        filters.append(condition)
    return FigureQuery(
        type=type,
        filters=filters,
        wanted=arguments.aggregate,
        property=property,
        group_by=arguments.group_by,
        order=arguments.order,
        limit=arguments.limit,
        at=checked_time(at),
    )


def checked_time(text: str) -> str:
    """Return a year, month, day or span as it is. Raises RefusedCall for another text."""
    if text and not TIME.fullmatch(text):
        raise RefusedCall(Message("network.query.bad_time"), {"at": text})
    return text


def record(found: FigureResult, asked: FigureQuery, *, cut: bool) -> dict[str, Any]:
    told: dict[str, Any] = {"object_type_id": asked.type.id, "aggregate": asked.wanted, "total": found.total}
    if asked.group_by:
        told["groups"] = [{"id": one.id, "name": one.name, "value": one.value} for one in found.groups]
    elif asked.wanted == "list":
        told["instances"] = [
            {
                "instance_id": instance_id(row, asked.type),
                "instance_name": found.names[instance_id(row, asked.type)],
                **({"values": dict(held)} if asked.property else {}),
                "properties": dict(row.properties),
            }
            for row, held in found.rows
        ]
    else:
        told["value"] = found.value
    return told | ({"warning": say("network.figure.only_first_instances")} if cut else {})


def figure_pieces(found: FigureResult, asked: FigureQuery, network_id: str) -> Iterator[Evidence]:
    how = "count" if asked.wanted == "list" else asked.wanted
    label = say(FIGURES[how].key, label=asked.type.name if how == "count" else found.label)
    filters = say("sign.comma").join([*(one.text for one in asked.filters), *([asked.at] if asked.at else [])])
    where = say("network.figure.filtered_type", type=asked.type.name, filters=filters) if filters else asked.type.name
    key = [network_id, asked.type.id, *(one.text for one in asked.filters), *([asked.at] if asked.at else [])]
    for group in found.groups:
        yield piece("property", [*key, group.id, label], (group.name, label, spoken(group.value)), group.id)
    value = found.total if asked.wanted == "list" else found.value
    if not asked.group_by and value is not None:
        yield piece("property", [*key, label], (where, label, spoken(value)), asked.type.id)


TIME = re.compile(r"\d{4}(?:-\d\d){0,2}(?:/\d{4}(?:-\d\d){0,2})?")
logger = logging.getLogger(__name__)

NAME = "knowledge_network_query"
STEP = 0.001  # how much less a piece is worth than the one before it: they are told in this order


class KnowledgeNetworkQueryArguments(BaseModel):
    object_type_id: str = Field(description="对象类型ID：列出或统计哪种实例")
    filters: list[str] = Field(
        default_factory=list,
        description="条件，须全部满足，每个写作“路径 运算符 值”，如 price > 50、product_supplier.country == Norway；"
        "路径为属性名，之前可经过一个或多个关系（关系ID，用 . 连接），只写关系则比较实例的名称或ID；"
        "同类型关系的反方向在前面加 ~；运算符：== != >= <= > < contains starts lacks（都不含，不写值则一个也没有）",
    )
    aggregate: Wanted = Field(
        default="list", description="list 列出实例；count 计数；sum、average、max、min 统计 property 的值"
    )
    property: str | None = Field(default=None, description="路径：要列出、排序或统计的属性，可选")
    group_by: str | None = Field(default=None, description="路径：按哪个属性或关系分组统计，可选")
    order: Order = Field(default="none", description="按 property 的值（分组时按统计值）排序：none、asc、desc")
    at: str | None = Field(
        default=None,
        description="时间：只取当时有效的行（有起止日期的类型），写作 1950、2018-03、1962-06-30 或 1980/1990，可选",
    )
    limit: int = Field(default=20, ge=1, le=50, description="返回的实例或分组数")
    kn_ids: list[str] | None = Field(
        default=None,
        description="知识网络ID，只能取本次运行的网络，可选；不指定则全部",
        json_schema_extra={WRAPPED_IN: "knowledge_network_id"},
    )


@dataclass(frozen=True, slots=True)
class KnowledgeNetworkQuery:
    """Filters, counts and adds up the instances of the run's networks; it reads every one of a type, not a page."""

    networks: KnowledgeNetwork
    name: str = NAME
    description: str = (
        "在整个知识网络中按条件筛选、计数、求和、求平均、找最大最小、分组统计实例。"
        "适合“有多少”“哪些……满足条件”“哪个……最多”“总共、平均”一类问题；类型、属性和关系的ID见 schema。"
    )
    arguments: type[BaseModel] = KnowledgeNetworkQueryArguments

    async def __call__(self, arguments: KnowledgeNetworkQueryArguments, scope: Scope) -> ToolResult:
        """Return instances or figures, each a piece of evidence; an error in the shape of the networks' tools."""
        try:
            schema, type = await self.type_of(arguments, scope)
            asked = to_query(arguments, type, arguments.property, arguments.at or "")
            rows = NetworkRows(self.networks, schema, scope.account or NOBODY)
            found = await rows.answer(asked)
        except RefusedCall as refused:
            return ToolResult(data=refused.answer, text=dump(refused.answer), ok=False)
        except FAILURES_AND_REFUSALS as error:
            logger.warning("Query of %s: %s", arguments.object_type_id, error)
            answer = of_service(error, ",".join(scope.kn_ids))
            return ToolResult(data=answer, text=dump(answer), ok=False)
        data = record(found, asked, cut=rows.cut)
        pieces = [*figure_pieces(found, asked, schema.id), *instance_pieces(found, asked, schema.id)]
        return ToolResult(
            data=data,
            text=fit_json(compact(data), scope.budget),
            evidence=unique([with_score(one, NAMED - STEP * at) for at, one in enumerate(pieces)]),
            items=found.total,
        )

    async def type_of(
        self, arguments: KnowledgeNetworkQueryArguments, scope: Scope
    ) -> tuple[NetworkSchema, ObjectType]:
        ids = arguments.kn_ids or list(scope.kn_ids)
        if foreign := [id for id in ids if id not in scope.kn_ids]:
            raise RefusedCall(
                Message("network.tool.foreign_networks"), {"kn_ids": list(scope.kn_ids), "unknown": foreign}
            )
        account = scope.account or NOBODY
        schemas = [await self.networks.schema(id, account, timeout_s=CALL_S) for id in ids]
        holders = [(one, type) for one in schemas if (type := one.object_type(arguments.object_type_id))]
        if not holders:
            available = [kind.id for one in schemas for kind in one.object_types]
            raise RefusedCall(Message("network.tool.type_not_in_schema"), {"available_object_type_ids": available})
        if len(holders) > 1:
            raise RefusedCall(Message("network.tool.several_networks"), {"kn_ids": [one.id for one, _ in holders]})
        return holders[0]


def instance_pieces(found: FigureResult, asked: FigureQuery, network_id: str) -> Iterator[Evidence]:
    """Give the name of each instance, the relations that conditions name, and what is listed of it."""
    named = asked.type.property(asked.type.display_key) if asked.type.display_key else None
    own = named.label if named else asked.type.name
    far = [one.text for one in asked.filters if JOINT in one.path]
    why = f" ({say('sign.comma').join(far)})" if far else ""
    for row, held in found.rows:
        id = instance_id(row, asked.type)
        name = found.names[id]
        values: dict[str, Sequence[Any]] = {own: [name], **held}
        for label, told in values.items():
            for value in told:
                line = (name, label, f"{spoken(value)}{why if label == own else ''}")
                yield piece("property", [network_id, asked.type.id, id, label, text_of(line)], line, id)
        for way, *other in found.links.get(id, ()):
            ends = ((asked.type.id, id, name), (way.end, *other))
            source, target = ends if way.is_outgoing else ends[::-1]  # in its true direction
            label = way.relation.label
            key = [network_id, way.relation.id, *source[:2], *target[:2]]
            yield piece("relation", key, (source[2], label, target[2]), id)
