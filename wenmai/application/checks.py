"""What a direct call may hold, whatever carries it: only arguments that are declared, and a guard that guards."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from state.context import Context
from tools.wording import Names, Words
from wenmai.application.caller import Caller, allows
from wenmai.application.guard import check_guard
from wenmai.application.models.tools import ToolView
from wenmai.inputs import FieldError, context_from, nearest

if TYPE_CHECKING:
    from wenmai.app.engines import Catalog

NO_ARGUMENT = Words("没有这个参数，可用的有 {known}", "there is no such argument, but {known}")
MEANT = Words("没有这个参数：请写成 {meant}", "there is no such argument: write {meant}")
WHICH = Words("请给出资料库，可用的有 {known}", "name a library: there are {known}")
NONE = Words("还没有可以提问的资料库：请先导入一个", "there is no library to ask yet: take a text in first")
QUESTION = "question"
SENT_AS = {"messages": QUESTION, "input.messages": QUESTION}  # by the name inside of a run
INNER = "context."


def check_arguments(declaration: ToolView, arguments: Mapping[str, Any]) -> None:
    """Refuse what a tool does not declare: a misspelled guard must not be dropped. Raises FieldError."""
    known = declaration.arguments["properties"]
    for name in arguments:
        if name not in known:
            meant = nearest(name, known)
            raise FieldError(name[:80], MEANT.of(meant=meant) if meant else NO_ARGUMENT.of(known=Names(known)))
    check_guard(arguments)


async def with_library(
    fields: Mapping[str, Any], catalog: "Catalog", caller: Caller
) -> tuple[Mapping[str, Any], Context]:
    """Return the fields of a run, and the run; one that reads a library and names none reads the caller's only one.

    Raises FieldError for a wrong field, and where there is not exactly one library.
    """
    from nodes.modes import reads_stories

    run = context_from(fields)
    if "library" in fields or not reads_stories(run):
        return fields, run
    known = [info.name for info in await catalog.libraries() if allows(caller.libraries, info.name)]
    if len(known) != 1:
        raise FieldError("library", WHICH.of(known=Names(known)) if known else NONE)
    return {**fields, "library": known[0]}, replace(run, library=known[0])


@contextmanager
def fields_as_sent() -> Iterator[None]:
    """Name wrong fields as a caller has written them, not as they are called inside of a run."""
    try:
        yield
    except FieldError as error:
        name = SENT_AS.get(error.field, error.field.removeprefix(INNER))
        if name == error.field:
            raise
        raise FieldError(name, error.args[0], error.status) from error
