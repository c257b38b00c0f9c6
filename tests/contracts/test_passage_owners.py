"""Two catalogs with a library of one name on one Qdrant server (PLA-28)."""

from collections.abc import AsyncIterator

import pytest

from tests.contracts.qdrant import LOCAL_MODE, QDRANT, QDRANT_LOCAL, qdrant
from tests.contracts.test_passage_store import ANY, LIBRARY, embedder, passage
from tests.engines import engines
from tools.errors import StoreForeign
from wenmai.stores.owners import Claim, Owner
from wenmai.stores.qdrant import QdrantPassageStore
from wenmai.stores.qdrant_server import QdrantServer

pytestmark = LOCAL_MODE
ONE, OTHER = (Owner(id, f"DATA_DIR=/{id}") for id in ("one", "other"))


@pytest.fixture(params=engines(__name__, QDRANT_LOCAL, servers=(QDRANT,)))
async def server(request: pytest.FixtureRequest) -> AsyncIterator[QdrantServer]:
    async with qdrant(request.param) as server:
        yield server


def store(server: QdrantServer, owner: Owner) -> QdrantPassageStore:
    async def mine() -> Owner:
        return owner

    return QdrantPassageStore(server, "wenmai_test", "fake", owner=mine)


async def put(store: QdrantPassageStore, *texts: str) -> None:
    rows = [passage(n, text) for n, text in enumerate(texts)]
    await store.upsert(LIBRARY, rows, await embedder.embed_passages(list(texts)))


async def test_passages_of_another_catalog_stay(server: QdrantServer) -> None:
    """PLA-28: two catalogs with a library of one name: who was first has it; the other reads and writes nothing."""
    one, other = store(server, ONE), store(server, OTHER)
    await put(one, "曹操煮酒", "关羽斩将")
    vectors = await embedder.embed_passages(["别的书"])
    for call in (
        other.open(LIBRARY),
        other.upsert(LIBRARY, [passage(0, "别的书")], vectors),
        other.delete(LIBRARY, [passage(1).id]),
        other.reorder(LIBRARY, {passage(0).id: 9}),
        other.claim(LIBRARY, Claim(OTHER, knows=True)),
    ):
        with pytest.raises(StoreForeign, match=r"Qdrant（.*三国 属于另一个目录（DATA_DIR=/one）"):
            await call
    assert [row.text for row in await store(server, ONE).scroll(LIBRARY, ANY)] == ["曹操煮酒", "关羽斩将"]
    await one.open(LIBRARY)
    await store(server, ONE).claim(LIBRARY, Claim(ONE))


async def test_passages_change_hands(server: QdrantServer) -> None:
    """PLA-28: taken over from their owner, or from nobody by whoever knows them; free again once they are deleted."""
    one, other = store(server, ONE), store(server, OTHER)
    await one.claim(LIBRARY, Claim(ONE))  # there is nothing yet
    assert await one.owner_of(LIBRARY) is None
    await put(one, "曹操煮酒")
    await other.claim(LIBRARY, Claim(OTHER, knows=True, heir_of=ONE))
    assert await one.owner_of(LIBRARY) == OTHER
    await store(server, OTHER).delete(LIBRARY, [passage(0).id])
    await other.drop(LIBRARY)
    assert await other.owner_of(LIBRARY) is None
    await put(store(server, ONE), "关羽斩将")
    await server.client.update_collection("wenmai_test_fake", metadata={f"owner:{LIBRARY}": None})  # as before marks
    await store(server, OTHER).open(LIBRARY)
    with pytest.raises(StoreForeign, match="归属标记"):
        await store(server, OTHER).claim(LIBRARY, Claim(OTHER))
    await store(server, ONE).claim(LIBRARY, Claim(ONE, knows=True))
    assert await one.owner_of(LIBRARY) == ONE
