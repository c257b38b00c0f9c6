"""How Neo4j holds story graphs, and how its Cypher differs.

One database holds many libraries: every node carries its library, and every unique key begins with it.
"""

from hashlib import sha256

from tools.records import Horizon
from wenmai.stores.graph.engine import Label
from wenmai.stores.records.story_guard import entity_visible, record_visible

# Types of relations that are types in the database, too. Any other stands in the property `type` alone: the server
# never frees names of types, and no text of a user becomes part of a query.
RELATION_TYPES = frozenset(
    {
        "FRIEND_OF",
        "ENEMY_OF",
        "PARTNER_OF",
        "FAMILY_OF",
        "TEACHER_OF",
        "MEMBER_OF",
        "LEADER_OF",
        "OWNER_OF",
        "PARTICIPATED_IN",
        "EXPERIENCES",
        "OCCURRED_AT",
        "LOCATED_IN",
        "MENTIONED_IN",
        "CONTAINS",
        "LEADS_TO",
        "NEXT",
        "INTERACTS_WITH",
    }
)
OTHER_TYPE = "RELATION"
IN_LIBRARY = "library: $library"


class Neo4jDialect:
    """The Dialect of Neo4j; every query has the parameter `library`."""

    event_id = "digest"

    def event_id_of(self, key: str) -> str:
        """Return the key's digest, as an index holds no value of any length."""
        return sha256(key.encode()).hexdigest()

    def node(self, variable: str, label: Label, keys: str = "") -> str:
        """Return the pattern of a node of the library."""
        return f"({variable}:{label} {{{', '.join(filter(None, (IN_LIBRARY, keys)))}}})"

    def edge(self, type: str | None = None) -> str:
        """Return the pattern of a relation `r` of a type as it is stored."""
        return "[r]" if type is None else f"[r:{self.stored_type(type)}]"

    def stored_type(self, type: str) -> str:
        """Return a type of the closed list."""
        return type if type in RELATION_TYPES else OTHER_TYPE

    def shortest_paths(self, max_hops: int, horizon: Horizon | None) -> str:
        """Return the query for all shortest paths."""
        passable = "(NOT y.kind IN $avoid OR y.name = $there) AND y.library = $library"
        visible = f"{record_visible('r', horizon)} AND {entity_visible('y', horizon)}"
        return (
            f"MATCH p = ALL SHORTEST {self.node('a', 'Entity', 'name: $here')}"
            f" ((x:Entity)-[r]-(y:Entity) WHERE {visible} AND {passable}){{1,{int(max_hops)}}}"
            f" {self.node('b', 'Entity', 'name: $there')}"
            f" WHERE {entity_visible('a', horizon)} RETURN DISTINCT [n IN nodes(p) | n.name]"
        )
