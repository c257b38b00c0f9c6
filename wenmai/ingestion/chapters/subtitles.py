"""Titles on the line below the number: 第一章 over 雨夜, CHAPTER I over The Fog."""

import re
from collections.abc import Sequence
from dataclasses import replace

from tools.language import HAN
from wenmai.ingestion.chapters.contents import Run
from wenmai.ingestion.chapters.lines import has_prose, is_blank, width
from wenmai.ingestion.chapters.records import clean_title

LONGEST_SUBTITLE, LONGEST_CLOSE_SUBTITLE = 30, 15
"""Length of a title on the line below in Chinese characters, and where no blank line follows it."""
SUBTITLED_SHARE = 2 / 3
"""Of the headings without a title, so many must have one on the line below."""
_SPEECH = "“「『\"‘'"


def with_subtitles(runs: Sequence[Run]) -> list[Run]:
    """Add the line below to headings without a title, in a text that has its titles there."""
    untitled = [_subtitle(run) for run in runs if _is_untitled(run)]
    if not untitled or sum(map(bool, untitled)) < SUBTITLED_SHARE * len(untitled):
        return list(runs)
    return [_titled(run) if _is_untitled(run) else run for run in runs]


def _is_untitled(run: Run) -> bool:
    heading = run.heading
    return heading is not None and heading.level == "chapter" and heading.number is not None and not heading.name


def _subtitle(run: Run) -> str:
    """Return a body's first line where it is short and stands alone, else ''."""
    at = next((at for at, line in enumerate(run.body) if line.plain), None)
    if at is None:
        return ""
    text = run.body[at].plain
    is_apart = is_blank(run.body, at + 1)
    longest = LONGEST_SUBTITLE if is_apart else LONGEST_CLOSE_SUBTITLE
    if width(text) > longest or text[0] in _SPEECH or text[-1] in "。；，,;”」…." or not has_prose(run.body[at + 1 :]):
        return ""
    return "" if not is_apart and re.search(r"[，,。！？!?：:]", text) else text


def _titled(run: Run) -> Run:
    text, heading = _subtitle(run), run.heading
    if not text or heading is None:
        return run
    at = next(at for at, line in enumerate(run.body) if line.plain)
    join = " " if HAN.search(heading.title) else ": "
    return Run(replace(heading, title=f"{heading.title}{join}{clean_title(text)}", name=text), run.body[at + 1 :])
