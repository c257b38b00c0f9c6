"""Networks from a folder of plain CSV files: types, keys and relations are inferred from headers and values.

Each file becomes an object type, each column that names rows of a file a relation. A file that joins two others, such
as order lines, becomes a relation between these as well, and its rows keep what the relation's properties are.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from pathlib import Path

from tools.errors import InputError
from tools.language import is_chinese
from tools.messages import Message
from tools.tables.names import (
    INVERSE,
    comment,
    glossary,
    says_id,
    says_name,
    singular,
    without_id,
    without_name,
    words_listed,
    words_of,
)
from wenmai.knowledge.content import (
    NAME,
    CheckedContent,
    DataType,
    JoinSpec,
    Link,
    NetworkSpec,
    ObjectSpec,
    PropertySpec,
    RelationSpec,
    Row,
    identifier,
    identifiers,
    ordered_content,
)
from wenmai.knowledge.files import csv_records, reader_of, value_of

DELIMITERS = ",;\t|"
ENCODINGS = ("utf-8-sig", "gb18030")
LONG_TEXT = 60  # characters; longer values on the average are texts
WHOLE = re.compile(r"[+-]?(?:0|[1-9]\d{0,17})")
DECIMAL = re.compile(r"[+-]?\d+\.\d+(?:[eE][+-]?\d+)?")
DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
TIME = re.compile(r"\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}.*")
KEY_TYPES = frozenset({"integer", "string"})
TITLE = "title"  # of a work, its name; of people, their job
DISTINCT = 0.9  # share of different values from which titles name rows
PART_NAMES = (("contact",), ("first",), ("last",), ("user",), ("middle",), ("given",), ("family",))


@dataclass(frozen=True)
class TableColumn:
    """A column of a file; an empty cell is None."""

    header: str
    cells: Sequence[str | None]

    @cached_property
    def words(self) -> tuple[str, ...]:
        return words_of(self.header)

    @cached_property
    def values(self) -> frozenset[str]:
        return frozenset(cell for cell in self.cells if cell is not None)

    @cached_property
    def is_unique(self) -> bool:
        return bool(self.cells) and len(self.values) == len(self.cells)

    @cached_property
    def type(self) -> DataType:
        patterns: tuple[tuple[DataType, re.Pattern[str]], ...] = (("integer", WHOLE), ("date", DATE))
        for name, pattern in patterns:
            if self.values and all(map(pattern.fullmatch, self.values)):
                return name
        if self.values and all(WHOLE.fullmatch(one) or DECIMAL.fullmatch(one) for one in self.values):
            return "float"
        if self.values and all(TIME.fullmatch(one) or DATE.fullmatch(one) for one in self.values):
            return "datetime"
        filled = [cell for cell in self.cells if cell is not None]
        return "text" if sum(map(len, filled)) > LONG_TEXT * max(1, len(filled)) else "string"

    @property
    def may_be_key(self) -> bool:
        return self.is_unique and self.type in KEY_TYPES


@dataclass(frozen=True)
class TableFile:
    """A CSV file: its name's words in the singular, and its columns."""

    path: Path
    columns: Sequence[TableColumn]

    @cached_property
    def words(self) -> tuple[str, ...]:
        words = words_of(self.path.stem)
        return (*words[:-1], singular(words[-1])) if words else (self.path.stem,)

    @property
    def name(self) -> str:
        return " ".join(self.words)

    def column(self, header: str) -> TableColumn:
        return next(one for one in self.columns if one.header == header)

    @cached_property
    def key(self) -> str:
        """The header of the column that tells its rows apart; '' where none does."""
        ranked = [(self._key_rank(one, at), -at, one.header) for at, one in enumerate(self.columns) if one.may_be_key]
        rank, _, header = max(ranked, default=(0, 0, ""))
        return header if rank else ""

    def _key_rank(self, column: TableColumn, at: int) -> int:
        own = column.words[:-1] == self.words[-len(column.words) + 1 :] or column.words[:-1] == self.words
        if says_id(column.words):
            return 4 if own or len(column.words) == 1 else 3
        return 2 if says_name(column.words) and column.type == "string" else int(at == 0)

    @cached_property
    def name_column(self) -> str:
        """The header of the column that people call its rows by; '' where there is none."""
        ranked = [(self._name_rank(one), -at, one.header) for at, one in enumerate(self.columns)]
        rank, _, header = max(ranked, default=(0, 0, ""))
        return header if rank else ""

    def _name_rank(self, column: TableColumn) -> int:
        if column.type != "string" or not says_name(column.words) or 2 * len(column.values) < len(column.cells):
            return 0
        rest = without_name(column.words)
        if column.words[-1] == TITLE and (not rest or not self._is_own(rest)):
            return int(len(column.values) >= DISTINCT * len(column.cells)) * (1 if rest else 3)
        if self._is_own(rest):
            return 4
        return 3 if rest == ("company",) else 1 if rest in PART_NAMES else 2

    def _is_own(self, rest: Sequence[str]) -> bool:
        """Return True if what stands before name in a header means the rows of this file."""
        own = {self.name, self.words[-1], *glossary().names.get(self.name, ())}
        said = " ".join(rest)
        is_part = is_chinese(said) and (said in self.name or self.name in said)  # 书 of 图书
        return said in ("", "full") or said in own or self.words[-1] in rest or is_part


def read_tables(folder: Path) -> list[TableFile]:
    """Return the CSV files of a folder that have rows. Raises InputError."""
    files = sorted(path for path in folder.iterdir() if path.suffix.lower() in (".csv", ".tsv"))
    return [table for table in map(read_table, files) if table.columns and table.columns[0].cells]


def read_table(path: Path) -> TableFile:
    """Return a CSV file, whatever its delimiter, in UTF-8 or GB18030. Raises InputError."""
    text = decoded(path)
    delimiter = max(DELIMITERS, key=text.partition("\n")[0].count)  # the one that the first line has most
    rows = [row for _, row in csv_records(path, text, delimiter)]
    headers = list(rows[0]) if rows else []
    return TableFile(path, [TableColumn(one, [(row[one] or "").strip() or None for row in rows]) for one in headers])


def decoded(path: Path) -> str:
    for encoding in ENCODINGS:
        try:
            return path.read_text(encoding=encoding)
        except UnicodeDecodeError:
            continue
        except OSError as error:
            raise InputError(Message("file.not_read", path=path, reason=error.strerror)) from error
    raise InputError(Message("network.file.unknown_encoding", path=path))


HELD = 0.95  # share of a column's cells that must be keys of the other file: a few may name rows that are gone
LEAST_SAME = 4  # letters at the beginning that two names must share to be akin: shipVia, shipper
WAYS = frozenset({"to", "by", "via", "of", "for", "from"})  # at the end of a header that says how, not what
LEAST_NAMES = 3  # different texts that are names of the other file by more than chance
# How much speaks for a reference: the same name, the other file's name, its beginning, a role of its rows, a mere key.
SAME, NAMED, AKIN, ROLE, OWN, BARE = 5.0, 4.0, 2.0, 2.5, 3.0, 1.0
MAIN, MUTUAL, COVERED = 0.5, 1.5, 0.4
SERVED = ("customer", "patient")  # a role that their table names is one of those who serve them
RUNNING = 2  # keys up to so many times the number of rows are a running number, which other small numbers are in
PERSONAL = frozenset({("full", "name"), ("fullname",), ("first", "name"), ("last", "name"), ("姓名",)})


@dataclass(frozen=True, slots=True)
class Reference:
    """A column that names rows of a file by one of its columns."""

    table: TableFile
    column: TableColumn
    target: TableFile
    key: TableColumn

    @property
    def words(self) -> tuple[str, ...]:
        words = without_id(self.column.words)
        return words or self.target.words


def references(tables: Sequence[TableFile]) -> list[Reference]:
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


def candidates(table: TableFile, column: TableColumn, tables: Sequence[TableFile]) -> Iterator[Reference]:
    if not column.values or column.type not in KEY_TYPES:
        return
    filled = [cell for cell in column.cells if cell is not None]
    for target in tables:
        for key in target.columns:
            is_own = target is table and (key is column or column.header == table.key)
            if key.may_be_key and not is_own and sum(cell in key.values for cell in filled) / len(filled) >= HELD:
                yield Reference(table, column, target, key)


def score(one: Reference, sure: Sequence[Reference], *, is_alone: bool) -> float:
    """Return how much speaks for a reference beside its values; 0 for chance.

    Some are `sure` already; `is_alone`: no other key has the column's values.
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
    said = " ".join(words)
    if words[-len(name) :] == name or words[-1:] == name[-1:] or said in glossary().names.get(one.target.name, ()):
        return NAMED  # also by another name of what the file holds: 厂商 of manufacturers.csv
    if any(role in (said, *words) or said.endswith(role) for role in words_listed("roles")):
        return role_score(one)
    if words and len(words[0]) >= LEAST_SAME and name[0].startswith(words[0][:LEAST_SAME]):
        return AKIN
    if is_key and (says_id(one.column.words) or says_way(one.column.words)):
        return OWN if one.target is one.table and "parent" in words else BARE
    return BARE if one.key.type == "string" and (is_key or says_name(one.key.words)) else 0.0


def role_score(one: Reference) -> float:
    """Return how much a column of a role, such as manager, means the people of a file; most where they are its own."""
    known = {target: at for at, target in enumerate(words_listed("people"))}
    names = [known[name] for name in (one.target.name, *glossary().names.get(one.target.name, ())) if name in known]
    if not names and any(column.words in PERSONAL for column in one.target.columns):
        names = [len(known)]
    if not names:
        return BARE if says_id(one.column.words) else 0.0
    is_own = one.target is one.table and one.target.name not in SERVED
    return OWN if is_own else ROLE - 0.05 * min(names)


def tells(one: Reference, *, is_alone: bool) -> bool:
    """Return True if the values alone are no chance: small numbers are in every key, texts are not."""
    if one.key.type == "string":
        return len(one.column.values) >= LEAST_NAMES
    if says_way(one.column.words) or "parent" in one.column.words:
        return True
    # several numbers, all of them the main keys of a file that does not count its rows
    is_main, are_held = one.key.header == one.target.key, one.column.values <= one.key.values
    is_running = max(map(int, one.key.values)) <= RUNNING * len(one.key.values)
    return is_alone and is_main and are_held and not is_running and len(one.column.values) >= LEAST_NAMES


def says_way(words: Sequence[str]) -> bool:
    """Return True if a header says how its row is reached: reports to, shipped via."""
    return bool(words) and words[-1] in WAYS


ROW, ROW_LABEL = "row", "行号"
FULL_NAME = "full_name"
FIRST_LAST = (("first", "name"), ("last", "name"))


@dataclass(frozen=True, slots=True)
class Kind:
    """A file as an object type: its schema, the names of its properties by header, and its rows."""

    table: TableFile
    spec: ObjectSpec
    names: Mapping[str, str]
    rows: Sequence[Row]


def read_folder(folder: Path, network_id: str) -> CheckedContent:
    """Return the network of a folder of CSV files. Raises InputError."""
    tables = read_tables(folder)
    if not tables:
        raise InputError(Message("network.file.no_files", folder=folder))
    known = references(tables)
    ids = identifiers([table.name for table in tables])
    kinds = {table.name: to_kind(table, ids[table.name], known) for table in tables}
    relations = [column_relation(one, kinds) for one in known]
    links: dict[str, list[Link]] = {}
    for first, second in joins(tables, known):
        relation, pairs = through(first, second, kinds)
        relations.append(relation)
        links[relation.id] = pairs
    specs = [kinds[table.name].spec for table in tables]
    spec = NetworkSpec(id=network_id, name=folder.name, object_types=specs, relation_types=relations)
    return ordered_content(spec, {kind.spec.id: kind.rows for kind in kinds.values()}, links)


def to_kind(table: TableFile, id: str, known: Sequence[Reference]) -> Kind:
    headers = [one.header for one in table.columns]
    names = {header: header for header in headers if NAME.fullmatch(header)}
    names |= identifiers([one for one in headers if one not in names], {*names.values(), ROW, FULL_NAME})
    own = [one.column.header for one in known if one.table is table]
    keys = [names[key] for key in ([table.key] if table.key else composite(table, own))]
    labels = [" ".join(one.words) or one.header for one in table.columns]
    properties = [
        PropertySpec(name=names[one.header], display_name=label, type=one.type, comment=comment(label))
        for one, label in zip(table.columns, labels, strict=True)
    ]
    rows = list(rows_of(table, properties))
    if not keys:
        keys = [ROW]
        properties = [PropertySpec(name=ROW, display_name=ROW_LABEL, type="integer"), *properties]
        rows = [{ROW: number, **row} for number, row in enumerate(rows, 1)]
    display = names.get(table.name_column, "")
    parts = [names[one.header] for words in FIRST_LAST for one in table.columns if one.words == words]
    if len(parts) == len(FIRST_LAST):
        display = FULL_NAME
        label = FULL_NAME.replace("_", " ")
        properties.append(PropertySpec(name=FULL_NAME, display_name=label, comment=comment(label)))
        rows = [{**row, FULL_NAME: " ".join(str(row[part] or "") for part in parts).strip()} for row in rows]
    spec = ObjectSpec(
        id=id,
        name=table.name,
        comment=comment(table.name),
        primary_keys=keys,
        display_key=display,
        instances=f"{id}.jsonl",
        properties=properties,
    )
    return Kind(table, spec, names, rows)


def rows_of(table: TableFile, properties: Sequence[PropertySpec]) -> Iterator[Row]:
    readers = [(one.name, reader_of(one), column.cells) for one, column in zip(properties, table.columns, strict=True)]
    for at in range(len(table.columns[0].cells)):
        yield {name: value_of(cells[at], read, f"{table.path} {name}") for name, read, cells in readers}


def composite(table: TableFile, own: Sequence[str]) -> list[str]:
    """Return the fewest of the columns that name other rows which tell the rows of a file apart; [] where none do."""
    filled = [one for one in own if None not in table.column(one).cells]
    for size in range(2, len(filled) + 1):
        for chosen in combinations(filled, size):
            cells = list(zip(*(table.column(one).cells for one in chosen), strict=True))
            if len(set(cells)) == len(cells):
                return list(chosen)
    return []


def column_relation(one: Reference, kinds: Mapping[str, Kind]) -> RelationSpec:
    source, target = kinds[one.table.name], kinds[one.target.name]
    name = " ".join(one.words)
    return RelationSpec(
        id=identifier(f"{source.spec.id}_{name}", ()),
        name=name,
        comment=comment(name, glossary().leading([name, one.target.name])),
        source=source.spec.id,
        target=target.spec.id,
        mapping=[JoinSpec(source=source.names[one.column.header], target=target.names[one.key.header])],
    )


def joins(tables: Sequence[TableFile], known: Sequence[Reference]) -> Iterator[tuple[Reference, Reference]]:
    """Give the two references of each file that only joins two others; the whole before its parts.

    It has no key but the pair, or a name such as order lines or loans; no other file names its rows.
    """
    for table in tables:
        own = [one for one in known if one.table is table]
        is_named = any(one.target is table for one in known) or bool(table.name_column)
        is_join = not table.key or bool(glossary().leading([table.name]))
        if len(own) == 2 and own[0].target is not own[1].target and is_join and not is_named:
            yield (own[0], own[1]) if own[1].target.words != table.words[:1] else (own[1], own[0])


def through(first: Reference, second: Reference, kinds: Mapping[str, Kind]) -> tuple[RelationSpec, list[Link]]:
    """Return the relation between two files that the rows of a third one join, and its pairs."""
    table, source, target = kinds[first.table.name], kinds[first.target.name], kinds[second.target.name]
    verbs = [one for one in glossary().leading([table.table.name]) if not one.startswith(INVERSE)]
    name = f"{table.table.name} {target.table.name}"
    id = identifier(f"{source.spec.id}_{name}", ())
    ends = [keys_by(one, kinds) for one in (first, second)]
    cells = zip(first.column.cells, second.column.cells, strict=True)
    pairs = [(ends[0][one], ends[1][other]) for one, other in cells if one in ends[0] and other in ends[1]]
    relation = RelationSpec(
        id=id,
        name=name,
        comment=comment(name, verbs),
        source=source.spec.id,
        target=target.spec.id,
        links=f"relation_{id}.jsonl",
    )
    return relation, pairs


def keys_by(one: Reference, kinds: Mapping[str, Kind]) -> dict[str | None, tuple[object, ...]]:
    kind = kinds[one.target.name]
    keys = [tuple(row[name] for name in kind.spec.primary_keys) for row in kind.rows]
    return dict(zip(one.key.cells, keys, strict=True))
