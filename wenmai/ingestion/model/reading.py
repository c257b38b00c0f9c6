"""One reading of a source: several calls at a time, each piece's answer kept at once and asked for only once."""

import asyncio
import logging
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice

from nodes.policy import Price
from tools.errors import ModelError, WenmaiError
from tools.messages import Message, say
from wenmai.ingestion.contracts import AnswerStore, IngestReport, Progress, Spending, Step
from wenmai.ingestion.library.decisions import Decisions
from wenmai.ingestion.model.budget import Purse
from wenmai.ingestion.model.findings import merge_found_entities
from wenmai.ingestion.model.pieces import (
    CALL,
    NOT_ASKED,
    PASSED_OVER,
    Answer,
    Declined,
    Findings,
    KeptReader,
    Piece,
    PieceReader,
    Read,
    Readings,
    TooLong,
    Unread,
    calls_of,
    halves,
    joined,
    pieces_of,
)
from wenmai.ingestion.model.prompts import NAMING, known_names
from wenmai.ingestion.model.tokens import call_tokens
from wenmai.ingestion.model.under_way import finished
from wenmai.ingestion.source_bundle import SourceBundle
from wenmai.ingestion.sources.aliases import KnownName

log = logging.getLogger("wenmai.ingest")

# Each has been paid for twice. One odd piece must not cost the rest of a novel, but a model that answers none of the
# first calls (a gateway without structured output, a model too small) will answer none at all.
FIRST_UNUSABLE = 5
MOST_DECLINED = 5  # requests in a row that the service refuses: then it is not their texts
Call = tuple[Piece, ...]


@dataclass(slots=True, kw_only=True)
class ReadingSession:
    """One reading of a source.

    Attributes:
        found: the answers by key, kept and new ones.
        kept: pieces whose answer was there before; `done` and `total` count calls.
        unusable: calls without a usable answer before the first one with; None from then on.
        declined: requests in a row that the service refused; `refusal` is the last one.
        doubtful: keys of answers that are not kept: the failure may not be the piece's.
    """

    library: str
    reader: PieceReader
    store: AnswerStore
    pieces: Sequence[Piece]
    purse: Purse
    progress: Progress | None = None
    spending: Spending = field(default_factory=Spending)
    found: dict[str, Answer] = field(default_factory=dict)
    total: int = 0
    done: int = 0
    kept: int = 0
    started: float = field(default_factory=time.perf_counter)
    failed: bool = False
    unusable: int | None = 0
    declined: int = 0
    refusal: Declined | None = None
    doubtful: set[str] = field(default_factory=set)

    async def read(self, at_a_time: int, call_size: int) -> list[Read]:
        """Return an answer for every piece. Raises ModelError; what was answered by then is kept.

        The first call is made alone: it names people for the next ones, and services cache the prompt with it.
        """
        keys = [self._key(piece) for piece in self.pieces]
        self.found.update(await self._kept(keys))
        new = {key: piece for key, piece in zip(keys, self.pieces, strict=True) if key not in self.found}
        calls = calls_of(list(new.values()), call_size)
        self.kept, self.total = len(keys) - len(new), len(calls)
        self.unusable = None if self.found else 0
        queue = iter(calls)
        if calls:
            self._tell(calls[0])  # the first answer of a slow model takes minutes
        await finished([self._work(islice(queue, 1))], self.stop)
        await finished((self._work(queue) for _ in range(min(at_a_time, len(calls)))), self.stop)
        if self.refusal and self.unusable is not None:
            raise self._stopped(self.refusal) from self.refusal
        return [(piece, self.found[key]) for key, piece in zip(keys, self.pieces, strict=True)]

    def stop(self) -> None:
        self.failed = True

    def _key(self, piece: Piece) -> str:
        return piece.key(self.reader.mark)

    async def _kept(self, keys: Sequence[str]) -> dict[str, Answer]:
        rows = await self.store.kept(self.library, list(dict.fromkeys(keys)))
        return {key: Answer.model_validate_json(row) for key, row in rows.items()}

    async def _work(self, queue: Iterator[Call]) -> None:
        """Make calls until none is left. After a failure nothing is begun; what was begun is paid for, and kept."""
        for call in queue:
            if self.failed:
                return
            try:
                await self._ask(call)
            except WenmaiError as error:
                self.failed = True
                raise self._stopped(error) from error
            self.done += 1
            self._tell(call)

    def _tell(self, call: Call) -> None:
        if self.progress:
            self.progress(
                Step(
                    done=self.done,
                    total=self.total,
                    chapter=call[-1].title or call[-1].task_id,
                    seconds=time.perf_counter() - self.started,
                    unit="calls",
                    tokens=self.spending.tokens,
                    cost_usd=self.spending.cost_usd,
                )
            )

    def _stopped(self, error: WenmaiError) -> WenmaiError:
        """Return a failure that says how far the reading is; those of stores speak for themselves."""
        if not isinstance(error, ModelError):
            return error
        keys = {self._key(piece) for piece in self.pieces}
        answered = len((keys & self.found.keys()) - self.doubtful)
        return ModelError(
            Message("ingest.answers_kept", error=error, answered=answered, all=len(keys)), transient=error.transient
        )

    async def _ask(self, call: Call, *, again: bool = False) -> None:
        """Ask about the pieces of a call and keep an answer for each; `again`: they were passed over before.

        Raises ModelError.
        """
        try:
            answers = await self._read(call)
        except (TooLong, Unread, Declined) as error:
            await self._without_answer(call, error)
            return
        for answer in answers:
            self.spending.add(answer)
        self.unusable, self.declined = None, 0
        if len(call) > 1 and any(not one.found and one.reason not in (NOT_ASKED, PASSED_OVER) for one in answers):
            await self._in_halves(call)
            return
        passed_over: list[Piece] = []
        for piece, answer in zip(call, answers, strict=True):
            if answer.reason != PASSED_OVER:
                await self._keep(piece, answer)
            elif not again:
                passed_over.append(piece)
            elif any(one.found for one in answers):  # where it tells of others, there is nothing to be found in this
                await self._keep(piece, answer.model_copy(update={"found": Findings(), "reason": ""}))
            else:
                await self._keep(piece, answer)
        if passed_over:
            await self._ask(tuple(passed_over), again=True)

    async def _read(self, call: Call) -> list[Answer]:
        """Make a call within the budget. Raises ModelError, TooLong, Unread, Declined."""
        expected = call_tokens(call)
        if not self.purse.take(*expected):
            raise ModelError(Message("ingest.budget_spent"))
        try:
            return await self.reader.read(call, self._known(call[0]))
        finally:
            self.purse.put_back(*expected)

    async def _without_answer(self, call: Call, error: TooLong | Unread | Declined) -> None:
        """Ask in parts; a piece that cannot be parted stays unread. Raises ModelError where nothing will be read."""
        self.spending.add(error.cost)
        self._count(error)
        if len(call) > 1:
            await self._in_halves(call)
            return
        piece = next(iter(call))
        if isinstance(error, TooLong) and (halved := halves(piece)):
            await self._in_halves(halved)
            first, second = (self.found[self._key(half)] for half in halved)
            await self._keep(piece, joined(first, second))
            return
        log.warning("unread: %s: %s", piece.title or piece.task_id, error)
        await self._keep(
            piece,
            Answer(reason=say("ingest.no_usable_answer_twice") if isinstance(error, Unread) else str(error)),
            error,
        )

    def _count(self, error: TooLong | Unread | Declined) -> None:
        """Count a failure. Raises ModelError where it is the model's or the service's rather than the text's."""
        if isinstance(error, Declined):
            self.declined, self.refusal = self.declined + 1, error
            if self.declined >= MOST_DECLINED:
                raise error
        elif isinstance(error, Unread) and self.unusable is not None:
            self.unusable += 1
            if self.unusable >= FIRST_UNUSABLE:
                raise ModelError(Message("ingest.model_hopeless", count=self.unusable, reason=error)) from error

    async def _in_halves(self, call: Call) -> None:
        """Ask about the halves of a call, but for a single piece that an earlier run has asked about."""
        middle = len(call) // 2
        for half in (call[:middle], call[middle:]):
            if len(half) == 1:
                key = self._key(half[0])
                self.found.update(await self._kept([key]))
                if key in self.found:
                    continue
            await self._ask(half)

    def _known(self, piece: Piece) -> list[KnownName]:
        """Return the names found in what stands before a piece, or before that of which it is a half."""
        same = (piece.task_id, piece.chapter)
        holding = (
            at
            for at, one in enumerate(self.pieces)
            if (one.task_id, one.chapter) == same and one.start <= piece.start < one.end
        )
        place = next(holding, 0)
        before = [(one.text, self.found.get(self._key(one))) for one in self.pieces[max(0, place - NAMING) : place]]
        return known_names([(text, answer) for text, answer in before if answer])

    async def _keep(self, piece: Piece, answer: Answer, error: ModelError | None = None) -> None:
        """Keep an answer; a failure that may be the model's or a gateway's, not the piece's, is asked for again."""
        self.found[self._key(piece)] = answer
        if isinstance(error, Declined) or (isinstance(error, Unread) and self.unusable is not None):
            self.doubtful.add(self._key(piece))
        elif answer.reason != NOT_ASKED:
            await self.store.keep(
                self.library, self._key(piece), piece.task_id, piece.content, answer.model_dump_json()
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadingOptions:
    """How a source is read: by which model (None: by none, but kept answers count), at what prices.

    `call_size` is the characters of the pieces that share a call.
    """

    answers: AnswerStore
    reader: PieceReader | None = None
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
    by: ReadingOptions | None,
    library: str,
    bundle: SourceBundle,
    progress: Progress | None,
    report: IngestReport,
    purse: Purse,
) -> Readings:
    """Read a source, and report what it cost. Raises ModelError."""
    if by is None or by.reader is None:
        return Readings()
    report.spending.prices = by.prices
    session = ReadingSession(
        library=library,
        reader=by.reader,
        store=by.answers,
        pieces=pieces_of(bundle.chapters, bundle.language),
        purse=purse,
        progress=progress,
        spending=report.spending,
    )
    rows = await session.read(by.at_a_time, by.call_size)
    report.kept_answers = session.kept
    return Readings(rows)


async def add_found_names(
    bundle: SourceBundle, read: Readings, mark: str | None, old: Decisions, source: str, report: IngestReport
) -> tuple[SourceBundle, Decisions]:
    decisions = old.proposed(source, {})
    if mark:
        texts = {(chapter.task_id, chapter.number): chapter.text for chapter in bundle.chapters}
        names, proposals, dropped = await asyncio.to_thread(merge_found_entities, read.rows, bundle.given, texts)
        bundle = bundle.with_findings(names, mark)
        decisions = old.proposed(source, proposals)
        report.dropped += dropped
        report.unread = read.unread
    await asyncio.to_thread(lambda: bundle.namer)
    report.merges = len(decisions.merged)
    return bundle, decisions


async def prune_answers(answers: AnswerStore, library: str, bundle: SourceBundle) -> None:
    """Forget what was answered about texts that the source no longer holds."""
    contents: dict[str, set[str]] = {chapter.task_id: set() for chapter in bundle.chapters}
    for piece in pieces_of(bundle.chapters, bundle.language):
        contents[piece.task_id].add(piece.content)
    for task, held in contents.items():
        await answers.prune(library, task, held)
