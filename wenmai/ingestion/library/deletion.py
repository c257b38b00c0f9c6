"""Deleting a source, or all of them, from every store of a library."""

from collections.abc import Sequence
from dataclasses import replace

from tools.errors import InputError
from tools.wording import Names, Words
from wenmai.ingestion.contracts import Receipt, Stores
from wenmai.ingestion.library.decisions import apply_decisions, load_decisions, save_decisions, save_extractions
from wenmai.ingestion.library.entity_writes import rewrite_entities
from wenmai.ingestion.library.notes import forget_text_notes, imports, load_notes, save_note
from wenmai.ingestion.passages.layout import Key, chapter_key

_NONE = Words("无", "none")
NO_SOURCE = Words(
    "资料库 {library} 里没有来源 {source}，现有：{known}", "library {library} has no source {source}, but {known}"
)


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
        known = Names((await catalog.info(library)).sources) or _NONE
        raise InputError(NO_SOURCE.of(library=library, source=task_id, known=known))
    before = await stores.graph.counts(library)
    tasks = tuple(dict.fromkeys(chapter.task_id for chapter in chapters))
    passages = 0
    for chapter in chapters:
        passages += await delete_chapter(stores, library, chapter_key(chapter))
    for task in tasks:
        await stores.graph.delete_source(library, task)
        await forget_text_notes(catalog, library, task)
    answers = sum([await stores.answers.forget(library, task) for task in tasks]) if stores.answers else 0
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
        await save_note(catalog, library, source, None)
