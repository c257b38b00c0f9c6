"""The client of a running server: the operations of `Application`, done there."""

from dataclasses import dataclass
from typing import Self

from wenmai.client.connection import Connection
from wenmai.client.libraries import RemoteLibraries
from wenmai.client.memories import RemoteMemories


@dataclass(frozen=True, slots=True)
class Client:
    """Operations by subject, as the user of a key."""

    server: Connection

    async def for_user(self, user_id: str) -> Self:
        """Return the same operations. Raises InputError for another user than that of the key."""
        await self.server.require(user_id)
        return self

    @property
    def libraries(self) -> RemoteLibraries:
        """Libraries and their texts."""
        return RemoteLibraries(self.server)

    @property
    def memories(self) -> RemoteMemories:
        """The user's memories."""
        return RemoteMemories(self.server)
