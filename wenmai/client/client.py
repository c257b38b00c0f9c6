"""The client of a running server: the operations of `Application`, done there."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from wenmai.client.connection import Connection
from wenmai.client.documents import RemoteDocuments
from wenmai.client.entities import RemoteEntities
from wenmai.client.events import RemoteEvents, RemoteRelations
from wenmai.client.libraries import RemoteLibraries
from wenmai.client.memories import RemoteMemories
from wenmai.client.networks import RemoteNetworks
from wenmai.client.passages import RemotePassages
from wenmai.client.settings import RemoteSettings
from wenmai.client.traces import RemoteTraces

if TYPE_CHECKING:
    from wenmai.client.conversations import RemoteConversations
    from wenmai.client.tools import RemoteTools


@dataclass(frozen=True, slots=True)
class Client:
    """Operations by subject, as the user of a key."""

    server: Connection

    async def for_user(self, user_id: str) -> Self:
        """Return the same operations. Raises InputError for another user than that of the key."""
        await self.server.require(user_id)
        return self

    @property
    def conversations(self) -> "RemoteConversations":
        """The user's conversations: questions with their answers."""
        from wenmai.client.conversations import RemoteConversations  # it takes LangChain along

        return RemoteConversations(self.server)

    @property
    def documents(self) -> RemoteDocuments:
        """The documents of the user's conversations, and the preloaded ones."""
        return RemoteDocuments(self.server)

    @property
    def entities(self) -> RemoteEntities:
        """Who and what is named in libraries."""
        return RemoteEntities(self.server)

    @property
    def events(self) -> RemoteEvents:
        """What happens in libraries."""
        return RemoteEvents(self.server)

    @property
    def libraries(self) -> RemoteLibraries:
        """Libraries and their texts."""
        return RemoteLibraries(self.server)

    @property
    def memories(self) -> RemoteMemories:
        """The user's memories."""
        return RemoteMemories(self.server)

    @property
    def networks(self) -> RemoteNetworks:
        """The knowledge networks."""
        return RemoteNetworks(self.server)

    @property
    def passages(self) -> RemotePassages:
        """The text of libraries."""
        return RemotePassages(self.server)

    @property
    def relations(self) -> RemoteRelations:
        """Who is related in libraries."""
        return RemoteRelations(self.server)

    @property
    def settings(self) -> RemoteSettings:
        """What everybody may know of the server, and the user's rights."""
        return RemoteSettings(self.server)

    @property
    def traces(self) -> RemoteTraces:
        """How the user's questions were answered."""
        return RemoteTraces(self.server)

    @property
    def tools(self) -> "RemoteTools":
        """The agent's tools by themselves, for other agents and programs."""
        from wenmai.client.tools import RemoteTools

        return RemoteTools(self.server)
