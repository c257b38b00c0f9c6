"""Options that several commands share: one for each field of `Context`."""

from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import wraps
from inspect import Parameter, Signature, signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from tools.errors import InputError
from tools.messages import say
from wenmai.cli.placing import named_user, open_operations

if TYPE_CHECKING:
    from contextlib import AbstractAsyncContextManager

    from state.account import AccountType
    from wenmai.application.paging import Guard
    from wenmai.cli.placing import Operations

NO_FIELDS = ("thread", "user", "permissions", "account", "account_type")  # of the run: they say who asks, and where
STORIES = ("narrative", "story")  # tool sets that need a library
ALONE = ("documents", "memory")  # tool sets that need nothing beside them

UserOption = Annotated[str, typer.Option("--user", callback=named_user, show_default=False, help="help.option.user")]
PermissionsOption = Annotated[str | None, typer.Option(help="help.option.permissions")]
ChapterOption = Annotated[int | None, typer.Option(help="help.option.chapter")]
PartOption = Annotated[int | None, typer.Option(help="help.option.part")]
YesOption = Annotated[bool, typer.Option("--yes", "-y", help="help.option.yes")]
AliasesOption = Annotated[Path | None, typer.Option(exists=True, dir_okay=False, help="help.option.aliases")]


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOptions:
    library: Annotated[str | None, typer.Option("--library", "-l", help="help.option.library")] = None
    kn_ids: Annotated[str | None, typer.Option("--network", "-n", help="help.option.networks")] = None
    folders: Annotated[list[str] | None, typer.Option("--folder", help="help.option.folders")] = None
    account: Annotated[str | None, typer.Option(help="help.option.account")] = None
    account_type: Annotated[str | None, typer.Option(help="help.option.account_type")] = None
    thread: Annotated[str | None, typer.Option("--thread", "--session", "-t", help="help.option.thread")] = None
    user: UserOption = ""
    permissions: PermissionsOption = None
    remember: Annotated[bool | None, typer.Option("--remember", help="help.option.remember")] = None
    time_zone: Annotated[str | None, typer.Option(help="help.option.time_zone")] = None
    as_of_chapter: ChapterOption = None
    as_of_part: PartOption = None
    toolkits: Annotated[str | None, typer.Option(help="help.option.toolkits")] = None
    mode: Annotated[str | None, typer.Option(help="help.option.mode")] = None
    language: Annotated[str | None, typer.Option(help="help.option.language")] = None
    max_attempts: Annotated[int | None, typer.Option(help="help.option.attempts")] = None
    search_limits: Annotated[str | None, typer.Option(help="help.option.limits")] = None
    opening_search: Annotated[
        bool | None, typer.Option("--opening-search/--no-opening-search", help="help.option.opening")
    ] = None
    max_turns: Annotated[int | None, typer.Option(help="help.option.turns")] = None
    max_tool_calls: Annotated[int | None, typer.Option(help="help.option.calls")] = None
    max_tokens: Annotated[int | None, typer.Option(help="help.option.tokens")] = None
    deadline_s: Annotated[float | None, typer.Option(help="help.option.deadline")] = None
    grade: Annotated[str | None, typer.Option(help="help.option.grade")] = None
    stream_drafts: Annotated[
        bool | None, typer.Option("--stream-drafts/--no-stream-drafts", help="help.option.drafts")
    ] = None

    keep_trace: Annotated[bool | None, typer.Option("--keep-trace/--no-keep-trace", help="help.option.keep_trace")] = (
        None
    )

    def context(self) -> dict[str, Any]:
        """Return the fields of the run that were given; the operation checks them. Raises InputError."""
        check_guard(self.as_of_chapter, self.as_of_part)
        limits, values = words(self.search_limits), {**asdict(self), "kn_ids": words(self.kn_ids)}
        values["folders"] = self.folders or None
        values["toolkits"] = self.wanted_toolkits()
        # What is no number stays as it is, for the operation to name it.
        values["search_limits"] = limits and [int(one) if one.isascii() and one.isdigit() else one for one in limits]
        return {name: value for name, value in values.items() if value is not None and name not in NO_FIELDS}

    def wanted_toolkits(self) -> list[str] | None:
        """Return the tool sets that were named, else what the sources call for. Raises InputError."""
        named = words(self.toolkits)
        alone = any(one in ALONE for one in named or ()) and not any(one in STORIES for one in named or ())
        if self.library is None and self.kn_ids is None and not alone:
            raise InputError(say("cli.option.source_needed"))
        if named is not None or self.kn_ids is None:
            return named
        return ["knowledge"] if self.library is None else ["narrative", "knowledge"]

    def operations(self) -> "AbstractAsyncContextManager[Operations]":
        from tools.networks.records import Account

        permissions, account = words(self.permissions) or [], None
        if self.account or self.account_type:
            account = Account(self.account or self.user, cast("AccountType", self.account_type or "user"))
        return open_operations(self.user, permissions, permissions, account)


def with_run_options(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options of RunOptions beside its own; it gets them as one argument, `run`."""
    own = [parameter for parameter in signature(command).parameters.values() if parameter.name != "run"]
    shared = [parameter.replace(kind=Parameter.KEYWORD_ONLY) for parameter in signature(RunOptions).parameters.values()]

    @wraps(command)
    def called(**given: Any) -> None:
        run = RunOptions(**{parameter.name: given.pop(parameter.name) for parameter in shared})
        command(run=run, **given)

    both = [parameter.replace(kind=Parameter.KEYWORD_ONLY) for parameter in own] + shared
    called.__signature__ = Signature(both)  # type: ignore[attr-defined]  # what typer reads
    called.__annotations__ = {parameter.name: parameter.annotation for parameter in both}
    return called


def check_guard(chapter: int | None, part: int | None) -> None:
    if part is not None and chapter is None:
        raise InputError(say("cli.option.part_without_chapter"))
    if (chapter or 0) < 0 or (part is not None and part < 1):
        raise InputError(say("cli.option.guard_too_small"))


def guard_of(chapter: int | None, part: int | None) -> "Guard | None":
    from wenmai.application.paging import Guard

    check_guard(chapter, part)
    return None if chapter is None else Guard(as_of_chapter=chapter, as_of_part=part)


def words(text: str | None) -> list[str] | None:
    return None if text is None else [word.strip() for word in text.replace("，", ",").split(",") if word.strip()]
