"""What a library tells in short: the recap so far, and what a model wrote of chapters, parts, books and people."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from pydantic import BaseModel, Field

from tools.messages import LANGUAGE, say
from tools.records import Horizon, Summary, SummaryFilter, SummaryKind
from wenmai.app.container import Services
from wenmai.application.caller import Caller
from wenmai.application.paging import USUAL, FirstRow, Guard, Page, Rows, in_range, read_library
from wenmai.application.passages import LastPlace

RECAP_SENTENCES, RECAP_PEOPLE = 30, 8


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


class RecapPerson(BaseModel):
    """A person of the story, the most mentioned first."""

    name: str
    aliases: list[str]
    sentence: str = Field(description="The sentence of the text that introduces them")
    description: list[str] = Field(description="What a model wrote of them, as of the guard; [] where none did")


class RecapSentence(BaseModel):
    """A sentence, and where its evidence stands: GET /libraries/{library}/quotes shows it in its chapter."""

    text: str
    source: str | None
    part: int | None
    chapter: int | None
    start: int | None
    end: int | None


class RecapSection(BaseModel):
    """What is told of a chapter, or of several."""

    heading: str
    by: Literal["model", "text"] = Field(description="A model that read the text at ingest, or the text itself")
    part: int | None
    chapter: int | None
    sentences: list[RecapSentence]


class Recap(BaseModel):
    """What has happened so far, as of the guard, in story order."""

    as_of: LastPlace | None
    note: str = Field(description="What the sentences are: a model's summaries, or sentences of the text")
    people: list[RecapPerson]
    sections: list[RecapSection]


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

    async def recap(self, library: str, *, guard: Guard | None = None) -> Recap:
        """Return what has happened as far as has been read: a model's summaries, else telling sentences of the text.

        Args:
            guard: how far the reader has read; without it the whole book is told.
        """
        from tools.base import Scope
        from tools.story.list_characters import ListCharacters, ListCharactersArguments
        from tools.story.names import EntityNames
        from tools.story.read_chapters import ReadChapters, ReadChaptersArguments

        services = self.services
        async with read_library(services, self.caller, library, guard) as horizon:
            scope = Scope(library=library, horizon=horizon, language=LANGUAGE.get())
            read = ReadChapters(services.passages, services.graph, services.catalog)
            names = EntityNames(services.graph)
            listed = ListCharacters(services.graph, services.passages, names, services.catalog)
            told = await read(ReadChaptersArguments(chapters=[0, -1], sentences=RECAP_SENTENCES), scope)
            people = await listed(ListCharactersArguments(top_k=RECAP_PEOPLE), scope)
        places = {piece["id"]: piece for piece in told.evidence}
        sections = [
            RecapSection.model_validate(
                {**one, "sentences": [{**places[row["evidence"]], "text": row["text"]} for row in one["sentences"]]}
            )
            for one in told.data["sections"]
        ]
        key = "offline.chapters.by_model" if any(one.by == "model" for one in sections) else "offline.chapters.extracts"
        return Recap(
            as_of=None if horizon is None else LastPlace(part=horizon.part, chapter=horizon.chapter),
            note=say(key).strip("（）()"),
            people=[RecapPerson.model_validate(one) for one in people.data["people"]],
            sections=sections,
        )


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
