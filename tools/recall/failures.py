"""Failures of memory tools, as results for the model."""

from dataclasses import dataclass

from pydantic import BaseModel

from tools.errors import WenmaiError
from tools.messages import say
from tools.recall.context import MemoryContext
from tools.recall.outputs import (
    DetailOutput,
    ExpandOutput,
    HandoffOutput,
    KeywordsOutput,
    Output,
    SearchOutput,
)
from tools.recall.wording import FAILURES, REMEDIES, ErrorCode


class Refused(WenmaiError):
    """A tool refuses a call; `code` is the reason for the model."""

    def __init__(self, code: ErrorCode, message: str) -> None:
        super().__init__(message)
        self.code: ErrorCode = code


@dataclass(frozen=True, slots=True)
class Failure:
    """A failure of a tool: `error` is one line without secrets."""

    code: ErrorCode
    error: str

    def message(self, name: str) -> str:
        """Return the error with its remedy, for this tool."""
        text = say(FAILURES[name].key, error=self.error)
        remedy = REMEDIES.get(self.code)
        return say("recall.with_remedy", error=text, remedy=str(remedy)) if remedy else text


def failed_output(name: str, failure: Failure, call: MemoryContext) -> Output:
    """Return the output of a tool that failed: its own form, with success=false, message and code."""
    message, code = failure.message(name), failure.code
    if name == "search_memories":
        return SearchOutput(success=False, message=message, error_code=code)
    if name == "get_memory_detail":
        return DetailOutput(success=False, message=message, error_code=code)
    if name == "extract_search_keywords":
        return KeywordsOutput(success=False, message=message, error_code=code)
    if name == "expand_context_window":
        at = call.iteration
        return ExpandOutput(
            approved=False,
            new_size=at.window,
            iteration=at.number,
            max_iterations=at.most,
            message=message,
            error_code=code,
        )
    return HandoffOutput(success=False, task_completed=False, message=message, error_code=code)


def succeeded(output: BaseModel) -> bool:
    """Return True unless an output is a failure; a refused expansion is an ordinary result."""
    return getattr(output, "success", getattr(output, "error_code", None) is None) is True
