"""`wenmai ask`: one question, one answer."""

import asyncio
import sys
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Annotated, Any

import typer

from wenmai.cli.options import RunOptions, with_run_options, words
from wenmai.cli.output.terminal import Line, open_log, out, print_json, print_lines, say

if TYPE_CHECKING:
    from rich.console import Console

    from wenmai.answer import TurnEvent


@with_run_options
def ask(
    question: Annotated[str, typer.Argument(help="The question; - reads it from standard input.")],
    run: RunOptions,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result record as one JSON object.")] = False,
    entities: Annotated[str | None, typer.Option(help="What was talked about, by comma, the newest last.")] = None,
    topic: Annotated[str | None, typer.Option(help="Topic of the conversation.")] = None,
) -> None:
    """Ask a library one question: answer, citations, verdict, trace."""
    from wenmai.cli.output.speech import with_language

    fields = run.context()
    text = sys.stdin.read() if question == "-" else question
    is_open = entities is None and topic is None
    session = None if is_open else {"entities": words(entities) or [], "topic": topic}
    record = asyncio.run(ask_question(text, run, session, with_language(fields, text), watched=not as_json))
    if as_json:
        print_json(record)
    else:
        show(record)
    if failed(record):
        raise typer.Exit(1)


async def ask_question(
    question: str, run: RunOptions, session: dict[str, Any] | None, fields: dict[str, Any], *, watched: bool
) -> dict[str, Any]:
    """Ask and return the result record; who watches a terminal sees how it comes about."""
    from tools.wording import speaking
    from wenmai.cli.output.live import is_watched
    from wenmai.cli.output.speech import spoken
    from wenmai.settings.settings import load_settings

    screen = out()
    open_log(load_settings())
    async with run.opened() as app:
        talk, asked = app.conversations, {"thread_id": run.thread, "session_context": session, **fields}
        if not (watched and is_watched(screen)):
            return (await talk.ask(question, **asked)).record
        with speaking(spoken(fields, question)):
            return await watch_turn(talk.stream(question, **asked), screen)


async def watch_turn(events: "AsyncIterator[TurnEvent]", screen: "Console") -> dict[str, Any]:
    """Show a turn at the foot of a terminal, and above it why a draft was withdrawn; return the record."""
    from wenmai.cli.output.answers import step
    from wenmai.cli.output.live import open_foot

    record: dict[str, Any] = {}
    with open_foot(screen) as foot:
        async for event in events:
            if foot:
                foot.take(event)
            if event.kind == "reset" and (text := step(event, {})):
                say(screen, Line(text, "dim"))
            if event.kind == "answer":
                record = event.data
    return record


def failed(record: dict[str, Any]) -> bool:
    """Return True if the answer is only an apology; that nothing was found is an answer."""
    return bool(record["status"] == "failed")


def show(record: dict[str, Any]) -> None:
    from wenmai.cli.output.answers import answer_lines, closing_lines, offline_line

    print_lines((*answer_lines(record), *offline_line(record), *closing_lines(record)))
