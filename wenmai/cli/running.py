"""What commands ask a running server that holds their stores; results are what the stores would give."""

import os
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import httpx

from tools.wording import Names, Words
from wenmai.cli.remote import GONE, KEY, LOCAL, NOT_LOCAL, TIMEOUT_S, headers_with, read
from wenmai.errors import InputError, StoreError

if TYPE_CHECKING:
    from pathlib import Path

    from tools.documents.records import DocumentEntry, Removed
    from tools.memory.records import FoundMemories, Memory
    from wenmai.app.deleting import Counts
    from wenmai.ingestion.contracts import IngestReport
    from wenmai.ingestion.request import IngestRequest
    from wenmai.memories.forgetting import Receipt

PAGE_ROWS = 200
NO_KEY_HERE = Words(
    "通过正在运行的服务器 {url} 不能指定 --key：请去掉它，或先停止服务器",
    "--key does not work through the running server {url}: leave it out, or stop the server first",
)
NOT_IN_SESSION = Words("会话 {session} 中没有：{names}", "conversation {session} has no {names}")
UPLOAD_BYTES = 1 << 30  # the server has its own limit
JOB_SECONDS = 0.5
RECEIPT = ("memories", "threads", "traces", "caches")


@dataclass(frozen=True, slots=True)
class Running:
    """A running server, asked as the user of WENMAI_API_KEY, or as the local one."""

    url: str

    def ask(self, method: str, path: str, **options: Any) -> Any:
        """Return what the API answers. Raises WenmaiError."""
        headers = headers_with(os.environ.get(KEY, ""))
        try:
            with httpx.Client(headers=headers, timeout=TIMEOUT_S, trust_env=False) as http:
                return read(http.request(method, f"{self.url}/api/v1{path}", **options), self.url)
        except httpx.TransportError as error:
            raise StoreError(GONE.of(url=self.url, error=error)) from error

    def rows(self, path: str, **query: Any) -> Iterator[dict[str, Any]]:
        """Yield every row of a list."""
        at = 0
        while True:
            page = self.ask("GET", path, params={**query, "limit": PAGE_ROWS, "offset": at})
            yield from page["items"]
            at += len(page["items"])
            if not page["items"] or at >= page["total"]:
                return

    def as_user(self, user: str) -> "Running":
        """Return this server for a user. Raises InputError where it knows the local one alone."""
        if user != LOCAL and not os.environ.get(KEY):
            raise InputError(NOT_LOCAL.of(url=self.url))
        return self

    def delete_library(self, library: str, source: str | None) -> "Counts":
        """Delete a library or a source and return how much there was."""
        path = f"/libraries/{quote(library)}" + (f"/sources/{quote(source, safe='')}" if source else "")
        receipt = self.ask("DELETE", path)
        return {kind: count for kind, count in receipt.items() if kind not in ("library", "source")}

    def ingest(self, request: "IngestRequest") -> "IngestReport":
        """Take a file into a library, which is made when it is new, and return the report."""
        from wenmai.ingestion.contracts import IngestReport
        from wenmai.ingestion.spending import Spending

        name = request.library
        if name not in {one["name"] for one in self.rows("/libraries")}:
            self.ask("POST", "/libraries", json={"name": name, "title": request.title or request.path.stem})
        files = [("file", (request.path.name, request.path.read_bytes()))]
        files += [("aliases", (one.name, one.read_bytes())) for one in (request.aliases,) if one]
        files += [("graph", (one.name, one.read_bytes())) for one in request.graph_files]
        fields = {"title": request.title, "chapters": request.choice.pattern}
        data = {key: value for key, value in fields.items() if value}
        job = self.ask("POST", f"/libraries/{quote(name)}/sources", files=files, data=data)
        while job["state"] == "running":
            time.sleep(JOB_SECONDS)
            job = self.ask("GET", f"/jobs/{job['id']}")
        if job["state"] != "done":
            raise StoreError(job["error"] or job["state"])
        return IngestReport(**{**job["result"], "spending": Spending(**job["result"]["spending"])})

    def entities(self, library: str, name: str | None, guard: dict[str, Any]) -> list[list[str]]:
        """Return a row of text for each entity; who merged names is not told."""
        query = {key: value for key, value in {"q": name, **guard}.items() if value is not None}
        found = self.rows(f"/libraries/{quote(library)}/entities", **query)
        return [[one["name"], one["kind"], "、".join(one["aliases"]), str(one["mentions"]), ""] for one in found]

    def memories(self, user: str) -> "list[Memory]":
        """Return every memory of a user with its history, the oldest first."""
        from tools.memory.interchange import to_memory
        from wenmai.app.clock import new_key, now

        return [to_memory(row, user, new_key(), now()) for row in self.exported(user)]

    def add_memory(self, user: str, key: str | None, new: dict[str, Any]) -> str:
        """Keep a memory and return its key, which is the server's to choose. Raises InputError."""
        if key is not None:
            raise InputError(NO_KEY_HERE.of(url=self.url))
        return str(self.as_user(user).ask("POST", "/memories", json=new)["key"])

    def exported(self, user: str) -> list[dict[str, Any]]:
        """Return every memory of a user as plain data, the oldest first."""
        exported: list[dict[str, Any]] = self.as_user(user).ask("GET", "/memories/export")
        return exported

    def found_memories(self, user: str, **query: Any) -> "FoundMemories":
        """Search a user's memories."""
        from tools.memory.records import FoundMemories, FoundMemory

        given = {key: value for key, value in query.items() if value is not None}
        page = self.as_user(user).ask("GET", "/memories/search", params=given)
        known = {one.memory_key: one for one in self.memories(user)}
        rows = [(known[one["memory"]["key"]], one["relevance"]) for one in page["items"]]
        found = [FoundMemory(memory=row, relevance=score, score=score) for row, score in rows]
        return FoundMemories(total=page["total"], found=tuple(found))

    def forget(self, user: str, keys: list[str]) -> "Receipt":
        """Forget memories and return how much was taken out where."""
        from wenmai.memories.forgetting import Receipt

        receipts = [self.as_user(user).ask("DELETE", f"/memories/{quote(key, safe='')}") for key in keys]
        return Receipt(**{kind: sum(one[kind] for one in receipts) for kind in RECEIPT})

    def upload(self, file: "Path", session: str | None, user: str) -> Any:
        """Store a file in a session."""
        from wenmai.documents.rows import file_bytes

        form = {"files": {"file": (file.name, file_bytes(file, UPLOAD_BYTES))}, "data": {"thread_id": session}}
        return self.as_user(user).ask("POST", "/documents", **form)

    def remove(self, names: list[str] | None, session: str, user: str) -> "Removed":
        """Remove documents of a session by name or id, or all of them. Raises InputError where one is not there."""
        from tools.documents.records import Removed

        own = [one for one in self.documents(session, user) if not one.is_preloaded]
        wanted = own if names is None else [one for one in own if one.id in names or one.filename in names]
        if missing := [name for name in names or () if not any(name in (one.id, one.filename) for one in wanted)]:
            raise InputError(NOT_IN_SESSION.of(session=session, names=Names(missing)))
        query = {"thread_id": session}
        receipts = [self.ask("DELETE", f"/documents/{one.id}", params=query) for one in wanted]
        return Removed(tuple(wanted), sum(one["chunks"] for one in receipts))

    def documents(self, session: str, user: str) -> "list[DocumentEntry]":
        """Return the documents that a session sees."""
        return [document_from(one, user, session) for one in self.as_user(user).rows("/documents", thread_id=session)]


def document_from(row: dict[str, Any], user: str, session: str) -> "DocumentEntry":
    """Return a document of the API as the stores give it."""
    from datetime import datetime

    from tools.documents.records import PRELOADED, DocumentEntry, DocumentOwner

    owner = PRELOADED if row["is_preloaded"] else DocumentOwner(user, session)
    uploaded = datetime.fromisoformat(row["uploaded_at"])
    return DocumentEntry(
        id=row["id"],
        filename=row["filename"],
        mime_type=row["mime_type"],
        uploaded_at=uploaded,
        owner=owner,
        chunks=row["chunks"],
    )
