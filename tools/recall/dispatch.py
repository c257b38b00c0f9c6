"""The dispatcher of the memory tools: every call gets an answer in its tool's own form."""

import asyncio
import logging
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel

from tools.arguments import checked, shown
from tools.dispatch import CALL_TIMEOUT_S, safe_error
from tools.errors import InputError, WenmaiError
from tools.formatting import dump, fit_json
from tools.language import cost
from tools.messages import say, speaking
from tools.recall.context import Iteration, MemoryContext
from tools.recall.schemas import DetailInput, DetailOutput, ErrorCode, ExpandOutput, Output, plain
from tools.recall.tools import AND, REGISTRY, MemoryTool, detail_within, failed_output

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Dispatched:
    """The outcome of one call.

    Attributes:
        content: the JSON text that goes back to the model.
        arguments: the validated ones; None if they were wrong.
        output: None for an unknown tool.
    """

    content: str
    ok: bool
    tool: MemoryTool | None = None
    arguments: BaseModel | None = None
    output: Output | None = None


async def dispatch(name: str, args: object, call: MemoryContext, timeout_s: float = CALL_TIMEOUT_S) -> Dispatched:
    """Answer one call in the language of its context; raises nothing but CancelledError."""
    with speaking(call.language):
        tool = REGISTRY.get(name)
        if tool is None:
            wrong = {"error": f"Unknown tool: {shown(name)}", "tool": shown(name), "valid_tools": list(REGISTRY)}
            return Dispatched(content=dump(wrong), ok=False)
        arguments, problems = checked(tool.input_model, args)
        if not call.user_id.strip():
            output = failed_output(name, "permission_denied", say("recall.no_user"), call.iteration)
        elif arguments is None:
            output = failed_output(name, "invalid_input", AND.join(problems), call.iteration)
        else:
            output = await in_time(tool, arguments, call, timeout_s)
        content = dump(plain(output))
        if cost(content) > call.budget:
            if isinstance(output, DetailOutput) and isinstance(arguments, DetailInput):
                content = detail_within(output, arguments.offset, call.budget)
            else:
                content = fit_json(plain(output), call.budget)
        # a refused expansion is an ordinary result
        ok = output.error_code is None if isinstance(output, ExpandOutput) else output.success
        return Dispatched(content=content, ok=ok, tool=tool, arguments=arguments, output=output)


async def in_time(tool: MemoryTool, arguments: BaseModel, call: MemoryContext, timeout_s: float) -> Output:
    """Run a tool; after a failure of a store, and only then, run it once more."""
    try:
        async with asyncio.timeout(timeout_s):
            output = await once(tool, arguments, call)
            return await once(tool, arguments, call) if output.error_code == "database_error" else output
    except TimeoutError:
        return failed_output(tool.name, "timeout", say("recall.timed_out", seconds=timeout_s), call.iteration)


async def once(tool: MemoryTool, arguments: BaseModel, call: MemoryContext) -> Output:
    """Run a tool once; return its output, or that of its failure."""
    try:
        return await tool.func(arguments, call)
    except TimeoutError:
        raise
    except Exception as exc:  # as in tools.dispatch: every call must get exactly one result
        if isinstance(exc, WenmaiError):
            logger.info("%s failed: %s", tool.name, exc)
        else:
            logger.exception("%s failed", tool.name)
        return failed_output(tool.name, code_of(exc), safe_error(tool.name, exc), call.iteration)


def code_of(error: Exception) -> ErrorCode:
    return "invalid_input" if isinstance(error, InputError) else "database_error"


def refused(name: str, error: Exception) -> dict[str, Any]:
    """Return the answer to a call that no tool was asked for, in the form of the tool."""
    return plain(failed_output(name, code_of(error), safe_error(name, error), Iteration()))
