"""Which part a spoiler guard means."""

import pytest

from tools.errors import InputError
from tools.records import ChapterOutline, Horizon
from tools.story.guard import meant_part, read_horizon


def outline(*parts: tuple[str, int, range]) -> list[ChapterOutline]:
    return [
        ChapterOutline(task_id=task, part=part, number=number, digest="", order=number, passages=1)
        for task, part, numbers in parts
        for number in numbers
    ]


VOLUMES = outline(("b", 1, range(7)), ("b#2", 2, range(7, 15)), ("b#3", 3, range(1, 3)))
BEGIN_AGAIN = outline(("b", 1, range(1, 9)), ("b#2", 2, range(1, 10)))
TWO_SOURCES = outline(("a", 1, range(1, 3)), ("b", 2, range(3, 5)))


@pytest.mark.parametrize(
    ("chapters", "asked", "meant"),
    [
        (VOLUMES, 0, 1),
        (VOLUMES, 6, 1),
        (VOLUMES, 7, 2),
        (VOLUMES, 99, 2),
        (BEGIN_AGAIN, 3, 1),
        (BEGIN_AGAIN, 9, 1),
        (TWO_SOURCES, 3, 1),
        ([], 3, 1),
    ],
)
def test_the_part_that_a_chapter_means(chapters: list[ChapterOutline], asked: int, meant: int) -> None:
    assert meant_part(chapters, asked) == meant


class Outlines:
    """A catalog with the chapters of one library."""

    async def outline(self, library: str) -> list[ChapterOutline]:
        return BEGIN_AGAIN


async def test_a_part_that_a_library_does_not_have_is_refused() -> None:
    assert await read_horizon(Outlines(), "b", 99, 2) == Horizon(2, 99)
    with pytest.raises(InputError, match="没有第 9 部"):
        await read_horizon(Outlines(), "b", 1, 9)
