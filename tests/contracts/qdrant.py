"""The Qdrant engines that contract suites run on: the client's local mode, and a server where QDRANT_URL names one."""

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from qdrant_client import AsyncQdrantClient

from wenmai.stores.qdrant.server import QdrantServer, qdrant_server

URL = os.environ.get("QDRANT_URL", "")  # read here: the tests themselves run without any address
KEY = os.environ.get("QDRANT_API_KEY")
QDRANT_LOCAL, QDRANT = "qdrant-local", "qdrant"
LOCAL_MODE = [
    pytest.mark.filterwarnings(f"ignore:{words}")  # what only a server has: indexes and graphs
    for words in ("Payload indexes have no effect in the local Qdrant", "Local mode performs exact")
]


@asynccontextmanager
async def qdrant(kind: str) -> AsyncIterator[QdrantServer]:
    """Give an empty local engine, or a server without the collections of these suites."""
    if kind == QDRANT_LOCAL:
        client = AsyncQdrantClient(":memory:")
        yield QdrantServer(":memory:", lambda: client)
        await client.close()
        return
    server = qdrant_server(URL, KEY, 30)
    await cleared(server)
    yield server
    await cleared(server)
    await server.close()


async def cleared(server: QdrantServer) -> None:
    """Delete the collections that the suites write; a deployment has others."""
    for name in ("wenmai_test_fake", "wenmai_test_memories", "wenmai_test_documents"):
        await server.client.delete_collection(name)
