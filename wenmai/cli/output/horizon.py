"""The line that says which part and chapter a spoiler guard means."""

from typing import TYPE_CHECKING

from wenmai.cli.output.terminal import Line, out, say

if TYPE_CHECKING:
    from tools.records import Horizon
    from wenmai.application.models.passages import LastPlace


def say_place(place: "LastPlace | Horizon | None") -> None:
    """Print which part and chapter a guard means; nothing without one."""
    from tools.story.chapters.guard import GUARDED

    if place:
        say(out(), Line(GUARDED.say(part=place.part, chapter=place.chapter), "dim"))
