"""What operations take and return of libraries: what they hold, what a text would become, what a deletion took."""

from typing import Annotated, Literal

from pydantic import BaseModel, Field

from state.context import Language
from wenmai.application.models.paging import Strict
from wenmai.application.models.passages import LastPlace

Mind = Literal["model", "gemini", "offline"]
"""Who reads a text: a model, which costs money (gemini is an older word for it), or patterns on this machine."""
EngineName = Literal["local", "ray"]
"""Who reads and embeds chapters: this process, or the workers of a Ray cluster."""
LibraryState = Literal["ready", "unfinished", "in_use", "broken"]


class Library(BaseModel):
    """A library with its counts; `problem` says why it cannot be asked now, null where it can."""

    name: str = Field(examples=["sample"])
    title: str
    authors: list[str] = Field(description="As the files of its texts name them")
    language: Language
    embedder: str
    sources: list[str] = Field(description="The ids of its texts, as citations name them")
    chapters: int
    passages: int
    entities: int | None = None
    relations: int | None = None
    events: int | None = None
    state: LibraryState = "ready"
    problem: str | None = None
    as_of: LastPlace | None = Field(default=None, description="The spoiler guard that it is shown under")


class NewLibrary(Strict):
    """A library to be made; texts are added by `POST /libraries/{library}/sources`."""

    name: Annotated[str, Field(description="Letters, digits, Chinese characters, - and _", examples=["honglou"])]
    title: str = Field(min_length=1, max_length=200, examples=["红楼梦"])
    language: Language = "zh"


class NewTitle(Strict):
    """Another title for a library; its name stays."""

    title: str = Field(min_length=1, max_length=200, examples=["石头记"])


class SampleStory(Strict):
    """Which of the stories that come along."""

    language: Language = "zh"


class DeletionReceipt(BaseModel):
    """What a deletion took; null where it could not be read."""

    library: str
    source: str | None = None
    passages: int | None
    chapters: int | None
    entities: int | None
    relations: int | None
    events: int | None
    answers: int | None = Field(description="Kept answers of models that read its texts")
    threads: int = Field(description="Conversations that asked the library")
    traces: int = Field(description="Traces of questions to it")
    is_cleared: bool = Field(default=False, description="Whether these are deleted, too; else they still quote it")


class PreviewedChapter(BaseModel):
    """A chapter as it would be taken in."""

    part: int
    number: int
    title: str
    volume: str = Field(description="The volume that it belongs to, '' if none")
    heading: str = Field(description="The line of its heading as it is printed, '' without one")
    line: int = Field(description="The line of its heading in the file, 0 where there are no lines")
    characters: int
    beginning: str


class PreviewedPart(BaseModel):
    """A part: chapters that are numbered together."""

    part: int
    title: str
    chapters: int


class PreviewedLine(BaseModel):
    """A line that is no heading, or no story: `why` is a reason, or the kind of note."""

    line: int
    text: str
    why: str


class Preview(BaseModel):
    """What an ingest would make of a text."""

    title: str
    authors: list[str]
    language: Language
    characters: int
    parts: list[PreviewedPart]
    chapters: list[PreviewedChapter]
    left_out: list[PreviewedLine] = Field(description="Lines that look like headings and are none")
    notes: list[PreviewedLine] = Field(description="What is no story and is kept apart")
    odd: list[str]
    warnings: list[str]
    lines: list[str] | None = Field(description="The lines of the chapter that `show` names")
