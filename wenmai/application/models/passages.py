"""What operations return of the text of a library: chapters, passages, notes, quotations."""

from typing import Literal

from pydantic import BaseModel, Field

from wenmai.ingestion.chapters.records import NoteKind

AROUND = 300  # characters on each side of a quotation


class LastPlace(BaseModel):
    """The last chapter that a spoiler guard shows."""

    part: int
    chapter: int


class ChapterPlace(BaseModel):
    """A line of the table of contents."""

    source: str = Field(description="Id of the text, as citations name it")
    part: int
    chapter: int | None = Field(description="Its number; null for one without, which a spoiler guard hides")
    copy_number: int = Field(description="Counts chapters of one number in a part, from 0")
    title: str
    characters: int


class ChapterText(ChapterPlace):
    """A chapter; offsets count Unicode characters (code points)."""

    text: str


class NoteView(BaseModel):
    """A note with the chapter in which, or before which, it stood."""

    source: str
    part: int
    chapter: int
    title: str
    kind: NoteKind
    line: int = Field(description="Counts from 1 in the file, 0 where there are no lines")
    text: str


class PassageView(BaseModel):
    """A passage; `text` equals its chapter's `[start:end]` in Unicode characters."""

    id: str
    text: str
    source: str
    part: int
    chapter: int | None
    title: str
    start: int
    end: int
    entities: list[str]


class Appearances(BaseModel):
    """Where each entity is named."""

    entities: dict[str, list[tuple[int, int | None, int]]] = Field(
        description="For each name its chapters in reading order, each as [part, chapter, passages that name it]"
    )


class QuoteView(BaseModel):
    """A quotation in its chapter: `before + quote + after` is verbatim."""

    title: str
    before: str
    quote: str
    after: str


class EvidenceView(BaseModel):
    """A piece of evidence in its chapter: `before + quote + after` is verbatim."""

    id: str
    kind: Literal["passage", "relation", "event"]
    text: str = Field(description="What it says; of a passage the quote itself")
    source: str | None
    part: int | None
    chapter: int | None
    title: str | None
    entities: list[str]
    start: int | None = Field(description="Where the quote stands in its chapter; null where it has no place")
    end: int | None
    before: str
    quote: str
    after: str
