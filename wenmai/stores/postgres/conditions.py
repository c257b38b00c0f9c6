"""Conditions on stored points in SQL, with every value as a parameter."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from psycopg import sql

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
from wenmai.stores.records.vector_policy import IndexKind

YES, NO = sql.SQL("true"), sql.SQL("false")
NUL = "\0"  # no stored text holds it
ELEMENT = sql.SQL("element")
OVER, FROM, BELOW, UP_TO = sql.SQL(">"), sql.SQL(">="), sql.SQL("<"), sql.SQL("<=")
Part = sql.Composable


@dataclass(frozen=True, slots=True)
class Bound:
    """The values of one statement, by the names of their placeholders."""

    values: dict[str, Any] = field(default_factory=dict)

    def __call__(self, value: object) -> sql.Placeholder:
        """Return a placeholder for a value."""
        name = f"v{len(self.values)}"
        self.values[name] = value
        return sql.Placeholder(name)


@dataclass(frozen=True, slots=True)
class Where:
    """Translates conditions on the columns of a table, whose kinds are `fields`."""

    fields: Mapping[str, IndexKind]
    bound: Bound

    def __call__(self, filter: Filter) -> Part:
        """Return the condition of a WHERE clause."""
        return self._filter(filter, self._column)

    def _filter(self, filter: Filter, translate: Callable[[Condition], Part]) -> Part:
        def one(condition: Condition) -> Part:
            return self._filter(condition, translate) if isinstance(condition, Filter) else translate(condition)

        parts = [sql.SQL("({})").format(one(condition)) for condition in filter.must]
        if filter.should:
            parts.append(sql.SQL("({})").format(sql.SQL(" OR ").join(map(one, filter.should))))
        parts += [sql.SQL("({}) IS NOT TRUE").format(one(condition)) for condition in filter.must_not]
        return sql.SQL(" AND ").join(parts) if parts else YES

    def _column(self, condition: Condition) -> Part:
        match condition:
            case Equals(field, str(value)):
                return self._equals(field, value)
            case Equals(field, value):
                return sql.SQL("{} = {}").format(sql.Identifier(field), self.bound(value))
            case OneOf(field, values):
                return self._one_of(field, values)
            case Within():
                return self._within(sql.Identifier(condition.field), condition)
            case Dated(field, since, until):
                at = sql.SQL("(payload->>{})::timestamptz").format(sql.Literal(field))
                return self._bounds(at, (FROM, since), (BELOW, until))
            case HasId(ids):
                return sql.SQL("id = ANY({}::uuid[])").format(self.bound(list(ids)))
            case IsEmpty(field):
                return sql.SQL("coalesce(payload->{}, 'null') IN ('null', '[]')").format(sql.Literal(field))
            case Nested(field, filter):
                elements = sql.SQL("jsonb_array_elements(payload->{}) AS {}").format(sql.Literal(field), ELEMENT)
                inner = self._filter(filter, self._element)
                return sql.SQL("EXISTS (SELECT FROM {} WHERE {})").format(elements, inner)
            case Filter():
                return self(condition)

    def _element(self, condition: Condition) -> Part:
        """Translate a condition on an element of a list of objects."""
        match condition:
            case Equals(field, value):
                at = sql.SQL("{}->>{} = {}").format(ELEMENT, sql.Literal(field), self.bound(str(value)))
                return NO if NUL in str(value) else at
            case Within():
                at = sql.SQL("({}->>{})::numeric").format(ELEMENT, sql.Literal(condition.field))
                return self._within(at, condition)
            case _:
                raise NotImplementedError(f"no such condition on an element: {condition}")

    def _equals(self, field: str, value: str) -> Part:
        if NUL in value:
            return NO
        operator = sql.SQL("=" if self.fields[field] == "tenant" else "?")  # a word, or one of a list of words
        return sql.SQL("{} {} {}").format(sql.Identifier(field), operator, self.bound(value))

    def _one_of(self, field: str, values: Iterable[str]) -> Part:
        known = self.bound([value for value in values if NUL not in value])
        form = "{} = ANY({}::text[])" if self.fields[field] == "tenant" else "{} ?| {}::text[]"
        return sql.SQL(form).format(sql.Identifier(field), known)

    def _within(self, at: Part, one: Within) -> Part:
        return self._bounds(at, (OVER, one.gt), (FROM, one.gte), (BELOW, one.lt), (UP_TO, one.lte))

    def _bounds(self, at: Part, *bounds: tuple[sql.SQL, object]) -> Part:
        parts = [
            sql.SQL("{} {} {}").format(at, operator, self.bound(value))
            for operator, value in bounds
            if value is not None
        ]
        return sql.SQL(" AND ").join(parts) if parts else YES
