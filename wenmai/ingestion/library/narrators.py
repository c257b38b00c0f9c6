"""Who narrates the chapters of a library: as the text shows it, and as a person has decided it, which goes first."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace

from tools.records import Chapter, PassageFilter
from tools.story.names import fold
from wenmai.ingestion.contracts import CatalogWriter, Stores
from wenmai.ingestion.library.changes import ready_decisions, require_entity
from wenmai.ingestion.library.decisions import (
    Extractions,
    Tags,
    apply_decisions,
    load_extractions,
    note_key,
    save_extractions,
)
from wenmai.ingestion.library.entity_writes import rewrite_entities
from wenmai.ingestion.library.notes import imports
from wenmai.ingestion.passages import chapter_key
from wenmai.language.narration import narrated, pronoun_spans

NOTE = "narrators"


@dataclass(frozen=True, slots=True, kw_only=True)
class NarratorDecision:
    """A person's word on who narrates; `name` None: nobody. None for `part`, `first` or `last` is no bound."""

    name: str | None
    part: int | None = None
    first: int | None = None
    last: int | None = None

    def covers(self, part: int, number: int | None) -> bool:
        if self.part not in (None, part):
            return False
        if self.first is None and self.last is None:
            return True
        return number is not None and (self.first or 0) <= number and (self.last is None or number <= self.last)


@dataclass(frozen=True, slots=True)
class LibraryNarrators:
    """`found` is what the texts show, by chapter; of the decisions the last one that covers a chapter counts."""

    found: Mapping[str, str] = field(default_factory=dict)
    decided: tuple[NarratorDecision, ...] = ()

    def decision(self, chapter: Chapter) -> NarratorDecision | None:
        return next((one for one in reversed(self.decided) if one.covers(chapter.part, chapter.number)), None)

    def of(self, chapter: Chapter) -> str | None:
        own = self.decision(chapter)
        return own.name if own else self.found.get(note_key(chapter_key(chapter)))


async def load_narrators(catalog: CatalogWriter, library: str) -> LibraryNarrators:
    note = await catalog.note(library, NOTE) or {"found": {}, "decided": []}
    return LibraryNarrators(note["found"], tuple(NarratorDecision(**row) for row in note["decided"]))


async def save_narrators(catalog: CatalogWriter, library: str, narrators: LibraryNarrators) -> None:
    note = {"found": dict(narrators.found), "decided": [asdict(one) for one in narrators.decided]}
    await catalog.put_note(library, NOTE, note if any(note.values()) else None)


async def set_narrator(stores: Stores, library: str, decision: NarratorDecision) -> int:
    """Let an entity, or nobody, narrate some chapters; return how many passages changed. Raises InputError."""
    known = await load_narrators(stores.catalog, library)
    if decision.name is not None:
        await require_entity(stores, library, decision.name, await ready_decisions(stores, library))
    return await _apply(stores, library, known, replace(known, decided=(*known.decided, decision)))


async def undo_narrators(stores: Stores, library: str) -> int:
    """Take every decision on narrators back; return how many passages changed."""
    known = await load_narrators(stores.catalog, library)
    return await _apply(stores, library, known, replace(known, decided=()))


async def withdraw_narrator(stores: Stores, library: str, decision: NarratorDecision) -> int:
    """Take one decision on narrators back, however often it was made; return how many passages changed."""
    known = await load_narrators(stores.catalog, library)
    left = tuple(one for one in known.decided if one != decision)
    return await _apply(stores, library, known, replace(known, decided=left))


async def _apply(stores: Stores, library: str, old: LibraryNarrators, new: LibraryNarrators) -> int:
    """Tag the passages in which a changed narrator says "I"; relations and events follow at the next ingest."""
    decisions = await ready_decisions(stores, library)
    stored = {passage.id: passage for passage in await stores.passages.scroll(library, PassageFilter())}
    for chapter in await stores.catalog.chapters(library):
        gone, come = old.of(chapter), new.of(chapter)
        kept = await load_extractions(stores.catalog, library, chapter_key(chapter))
        if gone == come or kept is None:
            continue
        entity = await stores.graph.entity(library, decisions.resolve(gone), None) if gone else None
        spellings = [gone, *(entity.aliases if entity else ())] if gone else []
        pronouns = [start for start, _ in pronoun_spans(narrated(chapter.text))]
        tags: dict[str, Tags] = dict(kept.tags)
        for id, (entities, characters) in kept.tags.items():
            passage = stored.get(id)
            if passage is None or not any(passage.start <= at < passage.end for at in pronouns):
                continue
            is_named = any(fold(one) in fold(passage.text) for one in spellings)
            left = [one for one in entities if one != gone or is_named]
            tags[id] = (tuple(dict.fromkeys([*left, *([come] if come else [])])), characters)
        extractions = Extractions(tags, kept.relations, kept.events)
        await save_extractions(stores.catalog, library, chapter_key(chapter), extractions)
    await save_narrators(stores.catalog, library, new)
    change = await apply_decisions(stores, library, decisions, decisions, await imports(stores.catalog, library))
    await rewrite_entities(stores, library, decisions)
    return change.passages
