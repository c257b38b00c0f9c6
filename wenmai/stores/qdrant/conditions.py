"""Conditions on stored points in the terms of a Qdrant server."""

from collections.abc import Sequence

from qdrant_client import models

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


def server_filter(filter: Filter) -> models.Filter:
    """Return a filter for the server."""
    return models.Filter(must=_each(filter.must), should=_each(filter.should), must_not=_each(filter.must_not))


def _each(conditions: Sequence[Condition]) -> list[models.Condition] | None:
    return [_condition(one) for one in conditions] or None


def _condition(condition: Condition) -> models.Condition:
    match condition:
        case Filter():
            return server_filter(condition)
        case Equals(field, value):
            return models.FieldCondition(key=field, match=models.MatchValue(value=value))
        case OneOf(field, values):
            return models.FieldCondition(key=field, match=models.MatchAny(any=list(values)))
        case Within(field, gt, gte, lt, lte):
            return models.FieldCondition(key=field, range=models.Range(gt=gt, gte=gte, lt=lt, lte=lte))
        case Dated(field, since, until):
            return models.FieldCondition(key=field, range=models.DatetimeRange(gte=since, lt=until))
        case HasId(ids):
            return models.HasIdCondition(has_id=list(ids))
        case IsEmpty(field):
            return models.IsEmptyCondition(is_empty=models.PayloadField(key=field))
        case Nested(field, filter):
            return models.NestedCondition(nested=models.Nested(key=field, filter=server_filter(filter)))
