"""Looking an instance up by hand: wherever a keyword stands, with all its neighbours."""

from collections.abc import Sequence
from dataclasses import dataclass

from tools.networks.records import (
    Account,
    Condition,
    Direction,
    Instance,
    InstanceQuery,
    NetworkSchema,
    ObjectType,
    PathQuery,
    any_of,
)
from tools.ports import KnowledgeNetwork

TIMEOUT_S = 30.0
TEXTS = ("string", "text")
MOST_CONDITIONS = 100
BOTH: tuple[Direction, ...] = ("outgoing", "incoming")


@dataclass(frozen=True, slots=True)
class Beside:
    """A neighbour, and how it is reached."""

    relation: str
    direction: Direction
    instance: Instance


@dataclass(frozen=True, slots=True)
class Seen:
    """An instance with its neighbours."""

    kind: ObjectType
    instance: Instance
    neighbours: Sequence[Beside]


@dataclass(frozen=True, slots=True)
class Looking:
    """Looks into one network."""

    network: KnowledgeNetwork
    schema: NetworkSchema
    account: Account

    async def find(self, keyword: str, limit: int) -> list[Seen]:
        """Return instances with a value that equals the keyword; where there are none, that contains it."""
        for operation in ("==", "like"):
            found = [
                seen for kind in self.schema.object_types for seen in await self._of(kind, operation, keyword, limit)
            ]
            if found:
                return found[:limit]
        return []

    async def _of(self, kind: ObjectType, operation: str, keyword: str, limit: int) -> list[Seen]:
        names = [
            one.name
            for one in kind.properties
            if operation in one.condition_operations and one.type in TEXTS and one.mapped_field != ""
        ]
        if not names:
            return []
        conditions = [Condition(operation, name, keyword) for name in names[:MOST_CONDITIONS]]
        query = InstanceQuery(object_type_id=kind.id, condition=any_of(*conditions), limit=limit)
        page = await self.network.instances(self.schema.id, query, self.account, timeout_s=TIMEOUT_S)
        return [Seen(kind, row, await self._beside(kind, row, limit)) for row in page.rows]

    async def _beside(self, kind: ObjectType, row: Instance, limit: int) -> list[Beside]:
        found: list[Beside] = []
        for relation in self.schema.relation_types if row.identity else ():
            ends = (relation.source_object_type_id, relation.target_object_type_id)
            for direction, end in zip(BOTH, ends, strict=True):
                if end == kind.id:
                    query = PathQuery(
                        object_type_id=kind.id, key=row.identity, relation=relation, direction=direction, limit=limit
                    )
                    result = await self.network.neighbours(self.schema.id, query, self.account, timeout_s=TIMEOUT_S)
                    found += [Beside(relation.name, direction, one) for one in result.neighbours]
        return found
