"""The foot of a terminal while a question runs: the step, the model's thoughts, and its draft as it is written."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING

from rich.console import Console, ConsoleOptions, Group, RenderResult
from rich.live import Live
from rich.segment import Segment
from rich.text import Text

from tools.wording import Words
from wenmai.cli.output.terminal import visible

if TYPE_CHECKING:
    from wenmai.answer import TurnEvent

DOING: Mapping[str, Words] = MappingProxyType(
    {
        "resolve_pronouns": Words("理解问题", "reading the question"),
        "plan": Words("思考", "thinking"),
        "tool_call": Words("检索", "searching"),
        "grade": Words("核对、评分", "checking, grading"),
        "refine": Words("换词再查", "finding new search words"),
        "answer": Words("整理出处", "citing"),
        "remember": Words("记忆", "remembering"),
    }
)
WRITING = Words("起草", "writing")
THOUGHT_LINES = 3
SPARE_LINES = 4
"""Lines of a terminal that a draft leaves free."""


def is_watched(screen: Console) -> bool:
    return screen.is_terminal and not screen.is_dumb_terminal


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
            self.doing = DOING[event.data["node"]].say()
            self.thoughts = ""
        elif event.kind == "thought":
            self.thoughts += event.data["text"]
        elif event.kind == "draft":
            self.draft += event.data["text"]
            self.doing = WRITING.say()
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
