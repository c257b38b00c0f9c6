"""`langgraph dev` whose threads are in PostgreSQL, killed with kill -9."""

import asyncio
from pathlib import Path
from typing import Any

import httpx
import psycopg
from langgraph_sdk import get_client

from tests.contracts.postgres import emptied
from tests.integration.live_server import prepare, running
from tests.integration.test_server_crash import AFTERWARDS, WHO, ask, killed, new_thread, refused
from wenmai.checkpoints import CHECKPOINTS_FILE

TABLES = ("checkpoints", "checkpoint_blobs", "checkpoint_writes")


async def test_threads_outlive_the_server(tmp_path: Path) -> None:
    """A finished turn is there again with its thread, the talk goes on, and deletions hold in every table."""
    uri = emptied()
    prepare(tmp_path)
    with running(tmp_path, POSTGRES_URI=uri) as live:
        async with get_client(url=live.url) as sdk:
            thread, gone = await new_thread(sdk, title="雾港"), await new_thread(sdk)
            for one in (gone, thread):
                await ask(sdk, one, WHO)
            await sdk.threads.delete(gone)
        killed(live)
    assert not (tmp_path / "data" / CHECKPOINTS_FILE).exists()
    with running(tmp_path, POSTGRES_URI=uri) as live:
        async with get_client(url=live.url) as sdk:
            ready = await asyncio.to_thread(httpx.get, f"{live.url}/ready", timeout=30)
            assert ready.status_code == 200 and ready.json()["stores"]["checkpoints"] == "ok"
            (known,) = await sdk.threads.search()
            assert (known["thread_id"], known["status"]) == (thread, "idle")
            assert (known["metadata"] or {})["title"] == "雾港"
            await refused(sdk, gone)
            output = await ask(sdk, thread, AFTERWARDS)
            assert "苏晚亭" in output["result"]["resolved_question"] and "航海图" in output["result"]["answer"]
            await sdk.threads.copy(thread)
            await sdk.threads.delete(thread)
            (copied,) = await sdk.threads.search()
            state: Any = await sdk.threads.get_state(copied["thread_id"])
            assert len(state["values"]["messages"]) == 4
        assert "Traceback" not in live.log and "Blocking call" not in live.log
    with psycopg.connect(uri) as base:
        for table in TABLES:
            rows = base.execute(f"SELECT DISTINCT thread_id FROM {table}").fetchall()
            assert {thread for (thread,) in rows} <= {copied["thread_id"]}
