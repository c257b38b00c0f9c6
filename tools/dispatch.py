"""The dispatcher of tools: every call gets an answer, whatever the model sent."""

import asyncio
import json
import logging
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, get_args

from pydantic import BaseModel, Field

from state.context import Language
from state.schema import StopReason
from tools.arguments import declare, parse, shown
from tools.base import Scope, Tool, ToolResult, noting
from tools.errors import STORE_FAILURES, InputError, WenmaiError
from tools.formatting import dump, fit_json, shorten, within
from tools.language import cost
from tools.messages import say, speaking

STOP = "stop"
# Models echo an option with its gloss: "sufficient(信息充分)".
OPTION = re.compile(r"\s*[(（]")
DESCRIPTION = "停止检索。当已收集到足够信息可以回答问题时调用。"


class StopArguments(BaseModel):
    """Arguments of stop: declared as required, but a missing or unknown reason is accepted."""

    reason: str = Field(description="停止原因: sufficient(信息充分)/max_turns(达到上限)/not_found(无法找到)")


def reason_to_stop(args: object) -> StopReason:
    """Return the reason of a stop call, "unknown" for any unknown one; never raises."""
    given = args.get("reason") if isinstance(args, dict) else None
    word = OPTION.split(given.strip(), maxsplit=1)[0].casefold() if isinstance(given, str) else ""
    return next((reason for reason in get_args(StopReason) if reason == word), "unknown")


logger = logging.getLogger(__name__)

CALL_TIMEOUT_S = 30.0
ERROR_CHARACTERS = 500
# A driver's message may quote the query that failed: the model must not see it.
QUERY_WORDS = re.compile(r"\b(?:MATCH|MERGE|RETURN|UNWIND|SELECT|INSERT|WHERE)\b")
CREDENTIALS = re.compile(r"(?<=://)[^/\s@]+@")


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """The outcome of one call.

    Attributes:
        content: the JSON object that goes back to the model as the ToolMessage's text.
        executed: it counts as a call; `stop` does not.
        error: the message of an error result.
        warning: for the caller: a call succeeded in part, or is empty because a store failed.
    """

    ok: bool
    content: str
    executed: bool = True
    result: ToolResult | None = None
    error: str | None = None
    warning: str | None = None


class Toolbox:
    def __init__(
        self,
        tools: Sequence[Tool],
        timeout_s: float = CALL_TIMEOUT_S,
        timeouts_s: Mapping[str, float] = MappingProxyType({}),
    ) -> None:
        """Hold tools; `timeouts_s` are exceptions from `timeout_s`, by name, in seconds."""
        self._tools = {tool.name: tool for tool in tools}
        self._timeout_s = timeout_s
        self._timeouts_s = timeouts_s

    @property
    def names(self) -> list[str]:
        return [*self._tools, STOP]

    def declarations(self, language: Language = "zh") -> list[dict[str, Any]]:
        """Return the declarations as `bind_tools` takes them, described in the question's language."""
        tools = [declare(tool.name, tool.description, tool.arguments, language) for tool in self._tools.values()]
        return [*tools, declare(STOP, DESCRIPTION, StopArguments, language)]

    async def run(self, name: str, args: object, scope: Scope, call_no: int) -> Outcome:
        """Answer one call in the language of its scope; raises nothing but CancelledError."""
        with speaking(scope.language), noting() as notes:
            outcome = await self._run(name, args, scope, call_no)
        return replace(outcome, warning=notes[0]) if notes else outcome

    async def _run(self, name: str, args: object, scope: Scope, call_no: int) -> Outcome:
        if name == STOP:
            result = ToolResult(data={"reason": reason_to_stop(args)}, text=say("tool.search_ended"))
            return Outcome(ok=True, content=dump({"result": result.text}), executed=False, result=result)
        tool = self._tools.get(name)
        if tool is None:
            error = f"Unknown tool: {shown(name)}"
            content = dump({"error": error, "tool": shown(name), "valid_tools": self.names})
            return Outcome(ok=False, content=content, error=error)
        seconds = self._timeouts_s.get(name, self._timeout_s)
        try:
            async with asyncio.timeout(seconds):
                result = await tool(parse(tool.arguments, args), scope)
            pieces = [piece | {"tool": name, "call": call_no} for piece in result.evidence]
            content = as_json_object(result.text, scope.budget)
            return Outcome(ok=result.ok, content=content, result=replace(result, evidence=pieces))
        except TimeoutError:
            return failed(name, say("tool.timed_out", name=name, seconds=seconds))
        except WenmaiError as exc:
            logger.info("%s failed: %s", name, exc)
            outcome = failed(name, safe_error(name, exc))
            return replace(outcome, warning=outcome.error) if isinstance(exc, STORE_FAILURES) else outcome
        except Exception as exc:  # a broad catch: every call must get exactly one result
            logger.exception("%s failed", name)
            return failed(name, safe_error(name, exc))


def safe_error(name: str, error: Exception) -> str:
    """Return the message of an error for the model: one line without query, trace or credentials.

    Of an error that quotes a query, or is none of ours, it is no more than the kind.
    """
    leaks = not isinstance(error, InputError) and QUERY_WORDS.search(str(error))
    is_foreign = leaks or not isinstance(error, WenmaiError)
    return one_line(say("tool.failed", name=name, error=type(error).__name__) if is_foreign else str(error))


def one_line(message: str) -> str:
    """Return the first line of a message, without credentials."""
    return shorten(CREDENTIALS.sub("", message.strip().partition("\n")[0]), ERROR_CHARACTERS)


def failed(name: str, message: str) -> Outcome:
    """Return an error result: one line, without credentials."""
    error = one_line(message)
    return Outcome(ok=False, content=dump({"error": error, "tool": shown(name)}), error=error)


def not_run(name: str, reason: str) -> Outcome:
    """Return the answer to a call that is not executed: after a stop, or beyond a cap."""
    return replace(failed(name, reason), executed=False)


def as_json_object(text: str, budget: int) -> str:
    """Return a JSON object as it is and other text as `{"result": text}`, within the budget."""
    value = None
    if text.startswith("{"):
        with suppress(ValueError, RecursionError):
            value = json.loads(text)
    if isinstance(value, dict):
        return text if cost(text) <= budget else fit_json(value, budget)
    kept = within(text, budget)
    if kept != text:
        logger.info("Cut a text result of %d characters to %d", len(text), budget)
    return dump({"result": kept})
