"""The request of an ingest: plain values that say what is read into which library."""

from dataclasses import dataclass
from pathlib import Path

from state.context import Language
from wenmai.ingestion.chapters.choice import NO_CHOICE, ChapterChoice
from wenmai.ingestion.passages.passages import DEFAULT_POLICY, PassagePolicy


@dataclass(frozen=True, slots=True, kw_only=True)
class IngestRequest:
    """A source and the library that it goes into.

    Attributes:
        path: a text, JSON, HTML, EPUB, DOCX or PDF file, or a folder of such files.
        library: made when it is new.
        title: what answers show; None keeps the title of an earlier ingest, else the file's name is used.
        aliases: a dictionary of names.
        graph_files: ready-made relations, events and entities.
        policy: sizes of passages.
        choice: what decides the headings in place of the rules.
        language: of the story; None takes that of its letters.
    """

    path: Path
    library: str
    title: str | None = None
    aliases: Path | None = None
    graph_files: tuple[Path, ...] = ()
    policy: PassagePolicy = DEFAULT_POLICY
    choice: ChapterChoice = NO_CHOICE
    language: Language | None = None

    @property
    def source(self) -> str:
        return self.path.stem
