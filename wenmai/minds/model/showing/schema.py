"""The schema of a network as a few lines: types with their properties, relations with their ends."""

from collections.abc import Mapping, Sequence
from typing import Any

from tools.wording import Words

MOST_PROPERTIES = 12
HEAD = Words("类型，ID (名称): 属性", "Types, id (name): properties")
LINKS = Words("关系，ID (名称): 起点 → 终点", "Relations, id (name): source → target")


def schema_text(answers: Sequence[Mapping[str, Any]]) -> str:
    """Return what the answers of schema calls tell, each type and relation once."""
    types = {one["concept_id"]: type_line(one) for answer in answers for one in answer["object_types"]}
    links = {one["concept_id"]: link_line(one) for answer in answers for one in answer["relation_types"]}
    lines = [HEAD.say(), *types.values(), *([LINKS.say(), *links.values()] if links else [])]
    return "\n".join(lines)


def type_line(one: Mapping[str, Any]) -> str:
    """Return an object type with the names of its properties."""
    names = [
        labelled(prop.get("name", ""), prop.get("display_name")) for prop in one.get("properties", ())[:MOST_PROPERTIES]
    ]
    return f"- {labelled(one['concept_id'], one.get('concept_name'))}: {', '.join(names)}"


def link_line(one: Mapping[str, Any]) -> str:
    """Return a relation type with its ends."""
    ends = f"{one.get('source_object_type_id')} → {one.get('target_object_type_id')}"
    return f"- {labelled(one['concept_id'], one.get('concept_name'))}: {ends}"


def labelled(id: str, name: str | None) -> str:
    """Return an id, with its name where that says more."""
    return id if not name or name == id else f"{id} ({name})"
