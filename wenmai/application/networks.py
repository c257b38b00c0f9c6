"""Knowledge networks: their types, a look at instances, import, export and deletion."""

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from http import HTTPStatus
from itertools import combinations, islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import BaseModel, Field

from tools.errors import KnowledgeRefused
from tools.messages import Message, Names
from tools.networks.records import (
    MOST_INSTANCES,
    Condition,
    Instance,
    InstancePage,
    InstanceQuery,
    NetworkSchema,
    ObjectType,
    PathQuery,
    Property,
    Sort,
    all_of,
    any_of,
    instance_id,
    instance_name,
)
from wenmai.app.container import Services
from wenmai.application.caller import Caller, allows
from wenmai.application.paging import USUAL, FirstRow, Instances, Page, Rows, in_range
from wenmai.documents.service import Progress, silent
from wenmai.inputs import FieldError, NotFound
from wenmai.knowledge.content import CheckedContent, sizes, to_schema

if TYPE_CHECKING:
    from wenmai.knowledge.reading import Mending


class PropertyView(BaseModel):
    """A property of a type."""

    name: str
    display_name: str
    type: str
    is_key: bool
    conditions: list[str] = Field(description="By what instances can be looked for: ==, like …")


class ObjectTypeView(BaseModel):
    """A type of instances."""

    id: str
    name: str
    comment: str
    properties: list[PropertyView]

    @classmethod
    def of(cls, kind: ObjectType) -> "ObjectTypeView":
        properties = [
            PropertyView(
                name=one.name,
                display_name=one.display_name,
                type=one.type,
                is_key=one.name in kind.primary_keys,
                conditions=[*one.condition_operations],
            )
            for one in kind.properties
        ]
        return cls(id=kind.id, name=kind.name, comment=kind.comment, properties=properties)


class RelationTypeView(BaseModel):
    """A relation between two types."""

    id: str
    name: str
    source: str
    target: str
    comment: str


class NetworkView(BaseModel):
    """A network with its sizes."""

    id: str
    name: str
    object_types: int
    relation_types: int
    instances: int
    relations: int


class SchemaView(BaseModel):
    """What a network may hold."""

    id: str
    name: str
    object_types: list[ObjectTypeView]
    relation_types: list[RelationTypeView]

    @classmethod
    def of(cls, known: NetworkSchema) -> "SchemaView":
        relations = [
            RelationTypeView(
                id=one.id,
                name=one.name,
                source=one.source_object_type_id,
                target=one.target_object_type_id,
                comment=one.comment,
            )
            for one in known.relation_types
        ]
        kinds = [ObjectTypeView.of(one) for one in known.object_types]
        return cls(id=known.id, name=known.name, object_types=kinds, relation_types=relations)


class PreviewedRelation(RelationTypeView):
    """A relation as it would be kept."""

    column: str = Field(description="The property whose values name the other end, '' where a table joins both ends")
    links: int


class NetworkPreview(BaseModel):
    """What an import would make of files."""

    name: str
    object_types: list[ObjectTypeView]
    relation_types: list[PreviewedRelation]
    instances: dict[str, int] = Field(description="How many there are of each type")
    dangling: int
    is_inferred: bool

    @classmethod
    def of(cls, content: CheckedContent, is_inferred: bool) -> "NetworkPreview":
        schema = to_schema(content.spec, "")
        relations = [
            PreviewedRelation(
                id=one.id,
                name=one.name,
                source=one.source,
                target=one.target,
                comment=one.comment,
                column=one.mapping[0].source if one.mapping else "",
                links=len(content.links[one.id]),
            )
            for one in content.spec.relation_types
        ]
        return cls(
            name=schema.name,
            object_types=[ObjectTypeView.of(one) for one in schema.object_types],
            relation_types=relations,
            instances={id: len(rows) for id, rows in content.rows.items()},
            dangling=content.dangling,
            is_inferred=is_inferred,
        )


class InstanceView(BaseModel):
    """An instance."""

    type: str
    id: str = Field(description="Its key, as citations name it in `source`")
    name: str = Field(description="For people: its name, else its key")
    display: str
    properties: dict[str, Any]
    ends: dict[str, str] = Field(description="Names of the rows whose keys properties hold, by property")

    @classmethod
    def of(cls, instance: Instance, schema: NetworkSchema, ends: dict[str, str] | None = None) -> "InstanceView":
        values = {name: value for name, value in instance.properties.items() if value is not None}
        kind = schema.object_type(instance.object_type_id) or ObjectType(id=instance.object_type_id, name="")
        return cls(
            type=instance.object_type_id,
            id=instance_id(instance, kind),
            name=instance_name(instance, kind),
            display=instance.display,
            properties=values,
            ends=ends or {},
        )


class BesideView(BaseModel):
    """A neighbour, and how it is reached."""

    relation: str
    direction: Literal["outgoing", "incoming"]
    instance: InstanceView


class SeenView(BaseModel):
    """An instance with its neighbours."""

    instance: InstanceView
    neighbours: list[BesideView]


class SeenPage(BaseModel):
    """What was found."""

    items: list[SeenView]


class ImportReceipt(BaseModel):
    """What an import did; `written` is false where the very same content was there."""

    id: str
    counts: dict[str, int]
    dangling: int = Field(description="Relations that were left out: an end of theirs is no instance")
    written: bool
    is_inferred: bool = Field(description="Whether types and properties were inferred from the content")


class NetworkFiles(BaseModel):
    """A network as files that an import reads back: network.yaml and JSON lines."""

    id: str
    counts: dict[str, int]
    files: dict[str, str] = Field(description="Text by file name")


class NetworkReceipt(BaseModel):
    """What a deletion took."""

    id: str
    counts: dict[str, int]


TIMEOUT_S = 30.0
MOST_CONDITIONS = 100
LONGEST_ID = 500
MOST_CUTS, MOST_KEYS = 1_000, 64  # ways to take an id apart that are looked at, and that a type is asked for

RowId = Annotated[str, Field(max_length=LONGEST_ID)]


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
        return Page.of(rows, limit, offset)

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
        schema = await self._schema(network)
        for operation in ("==", "like"):
            rows: Sequence[Instance] = [
                row for kind in schema.object_types for row in await self._rows(schema, kind, operation, query, limit)
            ]
            if rows:
                return SeenPage(items=[await self._with_neighbours(schema, row, limit) for row in rows[:limit]])
        return SeenPage(items=[])

    @in_range
    async def rows(
        self,
        network: str,
        type: str,
        *,
        query: str | None = None,
        sort: str | None = None,
        descending: bool = False,
        limit: Rows = USUAL,
        offset: FirstRow = 0,
    ) -> Page[InstanceView]:
        """Return the instances of a type.

        Args:
            network: its id.
            type: the id of the type.
            query: only those with this in a text, or as a value.
            sort: the property in whose order they come; default: the order of their keys.
            descending: the greatest first.

        Raises:
            NotFound: no such network or type.
            FieldError: no such property.
        """
        schema = await self._schema(network)
        kind = type_of(schema, type)
        if sort is not None and kind.property(sort) is None:
            known = Names(one.name for one in kind.properties)
            raise FieldError("sort", Message("network.unknown_property", type=kind.name, name=sort[:80], known=known))
        condition = holding(kind, query) if query else None
        if query and condition is None:
            return Page[InstanceView](items=[], total=0, next=None)
        asked = InstanceQuery(
            object_type_id=kind.id,
            condition=condition,
            limit=min(MOST_INSTANCES, offset + limit),
            need_total=True,
            sort=() if sort is None else (Sort(sort, "desc" if descending else "asc"),),
        )
        found = await self._instances(schema, asked)
        total, seen, rows = found.total_count, len(found.rows), [*found.rows[offset:]]
        while found.rows and found.search_after and seen < offset + limit:
            more = min(MOST_INSTANCES, offset + limit - seen)
            asked = replace(asked, limit=more, need_total=False, search_after=found.search_after)
            found = await self._instances(schema, asked)
            rows += found.rows[max(0, offset - seen) :]
            seen += len(found.rows)
        items = await self._named(schema, kind, rows)
        return Page[InstanceView].cut(items, seen if total is None else total, offset)

    @in_range
    async def row(self, network: str, id: RowId, *, type: str | None = None, limit: Instances = 50) -> SeenView:
        """Return one instance by its key, with its neighbours.

        Args:
            network: its id.
            id: the key, as citations name it in `source`, of 500 characters at most.
            type: the id of its type; default: the first that has such a row.
            limit: neighbours at most by each relation.

        Raises:
            FieldError: an id that is too long.
            NotFound: no such network, type or row.
        """
        schema = await self._schema(network)
        for kind in schema.object_types if type is None else [type_of(schema, type)]:
            for key in islice(keys_from(id, kind), MOST_KEYS):
                condition = all_of(*(Condition("==", name, value) for name, value in key.items()))
                query = InstanceQuery(object_type_id=kind.id, condition=condition, limit=1)
                found = await self._instances(schema, query)
                if found.rows:
                    return await self._with_neighbours(schema, found.rows[0], limit)
        raise NotFound("id", Message("network.unknown_row", network=network[:80], id=id[:80]))

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
        await self.services.require_room()
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

    async def _rows(
        self, schema: NetworkSchema, kind: ObjectType, operation: str, value: str, limit: int
    ) -> Sequence[Instance]:
        fields = [one for one in kind.properties if one.is_text and one.mapped_field != ""]
        names = [one.name for one in fields if operation in one.condition_operations][:MOST_CONDITIONS]
        if not names:
            return ()
        condition = any_of(*(Condition(operation, name, value) for name in names))
        query = InstanceQuery(object_type_id=kind.id, condition=condition, limit=limit)
        return (await self._instances(schema, query)).rows

    async def _instances(self, schema: NetworkSchema, query: InstanceQuery) -> InstancePage:
        return await self.services.knowledge.instances(schema.id, query, self.caller.account, timeout_s=TIMEOUT_S)

    async def _with_neighbours(self, schema: NetworkSchema, row: Instance, limit: int) -> SeenView:
        knowledge, kind, beside = self.services.knowledge, row.object_type_id, list[BesideView]()
        for relation in schema.relation_types if row.identity else ():
            for direction in relation.directions_from(kind):
                query = PathQuery(
                    object_type_id=kind, key=row.identity, relation=relation, direction=direction, limit=limit
                )
                found = await knowledge.neighbours(schema.id, query, self.caller.account, timeout_s=TIMEOUT_S)
                views = [InstanceView.of(one, schema) for one in found.neighbours]
                beside += [BesideView(relation=relation.label, direction=direction, instance=one) for one in views]
        (view,) = await self._named(schema, type_of(schema, kind), [row])
        return SeenView(instance=view, neighbours=beside)

    async def _named(self, schema: NetworkSchema, kind: ObjectType, rows: Sequence[Instance]) -> Sequence[InstanceView]:
        """Return instances of a type, with the names of the rows whose keys they hold."""
        joints = [
            (own, key, target)
            for relation in schema.relation_types
            if relation.source_object_type_id == kind.id and len(relation.mapping) == 1
            for own, key in relation.mapping
            if (target := schema.object_type(relation.target_object_type_id)) and target.primary_keys == (key,)
        ]
        held = [[str(row.properties[own]) for row in rows if row.properties.get(own) is not None] for own, *_ in joints]
        names = await asyncio.gather(
            *(self._names(schema, target, key, ids) for (_, key, target), ids in zip(joints, held, strict=True))
        )
        found = [(own, known) for (own, *_), known in zip(joints, names, strict=True)]
        ends = [
            {
                own: known[str(value)]
                for own, known in reversed(found)  # of two relations with one property the first counts
                if (value := row.properties.get(own)) is not None and str(value) in known
            }
            for row in rows
        ]
        return [InstanceView.of(row, schema, named) for row, named in zip(rows, ends, strict=True)]

    async def _names(self, schema: NetworkSchema, kind: ObjectType, key: str, ids: Sequence[str]) -> dict[str, str]:
        """Return the names for people of the instances of a type with these keys, by key."""
        known = kind.property(key) or Property(name=key)
        values = [value for one in dict.fromkeys(ids) if (value := value_of(known, one)) is not None]
        if not values or "in" not in known.condition_operations:
            return {}
        query = InstanceQuery(object_type_id=kind.id, condition=Condition("in", key, values), limit=len(values))
        found = await self._instances(schema, query)
        return {str(one.properties.get(key)): instance_name(one, kind) for one in found.rows}

    def _require_change(self, network: str | None) -> None:
        self.caller.require_admin()
        if network is not None:
            self.caller.require_network(network)


def type_of(schema: NetworkSchema, id: str) -> ObjectType:
    """Return a type of a network. Raises NotFound."""
    if (kind := schema.object_type(id)) is None:
        raise NotFound("type", Message("network.unknown_object_type", network=schema.id, id=id[:80]))
    return kind


def holding(kind: ObjectType, text: str) -> Condition | None:
    """Return the condition that a text of an instance contains this one, or a value is it; None where none can."""
    parts = list[Condition]()
    for one in kind.properties:
        if one.mapped_field == "":
            continue
        if one.is_text and "like" in one.condition_operations:
            parts.append(Condition("like", one.name, text))
        elif "==" in one.condition_operations and (value := value_of(one, text)) is not None:
            parts.append(Condition("==", one.name, value))
    return any_of(*parts[:MOST_CONDITIONS]) if parts else None


def value_of(known: Property, text: str) -> str | int | float | None:
    """Return a text as a value of a property, None where it is no number and should be one."""
    if not known.is_number:
        return text if known.is_text else None
    try:
        return int(text)
    except ValueError:
        with suppress(ValueError):
            return float(text)
    return None


def keys_from(id: str, kind: ObjectType) -> Iterator[dict[str, str | int | float]]:
    """Yield the primary keys that an instance with this id may have: it joins their values by `_`."""
    names, parts = kind.primary_keys, id.split("_")
    for ends in islice(combinations(range(1, len(parts)), len(names) - 1), MOST_CUTS) if names else ():
        cuts = zip((0, *ends), (*ends, len(parts)), strict=True)
        texts = ["_".join(parts[begin:end]) for begin, end in cuts]
        known = [kind.property(name) or Property(name=name) for name in names]
        values = [value_of(one, text) for one, text in zip(known, texts, strict=True)]
        if None not in values:
            yield {name: value for name, value in zip(names, values, strict=True) if value is not None}


@contextmanager
def missing_as_not_found() -> Iterator[None]:
    """Raise NotFound where a store or a service says that there is no such network."""
    try:
        yield
    except KnowledgeRefused as error:
        if error.status == HTTPStatus.NOT_FOUND:
            raise NotFound("network", str(error)) from error
        raise
