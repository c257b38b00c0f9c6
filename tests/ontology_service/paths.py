"""Interface 2: paths of relations (§1.5)."""

from collections.abc import Sequence
from typing import Any

from tests.ontology_service.conditions import Generation
from tests.ontology_service.instances import matching, object_key, system_fields
from tests.ontology_service.network import Network, key_of
from tests.ontology_service.refusals import Json, Refusal, unknown_relation, unknown_type

PATH_LIMIT = 2_000  # KNO-26
START_LIMIT = 1_000
MOST = 10_000
BATCH = 50
MOST_EDGES = 10
Step = tuple[str, Json, Json]  # relation type id, where it comes from, where it leads


def answer(network: Network, body: Json, generation: Generation) -> Json:
    """Return the answer of interface 2: one entry for each path. Raises Refusal for any that fails (KNO-31)."""
    paths = body.get("relation_type_paths")
    if not isinstance(paths, list) or not paths:
        raise null_parameter("RelationTypePaths")
    for path in paths:
        check_path(network, path, generation)
    return {"entries": [Walk(network, path, generation).entry() for path in paths], "search_from_index": True}


def null_parameter(name: str) -> Refusal:
    """Return the refusal of what is missing (KNO-25)."""
    return Refusal(400, f"OntologyQuery.KnowledgeNetwork.NullParameter.{name}", f"{name} is required")


def bad_path(details: str) -> Refusal:
    """Return the refusal of a path (KNO-25)."""
    return Refusal(400, "OntologyQuery.KnowledgeNetwork.InvalidParameter.TypePath", details)


def check_path(network: Network, path: Json, generation: Generation) -> None:
    """Refuse a path that the service does not take."""
    types, edges = path.get("object_types"), path.get("relation_types")
    if not types:
        raise null_parameter("TypePathObjectTypes")
    if not edges:
        raise null_parameter("TypePathRelationTypes")
    if len(edges) > MOST_EDGES or len(types) != len(edges) + 1:
        raise bad_path(f"{len(types)} object types and {len(edges)} relation types")
    for one in types:
        if network.object_type(one.get("id", "")) is None:
            raise unknown_type(str(one.get("id")))
        limit = one.get("limit", 1)
        if generation == "newer" and not 1 <= limit <= MOST:
            raise bad_path(f"limit must be between 1 and {MOST}, got {limit}")
    for at, edge in enumerate(edges):
        check_edge(network, edge, types[at]["id"], types[at + 1]["id"])


def check_edge(network: Network, edge: Json, here: str, there: str) -> None:
    """Refuse an edge that does not lead from one object type to the next by a relation type of theirs."""
    relation = network.relation_type(edge.get("relation_type_id", ""))
    if relation is None:
        raise unknown_relation(str(edge.get("relation_type_id")))
    ends = (edge.get("source_object_type_id"), edge.get("target_object_type_id"))
    if ends != (here, there):
        raise bad_path(f"edge {relation['id']} leads from {ends[0]} to {ends[1]}, not from {here} to {there}")
    if {here, there} != {relation["source"], relation["target"]}:
        raise bad_path(f"{relation['id']} does not join {here} and {there}")


class Walk:
    """One path of a request."""

    def __init__(self, network: Network, path: Json, generation: Generation) -> None:
        """Know the path."""
        self.network, self.path = network, path
        self.generation: Generation = generation
        self.limit: int = path.get("limit") or PATH_LIMIT

    def entry(self) -> Json:
        """Return the entry of the answer; what nothing leads to is null with older servers."""
        walked: list[list[Step]] = [[("", {}, row)] for row in self.start()]
        for at, edge in enumerate(self.path["relation_types"]):
            walked = self.expanded(walked, edge, self.path["object_types"][at + 1])
        paths = [steps[1:] for steps in walked][: self.limit]
        nothing: Any = None if self.generation == "older" else []
        return {
            "objects": self.objects(paths) or (None if self.generation == "older" else {}),
            "relation_paths": [self.relations(steps) for steps in paths] or nothing,
            "total_count": len(paths),
            "overall_ms": 1,
        }

    def start(self) -> list[Json]:
        """Return the start objects by their own condition and limit (KNO-28)."""
        first = self.path["object_types"][0]
        return self.fetched(first)[: first.get("limit") or START_LIMIT]

    def fetched(self, one: Json) -> list[Json]:
        """Return the rows of a type under its condition. Raises Refusal."""
        kind = self.kind(one["id"])
        body = {"condition": one.get("condition"), "sort": one.get("sort")}
        return [{**row, "": kind} for _, row in matching(self.network, kind, body, self.generation)]

    def expanded(self, walked: list[list[Step]], edge: Json, there: Json) -> list[list[Step]]:
        """Lead every path one edge on, in batches of 50 that share one limit (KNO-26)."""
        ends = self.fetched(there)
        limit = there.get("limit") or self.limit
        found: list[list[Step]] = []
        for begin in range(0, len(walked), BATCH):
            batch = walked[begin : begin + BATCH]
            pairs = self.pairs(edge)
            reached = [end for end in ends if any(self.joined(pairs, steps[-1][2], end) for steps in batch)][:limit]
            for steps in batch:
                found += [
                    [*steps, (edge["relation_type_id"], steps[-1][2], end)]
                    for end in reached
                    if self.joined(pairs, steps[-1][2], end)
                ]
        return found

    def pairs(self, edge: Json) -> set[tuple[Any, Any]]:
        """Return the pairs of an edge in the order of the walk; a self-relation is forward (KNO-27)."""
        relation = self.network.relation_type(edge["relation_type_id"])
        assert relation is not None
        forward = edge["source_object_type_id"] == relation["source"]
        links = self.network.links[relation["id"]]
        return {(one, other) if forward else (other, one) for one, other in links}

    def joined(self, pairs: set[tuple[Any, Any]], here: Json, there: Json) -> bool:
        """Tell whether a relation joins two objects."""
        return (key_of(here, here[""]), key_of(there, there[""])) in pairs

    def kind(self, id: str) -> Json:
        """Return an object type that is known to be there."""
        kind = self.network.object_type(id)
        assert kind is not None
        return kind

    def objects(self, paths: Sequence[Sequence[Step]]) -> Json:
        """Return the objects on the paths by key."""
        rows = [row for steps in paths for _, here, there in steps for row in (here, there)]
        return {object_key(row[""], row, self.generation): self.object_json(row) for row in rows}

    def object_json(self, row: Json) -> Json:
        """Return an object with the fields of its generation (S001-21)."""
        kind = row[""]
        told = {
            "object_type_id": kind["id"],
            "object_type_name": kind["name"],
            "properties": {one["name"]: row.get(one["name"]) for one in kind["properties"]},
        }
        own = system_fields(kind, row)
        if self.generation == "newer":
            return {**own, **told}
        return {
            "id": object_key(kind, row, "older"),
            "unique_identities": own["_instance_identity"],
            "display": own["_display"],
            **told,
        }

    def relations(self, steps: Sequence[Step]) -> Json:
        """Return a path; its source is where the walk came from, whatever the relation means (KNO-29)."""
        edges = [
            {
                "relation_type_id": id,
                "relation_type_name": (self.network.relation_type(id) or {})["name"],
                "source_object_id": object_key(here[""], here, self.generation),
                "target_object_id": object_key(there[""], there, self.generation),
            }
            for id, here, there in steps
        ]
        return {"relations": edges, "length": len(edges)}
