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
from tools.recall.context import MemoryContext
from tools.recall.schemas import DetailInput, DetailOutput, Output, plain
from tools.recall.tools import REGISTRY, Failure, MemoryTool, Refused, failed_output, fitted, succeeded
from tools.recall.wording import AND, NO_USER, TOO_SLOW, ErrorCode
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
            return unknown(name)
        arguments, problems = checked(tool.input_model, args)
        output = await answered(tool, arguments, problems, call, timeout_s)
        return Dispatched(
            content=within(output, arguments, call.budget),
            ok=succeeded(output),
            tool=tool,
            arguments=arguments,
            output=output,
        )


def within(output: Output, arguments: BaseModel | None, budget: int) -> str:
    """Return an output as JSON text of at most `budget` characters."""
    content = dump(plain(output))
    if len(content) <= budget:
        return content
    if isinstance(output, DetailOutput) and isinstance(arguments, DetailInput):
        return fitted(output, arguments.offset, budget)
    return fit_json(plain(output), budget)


def unknown(name: str) -> Dispatched:
    """Return the answer to a call of an unknown tool."""
    wrong = {"error": f"Unknown tool: {shown(name)}", "tool": shown(name), "valid_tools": list(REGISTRY)}
    return Dispatched(content=dump(wrong), ok=False)


async def answered(
    tool: MemoryTool, arguments: BaseModel | None, problems: list[str], call: MemoryContext, timeout_s: float
) -> Output:
    """Return the output of a call: identity first, then the arguments, then the tool."""
    if not call.user_id.strip():
        return failed_output(tool.name, Failure("permission_denied", NO_USER.say()), call)
    if arguments is None:
        return failed_output(tool.name, Failure("invalid_input", AND.join(problems)), call)
    try:
        async with asyncio.timeout(timeout_s):
            return await tried(tool, arguments, call)
    except TimeoutError:
        return failed_output(tool.name, Failure("timeout", TOO_SLOW.say(seconds=timeout_s)), call)


async def tried(tool: MemoryTool, arguments: Any, call: MemoryContext) -> Output:
    """Run a tool; after a failure of a store, and only then, run it once more."""
    failure = await once(tool, arguments, call)
    if isinstance(failure, Failure) and failure.code == "database_error":
        failure = await once(tool, arguments, call)
    return failed_output(tool.name, failure, call) if isinstance(failure, Failure) else failure


async def once(tool: MemoryTool, arguments: Any, call: MemoryContext) -> Output | Failure:
    """Run a tool once; return its output, or the failure."""
    try:
        return await tool.func(arguments, call)
    except TimeoutError:
        raise
    except WenmaiError as exc:
        logger.info("%s failed: %s", tool.name, exc)
        return failure_of(tool.name, exc)
    except Exception as exc:  # as in tools.dispatch: every call must get exactly one result
        logger.exception("%s failed", tool.name)
        return failure_of(tool.name, exc)


def failure_of(name: str, error: Exception) -> Failure:
    """Return an error as a failure with its code."""
    if isinstance(error, Refused):
        return Failure(error.code, str(error))
    line = safe_error(name, error)
    code: ErrorCode = "invalid_input" if isinstance(error, InputError) else "database_error"
    return Failure(code, line)
