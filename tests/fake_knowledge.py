"""In-memory double of the KnowledgeNetwork port: no engine, no service, same contract (tests/contracts)."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.ontology_service.conditions import check, score
from tests.ontology_service.instances import fields_of, sortable, wire_property
from tests.ontology_service.network import Key, Network, key_of, load, operations
from tests.ontology_service.refusals import Json, Refusal, unknown_network, unknown_relation, unknown_type
from tools.errors import KnowledgeFailed, KnowledgeQueryError, KnowledgeRefused
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


class FakeKnowledgeNetwork:
    """Networks in dictionaries.

    Every call of a method raises what `failures` holds under its name ("schema", "instances", "neighbours");
    `history` keeps (method, network, account, query).
    """

    def __init__(self, *networks: Network) -> None:
        self.failures: dict[str, Exception] = {}
        self.history: list[tuple[str, str, Account, InstanceQuery | PathQuery | None]] = []
        self._networks = {network.id: network for network in networks}

    @classmethod
    def of(cls, *folders: Path) -> "FakeKnowledgeNetwork":
        """Read networks from folders with a `network.yaml`."""
        return cls(*map(load, folders))

    async def schema(self, network_id: str, account: Account, *, timeout_s: float) -> NetworkSchema:
        return to_schema(self._called("schema", network_id, account, None))

    async def instances(
        self, network_id: str, query: InstanceQuery, account: Account, *, timeout_s: float
    ) -> InstancePage:
        network = self._called("instances", network_id, account, query)
        try:
            return page(network, query)
        except Refusal as refusal:
            raise error_of(refusal) from refusal

    async def neighbours(self, network_id: str, query: PathQuery, account: Account, *, timeout_s: float) -> PathResult:
        network = self._called("neighbours", network_id, account, query)
        if network.relation_type(query.relation.id) is None:
            raise error_of(unknown_relation(query.relation.id))
        return PathResult(neighbours=tuple(neighbours(network, query)))

    def _called(
        self, method: str, network_id: str, account: Account, query: InstanceQuery | PathQuery | None
    ) -> Network:
        self.history.append((method, network_id, account, query))
        if method in self.failures:
            raise self.failures[method]
        if network_id not in self._networks:
            raise error_of(unknown_network(network_id))
        return self._networks[network_id]


def error_of(refusal: Refusal) -> KnowledgeRefused | KnowledgeQueryError | KnowledgeFailed:
    """Return the port's error of what the service would say."""
    if refusal.status in (401, 403, 404):
        return KnowledgeRefused(refusal.details, refusal.status, refusal.code)
    if refusal.status < 500:
        return KnowledgeQueryError(refusal.details, refusal.status, refusal.code)
    return KnowledgeFailed(refusal.details, refusal.status)


def page(network: Network, query: InstanceQuery) -> InstancePage:
    """Return the rows that match. Raises Refusal."""
    kind = network.object_type(query.object_type_id)
    if kind is None:
        raise unknown_type(query.object_type_id)
    found = matching(network, kind, query)
    rows = found[: query.limit] if not query.search_after else found[int(query.search_after[0]) :][: query.limit]
    end = len(rows) + (int(query.search_after[0]) if query.search_after else 0)
    told = query.need_total and not query.search_after and len(found) > 0
    return InstancePage(
        rows=tuple(to_instance(kind, row, query.properties, hit) for hit, row in rows),
        total_count=len(found) if told else None,
        search_after=(end,) if end < len(found) else (),
    )


def matching(network: Network, kind: Json, query: InstanceQuery) -> list[tuple[float, Json]]:
    """Return the rows that match with their scores, in order."""
    rows: Sequence[Json] = network.rows[kind["id"]]
    scored = [(1.0, row) for row in rows]
    if query.condition is not None:
        wire = to_wire(query.condition)
        check(wire, fields_of(kind, "newer"))
        scored = [(hit, row) for row in rows if (hit := score(wire, row))]
    scored.sort(key=lambda pair: (-pair[0], sortable(key_of(pair[1], kind))))
    for one in reversed(query.sort):
        scored.sort(key=lambda pair: sortable((pair[1].get(one.field),)), reverse=one.direction == "desc")
    return scored


def neighbours(network: Network, query: PathQuery) -> list[Instance]:
    """Return the instances at the other end."""
    kind = network.object_type(query.neighbour_type_id)
    own = network.object_type(query.object_type_id)
    assert kind is not None
    assert own is not None
    me = tuple(query.key.get(name) for name in own["primary_keys"])
    outgoing = query.direction == "outgoing"
    pairs = network.links[query.relation.id]
    keys: set[Key] = {pair[1] if outgoing else pair[0] for pair in pairs if pair[not outgoing] == me}
    rows = sorted(
        (row for row in network.rows[kind["id"]] if key_of(row, kind) in keys), key=lambda row: by_key(row, kind)
    )
    return [to_instance(kind, row, (), None) for row in rows[: query.limit]]


def by_key(row: Json, kind: Json) -> tuple[Any, ...]:
    return sortable(key_of(row, kind))


def to_instance(kind: Json, row: Json, wanted: Sequence[str], hit: float | None) -> Instance:
    """Return a row as the newer service tells it."""
    names = [one["name"] for one in kind["properties"]]
    return Instance(
        object_type_id=kind["id"],
        object_type_name=kind["name"],
        properties={name: row.get(name) for name in names if not wanted or name in wanted},
        identity={name: row.get(name) for name in kind.get("primary_keys") or []},
        display=str(row.get(kind.get("display_key") or "") or ""),
        score=hit,
    )


def to_wire(condition: Condition) -> Json:
    """Return a condition as JSON (KNO-18)."""
    if condition.sub_conditions or condition.operation in ("and", "or"):
        return {"operation": condition.operation, "sub_conditions": list(map(to_wire, condition.sub_conditions))}
    return {"operation": condition.operation, "field": condition.field, "value": condition.value, "value_from": "const"}


def to_schema(network: Network) -> NetworkSchema:
    """Return a schema as records."""
    return NetworkSchema(
        id=network.id,
        name=network.schema.get("name", ""),
        comment=network.schema.get("comment", ""),
        object_types=tuple(map(to_object_type, network.schema["object_types"])),
        relation_types=tuple(map(to_relation_type, network.schema.get("relation_types") or [])),
    )


def to_object_type(kind: Json) -> ObjectType:
    """Return an object type as a record."""
    return ObjectType(
        id=kind["id"],
        name=kind["name"],
        comment=kind.get("comment", ""),
        primary_keys=tuple(kind.get("primary_keys") or ()),
        display_key=kind.get("display_key", ""),
        properties=tuple(
            Property(
                name=one["name"],
                display_name=one.get("display_name", ""),
                type=one["type"],
                comment=one.get("comment", ""),
                condition_operations=tuple(operations(one, bool(kind.get("index", True)))),
                mapped_field=one["mapped_field"]["name"],
            )
            for one in map(wire_property, kind["properties"])
        ),
    )


def to_relation_type(one: Json) -> RelationType:
    """Return a relation type as a record."""
    return RelationType(
        id=one["id"],
        name=one["name"],
        comment=one.get("comment", ""),
        source_object_type_id=one["source"],
        target_object_type_id=one["target"],
        mapping=tuple((pair["source"], pair["target"]) for pair in one.get("mapping", ())),
    )
