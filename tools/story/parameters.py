"""Parameter types that several story tools share."""

from typing import Annotated

from pydantic import AfterValidator

from tools.messages import say


def _pair(value: list[int]) -> list[int]:
    """Check a range of chapters; the message follows the parameter's name."""
    if len(value) != 2 or not 0 <= value[0] <= value[1]:
        raise ValueError(say("story.wrong_pair"))
    return value


ChapterPair = Annotated[list[int], AfterValidator(_pair)]


def as_bounds(pair: list[int] | None) -> tuple[int, int] | None:
    """Return a checked pair as the inclusive bounds of a filter."""
    return (pair[0], pair[1]) if pair else None
