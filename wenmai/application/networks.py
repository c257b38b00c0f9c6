"""Knowledge networks: their types, a look at instances, import, export and deletion."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path

from tools.errors import KnowledgeRefused
from tools.networks.records import NetworkSchema
from wenmai.app.container import Services
from wenmai.application.caller import NO_NETWORK, Caller, allows
from wenmai.application.models.networks import (
    ImportReceipt,
    NetworkFiles,
    NetworkPreview,
    NetworkReceipt,
    NetworkView,
    SchemaView,
    SeenPage,
    SeenView,
)
from wenmai.application.models.paging import USUAL, Page, part_of
from wenmai.inputs import NotFound
from wenmai.knowledge.files import network_files
from wenmai.knowledge.keeping import Progress, silent, sizes
from wenmai.knowledge.looking import TIMEOUT_S, Looking
from wenmai.knowledge.mending import Mending
from wenmai.knowledge.reading import read_mended


@dataclass(frozen=True, slots=True)
class NetworkOperations:
    """What can be done with networks. One that the caller's key does not name does not exist: NotFound."""

    services: Services
    caller: Caller

    async def list(self, *, limit: int = USUAL, offset: int = 0) -> Page[NetworkView]:
        """Return the networks that are kept here, by id."""
        rows = [
            NetworkView(id=one.spec.id, name=one.spec.name, **one.counts)
            for one in await self.services.local_knowledge.networks()
            if allows(self.caller.networks, one.spec.id)
        ]
        return part_of(rows, limit, offset)

    async def schema(self, network: str) -> SchemaView:
        """Return the types of instances and relations."""
        return SchemaView.of(await self._schema(network))

    async def find(self, network: str, query: str, *, limit: int = 10) -> SeenPage:
        """Return instances with a value that equals the query, else that contains it, with their neighbours.

        Args:
            network: its id.
            query: a value of any property: a name, an id.
            limit: instances at most, and neighbours by each relation.
        """
        looking = Looking(self.services.knowledge, await self._schema(network), self.caller.account)
        return SeenPage(items=[SeenView.of(one) for one in await looking.find(query, limit)])

    async def preview(
        self, path: str | Path, *, network: str | None = None, mending: Mending | None = None
    ) -> NetworkPreview:
        """Return what `load` would keep; nothing is stored."""
        self._require_change(network)
        return NetworkPreview.of(*await asyncio.to_thread(read_mended, Path(path), network, mending))

    async def load(
        self,
        path: str | Path,
        *,
        network: str | None = None,
        mending: Mending | None = None,
        progress: Progress = silent,
    ) -> ImportReceipt:
        """Make files the content of a network, as a whole or not at all; one of the same id is replaced.

        Args:
            path: a folder with network.yaml or with plain CSV files, a YAML schema, or a JSON file of triples.
            network: its id; default: the one in the schema, or the folder's name.
            mending: corrections of what was read.
            progress: called with (done, total).

        Raises:
            InputError: the files are no network, or the corrections do not fit it.
            FieldError: the caller may not administer.
        """
        self._require_change(network)
        content, is_inferred = await asyncio.to_thread(read_mended, Path(path), network, mending)
        self.caller.require_network(content.spec.id)
        done = await self.services.local_knowledge.put(content, progress)
        return ImportReceipt(
            id=done.network_id,
            counts=done.counts,
            dangling=done.dangling,
            written=done.written,
            is_inferred=is_inferred,
        )

    async def export(self, network: str) -> NetworkFiles:
        """Return all that a network which is kept here holds; `load` reads it back."""
        self.caller.require_network(network)
        with missing_as_not_found():
            content = await self.services.local_knowledge.content(network)
        files = await asyncio.to_thread(network_files, content)
        return NetworkFiles(id=network, counts=sizes(content), files=files)

    async def delete(self, network: str) -> NetworkReceipt:
        """Delete a network that is kept here, and return how much it held, nothing where that cannot be read."""
        self._require_change(network)
        try:
            return NetworkReceipt(id=network, counts=await self.services.local_knowledge.remove(network))
        except KnowledgeRefused as error:
            raise NotFound("network", NO_NETWORK.of(name=network[:80])) from error

    async def _schema(self, network: str) -> NetworkSchema:
        self.caller.require_network(network)
        with missing_as_not_found():
            return await self.services.knowledge.schema(network, self.caller.account, timeout_s=TIMEOUT_S)

    def _require_change(self, network: str | None) -> None:
        self.caller.require_admin()
        if network is not None:
            self.caller.require_network(network)


@contextmanager
def missing_as_not_found() -> Iterator[None]:
    """Raise NotFound where a store or a service says that there is no such network."""
    try:
        yield
    except KnowledgeRefused as error:
        if error.status == HTTPStatus.NOT_FOUND:
            raise NotFound("network", str(error)) from error
        raise
