"""Libraries: which there are, what they hold, and their deletion."""

from typing import Annotated

from fastapi import Query

from wenmai.application.models.libraries import DeletionReceipt, Library, NewLibrary
from wenmai.application.models.paging import USUAL, Page
from wenmai.web.dependencies import ADMIN, Limit, Offset, Operations, Reading, resource

Everything = Annotated[bool, Query(description="Also the conversations and traces of questions to it")]

router = resource("libraries")


@router.get("/libraries", summary="List libraries")
async def listed(app: Operations, guard: Reading, limit: Limit = USUAL, offset: Offset = 0) -> Page[Library]:
    """List the libraries that the key opens, by name."""
    return await app.libraries.list(guard=guard, limit=limit, offset=offset)


@router.get("/libraries/{library}", summary="Get a library")
async def one(app: Operations, guard: Reading, library: str) -> Library:
    """Return one library with its counts."""
    return await app.libraries.get(library, guard=guard)


@router.post("/libraries", summary="Make a library", status_code=201, dependencies=ADMIN)
async def made(app: Operations, new: NewLibrary) -> Library:
    """Make an empty library. Needs a key with the right to administer."""
    return await app.libraries.create(new.name, new.title, new.language)


@router.delete("/libraries/{library}", summary="Delete a library", dependencies=ADMIN)
async def removed(app: Operations, library: str, everything: Everything = False) -> DeletionReceipt:
    """Delete a library from vectors, graph and catalog; answer with what was there. Needs the right to administer.

    Conversations that asked it, whoever's, and their traces still quote it; they stay unless `everything` is true.
    """
    return await app.libraries.delete(library, everything=everything)
