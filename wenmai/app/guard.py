"""Which part a spoiler guard means where the caller names a chapter alone."""

from collections import defaultdict
from collections.abc import Collection
from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from state.context import Context
    from tools.records import ChapterOutline
    from wenmai.ingestion.contracts import CatalogWriter


async def with_meant_part(catalog: "CatalogWriter", context: "Context", named: Collection[str]) -> "Context":
    """Return the context with the part that its guard means: 1, or where chapters count on over volumes, the volume's.

    Args:
        catalog: holds the chapters of the library.
        context: what a run may see.
        named: the fields that the caller has set.
    """
    if context.as_of_chapter is None or "as_of_part" in named or not context.library:
        return context
    outline = await catalog.outline(context.library)
    return replace(context, as_of_part=meant_part(outline, context.as_of_chapter))


def meant_part(outline: "Collection[ChapterOutline]", chapter: int) -> int:
    """Return the last part that begins at or before a chapter, of those that go on where the one before has ended.

    Numbers that begin again, side stories and other sources end the count: behind them a chapter could be another's.
    """
    numbers: dict[tuple[int, str], list[int]] = defaultdict(list)
    for one in outline:
        if one.number:
            numbers[one.part, one.task_id.partition("#")[0]].append(one.number)
    meant, last, source = 1, 0, ""
    for (part, stem), found in sorted(numbers.items()):
        if min(found) <= last or stem != (source or stem) or min(found) > chapter:
            break
        meant, last, source = part, max(found), stem
    return meant
