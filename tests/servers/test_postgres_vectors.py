"""Passages, documents and memories in PostgreSQL by pgvector: what the contract suites cannot show (PLA-28)."""

import asyncio
import json
import os
import re
import subprocess
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from shutil import rmtree

import psycopg
import pytest
from psycopg import sql
from psycopg.conninfo import make_conninfo

from devservers.processes import free_port
from tests.contracts.postgres import emptied, postgres
from tests.contracts.test_document_store import ME, MINE, doc, every_way
from tests.contracts.test_document_store import put as put_document
from tests.contracts.test_memory_store import ANY, embedder, keys, memory
from tests.contracts.test_memory_store import put as put_memories
from tests.contracts.test_passage_store import LIBRARY, passage
from tests.contracts.test_passage_store import put as put_passages
from tests.fakes import unknown
from tests.integration.cli_story import STORY
from tools.errors import EmbedderMismatch, InputError, StoreError, StoreUnavailable, is_transient
from wenmai.stores.postgres.stores import postgres_documents, postgres_memories, postgres_passages
from wenmai.stores.postgres.table import PostgresServer

ROOT = Path(__file__).parents[2]
NAME = "白石渡"
COUNT = sql.SQL("SELECT count(*) FROM {}")
QUESTION = "铜灯的灯座底下刻着什么字？"


def wenmai(folder: Path, variables: dict[str, str], *arguments: str) -> str:
    """Run the command in a process of its own and return what it printed."""
    environment = {**os.environ, **variables, "PYTHONPATH": str(ROOT), "DATA_DIR": str(folder / "data")}
    environment |= {"TRACE_DIR": str(folder / "traces"), "GOOGLE_API_KEY": "", "COLUMNS": "200"}
    command = [sys.executable, "-m", "wenmai", *arguments]
    done = subprocess.run(command, env=environment, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def rows(uri: str) -> dict[str, int]:
    """Return how many rows each table of vectors has."""
    with psycopg.connect(uri) as base:
        found = base.execute("SELECT name FROM wenmai_collection ORDER BY name").fetchall()
        counted = {str(name): base.execute(COUNT.format(sql.Identifier(name))).fetchone() for (name,) in found}
    return {name: count[0] for name, count in counted.items() if count}


def test_one_database_for_all(tmp_path: Path) -> None:
    """PLA-28: with VECTORS=postgres every vector is in that database, and the commands read and delete it there."""
    variables = {"POSTGRES_URI": emptied(), "VECTORS": "postgres"}
    (tmp_path / "灯.txt").write_text(STORY, encoding="utf-8")
    (tmp_path / "表.txt").write_text("数据库端口是 5433。", encoding="utf-8")
    owner = ("--user", "甲", "--session", "t1")
    wenmai(tmp_path, variables, "ingest", "灯.txt", "--library", NAME)
    wenmai(tmp_path, variables, "docs", "add", "表.txt", *owner)
    wenmai(tmp_path, variables, "memory", "add", "喜欢喝绿茶", "--key", "k1", "--user", "甲")
    assert sorted(rows(variables["POSTGRES_URI"]).values()) == [1, 1, 3]
    assert "风停即返" in wenmai(tmp_path, variables, "ask", QUESTION, "--library", NAME)
    assert "5433" in wenmai(tmp_path, variables, "ask", "数据库端口是多少？", *owner, "--toolkits", "documents")
    assert "绿茶" in wenmai(tmp_path, variables, "memory", "search", "绿茶", "--user", "甲")
    doctor = wenmai(tmp_path, variables, "doctor")
    assert re.search(r"PostgreSQL：127\.0\.0\.1:.*会话、登记库和向量（pgvector 0\.8", doctor), doctor
    assert f"资料库 {NAME}：3 段" in doctor
    wenmai(tmp_path, variables, "memory", "forget", "k1", "--user", "甲", "--yes")
    wenmai(tmp_path, variables, "docs", "remove", "--all", "--yes", *owner)
    wenmai(tmp_path, variables, "delete", NAME, "--yes")
    assert set(rows(variables["POSTGRES_URI"]).values()) == {0}


def test_migrate_there_and_back(tmp_path: Path) -> None:
    """PLA-28: library, memories and documents of a folder come to PostgreSQL whole, and from there to a bare one."""
    variables = {"POSTGRES_URI": emptied(), "VECTORS": "postgres"}
    (tmp_path / "灯.txt").write_text(STORY, encoding="utf-8")
    wenmai(tmp_path, {}, "ingest", "灯.txt", "--library", NAME)
    wenmai(tmp_path, {}, "docs", "add", "灯.txt", "--preloaded")
    wenmai(tmp_path, {}, "memory", "add", "喜欢喝绿茶", "--key", "k1", "--user", "甲")
    for to in ("server", "embedded"):
        done = wenmai(tmp_path, variables, "migrate", NAME, "--to", to, "--memories", "--documents")
        assert done.count("一致") == 5 and "不一致" not in done, done  # the graph stays in the folder
        if to == "server":
            assert "风停即返" in wenmai(tmp_path, variables, "ask", QUESTION, "--library", NAME)
            rmtree(tmp_path / "data" / ".collections")
            rmtree(tmp_path / "data" / NAME / "passages")
    assert "绿茶" in wenmai(tmp_path, {}, "memory", "list", "--user", "甲")
    assert "灯.txt" in wenmai(tmp_path, {}, "docs", "list", "--preloaded")
    assert "风停即返" in wenmai(tmp_path, {}, "ask", QUESTION, "--library", NAME)


async def test_eight_processes_make_the_tables_at_once() -> None:
    """PLA-28: whichever process is first makes them; nobody fails, and nothing is lost."""
    uri = emptied()

    async def one(n: int) -> None:
        server = PostgresServer(uri)
        await put_memories(postgres_memories(server, "fake"), memory(n))
        await put_passages(postgres_passages(server, "base", "fake", unknown), [passage(n)])
        await server.close()

    await asyncio.gather(*(one(n) for n in range(8)))
    assert rows(uri) == {"wenmai_base_fake": 8, "wenmai_memories": 8}


async def test_another_embedder_is_refused() -> None:
    """PLA-10: the error names both; nothing is written, and what needs no vector is still read."""
    async with postgres() as server:
        await put_memories(postgres_memories(server, "fake"), memory(1))
        other, vector = postgres_memories(server, "another"), await embedder.embed_query("配置")
        calls = (other.dense("甲", vector, ANY, 5), put_memories(other, memory(2)))
        for call in (*calls, postgres_memories(server, "fake").put([memory(2)], [[1.0, 0.0]])):
            with pytest.raises(EmbedderMismatch, match=r"fake（32 维）.*EMBEDDING_MODEL"):
                await call
        assert keys(await other.scroll("甲", ANY)) == ["k1"]


async def test_a_table_that_was_dropped_is_made_again() -> None:
    """PLA-28: it is empty to readers, and the next write makes it, for another embedder too."""
    async with postgres() as server:
        store = postgres_memories(server, "fake")
        await put_memories(store, memory(1))
        async with server.connection() as base:
            await base.execute("DROP TABLE wenmai_memories")
        assert await store.count("甲", ANY) == 0
        await put_memories(postgres_memories(server, "another"), memory(2))
        assert keys(await store.scroll("甲", ANY)) == ["k2"]


async def test_two_uploads_of_one_name_at_once() -> None:
    """S004-D17: of documents of one name that are uploaded at the same moment one is left, whole."""
    async with postgres() as server:
        stores = [postgres_documents(server, "fake") for _ in range(6)]
        texts = [[f"数据库 {n}"] * 5 for n in range(6)]
        uploads = (doc(n, *texts[n], filename="报告.txt") for n in range(6))
        replaced = await asyncio.gather(*(put_document(one, file) for one, file in zip(stores, uploads, strict=True)))
        assert sum(one is None for one in replaced) == 1
        assert len(await stores[0].documents(ME)) == 1
        assert await every_way(stores[0], ME) == [[f"报告.txt#{n}" for n in range(5)]] * 3


async def test_a_write_that_fails_leaves_the_old_document() -> None:
    """DOC-03: a text that PostgreSQL cannot hold is refused as a whole, and what it was to replace stays."""
    async with postgres() as server:
        store = postgres_documents(server, "fake")
        await put_document(store, doc(1, "数据库 旧", filename="a.txt"))
        with pytest.raises(InputError, match="编码"):
            await put_document(store, doc(2, "数据库 新", "坏\0字", filename="a.txt"))
        assert [row.chunk.content for row in (await store.matching(ME, ["数据库"], 5)).rows] == ["数据库 旧"]


async def refused(call: Awaitable[object], kind: type[StoreError]) -> str:
    """Return the one line of an error."""
    with pytest.raises(kind) as caught:
        await call
    line = str(caught.value)
    assert "\n" not in line and "geheim" not in line
    return line


async def test_a_dead_server() -> None:
    """PLA-28: an error that names the server and the setting, never "not found"; it may be tried again."""
    server = PostgresServer(f"postgresql://wenmai:geheim@127.0.0.1:{free_port()}/wenmai")
    memories, documents = postgres_memories(server, "fake"), postgres_documents(server, "fake")
    passages = postgres_passages(server, "stories", "fake", unknown)
    vector = await embedder.embed_query("配置")
    calls: list[Callable[[], Awaitable[object]]] = [
        lambda: memories.dense("甲", vector, ANY, 5),
        lambda: memories.put([memory(1)], [vector]),
        lambda: documents.remove_all(MINE),
        lambda: passages.open(LIBRARY),
    ]
    for call in calls:
        line = await refused(call(), StoreUnavailable)
        assert "PostgreSQL（127.0.0.1:" in line and "POSTGRES_URI" in line
    assert is_transient(StoreUnavailable(""))


async def test_a_database_without_the_extension() -> None:
    """PLA-28: where this user may not add pgvector, one line says who must do what."""
    uri = emptied()
    with psycopg.connect(uri, autocommit=True) as base:
        base.execute("DROP ROLE IF EXISTS wenmai_reader")
        base.execute("CREATE ROLE wenmai_reader LOGIN PASSWORD 'geheim'")
    try:
        known = {"user": "wenmai_reader", "password": "geheim"}
        server = PostgresServer(make_conninfo(uri, **known))
        line = await refused(postgres_memories(server, "fake").count("甲", ANY), StoreError)
        assert "CREATE EXTENSION vector" in line and "pgvector 0.8" in line
    finally:
        with psycopg.connect(uri, autocommit=True) as base:
            base.execute("DROP ROLE wenmai_reader")


async def test_values_are_never_part_of_a_statement() -> None:
    """PLA-03: whatever a user calls a document, a library or themselves, it is compared as a whole."""
    forged = ("'; DROP TABLE wenmai_documents; --", '"', "%s %(v0)s {} %", "\\", "甲\n乙")
    async with postgres() as server:
        store = postgres_documents(server, "fake")
        await put_document(store, doc(1, *forged, filename=forged[0]))
        found = await store.matching(ME, ["DROP"], 5)
        assert json.dumps([row.chunk.filename for row in found.rows]) == json.dumps([forged[0]])
        memories = postgres_memories(server, "fake")
        await put_memories(memories, *(memory(n, user=name) for n, name in enumerate(forged)))
        for n, name in enumerate(forged):
            assert keys(await memories.scroll(name, ANY)) == [f"k{n}"]
