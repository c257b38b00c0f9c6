"""Small networks for what the clinic does not have: many properties, many rows, neighbours and failures at will."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from tools.networks.records import (
    Account,
    Condition,
    Instance,
    InstancePage,
    InstanceQuery,
    NetworkSchema,
    ObjectType,
    PathQuery,
    PathResult,
    Property,
    RelationType,
)

STRING_OPERATIONS = ("==", "!=", "like", "in")


@dataclass
class Scripted:
    """A port whose answers are functions of the query; it keeps what it was asked, and how much at once."""

    schemas: Mapping[str, NetworkSchema]
    rows: Callable[[InstanceQuery], InstancePage] = lambda query: InstancePage()
    around: Callable[[PathQuery], PathResult] = lambda query: PathResult()
    pause_s: float = 0.0
    asked: list[InstanceQuery] = field(default_factory=list)
    walked: list[PathQuery] = field(default_factory=list)
    timeouts: list[float] = field(default_factory=list)
    accounts: list[Account] = field(default_factory=list)
    running: int = 0
    most: int = 0

    async def schema(self, network_id: str, account: Account, *, timeout_s: float) -> NetworkSchema:
        self.accounts.append(account)
        return self.schemas[network_id]

    async def instances(
        self, network_id: str, query: InstanceQuery, account: Account, *, timeout_s: float
    ) -> InstancePage:
        self.asked.append(query)
        self.timeouts.append(timeout_s)
        return self.rows(query)

    async def neighbours(self, network_id: str, query: PathQuery, account: Account, *, timeout_s: float) -> PathResult:
        self.walked.append(query)
        self.running += 1
        self.most = max(self.most, self.running)
        await asyncio.sleep(self.pause_s)
        self.running -= 1
        return self.around(query)


def text(name: str, *operations: str, **fields: object) -> Property:
    """Return a string property."""
    known = {"name": name, "display_name": name, "condition_operations": operations or STRING_OPERATIONS}
    return Property(**(known | fields))  # type: ignore[arg-type]  # fields of Property


def things(*properties: Property, keys: Sequence[str] = ("id",), display: str = "name") -> ObjectType:
    """Return the type `thing`."""
    own = properties or (text("id"), text("name"))
    return ObjectType(id="thing", name="物件", properties=own, primary_keys=tuple(keys), display_key=display)


def network(*types: ObjectType, relations: Sequence[RelationType] = (), id: str = "n") -> NetworkSchema:
    """Return a network of these types."""
    return NetworkSchema(id=id, name=id, object_types=types, relation_types=tuple(relations))


def thing(id: str, name: str = "", **values: object) -> Instance:
    """Return an instance of the type `thing`."""
    properties = {"id": id, "name": name or id, **values}
    return Instance(object_type_id="thing", properties=properties, identity={"id": id}, display=name or id)


def relation(id: str, source: str = "thing", target: str = "thing") -> RelationType:
    """Return a relation type."""
    return RelationType(id=id, name=f"关系{id}", source_object_type_id=source, target_object_type_id=target)


def words_of(condition: Condition | None) -> list[tuple[str, str, object]]:
    """Return operation, field and value of the alternatives of a condition."""
    return [(one.operation, one.field, one.value) for one in condition.sub_conditions] if condition else []
