"""Calls of tools as LangChain's callbacks see them: a run of type `tool` for LangSmith, `astream_events` and others."""

import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

from langchain_core.runnables.config import (
    ensure_config,
    get_async_callback_manager_for_config,
    patch_config,
    var_child_runnable_config,
)
from langchain_core.tools import ToolException

from state.schema import PendingCall

EndOfCall = Callable[[str, bool], Awaitable[None]]


@asynccontextmanager
async def tool_run(call: PendingCall) -> AsyncIterator[EndOfCall]:
    """Begin the run of a call below the node that runs; what is awaited inside, a model's call too, is below it.

    The block ends it with what the model reads, and whether the call succeeded; an exception ends it, too.
    """
    config = ensure_config()
    manager = get_async_callback_manager_for_config(config)
    text = json.dumps(call["args"], ensure_ascii=False, default=str)
    run = await manager.on_tool_start({"name": call["name"]}, text, name=call["name"], inputs=call["args"])
    child = var_child_runnable_config.set(patch_config(config, callbacks=run.get_child()))

    async def end(content: str, is_ok: bool) -> None:
        await (run.on_tool_end(content) if is_ok else run.on_tool_error(ToolException(content)))

    try:
        yield end
    except BaseException as error:
        await run.on_tool_error(error)
        raise
    finally:
        var_child_runnable_config.reset(child)
