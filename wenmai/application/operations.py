"""The application: every operation of one process, for one caller."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Self

from wenmai.app.container import Services, services_of
from wenmai.application.caller import Caller, Sessions
from wenmai.application.documents import DocumentOperations
from wenmai.application.entities import EntityOperations, EventOperations, RelationOperations
from wenmai.application.jobs import JobOperations, Jobs
from wenmai.application.keys import KeyOperations
from wenmai.application.libraries import LibraryOperations
from wenmai.application.memories import MemoryOperations
from wenmai.application.networks import NetworkOperations
from wenmai.application.passages import PassageOperations
from wenmai.application.settings import SettingsOperations
from wenmai.application.traces import ThreadIds, TraceOperations
from wenmai.settings.settings import Settings

if TYPE_CHECKING:
    from langchain_neo4j import Neo4jGraph

    from wenmai.application.conversations import ConversationOperations, Conversations, Opener
    from wenmai.application.tools import ToolOperations
    from wenmai.direct_tools.offered import DirectTools


@dataclass(slots=True)
class Shared:
    """What is opened once, whoever calls.

    Attributes:
        threads: gives the ids of a user's conversations where several users share the traces.
        sessions: gives the id of what a user calls by name; None where a name is itself the id.
    """

    conversations: "Opener | None" = None
    threads: ThreadIds | None = None
    sessions: Sessions | None = None
    tools: "DirectTools | None" = None
    jobs: Jobs = field(default_factory=Jobs)


@dataclass(frozen=True, slots=True)
class Application:
    """Operations by subject, with the rights of one caller; `for_caller` gives them with those of another."""

    services: Services
    caller: Caller = field(default_factory=Caller.local)
    shared: Shared = field(default_factory=Shared, repr=False)

    def for_caller(self, caller: Caller) -> Self:
        """Return the operations of another caller."""
        return replace(self, caller=caller)

    async def session(self, name: str) -> str:
        """Return the id of the conversation that the caller calls by its id or by a name. Raises NotFound."""
        return name if self.shared.sessions is None else await self.shared.sessions(self.caller, name)

    async def for_user(self, user_id: str) -> Self:
        """Return the operations of another user of this machine, with the same rights."""
        return replace(self, caller=replace(self.caller, user_id=user_id))

    @property
    def conversations(self) -> "ConversationOperations":
        from wenmai.application.conversations import ConversationOperations  # it takes LangChain along

        if self.shared.conversations is None:
            raise RuntimeError("an application with conversations is opened by open_application")
        return ConversationOperations(self.services, self.caller, self.shared.conversations)

    @property
    def documents(self) -> DocumentOperations:
        return DocumentOperations(self.services, self.caller, self.shared.sessions)

    @property
    def entities(self) -> EntityOperations:
        return EntityOperations(self.services, self.caller)

    @property
    def events(self) -> EventOperations:
        return EventOperations(self.services, self.caller)

    @property
    def keys(self) -> KeyOperations:
        return KeyOperations(self.services, self.caller)

    @property
    def jobs(self) -> JobOperations:
        return JobOperations(self.shared.jobs, self.caller)

    @property
    def libraries(self) -> LibraryOperations:
        return LibraryOperations(self.services, self.caller)

    @property
    def memories(self) -> MemoryOperations:
        return MemoryOperations(self.services, self.caller)

    @property
    def networks(self) -> NetworkOperations:
        return NetworkOperations(self.services, self.caller)

    @property
    def passages(self) -> PassageOperations:
        return PassageOperations(self.services, self.caller)

    @property
    def relations(self) -> RelationOperations:
        return RelationOperations(self.services, self.caller)

    @property
    def settings(self) -> SettingsOperations:
        return SettingsOperations(self.services, self.caller)

    @property
    def traces(self) -> TraceOperations:
        return TraceOperations(self.services, self.caller, self.shared.threads, self.shared.sessions)

    @property
    def tools(self) -> "ToolOperations":
        from wenmai.application.tools import ToolOperations

        return ToolOperations(self)


@asynccontextmanager
async def open_application(
    settings: Settings, caller: Caller, story_graph: "Neo4jGraph | None" = None
) -> AsyncIterator[Application]:
    """Open the operations on the stores of the settings; each is opened at its first use."""
    services, stack = await services_of(settings, story_graph), AsyncExitStack()
    opening = asyncio.Lock()
    opened: list[Conversations] = []

    async def conversations() -> "Conversations":
        from wenmai.application.own_conversations import open_conversations

        async with opening:
            if not opened:
                opened.append(await stack.enter_async_context(open_conversations(services)))
        return opened[0]

    shared = Shared(conversations)
    try:
        yield Application(services, caller, shared)
    finally:
        await shared.jobs.close()
        await stack.aclose()
        await services.close()
