"""What moves on a terminal: the foot while a question runs, and how far an ingest or a count is."""

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING

from rich.console import Console, ConsoleOptions, Group, RenderResult
from rich.live import Live
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.segment import Segment
from rich.text import Text

from tools.messages import Message, say
from wenmai.cli.output.terminal import TerminalLine, dollars, err, is_watched, print_on, visible

if TYPE_CHECKING:
    from wenmai.answer import TurnEvent
    from wenmai.ingestion.contracts import Progress as Sink
    from wenmai.ingestion.contracts import Step

DOING: Mapping[str, Message] = MappingProxyType(
    {
        "resolve_pronouns": Message("cli.live.resolving"),
        "plan": Message("cli.live.planning"),
        "tool_call": Message("cli.live.searching"),
        "grade": Message("cli.live.grading"),
        "refine": Message("cli.live.refining"),
        "answer": Message("cli.live.citing"),
        "remember": Message("cli.live.remembering"),
    }
)
THOUGHT_LINES = 3
SPARE_LINES = 4
"""Lines of a terminal that a draft leaves free."""
LINE_SECONDS = 10.0
RATES = {
    "calls": Message("cli.progress.calls"),
    "characters": Message("cli.progress.characters"),
    "passages": Message("cli.progress.passages"),
}


@contextmanager
def open_foot(screen: Console) -> Iterator["Foot | None"]:
    """Give the foot of a terminal, None where nobody watches; nothing of it stays behind."""
    if not is_watched(screen):
        yield None
        return
    foot = Foot(Live(console=screen, transient=True, refresh_per_second=12))
    try:
        yield foot
    finally:
        foot.live.stop()


@dataclass(slots=True)
class Foot:
    live: Live
    doing: str = ""
    thoughts: str = ""
    draft: str = ""
    is_over: bool = False

    def take(self, event: "TurnEvent") -> None:
        if self.is_over or event.kind in ("text", "answer"):
            self.is_over = True
            self.live.stop()
            return
        if event.kind == "step":
            self.doing = str(DOING[event.data["node"]])
            self.thoughts = ""
        elif event.kind == "reading":
            self.doing = say("cli.live.reading")
        elif event.kind == "thought":
            self.thoughts += event.data["text"]
        elif event.kind == "draft":
            self.draft += event.data["text"]
            self.doing = say("cli.live.writing")
        elif event.kind == "reset":
            self.draft = ""
        self.live.update(self.layout())
        self.live.start()

    def layout(self) -> Group:
        thoughts, draft = Text(visible(self.thoughts.strip()), "dim italic"), Text(visible(self.draft))
        height = self.live.console.height - SPARE_LINES - THOUGHT_LINES
        doing = Text(f"… {self.doing}", "dim")
        return Group(Tail(thoughts, THOUGHT_LINES), Tail(draft, max(1, height)), doing)


@dataclass(frozen=True, slots=True)
class Tail:
    text: Text
    lines: int

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        if not self.text.plain:
            return
        for line in console.render_lines(self.text, options, pad=False)[-self.lines :]:
            yield from line
            yield Segment.line()


@contextmanager
def ingest_progress(*, names_chapters: bool = True) -> Iterator["Sink"]:
    """Give what an ingest tells its steps to; a reader who may not know the chapters sees none named."""
    console = err()
    if not console.is_terminal:
        lines = Lines(console)
        yield lines if names_chapters else lambda step: lines(replace(step, chapter=""))
        return
    columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.fields[rate]}"))
    with Progress(*columns, console=console, transient=True) as progress:

        def draw(step: "Step") -> None:
            task = progress.task_ids[0] if progress.task_ids else progress.add_task("", total=step.total, rate="")
            name = label(step) if names_chapters else ""
            progress.update(task, total=step.total, completed=step.done, description=name, rate=rate(step))

        yield draw


@contextmanager
def count_progress(title: str) -> Iterator[Callable[[int, int], None]]:
    """Return a progress callback `(done, total)` of a plain count."""
    console = err()
    if not console.is_terminal:
        yield lambda done, total: print_on(console, TerminalLine(f"{title} {done}/{total}")) if done == total else None
        return
    columns = (TextColumn(title), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True) as progress:
        task = progress.add_task("", total=None)
        yield lambda done, total: progress.update(task, completed=done, total=total)


@dataclass(slots=True)
class Lines:
    """Writes a line every ten seconds, and the last one; a search for names shorter than that writes none."""

    console: Console
    printed_at: float = 0.0

    def __call__(self, step: "Step") -> None:
        now = time.monotonic()
        if step.unit == "characters" and step.seconds < LINE_SECONDS:
            return
        if step.done == step.total or now - self.printed_at >= LINE_SECONDS:
            self.printed_at = now
            print_on(self.console, TerminalLine(f"{label(step)} {rate(step)}"))


def label(step: "Step") -> str:
    return say("ingest.finding_names") if step.unit == "characters" else step.chapter


def rate(step: "Step") -> str:
    """Return how much is done, how fast, how long it will take, and what calls have cost."""
    seconds = None if step.remaining is None else int(step.remaining)
    left = "" if seconds is None else say("cli.progress.time_left", time=f"{seconds // 60}:{seconds % 60:02d}")
    cost = {"tokens": step.tokens, "cost": dollars(step.cost_usd)} if step.unit == "calls" else {}
    return say(RATES[step.unit].key, done=step.done, total=step.total, rate=step.rate, **cost) + left
