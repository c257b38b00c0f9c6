"""Coarse recall of types by the manager (KNO-12); newer servers alone have it."""

from collections.abc import Sequence

from tests.ontology_service.conditions import Generation, words
from tests.ontology_service.refusals import Json, Refusal, bad_condition

OBJECT_TYPES, RELATION_TYPES = 2_000, 300


def answer(types: Sequence[Json], body: Json, most: int, generation: Generation) -> Json:
    """Return the types that share words with the query, the best first. Raises Refusal."""
    if generation == "older":
        raise Refusal(404, "Public.NotFound", "no such route")
    limit = body.get("limit", 10)
    if not 1 <= limit <= most:
        raise Refusal(400, "OntologyManager.InvalidParameter.Limit", f"limit must be between 1 and {most}, got {limit}")
    asked = words(query_of(body.get("condition") or {}))
    scored = [(len(asked & words(f"{one['name']} {one['comment']}")), one) for one in types]
    found = sorted((pair for pair in scored if pair[0]), key=lambda pair: -pair[0])
    return {"entries": [{**one, "_score": float(hit)} for hit, one in found[:limit]], "total_count": len(found)}


def query_of(condition: Json) -> str:
    """Return what `or(knn on "*", match on "*")` asks. Raises Refusal for another condition."""
    parts = condition.get("sub_conditions") or []
    named = {(one.get("operation"), one.get("field")) for one in parts}
    if condition.get("operation") != "or" or named != {("knn", "*"), ("match", "*")}:
        raise bad_condition("coarse recall takes or(knn on *, match on *)")
    return str(parts[0].get("value"))
