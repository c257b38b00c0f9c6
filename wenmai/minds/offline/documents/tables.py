"""Uploaded tables, asked as networks are: which are meant, what is asked of them, and the calls for it."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

from state.schema import Evidence
from tools.documents.query_table import (
    QUERY_TABLE,
    ROW,
    TableNetwork,
    TableRow,
    tables_of,
    to_instance,
)
from tools.language import is_chinese
from tools.networks.context import NAMED, with_score
from tools.networks.context import piece as network_piece
from tools.networks.figures import Wanted
from tools.networks.knowledge_network_retrieval import NAME as RETRIEVAL
from tools.networks.lexicon import KnownInstance, Lexicon, known, lexicon_of, own_relations
from tools.networks.records import NetworkSchema
from tools.networks.words import Where, blanked, terms_in
from tools.story.names import fold
from tools.text.scripts import bigrams
from wenmai.minds.offline.calls import Call
from wenmai.minds.offline.documents.asking import (
    HALF,
    PATTERNS,
    above,
    asked_words,
    said_share,
)
from wenmai.minds.offline.questions.question import word_table
from wenmai.minds.offline.reading import STATED

if TYPE_CHECKING:
    from wenmai.minds.offline.networks.shapes import Query, Shape

OWN = {"object_type_id": "document", "property": "column"}  # what the arguments of a network's query are called here
WORD = re.compile(r"[a-z]+|\d+|[\u4e00-\u9fff]{2,}")
PAIR = 2
UNIT = re.compile(r"(?:多少|几)([\u4e00-\u9fff])")  # 多少册 asks for 册数
YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")


@dataclass(frozen=True)
class SeenTables:
    """The tables among some evidence that a question may mean, each behind the port of networks."""

    question: str
    networks: Mapping[str, TableNetwork]

    @classmethod
    def of(cls, question: str, evidence: Sequence[Evidence]) -> "SeenTables":
        found = [one for one in evidence if one["kind"] == "document" and one["tool"] != QUERY_TABLE]
        quantity = any if PATTERNS["difference"].search(question) else all
        tables = {name: rows for name, rows in tables_of(found).items() if has_years(question, name, rows, quantity)}
        meant = tables_meant(question, list(tables))
        return cls(question, {name: TableNetwork(name, tables[name]) for name in meant})

    @cached_property
    def titles(self) -> dict[str, str]:
        """What each table is called: by its title, or where another has the same one by its whole name."""
        titles = [one.title for one in self.networks.values()]
        return {name: one.title if titles.count(one.title) == 1 else name for name, one in self.networks.items()}

    @cached_property
    def schemas(self) -> dict[str, NetworkSchema]:
        return {name: one.schema_of() for name, one in self.networks.items()}

    @cached_property
    def lexicon(self) -> Lexicon:
        return lexicon_of([one for one, _ in self.instances], True, list(self.schemas.values()))

    @cached_property
    def instances(self) -> list[tuple[KnownInstance, TableRow]]:
        return [
            (known(schema.id, type, instance, own_relations(type, schema)), row)
            for name, schema in self.schemas.items()
            for type in schema.object_types
            for instance, row in self.networks[name].of_type(type.id)
        ]

    @cached_property
    def asked(self) -> "tuple[str, Shape | None]":
        """The question in the words of the columns, and what it asks; None for one cell of one row."""
        from wenmai.minds.offline.networks.shapes import asked_of

        return asked_of(with_measure(self.question, self.lexicon), self.lexicon)

    @cached_property
    def queries(self) -> "list[Query]":
        """What is asked of all rows of a table: a number, a figure, rows under a condition."""
        from wenmai.minds.offline.networks.shapes import Query

        shape = self.asked[1] if self.networks else None
        found = [shape, *shape.others] if isinstance(shape, Query) else []
        return list(self.of_each(found)) or found or list(self.sums())

    def sums(self) -> "Iterator[Query]":
        """Give the sums that a question asks for which says how much, of all rows with the values that it names."""
        from wenmai.minds.offline.networks.shapes import Query

        is_amount = PATTERNS["amount_asked"].search(self.question) is not None
        for name, schema in self.schemas.items() if is_amount else ():
            row_type, labels = schema.object_types[0], labels_asked(self.question, self.lexicon, schema)
            own = [one for one, rows in self.meant if one.network_id == name and one.type.id != name and len(rows) > 1]
            if len(labels) == 1 and own and len(own) == len(self.rows_named(name)):
                columns = [(one.type.display_key, one.name) for one in own]
                where = tuple(Where(column, "==", value, column, value) for column, value in columns)
                query = Query((name, name), row_type, row_type, where, "sum", labels[0], labels[0])
                yield replace(query, network=schema.name)

    def of_each(self, found: "Sequence[Query]") -> "Iterator[Query]":
        """Give what a question asks for each value of a column: how many rows, or a figure of its numbers."""
        from wenmai.minds.offline.networks.reading import AVERAGE
        from wenmai.minds.offline.networks.shapes import Query

        where = {one.key[0]: one.where for one in found if one.type.id == one.key[0]}
        plain = blanked(self.question, self.lexicon.named_in(self.question))
        for name, schema in self.schemas.items():
            row_type, *types = schema.object_types
            terms = [term for term in terms_in(plain, schema) if PATTERNS["each"].search(plain[: term.start])]
            columns = [one.display_key for term in terms for one in types if term.id in (one.id, one.display_key)]
            labels = labels_asked(self.question, self.lexicon, schema)
            if columns:
                amount = PATTERNS["counted"].search(plain) is None and bool(labels)
                wanted: Wanted = "count" if not amount else "average" if AVERAGE.search(plain) else "sum"
                label = labels[0] if amount else ""
                query = Query((name, name), row_type, row_type, where.get(name, ()), wanted, label, label, columns[0])
                yield replace(query, network=schema.name)

    @cached_property
    def meant(self) -> list[tuple[KnownInstance, list[TableRow]]]:
        """The rows, and the values of rows, that the question names, each with the rows that it stands for."""
        from wenmai.minds.offline.networks.asking import instances_meant

        mentions = self.lexicon.named_in(self.asked[0])
        meant = {id(one): one for mention in mentions for one in instances_meant(mention, self.lexicon)}
        return [(one, self.rows_of(one)) for one in meant.values()]

    def rows_of(self, one: KnownInstance) -> list[TableRow]:
        network = self.networks[one.network_id]
        if column := one.type.id.removeprefix(network.name).removeprefix("#"):
            return [row for row in network.rows if row.cells.get(column) == one.name]
        return [row for held, row in self.instances if held is one]

    def rows_named(self, name: str) -> dict[str, list[TableRow]]:
        """Return the rows of a table that the question names, by what it calls them."""
        return {one.name: rows for one, rows in self.meant if one.network_id == name}

    def named_cells(self) -> Iterator[tuple[Evidence, TableRow]]:
        """Give the cells of what the question names; of several rows each with the name of its row behind it."""
        for one, rows in self.meant:
            network = self.networks[one.network_id]
            for row in rows:
                own = to_instance(network.name, row, network.naming).display
                for label, value in row.cells.items():
                    aside = f" ({own})" if len(rows) > 1 and value != own else ""
                    key = [network.name, one.type.id, str(row.start), label]
                    if value != one.name:
                        made = network_piece("property", key, (one.name, label, f"{value}{aside}"), one.id)
                        yield {**with_score(made, NAMED), "tool": RETRIEVAL}, row


def cell_asked(question: str, pieces: Sequence[Evidence]) -> str | None:
    """Return the id of the best of these cells that a question, in the words of the columns, asks for."""
    from wenmai.minds.offline.networks.asking import is_asked, ranked

    return next((row.piece["id"] for row in ranked(question, pieces) if is_asked(row)), None)


def table_probability(question: str, evidence: Sequence[Evidence], cited: Sequence[Evidence]) -> float | None:
    """Return how probable it is that tables answer as cited, by what of the question was understood.

    None where they do not answer: neither as a whole nor by a cell.
    """
    from wenmai.minds.offline.networks.understanding import row_probability, understanding

    is_computed = any(one["tool"] == QUERY_TABLE for one in cited)
    seen = SeenTables.of(question, evidence if is_computed else cited)
    if seen.networks and seen.queries:
        return understanding(seen.asked[0], seen.queries[0], seen.lexicon, None).probability
    cells = [made for made, _ in seen.named_cells()] if seen.networks else []
    if best := cell_asked(seen.asked[0], cells) if cells else None:
        return row_probability(seen.asked[0], cells, best)
    return STATED if is_computed else None


def has_years(question: str, name: str, rows: Sequence[TableRow], quantity: Callable[[Iterable[bool]], bool]) -> bool:
    """Return True if a table, by its name, columns or cells, is of any, or of all, years that a question speaks of."""
    text, years = "\n".join((name, *(row.text for row in rows))), YEAR.findall(question)
    return not years or quantity(year in text for year in years)


def tables_meant(question: str, names: Sequence[str]) -> list[str]:
    """Return the tables that a question names by what their names do not share: all where it names none."""
    words = {name: {word for word in words_in(name) if word not in word_table("english_stop")} for name in names}
    shared = set.intersection(*words.values()) if words else set[str]()
    asked = set(words_in(question)) - shared
    said = {name: len(own & asked) for name, own in words.items()}
    return [name for name in names if said[name]] or list(names)


def words_in(text: str) -> Iterator[str]:
    for word in WORD.findall(fold(text)):
        yield from (word,) if word.isascii() else bigrams(word)


def numbers_in(schema: NetworkSchema) -> list[str]:
    """Return the columns of a table with numbers."""
    return [one.label for one in schema.object_types[0].properties if one.is_number]


def labels_asked(question: str, lexicon: Lexicon, schema: NetworkSchema) -> list[str]:
    """Return the columns with numbers that a question names, else the only one that is not called as a year."""
    plain, numbers = blanked(question, lexicon.named_in(question)), numbers_in(schema)
    named = [one.id for one in terms_in(plain, schema) if one.kind == "property" and one.id in numbers]
    named += [one for unit in UNIT.findall(plain) for one in numbers if one.startswith(f"{unit}数")]
    others = [one for one in numbers if not YEAR.fullmatch(one)]
    return list(dict.fromkeys(named)) or (others if len(others) == 1 else [])


def with_measure(question: str, lexicon: Lexicon) -> str:
    """Return a question that asks how much, or for the most, with the column of numbers where there is only one.

    Who asks how much Pies took means the amount, whatever its column is called.
    """
    found = PATTERNS["amount_asked"].search(blanked(question, lexicon.named_in(question)))
    labels = {label for schema in lexicon.schemas.values() for label in labels_asked(question, lexicon, schema)}
    label = labels.pop() if len(labels) == 1 else ""
    unit = UNIT.search(question)
    if unit and label.startswith(f"{unit[1]}数"):
        return f"{question[: unit.start()]}{label}多少{question[unit.end() :]}"
    if not found or not label or label in question:
        return question
    at = found.start() if is_chinese(found[0]) else found.end()
    return f"{question[:at]} {label} {question[at:]}"


def table_call(query: "Query") -> Call:
    return QUERY_TABLE, {OWN.get(name, name): value for name, value in query.arguments().items()}


def table_calls(question: str, evidence: Sequence[Evidence]) -> list[Call]:
    """Return the calls that a question needs of the tables whose rows were found; [] where single cells answer."""
    return [table_call(one) for one in SeenTables.of(question, evidence).queries]


def is_row_asked(question: str, sentence: str, piece: Evidence) -> bool:
    """Return False for a row of a table that says no more than half of the question's words."""
    lines = [line for line in sentence.split("\n") if ROW.match(line)]
    text = "\n".join([*lines, *above(piece)])
    return not lines or said_share(asked_words(question), text) > HALF
