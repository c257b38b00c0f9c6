"""The client of a running server: the operations of `Application`, done there."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Self, TypeVar, cast

from wenmai.application.documents import DocumentOperations
from wenmai.application.entities import EntityOperations
from wenmai.application.events import EventOperations, RelationOperations
from wenmai.application.libraries import LibraryOperations
from wenmai.application.memories import MemoryOperations
from wenmai.application.networks import NetworkOperations
from wenmai.application.passages import PassageOperations
from wenmai.application.settings import SettingsOperations
from wenmai.application.traces import TraceOperations
from wenmai.client.connection import Connection
from wenmai.client.documents import RemoteDocuments
from wenmai.client.libraries import RemoteLibraries
from wenmai.client.memories import RemoteMemories
from wenmai.client.networks import RemoteNetworks
from wenmai.client.remote import Remote

if TYPE_CHECKING:
    from wenmai.application.conversations import ConversationOperations
    from wenmai.application.tools import ToolOperations

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Client:
    """Operations by subject, as the user of a key: those of `Application` that a server can be asked for."""

    server: Connection

    async def for_user(self, user_id: str) -> Self:
        """Return the same operations. Raises InputError for another user than that of the key."""
        await self.server.require(user_id)
        return self

    def remote(self, operations: type[T], kind: type[Remote] = Remote) -> T:
        """Return what does operations there, by their interface."""
        return cast(T, kind(operations, self.server))

    @property
    def conversations(self) -> "ConversationOperations":
        """The user's conversations: questions with their answers."""
        from wenmai.application.conversations import ConversationOperations  # it takes LangChain along
        from wenmai.client.conversations import RemoteConversations

        return self.remote(ConversationOperations, RemoteConversations)

    @property
    def documents(self) -> DocumentOperations:
        """The documents of the user's conversations, and the preloaded ones."""
        return self.remote(DocumentOperations, RemoteDocuments)

    @property
    def entities(self) -> EntityOperations:
        """Who and what is named in libraries."""
        return self.remote(EntityOperations)

    @property
    def events(self) -> EventOperations:
        """What happens in libraries."""
        return self.remote(EventOperations)

    @property
    def libraries(self) -> LibraryOperations:
        """Libraries and their texts."""
        return self.remote(LibraryOperations, RemoteLibraries)

    @property
    def memories(self) -> MemoryOperations:
        """The user's memories."""
        return self.remote(MemoryOperations, RemoteMemories)

    @property
    def networks(self) -> NetworkOperations:
        """The knowledge networks."""
        return self.remote(NetworkOperations, RemoteNetworks)

    @property
    def passages(self) -> PassageOperations:
        """The text of libraries."""
        return self.remote(PassageOperations)

    @property
    def relations(self) -> RelationOperations:
        """Who is related in libraries."""
        return self.remote(RelationOperations)

    @property
    def settings(self) -> SettingsOperations:
        """What everybody may know of the server, and the user's rights."""
        return self.remote(SettingsOperations)

    @property
    def traces(self) -> TraceOperations:
        """How the user's questions were answered."""
        return self.remote(TraceOperations)

    @property
    def tools(self) -> "ToolOperations":
        """The agent's tools by themselves, for other agents and programs."""
        from wenmai.application.tools import ToolOperations
        from wenmai.client.tools import RemoteTools

        return self.remote(ToolOperations, RemoteTools)
