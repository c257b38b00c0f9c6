"""What the resources of the API work with, and the checks that they share."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from tools.records import Horizon
from wenmai.app.container import Services
from wenmai.application.caller import Caller
from wenmai.application.conversations import Conversations
from wenmai.application.guard import horizon_of
from wenmai.application.models.paging import Guard
from wenmai.application.operations import Application, Shared
from wenmai.inputs import PART_ALONE, FieldError
from wenmai.web.callers import viewer_of
from wenmai.web.rest.endpoints import Call
from wenmai.web.rest.jobs import Jobs

STATE = "wenmai_api"  # where an application keeps it


@dataclass(slots=True)
class Api:
    """The live objects behind the API, opened at their first use."""

    open_services: Callable[[], Services]
    conversations: Callable[[], Conversations]
    jobs: Jobs = field(default_factory=Jobs)
    _shared: Shared = field(init=False)

    def __post_init__(self) -> None:
        async def conversations() -> Conversations:
            return self.conversations()

        async def thread_ids(user: Caller) -> set[str]:
            return {one.id for one in await self.conversations().threads(user)}

        self._shared = Shared(conversations, thread_ids)

    async def services(self) -> Services:
        """Return the process's services; the first call reads files, which must not block the event loop."""
        return await asyncio.to_thread(self.open_services)

    async def application(self) -> Application:
        """Return the operations of the user of this machine."""
        return Application(await self.services(), shared=self._shared)


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
    if guard.as_of_chapter is None and guard.as_of_part is not None:
        raise FieldError("query.as_of_part", PART_ALONE)
    return await horizon_of((await services_of(call)).catalog, library, guard)
