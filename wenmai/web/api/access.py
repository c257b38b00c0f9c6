"""The live objects behind the API."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field

from wenmai.app.container import Services
from wenmai.application.caller import Caller
from wenmai.application.conversations import Conversations
from wenmai.application.operations import Application, Shared


@dataclass(slots=True)
class Api:
    """The live objects behind the API, opened at their first use."""

    open_services: Callable[[], Services]
    conversations: Callable[[], Conversations]
    shared: Shared = field(init=False)

    def __post_init__(self) -> None:
        async def conversations() -> Conversations:
            return self.conversations()

        async def thread_ids(user: Caller) -> set[str]:
            return {one.id for one in await self.conversations().threads(user)}

        self.shared = Shared(conversations, thread_ids)

    async def services(self) -> Services:
        """Return the process's services; the first call reads files, which must not block the event loop."""
        return await asyncio.to_thread(self.open_services)

    async def application(self) -> Application:
        """Return the operations of the user of this machine."""
        return Application(await self.services(), shared=self.shared)
