"""A file of checkpoints that cannot be opened is one line that says what to look at."""

import asyncio
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tools.errors import StoreCorrupt, StoreUnavailable
from wenmai.checkpoints import CHECKPOINTS_FILE
from wenmai.checkpoints.sqlite import checked, emptied_log, open_checkpoints, require_openable


async def test_what_cannot_be_opened_is_named(tmp_path: Path) -> None:
    (tmp_path / CHECKPOINTS_FILE).mkdir()
    with pytest.raises(StoreUnavailable, match=f"{CHECKPOINTS_FILE}.*DATA_DIR"):
        async with open_checkpoints(tmp_path):
            pytest.fail("a folder was opened as a database")


async def test_a_log_that_is_not_emptied_is_said(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """What was deleted still stands in it: another process reads. The next deletion tries again."""
    async with open_checkpoints(tmp_path) as saver:
        await saver.rows("PRAGMA busy_timeout=0")
        log = tmp_path / f"{CHECKPOINTS_FILE}-wal"
        await saver.execute("CREATE TABLE one (number INTEGER)")
        with closing(sqlite3.connect(tmp_path / CHECKPOINTS_FILE, isolation_level=None)) as other:
            other.execute("BEGIN")
            other.execute("SELECT * FROM one").fetchall()
            await saver.execute("INSERT INTO one VALUES (1)")
            await saver.sync()
            assert "not emptied" in caplog.text and log.stat().st_size > 0
        caplog.clear()
        await saver.sync()
        assert not caplog.text and log.stat().st_size == 0


async def test_a_write_that_is_cut_short_holds_nothing(tmp_path: Path) -> None:
    """PLA-67: it is undone, others can write, and what was deleted leaves the log."""
    file = tmp_path / CHECKPOINTS_FILE
    async with open_checkpoints(tmp_path) as saver:
        await saver.execute("CREATE TABLE one (number INTEGER)")
        is_written = asyncio.Event()

        async def write() -> None:
            async with saver.lock:
                await saver.conn.execute("INSERT INTO one VALUES (1)")
                is_written.set()
                await asyncio.Future()

        writing = asyncio.create_task(write())
        await is_written.wait()
        writing.cancel()
        await asyncio.wait([writing])
        with closing(sqlite3.connect(file, timeout=0, isolation_level=None)) as other:
            other.execute("INSERT INTO one VALUES (2)")
        assert await saver.rows("SELECT number FROM one") == [(2,)]
        assert await saver.sync() and emptied_log(tmp_path)
    assert emptied_log(tmp_path / "elsewhere")


@pytest.mark.parametrize("looks", [True, False])
async def test_pages_that_are_spoilt(tmp_path: Path, caplog: pytest.LogCaptureFixture, looks: bool) -> None:
    """PLA-63: found by the look at the start, or met by a statement; either refuses the file until it is closed."""
    file = tmp_path / CHECKPOINTS_FILE
    async with open_checkpoints(tmp_path) as saver:
        await saver.execute("CREATE TABLE one (text TEXT)")
        for _ in range(20):
            await saver.execute("INSERT INTO one VALUES (?)", "word" * 1_000)
        await saver.sync()
    whole = file.read_bytes()
    file.write_bytes(whole[: -len(whole) // 2] + b"\xa5" * (len(whole) // 2))
    async with open_checkpoints(tmp_path) as saver:
        if looks:
            async with checked(file):
                pass
        with pytest.raises(StoreCorrupt, match=CHECKPOINTS_FILE):
            await saver.rows("SELECT text FROM one")
        for _ in range(2):
            with pytest.raises(StoreCorrupt):
                await saver.execute("CREATE TABLE another (text TEXT)")
            with pytest.raises(StoreCorrupt):
                require_openable(file)
        assert caplog.text.count("--recover") == 1
    file.write_bytes(whole)
    async with open_checkpoints(tmp_path) as saver, checked(file):
        assert len(await saver.rows("SELECT text FROM one")) == 20


async def test_a_look_that_is_not_over_is_broken_off(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """PLA-63: a large file delays neither start nor end."""
    monkeypatch.setattr("wenmai.checkpoints.sqlite.CHECK_SECONDS", 0.01)
    endless = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"
    monkeypatch.setattr("wenmai.checkpoints.sqlite.CHECK", endless)
    async with asyncio.timeout(20), open_checkpoints(tmp_path) as saver, checked(tmp_path / CHECKPOINTS_FILE):
        await saver.execute("CREATE TABLE one (number INTEGER)")
        assert await saver.rows("SELECT number FROM one") == []
