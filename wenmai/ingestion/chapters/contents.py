"""Tables of contents: headings without a text that stand again where their text is."""

import re
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from wenmai.ingestion.chapters.headings import Candidate
from wenmai.ingestion.chapters.records import Line, narrowed

LEAST_ENTRIES = 2
_LABEL = re.compile(r"^[\s#*【\[]*(?:目\s*[录錄次]|(?:table of )?contents)[\s:：】\]*]*$", re.IGNORECASE)
_LEADER = re.compile(r"[\s.…·_-]{2,}\d+$|(?<=\D)\s*[.…·]{2,}$")
_UNIT = re.compile(r"part|book|vol|act|[部卷编編篇册冊集辑輯]", re.IGNORECASE)
_NUMBERED = re.compile(r"^\s*(?:\d+|[ivxlc]+)[.、:\s]+", re.IGNORECASE)
Key = tuple[str, int | None, str]


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
    places = _entry_places(runs[1:])
    kept, entries, empty, front = [], [], [], runs[0].body
    for at, run in enumerate(runs[1:]):
        if run.heading and at in places:
            entries.append(run.heading)
            front = (*front, *run.body)
        elif run.heading and run.is_empty and run.heading.level != "volume":
            empty.append(run.heading)
        else:
            kept.append(run)
    return [Run(None, front), *kept], entries, empty


def _entry_places(runs: Sequence[Run]) -> set[int]:
    """Return the places of the entries: headings in a row that all come again, with nothing between them."""
    again = _come_again(runs)
    found: set[int] = set()
    row: list[int] = []
    seen: set[tuple[Key, Key | None]] = set()
    volume: Key | None = None
    for at, run in enumerate(runs):
        key = _key(run.heading)
        volume = key if _is_volume(run) else volume
        if run.is_empty and again[at]:
            row.append(at)
        else:
            real = 0 if run.is_empty else _volumes_above(runs, row, run)
            is_last = again[at] and len(row) > real and (key, volume) not in seen
            found.update(row[: len(row) - real], [at] if is_last and not real else ())
            row, seen = [], set()
        seen.update([(key, volume)] if row else ())
    return found


def _volumes_above(runs: Sequence[Run], row: Sequence[int], below: Run) -> int:
    """Return how many headings of a row of volumes begin with the chapter below it: BOOK I, PART I."""
    if _is_volume(below) or not all(_is_volume(runs[at]) for at in row):
        return 0
    units = [_key(runs[at].heading)[0] for at in reversed(row)]
    return next((count for count, unit in enumerate(units) if unit in units[:count]), len(units))


def _come_again(runs: Sequence[Run]) -> list[bool]:
    """Return for each heading whether it stands again further down."""
    later: set[Key] = set()
    again = []
    for run in reversed(runs):
        key = _key(run.heading)
        again.append(key in later)
        later.add(key)
    return again[::-1]


def _is_volume(run: Run) -> bool:
    return run.heading is not None and run.heading.level == "volume"


def _key(heading: Candidate | None) -> Key:
    """Return the unit of a volume, a number and a name, by which a heading is known again."""
    if heading is None:
        return "", None, ""
    unit = _UNIT.search(heading.title) if heading.level == "volume" else None
    name = heading.title if heading.number is None else heading.name
    return unit[0].lower() if unit else "", heading.number, squeezed(name)


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
