"""The chapters of a source as they stand in its files, and the error of a file that cannot be used."""

from collections.abc import Callable
from pathlib import Path

from tools.errors import IngestError
from tools.messages import Message, Text
from wenmai.ingestion.chapters.records import Division as Division  # the readers of formats make these
from wenmai.ingestion.chapters.records import LeftOut as LeftOut
from wenmai.ingestion.chapters.records import Section as Section
from wenmai.ingestion.chapters.records import SourceChapter as SourceChapter
from wenmai.ingestion.chapters.records import clean as clean
from wenmai.ingestion.chapters.records import clean_title as clean_title

Warn = Callable[[str], None]
"""Takes a line that says what is odd in a file."""


def unheard(warning: str) -> None:
    """Drop a warning."""


def refuse(path: Path | str, reason: Text, remedy: Text) -> IngestError:
    """Build the one-line error that names the file, the reason and what to do."""
    return IngestError(Message("ingest.not_imported", path=path, reason=reason, remedy=remedy))
