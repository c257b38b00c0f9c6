"""The spoiler guard as a condition of Cypher, for every engine: what of a story graph a reader may see.

Positions that may be missing are stored as ABSENT: Ladybug cannot bind a column of nothing but nulls.
"""

from tools.records import Horizon

ABSENT = -1


def within_horizon(record: str, horizon: Horizon | None) -> str:
    """Return the condition under which the place of `record`, a variable of the query, is not beyond the horizon."""
    if horizon is None:
        return "true"
    return (
        f"({record}.chapter >= 0 AND ({record}.part < $part OR ({record}.part = $part AND {record}.chapter <= $upto)))"
    )


def entity_visible(entity: str, horizon: Horizon | None) -> str:
    """Return the condition under which an entity is visible; an assumed identity is only until it is revealed."""
    if horizon is None:
        return f"{entity}.until_part = {ABSENT}"
    return f"({within_horizon(entity, horizon)} AND {_lasting(entity)})"


def record_visible(record: str, horizon: Horizon | None) -> str:
    """Return the condition under which a relation or event is visible in this wording."""
    if horizon is None:
        return f"{record}.until_part = {ABSENT}"
    since = f"({record}.since_part < $part OR ({record}.since_part = $part AND {record}.since_chapter <= $upto))"
    return f"({within_horizon(record, horizon)} AND {since} AND {_lasting(record)})"


def _lasting(record: str) -> str:
    until = f"{record}.until_part > $part OR ({record}.until_part = $part AND {record}.until_chapter > $upto)"
    return f"({record}.until_part = {ABSENT} OR {until})"


def guard_values(horizon: Horizon | None) -> dict[str, int]:
    """Return the parameters of these conditions."""
    return {} if horizon is None else {"part": horizon.part, "upto": horizon.chapter}


def edge_visible(horizon: Horizon | None) -> str:
    """Return the condition under which an edge `r` between `a` and `b` is visible: so must be its ends."""
    return f"{record_visible('r', horizon)} AND {entity_visible('a', horizon)} AND {entity_visible('b', horizon)}"
