"""A look at a text before it is taken in: its chapters. Nothing is stored."""

import asyncio
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from pydantic import BaseModel, Field

from state.context import Language
from tools.wording import Words
from wenmai.app.uploads import upload_folder
from wenmai.formats.epub import Declared
from wenmai.ingestion.chapters.choice import ChapterChoice
from wenmai.ingestion.source_bundle import language_of
from wenmai.ingestion.sources.loaders import LoadedSource, load_source
from wenmai.ingestion.sources.sources import SourceChapter
from wenmai.inputs import FieldError
from wenmai.web.api.access import services_of
from wenmai.web.rest.endpoints import Call, Resource
from wenmai.web.rest.forms import check_once, form_of, stored
from wenmai.web.rest.source_forms import CHOICE_FORM, SLOWER, choice_of, named_alone

NO_SUCH_PLACE = Words("没有第 {shown} 个章节，共 {count} 个", "there is no chapter {shown}, but {count} of them")
NO_PLACE = Words("show 应为章节的序号，从 0 开始", "show is a chapter's place, counted from 0")
FORM = {
    "type": "object",
    "required": ["file"],
    "properties": {
        "file": {"type": "string", "format": "binary", "description": "A text, JSON, HTML, EPUB, DOCX or PDF file"},
        **CHOICE_FORM,
        "show": {"type": "integer", "description": "The chapter, from 0, whose lines are returned"},
    },
}
BEGINNING = 60  # characters of a chapter that are shown
MOST_ROWS = 500  # of lines that are none, and of notes
resource = Resource("libraries")


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


@dataclass(frozen=True, slots=True)
class Looked:
    """A text that was read, with what is odd in its file."""

    name: str
    loaded: LoadedSource
    warnings: Sequence[str]


@resource.post("/previews", "Look at a text before it is taken in", form=FORM, is_for_admins=True)
async def previewed(call: Call[None, None]) -> Preview:
    """Return the chapters of a text, and what is left out; nothing is stored. Needs the right to administer."""
    settings = (await services_of(call)).settings
    form = await form_of(call.request, settings.max_source_mb * 2**20, settings.request_timeout_s * SLOWER)
    folder = await asyncio.to_thread(upload_folder, settings.data_dir)
    try:
        check_once(form, FORM)
        path = await stored(form.get("file"), folder, "file")
        choice, shown = choice_of(form), shown_of(form.get("show"))
        with named_alone(folder):
            looked = await asyncio.to_thread(look, path, choice)
    finally:
        await form.close()
        await asyncio.to_thread(shutil.rmtree, folder)
    return preview_of(looked, shown)


def look(path: Path, choice: ChapterChoice) -> Looked:
    """Read a text. Raises IngestError, InputError."""
    warnings: list[str] = []
    return Looked(path.stem, load_source(path, choice=choice, warn=warnings.append), warnings)


def shown_of(given: object) -> int | None:
    """Return the chapter whose lines are asked for. Raises FieldError."""
    if given is None:
        return None
    if isinstance(given, str) and given.isdecimal():
        return int(given)
    raise FieldError("show", NO_PLACE)


def preview_of(looked: Looked, shown: int | None) -> Preview:
    """Return what is shown of a text."""
    loaded = looked.loaded
    chapters, declared = loaded.chapters, loaded.books.get(looked.name, Declared())
    tasks = dict.fromkeys(one.task_id for one in chapters)
    parts = {task: at for at, task in enumerate(tasks, 1)}
    notes = sorted((note for one in chapters for note in one.notes), key=lambda note: note.line)
    return Preview(
        title=declared.title or looked.name,
        authors=list(declared.authors),
        language=language_of(chapters, declared.language),
        characters=sum(len(one.text) for one in chapters),
        parts=[part_of(parts[task], list(group)) for task, group in groupby(chapters, key=lambda one: one.task_id)],
        chapters=[chapter_of(parts[one.task_id], one) for one in chapters],
        left_out=[PreviewedLine(line=one.line, text=one.text, why=one.reason) for one in loaded.left_out[:MOST_ROWS]],
        notes=[PreviewedLine(line=one.line, text=one.text[:200], why=one.kind) for one in notes[:MOST_ROWS]],
        odd=list(loaded.odd),
        warnings=list(looked.warnings),
        lines=lines_of(chapters, shown),
    )


def part_of(number: int, chapters: Sequence[SourceChapter]) -> PreviewedPart:
    """Return what is shown of a part."""
    return PreviewedPart(part=number, title=chapters[0].volume or chapters[0].task_name, chapters=len(chapters))


def chapter_of(part: int, chapter: SourceChapter) -> PreviewedChapter:
    """Return what is shown of a chapter."""
    return PreviewedChapter(
        part=part,
        number=chapter.number,
        title=chapter.title,
        volume=chapter.volume,
        heading=chapter.printed,
        line=chapter.line,
        characters=len(chapter.text),
        beginning=" ".join(chapter.text[: 2 * BEGINNING].split())[:BEGINNING],
    )


def lines_of(chapters: Sequence[SourceChapter], shown: int | None) -> list[str] | None:
    """Return the lines of a chapter that hold something. Raises FieldError for one that is not there."""
    if shown is None:
        return None
    if shown >= len(chapters):
        raise FieldError("show", NO_SUCH_PLACE.of(shown=shown, count=len(chapters)))
    return [line.strip() for line in chapters[shown].text.split("\n") if line.strip()]
