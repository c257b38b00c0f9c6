"""Knowledge networks on a running server."""

import asyncio
import io
from pathlib import Path
from typing import TYPE_CHECKING
from zipfile import ZIP_DEFLATED, ZipFile

from wenmai.application.models.networks import ImportReceipt, NetworkPreview
from wenmai.client.connection import path_of
from wenmai.client.remote import Remote
from wenmai.knowledge.content import CheckedContent, Progress, silent

if TYPE_CHECKING:
    from wenmai.knowledge.reading import Mending


class RemoteNetworks(Remote):
    """`NetworkOperations` of a running server. Files are read here and sent as what they were read as."""

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
        from wenmai.knowledge.reading import read_mended

        content, is_inferred = await asyncio.to_thread(read_mended, Path(path), network, mending)
        archive = await asyncio.to_thread(zip_of, content)
        files = {"file": ("network.zip", archive)}
        done = ImportReceipt.model_validate(
            await self.server.ask("POST", path_of("networks", content.spec.id), files=files)
        )
        return done.model_copy(update={"dangling": content.dangling, "is_inferred": is_inferred})


def zip_of(content: CheckedContent) -> bytes:
    """Return the files of a network as a ZIP archive."""
    from wenmai.knowledge.files import network_files

    data = io.BytesIO()
    with ZipFile(data, "w", ZIP_DEFLATED) as archive:
        for name, text in network_files(content).items():
            archive.writestr(name, text)
    return data.getvalue()
