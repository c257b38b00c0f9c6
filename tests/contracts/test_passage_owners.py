"""Two catalogs with a library of one name on one Qdrant server (PLA-28)."""

from collections.abc import AsyncIterator
from typing import Any

import pytest

from tests.contracts.qdrant import LOCAL_MODE, QDRANT, QDRANT_LOCAL, qdrant
from tests.contracts.test_passage_store import ANY, LIBRARY, embedder, passage
from tests.engines import engines
from tests.fakes import unknown
from tools.errors import StoreForeign
from wenmai.stores.files.owners import UNKNOWN, Owner, OwnerClaim, claim_library, foreign_copies
from wenmai.stores.qdrant.collection import QdrantCollection
from wenmai.stores.qdrant.server import QdrantServer
from wenmai.stores.qdrant.stores import qdrant_passages
from wenmai.stores.vectors.passages import ServerPassageStore

pytestmark = LOCAL_MODE
ONE, OTHER = (Owner(id, f"DATA_DIR=/{id}") for id in ("one", "other"))


@pytest.fixture(params=engines(__name__, QDRANT_LOCAL, servers=(QDRANT,)))
async def server(request: pytest.FixtureRequest) -> AsyncIterator[QdrantServer]:
    async with qdrant(request.param) as server:
        yield server


def store(server: QdrantServer, owner: Owner, embedder: str = "fake") -> ServerPassageStore:
    async def mine() -> Owner:
        return owner

    return qdrant_passages(server, "wenmai_test", embedder, unknown, mine)


async def put(store: ServerPassageStore, *texts: str) -> None:
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
        claim_library([other], LIBRARY, OwnerClaim(OTHER, knows=True)),
    ):
        with pytest.raises(StoreForeign, match=r"Qdrant（.*三国 属于另一个资料库目录，") as refused:
            await call
        assert refused.value.place == "DATA_DIR=/one"
    assert [row.text for row in await store(server, ONE).scroll(LIBRARY, ANY)] == ["曹操煮酒", "关羽斩将"]
    await one.open(LIBRARY)
    await claim_library([store(server, ONE)], LIBRARY, OwnerClaim(ONE))


async def test_passages_change_hands(server: QdrantServer) -> None:
    """PLA-28: taken over from their owner, or from nobody by whoever knows them; free again once they are deleted."""
    one, other = store(server, ONE), store(server, OTHER)
    await claim_library([one], LIBRARY, OwnerClaim(ONE))  # there is nothing yet
    assert await one.owner_of(LIBRARY) is None
    await put(one, "曹操煮酒")
    await one.open(LIBRARY)
    await claim_library([other], LIBRARY, OwnerClaim(OTHER, knows=True, transfer_from=ONE))
    assert await one.owner_of(LIBRARY) == OTHER
    for call in (
        one.open(LIBRARY),
        one.delete(LIBRARY, [passage(0).id]),
        one.reorder(LIBRARY, {passage(0).id: 9}),
        put(one, "关羽斩将"),
    ):
        with pytest.raises(StoreForeign) as refused:
            await call
        assert refused.value.place == OTHER.place
    assert [(row.text, row.event_order) for row in await other.scroll(LIBRARY, ANY)] == [
        ("曹操煮酒", passage(0).event_order)
    ]
    await store(server, OTHER).delete(LIBRARY, [passage(0).id])
    await other.drop(LIBRARY)
    assert await other.owner_of(LIBRARY) is None
    await put(store(server, ONE), "关羽斩将")
    await server.client.update_collection("wenmai_test_fake", metadata={f"owner:{LIBRARY}": None})  # as before marks
    await store(server, OTHER).open(LIBRARY)
    with pytest.raises(StoreForeign, match="归属标记"):
        await claim_library([store(server, OTHER)], LIBRARY, OwnerClaim(OTHER))
    await claim_library([store(server, ONE)], LIBRARY, OwnerClaim(ONE, knows=True))
    assert await one.owner_of(LIBRARY) == ONE


async def test_a_refused_claim_marks_nothing(server: QdrantServer) -> None:
    """PLA-28: where one of several servers has another catalog's library, none is marked."""
    first, second = store(server, ONE), store(server, ONE, "memories")
    await put(first, "曹操煮酒")
    await server.client.update_collection("wenmai_test_fake", metadata={f"owner:{LIBRARY}": None})
    await put(store(server, OTHER, "memories"), "别的书")
    with pytest.raises(StoreForeign) as refused:
        await claim_library([first, second], LIBRARY, OwnerClaim(ONE, knows=True))
    assert refused.value.place == OTHER.place
    assert await first.owner_of(LIBRARY) is None


async def test_two_catalogs_mark_at_once(server: QdrantServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """PLA-28: of two that mark a library at the same moment the first is told that it lost, before it writes."""
    one, other = store(server, ONE), store(server, OTHER)
    collection = one._collection
    assert isinstance(collection, QdrantCollection)
    await collection.require_made(32)
    marked = collection.set_mark

    async def overtaken(name: str, value: Any) -> None:
        await marked(name, value)
        monkeypatch.undo()
        await other.mark(LIBRARY, OTHER)  # who looked before and is a moment slower
        await put(other, "别的书")

    monkeypatch.setattr(collection, "set_mark", overtaken)
    with pytest.raises(StoreForeign) as refused:
        await put(one, "曹操煮酒")
    assert refused.value.place == OTHER.place
    assert [row.text for row in await other.scroll(LIBRARY, ANY)] == ["别的书"]


@pytest.mark.parametrize("marked", [True, False])
async def test_what_bears_no_mark(server: QdrantServer, marked: bool) -> None:
    """PLA-28: what nobody owns and the catalog does not know counts as left behind; what it knows is its own."""
    one = store(server, ONE)
    assert await foreign_copies([one], LIBRARY, ONE, knows=False) == []
    await put(store(server, OTHER if marked else ONE), "曹操煮酒")
    if not marked:
        await server.client.update_collection("wenmai_test_fake", metadata={f"owner:{LIBRARY}": None})
    assert await foreign_copies([one], LIBRARY, ONE, knows=False) == [(one, OTHER if marked else UNKNOWN)]
    assert await foreign_copies([one], LIBRARY, ONE, knows=True) == ([(one, OTHER)] if marked else [])
