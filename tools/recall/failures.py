"""What went wrong in a memory tool, as the result that the model gets (memory.md §9)."""

from dataclasses import dataclass

from pydantic import BaseModel

from tools.errors import WenmaiError
from tools.recall.context import MemoryContext
from tools.recall.outputs import (
    DetailOutput,
    ExpandOutput,
    HandoffOutput,
    KeywordsOutput,
    Output,
    SearchOutput,
)
from tools.recall.wording import FAILURES, REMEDIES, WITH_REMEDY, ErrorCode


class Refused(WenmaiError):
    """A tool does not do what it was asked for; `code` tells the model why."""

    def __init__(self, code: ErrorCode, message: str) -> None:
        super().__init__(message)
        self.code: ErrorCode = code


@dataclass(frozen=True, slots=True)
class Failure:
    """A failure of a tool: `error` is one line without secrets."""

    code: ErrorCode
    error: str

    def message(self, name: str) -> str:
        """Return the error and what to do about it, for this tool."""
        text = FAILURES[name].say(error=self.error)
        remedy = REMEDIES.get(self.code)
        return WITH_REMEDY.say(error=text, remedy=remedy.say()) if remedy else text


def failed_output(name: str, failure: Failure, call: MemoryContext) -> Output:
    """Return the output of a tool that failed: its own shape, with success=false, message and code (S002-26)."""
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
    """Tell whether an output is none of a failure; a refused expansion is an ordinary result (S002-17)."""
    return getattr(output, "success", getattr(output, "error_code", None) is None) is True
