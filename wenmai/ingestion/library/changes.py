"""Changing a library: deleting a source or all of them, merging two entities, renaming one, and undoing either.

Later ingests keep the decisions on names.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from tools.errors import InputError
from tools.messages import Message, Names
from wenmai.ingestion.contracts import Receipt, Stores
from wenmai.ingestion.library.decisions import (
    Decision,
    Decisions,
    RecordChanges,
    apply_decisions,
    load_decisions,
    load_extractions,
    save_decisions,
    save_extractions,
)
from wenmai.ingestion.library.entity_writes import WrittenEntities, rewrite_entities
from wenmai.ingestion.library.notes import forget_text_notes, imports, load_notes, save_note, tables_key
from wenmai.ingestion.library.summaries import drop_summaries_of, kept_under
from wenmai.ingestion.passages import Key, chapter_key


async def delete_chapter(stores: Stores, library: str, key: Key) -> int:
    """Delete a chapter from vectors, graph and catalog; return how many passages it had."""
    deleted = await stores.passages.delete(library, await stores.catalog.passage_ids(library, *key))
    await stores.graph.put_chapter(library, *key, [], [])
    await save_extractions(stores.catalog, library, key, None)
    await stores.catalog.delete_chapter(library, *key)
    return deleted


async def delete_import(stores: Stores, library: str, stem: str) -> None:
    await stores.graph.delete_source(library, stem)
    await save_extractions(stores.catalog, library, stem, None)


async def delete_source(library: str, task_id: str | None, stores: Stores) -> Receipt:
    """Delete a task (None: every one) from vectors, graph and catalog.

    A source that loses its last task loses its imported records and its note as well.

    Raises:
        InputError: the library has no such task.
    """
    catalog = stores.catalog
    chapters = await catalog.chapters(library, task_id)
    if task_id is not None and not chapters:
        known = Names((await catalog.info(library)).sources) or Message("sign.none")
        raise InputError(Message("library.unknown_source", library=library, source=task_id, known=known))
    before = await stores.graph.counts(library)
    tasks = tuple(dict.fromkeys(chapter.task_id for chapter in chapters))
    passages = 0
    for chapter in chapters:
        passages += await delete_chapter(stores, library, chapter_key(chapter))
    for task in tasks:
        await stores.graph.delete_source(library, task)
        await forget_text_notes(catalog, library, task)
    await drop_summaries_of(catalog, library, tasks)
    kept = [*tasks, *map(kept_under, tasks)]
    answers = sum([await stores.answers.forget(library, one) for one in kept]) if stores.answers else 0
    old = await load_decisions(catalog, library)
    await _shorten_notes(stores, library, tasks, everything=task_id is None)
    decisions = await load_decisions(catalog, library)
    if decisions.merged != old.merged:
        await apply_decisions(stores, library, old, decisions, await imports(catalog, library))
    await rewrite_entities(stores, library, decisions)
    after = await stores.graph.counts(library)
    gone = {kind: before.get(kind, 0) - after.get(kind, 0) for kind in ("relations", "events", "entities")}
    return Receipt(library=library, tasks=tasks, passages=passages, chapters=len(chapters), answers=answers, **gone)


async def _shorten_notes(stores: Stores, library: str, tasks: Sequence[str], *, everything: bool) -> None:
    """Shorten or remove the notes of the sources that held these tasks; with one go the merges read in its source."""
    catalog = stores.catalog
    for source, note in (await load_notes(catalog, library)).items():
        left = [task for task in note.tasks if task not in tasks]
        if left and not everything:
            if left != note.tasks:
                await save_note(catalog, library, source, replace(note, fingerprint=None, tasks=left))
            continue
        for stem in note.imports:
            await delete_import(stores, library, stem)
        decisions = await load_decisions(catalog, library)
        await save_decisions(catalog, library, decisions.proposed(source, {}))
        await catalog.put_note(library, tables_key(source), None)
        await save_note(catalog, library, source, None)


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteOutcome:
    """What a merge or a split changed: records, and the entity's spellings before and after."""

    name: str
    into: str
    change: RecordChanges
    before: tuple[str, ...]
    after: tuple[str, ...]
    entities: int


async def merge_entities(stores: Stores, library: str, name: str, into: str) -> WriteOutcome:
    """Let `name` stand for `into` in tags, relations, events and aliases. Raises InputError."""
    decisions = await ready_decisions(stores, library)
    await require_entity(stores, library, name, decisions)
    await require_entity(stores, library, into, decisions)
    if name == into:
        raise InputError(Message("entity.merge_with_itself", name=name))
    rows = [row for row in decisions.rows if (row.name, row.by) != (name, "person")]
    by_model = Decisions(tuple(rows)).effective(name)
    if by_model is None or by_model.into != into:
        rows.append(Decision(name=name, into=into, by="person"))
    return await _changed(stores, library, decisions, rows, (name, into))


async def split_entity(stores: Stores, library: str, name: str) -> WriteOutcome:
    """Undo the merge of a name: a person's is taken back, a model's is overruled. Raises InputError."""
    decisions = await ready_decisions(stores, library)
    row = decisions.effective(name)
    if row is None or row.into is None:
        merged = Names(f"{one} → {end}" for one, end in sorted(decisions.merged.items())[:10]) or Message("sign.none")
        raise InputError(Message("entity.not_merged", name=name, merged=merged))
    rows = [one for one in decisions.rows if (one.name, one.by) != (name, "person")]
    if row.by == "model":
        rows.append(Decision(name=name, into=None, by="person"))
    return await _changed(stores, library, decisions, rows, (name, decisions.resolve(name)))


async def rename_entity(stores: Stores, library: str, name: str, to: str) -> WriteOutcome:
    """Let an entity bear a name that nothing else has; the old one becomes an alias. Raises InputError."""
    decisions = await ready_decisions(stores, library)
    await require_entity(stores, library, name, decisions)
    if to in decisions.merged:
        raise InputError(Message("entity.already_merged", name=to, end=decisions.resolve(to)))
    if await stores.graph.entity(library, to, None):
        raise InputError(Message("entity.name_taken", library=library, name=to))
    rows = [row for row in decisions.rows if (row.name, row.by) != (name, "person")]
    return await _changed(
        stores, library, decisions, [*rows, Decision(name=name, into=to, by="person", is_rename=True)], (name, to)
    )


async def settle_decisions(
    stores: Stores, library: str, old: Decisions, new: Decisions, *, everything: bool = False
) -> tuple[RecordChanges, WrittenEntities]:
    """Keep new decisions and apply them; what an interruption leaves undone, the next ingest or merge does."""
    await save_decisions(stores.catalog, library, replace(new, settled=False))
    stems = await imports(stores.catalog, library)
    change = await apply_decisions(stores, library, old, new, stems, everything=everything or not old.settled)
    written = await rewrite_entities(stores, library, new)
    await save_decisions(stores.catalog, library, replace(new, settled=True))
    return change, written


async def ready_decisions(stores: Stores, library: str) -> Decisions:
    """Return the decisions of a library that can be changed. Raises LibraryNotFound, InputError."""
    await stores.catalog.info(library)
    for chapter in await stores.catalog.chapters(library):
        if await load_extractions(stores.catalog, library, chapter_key(chapter)) is None:
            raise InputError(Message("entity.no_record_to_merge", library=library, number=chapter.number))
    return await load_decisions(stores.catalog, library)


async def require_entity(stores: Stores, library: str, name: str, decisions: Decisions) -> None:
    if not await stores.graph.entity(library, name, None):
        if name in decisions.merged:
            raise InputError(Message("entity.already_merged", name=name, end=decisions.resolve(name)))
        raise InputError(Message("entity.unknown", library=library, name=name, list=Message("entity.see_list")))


async def _changed(
    stores: Stores, library: str, old: Decisions, rows: Sequence[Decision], pair: tuple[str, str]
) -> WriteOutcome:
    name, into = pair
    before = await stores.graph.entity(library, into, None)
    change, written = await settle_decisions(stores, library, old, replace(old, rows=tuple(rows)))
    after = await stores.graph.entity(library, into, None)
    return WriteOutcome(
        name=name,
        into=into,
        change=change,
        before=before.aliases if before else (),
        after=after.aliases if after else (),
        entities=written.entities,
    )
