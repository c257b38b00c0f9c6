"""What the resources of the API work with, and the checks that they share."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from tools.records import Horizon
from tools.story.chapters.guard import read_horizon
from wenmai.app.container import Services
from wenmai.application.caller import Caller
from wenmai.application.jobs import Jobs
from wenmai.application.models.paging import Guard
from wenmai.direct_tools.offered import DirectTools
from wenmai.direct_tools.questions import Asker
from wenmai.inputs import PART_ALONE, FieldError
from wenmai.web.callers import viewer_of
from wenmai.web.conversations.port import Conversations
from wenmai.web.rest.endpoints import Call

STATE = "wenmai_api"  # where an application keeps it


@dataclass(slots=True)
class Api:
    """The live objects behind the API, opened at their first use."""

    open_services: Callable[[], Services]
    conversations: Callable[[], Conversations]
    asker: Asker
    jobs: Jobs = field(default_factory=Jobs)
    tools: DirectTools | None = None

    async def services(self) -> Services:
        """Return the process's services; the first call reads files, which must not block the event loop."""
        return await asyncio.to_thread(self.open_services)


def api_of(call: Call[Any, Any]) -> Api:
    """Return the API that a request is sent to."""
    api: Api = call.request.scope[STATE]
    return api


def viewer(call: Call[Any, Any]) -> Caller:
    """Return who asks."""
    return viewer_of(call.request.scope)


async def services_of(call: Call[Any, Any]) -> Services:
    """Return the process's services."""
    return await api_of(call).services()


async def readable(call: Call[Any, Any]) -> str:
    """Return the library that the path names, which is read until the call is answered.

    Raises LibraryNotFound; StoreLocked or StoreUnfinished for one that is not whole.
    """
    library = call.part("library")
    viewer(call).require_library(library)
    await call.stack.enter_async_context((await services_of(call)).libraries.reading(library))
    return library


async def changeable(call: Call[Any, Any]) -> str:
    """Return the library that the path names and that the call changes. Raises LibraryNotFound, StoreLocked."""
    library, services = call.part("library"), await services_of(call)
    viewer(call).require_library(library)
    services.libraries.require_free(library)
    await services.catalog.info(library)
    return library


async def horizon_for(call: Call[Any, Any], library: str) -> Horizon | None:
    """Return the guard of a request for a library, with the part that it means. Raises FieldError."""
    guard: Guard = call.query
    if guard.as_of_chapter is None:
        if guard.as_of_part is not None:
            raise FieldError("query.as_of_part", PART_ALONE)
        return None
    return await read_horizon((await services_of(call)).catalog, library, guard.as_of_chapter, guard.as_of_part)
