"""Upload, preload, list and remove documents: application functions, not tools.

An upload is all or nothing: what is refused, or fails on its way, leaves what was there before.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import PurePosixPath, PureWindowsPath
from weakref import WeakValueDictionary

from tools.documents.records import Chunk, DocumentEntry, DocumentOwner, DocumentScope, Removed, visible_name
from tools.documents.scores import searched_text
from tools.errors import InputError
from tools.messages import Message, Names, say
from tools.ports import DocumentStore, WindowEmbedder
from tools.story.windows import Embedded
from wenmai.documents.originals import KEPT, Originals
from wenmai.documents.parsing.parser import AT_A_TIME, Parsed, Parser
from wenmai.documents.shares import Shares
from wenmai.minds.model.patience import Patience, retrying
from wenmai.stores.files.threads import to_its_end

MAX_NAME = 255
MAX_FOLDER = 80
BESIDE = 4  # chunks on either side of a cited one, at most
BATCH = 32  # chunks: half a minute of the longest ones
RETRIES = Patience(attempts=3, first_s=1.0, longest_s=8.0)
EMBEDDED_AT_A_TIME = 2  # batches; a short file does not wait for a whole long one
OF_A_USER = 1  # of these batches; of the processes that read files one stays for others
MEGABYTE = 2**20

Progress = Callable[[int, int], None]


class TooLarge(InputError):
    """A file has more bytes than MAX_FILE_SIZE_MB allows."""

    http_status = 413


class TooMany(InputError):
    """A session has as many files as MAX_FILES_PER_SESSION allows."""


@dataclass(frozen=True, slots=True)
class Uploaded:
    document: DocumentEntry
    replaced: DocumentEntry | None = None
    warnings: tuple[str, ...] = ()
    """What of the file could not be read."""

    @property
    def message(self) -> str:
        name, chunks = self.document.filename, self.document.chunks
        stored = say("document.uploaded", name=name, chunks=chunks)
        if (old := self.replaced) is not None:
            before = f"{old.uploaded_at:%Y-%m-%d %H:%M} UTC"
            key = "document.replaced" if old.filename == name else "document.replaced_other"
            stored = say(key, name=name, chunks=chunks, before=before, other=old.filename)
        return say("document.with_warnings").join((stored, *self.warnings))


def silent(done: int, total: int) -> None:
    """Show nothing."""


class NoOneDocument(InputError):
    """A name or an id means no document of an owner, or several."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentService:
    """Stores uploaded files, lists and removes them.

    Attributes:
        embedder: tries a batch once; the service tries three times.
        originals: keeps the PDFs themselves, of which pages are drawn.
        clean: takes deleted texts out of the store's files.
        max_files: of one session; those of a collection and the preloaded ones are not counted.
    """

    store: DocumentStore
    embedder: WindowEmbedder
    parser: Parser
    originals: Originals
    clock: Callable[[], datetime]
    new_id: Callable[[], str]
    max_bytes: int
    max_files: int
    clean: Callable[[], Awaitable[object]]
    _reading: Shares = field(default_factory=lambda: Shares(AT_A_TIME, AT_A_TIME - 1))
    _embedding: Shares = field(default_factory=lambda: Shares(EMBEDDED_AT_A_TIME, OF_A_USER))
    _owners: WeakValueDictionary[DocumentOwner, asyncio.Lock] = field(default_factory=WeakValueDictionary)

    async def upload(
        self,
        filename: str,
        data: bytes,
        owner: DocumentOwner,
        progress: Progress = silent,
        may_store: Callable[[], Awaitable[None]] | None = None,
        replaces: DocumentEntry | None = None,
    ) -> Uploaded:
        """Store a file in a session or in a folder of a collection, or with PRELOADED for all users.

        Args:
            progress: gets (done, total) chunks.
            may_store: raises what else stands against it; called when the file has been read.
            replaces: the owner's document that this one is a newer version of, where its name is another.

        Raises InputError for a bad name or over a limit, IngestError for a file that cannot be read, ModelError and
        StoreError.
        """
        name = bare_name(filename)
        self.check_size(name, len(data))
        await self._check_room(name, owner, replaces)
        parsed = await self._reading.run(owner.user_id or "", len(data), lambda: self.parser(name, data))
        if may_store is not None:
            await may_store()
        chunks = self._chunks(name, parsed, owner)
        embedded = await self._embedded([searched_text(chunk) for chunk in chunks], owner.user_id or "", progress)
        chunks = [replace(chunk, windows=one.windows) for chunk, one in zip(chunks, embedded, strict=True)]
        async with self._owners.setdefault(owner, asyncio.Lock()):  # two files at once do not both take the last place
            await self._check_room(name, owner, replaces)
            ids = () if replaces is None else (replaces.id,)
            replaced = await to_its_end(self._put(chunks, [one.vector for one in embedded], ids, data))
        return Uploaded(chunks[0].document, replaced, parsed.warnings)

    async def _put(
        self, chunks: Sequence[Chunk], vectors: Sequence[Sequence[float]], replaces: Sequence[str], data: bytes
    ) -> DocumentEntry | None:
        """Store a document, a PDF with its file: without its document no file stays."""
        document = chunks[0].document
        try:
            if document.mime_type == KEPT:
                await self.originals.keep(document.id, data)
            replaced = await self.store.put(chunks, vectors, replaces)
        except BaseException:
            await self.originals.remove([document.id])
            raise
        await self.originals.remove([replaced.id] if replaced else ())
        return replaced

    def check_size(self, name: str, size: int) -> None:
        if size > self.max_bytes:
            limit = Message("document.file_limit", most=self.max_bytes / MEGABYTE)
            raise TooLarge(Message("document.file_too_large", name=name, limit=limit))

    async def documents(self, scope: DocumentScope, *, include_preloaded: bool = True) -> list[DocumentEntry]:
        return await self.store.documents(scope, include_preloaded=include_preloaded)

    async def has(self, filename: str, owner: DocumentOwner) -> bool:
        """Return True if a file of this name would take the place of one. Raises InputError for a bad name."""
        return bare_name(filename) in {one.filename for one in await self.own(owner)}

    async def own(self, owner: DocumentOwner, *, everywhere: bool = False) -> list[DocumentEntry]:
        """Return the documents of an owner, with `everywhere` those of all folders of a collection."""
        if owner.folder is not None:
            folders = None if everywhere else (owner.folder,)
            return await self.store.documents(DocumentScope(owner.user_id, folders=folders), include_preloaded=False)
        scope = DocumentScope(owner.user_id, owner.session_id)
        return [one for one in await self.store.documents(scope) if one.owner == owner]

    async def named(
        self, owner: DocumentOwner, names: Sequence[str], *, everywhere: bool = False
    ) -> list[DocumentEntry]:
        """Return documents of an owner by id, filename or path. Raises NoOneDocument: one is unknown, or is several.

        With `everywhere` they are looked for in all folders of a collection.
        """
        known: dict[str, list[DocumentEntry]] = {}
        for one in await self.own(owner, everywhere=everywhere):
            for key in {one.filename, one.path, one.id}:
                known.setdefault(key, []).append(one)
        if missing := [name for name in names if name not in known]:
            raise NoOneDocument(Message("document.unknown_in", where=label_of(owner, everywhere), names=Names(missing)))
        if several := [name for name in names if len(known[name]) > 1]:
            raise NoOneDocument(Message("document.in_several_folders", names=Names(several)))
        return list({known[name][0].id: known[name][0] for name in names}.values())

    async def move(
        self, owner: DocumentOwner, names: Sequence[str], to: DocumentOwner, *, everywhere: bool = False
    ) -> list[DocumentEntry]:
        """Move documents of an owner, without names all of them, into a folder; return them as they are there.

        Raises NoOneDocument where one is unknown, InputError where the folder has one of its name: nothing is moved.
        """
        async with self._owners.setdefault(to, asyncio.Lock()):
            found = await (
                self.named(owner, names, everywhere=everywhere) if names else self.own(owner, everywhere=everywhere)
            )
            wanted = [one for one in found if one.owner != to]
            taken = [*(one.filename for one in await self.own(to)), *(one.filename for one in wanted)]
            if twice := [one.filename for one in wanted if taken.count(one.filename) > 1]:
                raise InputError(Message("document.folder_has_name", names=Names(dict.fromkeys(twice))))
            if wanted:
                await self.store.move(wanted, to)
        return [replace(one, owner=to) for one in found]

    async def remove(self, owner: DocumentOwner, names: Sequence[str], *, everywhere: bool = False) -> Removed:
        """Remove documents of an owner by id, filename or path; if one is unknown, none. Raises NoOneDocument."""
        return await self._removed(await self.named(owner, names, everywhere=everywhere))

    async def remove_all(self, owner: DocumentOwner, *, everywhere: bool = False) -> Removed:
        """Remove every document of an owner, with `everywhere` of all folders of a collection."""
        return await self._removed(await self.own(owner, everywhere=everywhere))

    async def _removed(self, documents: Sequence[DocumentEntry]) -> Removed:
        removed: list[Removed] = []
        for one in documents:
            removed.append(await self.store.remove(one.owner, one.id))
            await self.originals.remove(gone.id for gone in removed[-1].documents)
        await self.clean()
        return Removed(tuple(one for part in removed for one in part.documents), sum(part.chunks for part in removed))

    async def piece(self, scope: DocumentScope, chunk_id: str) -> tuple[Chunk, list[Chunk]] | None:
        """Return a visible chunk with those around it that are in the same place; None for any other."""
        found = await self.store.fetch(scope, [chunk_id])
        if not found:
            return None
        chunk = found[0].chunk
        return chunk, beside(chunk, await self.store.chunks(scope, chunk.document.id))

    async def picture(self, document: DocumentEntry, page: int) -> bytes | None:
        """Return a page of a PDF as a JPEG; None where no file is kept, or it has no such page. Raises IngestError."""
        size = await self.originals.size([document.id]) if document.mime_type == KEPT else 0
        if not size:
            return None

        async def drawn() -> bytes | None:
            data = await self.originals.read(document.id)
            return None if data is None else await self.parser.picture(document.filename, data, page)

        return await self._reading.run(document.owner.user_id or "", size, drawn)

    async def kept_bytes(self, documents: Sequence[DocumentEntry]) -> int:
        """Return how many bytes the files of documents take."""
        return await self.originals.size(one.id for one in documents)

    async def remove_sessions(self, sessions: Sequence[str], user_id: str | None) -> int:
        """Remove the documents of sessions that have ended: a user's, or without one all users'. Raises StoreError.

        The store's files are rewritten once, and where a removal fails for what was removed before it. Returns how
        many documents there were.
        """
        count = 0
        try:
            for session in sessions:
                if user_id is None:
                    removed = await self.store.remove_session(session)
                else:
                    removed = await self.store.remove_all(DocumentOwner(user_id, session))
                await self.originals.remove(one.id for one in removed.documents)
                count += len(removed.documents)
        finally:
            if count:
                await self.clean()
        return count

    async def remove_user(self, user_id: str) -> int:
        """Remove every document of a user, of sessions and the collection; return the count. Raises StoreError."""
        await self.originals.remove(one.id for one in await self.store.of_user(user_id))
        removed = await self.store.remove_user(user_id)
        if removed.documents:
            await self.clean()
        return len(removed.documents)

    async def close(self) -> None:
        self.parser.close()

    async def _check_room(self, name: str, owner: DocumentOwner, replaces: DocumentEntry | None) -> None:
        """Refuse one file more than a session may have; a file of a known name takes that one's place.

        A newer version of one document may not have the name of another.
        """
        names = {one.filename for one in await self.own(owner)}
        if replaces is not None and name != replaces.filename and name in names:
            raise InputError(Message("document.folder_has_name", names=Names([name])))
        if owner.session_id is None or replaces is not None:
            return
        if name not in names and len(names) >= self.max_files:
            counts = {"count": len(names), "most": self.max_files}
            raise TooMany(Message("document.too_many_files", session=owner.session_id, **counts))

    def _chunks(self, name: str, parsed: Parsed, owner: DocumentOwner) -> list[Chunk]:
        document = DocumentEntry(
            id=self.new_id(),
            filename=name,
            mime_type=parsed.mime_type,
            uploaded_at=self.clock(),
            owner=owner,
            chunks=len(parsed.chunks),
        )
        return [
            Chunk(document=document, chunk_index=n, content=parsed.text[a:b], start=a, end=b, location=place)
            for n, (a, b, place) in enumerate(parsed.chunks)
        ]

    async def _embedded(self, texts: Sequence[str], user_id: str, progress: Progress) -> list[Embedded]:
        embedded: list[Embedded] = []
        progress(0, len(texts))
        for begin in range(0, len(texts), BATCH):
            async with self._embedding.place(user_id, len(texts) - begin):
                embedded += await retrying(RETRIES)(self.embedder.embed_windows, texts[begin : begin + BATCH])
            progress(len(embedded), len(texts))
        return embedded


def label_of(owner: DocumentOwner, everywhere: bool) -> Message:
    """Return how a message calls the place of an owner's documents."""
    if owner.is_preloaded:
        return Message("document.in_preloaded")
    if owner.session_id is not None:
        return Message("document.in_session", session=owner.session_id)
    if everywhere or not owner.folder:
        return Message("document.in_collection")
    return Message("document.in_folder", folder=owner.folder)


def beside(chunk: Chunk, chunks: Sequence[Chunk]) -> list[Chunk]:
    """Return the chunks around one, itself among them, that are in the same page, slide, sheet or section."""
    at = next((n for n, one in enumerate(chunks) if one.chunk_id == chunk.chunk_id), None)
    if at is None:
        return [chunk]
    first = last = at
    place = section_of(chunk)
    while first > max(0, at - BESIDE) and section_of(chunks[first - 1]) == place:
        first -= 1
    while last < min(len(chunks) - 1, at + BESIDE) and section_of(chunks[last + 1]) == place:
        last += 1
    return list(chunks[first : last + 1])


def section_of(chunk: Chunk) -> tuple[object, ...]:
    place = chunk.location
    return place.page, place.slide, place.sheet, place.heading


def folder_name(name: str) -> str:
    """Return the name of a folder without invisible characters, "" for the top. Raises InputError for a long one."""
    folder = visible_name(name)
    if len(folder) > MAX_FOLDER:
        raise InputError(Message("document.folder_too_long", count=len(folder), most=MAX_FOLDER))
    return folder


def bare_name(filename: str) -> str:
    """Return the name of a file without folders and invisible characters. Raises InputError for what names nothing."""
    name = visible_name(PureWindowsPath(PurePosixPath(filename).name).name)
    if not name.strip(". "):
        raise InputError(Message("document.bad_name", name=filename[:80]))
    if len(name) > MAX_NAME:
        raise InputError(Message("document.name_too_long", count=len(name), most=MAX_NAME, name=name[:80]))
    return name
