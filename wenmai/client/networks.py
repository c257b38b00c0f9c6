"""Knowledge networks on a running server."""

import asyncio
import io
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote
from zipfile import ZIP_DEFLATED, ZipFile

from wenmai.application.models.networks import (
    ImportReceipt,
    NetworkFiles,
    NetworkPreview,
    NetworkReceipt,
    NetworkView,
    SchemaView,
    SeenPage,
)
from wenmai.application.models.paging import USUAL, Page
from wenmai.client.connection import Connection
from wenmai.knowledge.content import Content
from wenmai.knowledge.files import network_files
from wenmai.knowledge.keeping import Progress, silent
from wenmai.knowledge.mending import Mending
from wenmai.knowledge.reading import read_mended


@dataclass(frozen=True, slots=True)
class RemoteNetworks:
    """`NetworkOperations` of a running server. Files are read here and sent as what they were read as."""

    server: Connection

    async def list(self, *, limit: int = USUAL, offset: int = 0) -> Page[NetworkView]:
        """Return the networks that are kept there, by id."""
        return await self.server.page(NetworkView, "/networks", limit, offset)

    async def schema(self, network: str) -> SchemaView:
        """Return the types of instances and relations."""
        return await self.server.get(SchemaView, path_of(network))

    async def find(self, network: str, query: str, *, limit: int = 10) -> SeenPage:
        """Return instances with a value that equals the query, else that contains it, with their neighbours."""
        return await self.server.get(SeenPage, f"{path_of(network)}/instances", q=query, limit=limit)

    async def preview(
        self, path: Path, *, network: str | None = None, mending: Mending | None = None
    ) -> NetworkPreview:
        """Return what `load` would keep; nothing is stored."""
        return NetworkPreview.of(*await asyncio.to_thread(read_mended, path, network, mending))

    async def load(
        self,
        path: Path,
        *,
        network: str | None = None,
        mending: Mending | None = None,
        progress: Progress = silent,
    ) -> ImportReceipt:
        """Make files the content of a network, as a whole or not at all; one of the same id is replaced."""
        content, is_inferred = await asyncio.to_thread(read_mended, path, network, mending)
        archive = await asyncio.to_thread(packed, content)
        files = {"file": ("network.zip", archive)}
        done = ImportReceipt.model_validate(await self.server.ask("POST", path_of(content.spec.id), files=files))
        return done.model_copy(update={"dangling": content.dangling, "is_inferred": is_inferred})

    async def export(self, network: str) -> NetworkFiles:
        """Return all that a network which is kept there holds; `load` reads it back."""
        return await self.server.get(NetworkFiles, f"{path_of(network)}/export")

    async def delete(self, network: str) -> NetworkReceipt:
        """Delete a network that is kept there, and return how much it held."""
        return await self.server.send(NetworkReceipt, "DELETE", path_of(network))


def path_of(network: str) -> str:
    """Return the path of a network."""
    return f"/networks/{quote(network, safe='')}"


def packed(content: Content) -> bytes:
    """Return the files of a network as a ZIP archive."""
    data = io.BytesIO()
    with ZipFile(data, "w", ZIP_DEFLATED) as archive:
        for name, text in network_files(content).items():
            archive.writestr(name, text)
    return data.getvalue()
