"""How Ladybug holds a story graph, and how its Cypher differs."""

from tools.records import Horizon
from wenmai.stores.graph.engine import Label
from wenmai.stores.records.story_guard import ABSENT, entity_visible, record_visible

TABLES = (
    "CREATE NODE TABLE IF NOT EXISTS Entity(name STRING PRIMARY KEY, kind STRING, description STRING,"
    " part INT64, chapter INT64, mentions INT64)",
    "CREATE NODE TABLE IF NOT EXISTS Alias(text STRING PRIMARY KEY)",
    "CREATE NODE TABLE IF NOT EXISTS MajorEvent(key STRING PRIMARY KEY, name STRING, event_type STRING,"
    " primary_character STRING, part INT64, chapter INT64, task_id STRING, event_order INT64, summary STRING,"
    " evidence STRING, outcome STRING, offset INT64, owner STRING, batch STRING)",
    "CREATE REL TABLE IF NOT EXISTS HAS_ALIAS(FROM Entity TO Alias, place INT64, part INT64, chapter INT64)",
    "CREATE REL TABLE IF NOT EXISTS RELATION(FROM Entity TO Entity, type STRING, part INT64, chapter INT64,"
    " task_id STRING, event_order INT64, evidence STRING, description STRING, offset INT64, owner STRING,"
    " batch STRING)",
    "CREATE REL TABLE IF NOT EXISTS EXPERIENCES(FROM Entity TO MajorEvent, role STRING, outcome STRING, place INT64)",
)
# Columns that a database of an earlier version lacks; they are added when it is opened, and hide none of its records.
SPANS = (("Entity", ("until",)), ("RELATION", ("since", "until")), ("MajorEvent", ("since", "until")))
LATER_COLUMNS = tuple(
    f"ALTER TABLE {table} ADD IF NOT EXISTS {bound}_{unit} INT64 DEFAULT {ABSENT}"
    for table, bounds in SPANS
    for bound in bounds
    for unit in ("part", "chapter")
)


class LadybugDialect:
    """The Dialect of Ladybug: one file a library, and one table for relations of every type."""

    event_id = "key"

    def event_id_of(self, key: str) -> str:
        """Return the key itself."""
        return key

    def node(self, variable: str, label: Label, keys: str = "") -> str:
        """Return the pattern of a node."""
        return f"({variable}:{label} {{{keys}}})" if keys else f"({variable}:{label})"

    def edge(self, type: str | None = None) -> str:
        """Return the pattern of a relation `r` of any type."""
        return "[r:RELATION]"

    def stored_type(self, type: str) -> str:
        """Return the table of relations."""
        return "RELATION"

    def shortest_paths(self, max_hops: int, horizon: Horizon | None) -> str:
        """Return the query for all shortest paths; the engine applies conditions on nodes to the ends, too."""
        passable = "(NOT n.kind IN $avoid OR n.name = $here OR n.name = $there)"
        return (
            f"MATCH p = (a:Entity {{name: $here}})-[r:RELATION* ALL SHORTEST 1..{int(max_hops)}"
            f" (r, n | WHERE {record_visible('r', horizon)} AND {entity_visible('n', horizon)} AND {passable})]"
            f"-(b:Entity {{name: $there}}) WHERE {entity_visible('a', horizon)} AND {entity_visible('b', horizon)}"
            " RETURN DISTINCT properties(nodes(p), 'name')"
        )
