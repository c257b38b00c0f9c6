"""Summaries of chapters, sections, parts and books by a model, and descriptions of people as of each chapter.

The tree stands on the chapters: a request about each of them, which depends on its text alone, gives its summary and
what it says of people. Sections, parts and books are summarised from the summaries below them. The description of a
person is what was said of him so far; at the end of a section it is written anew. Every sentence has passed the check
of answers and names passages. Answers are kept, checked: nothing is asked or checked twice, and a changed chapter
costs itself and what stands on it.
"""

import asyncio
import logging
import time
from collections import defaultdict
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, groupby, pairwise
from typing import TypeVar

from state.context import Language
from state.draft import Mark, Sentence
from state.schema import Evidence
from tools.errors import ModelError, WenmaiError
from tools.evidence import blank, passage_evidence
from tools.messages import Message, say
from tools.records import (
    PERSON,
    Horizon,
    LibraryInfo,
    Passage,
    PassageFilter,
    Summary,
    SummaryFilter,
    SummaryKind,
    SummarySentence,
)
from tools.story.names import NameTable
from wenmai.ingestion.contracts import IngestReport, Progress, Step, Stores
from wenmai.ingestion.library.summaries import NOTE, Slot, drop_stale, kept_under, key_of, slot_of_place
from wenmai.ingestion.model.budget import Purse
from wenmai.ingestion.model.pieces import LENGTH_FACTOR, WithoutAnswer
from wenmai.ingestion.model.story_reader import StoryReader, WholeText
from wenmai.ingestion.model.summary_requests import (
    PEOPLE,
    Checked,
    CheckedPerson,
    CitedSentence,
    SentenceCheck,
    SummaryOptions,
    SummaryRequest,
    WrittenAnswer,
    WrittenSentence,
)
from wenmai.ingestion.model.tokens import request_tokens
from wenmai.ingestion.model.under_way import finished
from wenmai.ingestion.passages import digest

log = logging.getLogger("wenmai.ingest")

MATERIAL = 12_000  # characters of the material of a request about a chapter, in English twice as many
SECTION, UNPARTED = 10, 12
"""Chapters of a section; so many at most make no sections."""
DESCRIPTION, INTRODUCTION = 8, 2
"""Sentences of a description that is not written anew, and those of its beginning that stay."""
SETTLED = 4  # sentences of a description that need not be written anew
MOST_IDS = 4  # passages that a sentence names
KEPT_TABLES = 16  # tables of names at a time: a long book has one for each of its chapters
UNUSABLE = 5  # requests in a row without a usable answer: then it is not their texts

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class StoryChapter:
    """A stored chapter with its passages; `place` is its part and number."""

    task_id: str
    place: tuple[int, int | None]
    copy: int
    passages: tuple[Passage, ...]

    @property
    def title(self) -> str:
        return self.passages[0].chapter_title if self.passages else ""

    @property
    def slot(self) -> Slot:
        return slot_of_place(self.place, self.copy)

    @property
    def horizon(self) -> Horizon | None:
        """What a reader knows who has read it; None for a chapter without a number, which no guard shows."""
        part, number = self.place
        return None if number is None else Horizon(part, number)

    @property
    def pieces(self) -> list[Evidence]:
        return [passage_evidence(one.as_of(self.horizon), None) for one in self.passages]


async def story_chapters(stores: Stores, library: str) -> list[StoryChapter]:
    """Return the chapters of a library in reading order."""
    ids = await stores.catalog.passage_ids(library)
    passages = {one.id: one for one in await stores.passages.scroll(library, PassageFilter())}
    chapters, at = list[StoryChapter](), 0
    for one in await stores.catalog.outline(library):
        own = [passages[id] for id in ids[at : at + one.passages] if id in passages]
        at += one.passages
        place = one.part, one.number
        chapters.append(StoryChapter(task_id=one.task_id, place=place, copy=one.copy, passages=tuple(own)))
    return chapters


def chapter_requests(task_id: str, title: str, pieces: Sequence[Evidence], language: Language) -> list[SummaryRequest]:
    """Return the requests about a chapter: one, or of a long one several about runs of nearly equal length."""
    whole, most = sum(len(one["text"]) for one in pieces), MATERIAL * LENGTH_FACTOR[language]
    count = max(1, -(-whole // most))
    runs, size = [list[Evidence]()], 0
    for one in pieces:
        if runs[-1] and size >= len(runs) * whole / count:
            runs.append([])
        runs[-1].append(one)
        size += len(one["text"])
    return [SummaryRequest("chapter", task_id, language, title, tuple(run)) for run in runs if run]


def sections_of(chapters: Sequence[T]) -> list[Sequence[T]]:
    """Return the chapters of a part in sections of nearly equal size; those of a short part are one."""
    count = 1 if len(chapters) <= UNPARTED else -(-len(chapters) // SECTION)
    ends = [round(len(chapters) * at / count) for at in range(count + 1)]
    return [chapters[start:end] for start, end in pairwise(ends)]


@dataclass(frozen=True, slots=True)
class Node:
    """A part of the story with its summary."""

    kind: SummaryKind
    title: str
    chapters: Sequence[StoryChapter]
    sentences: tuple[SummarySentence, ...]


def child_pieces(rows: Sequence[tuple[str, SummarySentence]]) -> tuple[Evidence, ...]:
    """Return sentences, each behind the name of what it is of, as material; their ids are their places."""
    return tuple(
        blank("passage", str(at), f"{name}：{row.text}" if name else row.text) for at, (name, row) in enumerate(rows)
    )


def with_passages(sentences: Sequence[CitedSentence], rows: Sequence[SummarySentence]) -> tuple[SummarySentence, ...]:
    """Return sentences that stand on others with the passages of those."""
    found = [(one.text, [id for at in one.ids for id in rows[int(at)].evidence]) for one in sentences]
    return tuple(SummarySentence(text, tuple(dict.fromkeys(ids))[:MOST_IDS]) for text, ids in found)


def cited(sentences: Sequence[CitedSentence]) -> tuple[SummarySentence, ...]:
    return tuple(SummarySentence(one.text, tuple(one.ids[:MOST_IDS])) for one in sentences)


@dataclass(slots=True, kw_only=True)
class SummaryDesk:
    """Gets checked answers to requests: kept ones, or new ones.

    Attributes:
        mark: under which answers are kept.
        done: requests that are through, of `total`.
        unasked: requests that were not made: the budget is spent, or nobody is to be asked.
        unusable: requests in a row without a usable answer.
        contents: what is asked now, by the text among whose answers it is kept.
    """

    library: str
    options: SummaryOptions
    mark: str
    purse: Purse
    report: IngestReport
    progress: Progress | None = None
    total: int = 0
    done: int = 0
    unasked: int = 0
    unusable: int = 0
    is_stopped: bool = False
    started: float = field(default_factory=time.perf_counter)
    slots: asyncio.Semaphore = field(default_factory=asyncio.Semaphore)
    contents: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))

    def stop(self) -> None:
        self.is_stopped = True

    async def checked(
        self, request: SummaryRequest, reader: Callable[[], Awaitable[StoryReader]], later: int
    ) -> Checked | None:
        """Return what the check leaves of the answer to a request; None without one. Raises ModelError.

        The reader is needed where an answer was not checked before, or not against the `later` passages that there are.
        """
        key, task = request.key(self.mark), kept_under(request.task_id)
        self.contents[task].add(request.content)
        kept = (await self.options.answers.kept(self.library, [key])).get(key)
        answer = WrittenAnswer.model_validate_json(kept) if kept else await self._asked(request, key)
        self.report.kept_summaries += bool(kept)
        self.step(request.title)
        if answer is None or answer.written is None:
            return None
        found = answer.checked
        if found is None or found.material != request.material:
            found = await asyncio.to_thread(checked_answer, answer, request, self.options.check, await reader())
        elif found.later != later:
            found = await asyncio.to_thread(without_later, found, request, await reader())
        if found.later != later:
            found = found.model_copy(update={"later": later})
            await self._keep(request, key, answer.model_copy(update={"checked": found}))
        self.report.dropped_sentences += found.dropped
        return found

    def step(self, title: str, count: int = 1) -> None:
        self.done += count
        if self.progress and self.total:
            self.progress(
                Step(
                    done=min(self.done, self.total),
                    total=self.total,
                    chapter=say("ingest.writing_summary", title=title),
                    seconds=time.perf_counter() - self.started,
                    unit="calls",
                    tokens=self.report.spending.tokens,
                    cost_usd=self.report.spending.cost_usd,
                )
            )

    async def _asked(self, request: SummaryRequest, key: str) -> WrittenAnswer | None:
        """Make a request and keep its answer at once; None where it is not made or has none. Raises ModelError."""
        if self.options.writer is None:
            self.unasked += 1
            return None
        async with self.slots:
            expected = request_tokens(request)
            if self.is_stopped or not self.purse.take(*expected):
                self.unasked += 1
                return None
            try:
                answer = await self.options.writer.write(request)
                self.report.spending.add(answer)
                await self._keep(request, key, answer)
            except WithoutAnswer as error:
                self.report.spending.add(error.cost)
                self._count(error)
                answer = WrittenAnswer(reason=str(error))
            except WenmaiError as error:
                self.stop()
                raise self._broken_off(error) from error
            finally:
                self.purse.put_back(*expected)
        if answer.written is None:
            self.report.unsummarised.append(f"{request.title}：{answer.reason}")
        else:
            self.unusable = 0
        return answer

    def _count(self, error: WithoutAnswer) -> None:
        """Count a request without a usable answer. Raises ModelError where it is the model's fault."""
        self.unusable += 1
        if self.unusable >= UNUSABLE:
            self.stop()
            raise ModelError(Message("ingest.model_hopeless", count=self.unusable, reason=error)) from error

    def _broken_off(self, error: WenmaiError) -> WenmaiError:
        if not isinstance(error, ModelError):
            return error
        return ModelError(
            Message("ingest.summaries_kept", error=error, answered=self.done, all=self.total), transient=error.transient
        )

    async def _keep(self, request: SummaryRequest, key: str, answer: WrittenAnswer) -> None:
        await self.options.answers.keep(
            self.library, key, kept_under(request.task_id), request.content, answer.model_dump_json()
        )


def checked_answer(
    answer: WrittenAnswer, request: SummaryRequest, check: SentenceCheck, reader: StoryReader
) -> Checked:
    """Return what is left of an answer: sentences that the material bears out, and that name nobody unknown there."""
    assert answer.written
    people = [one for one in answer.written.people if one.name.strip()]
    groups = [answer.written.sentences, *(one.sentences for one in people)]
    known = "\n".join(one["text"] for one in request.pieces)
    drafts = [
        [sentence_of(one, request.pieces) for one in group if one.text.strip() and not reader.is_ahead(one.text, known)]
        for group in groups
    ]
    left = check(drafts, request.pieces, reader.visible)
    rows = [
        [
            CitedSentence(
                text=one["text"].strip(),
                ids=list(dict.fromkeys(mark["piece"] for mark in one["marks"] if mark["piece"])),
            )
            for one in group
        ]
        for group in left
    ]
    rows = [list({one.text: one for one in group if one.text and one.ids}.values()) for group in rows]
    return Checked(
        sentences=rows[0],
        people=[
            CheckedPerson(name=one.name.strip(), sentences=group)
            for one, group in zip(people, rows[1:], strict=True)
            if group
        ],
        dropped=sum(map(len, groups)) - sum(map(len, rows)),
        material=request.material,
    )


def without_later(checked: Checked, request: SummaryRequest, reader: StoryReader) -> Checked:
    """Return an answer that passed the check before later passages came, without what these alone tell."""
    known = "\n".join(one["text"] for one in request.pieces)

    def left(rows: Sequence[CitedSentence]) -> list[CitedSentence]:
        return [one for one in rows if not reader.is_ahead(one.text, known)]

    people = [one.model_copy(update={"sentences": left(one.sentences)}) for one in checked.people]
    found = checked.model_copy(
        update={"sentences": left(checked.sentences), "people": [one for one in people if one.sentences]}
    )
    return found.model_copy(update={"dropped": checked.dropped + sentences_in(checked) - sentences_in(found)})


def sentences_in(checked: Checked) -> int:
    return len(checked.sentences) + sum(len(one.sentences) for one in checked.people)


def sentence_of(written: WrittenSentence, pieces: Sequence[Evidence]) -> Sentence:
    text = written.text.strip()
    ids = [pieces[number - 1]["id"] for number in dict.fromkeys(written.marks) if 0 < number <= len(pieces)]
    return Sentence(text=f"{text} ", marks=[Mark(at=len(text), piece=id, spaced=False) for id in ids], role="answer")


@dataclass(slots=True, kw_only=True)
class SummaryTree:
    """The summaries of a library as they are written.

    Attributes:
        stored: what is stored, by kind, subject and chapter; `made` is what belongs there.
        every: all names of the library; `tables` those that are known at the places asked about last, by horizon.
        read: how many passages have been read at the end of each chapter.
    """

    desk: SummaryDesk
    stores: Stores
    info: LibraryInfo
    stored: dict[tuple[object, ...], Summary]
    every: NameTable
    text: WholeText = field(default_factory=WholeText)
    read: dict[Slot, int] = field(default_factory=dict)
    made: set[tuple[object, ...]] = field(default_factory=set)
    tables: dict[Horizon | None, NameTable] = field(default_factory=dict)

    async def table(self, horizon: Horizon | None) -> NameTable:
        if horizon is None:
            return self.every
        table = self.tables.get(horizon)
        if table is None:
            names = await self.stores.graph.names(self.info.name, horizon)
            table = await asyncio.to_thread(NameTable.build, names)
            while len(self.tables) >= KEPT_TABLES:
                self.tables.pop(next(iter(self.tables)))
            self.tables[horizon] = table
        return table

    async def answer(self, request: SummaryRequest, last: StoryChapter) -> Checked | None:
        """Return the checked answer to a request whose material ends with a chapter. Raises ModelError."""

        async def reader() -> StoryReader:
            return StoryReader(await self.table(last.horizon), self.every, self.text, self.read[last.slot])

        return await self.desk.checked(request, reader, len(self.text.passages) - self.read[last.slot])

    async def put(
        self,
        kind: SummaryKind,
        chapters: Sequence[StoryChapter],
        sentences: Sequence[SummarySentence],
        of: str,
        subject: str = "",
        first: tuple[int, int | None] | None = None,
    ) -> None:
        """Write a summary of chapters unless it is there; `of` is the digest of what it was made from.

        One of a person as of the last of them covers what stands from `first` on.
        """
        last = chapters[-1]
        part, number = last.place
        is_numbered = all(one.place[1] is not None for one in chapters)
        row = Summary(
            library=self.info.name,
            kind=kind,
            task_id=last.task_id,
            part=part,
            chapter=number if is_numbered else None,  # what no guard shows is in it
            copy=last.copy,
            first=first or chapters[0].place,
            subject=subject,
            sentences=tuple(sentences),
            language=self.info.language,
            digest=of,
        )
        if not sentences:
            return
        self.made.add(key_of(row))
        if self.stored.get(key_of(row)) != row:
            self.stored[key_of(row)] = row
            await self.stores.catalog.put_summaries(self.info.name, [row])

    async def write(self, chapters: Sequence[StoryChapter]) -> None:
        """Write what belongs to these chapters, which are all of the library. Raises ModelError."""
        self.text = WholeText([row for one in chapters for row in one.passages])
        sizes = accumulate(len(one.passages) for one in chapters)
        self.read = {one.slot: size for one, size in zip(chapters, sizes, strict=True)}
        rows = await self.stores.catalog.summaries(self.info.name, SummaryFilter())
        digests = {one.slot: self.digest_of(one) for one in chapters}
        kept = await drop_stale(self.stores.catalog, self.info.name, rows, digests)
        self.stored = {key_of(row): row for row in kept}
        parts = [(number, list(group)) for number, group in groupby(chapters, key=lambda one: one.place[0])]
        books = dict[str, list[int]]()
        for number, _ in parts:
            if (book := self.info.books.get(number)) and book.parts > 1:
                books.setdefault(book.title, []).append(number)
        self.desk.total = sum(len(self.requests(one)) for one in chapters)
        self.desk.total += inner_calls([len(own) for _, own in parts], sum(len(one) > 1 for one in books.values()))
        found = await finished((self.leaf(one) for one in chapters), self.desk.stop)
        leaves = {one.slot: leaf for one, leaf in zip(chapters, found, strict=True)}

        async def describe() -> None:
            cast = Cast(self)
            for section in (one for _, own in parts for one in sections_of(own)):
                if not await cast.section(section, [leaves[one.slot] for one in section]):
                    return

        async def sum_up() -> None:
            nodes = dict[int, Node | None]()
            for number, own in parts:
                nodes[number] = await self.part(number, [node_of(one, leaves[one.slot]) for one in own])
            for title, numbers in books.items():
                await self.merged("book", title, [nodes[number] for number in numbers])

        await finished((describe(), sum_up()), self.desk.stop)

    async def leaf(self, chapter: StoryChapter) -> Checked | None:
        """Return what is said of a chapter, and write its summary; None without an answer. Raises ModelError."""
        requests = self.requests(chapter)
        answers = [await self.answer(one, chapter) for one in requests]
        found = [one for one in answers if one]
        if len(found) < len(answers):
            return None
        whole = Checked(
            sentences=[one for answer in found for one in answer.sentences],
            people=[one for answer in found for one in answer.people],
        )
        await self.put("chapter", [chapter], cited(whole.sentences), self.digest_of(chapter))
        return whole

    def requests(self, chapter: StoryChapter) -> list[SummaryRequest]:
        return chapter_requests(chapter.task_id, chapter.title, chapter.pieces, self.info.language)

    def digest_of(self, chapter: StoryChapter) -> str:
        return digest(self.desk.mark, [(one.content, one.material) for one in self.requests(chapter)])

    async def part(self, number: int, nodes: Sequence[Node | None]) -> Node | None:
        """Summarise a part, of a long one first its sections. Raises ModelError."""
        book = self.info.books.get(number)
        is_book = book is None or book.parts == 1
        title = (book.title if is_book else f"{book.title} {book.name or number}") if book else self.info.title
        sections = sections_of(nodes)
        if len(sections) > 1:
            work = (self.merged("section", section_title(one), one) for one in sections)
            nodes = await finished(work, self.desk.stop)
        return await self.merged("book" if is_book else "part", title, nodes)

    async def merged(self, kind: SummaryKind, title: str, nodes: Sequence[Node | None]) -> Node | None:
        """Summarise what several summaries tell, and write it; None where one is missing. Raises ModelError."""
        below = [one for one in nodes if one]
        if len(below) < len(nodes) or not below:
            self.desk.step(title, len(nodes) > 1)
            return None
        chapters = [chapter for one in below for chapter in one.chapters]
        rows = [row for one in below for row in one.sentences]
        sentences, of = tuple(rows), digest([row.text for row in rows])
        if len(below) > 1 and rows:
            language, last = self.info.language, chapters[-1]
            pieces = child_pieces([(one.title, row) for one in below for row in one.sentences])
            request = SummaryRequest("stretch", last.task_id, language, title, pieces)
            answer = await self.answer(request, last)
            if answer is None:
                return None
            sentences, of = with_passages(answer.sentences, rows), request.content
        await self.put(kind, chapters, sentences, of)
        return Node(kind, title, chapters, sentences)


def section_title(nodes: Sequence[Node | None]) -> str:
    ends = [one.title for one in (nodes[0], nodes[-1]) if one and one.title]
    return " – ".join(dict.fromkeys(ends))


@dataclass(slots=True)
class Cast:
    """What was said of each person so far, by the name that readers know."""

    tree: SummaryTree
    said: dict[str, tuple[SummarySentence, ...]] = field(default_factory=dict)
    since: dict[str, tuple[int, int | None]] = field(default_factory=dict)

    async def section(self, chapters: Sequence[StoryChapter], leaves: Sequence[Checked | None]) -> bool:
        """Write descriptions as of each chapter of a section, anew at its end; False where a chapter has no answer."""
        fresh = dict[str, int]()
        for chapter, leaf in zip(chapters, leaves, strict=True):
            if leaf is None:
                return False
            for name, sentences in (await self._people(chapter, leaf)).items():
                self.since.setdefault(name, chapter.place)
                self.said[name] = shortened((*self.said.get(name, ()), *cited(sentences)))
                fresh[name] = fresh.get(name, 0) + len(sentences)
                await self._put(chapter, name)
        await self._anew(chapters[-1], fresh)
        return True

    async def _people(self, chapter: StoryChapter, leaf: Checked) -> dict[str, list[CitedSentence]]:
        """Return what a chapter says of people that it names, by the names that its reader knows."""
        table, horizon = await self.tree.table(chapter.horizon), chapter.horizon
        if horizon is None:  # no guard shows it, nor what it says of people
            return {}
        named = {name for one in chapter.passages for name in one.as_of(horizon).entities}
        found: dict[str, list[CitedSentence]] = defaultdict(list)
        for person in leaf.people:
            whole = [one for one in table.find(person.name) if one.text == person.name]
            entity = whole[0].entity if whole else None
            if entity in named and table.kind(entity) == PERSON:
                found[entity] += person.sentences
        for guise in {one for passage in chapter.passages for one in passage.guises}:
            if horizon.shows(*guise.until) and guise.entity not in self.said and guise.known_as in self.said:
                self.said[guise.entity] = self.said[guise.known_as]
                self.since[guise.entity] = self.since[guise.known_as]
        return found

    async def _anew(self, chapter: StoryChapter, fresh: Mapping[str, int]) -> None:
        """Write the descriptions anew that have grown; where there is no answer, what was said stays."""
        due = [name for name in sorted(fresh, key=lambda name: (-fresh[name], name)) if len(self.said[name]) > SETTLED]
        due, tree = due[: PEOPLE["people"][0]], self.tree
        rows = [(name, row) for name in due for row in self.said[name]]
        if not rows:
            tree.desk.step(chapter.title)
            return
        request = SummaryRequest("people", chapter.task_id, tree.info.language, chapter.title, child_pieces(rows))
        answer = await tree.answer(request, chapter)
        for person in answer.people if answer else ():
            if person.name in due:
                self.said[person.name] = with_passages(person.sentences, [row for _, row in rows])
        for name in due:
            await self._put(chapter, name)

    async def _put(self, chapter: StoryChapter, name: str) -> None:
        sentences = self.said[name]
        of = digest([one.text for one in sentences])
        await self.tree.put("person", [chapter], sentences, of, name, self.since[name])


def shortened(sentences: tuple[SummarySentence, ...]) -> tuple[SummarySentence, ...]:
    """Return a description of a bounded length: its beginning and what was said last."""
    unique = tuple({one.text: one for one in sentences}.values())
    if len(unique) <= DESCRIPTION:
        return unique
    return (*unique[:INTRODUCTION], *unique[INTRODUCTION - DESCRIPTION :])


async def summarise(
    library: str, stores: Stores, options: SummaryOptions, purse: Purse, progress: Progress | None, report: IngestReport
) -> None:
    """Write the summaries of a library that are not there, and delete those of texts that are gone.

    Raises:
        ModelError: the service fails; what was answered until then is kept, and the next run goes on.
    """
    catalog, writer = stores.catalog, options.writer
    mark = writer.summary_mark if writer else await catalog.note(library, NOTE)
    if not mark:
        return
    if writer:
        await catalog.put_note(library, NOTE, mark)
    slots = asyncio.Semaphore(options.at_a_time)
    desk = SummaryDesk(
        library=library, options=options, mark=mark, purse=purse, report=report, progress=progress, slots=slots
    )
    names = await stores.graph.names(library, None)
    every = await asyncio.to_thread(NameTable.build, names)
    tree = SummaryTree(desk=desk, stores=stores, info=await catalog.info(library), stored={}, every=every)
    await tree.write([one for one in await story_chapters(stores, library) if one.passages])
    report.summaries, report.summaries_left = len(tree.made), desk.unasked
    if not desk.unasked:
        gone = [row for key, row in tree.stored.items() if key not in tree.made]
        await catalog.delete_summaries(library, gone)
        for task, contents in desk.contents.items():
            await options.answers.prune(library, task, contents)


def node_of(chapter: StoryChapter, leaf: Checked | None) -> Node | None:
    return Node("chapter", chapter.title, [chapter], cited(leaf.sentences)) if leaf else None


def inner_calls(parts: Sequence[int], books: int = 0) -> int:
    """Return how many requests stand on the chapters of parts, given their counts of chapters, and of books of parts.

    A part of many chapters has one for each section, every part one for itself, every section one for its people.
    """
    sections = [len(sections_of(range(count))) for count in parts]
    return (
        sum((found if found > 1 else 0) + (count > 1) + found for found, count in zip(sections, parts, strict=True))
        + books
    )
