"""How far an ingest is: a bar on a terminal, a line now and then elsewhere."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from tools.wording import Words
from wenmai.cli.output.terminal import Line, dollars, err, say

if TYPE_CHECKING:
    from wenmai.ingestion.contracts import Progress as Sink
    from wenmai.ingestion.contracts import Step

LINE_SECONDS = 10.0
LEFT = Words("，剩余 {time}", ", {time} left")
RATES = {
    "calls": Words("{done}/{total} 次调用，{tokens} token，{cost}", "{done}/{total} calls, {tokens} tokens, {cost}"),
    "characters": Words("{done}/{total} 字", "{done}/{total} characters"),
    "passages": Words("{done}/{total} 段，{rate:.1f} 段/秒", "{done}/{total} passages, {rate:.1f} a second"),
}


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
            name = step.chapter if names_chapters else ""
            progress.update(task, total=step.total, completed=step.done, description=name, rate=rate(step))

        yield draw


@contextmanager
def count_progress(title: str) -> Iterator[Callable[[int, int], None]]:
    """Return a progress callback `(done, total)` of a plain count."""
    console = err()
    if not console.is_terminal:
        yield lambda done, total: say(console, Line(f"{title} {done}/{total}")) if done == total else None
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
            say(self.console, Line(f"{step.chapter} {rate(step)}"))


def rate(step: "Step") -> str:
    """Return how much is done, how fast, how long it will take, and what calls have cost."""
    seconds = None if step.remaining is None else int(step.remaining)
    left = "" if seconds is None else LEFT.say(time=f"{seconds // 60}:{seconds % 60:02d}")
    cost = {"tokens": step.tokens, "cost": dollars(step.cost_usd)} if step.unit == "calls" else {}
    return RATES[step.unit].say(done=step.done, total=step.total, rate=step.rate, **cost) + left
