"""Merging two entities of a library, renaming one, and undoing either; later ingests keep the decisions."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from tools.errors import InputError
from tools.wording import Names, Words
from wenmai.ingestion.contracts import Stores
from wenmai.ingestion.library.decisions import (
    Decision,
    Decisions,
    RecordChanges,
    apply_decisions,
    load_decisions,
    load_extractions,
    save_decisions,
)
from wenmai.ingestion.library.entity_writes import rewrite_entities
from wenmai.ingestion.library.notes import imports
from wenmai.ingestion.passages.layout import chapter_key

NO_ENTITY = Words("资料库 {library} 里没有实体 {name}：{list}", "library {library} has no entity {name}: {list}")
NO_RECORD = Words(
    "资料库 {library} 的第 {number} 章没有合并所需的记录：请再次运行 wenmai ingest",
    "chapter {number} of library {library} has no record to merge by: run wenmai ingest again",
)
TAKEN = Words(
    "资料库 {library} 里已有实体 {name}：请换一个名称，或者合并这两个实体",
    "library {library} has an entity {name} already: take another name, or merge the two",
)
IS_MERGED = Words(
    "{name} 已并入 {end}：请先 wenmai entities split {name}",
    "{name} is merged into {end}: first wenmai entities split {name}",
)
NOT_MERGED = Words(
    "{name} 不是由合并得来的名称；现有的合并：{merged}", "{name} is no name that was merged; merges: {merged}"
)
SAME = Words("两个名称是同一个实体：{name}", "both names are one entity: {name}")
_LIST = Words("可用 wenmai entities list 查看", "wenmai entities list shows them")
_NONE = Words("无", "none")


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What a merge or a split changed: records, and the entity's spellings before and after."""

    name: str
    into: str
    change: RecordChanges
    before: tuple[str, ...]
    after: tuple[str, ...]
    entities: int


async def merge_entities(stores: Stores, library: str, name: str, into: str) -> Outcome:
    """Let `name` stand for `into` in tags, relations, events and aliases. Raises InputError."""
    decisions = await _ready(stores, library)
    await _require_entity(stores, library, name, decisions)
    await _require_entity(stores, library, into, decisions)
    if name == into:
        raise InputError(SAME.of(name=name))
    rows = [row for row in decisions.rows if (row.name, row.by) != (name, "person")]
    by_model = Decisions(tuple(rows)).effective(name)
    if by_model is None or by_model.into != into:
        rows.append(Decision(name=name, into=into, by="person"))
    return await _changed(stores, library, decisions, rows, (name, into))


async def split_entity(stores: Stores, library: str, name: str) -> Outcome:
    """Undo the merge of a name: a person's is taken back, a model's is overruled. Raises InputError."""
    decisions = await _ready(stores, library)
    row = decisions.effective(name)
    if row is None or row.into is None:
        merged = Names(f"{one} → {end}" for one, end in sorted(decisions.merged.items())[:10]) or _NONE
        raise InputError(NOT_MERGED.of(name=name, merged=merged))
    rows = [one for one in decisions.rows if (one.name, one.by) != (name, "person")]
    if row.by == "model":
        rows.append(Decision(name=name, into=None, by="person"))
    return await _changed(stores, library, decisions, rows, (name, decisions.resolve(name)))


async def rename_entity(stores: Stores, library: str, name: str, to: str) -> Outcome:
    """Let an entity bear a name that nothing else has; the old one becomes an alias. Raises InputError."""
    decisions = await _ready(stores, library)
    await _require_entity(stores, library, name, decisions)
    if to in decisions.merged:
        raise InputError(IS_MERGED.of(name=to, end=decisions.resolve(to)))
    if await stores.graph.entity(library, to, None):
        raise InputError(TAKEN.of(library=library, name=to))
    rows = [row for row in decisions.rows if (row.name, row.by) != (name, "person")]
    return await _changed(stores, library, decisions, [*rows, Decision(name=name, into=to, by="person")], (name, to))


async def _ready(stores: Stores, library: str) -> Decisions:
    """Return the decisions of a library that can be changed. Raises LibraryNotFound, InputError."""
    await stores.catalog.info(library)
    for chapter in await stores.catalog.chapters(library):
        if await load_extractions(stores.catalog, library, chapter_key(chapter)) is None:
            raise InputError(NO_RECORD.of(library=library, number=chapter.number))
    return await load_decisions(stores.catalog, library)


async def _require_entity(stores: Stores, library: str, name: str, decisions: Decisions) -> None:
    if not await stores.graph.entity(library, name, None):
        if name in decisions.merged:
            raise InputError(IS_MERGED.of(name=name, end=decisions.resolve(name)))
        raise InputError(NO_ENTITY.of(library=library, name=name, list=_LIST))


async def _changed(
    stores: Stores, library: str, old: Decisions, rows: Sequence[Decision], pair: tuple[str, str]
) -> Outcome:
    """Apply new decisions; what an interruption leaves undone, the next ingest or merge does."""
    new = Decisions(tuple(rows), settled=False)
    name, into = pair
    before = await stores.graph.entity(library, into, None)
    await save_decisions(stores.catalog, library, new)
    stems = await imports(stores.catalog, library)
    change = await apply_decisions(stores, library, old, new, stems, everything=not old.settled)
    written = await rewrite_entities(stores, library, new)
    await save_decisions(stores.catalog, library, replace(new, settled=True))
    after = await stores.graph.entity(library, into, None)
    return Outcome(
        name=name,
        into=into,
        change=change,
        before=before.aliases if before else (),
        after=after.aliases if after else (),
        entities=written.entities,
    )
