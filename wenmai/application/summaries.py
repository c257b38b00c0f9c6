"""What a model wrote of a library: summaries of chapters, sections, parts and books, descriptions of people."""

from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import BaseModel, Field

from tools.records import Horizon, Summary, SummaryFilter, SummaryKind
from wenmai.app.container import Services
from wenmai.application.caller import Caller
from wenmai.application.paging import USUAL, FirstRow, Guard, Page, Rows, in_range, read_library


class SentenceView(BaseModel):
    """A sentence with what bears it out."""

    text: str
    evidence: list[str] = Field(description="Ids of passages: GET /libraries/{library}/evidence/{id}")


class SummaryView(BaseModel):
    """A summary, or the description of a person as of a chapter; a model wrote it, and each sentence was checked."""

    kind: SummaryKind = Field(description="A section is a run of chapters of a long part")
    name: str | None = Field(description="The person, by the name that readers know there; null for other kinds")
    part: int = Field(description="Part of the last chapter that it covers")
    chapter: int | None = Field(description="Number of the last chapter that it covers")
    first_part: int
    first_chapter: int | None
    text_source: str = Field(description="Id of the text")
    sentences: list[SentenceView]


@dataclass(frozen=True, slots=True)
class SummaryOperations:
    """What can be asked of the summaries of libraries. Raises LibraryNotFound, FieldError, StoreError."""

    services: Services
    caller: Caller

    @in_range
    async def list(
        self,
        library: str,
        *,
        kind: SummaryKind | None = None,
        entity: str | None = None,
        part: int | None = None,
        chapter: int | None = None,
        guard: Guard | None = None,
        limit: Rows = USUAL,
        offset: FirstRow = 0,
    ) -> Page[SummaryView]:
        """Return summaries by the last chapter that they cover; none where no model wrote any.

        Args:
            entity: only descriptions of this person, by the name that readers know.
            part: only those that end in this part, `chapter` at this chapter.
            guard: shows what covers no more than a reader has read.
        """
        async with read_library(self.services, self.caller, library, guard) as horizon:
            where = SummaryFilter(
                kinds=(kind,) if kind else (),
                subjects=(entity,) if entity else (),
                part=part,
                chapters=None if chapter is None else (chapter, chapter),
                horizon=horizon,
            )
            rows = await self.services.catalog.summaries(library, where)
            return Page.of(rows, limit, offset).map(summary_view)


async def latest_description(
    services: Services, library: str, names: Sequence[str], horizon: Horizon | None
) -> SummaryView | None:
    """Return the description of a person by one of these names that is as of the last chapter which a reader knows."""
    where = SummaryFilter(kinds=("person",), subjects=tuple(names), horizon=horizon)
    rows = await services.catalog.summaries(library, where)
    return summary_view(rows[-1]) if rows else None


def summary_view(row: Summary) -> SummaryView:
    first_part, first_chapter = row.first
    return SummaryView(
        kind=row.kind,
        name=row.subject or None,
        part=row.part,
        chapter=row.chapter,
        first_part=first_part,
        first_chapter=first_chapter,
        text_source=row.task_id,
        sentences=[SentenceView(text=one.text, evidence=[*one.evidence]) for one in row.sentences],
    )
