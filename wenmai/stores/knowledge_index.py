"""Where values stand in a local network: an SQLite file beside its graph, written once and then only read.

Instances are known by their place: a whole number, ascending by object type and primary keys.
"""

import json
import sqlite3
import threading
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from wenmai.stores.knowledge_words import elements, exact, folded, pair_term, pairs, terms, word_term, words

INDEX_FILE = "index.sqlite"
SCHEMA = """
CREATE TABLE place (kind INTEGER, key TEXT, place INTEGER, PRIMARY KEY (kind, key)) WITHOUT ROWID;
CREATE TABLE value (id INTEGER PRIMARY KEY, kind INTEGER, property INTEGER, place INTEGER, exact TEXT, folded TEXT);
CREATE VIRTUAL TABLE term USING fts5(terms, content='', detail='none', tokenize='ascii');
"""
INDEXES = "CREATE INDEX by_value ON value (kind, exact); CREATE INDEX by_kind ON value (kind, property);"
BATCH = 5_000
Where = dict[int, dict[int, float]]  # property -> place -> score


class IndexWriter:
    """Writes the index of a new network; nothing is durable before `close`."""

    def __init__(self, folder: Path) -> None:
        self._file = sqlite3.connect(folder / INDEX_FILE)
        self._file.executescript("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;" + SCHEMA)
        self._next = 0

    def add(self, kind: int, place: int, key: Sequence[Any] | None, row: Mapping[str, Any]) -> None:
        """Note one instance; the order of its properties is that of the schema."""
        if key is not None:
            self._file.execute("INSERT INTO place VALUES (?, ?, ?)", (kind, key_text(key), place))
        for number, value in enumerate(row.values()):
            for one in elements(value):
                self._add_value(kind, number, place, one)

    def _add_value(self, kind: int, number: int, place: int, value: Any) -> None:
        self._next += 1
        text = folded(value) if isinstance(value, str) else None
        self._file.execute(
            "INSERT INTO value VALUES (?, ?, ?, ?, ?, ?)", (self._next, kind, number, place, exact(value), text)
        )
        if text:
            self._file.execute("INSERT INTO term (rowid, terms) VALUES (?, ?)", (self._next, terms(value)))

    def close(self) -> None:
        """Finish the file."""
        self._file.executescript(INDEXES)
        self._file.execute("INSERT INTO term (term) VALUES ('optimize')")
        self._file.execute("ANALYZE")
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
        rows = self._rows("SELECT place FROM place WHERE kind = ? AND key = ?", (kind, key_text(key)))
        return rows[0][0] if rows else None

    def equal(self, kind: int, values: Iterable[Any]) -> Where:
        """Return where one of these values stands, with score 1."""
        found: Where = {}
        for value in values:
            query = "SELECT property, place FROM value WHERE kind = ? AND exact = ?"
            for number, place in self._rows(query, (kind, exact(value))):
                found.setdefault(number, {})[place] = 1.0
        return found

    def containing(self, kind: int, text: str) -> Where:
        """Return where texts contain this one, with score 1."""
        needle = folded(text)
        found: Where = {}
        query = "SELECT property, place FROM value WHERE kind = ? AND instr(folded, ?) > 0"
        values: tuple[Any, ...] = (kind, needle)
        if len(needle) > 1:
            asked = " AND ".join(dict.fromkeys(pair_term(pair) for pair in pairs(needle)))
            query = query.replace("FROM value", "FROM term JOIN value ON value.id = term.rowid")
            query, values = f"{query} AND term MATCH ?", (*values, asked)
        for number, place in self._rows(query, values):
            found.setdefault(number, {})[place] = 1.0
        return found

    def sharing(self, kind: int, text: str) -> Where:
        """Return where texts share words with this one, with the number of words as score."""
        counts: Counter[tuple[int, int]] = Counter()
        query = (
            "SELECT DISTINCT property, place FROM term JOIN value ON value.id = term.rowid"
            " WHERE kind = ? AND term MATCH ?"
        )
        for word in words(text):
            counts.update(self._rows(query, (kind, word_term(word))))
        found: Where = {}
        for (number, place), count in counts.items():
            found.setdefault(number, {})[place] = float(count)
        return found

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._file.close()

    def _rows(self, query: str, values: tuple[Any, ...]) -> list[Any]:
        with self._lock:
            return self._file.execute(query, values).fetchall()


def key_text(key: Iterable[Any]) -> str:
    """Return a primary key as the index finds it; JSON keeps its parts apart."""
    return json.dumps([exact(part) for part in key], ensure_ascii=False)


def each_batch(rows: Sequence[Any]) -> Iterator[Sequence[Any]]:
    """Give rows in batches."""
    for begin in range(0, len(rows), BATCH):
        yield rows[begin : begin + BATCH]
