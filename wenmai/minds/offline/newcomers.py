"""People whom a talk names in full and the library does not list: for the talk they are people like all others."""

from functools import lru_cache

from state.session import Session, SessionTurn
from tools.records import Name
from tools.story.linking import NameTable
from wenmai.language.lexicon import surname
from wenmai.minds.offline import phrases
from wenmai.minds.offline.answers import QUOTING
from wenmai.minds.offline.reading import read
from wenmai.minds.offline.turns import answered_by

LATELY = 4  # turns
KEPT_TABLES = 16  # of the talks that are under way


def with_newcomers(session: Session, table: NameTable) -> NameTable:
    """Return the names of a library and those that the last turns bring in: 文鸯 of 是文鸯，年方十八岁."""
    names = {name: None for turn in session["turns"][-LATELY:] for name in _newcomers(turn, table)}
    return _wider(table, tuple(names)) if names else table


@lru_cache(maxsize=KEPT_TABLES)
def _wider(table: NameTable, names: tuple[str, ...]) -> NameTable:
    return table.with_names([Name(text=name, entity=name, kind="Character", mentions=1) for name in names])


def _newcomers(turn: SessionTurn, table: NameTable) -> list[str]:
    if QUOTING.search(turn["answer"]):
        return strangers_of(turn["resolved"], table)
    named = [*strangers_of(turn["resolved"], table), *strangers_of(turn["answer"], table)]
    answering = answered_by(turn["resolved"], turn["answer"], table)
    return named + [name for name in answering if not name.endswith(tuple(named))]


def strangers_of(text: str, table: NameTable) -> list[str]:
    """Return full names of a text that the library does not list."""
    reading = read(text, table, strangers=True)
    spans = {(word.start, word.end) for word in reading.words}
    unlisted = [one for one in reading.people() if not one.known and (one.start, one.end) in spans]
    full = [one.name for one in unlisted if surname(one.name) or one.name[0] == "阿"]
    return [name for name in full if name not in phrases.PERSON_NOUNS]
