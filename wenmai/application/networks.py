"""Knowledge networks: their types, a look at instances, import, export and deletion."""

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path
from typing import TYPE_CHECKING

from tools.errors import KnowledgeRefused
from tools.messages import Message
from tools.networks.records import (
    Account,
    Condition,
    Instance,
    InstanceQuery,
    NetworkSchema,
    ObjectType,
    PathQuery,
    any_of,
)
from tools.ports import KnowledgeNetwork
from wenmai.app.container import Services
from wenmai.application.caller import Caller, allows
from wenmai.application.models.networks import (
    BesideView,
    ImportReceipt,
    InstanceView,
    NetworkFiles,
    NetworkPreview,
    NetworkReceipt,
    NetworkView,
    SchemaView,
    SeenPage,
    SeenView,
)
from wenmai.application.models.paging import USUAL, FirstRow, Instances, Page, Rows, in_range, part_of
from wenmai.inputs import NotFound
from wenmai.knowledge.content import Progress, silent, sizes

if TYPE_CHECKING:
    from wenmai.knowledge.reading import Mending

TIMEOUT_S = 30.0
MOST_CONDITIONS = 100


@dataclass(frozen=True, slots=True)
class NetworkOperations:
    """What can be done with networks. One that the caller's key does not name does not exist: NotFound."""

    services: Services
    caller: Caller

    @in_range
    async def list(self, *, limit: Rows = USUAL, offset: FirstRow = 0) -> Page[NetworkView]:
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

    @in_range
    async def find(self, network: str, query: str, *, limit: Instances = 10) -> SeenPage:
        """Return instances with a value that equals the query, else that contains it, with their neighbours.

        Args:
            network: its id.
            query: a value of any property: a name, an id.
            limit: instances at most, and neighbours by each relation.
        """
        lookup = NetworkLookup(self.services.knowledge, await self._schema(network), self.caller.account)
        return SeenPage(items=await lookup.find(query, limit))

    async def preview(
        self, path: str | Path, *, network: str | None = None, mending: "Mending | None" = None
    ) -> NetworkPreview:
        """Return what `load` would keep; nothing is stored."""
        from wenmai.knowledge.reading import read_mended

        self._require_change(network)
        return NetworkPreview.of(*await asyncio.to_thread(read_mended, Path(path), network, mending))

    async def load(
        self,
        path: str | Path,
        *,
        network: str | None = None,
        mending: "Mending | None" = None,
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
        from wenmai.knowledge.reading import read_mended

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
        from wenmai.knowledge.files import network_files

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
            raise NotFound("network", Message("access.unknown_network", name=network[:80])) from error

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


@dataclass(frozen=True, slots=True)
class NetworkLookup:
    """Looks instances up by hand in one network: wherever a keyword stands, with all their neighbours."""

    network: KnowledgeNetwork
    schema: NetworkSchema
    account: Account

    async def find(self, keyword: str, limit: int) -> list[SeenView]:
        """Return instances with a value that equals the keyword; where there are none, that contains it."""
        for operation in ("==", "like"):
            rows = [
                row for kind in self.schema.object_types for row in await self._rows(kind, operation, keyword, limit)
            ]
            if rows:
                return [await self._with_neighbours(row, limit) for row in rows[:limit]]
        return []

    async def _rows(self, kind: ObjectType, operation: str, keyword: str, limit: int) -> Sequence[Instance]:
        fields = [one for one in kind.properties if one.is_text and one.mapped_field != ""]
        names = [one.name for one in fields if operation in one.condition_operations][:MOST_CONDITIONS]
        if not names:
            return ()
        condition = any_of(*(Condition(operation, name, keyword) for name in names))
        query = InstanceQuery(object_type_id=kind.id, condition=condition, limit=limit)
        page = await self.network.instances(self.schema.id, query, self.account, timeout_s=TIMEOUT_S)
        return page.rows

    async def _with_neighbours(self, row: Instance, limit: int) -> SeenView:
        beside: list[BesideView] = []
        for relation in self.schema.relation_types if row.identity else ():
            for direction in relation.directions_from(row.object_type_id):
                query = PathQuery(
                    object_type_id=row.object_type_id,
                    key=row.identity,
                    relation=relation,
                    direction=direction,
                    limit=limit,
                )
                found = await self.network.neighbours(self.schema.id, query, self.account, timeout_s=TIMEOUT_S)
                beside += [
                    BesideView(relation=relation.name, direction=direction, instance=InstanceView.of(one))
                    for one in found.neighbours
                ]
        return SeenView(instance=InstanceView.of(row), neighbours=beside)
