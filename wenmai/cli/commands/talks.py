"""`wenmai talks`: one's conversations, and each of them as Markdown."""

from typing import TYPE_CHECKING, Annotated

import typer

from tools.messages import Message
from wenmai.cli.options import ChapterOption, PartOption, UserOption, guard_of
from wenmai.cli.output.terminal import print_json, print_line, print_table
from wenmai.cli.placing import run

if TYPE_CHECKING:
    from wenmai.application.conversations import ThreadView


def talks(
    thread: Annotated[str | None, typer.Argument(help="help.talks.thread")] = None,
    number: Annotated[int | None, typer.Option(min=1, help="help.talks.number")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="help.talks.as_json")] = False,
    as_of_chapter: ChapterOption = None,
    as_of_part: PartOption = None,
    user: UserOption = "",
) -> None:
    """List the user's conversations, or show one as Markdown; under a guard without answers that saw more."""
    from wenmai.application.paging import EVERY
    from wenmai.application.transcripts import markdown_of

    guard = guard_of(as_of_chapter, as_of_part)
    if thread is None:
        known = run(lambda app: app.conversations.list(limit=EVERY), user).items
        if as_json:
            print_json([one.model_dump() for one in known])
        else:
            print_table(Message("cli.talks.columns"), map(row_of, known))
        return
    whole = run(lambda app: app.conversations.export(thread, guard=guard, number=number), user)
    if as_json:
        print_json(whole.model_dump())
    else:
        print_line(markdown_of(whole).rstrip("\n"))


def row_of(thread: "ThreadView") -> tuple[str, ...]:
    return thread.title, thread.library or "", f"{thread.updated_at.astimezone():%Y-%m-%d %H:%M}", thread.id
