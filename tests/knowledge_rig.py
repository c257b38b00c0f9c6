"""Small networks of one type, their contents, and conditions on them by chance."""

from collections.abc import Sequence
from typing import Any

from hypothesis import strategies as st

from tools.networks.records import Account, Condition, InstanceQuery, PathQuery
from tools.ports import KnowledgeNetwork
from wenmai.knowledge.content import CheckedContent, Row, ordered_content, to_spec

LIN = Account("lin")
TIMEOUT_S = 30
FIELDS = (("id", "string"), ("name", "string"), ("note", "text"), ("size", "integer"), ("tags", "string"))


def schema(id: str) -> dict[str, Any]:
    properties = [{"name": name, "type": kind, "fulltext": name == "tags"} for name, kind in FIELDS]
    kind = {"id": "thing", "name": "物", "primary_keys": ["id"], "display_key": "name", "properties": properties}
    relation = {"id": "near", "name": "近", "source": "thing", "target": "thing", "links": "x"}
    return {"id": id, "object_types": [{**kind, "instances": "x"}], "relation_types": [relation]}


def row(id: str, **values: Any) -> Row:
    return {name: values.get(name) for name, _ in FIELDS} | {"id": id}


def content(rows: Sequence[Row], links: Sequence[tuple[str, str]] = (), id: str = "kn") -> CheckedContent:
    pairs = [((one,), (other,)) for one, other in links]
    return ordered_content(to_spec(schema(id), "test"), {"thing": rows}, {"near": pairs})


async def names(kept: KnowledgeNetwork, condition: Condition | None = None, id: str = "kn") -> list[str]:
    """Return how the things are called that fulfil a condition."""
    query = InstanceQuery(object_type_id="thing", condition=condition, limit=100)
    return [one.display for one in (await kept.instances(id, query, LIN, timeout_s=TIMEOUT_S)).rows]


async def beside(kept: KnowledgeNetwork, id: str, network: str = "kn") -> list[str]:
    """Return how the neighbours of a thing are called."""
    near = (await kept.schema(network, LIN, timeout_s=TIMEOUT_S)).relation_types[0]
    query = PathQuery(object_type_id="thing", key={"id": id}, relation=near, direction="outgoing")
    return [one.display for one in (await kept.neighbours(network, query, LIN, timeout_s=TIMEOUT_S)).neighbours]


WORDS = st.sampled_from(
    ["肺炎", "肺", "气道梗阻", "上、下气道", "Pneumonia", "pneu monia", "炎症", "", "a_b", "7", "肺炎球菌肺炎"]
)
ROWS = st.lists(
    st.fixed_dictionaries(
        {
            "name": st.none() | WORDS,
            "note": st.none() | WORDS,
            "size": st.none() | st.integers(-3, 9),
            "tags": st.none() | WORDS | st.lists(WORDS, max_size=3),
        }
    ),
    max_size=8,
)
LEAVES = st.one_of(
    st.builds(Condition, st.sampled_from(["==", "!="]), st.sampled_from(["name", "note", "tags"]), WORDS),
    st.builds(Condition, st.sampled_from(["like", "not_like"]), st.sampled_from(["name", "tags"]), WORDS),
    st.builds(Condition, st.sampled_from(["match", "multi_match"]), st.sampled_from(["note", "tags"]), WORDS),
    st.builds(
        Condition, st.sampled_from(["in", "not_in"]), st.sampled_from(["name", "tags"]), st.lists(WORDS, max_size=3)
    ),
    st.builds(Condition, st.sampled_from(["==", "!=", ">", ">=", "<", "<="]), st.just("size"), st.integers(-3, 9)),
    st.builds(Condition, st.sampled_from(["exist", "not_exist"]), st.sampled_from(["name", "size", "tags"])),
)
CONDITIONS = st.recursive(
    LEAVES,
    lambda inner: st.builds(
        lambda operation, parts: Condition(operation, sub_conditions=tuple(parts)),
        st.sampled_from(["and", "or"]),
        st.lists(inner, min_size=1, max_size=3),
    ),
    max_leaves=6,
)
