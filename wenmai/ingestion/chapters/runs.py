"""Numbers that are headings only together: bare ones, 一　麦场, （三）, 4. Fog, IV."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

from wenmai.ingestion.chapters.forms import FRAMED, Candidate
from wenmai.ingestion.chapters.lines import Line, has_prose, is_blank, text_before, width

YEAR = "year"
"""The form of chapters that are named by years."""
LEAST_NUMBERED = 3
LEAST_BODY = 200
"""Characters between the headings of a run in the midst of a text, on average; fewer are a list."""
LEAST_START = 5
"""Length from which a run may begin with another number than 0 or 1."""
LEAST_OPENING = 2
"""The same at the beginning of a text."""
LONGEST_NAME = 30
MOST_MISSING = 2
_NO_NAME = re.compile(r"[。；;，,：:、]$|^[“”「『\"‘'a-z]|[。；;]")
_SENTENCE_END = re.compile(r"[。！？!?.…—*～~][”’」』\"')）】]*$")
WHOLE_SENTENCES = 0.7
"""Share of bare numbers that stand behind the end of a sentence, if they are chapters and not pages."""


def best_run(found: Sequence[Candidate], lines: Sequence[Line], others: Sequence[Candidate]) -> list[Candidate]:
    """Return the run of numbers that divides a text, [] if there is none.

    Args:
        found: candidates of run forms.
        lines: the lines of the text.
        others: headings of other kinds; where one is a volume's, numbers may begin again.
    """
    volumes = [one.at for one in others if one.level == "volume"]
    runs = [_run_of(name, [one for one in found if one.form.name == name], lines, volumes) for name in _names(found)]
    fit = [run for run in runs if run and _divides(run, lines, min([run[0].at, *(one.at for one in others)]))]
    return max(fit, key=lambda run: (len(run), -run[0].at), default=[])


def _names(found: Sequence[Candidate]) -> list[str]:
    return list(dict.fromkeys(one.form.name for one in found))


def _run_of(name: str, found: Sequence[Candidate], lines: Sequence[Line], volumes: Sequence[int]) -> list[Candidate]:
    """Return the run of a form; years, and numbers between two marks, count where blank lines part them from all."""
    if name not in (YEAR, FRAMED):
        return _run(found, volumes)
    apart = [one for one in found if is_blank(lines, one.at - 1) and is_blank(lines, one.at + 1)]
    if name == YEAR:
        return _years(apart)
    run = _run([one for one in apart if not one.name], volumes)
    is_sure = len(run) >= LEAST_NUMBERED and _behind_sentences(run, lines) == 1
    return run if is_sure and run == apart else []


def _years(found: Sequence[Candidate]) -> list[Candidate]:
    """Return chapters that are named by years, which are not their numbers; [] where a year goes back."""
    pairs = [((before.number or 0, before.name), (after.number or 0, after.name)) for before, after in pairwise(found)]
    is_rising = all(after[0] >= before[0] and after != before for before, after in pairs)
    return [replace(one, number=None) for one in found] if is_rising else []


def _run(found: Sequence[Candidate], volumes: Sequence[int]) -> list[Candidate]:
    """Return the candidates that count up; a volume, or a whole run of its own, begins again at 1."""
    good = [one for one in found if width(one.name) <= LONGEST_NAME and not _NO_NAME.search(one.name)]
    latest = {one.number or 0: place for place, one in enumerate(good)}
    run: list[Candidate] = []
    for place, one in enumerate(good):
        number, last = one.number or 0, run[-1] if run else None
        if last is None:
            if number <= 1 or _counts_on(good, place, LEAST_START if place else LEAST_OPENING):
                run.append(one)
        elif _follows(number, (last.number or 0) + 1, latest, place) or (
            number == 1 and (_has_between(volumes, last.at, one.at) or _counts_on(good, place, LEAST_NUMBERED))
        ):
            run.append(one)
    return run


def _follows(number: int, wanted: int, latest: Mapping[int, int], place: int) -> bool:
    """Return True for the wanted number, or for one behind a gap that no later line fills."""
    return number == wanted or (wanted < number <= wanted + MOST_MISSING and latest.get(wanted, 0) <= place)


def _counts_on(found: Sequence[Candidate], place: int, least: int) -> bool:
    """Return True if at least so many candidates count up one by one from a place on."""
    first = found[place].number or 0
    return [one.number for one in found[place : place + least]] == list(range(first, first + least))


def _has_between(places: Sequence[int], start: int, end: int) -> bool:
    return bisect_right(places, start) < bisect_left(places, end)


def _divides(run: Sequence[Candidate], lines: Sequence[Line], start: int) -> bool:
    """Return True if a run has running text between all its numbers, and is no list and no row of page numbers.

    `start` is the place of the first heading of any kind.
    """
    ends = [*(one.at for one in run[1:]), len(lines)]
    bodies = [lines[one.at + 1 : end] for one, end in zip(run, ends, strict=True)]
    has_text = _has_sentence if run[0].form.name == YEAR else has_prose
    if len(run) < 2 or not all(has_text(body) for body in bodies):
        return False
    if not any(one.name for one in run) and _behind_sentences(run, lines) < WHOLE_SENTENCES:
        return False
    if not has_prose(lines[:start]):
        return True
    size = sum(len(line.plain) for body in bodies for line in body)
    is_whole = (run[0].number or 0) <= 1 or len(run) >= LEAST_START
    return is_whole and (len(run) >= LEAST_NUMBERED and size >= LEAST_BODY * len(run))


def _has_sentence(lines: Sequence[Line]) -> bool:
    return any(_SENTENCE_END.search(line.plain) for line in lines)


def _behind_sentences(run: Sequence[Candidate], lines: Sequence[Line]) -> float:
    return sum(bool(_SENTENCE_END.search(text_before(lines, one.at))) for one in run[1:]) / len(run[1:])
