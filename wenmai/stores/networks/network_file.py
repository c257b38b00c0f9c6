"""The content of a local network in one SQLite file: instances, links, and where which values are.

It is written once and then only read. Instances are known by their place: a whole number, ascending by object type and
primary keys. A field of an instance has the number `place * FIELDS + property`; tokens bear the number of their object
type, so that no type is looked for among the others.
"""

import json
import os
import sqlite3
import threading
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from wenmai.knowledge.content import ObjectSpec, Row, key_of
from wenmai.stores.networks.answers import (
    BETWEEN,
    Rows,
    Types,
    Where,
    by_property,
    elements,
    exact,
    folded,
    key_text,
    pair_term,
    pairs,
    terms,
    word_term,
    words,
)

NETWORK_DATABASE = "network.sqlite"
KEPT = 10_000  # instances that are kept in memory: questions come back to the same neighbours
FIELDS = 4_096  # more properties than any type has
INSTANCES = "CREATE TABLE instance (place INTEGER PRIMARY KEY, kind INTEGER, content TEXT);"
SCHEMA = """
CREATE TABLE place (kind INTEGER, key TEXT, place INTEGER, PRIMARY KEY (kind, key)) WITHOUT ROWID;
CREATE TABLE exact (kind INTEGER, value TEXT, field INTEGER, PRIMARY KEY (kind, value, field)) WITHOUT ROWID;
CREATE TABLE link (side INTEGER, place INTEGER, other INTEGER, PRIMARY KEY (side, place, other)) WITHOUT ROWID;
CREATE TABLE text (field INTEGER PRIMARY KEY, kind INTEGER, folded TEXT);
CREATE VIRTUAL TABLE term USING fts5(terms, content='', detail='none', tokenize='ascii');
"""
INSTANCES_BY_KIND = "CREATE INDEX instance_by_kind ON instance (kind);"
TEXTS_BY_KIND = "CREATE INDEX by_kind ON text (kind);"


class NetworkFileWriter:
    """Writes the file of a new network; nothing is durable before `close`."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / NETWORK_DATABASE
        self._file = sqlite3.connect(self._path)
        self._file.executescript("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;" + INSTANCES + SCHEMA)

    def add(self, number: int, kind: ObjectSpec, rows: Sequence[tuple[int, Row]]) -> None:
        """Add instances of a type with this number: place, properties in the order of the schema."""
        fields = [
            (place * FIELDS + at, list(elements(value))) for place, row in rows for at, value in enumerate(row.values())
        ]
        texts = [
            (field, found) for field, values in fields if (found := [one for one in values if isinstance(one, str)])
        ]
        tokens = [(field, " ".join(set().union(*(terms(text, number) for text in found)))) for field, found in texts]
        keys = [(number, key_text(key_of(row, kind)), place) for place, row in rows if kind.primary_keys]
        add = self._file.executemany
        add(
            "INSERT INTO instance VALUES (?, ?, ?)",
            [(at, number, json.dumps(row, ensure_ascii=False)) for at, row in rows],
        )
        add("INSERT INTO place VALUES (?, ?, ?)", keys)
        add(
            "INSERT OR IGNORE INTO exact VALUES (?, ?, ?)",
            [(number, exact(v), f) for f, values in fields for v in values],
        )
        add("INSERT INTO text VALUES (?, ?, ?)", [(f, number, BETWEEN.join(map(folded, found))) for f, found in texts])
        add("INSERT INTO term (rowid, terms) VALUES (?, ?)", tokens)

    def join(self, number: int, pairs: Sequence[tuple[int, int]]) -> None:
        """Add the links of a relation type, from either side."""
        outgoing, incoming = side(number, outgoing=True), side(number, outgoing=False)
        query = "INSERT OR IGNORE INTO link VALUES (?, ?, ?)"
        self._file.executemany(query, ((outgoing, *pair) for pair in sorted(pairs)))
        self._file.executemany(query, sorted((incoming, other, one) for one, other in pairs))

    def close(self) -> None:
        """Finish the file, which is whole on the disk then."""
        self._file.executescript(INSTANCES_BY_KIND + TEXTS_BY_KIND)
        self._file.execute("INSERT INTO term (term) VALUES ('optimize')")
        self._file.commit()
        self._file.close()
        synced(self._path)


class NetworkFile:
    """The NetworkContent in a file. Safe to call from several threads; its coroutines never suspend."""

    def __init__(self, folder: Path, types: Types) -> None:
        address = f"{(folder / NETWORK_DATABASE).absolute().as_uri()}?mode=ro&immutable=1"
        self._file = sqlite3.connect(address, uri=True, check_same_thread=False)
        self._lock = threading.Lock()
        self._kept: dict[int, Row] = {}
        self.types = types

    async def places(self, number: int) -> list[int]:
        return self._numbers("SELECT place FROM instance WHERE kind = ? ORDER BY place", (number,))

    async def at(self, places: Sequence[int]) -> Rows:
        return self._at(places)

    async def of_kind(self, number: int) -> Rows:
        return self._rows("SELECT place, content FROM instance WHERE kind = ? ORDER BY place", (number,))

    async def pairs(self, number: int) -> list[tuple[int, int]]:
        return self._all("SELECT place, other FROM link WHERE side = ? ORDER BY 1, 2", (side(number, outgoing=True),))

    async def place(self, number: int, key: Sequence[Any]) -> int | None:
        rows = self._numbers("SELECT place FROM place WHERE kind = ? AND key = ?", (number, key_text(key)))
        return rows[0] if rows else None

    async def beside(self, relation: int, place: int, *, outgoing: bool, limit: int) -> Rows:
        query = "SELECT other FROM link WHERE side = ? AND place = ? ORDER BY other LIMIT ?"
        return self._at(self._numbers(query, (side(relation, outgoing=outgoing), place, limit)))

    async def equal(self, number: int, values: Iterable[Any]) -> Where:
        query = "SELECT field FROM exact WHERE kind = ? AND value = ?"
        return where({field: 1 for value in values for field in self._numbers(query, (number, exact(value)))})

    async def containing(self, number: int, text: str) -> Where:
        needle = folded(text)
        if len(needle) < 2:
            query = "SELECT field FROM text WHERE kind = ? AND instr(folded, ?) > 0"
            return where(dict.fromkeys(self._numbers(query, (number, needle)), 1))
        query = (
            "SELECT term.rowid FROM term JOIN text ON text.field = term.rowid"
            " WHERE term MATCH ? AND instr(text.folded, ?) > 0"
        )
        asked = " AND ".join(dict.fromkeys(pair_term(pair, number) for pair in pairs(needle)))
        return where(dict.fromkeys(self._numbers(query, (asked, needle)), 1))

    async def sharing(self, number: int, text: str) -> Where:
        counts: Counter[int] = Counter()
        for word in words(text):
            counts.update(self._numbers("SELECT rowid FROM term WHERE term MATCH ?", (word_term(word, number),)))
        return where(counts)

    def close(self) -> None:
        with self._lock:
            self._file.close()

    def _at(self, places: Sequence[int]) -> Rows:
        kept = {place: row for place in places if (row := self._kept.get(place)) is not None}
        if missing := [place for place in places if place not in kept]:
            query = "SELECT place, content FROM json_each(?) JOIN instance ON place = value"
            found = self._rows(query, (json.dumps(missing),))
            kept |= found
            if len(self._kept) + len(found) > KEPT:
                self._kept.clear()
            self._kept.update(found if len(found) <= KEPT else {})
        return {place: dict(kept[place]) for place in places}

    def _rows(self, query: str, values: tuple[Any, ...]) -> dict[int, Row]:
        return {place: json.loads(content) for place, content in self._all(query, values)}

    def _numbers(self, query: str, values: tuple[Any, ...]) -> list[int]:
        return [number for (number,) in self._all(query, values)]

    def _all(self, query: str, values: tuple[Any, ...]) -> list[Any]:
        with self._lock:
            return self._file.execute(query, values).fetchall()


def side(number: int, *, outgoing: bool) -> int:
    """Return the number of a relation type seen from one of its ends."""
    return number * 2 + (not outgoing)


def where(scores: Mapping[int, int]) -> Where:
    """Return the scores of fields by property and place."""
    return by_property({divmod(field, FIELDS): score for field, score in scores.items()})


def synced(path: Path) -> None:
    """Wait until a file that was written is on the disk."""
    with path.open("rb") as file:
        os.fsync(file.fileno())
