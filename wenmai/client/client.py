"""The client of a running server: the operations of `Application`, done there.

What a server does by a request that looks like the operation is a row of `ROUTES`; the others are written out here.
"""

import asyncio
import io
import json
from collections.abc import Callable, Sequence
from contextlib import AsyncExitStack, ExitStack
from dataclasses import dataclass, fields
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Self, TypeVar, cast
from zipfile import ZIP_DEFLATED, ZipFile

from state.context import Language
from tools.errors import InputError, LibraryNotFound, StoreError
from tools.memory.interchange import HIDDEN
from tools.messages import Message, Names
from wenmai.application.documents import DocumentOperations, MovedDocuments, RemovalReceipt, Stored
from wenmai.application.entities import EntityOperations, EventOperations, RelationOperations
from wenmai.application.jobs import JobView
from wenmai.application.libraries import AddedTablesView, EngineName, Library, LibraryOperations, Mind, Preview
from wenmai.application.memories import ForgetReceipt, ImportedMemories, MemoryOperations, Row
from wenmai.application.networks import ImportReceipt, NetworkOperations, NetworkPreview
from wenmai.application.paging import EVERY
from wenmai.application.passages import PassageOperations
from wenmai.application.reading import ReadingOperations
from wenmai.application.settings import SettingsOperations
from wenmai.application.subjects import SubjectOperations
from wenmai.application.summaries import SummaryOperations
from wenmai.application.traces import TraceOperations
from wenmai.application.users import UserOperations
from wenmai.client.connection import Connection, Remote, path_of, set_fields
from wenmai.documents.service import Progress, silent
from wenmai.ingestion import contracts
from wenmai.ingestion.contracts import IngestReport, Spending, Step
from wenmai.inputs import NotFound, checked_content, file_bytes

if TYPE_CHECKING:
    from wenmai.application.conversations import ConversationOperations
    from wenmai.application.tools import ToolOperations
    from wenmai.knowledge.reading import Mending

T = TypeVar("T")
UPLOAD_BYTES = 1 << 30  # the server has its own limit
ROWS_AT_ONCE = 50
DATA = "data:"  # begins the line of an event
STEP_FIELDS = frozenset(one.name for one in fields(Step))
Part = tuple[str, tuple[str, BinaryIO | bytes]]  # of a form


class RemoteDocuments(Remote):
    async def upload(
        self,
        file: str | Path,
        *,
        content: bytes | None = None,
        thread_id: str | None = None,
        preloaded: bool = False,
        collection: bool = False,
        folder: str | None = None,
        replaces: str | None = None,
        progress: Progress = silent,
    ) -> Stored:
        """Store a file; one of the same name is replaced."""
        data = await asyncio.to_thread(file_bytes, Path(file), UPLOAD_BYTES, content)
        fields = owner_fields(thread_id, preloaded, collection, folder) | set_fields({"replaces": replaces})
        form = {"files": {"file": (Path(file).name, data)}, "data": fields}
        done = await self.server.ask("POST", "/documents", **form)
        if "state" in done:  # it takes longer than the server lets a request wait

            def report(step: dict[str, Any]) -> None:
                progress(step["done"], step["total"])

            done = await ended(self.server, JobView.model_validate(done), report)
        return Stored.model_validate(done)

    async def picture(
        self,
        document: str,
        page: int,
        *,
        thread_id: str | None = None,
        preloaded: bool = False,
        collection: bool = False,
    ) -> bytes:
        """Return a page of a PDF as a JPEG."""
        path, owner = path_of("documents", document, "pages", page), owner_fields(thread_id, preloaded, collection)
        return await self.server.content(path, params=owner)

    async def move(
        self, *names: str, to: str, thread_id: str | None = None, collection: bool = False, folder: str | None = None
    ) -> MovedDocuments:
        """Move documents into a folder of the collection: from another folder, or from a conversation."""
        owner = owner_fields(thread_id, False, collection, folder)
        body = {"to": to, "names": list(names)}
        return await self.server.send(MovedDocuments, "POST", "/documents/moves", params=owner, json=body)

    async def remove(
        self,
        *names: str,
        thread_id: str | None = None,
        preloaded: bool = False,
        collection: bool = False,
        folder: str | None = None,
    ) -> RemovalReceipt:
        """Remove documents by name, with its folder or without, or id; if one is unknown, none. Raises NotFound."""
        seen = await self.list(
            thread_id=thread_id, preloaded=preloaded, collection=collection, folder=folder, limit=EVERY
        )
        is_thread = not (preloaded or collection or folder is not None)
        own = [one for one in seen.items if not is_thread or not (one.is_preloaded or one.folder is not None)]
        known: dict[str, list[str]] = {}
        for one in own:
            for key in {one.filename, one.path, one.id}:
                known.setdefault(key, []).append(one.id)
        if missing := [name for name in names if name not in known]:
            where = Message("document.in_session", session=thread_id)
            if not is_thread:
                where = Message("document.in_preloaded" if preloaded else "document.in_collection")
            raise NotFound("document", Message("document.unknown_in", where=where, names=Names(missing)))
        if several := [name for name in names if len(known[name]) > 1]:
            raise NotFound("document", Message("document.in_several_folders", names=Names(several)))
        owner = owner_fields(thread_id, preloaded, collection, folder)
        paths = dict.fromkeys(path_of("documents", known[name][0]) for name in names)
        receipts = [await self.server.send(RemovalReceipt, "DELETE", path, params=owner) for path in paths]
        documents = [document for one in receipts for document in one.documents]
        return RemovalReceipt(documents=documents, chunks=sum(one.chunks for one in receipts))


def owner_fields(
    thread_id: str | None, preloaded: bool, collection: bool = False, folder: str | None = None
) -> dict[str, str]:
    """Return the fields of a request that say whose documents are meant."""
    collects = collection or folder is not None
    whose = {"preloaded": "true" if preloaded else None, "collection": "true" if collects else None}
    return set_fields({"thread_id": thread_id, "folder": folder, **whose})


class RemoteLibraries(Remote):
    async def create(self, library: str, title: str, language: Language = "zh") -> Library:
        """Make an empty library."""
        body = {"name": library, "title": title, "language": language}
        return await self.server.send(Library, "POST", "/libraries", json=body)

    async def require(self, library: str, *, everything: bool = False) -> None:
        """Look for a library that is to be deleted; with `everything` the server looks for what is left of one."""
        if not everything:
            await self.get(library)

    async def preview(
        self, file: str | Path, *, chapters: str | None = None, headings: Sequence[str] = (), show: int | None = None
    ) -> Preview:
        """Return what an ingest would make of a text; nothing is stored."""
        with ExitStack() as opened:
            form = heading_fields(chapters, headings) | ({} if show is None else {"show": str(show)})
            return await self.server.send(
                Preview, "POST", "/previews", files=[open_part(opened, "file", file)], data=form
            )

    async def add_tables(
        self, library: str, files: Sequence[str | Path], *, source: str | None = None
    ) -> AddedTablesView:
        """Add aliases, relations and events to a text that is there."""
        with ExitStack() as opened:
            parts = [open_part(opened, "file", one) for one in files]
            path, form = path_of("libraries", library, "tables"), set_fields({"source": source})
            return await self.server.send(AddedTablesView, "POST", path, files=parts, data=form)

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
        progress: contracts.Progress | None = None,
    ) -> IngestReport:
        """Read a text into a library there, which is made when it is new; the server's settings say who reads.

        Raises:
            InputError: a folder, a mind or an engine is named, which the server cannot be told.
        """
        content = None if content is None else checked_content(content)
        is_folder = content is None and Path(file).is_dir()
        for is_wanted, option in (
            (mind, "--mind"),
            (summaries is not None, "--summaries"),
            (budget, "--budget"),
            (engine != "local", "--engine"),
            (is_folder, Message("client.option_folder")),
        ):
            if is_wanted:
                raise InputError(Message("client.option_not_supported", url=self.server.url, option=option))
        form = heading_fields(chapters, headings) | set_fields({"replaces": replaces})
        form |= {"title": title or ""} if title or replaces is None else {}  # an empty one means that of the file
        form |= {"language": language} if language else {}
        form |= {"without_tables": "true"} if without_tables else {}
        async with AsyncExitStack() as undo:
            try:
                await self.get(library)
            except (LibraryNotFound, NotFound):
                await self.create(library, title or Path(file).stem)
                undo.push_async_callback(self.delete, library)
            with ExitStack() as opened:
                text = open_part(opened, "file", file) if content is None else ("file", (Path(file).name, content))
                files: list[Part] = [text, *(open_part(opened, "graph", one) for one in graph)]
                files += [open_part(opened, "aliases", aliases)] if aliases else []
                path = path_of("libraries", library, "sources")
                job = await self.server.send(JobView, "POST", path, files=files, data=form)
            undo.pop_all()  # the files are taken

        def report(step: dict[str, Any]) -> None:
            if progress:
                progress(Step(**{name: value for name, value in step.items() if name in STEP_FIELDS}))

        result = await ended(self.server, job, report)
        return IngestReport(**{**result, "spending": Spending(**result["spending"])})


async def ended(server: Connection, job: JobView, report: Callable[[dict[str, Any]], None]) -> dict[str, Any]:
    """Follow a job to its end and return its result. Raises StoreError where it failed or was stopped."""
    async for line in server.lines(path_of("jobs", job.id, "events")):
        if line.startswith(DATA):
            job = JobView.model_validate_json(line.removeprefix(DATA))
            if job.progress and job.state == "running":
                report(job.progress)
    if job.state != "done" or job.result is None:
        raise StoreError(job.error or job.state)
    return job.result


def open_part(opened: ExitStack, name: str, file: str | Path) -> Part:
    """Return a file as a part of a form; it is open as long as the stack."""
    return name, (Path(file).name, opened.enter_context(Path(file).open("rb")))


def heading_fields(chapters: str | None, headings: Sequence[str]) -> dict[str, str]:
    return set_fields({"chapters": chapters or None, "headings": "\n".join(headings) or None})


class RemoteMemories(Remote):
    async def forget(self, *keys: str) -> ForgetReceipt:
        """Forget memories with their history; none of them unless all are there. Raises NotFound."""
        for key in keys:
            await self.get(key)
        receipts = [await self.server.send(ForgetReceipt, "DELETE", path_of("memories", key)) for key in keys]
        return ForgetReceipt(**sum_counts(receipts, ForgetReceipt))

    async def export(self) -> Sequence[Row]:
        """Return every memory as plain data, the oldest first. Raises StoreError where a text is hidden."""
        rows: Sequence[Row] = [json.loads(line) async for line in self.server.lines("/memories/export")]
        if any(row["content"] == HIDDEN for row in rows):
            raise StoreError(Message("client.sensitive_without_text", url=self.server.url))
        return rows

    async def load(
        self,
        rows: Sequence[Row],
        *,
        undated: datetime | None = None,
        progress: Callable[[int, int], None] | None = None,
    ) -> ImportedMemories:
        """Keep memories as an export has them, some at a time; the server dates what nobody does."""
        date, receipts = None if undated is None else undated.isoformat(), list[ImportedMemories]()
        for begin in range(0, len(rows), ROWS_AT_ONCE):
            body = {"memories": [*rows[begin : begin + ROWS_AT_ONCE]], "undated": date}
            receipts.append(await self.server.send(ImportedMemories, "POST", "/memories/import", json=body))
            if progress:
                progress(sum(one.total for one in receipts), len(rows))
        return ImportedMemories(**sum_counts(receipts, ImportedMemories))


def sum_counts(receipts: Sequence[ForgetReceipt | ImportedMemories], kind: type[Any]) -> dict[str, int]:
    """Return the counts of several receipts of a kind together."""
    return {name: sum(getattr(one, name) for one in receipts) for name in kind.model_fields}


class RemoteNetworks(Remote):
    """Files are read here and sent as what they were read as."""

    async def preview(
        self, path: str | Path, *, network: str | None = None, mending: "Mending | None" = None
    ) -> NetworkPreview:
        """Return what `load` would keep; nothing is stored."""
        from wenmai.knowledge.reading import read_mended

        return NetworkPreview.of(*await asyncio.to_thread(read_mended, Path(path), network, mending))

    async def load(
        self,
        path: str | Path,
        *,
        network: str | None = None,
        mending: "Mending | None" = None,
        progress: Progress = silent,
    ) -> ImportReceipt:
        """Make files the content of a network, as a whole or not at all; one of the same id is replaced."""
        from wenmai.knowledge.files import network_files
        from wenmai.knowledge.reading import read_mended

        content, is_inferred = await asyncio.to_thread(read_mended, Path(path), network, mending)

        def archived() -> bytes:
            data = io.BytesIO()
            with ZipFile(data, "w", ZIP_DEFLATED) as archive:
                for name, text in network_files(content).items():
                    archive.writestr(name, text)
            return data.getvalue()

        files = {"file": ("network.zip", await asyncio.to_thread(archived))}
        done = await self.server.send(ImportReceipt, "POST", path_of("networks", content.spec.id), files=files)
        return done.model_copy(update={"dangling": content.dangling, "is_inferred": is_inferred})


def remote(operations: type[T], kind: type[Remote] = Remote) -> SubjectOperations[T]:
    """Return what asks a server for operations, by their own interface."""
    return SubjectOperations(lambda client: cast(T, kind(operations, client.server)))


def conversations_of(client: "Client") -> "ConversationOperations":
    from wenmai.application.conversations import ConversationOperations  # it takes LangChain along
    from wenmai.client.asking import RemoteConversations

    return cast("ConversationOperations", RemoteConversations(ConversationOperations, client.server))


def tools_of(client: "Client") -> "ToolOperations":
    from wenmai.application.tools import ToolOperations
    from wenmai.client.asking import RemoteTools

    return cast("ToolOperations", RemoteTools(ToolOperations, client.server))


@dataclass(frozen=True)
class Client:
    """Operations by subject, as the user of a key: those of `Application` that a server can be asked for."""

    server: Connection

    conversations = SubjectOperations(conversations_of)
    documents = remote(DocumentOperations, RemoteDocuments)
    entities = remote(EntityOperations)
    events = remote(EventOperations)
    libraries = remote(LibraryOperations, RemoteLibraries)
    memories = remote(MemoryOperations, RemoteMemories)
    networks = remote(NetworkOperations, RemoteNetworks)
    passages = remote(PassageOperations)
    reading = remote(ReadingOperations)
    relations = remote(RelationOperations)
    settings = remote(SettingsOperations)
    summaries = remote(SummaryOperations)
    tools = SubjectOperations(tools_of)
    traces = remote(TraceOperations)
    users = remote(UserOperations)

    async def for_user(self, user_id: str) -> Self:
        """Return the same operations. Raises InputError for another user than that of the key."""
        await self.server.require(user_id)
        return self
