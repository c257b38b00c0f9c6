"""Conditions on stored points in the terms of Qdrant Edge."""

from collections.abc import Sequence
from datetime import datetime

import qdrant_edge as edge

from wenmai.stores.records.conditions import (
    Condition,
    Dated,
    Equals,
    Filter,
    HasId,
    IsEmpty,
    Nested,
    OneOf,
    Within,
)


def edge_filter(filter: Filter) -> edge.Filter:
    """Return a filter for the engine. Raises UnicodeEncodeError for a text that is none."""
    return edge.Filter(must=_each(filter.must), should=_each(filter.should), must_not=_each(filter.must_not))


def _each(conditions: Sequence[Condition]) -> "list[edge.ConditionType] | None":
    return [_condition(one) for one in conditions] or None


def _condition(condition: Condition) -> "edge.ConditionType":
    match condition:
        case Filter():
            return edge_filter(condition)
        case Equals(field, value):
            return edge.FieldCondition(field, match=edge.MatchValue(value))
        case OneOf(field, values):
            return edge.FieldCondition(field, match=edge.MatchAny(list(values)))
        case Within(field, gt, gte, lt, lte):
            return edge.FieldCondition(field, range=edge.RangeFloat(gt=gt, gte=gte, lt=lt, lte=lte))
        case Dated(field, since, until):
            return edge.FieldCondition(field, range=edge.RangeDateTime(gte=_iso(since), lt=_iso(until)))
        case HasId(ids):
            return edge.HasIdCondition(set(ids))
        case IsEmpty(field):
            return edge.IsEmptyCondition(field)
        case Nested(field, filter):
            return edge.NestedCondition(field, edge_filter(filter))


def _iso(at: datetime | None) -> str | None:
    return None if at is None else at.isoformat()
