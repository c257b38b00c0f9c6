"""Lists of a whole story graph: every relation, every event that a reader may see."""

from tools.records import Horizon, MajorEvent, Participant, Relation, story_position
from wenmai.stores.graph.engine import Session
from wenmai.stores.graph.read import directed, of_type, type_value
from wenmai.stores.records.story_guard import edge_visible, entity_visible, guard_values, record_visible
from wenmai.stores.records.story_order import in_order
from wenmai.stores.records.story_rows import EVENT_COLUMNS, RELATION_COLUMNS, to_event, to_relation


async def list_relations(session: Session, type: str | None, horizon: Horizon | None) -> list[Relation]:
    """Return every relation, or those of a type, by story position."""
    visible = f"{edge_visible(horizon)}{of_type(type)}"
    rows = await session.run(
        f"MATCH {directed(session.dialect, type)} WHERE {visible} RETURN {RELATION_COLUMNS}",
        {**type_value(type), **guard_values(horizon)},
    )
    return in_order(to_relation(row) for row in rows)


async def list_events(session: Session, horizon: Horizon | None) -> list[MajorEvent]:
    """Return every event with those of its participants that are visible, by story position."""
    dialect = session.dialect
    rows = await session.run(
        f"MATCH {dialect.node('m', 'MajorEvent')}<-[x:EXPERIENCES]-{dialect.node('o', 'Entity')}"
        f" WHERE {record_visible('m', horizon)} AND {entity_visible('o', horizon)}"
        f" RETURN {EVENT_COLUMNS}, o.name, x.role ORDER BY x.place",
        guard_values(horizon),
    )
    columns = {row[0]: row[:-2] for row in rows}
    casts: dict[str, list[Participant]] = {key: [] for key in columns}
    for row in rows:
        casts[row[0]].append(Participant(*row[-2:]))
    events = [to_event(row, tuple(casts[key])) for key, row in columns.items()]
    return sorted(events, key=lambda event: (story_position(event), event.event_type, event.name))
