"""A source read by a model, with what that cost."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from nodes.policy import Price
from wenmai.ingestion.contracts import AnswerStore, IngestReport, Progress
from wenmai.ingestion.model.pieces import CALL, pieces_of
from wenmai.ingestion.model.reader import KeptReader, Reader
from wenmai.ingestion.model.readings import NO_READINGS, Readings
from wenmai.ingestion.model.session import Session
from wenmai.ingestion.source_bundle import SourceBundle


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadingOptions:
    """How a source is read: by which model (None: by none, but kept answers count), at what prices.

    Attributes:
        call_size: characters of the pieces that share a call.
    """

    answers: AnswerStore
    reader: Reader | None = None
    prices: Mapping[str, Price] = field(default_factory=dict)
    at_a_time: int = 4
    call_size: int = CALL

    @property
    def mark(self) -> str | None:
        return self.reader.mark if self.reader else None

    def or_kept(self, mark: str | None) -> "ReadingOptions":
        """Return the options with the kept answers under `mark` where no model reads."""
        return self if self.reader or not mark else replace(self, reader=KeptReader(mark))


async def read_source(
    by: ReadingOptions | None, library: str, bundle: SourceBundle, progress: Progress | None, report: IngestReport
) -> Readings:
    """Read a source, and report what it cost. Raises ModelError."""
    if by is None or by.reader is None:
        return NO_READINGS
    report.spending.prices = by.prices
    session = Session(
        library=library,
        reader=by.reader,
        store=by.answers,
        pieces=pieces_of(bundle.chapters, bundle.language),
        progress=progress,
        spending=report.spending,
    )
    rows = await session.read(by.at_a_time, by.call_size)
    report.kept_answers = session.kept
    return Readings(rows)
