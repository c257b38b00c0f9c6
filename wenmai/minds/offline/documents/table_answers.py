"""What uploaded tables answer: figures and rows that were computed, cells of named rows, differences."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from nodes.roles import PlanRequest
from state.draft import Mark, Sentence
from state.schema import Evidence
from tools.documents.query_table import (
    QUERY_TABLE,
    QueryTableArguments,
    TableNetwork,
    TableRow,
    computed,
    to_instance,
)
from tools.documents.search import SEMANTIC_SEARCH, document_id
from tools.evidence import label_of
from tools.networks.context import piece as network_piece
from tools.networks.knowledge_network_query import NAME as QUERY
from tools.networks.refusals import RefusedCall
from tools.tables.rows import figure, without_noise
from tools.tables.units import number_in
from wenmai.minds.offline.documents.asking import PATTERNS
from wenmai.minds.offline.documents.tables import PAIR, SeenTables, cell_asked, labels_asked, table_call
from wenmai.minds.offline.networks.asking import subject_of
from wenmai.minds.offline.wordings import cited, enumeration, say, say_cited

if TYPE_CHECKING:
    from wenmai.minds.offline.networks.shapes import Query


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
        chunks = (piece for piece in self.request.evidence if document_id(piece) == document_id(other))
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
        if not cell_asked(question, pieces):
            return []
        told = list[tuple[str, Sentence]]()
        for name in dict.fromkeys(one["library"] for one in pieces):
            own = [one for one in pieces if one["library"] == name]
            found = network_lines(question, own, self.request.language, self.seen.lexicon.labels)
            told += [(self.seen.titles[name], self.cited(one)) for one in found]
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
                    title = self.seen.titles[network.name] if several[0] or not name else ""
                    called = [name, title, label if several[1] else ""]
                    values = [row.cells[label] for row in held if label in row.cells]
                    found.append((" ".join(filter(None, called)), label, values, held[0]))
        return found


def with_titles(seen: SeenTables) -> "Query":
    """Return what is asked of tables; of all rows of one it is told under the title of that table."""
    own = [
        replace(one, type=replace(one.type, name=seen.titles[one.key[0]]))
        if one.wanted != "list" and not one.where and not one.group
        else replace(one, network=seen.titles[one.key[0]])
        for one in seen.queries
    ]
    return replace(own[0], others=tuple(own[1:]))


def is_seen_whole(request: PlanRequest) -> bool:
    """Return True if all rows were looked at: by query_table, or by a search that found less than it might."""
    searches = [call for call in request.calls if call["tool"] == SEMANTIC_SEARCH]
    return any(one["tool"] == QUERY_TABLE for one in request.evidence) or any(
        call["ok"] and call["items"] < int(call["args"].get("top_k", 0)) for call in searches
    )
