"""The application: every operation of one process, for one caller."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Self, TypeVar

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
from wenmai.application.reading import ReadingOperations
from wenmai.application.running import RunningRequests
from wenmai.application.settings import SettingsOperations
from wenmai.application.subjects import SubjectOperations
from wenmai.application.summaries import SummaryOperations
from wenmai.application.traces import ThreadIds, TraceOperations
from wenmai.application.users import UserOperations
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
    running: RunningRequests = field(default_factory=RunningRequests)


T = TypeVar("T")


def operations(kind: Callable[[Services, Caller], T]) -> SubjectOperations[T]:
    return SubjectOperations(lambda app: kind(app.services, app.caller))


def conversations_of(app: "Application") -> "ConversationOperations":
    from wenmai.application.conversations import ConversationOperations  # it takes LangChain along

    if app.shared.conversations is None:
        raise RuntimeError("an application with conversations is opened by open_application")
    return ConversationOperations(app.services, app.caller, app.shared.conversations)


def users_of(app: "Application") -> UserOperations:
    if app.shared.conversations is None:
        raise RuntimeError("an application with conversations is opened by open_application")
    return UserOperations(app.services, app.caller, app.shared.conversations, app.shared.jobs, app.shared.running)


def tools_of(app: "Application") -> "ToolOperations":
    from wenmai.application.tools import ToolOperations

    return ToolOperations(app)


@dataclass(frozen=True)
class Application:
    """Operations by subject, with the rights of one caller; `for_caller` gives them with those of another."""

    services: Services
    caller: Caller = field(default_factory=Caller.local)
    shared: Shared = field(default_factory=Shared, repr=False)

    conversations = SubjectOperations(conversations_of)
    documents = SubjectOperations(
        lambda app: DocumentOperations(app.services, app.caller, app.shared.sessions, app.shared.conversations)
    )
    entities = operations(EntityOperations)
    events = operations(EventOperations)
    jobs = SubjectOperations(lambda app: JobOperations(app.shared.jobs, app.caller))
    keys = operations(KeyOperations)
    libraries = operations(LibraryOperations)
    memories = SubjectOperations(lambda app: MemoryOperations(app.services, app.caller, app.shared.conversations))
    networks = operations(NetworkOperations)
    passages = operations(PassageOperations)
    reading = operations(ReadingOperations)
    relations = operations(RelationOperations)
    settings = operations(SettingsOperations)
    summaries = operations(SummaryOperations)
    tools = SubjectOperations(tools_of)
    traces = SubjectOperations(
        lambda app: TraceOperations(app.services, app.caller, app.shared.threads, app.shared.sessions)
    )
    users = SubjectOperations(users_of)

    def for_caller(self, caller: Caller) -> Self:
        """Return the operations of another caller."""
        return replace(self, caller=caller)

    async def session(self, name: str) -> str:
        """Return the id of the conversation that the caller calls by its id or by a name. Raises NotFound."""
        return name if self.shared.sessions is None else await self.shared.sessions(self.caller, name)

    async def for_user(self, user_id: str) -> Self:
        """Return the operations of another user of this machine, with the same rights."""
        return replace(self, caller=replace(self.caller, user_id=user_id))


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
