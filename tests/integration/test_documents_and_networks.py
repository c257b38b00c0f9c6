"""Documents and networks by the operations, in this process and through a running server: the same comes back."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from tests.integration.live_server import LiveServer
from tools.errors import IngestError, InputError
from wenmai.app.container import Services
from wenmai.application.caller import Caller
from wenmai.application.documents import RemovalReceipt
from wenmai.application.operations import Application
from wenmai.client.client import Client
from wenmai.client.connection import Connection
from wenmai.inputs import FieldError, NotFound
from wenmai.knowledge.reading import Mending
from wenmai.settings.settings import validate_config

CLINIC = Path(__file__).parents[1] / "ontology_service" / "data" / "clinic"
SONGS = {"夜曲": [["夜曲", "歌手", "周杰伦"]], "周杰伦": [["周杰伦", "生日", "1月18日"]]}


@asynccontextmanager
async def operations(place: str, folder: Path, own: LiveServer) -> AsyncIterator[Application | Client]:
    if place == "there":
        server = Connection(own.url)
        yield Client(server)
        await server.close()
        return
    services = Services(validate_config(data_dir=folder / "data", trace_dir=folder / "traces"))
    yield Application(services)
    await services.close()


@pytest.fixture(params=["here", "there"])
async def app(request: pytest.FixtureRequest, tmp_path: Path, own: LiveServer) -> AsyncIterator[Application | Client]:
    async with operations(request.param, tmp_path, own) as opened:
        yield opened


def names(receipt: RemovalReceipt) -> list[str]:
    return [one.filename for one in receipt.documents]


async def test_documents(app: Application | Client, tmp_path: Path) -> None:
    """DOC-02 DOC-03 DOC-04: a path or bytes come in, are listed, replaced and removed with a receipt."""
    path = tmp_path / "规矩.md"
    path.write_text("# 规矩\n\n雾起关灯。", encoding="utf-8")
    stored = await app.documents.upload(path, thread_id="t1")
    assert (stored.document.filename, stored.document.chunks, stored.replaced) == ("规矩.md", 1, None)
    again = await app.documents.upload("规矩.md", content="雾散开灯。".encode(), thread_id="t1")
    assert again.replaced is not None and again.replaced.id == stored.document.id
    await app.documents.upload("众人.txt", content=b"hello", preloaded=True)
    await app.documents.upload("b.txt", content=b"hello", thread_id="t1")
    seen = await app.documents.list(thread_id="t1")
    assert [one.filename for one in seen.items] == ["众人.txt", "b.txt", "规矩.md"] and seen.total == 3
    part = await app.documents.list(thread_id="t1", limit=1, offset=1)
    assert ([one.filename for one in part.items], part.total, part.next) == (["b.txt"], 3, 2)
    with pytest.raises(NotFound, match=r"没有.*x\.txt"):
        await app.documents.remove("b.txt", "x.txt", thread_id="t1")
    assert names(await app.documents.remove("b.txt", thread_id="t1")) == ["b.txt"]
    assert names(await app.documents.remove_all(thread_id="t1")) == ["规矩.md"]
    assert names(await app.documents.remove("众人.txt", preloaded=True)) == ["众人.txt"]
    for wrong in ({}, {"thread_id": "t1", "preloaded": True}):
        with pytest.raises(InputError):
            await app.documents.upload(path, **wrong)  # type: ignore[arg-type]
    with pytest.raises((IngestError, InputError)):
        await app.documents.upload("a.pdf", content=b"%PDF-1.4 junk", thread_id="t1")
    assert (await app.documents.list(thread_id="t1")).items == []


async def test_networks(app: Application | Client, tmp_path: Path) -> None:
    """KNO-09 KNO-33: looked at, kept, asked, exported, read back and deleted."""
    done = await app.networks.load(CLINIC)
    assert (done.id, done.written, done.is_inferred, done.counts["instances"]) == ("clinic", True, False, 25)
    assert not (await app.networks.load(CLINIC)).written
    (row,) = [one for one in (await app.networks.list()).items if one.id == "clinic"]
    assert row.instances == 25
    schema = await app.networks.schema("clinic")
    assert any(one.is_key for kind in schema.object_types for one in kind.properties)
    (seen,) = (await app.networks.find("clinic", "上、下气道梗阻", limit=5)).items
    assert [one.direction for one in seen.neighbours] == ["outgoing"] * 5
    found = await app.networks.export("clinic")
    assert found.counts == done.counts and "network.yaml" in found.files
    assert (await app.networks.delete("clinic")).counts["relations"] == done.counts["relations"]
    for gone in (app.networks.schema("clinic"), app.networks.export("clinic"), app.networks.delete("clinic")):
        with pytest.raises(NotFound):
            await gone


async def test_a_network_is_inferred_and_put_right(app: Application | Client, tmp_path: Path) -> None:
    """KNO-36: a preview stores nothing; the same corrections make the network that was seen."""
    path = tmp_path / "songs.json"
    path.write_text(json.dumps(SONGS, ensure_ascii=False), encoding="utf-8")
    mending = Mending(name="歌曲")
    seen = await app.networks.preview(path, network="songs", mending=mending)
    assert (seen.name, seen.is_inferred, sum(seen.instances.values())) == ("歌曲", True, 2)
    assert "songs" not in {one.id for one in (await app.networks.list()).items}
    done = await app.networks.load(path, network="songs", mending=mending)
    assert done.is_inferred and (await app.networks.schema("songs")).name == "歌曲"
    await app.networks.delete("songs")
    with pytest.raises(InputError):
        await app.networks.load(path, network="Not An Id")


async def test_who_may_change(tmp_path: Path) -> None:
    """PLA-03: what everybody sees is changed by administrators; a network that a key does not name does not exist."""
    services = Services(validate_config(data_dir=tmp_path / "data", trace_dir=tmp_path / "traces"))
    admin = Application(services)
    await admin.networks.load(CLINIC)
    usual = admin.for_caller(Caller(user_id="alice", networks=frozenset()))
    for refused in (
        usual.networks.load(CLINIC),
        usual.networks.delete("clinic"),
        usual.documents.upload("a.txt", content=b"a", preloaded=True),
        usual.documents.remove_all(preloaded=True),
    ):
        with pytest.raises(FieldError) as error:
            await refused
        assert error.value.status == 403
    assert (await usual.networks.list()).items == []
    for hidden in (usual.networks.schema("clinic"), usual.networks.export("clinic")):
        with pytest.raises(NotFound):
            await hidden
    await services.close()
