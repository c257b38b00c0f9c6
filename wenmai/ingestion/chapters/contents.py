"""Tables of contents: headings without a text that stand again where their text is."""

import re
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from wenmai.ingestion.chapters.forms import Candidate
from wenmai.ingestion.chapters.lines import Line, narrowed

LEAST_ENTRIES = 2
_LABEL = re.compile(r"^[\s#*【\[]*(?:目\s*[录錄次]|(?:table of )?contents)[\s:：】\]*]*$", re.IGNORECASE)
_LEADER = re.compile(r"[\s.…·_-]{2,}\d+$|(?<=\D)\s*[.…·]{2,}$")
_NUMBERED = re.compile(r"^\s*(?:\d+|[ivxlc]+)[.、:\s]+", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Run:
    """A heading with the lines under it; the first run of a text has none."""

    heading: Candidate | None
    body: tuple[Line, ...]

    @property
    def is_empty(self) -> bool:
        """Whether nothing but blank lines stands under the heading."""
        return not any(line.plain for line in self.body)


def label_place(lines: Sequence[Line]) -> int | None:
    """Return where a table of contents is announced (目录, CONTENTS), None if it is not."""
    return next((at for at, line in enumerate(lines) if _LABEL.match(line.plain)), None)


def without_contents(runs: Sequence[Run]) -> tuple[list[Run], list[Candidate], list[Candidate]]:
    """Return the runs that have a text, the entries of a table of contents, and the headings without a text.

    The last entry may have lines under it, those before the first chapter: they join the first run.
    """
    later: set[tuple[int | None, str]] = set()
    again = []
    for run in reversed(runs[1:]):
        again.append(bool(later & set(_keys(run.heading))))
        later.update(_keys(run.heading))
    kept, entries, empty, front = [], [], [], runs[0].body
    row: set[tuple[int | None, str]] = set()
    for run, is_repeated in zip(runs[1:], reversed(again), strict=True):
        heading, keys = run.heading, set(_keys(run.heading))
        is_row = is_repeated and (run.is_empty or bool(row and not keys & row))
        if is_row and run.is_empty:
            row |= keys
        elif row:
            row = set()
        if heading and is_row:
            entries.append(heading)
            front = (*front, *run.body)
        elif heading and run.is_empty and heading.level != "volume":
            empty.append(heading)
        else:
            kept.append(run)
    return [Run(None, front), *kept], entries, empty


def _keys(heading: Candidate | None) -> list[tuple[int | None, str]]:
    if heading is None:
        return []
    return (
        [(heading.number, squeezed(heading.name))] if heading.number is not None else [(None, squeezed(heading.title))]
    )


def squeezed(text: str) -> str:
    """Return a title as it is compared: without blanks, marks, case, and without a page number."""
    return re.sub(r"[\W_]+", "", narrowed(_LEADER.sub("", text))).lower()


def listed_titles(lines: Sequence[Line]) -> list[str]:
    """Return the titles of a table of contents that is announced, squeezed and without numbers."""
    start = label_place(lines)
    if start is None:
        return []
    titles: dict[str, None] = {}
    known = {squeezed(line.plain) for line in lines[:start]}
    for line in lines[start + 1 :]:
        title = squeezed(_NUMBERED.sub("", line.plain))
        if title in titles or line.is_prose:
            break
        if title and title not in known:
            titles[title] = None
    return list(titles) if len(titles) >= LEAST_ENTRIES else []


def lines_titled(lines: Sequence[Line], titles: Iterable[str]) -> list[int]:
    """Return the places of the lines that bear these titles in their order, behind the table itself."""
    wanted = list(titles)
    start = label_place(lines) or 0
    places: list[int] = []
    at = start + 1 + _table_end(lines[start + 1 :], wanted)
    where = places_by_text(squeezed(_NUMBERED.sub("", line.plain)) for line in lines)
    for title in wanted:
        known = where.get(title, [])
        first = bisect_left(known, at)
        if first < len(known):
            places.append(known[first])
            at = known[first] + 1
    return places


def places_by_text(texts: Iterable[str]) -> dict[str, list[int]]:
    """Return for each text the places where it stands."""
    found: dict[str, list[int]] = {}
    for at, text in enumerate(texts):
        found.setdefault(text, []).append(at)
    return found


def _table_end(lines: Sequence[Line], titles: Sequence[str]) -> int:
    left = set(titles)
    for at, line in enumerate(lines):
        if not left:
            return at
        left.discard(squeezed(_NUMBERED.sub("", line.plain)))
    return 0
