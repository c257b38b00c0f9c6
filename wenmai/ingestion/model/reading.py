"""A source read by a model: several pieces at a time, each answer kept at once and asked for only once."""

import asyncio
import logging
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from nodes.policy import Price
from tools.errors import ModelError, WenmaiError
from wenmai.ingestion.contracts import AnswerStore, IngestReport, Progress, Step
from wenmai.ingestion.model.pieces import ChapterId, Piece, halves, pieces_of
from wenmai.ingestion.model.reader import NOT_ASKED, KeptReader, Reader, TooLong, Unread
from wenmai.ingestion.model.schema import Answer, joined
from wenmai.ingestion.source_bundle import SourceBundle
from wenmai.ingestion.spending import Spending

log = logging.getLogger("wenmai.ingest")

UNUSABLE = "模型两次没有给出可用的回答"
# Each has been paid for twice. One odd piece must not cost the rest of a novel, but a model that answers none of the
# first ones (a gateway without structured output, a model too small) will answer none at all.
FIRST_UNUSABLE = 5
HOPELESS = (
    "开头 {count} 段都没有得到可用的回答，已停止阅读。最后的原因：{reason}。"
    "请换一个模型或检查网关，或用 --mind offline 按规则阅读。"
)
Read = tuple[Piece, Answer]


@dataclass(frozen=True)
class Readings:
    """The answers about a source's pieces, in reading order."""

    rows: Sequence[Read] = ()

    def of(self, chapter: ChapterId) -> list[Read]:
        """Return the answers about one chapter."""
        return self._by_chapter.get(chapter, [])

    @cached_property
    def _by_chapter(self) -> dict[ChapterId, list[Read]]:
        rows: dict[ChapterId, list[Read]] = {}
        for piece, answer in self.rows:
            rows.setdefault((piece.task_id, piece.chapter), []).append((piece, answer))
        return rows

    @property
    def unread(self) -> list[str]:
        """The pieces that were not read, as "chapter: reason"."""
        rows = [f"{piece.title or piece.task_id}：{answer.reason}" for piece, answer in self.rows if not answer.found]
        return list(dict.fromkeys(rows))

    @property
    def complete(self) -> bool:
        """Whether every piece was shown to the model."""
        return all(answer.found or answer.reason != NOT_ASKED for _, answer in self.rows)


NO_READINGS = Readings()


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadingOptions:
    """How a source is read: by which model (None: by none, but kept answers count), at what prices."""

    answers: AnswerStore
    reader: Reader | None = None
    prices: Mapping[str, Price] = field(default_factory=dict)
    at_a_time: int = 4

    @property
    def mark(self) -> str | None:
        """The mark of the reader."""
        return self.reader.mark if self.reader else None

    def or_kept(self, mark: str | None) -> "ReadingOptions":
        """Return the options with the kept answers under `mark` where no model reads."""
        return self if self.reader or not mark else replace(self, reader=KeptReader(mark))


async def read_source(
    by: ReadingOptions, library: str, bundle: SourceBundle, progress: Progress | None, report: IngestReport
) -> Readings:
    """Read a source, and report what it cost. Raises ModelError."""
    if by.reader is None:
        return NO_READINGS
    report.spending.prices = by.prices
    session = Session(library=library, reader=by.reader, store=by.answers, progress=progress, spending=report.spending)
    read = await session.read(pieces_of(bundle.chapters, bundle.language), by.at_a_time)
    report.kept_answers = session.kept
    return read


@dataclass(slots=True, kw_only=True)
class Session:
    """One reading of a source.

    Attributes:
        unusable: pieces without a usable answer before the first one with; None from then on.
    """

    library: str
    reader: Reader
    store: AnswerStore
    progress: Progress | None = None
    spending: Spending = field(default_factory=Spending)
    total: int = 0
    done: int = 0
    kept: int = 0
    started: float = field(default_factory=time.perf_counter)
    failed: bool = False
    unusable: int | None = 0

    async def read(self, pieces: Sequence[Piece], at_a_time: int) -> Readings:
        """Return an answer for every piece. Raises ModelError; what was answered by then is kept."""
        keys = [piece.key(self.reader.mark) for piece in pieces]
        found = {key: Answer.model_validate_json(row) for key, row in (await self._kept(keys)).items()}
        new = {key: piece for key, piece in zip(keys, pieces, strict=True) if key not in found}
        self.kept, self.total = len(keys) - len(new), len(new)
        self.unusable = None if found else 0
        queue = iter(new.items())
        ends = await asyncio.gather(
            *(self._work(queue, found) for _ in range(min(at_a_time, len(new)))), return_exceptions=True
        )
        for end in ends:
            if end is not None:
                raise end
        return Readings([(piece, found[key]) for key, piece in zip(keys, pieces, strict=True)])

    async def _kept(self, keys: Sequence[str]) -> dict[str, str]:
        return await self.store.kept(self.library, list(dict.fromkeys(keys)))

    async def _work(self, queue: Iterator[tuple[str, Piece]], found: dict[str, Answer]) -> None:
        """Answer pieces until none is left. After a failure nothing is begun; what was begun is paid for, and kept."""
        for key, piece in queue:
            if self.failed:
                return
            try:
                found[key] = await self._answer(piece)
            except WenmaiError as error:
                self.failed = True
                raise self._told(error) from error
            self.done += 1
            self._tell(piece)

    def _told(self, error: WenmaiError) -> WenmaiError:
        """Return a failure that says how far the reading is; those of stores speak for themselves."""
        if not isinstance(error, ModelError):
            return error
        answered = 0 if self.unusable else self.kept + self.done  # what is doubtful is not kept
        kept = f"已有 {answered} 份回答（共 {self.kept + self.total} 份）保存，再次运行会接着做"
        return ModelError(f"{error} {kept}", transient=error.transient)

    async def _answer(self, piece: Piece) -> Answer:
        """Ask about a piece and keep the answer; a piece whose answer is too long is asked about in halves."""
        try:
            answer = await self.reader.read(piece)
            self.spending.add(answer)
            self.unusable = None
        except Unread as error:
            answer = self._unread(error)
        except TooLong as error:
            self.spending.add(error.cost)
            parts = halves(piece)
            if parts is None:
                answer = Answer(reason=str(error))
            else:
                answer = joined(await self._half(parts[0]), await self._half(parts[1]))
        if answer.reason != NOT_ASKED and not self._is_doubtful(answer):
            await self.store.keep(
                self.library, piece.key(self.reader.mark), piece.task_id, piece.content, answer.model_dump_json()
            )
        return answer

    def _is_doubtful(self, answer: Answer) -> bool:
        """Tell a failure that may be the model's or a gateway's rather than the piece's: it is asked for again."""
        return answer.reason == UNUSABLE and self.unusable is not None

    def _unread(self, error: Unread) -> Answer:
        """Leave a piece unread. Raises ModelError where the model has answered nothing so far and is given up."""
        self.spending.add(error.cost)
        log.warning("unread: %s", error)
        if self.unusable is not None:
            self.unusable += 1
            if self.unusable >= FIRST_UNUSABLE:
                raise ModelError(HOPELESS.format(count=self.unusable, reason=error)) from error
        return Answer(reason=UNUSABLE)

    async def _half(self, piece: Piece) -> Answer:
        key = piece.key(self.reader.mark)
        row = (await self._kept([key])).get(key)
        return Answer.model_validate_json(row) if row else await self._answer(piece)

    def _tell(self, piece: Piece) -> None:
        if self.progress:
            self.progress(
                Step(
                    done=self.done,
                    total=self.total,
                    chapter=piece.title or piece.task_id,
                    seconds=time.perf_counter() - self.started,
                    unit="calls",
                    tokens=self.spending.tokens,
                    cost_usd=self.spending.cost_usd,
                )
            )
