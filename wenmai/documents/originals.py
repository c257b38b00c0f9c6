"""The PDFs that were uploaded, as they came: pages are drawn from them. Answers come from the stores alone."""

import asyncio
import time
from collections.abc import Iterable
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass
from pathlib import Path

from tools.files import replace_file
from wenmai.stores.files.folder import engine_errors

ORIGINALS = ".documents"
"""Their folder in DATA_DIR; no name that a library may have."""
KEPT = "application/pdf"
LEFT_S = 3_600.0  # a file is written before its document is stored


@dataclass(frozen=True, slots=True)
class Originals:
    """A file for each document by its id, in a folder that is made at its first use. Raises StoreError."""

    folder: Path

    async def keep(self, document_id: str, data: bytes) -> None:
        """Write a file, whole or not at all; one of the same id is replaced."""

        def write() -> None:
            with self._errors():
                self.folder.mkdir(parents=True, exist_ok=True)
                replace_file(self._path(document_id), data)

        await asyncio.to_thread(write)

    async def read(self, document_id: str) -> bytes | None:
        """Return a file, None where none is kept."""

        def read() -> bytes | None:
            with self._errors(), suppress(FileNotFoundError):
                return self._path(document_id).read_bytes()
            return None

        return await asyncio.to_thread(read)

    async def remove(self, document_ids: Iterable[str]) -> None:
        """Remove the files of documents; where none is kept there is nothing to do."""
        ids = list(document_ids)

        def remove() -> None:
            with self._errors():
                for id in ids:
                    self._path(id).unlink(missing_ok=True)

        if ids:
            await asyncio.to_thread(remove)

    async def keep_only(self, document_ids: Iterable[str]) -> None:
        """Remove what was left of uploads that were killed: older files of no document, half-written ones."""
        known, before = {self._path(id).name for id in document_ids}, time.time() - LEFT_S

        def remove() -> None:
            for path in self.folder.glob("*"):
                with self._errors(), suppress(FileNotFoundError):
                    if path.name not in known and path.stat().st_mtime < before:
                        path.unlink()

        await asyncio.to_thread(remove)

    async def size(self, document_ids: Iterable[str]) -> int:
        """Return how many bytes the files of documents take."""
        ids = list(document_ids)

        def size() -> int:
            kept = (self._path(id) for id in ids)
            with self._errors():
                return sum(path.stat().st_size for path in kept if path.is_file())

        return await asyncio.to_thread(size)

    def _errors(self) -> AbstractContextManager[None]:
        return engine_errors(self.folder, OSError)

    def _path(self, document_id: str) -> Path:
        return self.folder / Path(f"{document_id}.pdf").name
