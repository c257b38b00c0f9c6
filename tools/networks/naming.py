"""What an instance is called: its id and its name, in rows of either generation of the service."""

import hashlib
import json
from collections.abc import Iterable, Mapping
from typing import Any

from tools.networks.records import Instance, ObjectType

MISSING_PART = "__NULL__"  # what newer services write for a missing part of a composite key


def instance_id(instance: Instance, type: ObjectType) -> str:
    """Return the key values joined by `_` in the order of the primary keys, else the value of an `*_id` property."""
    values = instance.identity or {name: instance.properties.get(name) for name in type.primary_keys}
    parts = [values.get(name) for name in type.primary_keys or values]
    if any(part is not None for part in parts):
        return "_".join(MISSING_PART if part is None else str(part) for part in parts)
    return text_of(instance.properties, names_ending(instance.properties, type.id, "_id")) or digest(instance)


def instance_name(instance: Instance, type: ObjectType) -> str:
    """Return the name for people: display, display_key, `<object_type_id>_name`, another `*_name`, the id."""
    keys = [type.display_key, *names_ending(instance.properties, type.id, "_name")]
    return instance.display or text_of(instance.properties, keys) or instance_id(instance, type)


def digest(instance: Instance) -> str:
    """Return a short text that two rows share only where they hold the same."""
    held = json.dumps(dict(instance.properties), ensure_ascii=False, sort_keys=True, default=str)
    return hashlib.sha1(held.encode(), usedforsecurity=False).hexdigest()[:12]


def key_of(instance: Instance, type: ObjectType) -> dict[str, Any]:
    """Return the values of all primary keys by name; {} where the type has none or one is missing."""
    values = {name: instance.identity.get(name, instance.properties.get(name)) for name in type.primary_keys}
    return {} if any(value is None for value in values.values()) else values


def names_ending(properties: Mapping[str, Any], type_id: str, ending: str) -> list[str]:
    """Return the properties with this ending, the type's own first."""
    own = f"{type_id}{ending}"
    return [own, *(name for name in properties if name.endswith(ending) and name != own)]


def text_of(properties: Mapping[str, Any], names: Iterable[str]) -> str:
    """Return the first of these properties that has a value, as text."""
    return next((str(properties[name]) for name in names if properties.get(name) not in (None, "")), "")
