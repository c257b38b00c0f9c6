"""Calls under way: failures of several at once, and a chapter whose only trace is a description."""

import asyncio
import gc
from typing import Any

import pytest

from tests.fakes import FakeCatalog
from tools.errors import ModelError
from tools.records import Summary, SummaryFilter, SummaryKind, SummarySentence
from wenmai.ingestion.library.summaries import drop_summaries_of
from wenmai.ingestion.model.under_way import finished


async def test_every_failure_is_taken() -> None:
    """STO-99: the first failure is raised, and the loop has nothing to log of the others."""
    logged: list[dict[str, Any]] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: logged.append(context))

    async def failing(number: int) -> None:
        await asyncio.sleep(0)
        raise ModelError(str(number))

    with pytest.raises(ModelError, match="0"):
        await finished((failing(number) for number in range(3)), lambda: None)
    gc.collect()
    assert logged == []


def summary(kind: SummaryKind, task: str, chapter: int, subject: str = "") -> Summary:
    sentences = (SummarySentence("他来了。", (f"{task}{chapter}",)),)
    return Summary(
        library="lib",
        kind=kind,
        task_id=task,
        part=1,
        chapter=chapter,
        first=(1, 1),
        subject=subject,
        sentences=sentences,
        digest="d",
    )


async def test_a_description_goes_with_a_chapter_without_a_summary() -> None:
    """STO-97: also where nothing of the summary of a chapter has passed the check, what stands on it is deleted."""
    catalog = FakeCatalog()
    await catalog.create("lib", "书", "fake", 8, "zh")
    rows = [summary("chapter", "a", 1), summary("person", "a", 1, "甲"), summary("person", "b", 2, "甲")]
    await catalog.put_summaries("lib", rows)
    await drop_summaries_of(catalog, "lib", ["b"])
    assert await catalog.summaries("lib", SummaryFilter()) == rows[:2]
