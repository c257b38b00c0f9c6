"""`wenmai ask`: one question, one answer."""

import asyncio
import json
import sys
from typing import Annotated, Any

import typer

from wenmai.cli.options import RunOptions, with_run_options, words


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

    context = run.context()
    text = sys.stdin.read() if question == "-" else question
    context = with_language(context, text)
    record = asyncio.run(answered(text, run.thread, session_context(entities, topic), context))
    if as_json:
        typer.echo(json.dumps(record, ensure_ascii=False))
    else:
        show(record)
    if failed(record):
        raise typer.Exit(1)


def session_context(entities: str | None, topic: str | None) -> dict[str, Any] | None:
    """Return what the options say of the conversation, None without any."""
    if entities is None and topic is None:
        return None
    return {"entities": words(entities) or [], "topic": topic}


async def answered(
    question: str, thread: str | None, session: dict[str, Any] | None, context: dict[str, Any]
) -> dict[str, Any]:
    """Ask and return the result record."""
    from wenmai.agent import open_agent
    from wenmai.app.running_server import running_server
    from wenmai.cli.output.terminal import open_log
    from wenmai.errors import StoreLocked

    async with open_agent() as agent:
        settings = agent.services.settings
        open_log(settings)
        try:
            return (await agent.ask(question, thread_id=thread, session_context=session, **context)).record
        except StoreLocked:
            if (url := running_server(settings.data_dir)) is None:
                raise
    from wenmai.cli.remote import asked_there

    return await asked_there(url, question, thread, session, context)


def failed(record: dict[str, Any]) -> bool:
    """Return True if the answer is only an apology; that nothing was found is an answer."""
    return bool(record["status"] == "failed")


def show(record: dict[str, Any]) -> None:
    """Print the answer for a person."""
    from wenmai.cli.output.answers import answer_lines, closing_lines, offline_line
    from wenmai.cli.output.terminal import out, say

    screen = out()
    for line in (*answer_lines(record), *offline_line(record), *closing_lines(record)):
        say(screen, line)
