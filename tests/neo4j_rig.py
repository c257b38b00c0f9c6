"""The Neo4j of `make services`, for tests: everything in it is theirs."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from tests.engines import settings_of
from wenmai.stores.neo4j import Ask, Neo4jConnection, Neo4jEndpoint

EMPTY = "MATCH (n) WHERE NOT n:WenmaiSchema DETACH DELETE n"


def endpoint() -> Neo4jEndpoint:
    """Return where the server is."""
    settings = settings_of("neo4j")
    return Neo4jEndpoint(settings["NEO4J_URI"], settings["NEO4J_USER"], settings["NEO4J_PASSWORD"])


@asynccontextmanager
async def emptied() -> AsyncIterator[Neo4jConnection]:
    """Give a connection to a server that holds nothing."""
    connection = Neo4jConnection(endpoint())

    async def empty(ask: Ask) -> None:
        await ask(EMPTY, {})

    try:
        await connection.write(empty)
        yield connection
    finally:
        await connection.close()
