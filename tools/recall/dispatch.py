"""The dispatcher of the memory tools: every call gets an answer in its tool's own form."""

import asyncio
import logging
from dataclasses import dataclass

from pydantic import BaseModel

from tools.arguments import checked, shown
from tools.dispatch import CALL_TIMEOUT_S, safe_error
from tools.errors import InputError, WenmaiError
from tools.formatting import dump, fit_json
from tools.recall.context import MemoryContext
from tools.recall.schemas import DetailInput, DetailOutput, ErrorCode, ExpandOutput, Output, plain
from tools.recall.tools import AND, NO_USER, REGISTRY, TOO_SLOW, MemoryTool, detail_within, failed_output
from tools.wording import speaking

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
            output = failed_output(name, "permission_denied", NO_USER.say(), call)
        elif arguments is None:
            output = failed_output(name, "invalid_input", AND.join(problems), call)
        else:
            output = await in_time(tool, arguments, call, timeout_s)
        content = dump(plain(output))
        if len(content) > call.budget:
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
        return failed_output(tool.name, "timeout", TOO_SLOW.say(seconds=timeout_s), call)


async def once(tool: MemoryTool, arguments: BaseModel, call: MemoryContext) -> Output:
    """Run a tool once; return its output, or that of its failure."""
    try:
        return await tool.func(arguments, call)
    except TimeoutError:
        raise
    except WenmaiError as exc:
        logger.info("%s failed: %s", tool.name, exc)
        code: ErrorCode = "invalid_input" if isinstance(exc, InputError) else "database_error"
        return failed_output(tool.name, code, safe_error(tool.name, exc), call)
    except Exception as exc:  # as in tools.dispatch: every call must get exactly one result
        logger.exception("%s failed", tool.name)
        return failed_output(tool.name, "database_error", safe_error(tool.name, exc), call)
