"""The line that says which part and chapter a spoiler guard means."""

from typing import TYPE_CHECKING

from wenmai.cli.output.terminal import Line, out, say

if TYPE_CHECKING:
    from tools.records import Horizon


def say_horizon(horizon: "Horizon | None") -> None:
    """Print which part and chapter a guard means; nothing without one."""
    from tools.story.chapters.guard import guard_text

    if horizon:
        say(out(), Line(guard_text(horizon), "dim"))
