"""Libraries: which there are, what they hold, how texts come in and how both go again."""

import asyncio
import shutil
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial
from http import HTTPStatus
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import BaseModel, Field

from state.context import Language
from tools.errors import (
    IngestError,
    InputError,
    LibraryNotFound,
    ModelError,
    StoreError,
    StoreLocked,
    StoreUnfinished,
    is_transient,
)
from tools.messages import Message, Names, Text
from tools.records import Horizon, LibraryInfo
from tools.story.guard import library_as_read
from tools.text.patterns import BoundedPattern
from wenmai.app.container import Services
from wenmai.app.data_dir import upload_folder, upload_name
from wenmai.app.libraries import KINDS as COUNTED
from wenmai.app.libraries import Leftovers, leftovers
from wenmai.application.caller import Caller, allows
from wenmai.application.paging import USUAL, FirstRow, Guard, Page, Rows, Strict, horizon_of, in_range
from wenmai.application.passages import LastPlace
from wenmai.ingestion.contracts import IngestReport, Progress
from wenmai.inputs import FieldError, checked_content
from wenmai.stores.files.folder import check_name

if TYPE_CHECKING:
    from state.draft import Sentence
    from state.schema import Evidence
    from tools.ports import Embedder
    from tools.story.names import NameTable
    from wenmai.app.backups import Manifest
    from wenmai.ingestion.chapter_reader import Engine
    from wenmai.ingestion.chapters.choice import ChapterChoice
    from wenmai.ingestion.model.budget import Purse
    from wenmai.ingestion.model.estimate import Estimate
    from wenmai.ingestion.model.reading import ReadingOptions
    from wenmai.ingestion.model.summary_requests import SummaryOptions
    from wenmai.ingestion.source_bundle import IngestRequest

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
    warning: str | None = Field(default=None, description="What is missing of it, and how to mend that")
    as_of: LastPlace | None = Field(default=None, description="The spoiler guard that it is shown under")


class NewLibrary(Strict):
    """A library to be made; texts are added by `POST /libraries/{library}/sources`."""

    name: Annotated[str, Field(description="Letters, digits, Chinese characters, - and _", examples=["honglou"])]
    title: str = Field(min_length=1, max_length=200, examples=["红楼梦"])
    language: Language = "zh"


class LibraryTitle(Strict):
    """Another title, other authors, or both, for a library or for one of its texts; its name stays."""

    title: str | None = Field(default=None, min_length=1, max_length=200, examples=["石头记"])
    authors: list[Annotated[str, Field(max_length=200)]] | None = Field(default=None, max_length=20)
    source: str | None = Field(default=None, description="The text that is meant; null: the library with its texts")


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


class AddedTablesView(BaseModel):
    """What was added to a text: names with their aliases, relations, events."""

    source: str
    names: int
    relations: int
    events: int
    passages: int = Field(description="Passages that were tagged anew")
    bad: list[str] = Field(description="Rows that were left out, each with its reason")


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


LONGEST_TITLE = 200
COUNT_ATTEMPTS = 2  # a user waits for an estimate, and there is another way to reckon
BEGINNING = 60  # characters of a chapter that a preview has
MOST_ROWS = 500  # of lines that are no headings, and of notes
GRAPH_COUNTS = ("entities", "relations", "events")


@dataclass(frozen=True, slots=True)
class LibraryOperations:
    """What can be done with libraries. Changes need the right to administer."""

    services: Services
    caller: Caller

    @in_range
    async def list(self, *, guard: Guard | None = None, limit: Rows = USUAL, offset: FirstRow = 0) -> Page[Library]:
        """Return the libraries that exist for the caller, by name, each as a reader up to the guard knows it.

        Of their vectors it says what was seen when they were last opened in this process.
        """
        known = [one for one in await self.services.catalog.libraries() if allows(self.caller.libraries, one.name)]
        page, found = Page.of(known, limit, offset), list[Library]()
        for one in page.items:
            with suppress(LibraryNotFound):  # it has gone since
                horizon = None if one.problem else await horizon_of(self.services.catalog, one.name, guard)
                found.append(await self._library_view(one, horizon, opens_vectors=False))
        return Page(items=found, total=page.total, next=page.next)

    async def get(self, library: str, *, guard: Guard | None = None) -> Library:
        """Return one library with its counts. Raises LibraryNotFound."""
        self.caller.require_library(library)
        info = await self.services.catalog.info(library)
        return await self._library_view(info, await horizon_of(self.services.catalog, library, guard))

    async def create(self, library: str, title: str, language: Language = "zh") -> Library:
        """Make an empty library. Raises FieldError where there is one of this name."""
        self.caller.require_change(library)
        catalog = self.services.catalog
        if any(one.name == library for one in await catalog.libraries()):
            raise FieldError("name", Message("library.name_taken", name=library), HTTPStatus.CONFLICT)
        dimension = await self.services.opening.dimension()
        async with self.services.libraries.writing(library):
            info = await catalog.create(library, title, self.services.embedder.name, dimension, language)
        return await self._library_view(info)

    async def rename(
        self,
        library: str,
        title: str | None = None,
        *,
        authors: Sequence[str] | None = None,
        source: str | None = None,
    ) -> Library:
        """Give a library, and those of its texts that have the old one, another title, or them other authors.

        Args:
            library: the library.
            title: None leaves it as it is.
            authors: those of its texts; None leaves them as their files name them, or as they were named before.
            source: the one text that is meant.

        Raises:
            LibraryNotFound: there is none.
            FieldError: nothing to change, a blank title, a longer one than 200 characters, or no such text.
            StoreLocked: it is being changed.
        """
        from wenmai.ingestion.library.notes import load_notes, save_note

        self.caller.require_change(library)
        title, catalog = title if title is None else title.strip(), self.services.catalog
        names = None if authors is None else list(dict.fromkeys(filter(None, map(str.strip, authors))))
        if (title is None and names is None) or not 0 < len("-" if title is None else title) <= LONGEST_TITLE:
            raise FieldError("title", Message("library.bad_title", most=LONGEST_TITLE))
        async with self.services.libraries.writing(library):
            info, notes = await catalog.info(library), await load_notes(catalog, library)
            if source not in (None, *notes):
                known = Names(list(notes)) or Message("sign.none")
                raise FieldError(
                    "source", Message("library.unknown_source", library=library, source=source, known=known)
                )
            if title and source is None:
                await catalog.create(library, title, info.embedder, info.dimension, info.language)
            for name, note in notes.items():
                if source not in (None, name):
                    continue
                is_titled = title and (source or note.title == info.title)
                changed = replace(note, title=title) if is_titled else note
                await save_note(catalog, library, name, changed if names is None else replace(changed, authors=names))
        return await self.get(library)

    async def require_source(self, library: str, source: str, field: str = "source") -> None:
        """Look for a text of a library. Raises LibraryNotFound, FieldError."""
        from wenmai.ingestion.library.notes import sources

        self.caller.require_library(library)
        await self.services.catalog.info(library)
        if source not in (names := await sources(self.services.catalog, library)):
            known = Names(names) or Message("sign.none")
            raise FieldError(field, Message("library.unknown_source", library=library, source=source, known=known))

    async def add_tables(
        self, library: str, files: Sequence[str | Path], *, source: str | None = None
    ) -> AddedTablesView:
        """Add aliases, relations and events to a text that is there; later ingests of it keep them.

        Args:
            library: the library.
            files: aliases (JSON, CSV of name,alias), relations, events or entities (CSV, JSON, JSONL).
            source: the text that they belong to; default: the first.

        Raises:
            IngestError: a file cannot be read; nothing is changed.
            InputError: the library has no text, or no such one.
            StoreLocked: it is being changed.
        """
        from wenmai.ingestion.library.notes import sources
        from wenmai.ingestion.library.tables import Tables, add_tables
        from wenmai.ingestion.source_bundle import read_tables

        self.caller.require_change(library)
        owner = source or next(iter(await sources(self.services.catalog, library)), "")
        await self.require_source(library, owner)
        tables = Tables(*await asyncio.to_thread(read_tables, [Path(one) for one in files]))
        async with self.services.libraries.writing(library):
            await self.services.require_room()
            done = await add_tables(self.services.stores, library, owner, tables)
        counts = {"names": done.names, "relations": done.relations, "events": done.events, "passages": done.passages}
        return AddedTablesView(source=owner, bad=done.bad, **counts)

    async def require(self, library: str, *, everything: bool = False) -> None:
        """Look for a library that is to be deleted; with `everything` conversations that asked it are enough.

        Raises:
            LibraryNotFound: there is nothing to delete.
        """
        self.caller.require_library(check_name(library))
        try:
            await self.services.libraries.require_deletable(library)
        except LibraryNotFound:
            if not everything or await leftovers(self.services.settings, library) == Leftovers():
                raise

    async def delete(self, library: str, *, everything: bool = False) -> DeletionReceipt:
        """Delete a library from vectors, graph and catalog.

        Args:
            everything: also the conversations and traces of questions to it, whoever's.

        Raises:
            LibraryNotFound: there is none.
            StoreLocked: it is being changed.
        """
        self.caller.require_change(library)
        counts, left = await self.services.libraries.delete_whole(library, everything=everything)
        receipt = receipt_of(library, None, {**dict.fromkeys(COUNTED, 0), **counts}, left)
        return receipt.model_copy(update={"is_cleared": everything})

    async def delete_source(self, library: str, source: str) -> DeletionReceipt:
        """Delete one text of a library. Raises LibraryNotFound, InputError for an unknown one, StoreLocked."""
        self.caller.require_change(library)
        counts = await self.services.libraries.delete(library, source)
        return receipt_of(library, source, counts, await leftovers(self.services.settings, library))

    async def back_up(self, target: str | Path) -> "tuple[Path, Manifest]":
        """Write DATA_DIR to a file, or to a new one in a folder that exists; return where it is and what it holds.

        What is on servers (Qdrant, Neo4j, PostgreSQL) is not in it.

        Raises:
            InputError: there is nothing, or the target is taken or in DATA_DIR.
            StoreLocked: a process holds the stores, which may be this one.
        """
        from wenmai.app.backups import back_up

        self.caller.require_everything()
        return await asyncio.to_thread(back_up, self.services.settings.data_dir, Path(target))

    async def restore(self, file: str | Path) -> "Manifest":
        """Put a backup into an empty DATA_DIR, whole or not at all, and return what it held.

        Raises:
            InputError: DATA_DIR is not empty, or the file is no backup, damaged, or of another format.
            StoreFull: the disk has no room.
        """
        from wenmai.app.backups import restore

        self.caller.require_everything()
        return await asyncio.to_thread(restore, Path(file), self.services.settings.data_dir)

    async def owners_elsewhere(self, library: str) -> Sequence[Text]:
        """Return the places of other catalogs that have left a library of this name on servers."""
        self.caller.require_change(library)
        return [owner.place for owner in await self.services.libraries.foreign_owners(library)]

    async def adopt(self, library: str) -> None:
        """Mark a library of this catalog that other catalogs have on servers as this one's. Raises StoreLocked."""
        self.caller.require_change(library)
        await self.services.libraries.adopt(library)

    async def delete_elsewhere(self, library: str) -> None:
        """Delete what other catalogs have left of a library on servers, not this one's own. Raises StoreLocked."""
        self.caller.require_change(library)
        await self.services.libraries.drop_abandoned(library)

    async def preview(
        self, file: str | Path, *, chapters: str | None = None, headings: Sequence[str] = (), show: int | None = None
    ) -> Preview:
        """Return what an ingest would make of a text; nothing is stored.

        Args:
            file: a text, JSON, HTML, EPUB, DOCX or PDF file.
            chapters: what a heading is: a regular expression, `toc` or `none`.
            headings: the heading lines in their order, in place of `chapters`.
            show: the chapter, from 0, whose lines are returned.

        Raises:
            IngestError: the file cannot be read.
            FieldError: a bad pattern, or no such chapter.
        """
        self.caller.require_admin()
        return await asyncio.to_thread(preview_of, Path(file), choice_of(chapters, headings), show)

    async def estimate(self, file: str | Path, library: str, *, summaries: bool | None = None) -> "Estimate":
        """Return what reading a text into a library by a model would cost, with its summaries; nothing is stored.

        Without a key of a service that counts tokens nothing is sent to one; else only texts to be counted.

        Raises:
            IngestError: the file cannot be read.
            ModelError: the service refuses to count.
        """
        from wenmai.ingestion.model.estimate import Terms, estimate
        from wenmai.ingestion.model.prompts import people_prompt_version
        from wenmai.ingestion.model.summary_requests import summary_prompt_version
        from wenmai.minds.choice import role_model
        from wenmai.minds.model.extractor import mark_of, schema_size
        from wenmai.minds.model.patience import Patience

        self.caller.require_change(library)
        settings, answers = self.services.settings, self.services.answers
        model = role_model(settings, "extractor")
        terms = Terms(
            mark=mark_of(settings.provider or "gemini", model, people_prompt_version() if settings.is_small else ""),
            model=model.id,
            prices=settings.prices,
            schema_size=schema_size(),
            call_size=settings.ingest_call_size,
            counter=replace(self.services.extractor, patience=Patience(attempts=COUNT_ATTEMPTS)).count
            if settings.provider == "gemini"
            else None,
            embedding_model=settings.embedding_model if settings.embeds_by_gemini else None,
            summary_mark=mark_of(settings.provider or "gemini", model, summary_prompt_version())
            if (settings.writes_summaries if summaries is None else summaries)
            else None,
        )
        try:
            return await estimate(Path(file), library, answers, terms)
        except ModelError as error:
            if not is_transient(error) or terms.counter is None:
                raise
        rough = await estimate(Path(file), library, answers, replace(terms, counter=None))
        return replace(rough, counted_by="ratio, unanswered")

    async def ingest(
        self,
        file: str | Path,
        library: str,
        *,
        content: bytes | None = None,
        replaces: str | None = None,
        title: str | None = None,
        language: Language | None = None,
        aliases: str | Path | None = None,
        graph: Sequence[str | Path] = (),
        without_tables: bool = False,
        chapters: str | None = None,
        headings: Sequence[str] = (),
        mind: Mind | None = None,
        summaries: bool | None = None,
        budget: str | None = None,
        engine: EngineName = "local",
        workers: int | None = None,
        progress: Progress | None = None,
    ) -> IngestReport:
        """Read a text into a library, which is made when it is new. Only what changed is written anew.

        Args:
            file: a text, JSON, HTML, EPUB, DOCX or PDF file, or a folder of such files.
            content: what the file holds, where it is not on the disk: of `file` only the name counts.
            replaces: the text of which this is a newer version, whatever its file is called.
            title: what citations call it; default: the file's own, else its name.
            language: of the story; default: that of its letters.
            aliases: a JSON file of names and their aliases.
            graph: ready-made relations, events or entities (CSV, JSON, JSONL), or lists of aliases.
            without_tables: what earlier ingests of this text were given as aliases and graph does not count; default:
                it counts where nothing is given in its place.
            chapters: what a heading is: a regular expression, `toc` or `none`.
            headings: the heading lines in their order, in place of `chapters`.
            mind: who reads the text; default: INGEST_MIND. A model costs money.
            summaries: whether a model writes summaries of chapters, parts and books, and descriptions of people;
                default: INGEST_SUMMARIES, where one reads the text.
            budget: what calls of models may cost in all: 2.50 (USD), 300k (tokens), or 2.50,300k; default: no limit.
            engine: who reads and embeds: this process, or a Ray cluster.
            workers: of the cluster; default: its processors.

        Raises:
            IngestError: a file cannot be read; nothing is stored.
            FieldError: a bad pattern, or no such text to replace.
            StoreLocked: the library is being changed.
        """
        from wenmai.ingestion.source_bundle import IngestRequest

        if replaces is not None:
            await self.require_source(library, replaces, "replaces")

        request = IngestRequest(
            path=Path(file),
            library=library,
            title=title,
            aliases=None if aliases is None else Path(aliases),
            graph_files=tuple(map(Path, graph)),
            choice=choice_of(chapters, headings),
            language=language,
            drops_tables=without_tables,
        )
        more: Any = {"mind": mind, "engine": engine, "workers": workers, "progress": progress}
        more |= {"summaries": summaries, "budget": budget}
        if content is None and replaces in (None, request.source):
            return await self.ingest_request(request, **more)
        folder = await asyncio.to_thread(upload_folder, self.services.settings.data_dir)
        try:
            own = Path(upload_name(str(file)))
            path = folder / (own.name if replaces is None else f"{replaces}{own.suffix}")
            if content is not None:
                await asyncio.to_thread(path.write_bytes, checked_content(content))
            else:
                await asyncio.to_thread(copied, request.path, path)
            return await self.ingest_request(replace(request, path=path), **more)
        finally:
            await asyncio.to_thread(shutil.rmtree, folder)

    async def ingest_request(
        self,
        request: "IngestRequest",
        *,
        mind: Mind | None = None,
        summaries: bool | None = None,
        budget: str | None = None,
        engine: EngineName = "local",
        workers: int | None = None,
        progress: Progress | None = None,
    ) -> IngestReport:
        """Read what a request names; see `ingest`."""
        from wenmai.ingestion.pipeline import ingest

        self.caller.require_change(request.library)
        services, reading, writing = self.services, self._readers(mind), self._summaries(mind, summaries)
        is_paid = writing.writer is not None or (reading is not None and reading.reader is not None)
        purse = self._purse(budget) if is_paid else None
        await services.require_room()
        async with (
            self._workers(engine, workers) as (embedder, cluster),
            services.libraries.writing(request.library, patience_s=None),  # readers stay until the first write
        ):
            return await ingest(
                request,
                stores=services.stores,
                embedder=embedder,
                progress=progress or (lambda step: None),
                reading=reading,
                summaries=writing,
                purse=purse,
                engine=cluster,
                tagger=services.reader,
                alone=partial(services.libraries.without_readers, request.library),
            )

    @asynccontextmanager
    async def _workers(
        self, engine: EngineName, workers: int | None
    ) -> "AsyncIterator[tuple[Embedder, Engine | None]]":
        """Give who embeds and who reads: this process, or a cluster. Raises ConfigError, IngestError."""
        if engine == "local":
            yield self.services.embedder, None
            return
        from wenmai.cluster import ray_cluster

        await self.services.opening.open_embedder()  # what is wrong with it is said before a cluster is started
        async with ray_cluster(self.services.settings, self.services.embedder, workers) as cluster:
            yield cluster, cluster

    def _readers(self, mind: Mind | None) -> "ReadingOptions | None":
        """Return who reads: None for patterns alone. Money is spent only where a model is named."""
        from wenmai.ingestion.model.reading import ReadingOptions

        if mind == "offline":
            return None
        settings = self.services.settings
        reader = mind or settings.ingest_mind
        return ReadingOptions(
            answers=self.services.answers,
            reader=None if reader == "offline" else self.services.extractor,
            prices=settings.prices,
            at_a_time=1 if settings.is_small else settings.ingest_concurrency,
            call_size=settings.ingest_call_size,
        )

    def _summaries(self, mind: Mind | None, wanted: bool | None) -> "SummaryOptions":
        """Return who writes summaries: nobody where no model reads, but where they are wanted by name."""
        from wenmai.ingestion.model.summary_requests import SummaryOptions

        services, settings = self.services, self.services.settings
        usual = settings.writes_summaries and (mind or settings.ingest_mind) != "offline"

        def check(
            groups: "Sequence[Sequence[Sentence]]", evidence: "Sequence[Evidence]", table: "NameTable"
        ) -> "Sequence[Sequence[Sentence]]":
            from nodes.checking.draft_check import DraftCheck  # it loads LangChain
            from wenmai.language.segmenting import cut

            return DraftCheck(lambda: services.reader, cut).sound_sentences(groups, evidence, table)

        return SummaryOptions(
            answers=services.answers,
            check=check,
            writer=services.extractor if (usual if wanted is None else wanted) else None,
            at_a_time=1 if settings.is_small else settings.ingest_concurrency,
        )

    def _purse(self, budget: str | None) -> "Purse":
        """Return what may be spent. Raises FieldError for what is no budget."""
        from wenmai.ingestion.contracts import Spending
        from wenmai.ingestion.model.budget import Budget, Purse
        from wenmai.minds.choice import role_model

        settings = self.services.settings
        given = budget or settings.ingest_budget
        spending = Spending(prices=settings.prices)
        if given is None:
            return Purse(spending=spending)
        try:
            purse = Purse(spending=spending, budget=Budget.parse(given), model=role_model(settings, "extractor").id)
            purse.require_price()
        except InputError as error:
            raise FieldError("budget", error.args[0]) from error
        return purse

    async def _library_view(
        self, info: LibraryInfo, horizon: Horizon | None = None, *, opens_vectors: bool = True
    ) -> Library:
        """Return a library with the counts of its graph, as the last ingest knew them where it cannot be read now.

        Raises:
            LibraryNotFound: it has gone.
        """
        graph: Mapping[str, int] = {} if horizon else info.counts
        problem: str | None = None
        opening, warning = self.services.opening, self.services.losses.get(info.name)
        state: LibraryState = "ready"
        has_text = bool(info.counts.get("chapters"))
        try:
            async with self.services.libraries.reading(info.name):
                info = await self.services.catalog.info(info.name)  # a text may have gone since, which is no loss
                graph = await self.services.graph.counts(info.name, horizon)
                if opens_vectors:
                    with opening.noting(info.name):
                        warning = await opening.count_lost(info)
                elif seen := self.services.spoilt.get(info.name):
                    problem, state = str(seen), "broken"
        except StoreError as error:
            problem, state = str(error), state_of(error)
        except LibraryNotFound as error:  # it has no graph, or has gone itself
            await self.services.catalog.info(info.name)
            graph = {}
            if has_text:
                problem, state = str(error), "broken"
        info = await library_as_read(self.services.catalog, info, horizon)
        return Library(
            name=info.name,
            title=info.title,
            authors=list(dict.fromkeys(author for book in info.books.values() for author in book.authors)),
            language=info.language,
            embedder=info.embedder,
            sources=list(info.sources),
            chapters=info.counts.get("chapters", 0),
            passages=info.counts.get("passages", 0),
            state=state,
            problem=problem,
            warning=None if warning is None else str(warning),
            as_of=None if horizon is None else LastPlace(part=horizon.part, chapter=horizon.chapter),
            **{kind: graph.get(kind) for kind in GRAPH_COUNTS},
        )


def state_of(error: StoreError) -> LibraryState:
    if isinstance(error, StoreUnfinished):
        return "unfinished"
    return "in_use" if isinstance(error, StoreLocked) else "broken"


def receipt_of(library: str, source: str | None, counts: Mapping[str, int | None], left: Leftovers) -> DeletionReceipt:
    named = {"threads": len(left.threads), "traces": len(left.traces)}
    return DeletionReceipt.model_validate({"library": library, "source": source, **counts, **named})


def choice_of(chapters: str | None, headings: Sequence[str]) -> "ChapterChoice":
    """Return what decides the headings. Raises FieldError where both ways are given, and for a bad pattern."""
    from wenmai.ingestion.chapters.choice import NONE, TOC, ChapterChoice

    rows = tuple(row for row in headings if row.strip())
    if chapters and rows:
        raise FieldError("headings", Message("library.chapters_or_headings"))
    if chapters and chapters not in (TOC, NONE):
        try:
            BoundedPattern(chapters)
        except InputError as error:
            raise FieldError("chapters", error.args[0]) from error
    return ChapterChoice(chapters or None, rows)


def check_source(path: Path) -> None:
    """Refuse what plainly is no text that is read. Raises FieldError."""
    from wenmai.ingestion.sources.loaders import check_file

    try:
        check_file(path)
    except IngestError as error:
        raise FieldError("file", error.args[0]) from error


def copied(source: Path, target: Path) -> None:
    if source.is_dir():
        shutil.copytree(source, target)
    else:
        shutil.copyfile(source, target)


def preview_of(path: Path, choice: "ChapterChoice", show: int | None) -> Preview:
    """Read a text and return what an ingest would make of it. Raises IngestError, InputError."""
    from wenmai.formats.epub import Declared
    from wenmai.ingestion.source_bundle import language_of
    from wenmai.ingestion.sources.loaders import load_source

    warnings: list[str] = []
    loaded = load_source(path, choice=choice, warn=warnings.append)
    chapters, declared = loaded.chapters, loaded.books.get(path.stem, Declared())
    parts = {task: at for at, task in enumerate(dict.fromkeys(one.task_id for one in chapters), 1)}
    notes = sorted((note for one in chapters for note in one.notes), key=lambda note: note.line)
    by_part = [(parts[task], list(group)) for task, group in groupby(chapters, key=lambda one: one.task_id)]
    if show is not None and show >= len(chapters):
        raise FieldError("show", Message("library.unknown_chapter_place", shown=show, count=len(chapters)))
    lines = None if show is None else chapters[show].text.split("\n")
    return Preview(
        title=declared.title or path.stem,
        authors=list(declared.authors),
        language=language_of(chapters, declared.language),
        characters=sum(len(one.text) for one in chapters),
        parts=[
            PreviewedPart(part=number, title=group[0].volume or group[0].task_name, chapters=len(group))
            for number, group in by_part
        ],
        chapters=[
            PreviewedChapter(
                part=parts[one.task_id],
                number=one.number,
                title=one.title,
                volume=one.volume,
                heading=one.printed,
                line=one.line,
                characters=len(one.text),
                beginning=" ".join(one.text[: 2 * BEGINNING].split())[:BEGINNING],
            )
            for one in chapters
        ],
        left_out=[PreviewedLine(line=one.line, text=one.text, why=one.reason) for one in loaded.left_out[:MOST_ROWS]],
        notes=[PreviewedLine(line=one.line, text=one.text[:200], why=one.kind) for one in notes[:MOST_ROWS]],
        odd=list(loaded.odd),
        warnings=warnings,
        lines=None if lines is None else [line.strip() for line in lines if line.strip()],
    )
