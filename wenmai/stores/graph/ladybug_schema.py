"""The tables of a story graph in Ladybug."""

from collections.abc import Callable, Mapping
from typing import Any

from wenmai.stores.records.story_guard import ABSENT
from wenmai.stores.records.story_rows import Row

Ask = Callable[[str, Mapping[str, Any]], list[Row]]

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
# Columns that came later: a database made before gets them when it is opened, and its records are then never veiled.
SPANS = (("Entity", ("until",)), ("RELATION", ("since", "until")), ("MajorEvent", ("since", "until")))
LATER_COLUMNS = tuple(
    f"ALTER TABLE {table} ADD IF NOT EXISTS {mark}_{unit} INT64 DEFAULT {ABSENT}"
    for table, marks in SPANS
    for mark in marks
    for unit in ("part", "chapter")
)
