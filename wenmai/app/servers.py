"""What the servers of the settings say of themselves, for `wenmai doctor`."""

from collections.abc import Awaitable

from tools.wording import Words
from wenmai.app.container import Services
from wenmai.app.doctor.check_words import Check
from wenmai.errors import StoreError

THREADS = Words("会话", "conversations")
BOTH = Words("会话和登记库", "conversations and the catalog")
NOT_LOADED = Words("还没有装入", "not loaded yet")
ALL = Words("会话、登记库和向量（pgvector {version}）", "conversations, catalog and vectors (pgvector {version})")
POSTGRES = Words("{place}，版本 {version}，保存{what}", "{place}, version {version}, keeps {what}")
NEO4J = Words("{place}，版本 {version}（需要 5.26 或更新）", "{place}, version {version} (5.26 or newer is needed)")
QDRANT = Words("{place}，版本 {version}（需要 1.19 或更新）", "{place}, version {version} (1.19 or newer is needed)")
PGVECTOR = "SELECT extversion FROM pg_extension WHERE extname = 'vector'"


async def qdrant_version(services: Services) -> str:
    """Return the address and version of the Qdrant server. Raises StoreError."""
    from wenmai.stores.qdrant.server import QdrantServer

    assert isinstance(services.vector_server, QdrantServer)
    with services.vector_server.errors():
        info = await services.vector_server.client.info()
    return QDRANT.say(place=services.vector_server.place, version=info.version)


async def neo4j_version(services: Services) -> str:
    """Return the address and version of the Neo4j server. Raises StoreError."""
    assert services.neo4j is not None
    [[version]] = await services.neo4j.read(
        lambda ask: ask("CALL dbms.components() YIELD versions RETURN versions[0]", {})
    )
    return NEO4J.say(place=services.neo4j.endpoint.uri, version=version)


async def postgres_version(services: Services) -> str:
    """Return the address and version of the PostgreSQL server. Raises StoreError."""
    from psycopg import AsyncConnection

    from wenmai.stores.postgres.connection import address_of, bounded, postgres_errors

    assert services.settings.postgres_uri is not None
    uri = services.settings.postgres_uri.get_secret_value()
    with postgres_errors(address_of(uri)):
        async with await AsyncConnection.connect(bounded(uri)) as connection:
            version = connection.info.server_version
            found = await (await connection.execute(PGVECTOR)).fetchone()
    keeps = BOTH.say() if services.settings.has_postgres_catalog else THREADS.say()
    if services.settings.vectors is not None:
        keeps = ALL.say(version=found[0] if found else NOT_LOADED)
    return POSTGRES.say(place=address_of(uri), version=version // 10000, what=keeps)


async def check_servers(services: Services) -> list[Check]:
    """Ask each server that is set for its version."""
    return [
        await check_server(name, version(services))
        for name, version, is_set in (
            ("Qdrant", qdrant_version, services.settings.qdrant_address is not None),
            ("Neo4j", neo4j_version, services.neo4j is not None),
            ("PostgreSQL", postgres_version, services.settings.postgres_uri is not None),
        )
        if is_set
    ]


async def check_server(name: str, asking: Awaitable[str]) -> Check:
    """Say what a server answers."""
    try:
        return Check(name, True, await asking)
    except StoreError as error:
        return Check(name, False, str(error))
