"""`wenmai ask`: one question, one answer. `wenmai chat`: a conversation, or one question a line from a pipe."""

import asyncio
import sys
import uuid
from collections.abc import Iterator
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tools.errors import InputError
from tools.messages import say
from wenmai.cli.options import RunOptions, with_run_options, words
from wenmai.cli.output.terminal import (
    TerminalLine,
    is_watched,
    open_log,
    out,
    print_json,
    print_lines,
    print_on,
    visible,
)

if TYPE_CHECKING:
    from rich.console import Console

    from state.events import ToolStartEvent
    from wenmai.answer import TurnEvent
    from wenmai.application.conversations import ConversationOperations
    from wenmai.cli.output.live import Foot

PROMPT = "› "


@with_run_options
def ask(
    question: Annotated[str, typer.Argument(help="help.ask.question")],
    run: RunOptions,
    as_json: Annotated[bool, typer.Option("--json", help="help.ask.as_json")] = False,
    entities: Annotated[str | None, typer.Option(help="help.ask.entities")] = None,
    topic: Annotated[str | None, typer.Option(help="help.ask.topic")] = None,
) -> None:
    """Ask a library one question: answer, citations, verdict, trace."""
    from wenmai.cli.output.answers import answer_lines, closing_lines, offline_line
    from wenmai.cli.output.speech import with_language

    fields = run.context()
    text = sys.stdin.read() if question == "-" else question
    is_open = entities is None and topic is None
    session = None if is_open else {"entities": words(entities) or [], "topic": topic}
    record = asyncio.run(ask_question(text, run, session, with_language(fields, text), watched=not as_json))
    if as_json:
        print_json(record)
    else:
        print_lines((*answer_lines(record), *offline_line(record), *closing_lines(record)))
    if is_apology(record):
        raise typer.Exit(1)


def is_apology(record: dict[str, Any]) -> bool:
    """Return True if the answer is only an apology; that nothing was found is an answer."""
    return bool(record["status"] == "failed")


async def ask_question(
    question: str, run: RunOptions, session: dict[str, Any] | None, fields: dict[str, Any], *, watched: bool
) -> dict[str, Any]:
    """Return the result record; who watches a terminal sees the steps of the turn, and its draft at the foot."""
    screen, record, started = out(), dict[str, Any](), dict[int, "ToolStartEvent"]()
    open_log()
    async with run.operations() as app:
        talk, asked = app.conversations, {"thread_id": run.thread, "session_context": session, **fields}
        if not (watched and is_watched(screen)):
            return (await talk.ask(question, **asked)).record
        from tools.messages import speaking
        from wenmai.cli.output.answers import step
        from wenmai.cli.output.live import open_foot
        from wenmai.cli.output.speech import label_language

        with speaking(label_language(fields, question)), open_foot(screen) as foot:
            async for event in talk.stream(question, **asked):
                if foot:
                    foot.take(event)
                if event.kind == "answer":
                    record = event.data
                elif text := step(event, started):
                    print_on(screen, TerminalLine(text, "dim"))
    return record


@with_run_options
def chat(run: RunOptions) -> None:
    """Talk with a library: follow-up questions, steps, citations. /quit ends it."""
    fields = run.context()
    interactive = sys.stdin.isatty()
    # One loop for the whole conversation, run a question at a time: between two of them Ctrl-C ends the prompt.
    with asyncio.Runner() as runner:
        stack = AsyncExitStack()
        try:
            conversation = runner.run(begin_conversation(stack, run, fields))
            for question in questions(interactive):
                if question in ("/quit", "/exit"):
                    return
                if question == "/new":
                    conversation.thread = str(uuid.uuid4())
                    conversation.note(say("cli.chat.new_session", thread=conversation.thread))
                    continue
                if question.startswith("/"):
                    conversation.note(say("cli.chat.help"))
                    continue
                if not interactive:
                    conversation.note(PROMPT + question)
                try:
                    runner.run(conversation.turn(question))
                except KeyboardInterrupt:
                    if not interactive:
                        raise
                    conversation.note(say("cli.question_cancelled"))
        finally:
            runner.run(stack.aclose())


async def begin_conversation(stack: AsyncExitStack, run: RunOptions, fields: dict[str, Any]) -> "TerminalTalk":
    """Open library and conversations, and greet; an unknown library ends the command here."""
    open_log()
    talk = (await stack.enter_async_context(run.operations())).conversations
    sources = await talk.sources(**fields)
    conversation = TerminalTalk(talk, fields, run.thread or str(uuid.uuid4()), out())
    conversation.note(say("cli.chat.greeting", sources="，".join(sources), help=say("cli.chat.help")))
    conversation.note(say("cli.chat.session", thread=conversation.thread))
    return conversation


def questions(interactive: bool) -> Iterator[str]:
    if interactive:
        import readline  # noqa: F401 - gives input() its line editing and history
    while True:
        try:
            line = input(PROMPT) if interactive else next(sys.stdin)
        except (EOFError, StopIteration):
            return
        if line.strip():
            yield line.strip()


@dataclass(slots=True)
class TerminalTalk:
    talk: "ConversationOperations"
    fields: dict[str, Any]
    thread: str
    screen: "Console"
    told_offline: bool = False
    warned: str | None = None
    started: "dict[int, ToolStartEvent]" = field(default_factory=dict)
    foot: "Foot | None" = None
    open_kind: str | None = None

    def note(self, text: str) -> None:
        print_on(self.screen, TerminalLine(text, "dim"))

    async def turn(self, question: str) -> None:
        """Ask and print steps and answer; what is wrong with the question is said, and the talk goes on."""
        from tools.messages import speaking
        from wenmai.cli.output.live import open_foot
        from wenmai.cli.output.speech import label_language, with_language

        fields = with_language({"stream_drafts": is_watched(self.screen), **self.fields}, question)
        try:
            with open_foot(self.screen) as self.foot, speaking(label_language(fields, question)):
                async for event in self.talk.stream(question, thread_id=self.thread, **fields):
                    self.show(event)
        except InputError as error:
            self.note(str(error))

    def show(self, event: "TurnEvent") -> None:
        """Print a step or the answer; a draft stands at the foot of a terminal until the answer comes.

        A warning, and that there is no model, are said once in a conversation.
        """
        from wenmai.cli.output.answers import lines_behind_text, offline_line, step

        if self.foot:
            self.foot.take(event)
        if event.kind == "text" or (event.kind == "draft" and not self.foot):
            self.write(event.data["text"], "bold" if event.kind == "text" else "dim", event.kind)
            return
        if event.kind in ("thought", "draft"):
            return
        self.end_line()
        if event.kind != "answer":
            if text := step(event, self.started):
                self.note(text)
            return
        record, warning = event.data, event.data["warning"]
        lines = [*lines_behind_text(record | {"warning": None if warning == self.warned else warning})]
        self.warned = warning
        if not self.told_offline:
            remark = [*offline_line(record)]
            self.told_offline = bool(remark)
            lines += remark
        for line in lines:
            print_on(self.screen, line)

    def write(self, text: str, style: str, kind: str) -> None:
        """Print a piece of text as it comes; what is of another kind begins a new line."""
        if self.open_kind not in (None, kind):
            self.end_line()
        self.open_kind = kind
        self.screen.print(visible(text), style=style, end="", markup=False, highlight=False, soft_wrap=True)

    def end_line(self) -> None:
        if self.open_kind is not None:
            self.screen.print()
            self.open_kind = None
