"""Rows of a table of points: which fields are read of them, and how they come back."""

from dataclasses import dataclass
from typing import Any

from psycopg import sql

from wenmai.stores.records.vector_policy import DENSE
from wenmai.stores.vectors.points import ALL_FIELDS, Fields


@dataclass(frozen=True, slots=True)
class Row:
    """A stored point as it comes back."""

    id: str
    payload: dict[str, Any]
    score: float = 0.0
    vector: object = None


def payload_of(fields: Fields) -> sql.Composable:
    """Return what is selected of the payload."""
    if fields == ALL_FIELDS:
        return sql.SQL("payload")
    if fields.only is None:
        return sql.SQL("payload - {}::text[]").format(sql.Literal(list(fields.without)))
    pairs = [sql.SQL("{name}, payload->{name}").format(name=sql.Literal(name)) for name in fields.only]
    return sql.SQL("jsonb_build_object({})").format(sql.SQL(", ").join(pairs))


def to_row(found: dict[str, Any]) -> Row:
    """Return a row of the table."""
    dense = found.get(DENSE)
    vector = None if dense is None else {DENSE: dense.to_list()}
    return Row(str(found["id"]), found["payload"], found.get("score", 0.0), vector)
