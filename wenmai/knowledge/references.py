"""Which columns of CSV files name rows of other files: their values are that file's keys, and their names say so."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tools.tables.names import glossary, listed, says_id, says_name, without_id
from wenmai.knowledge.columns import KEY_TYPES, Column, TableFile

HELD = 0.95  # share of a column's cells that must be keys of the other file: a few may name rows that are gone
LEAST_SAME = 4  # letters at the beginning that two names must share to be akin: shipVia, shipper
WAYS = frozenset({"to", "by", "via", "of", "for", "from"})  # at the end of a header that says how, not what
LEAST_NAMES = 3  # different texts that are names of the other file by more than chance
# How much speaks for a reference: the same name, the other file's name, its beginning, a role of its rows, a mere key.
SAME, NAMED, AKIN, ROLE, OWN, BARE = 5.0, 4.0, 2.0, 2.5, 3.0, 1.0
MAIN, MUTUAL, COVERED = 0.5, 1.5, 0.4
RUNNING = 2  # keys up to so many times the number of rows are a running number, which other small numbers are in
PERSONAL = frozenset({("full", "name"), ("fullname",), ("first", "name"), ("last", "name"), ("姓名",)})


@dataclass(frozen=True, slots=True)
class Reference:
    """A column that names rows of a file by one of its columns."""

    table: TableFile
    column: Column
    target: TableFile
    key: Column

    @property
    def words(self) -> tuple[str, ...]:
        """What the column calls the row that it names: supplier of supplierID."""
        words = without_id(self.column.words)
        return words or self.target.words


def references(tables: Sequence[TableFile]) -> list[Reference]:
    """Return the references among files, each column's likeliest."""
    sure = [one for one, score in best_of(tables, []) if score >= NAMED]
    return [one for one, _ in best_of(tables, sure)]


def best_of(tables: Sequence[TableFile], sure: Sequence[Reference]) -> Iterator[tuple[Reference, float]]:
    """Give the likeliest reference of each column that has one, with what speaks for it."""
    for table in tables:
        for column in table.columns:
            held = list(candidates(table, column, tables))
            found = [(score(one, sure, is_alone=len(held) == 1), one) for one in held]
            best = max(found, key=lambda pair: pair[0], default=None)
            if best and best[0] >= BARE:
                yield best[1], best[0]


def candidates(table: TableFile, column: Column, tables: Sequence[TableFile]) -> Iterator[Reference]:
    """Give the keys of files whose values a column has."""
    if not column.values or column.type not in KEY_TYPES:
        return
    for target in tables:
        for key in target.columns:
            is_own = target is table and (key is column or column.header == table.key)
            if key.may_be_key and not is_own and held_share(column, key) >= HELD:
                yield Reference(table, column, target, key)


def held_share(column: Column, key: Column) -> float:
    """Return the share of a column's filled cells that are values of a key."""
    filled = [cell for cell in column.cells if cell is not None]
    return sum(cell in key.values for cell in filled) / len(filled)


def score(one: Reference, sure: Sequence[Reference], *, is_alone: bool) -> float:
    """Return how much speaks for a reference beside its values; 0 for chance.

    Args:
        one: the reference.
        sure: those that are sure.
        is_alone: whether no other key has the column's values.
    """
    by_name = name_score(one)
    if not by_name or (by_name == BARE and not tells(one, is_alone=is_alone)):
        return 0.0
    is_mutual = any(other.table is one.target and other.target is one.table for other in sure)
    covered = len(one.column.values & one.key.values) / len(one.key.values)
    return by_name + MAIN * (one.key.header == one.target.key) + MUTUAL * is_mutual + COVERED * covered


def name_score(one: Reference) -> float:
    """Return how much a column's name says that it is a reference to this file."""
    words, name = without_id(one.column.words), one.target.words
    is_key = one.key.header == one.target.key
    if one.column.header == one.table.key and words in ((), one.table.words, one.table.words[-1:]):
        return 0.0
    if one.column.header.lower() == one.key.header.lower() and words and (is_key or says_id(one.column.words)):
        return SAME
    if words[-len(name) :] == name or words[-1:] == name[-1:] or akin_names(words, one.target):
        return NAMED
    said = " ".join(words)
    if any(role in (said, *words) or said.endswith(role) for role in listed("roles")):
        return role_score(one)
    if words and len(words[0]) >= LEAST_SAME and name[0].startswith(words[0][:LEAST_SAME]):
        return AKIN
    if is_key and (says_id(one.column.words) or says_way(one.column.words)):
        return OWN if one.target is one.table and "parent" in words else BARE
    return BARE if one.key.type == "string" and (is_key or says_name(one.key.words)) else 0.0


def akin_names(words: Sequence[str], target: TableFile) -> bool:
    """Return True if a column is called by another name of what the file holds: 厂商 of manufacturers.csv."""
    return " ".join(words) in glossary().names.get(target.name, ())


def role_score(one: Reference) -> float:
    """Return how much a column of a role, such as manager, means the people of a file; most where they are its own."""
    known = {target: at for at, target in enumerate(listed("people"))}
    names = [known[name] for name in (one.target.name, *glossary().names.get(one.target.name, ())) if name in known]
    if not names and any(column.words in PERSONAL for column in one.target.columns):
        names = [len(known)]
    if not names:
        return BARE if says_id(one.column.words) else 0.0
    return OWN if one.target is one.table else ROLE - 0.05 * min(names)


def tells(one: Reference, *, is_alone: bool) -> bool:
    """Return True if the values alone are no chance: small numbers are in every key, texts are not."""
    if one.key.type == "string":
        return len(one.column.values) >= LEAST_NAMES
    return says_way(one.column.words) or "parent" in one.column.words or (is_alone and is_telling(one))


def is_telling(one: Reference) -> bool:
    """Return True if several numbers, all of them keys, are the main key of a file that does not count its rows."""
    is_main, are_held = one.key.header == one.target.key, one.column.values <= one.key.values
    is_running = max(map(int, one.key.values)) <= RUNNING * len(one.key.values)
    return is_main and are_held and not is_running and len(one.column.values) >= LEAST_NAMES


def says_way(words: Sequence[str]) -> bool:
    """Return True if a header says how its row is reached: reports to, shipped via."""
    return bool(words) and words[-1] in WAYS
