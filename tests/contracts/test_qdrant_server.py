"""A Qdrant server over HTTP: key, indexes, tenants, faults; the engine behind it is the client's local mode."""

import asyncio
import json
import socket
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from ipaddress import IPv4Address
from pathlib import Path
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID

from tests.contracts.test_memory_store import memory
from tests.contracts.test_passage_store import ANY, LIBRARY, embedder, passage, put
from tests.fakes import somebody, unknown
from tests.qdrant_service.server import LoopbackQdrant
from tools.errors import (
    EmbedderMismatch,
    InputError,
    LibraryNotFound,
    StoreError,
    StoreFull,
    StoreGone,
    StoreUnavailable,
    is_transient,
)
from tools.memory.records import MemoryFilter
from tools.records import PassageFilter
from wenmai.stores.qdrant.server import qdrant_server
from wenmai.stores.qdrant.stores import qdrant_memories, qdrant_passages
from wenmai.stores.vectors.passages import ServerPassageStore

KEY = "s3cret-key"
COLLECTION = "stories_fake"


@pytest.fixture
def running() -> Iterator[LoopbackQdrant]:
    with LoopbackQdrant() as server:
        yield server


def store_of(running: LoopbackQdrant, key: str | None = None, **more: Any) -> ServerPassageStore:
    return qdrant_passages(
        qdrant_server(running.url, key, 5), "stories", "fake", **{"known": unknown, "owner": somebody, **more}
    )


async def test_tenants_and_indexes(running: LoopbackQdrant) -> None:
    """STO-04: one collection for all libraries, every field of a filter indexed, the library as the tenant."""
    store = store_of(running)
    await put(store, [passage(0)])
    await store.upsert("红楼", [replace(passage(1), library="红楼")], await embedder.embed_passages(["黛玉"]))
    made = running.service.indexes[COLLECTION]
    named = ["library", "task_id", "entities", "characters", "series_name", "chapter", "event_order", "part"]
    assert set(named) <= set(made)
    assert [field for field, index in made.items() if index["params"].get("is_tenant")] == ["library"]
    assert [row.id for row in await store.scroll("红楼", ANY)] == [passage(1).id]
    assert list(running.service.indexes) == [COLLECTION]
    await store.close()


async def test_the_library_stands_in_every_query(running: LoopbackQdrant) -> None:
    """PLA-03: no request about points is without its library, by id neither."""
    store = store_of(running)
    await put(store, [passage(n) for n in range(3)])
    running.service.requests.clear()
    vector = await embedder.embed_query("曹操")
    other = "红楼"
    for call in (
        store.dense(LIBRARY, vector, ANY, 5),
        store.sparse(LIBRARY, "曹操", ANY, 5),
        store.fetch(LIBRARY, [passage(0).id], vector),
        store.fetch(LIBRARY, [passage(0).id]),
        store.scroll(LIBRARY, ANY),
        store.count(LIBRARY, PassageFilter(chapters=(0, 1))),
        store.vectors(LIBRARY, [passage(0)]),
        store.reorder(LIBRARY, {passage(0).id: 5}),
        store.delete(LIBRARY, [passage(0).id]),
    ):
        await call
    about = [json.loads(body) for _, path, body in running.service.requests if "/points/" in path]
    assert len(about) >= 9
    assert all(names_library(body) for body in about)
    await put(store, [passage(7)])
    with pytest.raises(LibraryNotFound):
        await store.fetch(other, [passage(7).id])
    with pytest.raises(LibraryNotFound):
        await store.delete(other, [passage(7).id])
    assert await store.count(LIBRARY, ANY) == 3
    await store.close()


def names_library(body: Any) -> bool:
    """Return True if every filter of a request requires the library, and it has one at all."""
    found = list(filters_of(body))
    return bool(found) and all(map(requires_library, found))


def filters_of(body: Any) -> Iterator[Any]:
    """Yield the outermost filters of a request: of its points, of each operation, of what IDF counts."""
    if isinstance(body, list):
        for one in body:
            yield from filters_of(one)
    elif isinstance(body, dict):
        for name, value in body.items():
            if name in ("filter", "corpus"):
                yield value
            else:
                yield from filters_of(value)


def requires_library(filter: Any) -> bool:
    """Return True if the library stands among the conditions that must hold, or in a filter that stands there."""
    must = (filter or {}).get("must") or []
    return any(
        (one.get("key") == "library" and (one.get("match") or {}).get("value") == LIBRARY) or requires_library(one)
        for one in (must if isinstance(must, list) else [must])
    )


HERE, ELSEWHERE = ({"key": "library", "match": {"value": name}} for name in (LIBRARY, "红楼"))


@pytest.mark.parametrize(
    ("body", "is_named"),
    [
        ({"filter": {"must": [HERE]}}, True),
        ({"filter": {"must": [{"must": [HERE]}, {"should": [ELSEWHERE]}]}}, True),
        ({"filter": {"should": [HERE]}}, False),
        ({"filter": {"must": [{"should": [HERE, ELSEWHERE]}]}}, False),
        ({"filter": {"must_not": [HERE]}}, False),
        ({"filter": {"must": [ELSEWHERE]}}, False),
        ({"filter": {"must": [HERE]}, "params": {"idf": {"corpus": {"should": [HERE]}}}}, False),
        ({"operations": [{"delete": {"filter": {"must": [HERE]}}}, {"delete": {"filter": {}}}]}, False),
        ({"filter": None}, False),
        ({"limit": 5}, False),
    ],
)
def test_what_counts_as_naming_the_library(body: Any, is_named: bool) -> None:
    """PLA-03: a condition that only may hold, or that one of several filters lacks, keeps nobody out."""
    assert names_library(body) is is_named


async def test_another_embedder(running: LoopbackQdrant) -> None:
    """PLA-10: each embedder has its collection, whose dimension is recorded; another one is a clear error."""
    store = store_of(running)
    await put(store, [passage(0)])
    assert await running.service.client.collection_exists(COLLECTION)
    with pytest.raises(EmbedderMismatch, match=r"fake（32 维）.*64 维.*EMBEDDING_MODEL"):
        await store.dense(LIBRARY, [1.0] * 64, ANY, 5)
    with pytest.raises(EmbedderMismatch):
        await store.upsert(LIBRARY, [passage(1)], [[1.0] * 64])
    memories = qdrant_memories(qdrant_server(running.url, None, 5), "fake")
    await memories.put([memory(1)], [[1.0] * 8])
    other = qdrant_memories(qdrant_server(running.url, None, 5), "another")
    with pytest.raises(EmbedderMismatch, match=r"fake.*another.*memory export"):
        await other.put([memory(2)], [[1.0] * 8])
    with pytest.raises(EmbedderMismatch):
        await other.dense("甲", [1.0] * 8, MemoryFilter(), 5)
    assert [row.memory_key for row in await other.scroll("甲", MemoryFilter())] == ["k1"]
    for one in (store, memories, other):
        await one.close()


async def test_the_key(running: LoopbackQdrant) -> None:
    """PLA-28: a server with a key answers who has it; who has not is told which setting is wrong, and no key."""
    running.service.api_key = KEY
    store = store_of(running, key=KEY)
    await put(store, [passage(0)])
    assert await store.count(LIBRARY, ANY) == 1
    await store.close()
    for wrong in (None, "geheim"):
        other = store_of(running, key=wrong)
        with pytest.raises(StoreError, match="QDRANT_API_KEY") as caught:
            await other.count(LIBRARY, ANY)
        assert not is_transient(caught.value)
        assert "geheim" not in str(caught.value)
        await other.close()


async def test_over_tls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """PLA-28: https works with the certificates that SSL_CERT_FILE names, and refuses others."""
    certificate = self_signed(tmp_path)
    with LoopbackQdrant(certificate=certificate) as running:
        store = store_of(running, key=KEY)
        with pytest.raises(StoreUnavailable, match="CERTIFICATE"):
            await store.count(LIBRARY, ANY)
        await store.close()
        monkeypatch.setenv("SSL_CERT_FILE", certificate[0])
        store = store_of(running, key=KEY)
        await put(store, [passage(0)])
        assert await store.count(LIBRARY, ANY) == 1
        await store.close()


def self_signed(folder: Path) -> tuple[str, str]:
    """Return the files of a certificate for this machine, and of its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "loopback")])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number(), now, now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(IPv4Address("127.0.0.1"))]), critical=False)
        .sign(key, hashes.SHA256())
    )
    secret = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    (folder / "cert.pem").write_bytes(made.public_bytes(Encoding.PEM))
    (folder / "key.pem").write_bytes(secret)
    return str(folder / "cert.pem"), str(folder / "key.pem")


async def every_read(store: ServerPassageStore) -> list[BaseException | object]:
    vector = await embedder.embed_query("曹操")
    reads = (
        store.open(LIBRARY),
        store.dense(LIBRARY, vector, ANY, 5),
        store.sparse(LIBRARY, "曹操", ANY, 5),
        store.fetch(LIBRARY, [passage(0).id]),
        store.scroll(LIBRARY, ANY),
        store.count(LIBRARY, ANY),
    )
    return [*await asyncio.gather(*reads, return_exceptions=True)]


async def test_a_dead_server_is_never_nothing_found(running: LoopbackQdrant) -> None:
    """PLA-28: one line that names the setting, whatever is asked; when it is back, everything is there."""
    store = store_of(running)
    await put(store, [passage(n) for n in range(5)])
    running.stop()
    for fresh in (store, store_of(running)):
        for failure in await every_read(fresh):
            assert isinstance(failure, StoreUnavailable) and is_transient(failure), failure
            assert "QDRANT_URL" in str(failure) and "\n" not in str(failure)
    running.start()
    assert await store.count(LIBRARY, ANY) == 5
    await store.close()


async def test_a_server_that_does_not_answer() -> None:
    """PLA-28: a connection that is accepted and never answered ends by the timeout."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        store = qdrant_passages(
            qdrant_server(f"http://127.0.0.1:{listener.getsockname()[1]}", None, 1),
            "stories",
            "fake",
            unknown,
            somebody,
        )
        with pytest.raises(StoreUnavailable, match="QDRANT_URL"):
            await store.count(LIBRARY, ANY)
        await store.close()


@pytest.mark.parametrize(
    ("status", "message", "kind"),
    [
        (500, "Service internal error: No space left on device: WAL buffer size exceeds", StoreFull),
        (500, "Service internal error: task panicked", StoreUnavailable),
        (503, "starting", StoreUnavailable),
        (400, "Wrong input: Index required but not found", StoreError),
        (404, "page not found", StoreError),
        (404, "no route /collections/stories_fake/points/count: collection service unknown to this proxy", StoreError),
        (404, f"Not found: Collection `{'s' * 250}` doesn't exist!", StoreGone),
    ],
)
async def test_errors_of_the_server(running: LoopbackQdrant, status: int, message: str, kind: type[StoreError]) -> None:
    """PLA-28: what the server refuses, and what it fails at, are different errors; none is an empty result."""
    store = store_of(running)
    await put(store, [passage(0)])
    running.service.failure = (status, message)
    vector = await embedder.embed_passages(["曹操"])
    for call in (store.count(LIBRARY, ANY), store.scroll(LIBRARY, ANY), store.upsert(LIBRARY, [passage(1)], vector)):
        with pytest.raises(kind) as caught:
            await call
        assert type(caught.value) is kind and "Qdrant" in str(caught.value)
    await store.close()


async def test_no_qdrant_at_all(running: LoopbackQdrant) -> None:
    """PLA-28: an address where something else answers is told apart from a dead one."""
    server = qdrant_server(f"{running.url}/elsewhere", None, 5)
    with pytest.raises(StoreError, match="QDRANT_URL"):
        await qdrant_passages(server, "stories", "fake", unknown, somebody).count(LIBRARY, ANY)
    await server.close()


async def test_text_that_is_no_text(running: LoopbackQdrant) -> None:
    """PLA-28: a lone surrogate is the caller's error."""
    store = store_of(running)
    await put(store, [passage(0)])
    with pytest.raises(InputError):
        await store.sparse(LIBRARY, "\ud800", ANY, 5)
    with pytest.raises(InputError):
        await store.count(LIBRARY, PassageFilter(entity="\ud800"))
    await store.close()


async def test_two_processes_write_at_once(running: LoopbackQdrant) -> None:
    """PLA-28: who makes the collection first does not matter; every row of both is there."""
    stores = [store_of(running) for _ in range(4)]
    rows = [passage(n) for n in range(40)]
    await asyncio.gather(*(put(store, rows[n::4]) for n, store in enumerate(stores)))
    for store in stores:
        assert await store.count(LIBRARY, ANY) == 40
        await store.close()


async def test_a_library_without_passages(running: LoopbackQdrant) -> None:
    """PLA-28: a library that the catalog knows has none, and is no unknown one."""

    async def known(library: str) -> None:
        if library != LIBRARY:
            raise LibraryNotFound(library)

    store = store_of(running, known=known)
    assert await store.scroll(LIBRARY, ANY) == [] and await store.vectors(LIBRARY, [passage(0)]) == {}
    with pytest.raises(LibraryNotFound):
        await store.scroll("无此库", ANY)
    await put(store, [passage(0)])
    await store.drop(LIBRARY)
    assert await store.count(LIBRARY, ANY) == 0
    await store.close()


def test_every_event_loop_has_its_connections(running: LoopbackQdrant) -> None:
    """PLA-28: a server's process answers from several event loops over one store."""
    store = store_of(running)
    asyncio.run(put(store, [passage(0)]))
    for _ in range(2):
        assert asyncio.run(store.count(LIBRARY, ANY)) == 1
