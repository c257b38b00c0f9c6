"""Relations and events that patterns find in bare text, beside what people marked.

    python -m benchmarks.statements data/sample/雾港纪事.txt --aliases data/sample/aliases.json \
        --graph data/sample/relations.jsonl data/sample/events.jsonl --stated benchmarks/questions/stated_sample.jsonl

A relation is right if a row has its two ends under its type, in either direction; an event if a row of its chapter has
its type and its primary character; an interaction if any row ties the two people. `--graph` is what is to be found,
`--stated` what the text states besides. What is not right is printed with its evidence. Neither is ingested, and of the
aliases only the gold knows.
"""

import argparse
import asyncio
import json
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

from benchmarks.measures import draw, keep, read_rows
from tools.records import MajorEvent, Relation
from wenmai.app.container import Services
from wenmai.ingestion.library.decisions import load_extractions
from wenmai.ingestion.passages import chapter_key
from wenmai.ingestion.pipeline import IngestRequest, ingest
from wenmai.reader.reader import open_reader
from wenmai.settings.settings import Settings

LIBRARY = "benchmark"
Fact = tuple[Any, ...]
"""A relation's type and ends, or an event's chapter, type and character."""


@dataclass(frozen=True, slots=True)
class Names:
    """Canonical names by spelling; a spelling of several people is each of them."""

    owners: dict[str, frozenset[str]]

    @classmethod
    def read(cls, path: Path | None) -> "Names":
        """Read an alias list."""
        mention = json.loads(path.read_text(encoding="utf-8"))["mention"] if path else {}
        owners: dict[str, set[str]] = {}
        for name, aliases in mention.items():
            for spelling in (name, *aliases):
                owners.setdefault(spelling, set()).add(name)
        return cls({spelling: frozenset(names) for spelling, names in owners.items()})

    def of(self, spelling: str) -> frozenset[str]:
        """Return whose spelling it is."""
        return self.owners.get(spelling, frozenset((spelling,)))

    def relation(self, type: str, ends: Sequence[str]) -> set[Fact]:
        """Return the facts that a relation may be."""
        return {(type, frozenset((a, b))) for a in self.of(ends[0]) for b in self.of(ends[1])}

    def events(self, place: tuple[int, int], type: str, people: Sequence[str]) -> set[Fact]:
        """Return the facts that an event of these people is."""
        return {(*place, type, name) for person in people for name in self.of(person)}


def ties(names: Names, row: dict[str, Any]) -> set[Fact]:
    """Return the interactions that a row implies."""
    people = [row["source"], row["target"]] if "source" in row else [one["name"] for one in row["characters"]]
    return {fact for pair in combinations(people, 2) for fact in names.relation("INTERACTS_WITH", pair)}


def rows_of(paths: Sequence[Path], chapters: Sequence[int]) -> list[dict[str, Any]]:
    """Return the rows of files, those of the chapters if any are given."""
    return [row for path in paths for row in read_rows(path) if not chapters or row["chapter"] in chapters]


def marked(names: Names, rows: Sequence[dict[str, Any]]) -> list[set[Fact]]:
    """Return the facts of each marked row."""
    return [
        names.relation(row["type"], (row["source"], row["target"]))
        if "source" in row
        else names.events((row["part"], row["chapter"]), row["event_type"], [one["name"] for one in row["characters"]])
        for row in rows
    ]


async def found(story: Path, chapters: Sequence[int]) -> list[Relation | MajorEvent]:
    """Ingest a bare story and return what was found in it."""
    with tempfile.TemporaryDirectory() as folder:
        services = Services(Settings(data_dir=Path(folder)))
        try:
            request = IngestRequest(path=story, library=LIBRARY)
            await ingest(request, stores=services.stores, embedder=services.embedder, tagger=open_reader(None))
            catalog = services.stores.catalog
            drawn = [await load_extractions(catalog, LIBRARY, chapter_key(c)) for c in await catalog.outline(LIBRARY)]
        finally:
            await services.close()
    rows: list[Relation | MajorEvent] = []
    for one in drawn:
        rows += [*one.relations, *one.events] if one else []
    return [row for row in rows if not chapters or row.chapter in chapters]


def facts(names: Names, row: Relation | MajorEvent) -> set[Fact]:
    """Return the facts that a finding may be."""
    if isinstance(row, Relation):
        return names.relation(row.type, (row.source, row.target))
    return names.events((row.part or 1, row.chapter or 0), row.event_type, [row.primary_character])


def measures(
    rows: Sequence[set[Fact]], graph: list[set[Fact]], stated: list[set[Fact]], tied: set[Fact]
) -> dict[str, float]:
    """Return precision beside the graph alone and with what is stated besides, and the recall of both."""
    known, said = set[Fact]().union(*graph), set[Fact]().union(*stated, tied)
    reached = set[Fact]().union(*rows)
    strict = sum(bool(row & known) for row in rows)
    right = sum(bool(row & (known | said)) for row in rows)
    share = max(1, len(rows))
    hit = [sum(bool(row & reached) for row in gold) / max(1, len(gold)) for gold in (graph, [*graph, *stated])]
    return {
        "found": len(rows),
        "in the graph": round(strict / share, 3),
        "precision": round(right / share, 3),
        "recall of the graph": round(hit[0], 3),
        "recall of all": round(hit[1], 3),
    }


def parts(rows: Sequence[set[Fact]]) -> Iterator[tuple[str, list[set[Fact]]]]:
    """Yield relations, events and both."""
    relations = [row for row in rows if any(isinstance(fact[-1], frozenset) for fact in row)]
    events = [row for row in rows if row not in relations]
    yield from (("relations", relations), ("events", events), ("both", list(rows)))


def main() -> None:
    """Measure one story."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("story", type=Path)
    parser.add_argument("--aliases", type=Path)
    parser.add_argument("--graph", type=Path, nargs="*", default=[])
    parser.add_argument("--stated", type=Path, nargs="*", default=[])
    parser.add_argument("--chapters", type=int, nargs="*", default=[], help="only these")
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    names = Names.read(given.aliases)
    gold = [rows_of(paths, given.chapters) for paths in (given.graph, given.stated)]
    graph, stated = (marked(names, rows) for rows in gold)
    tied = {fact for rows in gold for row in rows for fact in ties(names, row)}
    rows = asyncio.run(found(given.story, given.chapters))
    reached = [facts(names, row) for row in rows]
    known = set[Fact]().union(*graph, *stated, tied)
    for row, one in zip(rows, reached, strict=True):
        if not one & known:
            print(row.chapter, *sorted(map(str, one)), row.evidence)
    columns = dict(parts(graph)), dict(parts(stated))
    table = {part: measures(some, columns[0][part], columns[1][part], tied) for part, some in parts(reached)}
    draw([{"what": part, **row} for part, row in table.items()])
    keep(given.json, table)


if __name__ == "__main__":
    main()
