"""Writing the entities of a library, and who is known where, from the sightings of its passages."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace

from tools.records import GRAPH_COUNTS, Entity, PassageFilter
from wenmai.ingestion.contracts import SourceNote, Stores
from wenmai.ingestion.library.decisions import Decisions
from wenmai.ingestion.library.entities import count_entities
from wenmai.ingestion.library.notes import load_notes
from wenmai.ingestion.library.sightings import Sighting, forget_sightings, observe
from wenmai.ingestion.library.spoiler_filter import apply_spoiler_filter
from wenmai.ingestion.passages import digest
from wenmai.ingestion.sources.aliases import KnownName, merge


@dataclass(frozen=True, slots=True, kw_only=True)
class LibraryNames:
    """The names of all sources of a library, after merges.

    Attributes:
        known: each entity with its aliases.
        pinned: entities that stand in the graph without a passage.
        imports: stems of the graph files.
    """

    known: Mapping[str, KnownName]
    pinned: frozenset[str]
    imports: tuple[str, ...]

    @classmethod
    def of(cls, notes: Mapping[str, SourceNote], decisions: Decisions) -> "LibraryNames":
        """Join the names of all sources; what the first says of a name goes before what others say."""
        rows = list(notes.values())
        known = {entry.name: entry for entry in merge([], (entry for note in rows for entry in note.names))}
        return cls(
            known=decisions.known(known),
            pinned=frozenset(decisions.tags([name for note in rows for name in note.pinned])),
            imports=tuple(stem for note in rows for stem in note.imports),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenEntities:
    """What the graph holds now.

    Attributes:
        rows: the sightings with their new guises.
        digests: of each entity's records, by name.
        entities: how many there are, without the stand-ins of a late reveal.
        deleted: how many are gone.
    """

    rows: list[Sighting]
    digests: dict[str, str]
    entities: int
    deleted: int


async def write_entities(
    stores: Stores,
    library: str,
    rows: Sequence[Sighting],
    names: LibraryNames,
    decisions: Decisions,
    before: Mapping[str, str],
) -> WrittenEntities:
    """Write the entities that differ from `before` (name: digest), and delete those that nothing names any more."""
    index = count_entities(rows, names.known, names.pinned)
    digests = _digests(index.entities)
    stale = sorted({name.entity for name in await stores.graph.names(library, None)} - digests.keys())
    changed = [entity for entity in index.entities if before.get(entity.name) != digests[entity.name]]
    await stores.graph.put_entities(library, changed)
    deleted = await stores.graph.delete_entities(library, stale) if stale else 0
    await apply_spoiler_filter(stores, library, index, rows, decisions, names.imports)
    await stores.catalog.put_note(library, GRAPH_COUNTS, await stores.graph.counts(library))
    return WrittenEntities(
        rows=[replace(row, guises=index.guises.get(row.id, ())) for row in rows],
        digests=digests,
        entities=sum(entity.until is None for entity in index.entities),
        deleted=deleted,
    )


def _digests(entities: Sequence[Entity]) -> dict[str, str]:
    records: defaultdict[str, list[object]] = defaultdict(list)
    for entity in entities:
        records[entity.name].append(asdict(entity))
    return {name: digest(found) for name, found in records.items()}


async def rewrite_entities(stores: Stores, library: str, decisions: Decisions) -> WrittenEntities:
    await forget_sightings(stores.catalog, library)
    names = LibraryNames.of(await load_notes(stores.catalog, library), decisions)
    passages = await stores.passages.scroll(library, PassageFilter())
    return await write_entities(stores, library, observe(passages, names.known), names, decisions, {})
