"""Upload, preload, list and remove documents: application functions, not tools.

An upload is all or nothing: what is refused, or fails on its way, leaves what was there before.
"""

import asyncio
import unicodedata
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import PurePosixPath, PureWindowsPath
from weakref import WeakValueDictionary

from tools.documents.records import Chunk, DocumentEntry, DocumentOwner, DocumentScope, Removed
from tools.documents.scores import searched_text
from tools.errors import InputError
from tools.messages import Message, Names, say
from tools.ports import DocumentStore, WindowEmbedder
from tools.story.windows import Embedded
from wenmai.documents.parsing.parser import AT_A_TIME, Parsed, Parser
from wenmai.documents.shares import Shares
from wenmai.minds.model.patience import Patience, retrying

MAX_NAME = 255
# Controls, invisible formats (among them those that turn a name around) and separators of lines.
DROPPED_CATEGORIES = ("Cc", "Cf", "Cs", "Co", "Zl", "Zp")
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
        if self.replaced is not None:
            before = f"{self.replaced.uploaded_at:%Y-%m-%d %H:%M} UTC"
            stored = say("document.replaced", name=name, chunks=chunks, before=before)
        return say("document.with_warnings").join((stored, *self.warnings))


def silent(done: int, total: int) -> None:
    """Show nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentService:
    """Stores uploaded files, lists and removes them.

    Attributes:
        embedder: tries a batch once; the service tries three times.
        clean: takes deleted texts out of the store's files.
        max_files: of one session; the preloaded ones are not counted.
    """

    store: DocumentStore
    embedder: WindowEmbedder
    parser: Parser
    clock: Callable[[], datetime]
    new_id: Callable[[], str]
    max_bytes: int
    max_files: int
    clean: Callable[[], Awaitable[None]]
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
    ) -> Uploaded:
        """Store a file in a session, or with PRELOADED for all users.

        Args:
            progress: gets (done, total) chunks.
            may_store: raises what else stands against it; called when the file has been read.

        Raises InputError for a bad name or over a limit, IngestError for a file that cannot be read, ModelError and
        StoreError.
        """
        name = bare_name(filename)
        self.check_size(name, len(data))
        await self._check_room(name, owner)
        parsed = await self._reading.run(owner.user_id or "", len(data), lambda: self.parser(name, data))
        if may_store is not None:
            await may_store()
        chunks = self._chunks(name, parsed, owner)
        embedded = await self._embedded([searched_text(chunk) for chunk in chunks], owner.user_id or "", progress)
        chunks = [replace(chunk, windows=one.windows) for chunk, one in zip(chunks, embedded, strict=True)]
        async with self._owners.setdefault(owner, asyncio.Lock()):  # two files at once do not both take the last place
            await self._check_room(name, owner)
            replaced = await self.store.put(chunks, [one.vector for one in embedded])
        return Uploaded(chunks[0].document, replaced, parsed.warnings)

    def check_size(self, name: str, size: int) -> None:
        if size > self.max_bytes:
            limit = Message("document.file_limit", most=self.max_bytes / MEGABYTE)
            raise TooLarge(Message("document.file_too_large", name=name, limit=limit))

    async def documents(self, scope: DocumentScope, *, include_preloaded: bool = True) -> list[DocumentEntry]:
        return await self.store.documents(scope, include_preloaded=include_preloaded)

    async def has(self, filename: str, owner: DocumentOwner) -> bool:
        """Return True if a file of this name would take the place of one. Raises InputError for a bad name."""
        return bare_name(filename) in {one.filename for one in await self._own(owner)}

    async def remove(self, owner: DocumentOwner, named: Sequence[str]) -> Removed:
        """Remove documents of an owner by id or filename; if one of them is unknown, none. Raises InputError."""
        own = await self._own(owner)
        known = {key: one for one in own for key in (one.filename, one.id)}
        if missing := [name for name in named if name not in known]:
            where = Message("document.in_session", session=owner.session_id)
            if owner.is_preloaded:
                where = Message("document.in_preloaded")
            raise InputError(Message("document.unknown_in", where=where, names=Names(missing)))
        wanted = dict.fromkeys(known[name].id for name in named)
        removed = [await self.store.remove(owner, id) for id in wanted]
        await self.clean()
        return Removed(tuple(one for part in removed for one in part.documents), sum(part.chunks for part in removed))

    async def remove_all(self, owner: DocumentOwner) -> Removed:
        removed = await self.store.remove_all(owner)
        await self.clean()
        return removed

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
                count += len(removed.documents)
        finally:
            if count:
                await self.clean()
        return count

    async def remove_user(self, user_id: str) -> int:
        """Remove every document of a user, in whichever session; return how many there were. Raises StoreError."""
        removed = await self.store.remove_user(user_id)
        if removed.documents:
            await self.clean()
        return len(removed.documents)

    async def close(self) -> None:
        self.parser.close()

    async def _own(self, owner: DocumentOwner) -> list[DocumentEntry]:
        scope = DocumentScope(owner.user_id, owner.session_id)
        return [one for one in await self.store.documents(scope) if one.owner == owner]

    async def _check_room(self, name: str, owner: DocumentOwner) -> None:
        """Refuse one file more than a session may have; a file of a known name takes that one's place."""
        if owner.is_preloaded:
            return
        names = {one.filename for one in await self._own(owner)}
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


def bare_name(filename: str) -> str:
    """Return the name of a file without folders and invisible characters. Raises InputError for what names nothing."""
    last = PureWindowsPath(PurePosixPath(filename).name).name
    kept = "".join(char for char in last if unicodedata.category(char) not in DROPPED_CATEGORIES)
    name = " ".join(unicodedata.normalize("NFC", kept).split())
    if not name.strip(". "):
        raise InputError(Message("document.bad_name", name=filename[:80]))
    if len(name) > MAX_NAME:
        raise InputError(Message("document.name_too_long", count=len(name), most=MAX_NAME, name=name[:80]))
    return name
