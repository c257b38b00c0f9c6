"""Uploaded tables, asked as networks are: figures and rows by query_table, cells of named rows."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

from nodes.roles import PlanRequest
from state.draft import Mark, Sentence
from state.schema import Evidence
from tools.documents.query_table import (
    QUERY_TABLE,
    ROW,
    QueryTableArguments,
    TableNetwork,
    TableRow,
    computed,
    tables_of,
    to_instance,
)
from tools.documents.records import OPEN_TASK
from tools.documents.search import LIST_DOCUMENTS, SEMANTIC_SEARCH
from tools.evidence import label_of
from tools.language import is_chinese
from tools.networks.context import NAMED, with_score
from tools.networks.context import piece as network_piece
from tools.networks.figures import Wanted
from tools.networks.knowledge_network_query import NAME as QUERY
from tools.networks.knowledge_network_retrieval import NAME as RETRIEVAL
from tools.networks.lexicon import KnownInstance, Lexicon, known, lexicon_of, own_relations
from tools.networks.records import NetworkSchema
from tools.networks.refusals import RefusedCall
from tools.networks.words import Where, blanked, terms_in
from tools.story.names import fold
from tools.tables.rows import figure, without_noise
from tools.tables.units import number_in
from tools.text.scripts import bigrams
from wenmai.minds.offline.calls import Call
from wenmai.minds.offline.documents.asking import (
    HALF,
    PATTERNS,
    above,
    admitted,
    asked_words,
    asks_for_list,
    asks_open_tasks,
    exact_terms,
    mentioned_in_files,
    said_share,
    whole,
)
from wenmai.minds.offline.networks.asking import subject_of
from wenmai.minds.offline.questions.question import word_table
from wenmai.minds.offline.reading import sentences_of
from wenmai.minds.offline.wordings import cited, enumeration, say, say_cited, sentence

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


def asks_cell(question: str, pieces: Sequence[Evidence]) -> bool:
    """Return True if a question, in the words of the columns, asks for one of these cells."""
    from wenmai.minds.offline.networks.asking import is_asked, ranked

    return any(is_asked(row) for row in ranked(question, pieces))


def is_of_table(question: str, chunks: Sequence[Evidence]) -> bool:
    """Return True if tables among chunks answer a question: as a whole, or by a cell."""
    seen = SeenTables.of(question, chunks)
    if not seen.networks:
        return False
    return bool(seen.queries) or asks_cell(seen.asked[0], [made for made, _ in seen.named_cells()])


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


HEADS = (
    ("offline.documents.one_found", "offline.documents.found"),
    ("offline.documents.one_listed", "offline.documents.listed"),
)


def listing(request: PlanRequest) -> list[Sentence]:
    """Return the files, each once, where a question asks which there are; else []."""
    if not asks_for_list(request.resolved):
        return []
    documents = [piece for piece in request.evidence if piece["kind"] == "document"]
    listed = [piece for piece in documents if piece["tool"] == LIST_DOCUMENTS]
    files: dict[str, Evidence] = {}
    for piece in listed or documents:
        files.setdefault(piece["source"] or "", piece)
    head = HEADS[bool(listed)][len(files) != 1]
    lines = [sentence("- ", cited(name, piece["id"])) for name, piece in files.items()]
    return [sentence(say(head, request.language, count=len(files))), *lines] if lines else []


MENTIONING = ("offline.documents.one_mentioning", "offline.documents.mentioning")


def mention_listing(request: PlanRequest) -> list[Sentence]:
    """Return the files that have a name, each once, where a question asks which documents mention it; else []."""
    asked = mentioned_in_files(request.resolved)
    name = fold(asked)
    files: dict[str, Evidence] = {}
    for piece in request.evidence if name else ():
        if piece["kind"] == "document" and name in fold(whole(piece)):
            files.setdefault(piece["source"] or "", piece)
    head = say(MENTIONING[len(files) != 1], request.language, count=len(files), name=asked)
    lines = [sentence("- ", cited(name, piece["id"])) for name, piece in sorted(files.items())]
    return [sentence(head), *lines] if lines else []


def task_lines(request: PlanRequest) -> list[Sentence]:
    """Return the open tasks of the documents, each once, where a question asks for them; else []."""
    if not asks_open_tasks(request.resolved):
        return []
    found: dict[str, Evidence] = {}
    for piece in request.evidence:
        lines = piece["text"].split("\n") if piece["kind"] == "document" else ()
        for line in lines:
            if task := line.partition(OPEN_TASK)[2].strip():
                found.setdefault(task, piece)
    return [sentence("- ", cited(task, piece["id"])) for task, piece in found.items()]


async def table_lines(request: PlanRequest) -> list[Sentence]:
    """Return what tables answer: figures and rows that were computed, cells of named rows; else []."""
    seen = SeenTables.of(request.resolved, request.evidence)
    if not seen.networks:
        return []
    answer = TableAnswer(seen, request)
    return answer.difference() or await answer.computed() or answer.cells()


@dataclass(slots=True)
class TableAnswer:
    """Writes lines about tables as those about networks are written, citing rows, or the chunks that hold them."""

    seen: SeenTables
    request: PlanRequest
    holders: dict[str, str] = field(default_factory=dict)
    """The pieces of the evidence that hold what was made of them, by its id."""

    async def computed(self) -> list[Sentence]:
        pieces = [piece for query in self.seen.queries for piece in await self.pieces(query)]
        if not pieces:
            return []
        from wenmai.minds.offline.networks.guide import NetworkAnswer

        shape = with_titles(self.seen)
        answer = NetworkAnswer(pieces, self.request.language, self.seen.asked[0])
        if shape.group and not shape.degree:
            lines = [answer.line(subject_of(one), label_of(one), [one]) for one in pieces]
        else:
            lines = answer.lines(shape) or []
        lines = [self.cited(line) for line in lines]
        if lines and not is_seen_whole(self.request):
            lines.append(
                cited(say("offline.documents.part", self.request.language), lines[0]["marks"][0]["piece"] or "")
            )
        return lines

    async def pieces(self, query: "Query") -> list[Evidence]:
        """Return what was computed for a query as a network tells it: by query_table, else here of the rows seen."""
        network = self.seen.networks[query.key[0]]
        name, arguments = table_call(query)
        made = [one["call"] for one in self.request.calls if one["tool"] == name and one["args"] == arguments]
        own = [one for one in self.request.evidence if one["tool"] == name and one["call"] in made]
        if not own:
            try:
                own = (await computed({network.name: network.rows}, QueryTableArguments.model_validate(arguments)))[2]
            except RefusedCall:
                return []
        return [made for one in own for made in self.of_result(query, network, one)]

    def of_result(self, query: "Query", network: TableNetwork, one: Evidence) -> Iterator[Evidence]:
        if one["kind"] == "property":
            self.holders[one["id"]] = self.holder(one, network.rows[0].piece)
            yield {**one, "library": network.name, "tool": QUERY}
            return
        type, row = query.type, TableRow(one, one["start"] or 0, one["text"])
        cells = row.cells
        name = cells.get(type.display_key) or to_instance(network.name, row).display
        labels = [type.display_key or type.name, query.label, query.degree.label if query.degree else ""]
        for at, label in enumerate(dict.fromkeys([*labels, *(where.label for where in query.where)])):
            if value := cells.get(label) or ("" if at else name):
                key = [network.name, type.id, str(row.start), label]
                made = network_piece("property", key, (name, label, value), str(row.start))
                self.holders[made["id"]] = self.holder(one, one)
                yield {**made, "tool": QUERY}

    def holder(self, one: Evidence, other: Evidence) -> str:
        """Return the id of a piece, of one that is not among the evidence that of the chunk with it."""
        ids = {piece["id"] for piece in self.request.evidence}
        if one["id"] in ids:
            return one["id"]
        chunks = (piece for piece in self.request.evidence if piece["source"] == other["source"])
        return next(piece["id"] for piece in chunks if other["text"] in piece["text"])

    def cited(self, line: Sentence) -> Sentence:
        marks = [Mark({**mark, "piece": self.holders[mark["piece"] or ""]}) for mark in line["marks"]]
        return {**line, "marks": marks}

    def cells(self) -> list[Sentence]:
        """Return the cells that the question asks for by their columns, each table's by its title."""
        from wenmai.minds.offline.networks.guide import NetworkAnswer, network_lines

        question, shape = self.seen.asked
        pieces = list[Evidence]()
        is_amount = PATTERNS["amount_asked"].search(question) is not None
        for made, row in self.seen.named_cells():
            if is_amount and number_in(row.cells[label_of(made)]) is None:
                continue  # how much is no word
            self.holders[made["id"]] = self.holder(row.piece, row.piece)
            pieces.append(made)
        if shape is not None and not self.seen.queries:
            lines = NetworkAnswer(pieces, self.request.language, question).lines(shape) or []
            return [self.cited(line) for line in lines]
        if not asks_cell(question, pieces):
            return []
        told = list[tuple[str, Sentence]]()
        for name in dict.fromkeys(one["library"] for one in pieces):
            own = [one for one in pieces if one["library"] == name]
            found = network_lines(question, own, self.request.language, self.seen.lexicon.labels)
            told += [(self.seen.networks[name].title, self.cited(one)) for one in found]
        if len({title for title, _ in told}) < PAIR:
            return [line for _, line in told]
        form = "offline.networks.in_network"
        return [say_cited(form, self.request.language, network=title, line=line) for title, line in told]

    def difference(self) -> list[Sentence]:
        """Return how far two numbers are apart: of a row or a sum in two tables, of two rows, or of two columns."""
        if not PATTERNS["difference"].search(self.seen.question):
            return []
        sides = self.sides()
        numbers = [figure(values, "sum") for _, _, values, _ in sides]
        if len(sides) != PAIR or None in numbers:
            return []
        language, between = self.request.language, say("offline.shared.between", self.request.language)
        told = [
            cited(f"{name} {number}", self.holder(row.piece, row.piece), spaced=False)
            for (name, _, _, row), number in zip(sides, numbers, strict=True)
        ]
        apart = without_noise(abs(float(numbers[0]) - float(numbers[1])))
        values = enumeration(between, told)
        label = between.join(dict.fromkeys(label for _, label, _, _ in sides))
        return [say_cited("offline.documents.difference", language, label=label, value=apart, values=values)]

    def sides(self) -> list[tuple[str, str, list[str], TableRow]]:
        """Return what a question compares: each by its name, with its label, values and first row."""
        found = list[tuple[str, str, list[str], TableRow]]()
        for network in self.seen.networks.values():
            labels = labels_asked(self.seen.question, self.seen.lexicon, self.seen.schemas[network.name])
            rows = self.seen.rows_named(network.name) or {"": list(network.rows)}
            for name, held in rows.items():
                for label in labels:
                    several = (len(self.seen.networks) > 1, len(labels) > 1)
                    called = [name, network.title if several[0] or not name else "", label if several[1] else ""]
                    values = [row.cells[label] for row in held if label in row.cells]
                    found.append((" ".join(filter(None, called)), label, values, held[0]))
        return found


def with_titles(seen: SeenTables) -> "Query":
    """Return what is asked of tables; of all rows of one it is told under the title of that table."""
    own = [
        replace(one, type=replace(one.type, name=seen.networks[one.key[0]].title))
        if one.wanted != "list" and not one.where and not one.group
        else replace(one, network=seen.networks[one.key[0]].title)
        for one in seen.queries
    ]
    return replace(own[0], others=tuple(own[1:]))


def table_call(query: "Query") -> Call:
    return QUERY_TABLE, {OWN.get(name, name): value for name, value in query.arguments().items()}


def table_calls(question: str, evidence: Sequence[Evidence]) -> list[Call]:
    """Return the calls that a question needs of the tables whose rows were found; [] where single cells answer."""
    return [table_call(one) for one in SeenTables.of(question, evidence).queries]


def is_seen_whole(request: PlanRequest) -> bool:
    """Return True if all rows were looked at: by query_table, or by a search that found less than it might."""
    searches = [call for call in request.calls if call["tool"] == SEMANTIC_SEARCH]
    return any(one["tool"] == QUERY_TABLE for one in request.evidence) or any(
        call["ok"] and call["items"] < int(call["args"].get("top_k", 0)) for call in searches
    )


def is_row_asked(question: str, sentence: str, piece: Evidence) -> bool:
    """Return False for a row of a table that says no more than half of the question's words."""
    lines = [line for line in sentence.split("\n") if ROW.match(line)]
    text = "\n".join([*lines, *above(piece)])
    return not lines or said_share(asked_words(question), text) > HALF


def term_lines(request: PlanRequest) -> list[Sentence]:
    """Return the sentence that has the codes and quoted phrases of a question, where little else is asked; else []."""
    terms = [fold(term) for term in exact_terms(request.resolved)]
    rest = [word for word in asked_words(request.resolved) if not any(fold(word) in term for term in terms)]
    for piece in admitted(request.resolved, request.evidence) if terms else []:
        if piece["kind"] == "document" and said_share(rest, whole(piece)) >= HALF:
            sentences = (piece["text"][slice(*span)] for span in sentences_of(piece, piece["text"]))
            told = [
                cited(" ".join(one.split()), piece["id"]) for one in sentences if any(t in fold(one) for t in terms)
            ]
            return told[:1]
    return []
