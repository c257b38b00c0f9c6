"""How a user's questions to a running server were answered."""

from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import quote

from wenmai.application.models.paging import USUAL, Guard, Page
from wenmai.application.models.traces import TraceLine, TraceRecord
from wenmai.client.connection import Connection


@dataclass(frozen=True, slots=True)
class RemoteTraces:
    """`TraceOperations` of a running server."""

    server: Connection

    async def list(
        self,
        *,
        thread: str | None = None,
        limit: int = USUAL,
        offset: int = 0,
        unreadable: Callable[[str], None] | None = None,
    ) -> Page[TraceLine]:
        """Return the user's traces among the newest of the server, the newest first."""
        return await self.server.page(TraceLine, "/traces", limit, offset, thread=thread)

    async def get(self, id: str, *, guard: Guard | None = None) -> TraceRecord:
        """Return a trace. Raises NotFound."""
        return await self.server.get(TraceRecord, f"/traces/{quote(id, safe='')}", guard=guard)
