"""Reads and writes of the points of one table, whatever they hold."""

import math
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pgvector import SparseVector, Vector
from psycopg import sql
from psycopg.types.json import Jsonb

from wenmai.stores.postgres.connection import Base, postgres_errors
from wenmai.stores.postgres.table import WORD_IDS, PostgresTable
from wenmai.stores.vectors.conditions import (
    Condition,
    Dated,
    Equals,
    Filter,
    HasId,
    Nested,
    OneOf,
    Within,
)
from wenmai.stores.vectors.points import ALL_FIELDS, DENSE, NO_FIELDS, PAGE_ROWS, Fields, IndexKind, NewPoint
from wenmai.stores.vectors.words import WordWeights


@dataclass(frozen=True, slots=True)
class PointRow:
    """A stored point as it comes back."""

    id: str
    payload: dict[str, Any]
    score: float = 0.0
    vector: object = None


def payload_of(fields: Fields) -> sql.Composable:
    if fields == ALL_FIELDS:
        return sql.SQL("payload")
    if fields.only is None:
        return sql.SQL("payload - {}::text[]").format(sql.Literal(list(fields.without)))
    pairs = [sql.SQL("{name}, payload->{name}").format(name=sql.Literal(name)) for name in fields.only]
    return sql.SQL("jsonb_build_object({})").format(sql.SQL(", ").join(pairs))


def to_row(found: dict[str, Any]) -> PointRow:
    dense = found.get(DENSE)
    vector = None if dense is None else {DENSE: dense.to_list()}
    return PointRow(str(found["id"]), found["payload"], found.get("score", 0.0), vector)


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
        name = f"v{len(self.values)}"
        self.values[name] = value
        return sql.Placeholder(name)


@dataclass(frozen=True, slots=True)
class WhereClause:
    """Translates conditions on the columns of a table, whose kinds are `fields`."""

    fields: Mapping[str, IndexKind]
    bound: Bound

    def __call__(self, filter: Filter) -> Part:
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
                if NUL in value:
                    return NO
                # A tenant is a word; other fields hold one, or a list of them.
                form = "{} = {}" if self.fields[field] == "tenant" else "{} ? {}"
                return sql.SQL(form).format(sql.Identifier(field), self.bound(value))
            case Equals(field, value):
                return sql.SQL("{} = {}").format(sql.Identifier(field), self.bound(value))
            case OneOf(field, values):
                known = self.bound([value for value in values if NUL not in value])
                form = "{} = ANY({}::text[])" if self.fields[field] == "tenant" else "{} ?| {}::text[]"
                return sql.SQL(form).format(sql.Identifier(field), known)
            case Within():
                return self._within(sql.Identifier(condition.field), condition)
            case Dated(field, since, until):
                at = sql.SQL("(payload->>{})::timestamptz").format(sql.Literal(field))
                return self._bounds(at, (FROM, since), (BELOW, until))
            case HasId(ids):
                return sql.SQL("id = ANY({}::uuid[])").format(self.bound(list(ids)))
            case Nested(field, filter):
                elements = sql.SQL("jsonb_array_elements(payload->{}) AS {}").format(sql.Literal(field), ELEMENT)
                inner = self._filter(filter, self._element)
                return sql.SQL("EXISTS (SELECT FROM {} WHERE {})").format(elements, inner)
            case Filter():
                return self(condition)

    def _element(self, condition: Condition) -> Part:
        match condition:
            case Equals(field, value):
                at = sql.SQL("{}->>{} = {}").format(ELEMENT, sql.Literal(field), self.bound(str(value)))
                return NO if NUL in str(value) else at
            case Within():
                at = sql.SQL("({}->>{})::numeric").format(ELEMENT, sql.Literal(condition.field))
                return self._within(at, condition)
            case _:
                raise NotImplementedError(f"no such condition on an element: {condition}")

    def _within(self, at: Part, one: Within) -> Part:
        return self._bounds(at, (OVER, one.gt), (FROM, one.gte), (BELOW, one.lt), (UP_TO, one.lte))

    def _bounds(self, at: Part, *bounds: tuple[sql.SQL, object]) -> Part:
        parts = [
            sql.SQL("{} {} {}").format(at, operator, self.bound(value))
            for operator, value in bounds
            if value is not None
        ]
        return sql.SQL(" AND ").join(parts) if parts else YES


BY_ID, IN_STORY_ORDER = sql.SQL("id"), sql.SQL("event_order, id")
INSERT = sql.SQL("""
INSERT INTO {table} (id, payload, dense, sparse, words) VALUES (%s, %s, %s, %s, %s)
ON CONFLICT (id) DO UPDATE SET
    payload = EXCLUDED.payload, dense = EXCLUDED.dense, sparse = EXCLUDED.sparse, words = EXCLUDED.words
""")
REORDER = sql.SQL("""
UPDATE {table} SET payload = jsonb_set(payload, ARRAY['event_order'], to_jsonb(new_place))
FROM unnest({ids}::uuid[], {places}::integer[]) AS new (new_id, new_place) WHERE id = new_id AND ({where}) RETURNING id
""")
SET_FIELDS = sql.SQL("UPDATE {table} SET payload = payload || {fields} WHERE {where} RETURNING id")
# How many rows are counted, and in how many of them each word is.
COUNTS = sql.SQL("""
SELECT (SELECT count(*) FROM {table} WHERE {counted}) AS total,
    ARRAY(SELECT (SELECT count(*) FROM {table} WHERE ({counted}) AND words @> ARRAY[word])
          FROM unnest({words}::integer[]) WITH ORDINALITY AS asked (word, place) ORDER BY place) AS having
""")
HAS_MORE = sql.SQL("SELECT FROM {table} WHERE {where} OFFSET {most} LIMIT 1")
RANKED = sql.SQL("SELECT id, {fields} AS payload, score FROM ({best}) AS best JOIN {table} USING (id)")
BY_GRAPH = sql.SQL("""
SELECT id, 1 - (dense <=> {query}) AS score FROM {table} WHERE {where}
ORDER BY dense <=> {query} FETCH FIRST {limit} ROWS WITH TIES
""")
# OFFSET 0 keeps the score from being computed twice.
COMPARED = sql.SQL("""
SELECT id, score FROM (SELECT id, {score} AS score FROM {table} WHERE {where} OFFSET 0) AS compared
WHERE score {least} ORDER BY score DESC FETCH FIRST {limit} ROWS WITH TIES
""")
MANY_ROWS = 5_000  # compared one by one in some 10 ms; above, the graph is walked
SIMILARITY, OVERLAP = sql.SQL("1 - (dense <=> {})"), sql.SQL("-(sparse <#> {})")
ANY_SCORE, SOME = sql.SQL("IS NOT NULL"), sql.SQL("> 0")
FEW = 0.5  # of the rows: where the words of a question are in more, their index leaves out too little to pay


@dataclass(frozen=True, slots=True)
class Counts:
    """In how many of `total` rows each word is."""

    total: int
    having: dict[int, int]

    def rarity(self, word: int) -> float:
        """Return the inverse document frequency of a word, as Qdrant computes it."""
        having = self.having[word]
        return math.log((self.total - having + 0.5) / (having + 0.5) + 1)


@dataclass(frozen=True, slots=True)
class PostgresPoints:
    """The points of one table. Every query gets its conditions, the tenant among them, from the caller."""

    table: PostgresTable
    words: WordWeights

    async def write(self, points: Iterable[NewPoint], dimension: int) -> None:
        """Write points, the table made if need be; the same id is replaced. All of them are written, or none."""
        async with self.table.writing(dimension) as base:
            await self.insert(base, points)

    async def insert(self, base: Base, points: Iterable[NewPoint]) -> None:
        """Write points in a transaction of the caller, in one order everywhere: two writers cannot lock each other."""
        rows = [self._row(point) for point in sorted(points, key=lambda point: point.id)]
        async with base.cursor() as cursor:
            await cursor.executemany(INSERT.format(table=self.table.identifier), rows)

    async def listed(
        self,
        condition: Filter,
        fields: Fields = ALL_FIELDS,
        *,
        vectors: bool = False,
        order: sql.Composable = BY_ID,
        limit: int | None = None,
    ) -> list[PointRow]:
        bound = Bound()
        statement = sql.SQL("SELECT id, {} AS payload{} FROM {} WHERE {} ORDER BY {} LIMIT {}").format(
            payload_of(fields),
            sql.SQL(", dense" if vectors else ""),
            self.table.identifier,
            self._where(bound, condition),
            order,
            bound(limit),
        )
        return list(map(to_row, await self.table.rows(statement, bound.values)))

    async def in_story_order(self, condition: Filter, limit: int | None, fields: Fields) -> list[PointRow]:
        return await self.listed(condition, fields, order=IN_STORY_ORDER, limit=limit)

    async def everything(self) -> AsyncIterator[PointRow]:
        last = "00000000-0000-0000-0000-000000000000"
        while True:
            bound = Bound()
            statement = sql.SQL("SELECT * FROM {} WHERE id > {}::uuid ORDER BY id LIMIT {}").format(
                self.table.identifier, bound(last), bound(PAGE_ROWS)
            )
            rows = [to_row(one) for one in await self.table.rows(statement, bound.values)]
            for row in rows:
                yield row
            if len(rows) < PAGE_ROWS:
                return
            last = rows[-1].id

    async def count(self, condition: Filter) -> int:
        bound = Bound()
        where = self._where(bound, condition)
        statement = sql.SQL("SELECT count(*) AS count FROM {} WHERE {}").format(self.table.identifier, where)
        return sum(row["count"] for row in await self.table.rows(statement, bound.values))

    async def delete(self, condition: Filter) -> int:
        return len(await self.removed(condition, NO_FIELDS))

    async def removed(self, condition: Filter, fields: Fields, base: Base | None = None) -> list[PointRow]:
        """Delete every row that matches and return what they were, in a transaction of the caller if given."""
        bound = Bound()
        statement = sql.SQL("DELETE FROM {} WHERE {} RETURNING id, {} AS payload").format(
            self.table.identifier, self._where(bound, condition), payload_of(fields)
        )
        return list(map(to_row, await self.table.rows(statement, bound.values, base)))

    async def reorder(self, condition: Filter, orders: Mapping[str, int]) -> None:
        bound = Bound()
        places = {"ids": bound(list(orders)), "places": bound(list(orders.values()))}
        where = self._where(bound, condition)
        statement = REORDER.format(table=self.table.identifier, where=where, **places)
        await self.table.rows(statement, bound.values)

    async def set_fields(self, condition: Filter, fields: Mapping[str, Any]) -> None:
        bound = Bound()
        parts = {"fields": bound(Jsonb(dict(fields))), "where": self._where(bound, condition)}
        await self.table.rows(SET_FIELDS.format(table=self.table.identifier, **parts), bound.values)

    async def nearest(
        self, vector: Sequence[float], condition: Filter, limit: int, fields: Fields = ALL_FIELDS
    ) -> list[PointRow]:
        """Return the rows nearest by cosine, with all that equal the last: the caller orders and cuts them.

        Few rows are compared one by one, and so are those of a walk of the graph that ends before there are enough.
        """
        async with self.table.server.connection() as base:
            if limit > 0 and await self._is_many(condition, base):
                bound = Bound()
                where, query = self._where(bound, condition), bound(Vector(list(vector)))
                rows = await self._ranked(BY_GRAPH, bound, limit, fields, base, where=where, query=query)
                if len(rows) >= limit:
                    return rows
            return await self.compared(vector, condition, limit, fields, base)

    async def compared(
        self,
        vector: Sequence[float],
        condition: Filter,
        limit: int,
        fields: Fields = ALL_FIELDS,
        base: Base | None = None,
    ) -> list[PointRow]:
        bound = Bound()
        where, score = self._where(bound, condition), SIMILARITY.format(bound(Vector(list(vector))))
        return await self._ranked(COMPARED, bound, limit, fields, base, where=where, score=score, least=ANY_SCORE)

    async def wording(
        self, text: str, condition: Filter, limit: int, counted: Filter, fields: Fields = ALL_FIELDS
    ) -> list[PointRow]:
        with postgres_errors(self.table.server.place):
            weights = _weights(self.words.embed_query(text))
        if limit < 1 or not weights:
            return []
        async with self.table.server.connection() as base:
            known = await self._counts(list(weights), counted, base)
            bound = Bound()
            where = sql.SQL("({})").format(self._where(bound, condition))
            if sum(known.having.values()) < known.total * FEW:
                where = sql.SQL("{} AND words && {}").format(where, bound(list(weights)))
            weighed = {word: weight * known.rarity(word) for word, weight in weights.items() if known.having.get(word)}
            score = OVERLAP.format(bound(SparseVector(weighed, WORD_IDS)))
            return await self._ranked(COMPARED, bound, limit, fields, base, where=where, score=score, least=SOME)

    async def _counts(self, words: list[int], counted: Filter, base: Base) -> Counts:
        bound = Bound()
        where, asked = self._where(bound, counted), bound(words)
        statement = COUNTS.format(table=self.table.identifier, counted=where, words=asked)
        for row in await self.table.rows(statement, bound.values, base):
            return Counts(row["total"], dict(zip(words, row["having"], strict=True)))
        return Counts(0, {})

    async def _is_many(self, condition: Filter, base: Base) -> bool:
        bound = Bound()
        parts = {"where": self._where(bound, condition), "most": bound(MANY_ROWS)}
        return bool(await self.table.rows(HAS_MORE.format(table=self.table.identifier, **parts), bound.values, base))

    async def _ranked(
        self,
        best: sql.SQL,
        bound: Bound,
        limit: int,
        fields: Fields,
        base: Base | None,
        **parts: sql.Composable,
    ) -> list[PointRow]:
        if limit < 1:
            return []
        table = self.table.identifier
        inner = best.format(table=table, limit=bound(limit), **parts)
        statement = RANKED.format(fields=payload_of(fields), best=inner, table=table)
        return list(map(to_row, await self.table.rows(statement, bound.values, base)))

    def _where(self, bound: Bound, condition: Filter) -> sql.Composable:
        return WhereClause(self.table.plan.fields, bound)(condition)

    def _row(self, point: NewPoint) -> tuple[object, ...]:
        weights = _weights(self.words.embed_document(point.text))
        sparse = SparseVector(weights, WORD_IDS)
        return point.id, Jsonb(point.payload), Vector(list(point.vector)), sparse, list(weights)


def _weights(words: Any) -> dict[int, float]:
    """Return the weights of words by ids that a sparse vector can hold."""
    return {index % WORD_IDS: value for index, value in zip(words.indices, words.values, strict=True)}
