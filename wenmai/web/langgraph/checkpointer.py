"""The entry file of `checkpointer`: the server's threads lie where those of Python and the command line do.

Nothing is read or opened when this file is loaded.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from itertools import count

from wenmai.app.container import process_services
from wenmai.checkpoints.server import ServerSaver
from wenmai.checkpoints.sqlite import checkpoints_of
from wenmai.checkpoints.thread_records import ThreadRecords
from wenmai.web.langgraph.old_checkpoints import take_over
from wenmai.web.langgraph.runtime_threads import Restoring, RuntimeThreads, forgetting, runtime_store

opened = count()


@asynccontextmanager
async def checkpointer() -> AsyncIterator[ServerSaver]:
    """Open the checkpoints of the settings: in PostgreSQL by POSTGRES_URI, else in DATA_DIR.

    The server opens one in each of its event loops, the first before it takes a request or starts a run.

    Raises:
        StoreError: they cannot be opened.
    """
    settings = (await asyncio.to_thread(process_services)).settings
    async with checkpoints_of(settings) as saver:
        store, records = await runtime_store(), ThreadRecords(saver)
        await records.setup()
        server = ServerSaver(saver, records, RuntimeThreads(store).find, settings.kept_checkpoints)
        if store is None or next(opened) > 0:
            yield server
            return
        await take_over(store, saver, records, settings.kept_checkpoints)
        await Restoring(store, saver, records)()
        async with forgetting(records):
            yield server
