"""The manager's side: a network with its types (§1.2)."""

from tests.ontology_service.conditions import Generation
from tests.ontology_service.instances import indexed, wire_property
from tests.ontology_service.network import Network, operations
from tests.ontology_service.refusals import Json


def network_json(network: Network, generation: Generation) -> Json:
    """Return a network (KNO-07)."""
    return {
        "id": network.id,
        "name": network.schema.get("name", ""),
        "tags": [],
        "comment": network.schema.get("comment", ""),
        "icon": "",
        "color": "",
        "detail": "",
        "branch": "main",
        "object_types": [object_json(network.id, kind, generation) for kind in network.schema["object_types"]],
        "relation_types": [relation_json(network, one) for one in network.schema.get("relation_types") or []],
        "action_types": None,
    }


def object_json(network_id: str, kind: Json, generation: Generation) -> Json:
    """Return an object type (KNO-08)."""
    return {
        "id": kind["id"],
        "name": kind["name"],
        "comment": kind.get("comment", ""),
        "data_source": {"type": "data_view", "id": f"view-{kind['id']}", "name": kind["id"]},
        "data_properties": [property_json(one, indexed(kind), generation) for one in kind["properties"]],
        "logic_properties": [{"name": "computed", "type": "metric"}],
        "primary_keys": kind.get("primary_keys"),
        "display_key": kind.get("display_key", ""),
        "kn_id": network_id,
        "branch": "main",
        "index_available": indexed(kind),
    }


def property_json(one: Json, index: bool, generation: Generation) -> Json:
    """Return a data property (KNO-11)."""
    shown = {
        "name": one["name"],
        "display_name": one.get("display_name", ""),
        "type": one["type"],
        "comment": one.get("comment", ""),
        "mapped_field": {**wire_property(one)["mapped_field"], "display_name": ""},
        "condition_operations": operations(one, index) or None,
    }
    return shown if generation == "older" else {**shown, "index_config": wire_property(one)["index_config"]}


def relation_json(network: Network, one: Json) -> Json:
    """Return a relation type (KNO-09)."""
    ends = {side: network.object_type(one[side]) or {} for side in ("source", "target")}
    return {
        "id": one["id"],
        "name": one["name"],
        "comment": one.get("comment", ""),
        "source_object_type_id": one["source"],
        "target_object_type_id": one["target"],
        "type": "data_view" if "links" in one else "direct",
        "mapping_rules": one.get("mapping") or {"backing_data_source": {"type": "data_view", "id": one["id"]}},
        "source_object_type": {"id": one["source"], "name": ends["source"]["name"]},
        "target_object_type": {"id": one["target"], "name": ends["target"]["name"]},
        "kn_id": network.id,
        "branch": "main",
    }
