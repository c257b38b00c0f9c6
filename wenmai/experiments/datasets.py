"""Questions with what a good answer must show, read from JSON lines."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tools.errors import InputError
from tools.wording import Words

NO_JSON = Words("{path}:{number}: 不是 JSON（{reason}）", "{path}:{number}: no JSON ({reason})")
HISTORIES = frozenset({"history", "growth", "evolution", "relation_over_time"})
"""Types whose answer is a course of events: their measure is the share of gold chapters among the evidence."""
SESSION = "session"


@dataclass(frozen=True, slots=True)
class Gold:
    """A verbatim quote that supports the answer; `part` is None where the story has only one."""

    quote: str
    chapter: int | None = None
    part: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """A question with its expectations.

    Attributes:
        expect: each inner list is met by any of its words in the answer; all must be met.
        names: canonical names that the resolved question must hold; None where nothing is said about them.
        self_contained: True: must stay unchanged; None where nothing is said.
    """

    id: str
    type: str
    question: str
    gold: tuple[Gold, ...] = ()
    expect: tuple[tuple[str, ...], ...] = ()
    answerable: bool = True
    names: tuple[str, ...] | None = None
    self_contained: bool | None = None


@dataclass(frozen=True, slots=True)
class Conversation:
    """Turns of one thread, in order; a single question is a conversation of one turn."""

    id: str
    turns: tuple[Turn, ...]


def load_questions(path: Path) -> list[Conversation]:
    """Read single questions; rows of the same `session` form one conversation. Raises InputError."""
    groups: dict[str, list[Turn]] = {}
    for row in rows(path):
        groups.setdefault(str(row.get("session") or row["id"]), []).append(turn(row, row["id"], row["type"]))
    return [Conversation(name, tuple(turns)) for name, turns in groups.items()]


def load_sessions(path: Path) -> list[Conversation]:
    """Read conversations. Raises InputError."""
    return [
        Conversation(
            row["id"],
            tuple(turn(entry, f"{row['id']}.{number}", SESSION) for number, entry in enumerate(row["turns"], 1)),
        )
        for row in rows(path)
    ]


def turn(row: Mapping[str, Any], id: str, type: str) -> Turn:
    """Return a row as a turn."""
    names = row.get("names")
    return Turn(
        id=id,
        type=type,
        question=row["question"],
        gold=tuple(Gold(g["quote"], g.get("chapter"), g.get("part")) for g in row.get("gold", ())),
        expect=tuple(tuple(words) for words in row.get("expect", ())),
        answerable=row.get("answerable", True),
        names=None if names is None else tuple(names),
        self_contained=row.get("self_contained"),
    )


def rows(path: Path) -> Iterable[dict[str, Any]]:
    """Give the objects of a JSON-lines file. Raises InputError that names the line."""
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if line.strip():
            try:
                yield json.loads(line)
            except ValueError as error:
                raise InputError(NO_JSON.of(path=path, number=number, reason=error)) from error


def load_aliases(path: Path) -> dict[str, tuple[str, ...]]:
    """Return every name of each entity, from the file that `wenmai ingest --aliases` takes."""
    mention = json.loads(path.read_text(encoding="utf-8"))["mention"]
    return {name: (name, *aliases) for name, aliases in mention.items()}
