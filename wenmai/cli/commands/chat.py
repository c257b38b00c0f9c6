"""`wenmai chat`: a conversation in the terminal, or one question a line from a pipe."""

import asyncio
import sys
import uuid
from collections.abc import Callable, Coroutine, Iterator
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

from tools.errors import InputError
from tools.wording import Words
from wenmai.cli.options import RunOptions, with_run_options
from wenmai.cli.output.terminal import Line, open_log, out, say, visible

if TYPE_CHECKING:
    from rich.console import Console

    from wenmai.answer import TurnEvent
    from wenmai.application.conversations import ConversationOperations
    from wenmai.cli.output.live import Foot

T = TypeVar("T")
PROMPT = "› "
HELP = Words(
    "/new 开始新会话，/quit 结束（也可以按 Ctrl-D）；Ctrl-C 取消正在回答的问题",
    "/new begins a new session, /quit ends it (as Ctrl-D does); Ctrl-C cancels the question being answered",
)
GREETING = Words("{sources}。{help}", "{sources}. {help}")
GOES_ON = Words("会话：{thread}（用 --thread 接着问）", "Session: {thread} (go on with --thread)")
NEW = Words("新会话：{thread}", "New session: {thread}")
CANCELLED = Words("已取消", "Cancelled")


@with_run_options
def chat(run: RunOptions) -> None:
    """Talk with a library: follow-up questions, steps, citations. /quit ends it."""
    fields = run.context()
    # One loop for the whole conversation, run a question at a time: between two of them Ctrl-C ends the prompt.
    with asyncio.Runner() as runner:
        stack = AsyncExitStack()
        try:
            talk(runner.run(opened(stack, run, fields)), runner.run)
        finally:
            runner.run(stack.aclose())


async def opened(stack: AsyncExitStack, run: RunOptions, fields: dict[str, Any]) -> "Conversation":
    """Open library and conversations, and greet; an unknown library ends the command here."""
    from wenmai.settings.settings import load_settings

    open_log(load_settings())
    talk = (await stack.enter_async_context(run.opened())).conversations
    sources = await talk.sources(**fields)
    conversation = Conversation(talk, fields, run.thread or str(uuid.uuid4()), out())
    conversation.note(GREETING.say(sources="，".join(sources), help=HELP.say()))
    conversation.note(GOES_ON.say(thread=conversation.thread))
    return conversation


def talk(conversation: "Conversation", run: Callable[[Coroutine[Any, Any, None]], None]) -> None:
    """Answer question after question until the input ends."""
    interactive = sys.stdin.isatty()
    for question in questions(interactive):
        if question in ("/quit", "/exit"):
            return
        if question.startswith("/"):
            conversation.command(question)
            continue
        if not interactive:
            conversation.note(PROMPT + question)
        try:
            run(conversation.turn(question))
        except KeyboardInterrupt:
            if not interactive:
                raise
            conversation.note(CANCELLED.say())


def questions(interactive: bool) -> Iterator[str]:
    """Give the lines that were typed or piped in, without blank ones."""
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
class Conversation:
    """The settings of its runs, and the thread that is going on."""

    talk: "ConversationOperations"
    fields: dict[str, Any]
    thread: str
    screen: "Console"
    told_offline: bool = False
    warned: str | None = None
    started: dict[int, dict[str, Any]] = field(default_factory=dict)
    foot: "Foot | None" = None
    open_kind: str | None = None

    def note(self, text: str) -> None:
        """Print a remark."""
        say(self.screen, Line(text, "dim"))

    def command(self, text: str) -> None:
        """Obey a line that begins with a slash."""
        if text == "/new":
            self.thread = str(uuid.uuid4())
            self.note(NEW.say(thread=self.thread))
        else:
            self.note(HELP.say())

    async def turn(self, question: str) -> None:
        """Ask and print steps and answer; what is wrong with the question is said, and the talk goes on."""
        from tools.wording import speaking
        from wenmai.cli.output.live import is_watched, open_foot
        from wenmai.cli.output.speech import spoken, with_language

        fields = with_language({"stream_drafts": is_watched(self.screen), **self.fields}, question)
        try:
            with open_foot(self.screen) as self.foot, speaking(spoken(fields, question)):
                async for event in self.talk.stream(question, thread_id=self.thread, **fields):
                    self.show(event)
        except InputError as error:
            self.note(str(error))

    def show(self, event: "TurnEvent") -> None:
        """Print a step or the answer; a draft stands at the foot of a terminal until the answer comes."""
        from wenmai.cli.output.answers import step

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
        for line in self.closing(event.data):
            say(self.screen, line)

    def closing(self, record: dict[str, Any]) -> Iterator["Line"]:
        """Give the lines behind an answer; a warning, and that there is no model, are said once."""
        from wenmai.cli.output.answers import lines_behind_text, offline_line

        warning = record["warning"]
        yield from lines_behind_text(record | {"warning": None if warning == self.warned else warning})
        self.warned = warning
        if not self.told_offline:
            remark = list(offline_line(record))
            self.told_offline = bool(remark)
            yield from remark

    def write(self, text: str, style: str, kind: str) -> None:
        """Print a piece of text as it comes; what is of another kind begins a new line."""
        if self.open_kind not in (None, kind):
            self.end_line()
        self.open_kind = kind
        self.screen.print(visible(text), style=style, end="", markup=False, highlight=False, soft_wrap=True)

    def end_line(self) -> None:
        """End the line that pieces of text stand on."""
        if self.open_kind is not None:
            self.screen.print()
            self.open_kind = None
