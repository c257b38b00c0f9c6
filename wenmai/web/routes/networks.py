"""Knowledge networks that are kept here: their types, a look at instances, import and deletion."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Annotated

from fastapi import File, Form, Query, UploadFile

from wenmai.application import networks as models
from wenmai.application.operations import Application
from wenmai.application.paging import USUAL, Instances, Page
from wenmai.knowledge.content import check_id
from wenmai.knowledge.files import ZIP, unpack
from wenmai.knowledge.reading import to_mending
from wenmai.web.dependencies import ADMIN, Limit, Offset, Operations, resource
from wenmai.web.forms import NETWORK_FORM, saved_file, upload_folder_in

CSV = ".csv"
Wanted = Annotated[str, Query(min_length=1, description="A value of any property: a name, an id")]
Files = Annotated[
    list[UploadFile],
    File(description="A JSON file of triples, CSV files, network.yaml with its files, or a ZIP archive of such"),
]
Corrections = Annotated[
    str | None,
    Form(description="Corrections as JSON: `name`, `keys`, `relations`, `added`, `types`, `labels`, `names`"),
]

router = resource("networks")


@router.get("/networks", summary="List networks")
async def listed(app: Operations, limit: Limit = USUAL, offset: Offset = 0) -> Page[models.NetworkView]:
    """List the networks that are kept here and that the key opens, by id."""
    return await app.networks.list(limit=limit, offset=offset)


@router.get("/networks/{network}", summary="Get the schema of a network")
async def schema(app: Operations, network: str) -> models.SchemaView:
    """Return the types of instances and relations."""
    return await app.networks.schema(network)


@router.get("/networks/{network}/instances", summary="Look for instances")
async def look(app: Operations, network: str, q: Wanted, limit: Instances = 10) -> models.SeenPage:
    """Return instances that have, or contain, a value, with their neighbours."""
    return await app.networks.find(network, q, limit=limit)


@router.get("/networks/{network}/rows/{type}", summary="List the rows of a type")
async def rows(
    app: Operations,
    network: str,
    type: str,
    q: Annotated[str | None, Query(min_length=1, description="Only those with this in a text, or as a value")] = None,
    sort: Annotated[str | None, Query(description="The property in whose order they come; default: their keys")] = None,
    descending: bool = False,
    limit: Limit = USUAL,
    offset: Offset = 0,
) -> Page[models.InstanceView]:
    """Return the instances of a type, page by page."""
    return await app.networks.rows(network, type, query=q, sort=sort, descending=descending, limit=limit, offset=offset)


@router.get("/networks/{network}/row", summary="Get a row with its relations")
async def row(
    app: Operations,
    network: str,
    id: Annotated[
        str,
        Query(min_length=1, max_length=models.LONGEST_ID, description="Its key, as citations name it in `source`"),
    ],
    type: Annotated[str | None, Query(description="Its type; default: the first that has such a row")] = None,
    limit: Instances = 50,
) -> models.SeenView:
    """Return one instance with its neighbours."""
    return await app.networks.row(network, id, type=type, limit=limit)


@router.get("/networks/{network}/export", summary="Export a network")
async def export(app: Operations, network: str) -> models.NetworkFiles:
    """Return a network that is kept here as files that an import reads back."""
    return await app.networks.export(network)


@router.post("/networks/{network}", summary="Import a network", dependencies=[*ADMIN, NETWORK_FORM])
async def put(app: Operations, network: str, file: Files, mending: Corrections = None) -> models.ImportReceipt:
    """Make files the content of a network; one of the same id is replaced. Needs the right to administer."""
    async with saved_files(app, network, file) as path:
        return await app.networks.load(path, network=network, mending=to_mending(mending))


@router.post(
    "/networks/{network}/preview",
    summary="Look at a network before it is imported",
    operation_id="previews_previewed_network",
    dependencies=[*ADMIN, NETWORK_FORM],
)
async def preview(app: Operations, network: str, file: Files, mending: Corrections = None) -> models.NetworkPreview:
    """Return the types and relations of files; nothing is stored. Needs the right to administer."""
    async with saved_files(app, network, file) as path:
        return await app.networks.preview(path, network=network, mending=to_mending(mending))


@router.delete("/networks/{network}", summary="Delete a network", dependencies=ADMIN)
async def remove(app: Operations, network: str) -> models.NetworkReceipt:
    """Delete a network that is kept here. Needs the right to administer."""
    return await app.networks.delete(network)


@asynccontextmanager
async def saved_files(app: Application, network: str, sent: Sequence[UploadFile]) -> AsyncIterator[Path]:
    """Have the files that were sent in a folder of their own, unpacked: give that, or the only file."""
    settings = app.services.settings
    async with upload_folder_in(settings.data_dir) as above:
        folder = above / check_id(network)
        paths = [await saved_file(one, folder) for one in sent]
        for archive in [one for one in paths if one.suffix.lower() == ZIP]:
            await asyncio.to_thread(unpack, archive, settings.max_source_mb * 2**20)
        yield paths[0] if len(paths) == 1 and paths[0].suffix.lower() not in (ZIP, CSV) else folder
