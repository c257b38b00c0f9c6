"""Summaries that a library holds: which of them are stale, and what they go with."""

from collections.abc import Mapping, Sequence

from tools.records import Summary, SummaryFilter
from wenmai.ingestion.contracts import CatalogWriter

NOTE = "summaries"  # key of the catalog's note of the model that wrote them
Slot = tuple[int, int, int]  # part, number (-1: none) and copy of a chapter


def slot_of_place(place: tuple[int, int | None], copy: int) -> Slot:
    part, number = place
    return part, -1 if number is None else number, copy


def key_of(row: Summary) -> tuple[object, ...]:
    return row.kind, row.subject, row.task_id, row.part, row.chapter, row.copy


def kept_under(task_id: str) -> str:
    """Return the name under which answers to requests for summaries are kept, apart from those about pieces."""
    return f"summaries:{task_id}"


async def drop_stale(
    catalog: CatalogWriter, library: str, rows: Sequence[Summary], digests: Mapping[Slot, str]
) -> list[Summary]:
    """Delete summaries of chapters that are gone or changed, and what may stand on them; return the rest.

    `digests` has what the chapters' summaries are made from now, by their places.
    """
    own = {_last(row): row for row in rows if row.kind == "chapter"}
    changed = {slot for slot, row in own.items() if digests.get(slot) != row.digest}
    first = min([*changed, *(slot for slot in digests if slot not in own)], default=None)

    def is_stale(row: Summary) -> bool:
        if row.kind == "chapter":
            return _last(row) in changed
        return first is not None and (row.chapter is None or _last(row) >= first)

    stale = [row for row in rows if is_stale(row)]
    await catalog.delete_summaries(library, stale)
    gone = set(map(key_of, stale))
    return [row for row in rows if key_of(row) not in gone]


async def drop_summaries_of(catalog: CatalogWriter, library: str, tasks: Sequence[str]) -> None:
    """Delete the summaries of texts, and what may stand on them."""
    rows = await catalog.summaries(library, SummaryFilter())
    left = {_last(row): row.digest for row in rows if row.kind == "chapter" and row.task_id not in tasks}
    # A chapter may have no summary of its own, but a description as of it.
    gone = {_last(row): "" for row in rows if row.task_id in tasks and row.chapter is not None}
    await drop_stale(catalog, library, rows, gone | left)


def _last(row: Summary) -> Slot:
    return slot_of_place((row.part, row.chapter), row.copy)
