"""Networks from a folder of plain CSV files: types, keys and relations are inferred from headers and values.

Each file becomes an object type, each column that names rows of a file a relation. A file that joins two others, such
as order lines, becomes a relation between these as well, and its rows keep what the relation's properties are.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

from tools.errors import InputError
from tools.tables.names import INVERSE, comment, glossary
from tools.wording import Words
from wenmai.knowledge.columns import Column, TableFile, read_tables
from wenmai.knowledge.content import Content, Link, Row, settled
from wenmai.knowledge.files import reader_of, value_of
from wenmai.knowledge.naming import identifier, identifiers
from wenmai.knowledge.references import Reference, references
from wenmai.knowledge.spec import NAME, JoinSpec, NetworkSpec, ObjectSpec, PropertySpec, RelationSpec

NO_FILES = Words(
    "{folder} 里没有 network.yaml，也没有带数据的 CSV 文件", "{folder} has no network.yaml and no CSV file with rows"
)
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


def read_folder(folder: Path, network_id: str) -> Content:
    """Return the network of a folder of CSV files. Raises InputError."""
    tables = read_tables(folder)
    if not tables:
        raise InputError(NO_FILES.of(folder=folder))
    known = references(tables)
    ids = identifiers([table.name for table in tables])
    kinds = {table.name: to_kind(table, ids[table.name], known) for table in tables}
    relations = [mapped(one, kinds) for one in known]
    links: dict[str, list[Link]] = {}
    for first, second in joins(tables, known):
        relation, pairs = through(first, second, kinds)
        relations.append(relation)
        links[relation.id] = pairs
    specs = [kinds[table.name].spec for table in tables]
    spec = NetworkSpec(id=network_id, name=folder.name, object_types=specs, relation_types=relations)
    return settled(spec, {kind.spec.id: kind.rows for kind in kinds.values()}, links)


def to_kind(table: TableFile, id: str, known: Sequence[Reference]) -> Kind:
    """Return a file as an object type."""
    names = property_names(table)
    own = [one.column.header for one in known if one.table is table]
    keys = [names[key] for key in ([table.key] if table.key else composite(table, own))]
    properties = [described(one, names[one.header]) for one in table.columns]
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


def property_names(table: TableFile) -> dict[str, str]:
    """Return the name of the property of each header: the header itself where it may be one."""
    headers = [one.header for one in table.columns]
    fit = {header: header for header in headers if NAME.fullmatch(header)}
    return fit | identifiers([one for one in headers if one not in fit], {*fit.values(), ROW, FULL_NAME})


def described(column: Column, name: str) -> PropertySpec:
    """Return a column as a property."""
    label = " ".join(column.words) or column.header
    return PropertySpec(name=name, display_name=label, type=column.type, comment=comment(label))


def rows_of(table: TableFile, properties: Sequence[PropertySpec]) -> Iterator[Row]:
    """Give the rows of a file with values of their types."""
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


def mapped(one: Reference, kinds: Mapping[str, Kind]) -> RelationSpec:
    """Return a reference as a relation of equal properties."""
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
    """Return the primary key of each row of a reference's target by the text that names it."""
    kind = kinds[one.target.name]
    keys = [tuple(row[name] for name in kind.spec.primary_keys) for row in kind.rows]
    return dict(zip(one.key.cells, keys, strict=True))
