"""The places of values in a local network, and its neighbours: an SQLite file beside its graph.

It is written once and then only read. Instances are known by their place: a whole number, ascending by object type and
primary keys. A field of an instance has the number `place * FIELDS + property`; tokens bear the number of their object
type, so that no type is looked for among the others.
"""

import json
import sqlite3
import threading
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from wenmai.stores.records.knowledge import Where, elements, exact, folded, pair_term, pairs, terms, word_term, words

INDEX_FILE = "index.sqlite"
FIELDS = 4_096  # more properties than any type has
BETWEEN = "\0"  # between the values of a field that has several
SCHEMA = """
CREATE TABLE place (kind INTEGER, key TEXT, place INTEGER, PRIMARY KEY (kind, key)) WITHOUT ROWID;
CREATE TABLE exact (kind INTEGER, value TEXT, field INTEGER, PRIMARY KEY (kind, value, field)) WITHOUT ROWID;
CREATE TABLE link (side INTEGER, place INTEGER, other INTEGER, PRIMARY KEY (side, place, other)) WITHOUT ROWID;
CREATE TABLE text (field INTEGER PRIMARY KEY, kind INTEGER, folded TEXT);
CREATE VIRTUAL TABLE term USING fts5(terms, content='', detail='none', tokenize='ascii');
"""
SCAN = "CREATE INDEX by_kind ON text (kind);"


class IndexWriter:
    """Writes the index of a new network; nothing is durable before `close`."""

    def __init__(self, folder: Path) -> None:
        self._file = sqlite3.connect(folder / INDEX_FILE)
        self._file.executescript("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;" + SCHEMA)

    def add(self, kind: int, rows: Sequence[tuple[int, Sequence[Any] | None, Mapping[str, Any]]]) -> None:
        """Note instances: place, primary key, properties in the order of the schema."""
        fields = [
            (place * FIELDS + number, list(elements(value)))
            for place, _, row in rows
            for number, value in enumerate(row.values())
        ]
        texts = [(field, [one for one in values if isinstance(one, str)]) for field, values in fields]
        folded_texts = [(field, kind, BETWEEN.join(map(folded, one))) for field, one in texts if one]
        tokens = [(field, " ".join(set().union(*(terms(text, kind) for text in one)))) for field, one in texts if one]
        keys = [(kind, key_text(key), place) for place, key, _ in rows if key is not None]
        same = [(kind, exact(one), field) for field, values in fields for one in values]
        self._file.executemany("INSERT INTO place VALUES (?, ?, ?)", keys)
        self._file.executemany("INSERT OR IGNORE INTO exact VALUES (?, ?, ?)", same)
        self._file.executemany("INSERT INTO text VALUES (?, ?, ?)", folded_texts)
        self._file.executemany("INSERT INTO term (rowid, terms) VALUES (?, ?)", tokens)

    def join(self, number: int, pairs: Sequence[tuple[int, int]]) -> None:
        """Note the links of a relation type, from either side."""
        outgoing, incoming = side(number, outgoing=True), side(number, outgoing=False)
        query = "INSERT OR IGNORE INTO link VALUES (?, ?, ?)"
        self._file.executemany(query, ((outgoing, *pair) for pair in sorted(pairs)))
        self._file.executemany(query, sorted((incoming, other, one) for one, other in pairs))

    def close(self) -> None:
        """Finish the file."""
        self._file.executescript(SCAN)
        self._file.execute("INSERT INTO term (term) VALUES ('optimize')")
        self._file.commit()
        self._file.close()


class KnowledgeIndex:
    """Reads the index. Safe to call from several threads."""

    def __init__(self, folder: Path) -> None:
        address = f"{(folder / INDEX_FILE).absolute().as_uri()}?mode=ro&immutable=1"
        self._file = sqlite3.connect(address, uri=True, check_same_thread=False)
        self._lock = threading.Lock()

    def place(self, kind: int, key: Sequence[Any]) -> int | None:
        """Return the place of an instance."""
        rows = self._numbers("SELECT place FROM place WHERE kind = ? AND key = ?", (kind, key_text(key)))
        return rows[0] if rows else None

    def beside(self, number: int, place: int, *, outgoing: bool, limit: int) -> list[int]:
        """Return the places of the first neighbours along a relation."""
        query = "SELECT other FROM link WHERE side = ? AND place = ? ORDER BY other LIMIT ?"
        return self._numbers(query, (side(number, outgoing=outgoing), place, limit))

    def equal(self, kind: int, values: Iterable[Any]) -> Where:
        """Return where one of these values is, with score 1."""
        query = "SELECT field FROM exact WHERE kind = ? AND value = ?"
        return where({field: 1 for value in values for field in self._numbers(query, (kind, exact(value)))})

    def containing(self, kind: int, text: str) -> Where:
        """Return where texts contain this one, with score 1."""
        needle = folded(text)
        if len(needle) < 2:
            query = "SELECT field FROM text WHERE kind = ? AND instr(folded, ?) > 0"
            return where(dict.fromkeys(self._numbers(query, (kind, needle)), 1))
        query = (
            "SELECT term.rowid FROM term JOIN text ON text.field = term.rowid"
            " WHERE term MATCH ? AND instr(text.folded, ?) > 0"
        )
        asked = " AND ".join(dict.fromkeys(pair_term(pair, kind) for pair in pairs(needle)))
        return where(dict.fromkeys(self._numbers(query, (asked, needle)), 1))

    def sharing(self, kind: int, text: str) -> Where:
        """Return where texts share words with this one, with the number of words as score."""
        counts: Counter[int] = Counter()
        for word in words(text):
            counts.update(self._numbers("SELECT rowid FROM term WHERE term MATCH ?", (word_term(word, kind),)))
        return where(counts)

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._file.close()

    def _numbers(self, query: str, values: tuple[Any, ...]) -> list[int]:
        with self._lock:
            return [number for (number,) in self._file.execute(query, values)]


def side(number: int, *, outgoing: bool) -> int:
    """Return the number of a relation type seen from one of its ends."""
    return number * 2 + (not outgoing)


def where(scores: Mapping[int, int]) -> Where:
    """Return the scores of fields by property and place."""
    found: Where = {}
    for field, score in scores.items():
        place, number = divmod(field, FIELDS)
        found.setdefault(number, {})[place] = float(score)
    return found


def key_text(key: Iterable[Any]) -> str:
    """Return a primary key as the index finds it; JSON keeps its parts apart."""
    return json.dumps([exact(part) for part in key], ensure_ascii=False)
