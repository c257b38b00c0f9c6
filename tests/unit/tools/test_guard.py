"""Which part a spoiler guard by chapter alone means."""

import pytest

from tools.records import ChapterOutline
from tools.story.chapters.guard import meant_part


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
