"""A text of many headings is cut by work that grows with its length, and numbers of any size cost nothing."""

import cProfile
from collections.abc import Callable
from pathlib import Path

import pytest

from wenmai.ingestion.sources.loaders import load_source

FEW, MANY = 250, 2_000
MOST_TIMES = 2 * MANY / FEW
"""How many times more calls the long text may take; with the square of its length it takes 64 times."""


def _calls(path: Path, text: str) -> int:
    path.write_text(text, encoding="utf-8")
    with cProfile.Profile() as profile:
        load_source(path)
    return sum(int(entry.callcount) for entry in profile.getstats())


@pytest.mark.parametrize(
    "row",
    [
        lambda at, n: f"第{n - at}章 雨\n甲{at}。\n",
        lambda at, n: f"{at}\n\n他在雨里站了一夜。\n\n",
        lambda at, n: f"第{at}卷 海\n第1章 雨\n甲{at}。\n",
        lambda at, n: f"第{at // 5 + 1}章 雨\n\n第{at % 5 + 1}节 风\n甲{at}。\n",
    ],
    ids=["falling", "bare", "volumes", "nested"],
)
def test_the_work_grows_with_the_length(tmp_path: Path, row: Callable[[int, int], str]) -> None:
    few, many = ("".join(row(at, n) for at in range(1, n + 1)) for n in (FEW, MANY))
    path = tmp_path / "many.txt"
    assert _calls(path, many) < MOST_TIMES * _calls(path, few)


def test_a_huge_gap_in_the_numbers(tmp_path: Path) -> None:
    path = tmp_path / "gap.txt"
    path.write_text("第一章 雨\n他在雨里站了一夜。\n第999999999章 风\n他走了，再也没有回来。\n", encoding="utf-8")
    loaded = load_source(path)
    assert [one.number for one in loaded.chapters] == [1, 999999999]
    assert loaded.odd == ("第 3 行“第999999999章 风”：前面缺第 2–999999998 章",)
