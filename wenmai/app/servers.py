"""What the servers of the settings say of themselves, for `wenmai doctor`."""

from wenmai.app.container import Services

PGVECTOR = "SELECT extversion FROM pg_extension WHERE extname = 'vector'"


async def qdrant_version(services: Services) -> str:
    """Return the address and version of the Qdrant server. Raises StoreError."""
    from wenmai.stores.qdrant.server import QdrantServer

    assert isinstance(services.vector_server, QdrantServer)
    with services.vector_server.errors():
        info = await services.vector_server.client.info()
    return f"{services.vector_server.place}，版本 {info.version}（需要 1.19 或更新）"


async def neo4j_version(services: Services) -> str:
    """Return the address and version of the Neo4j server. Raises StoreError."""
    assert services.neo4j is not None
    [[version]] = await services.neo4j.read(
        lambda ask: ask("CALL dbms.components() YIELD versions RETURN versions[0]", {})
    )
    return f"{services.neo4j.endpoint.uri}，版本 {version}（需要 5.26 或更新）"


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
    keeps = "会话和目录" if services.settings.has_postgres_catalog else "会话"
    if services.settings.vectors is not None:
        keeps = f"会话、目录和向量（pgvector {found[0] if found else '还没有装入'}）"
    return f"{address_of(uri)}，版本 {version // 10_000}，保存{keeps}"
