"""Headings by other means than the rules: a pattern, none, a saved list, a table of contents, marks of markdown.

The entries of a table of contents are headings without a text that stand again where their text is. Markdown headings
count where a text has no chapters of its own; no heading and no story are the fences, comments and marks of notes.
"""

import re
from bisect import bisect_left
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import regex

from tools.errors import InputError
from tools.messages import Message
from tools.text.numerals import NUMERAL, parse_number
from tools.text.patterns import BoundedPattern
from wenmai.ingestion.chapters.headings import Candidate, HeadingForm, candidates
from wenmai.ingestion.chapters.records import Line, Section, SourceChapter, clean_title, is_blank, narrowed, width

LEAST_ENTRIES = 2
_LABEL = re.compile(r"^[\s#*【\[]*(?:目\s*[录錄次]|(?:table of )?contents)[\s:：】\]*]*$", re.IGNORECASE)
_LEADER = re.compile(r"[\s.…·_-]{2,}\d+$|(?<=\D)\s*[.…·]{2,}$")
_PAGE_NUMBER = re.compile(r"(?<=\D)\s+\d{1,4}$")  # of an entry whose tab is one blank
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

    @property
    def is_volume(self) -> bool:
        return self.heading is not None and self.heading.level == "volume"


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
    keys = [_key(run.heading) for run in runs]
    last = {key: at for at, key in enumerate(keys)}
    found: set[int] = set()
    row: list[int] = []
    seen: set[tuple[Key, Key | None]] = set()
    volume: Key | None = None
    for at, run in enumerate(runs):
        key, comes_again = keys[at], last[keys[at]] > at
        volume = key if run.is_volume else volume
        if run.is_empty and comes_again:
            row.append(at)
        else:
            real = 0
            if not run.is_empty and not run.is_volume and all(runs[one].is_volume for one in row):
                # Of a row of volumes those begin with the chapter below them: BOOK I, PART I.
                units = [keys[one][0] for one in reversed(row)]
                real = next((count for count, unit in enumerate(units) if unit in units[:count]), len(units))
            is_last = comes_again and len(row) > real and (key, volume) not in seen
            found.update(row[: len(row) - real], [at] if is_last and not real else ())
            row, seen = [], set()
        seen.update([(key, volume)] if row else ())
    return found


def _key(heading: Candidate | None) -> Key:
    """Return the unit of a volume, a number and a name, by which a heading is known again."""
    if heading is None:
        return "", None, ""
    unit = _UNIT.search(heading.title) if heading.level == "volume" else None
    name = heading.title if heading.number is None else _PAGE_NUMBER.sub("", heading.name)
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


def lines_titled(lines: Sequence[Line], titles: Sequence[str]) -> list[int]:
    """Return the places of the lines that bear these titles in their order, behind the table itself."""
    texts = [squeezed(_NUMBERED.sub("", line.plain)) for line in lines]
    start = (label_place(lines) or 0) + 1
    left, at = set(titles), start
    for place in range(start, len(lines)):
        if not left:
            at = place
            break
        left.discard(texts[place])
    where = places_by_text(texts)
    places: list[int] = []
    for title in titles:
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


TOC, NONE = "toc", "none"
VOLUME_MARK = "=="
"""Begins the line of a volume in a saved list of headings; one that no line of the text bears is named by it."""
TITLE_MARK = "\t"  # stands in such a line between a heading as it is printed and the title that is shown in its place
_CHOSEN = HeadingForm("chosen", "chapter", re.compile(""))
_VOLUME = HeadingForm("chosen", "volume", re.compile(""))


@dataclass(frozen=True, slots=True)
class ChapterChoice:
    """What decides the headings in place of the rules.

    Attributes:
        pattern: a regular expression of heading lines, `toc` or `none`; its first group may hold the number.
        headings: heading lines in their order, each as it is printed; `== ` begins a volume's, a tab another title.
    """

    pattern: str | None = None
    headings: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.pattern or self.headings)

    def chosen(self, lines: Sequence[Line]) -> list[Candidate]:
        """Return the headings. Raises InputError for a bad pattern, and where no line is one."""
        if self.pattern == NONE:
            return []
        if self.headings:
            found = self._listed(lines)
        elif self.pattern == TOC:
            found = by_contents(lines)
        else:
            pattern = BoundedPattern(self.pattern or "")
            matches = [(at, pattern.search(line.plain)) for at, line in enumerate(lines) if line.plain]
            found = [_chosen(lines[at].plain, at, _group(match)) for at, match in matches if match]
        if not found:
            raise InputError(Message("chapters.no_line_fits", what=self.pattern or Message("chapters.headings_file")))
        return found

    def _listed(self, lines: Sequence[Line]) -> list[Candidate]:
        rows = [row.partition(TITLE_MARK)[0].strip() for row in self.headings if row.strip()]
        where = places_by_text(squeezed(line.plain) for line in lines)
        places: list[int | None] = []
        end = len(lines)
        for row in reversed(rows):  # from the end backwards, so that a table of contents is passed over
            known = where.get(squeezed(row.removeprefix(VOLUME_MARK)), [])
            before = bisect_left(known, end)
            places.append(known[before - 1] if before else None)
            end = known[before - 1] if before else end
        pairs = list(zip(rows, reversed(places), strict=True))
        missing = [row for row, at in pairs if at is None and not row.startswith(VOLUME_MARK)]
        if missing:
            raise InputError(Message("chapters.headings_not_in_text", count=len(missing), line=missing[0]))
        found: list[Candidate] = []
        volume = ""
        for row, at in pairs:
            if at is None:
                volume = row.removeprefix(VOLUME_MARK).strip()
                continue
            one = _chosen(lines[at].plain, at, None, is_volume=row.startswith(VOLUME_MARK))
            found.append(replace(one, volume=volume or one.volume))
            volume = ""
        return found

    def titled(self, sections: Iterable[Section]) -> tuple[Section, ...]:
        rows = iter([row.partition(TITLE_MARK) for row in self.headings if not row.startswith(VOLUME_MARK)])
        found: list[Section] = []
        for one in sections:
            printed = squeezed(one.printed)
            title = next((title for row, _, title in rows if squeezed(row) == printed), "") if printed else ""
            found.append(replace(one, title=" ".join(title.split()) or one.title))
        return tuple(found)


def read_headings(path: Path) -> tuple[str, ...]:
    """Return the lines of a saved list of headings. Raises InputError where it is empty or no UTF-8."""
    try:
        rows = tuple(row.strip() for row in path.read_text(encoding="utf-8-sig").splitlines() if row.strip())
    except UnicodeDecodeError as error:
        raise InputError(Message("chapters.headings_file_not_utf8", path=path)) from error
    if not rows:
        raise InputError(Message("chapters.headings_file_empty", path=path))
    return rows


def heading_rows(chapters: Sequence[SourceChapter]) -> list[str]:
    """Return the list of headings that divides a text as these chapters do."""
    rows: list[str] = []
    volume = ""
    for chapter in sorted(chapters, key=lambda one: one.line):
        if chapter.volume not in ("", volume) and squeezed(chapter.volume) not in squeezed(chapter.printed):
            rows.append(f"{VOLUME_MARK} {chapter.volume}")
        volume = chapter.volume or volume
        rows += [chapter.printed] if chapter.printed else []
    return rows


NO_CHOICE = ChapterChoice()


def by_contents(lines: Sequence[Line]) -> list[Candidate]:
    titles = listed_titles(lines)
    return [_chosen(lines[at].plain, at, None) for at in lines_titled(lines, titles)] if titles else []


def _group(match: "regex.Match[str]") -> int | None:
    return parse_number(match[1]) if match.re.groups and match[1] else None


def _chosen(text: str, at: int, number: int | None, *, is_volume: bool = False) -> Candidate:
    """Make a heading of a line; where the grammar knows its shape, number and kind are as it says."""
    known = next((one for one in candidates(text, at) if not is_volume or one.level == "volume"), None)
    if known and number is None:
        return known
    title = " ".join(text.lstrip("#").split())
    form = _VOLUME if is_volume else _CHOSEN
    return Candidate(at=at, form=form, number=number, title=title, name=narrowed(title), volume="", is_glued=False)


LEVELS = range(1, 7)
LEAST_CHAPTERS = 2
LONGEST_UNDERLINED = 40  # length in Chinese characters of a line that is a heading by the line of marks below it
_MARKDOWN = re.compile(r"^(?P<marks>#{1,6})\s+(?P<title>.+?)\s*#*$")
_NUMBER = re.compile(rf"^(?:\d+|[{NUMERAL}]+)(?=[\s.、:：])")
_FORM = HeadingForm("markdown", "chapter", _MARKDOWN)
_UNDERLINE = re.compile(r"^(?:={2,}|-{2,})$")
_FENCE = re.compile(r"^ {0,3}(?P<fence>`{3,}|~{3,})")
_NOTE = re.compile(r"^\[\^[^\]\s]{1,20}\]:")
_NOTE_MARK = re.compile(r"\[\^[^\]\s]{1,20}\](?!:)")
_NO_TITLE = re.compile(r"^(?:[#>|`~*+-]|\d+[.)]\s)")


def markdown_heading(text: str, at: int = 0, level: int = 1) -> Candidate | None:
    match = _MARKDOWN.match(text)
    if not match or len(match["marks"]) != level:
        return None
    number = _NUMBER.match(match["title"])
    title = clean_title(match["title"])
    return Candidate(
        at=at,
        form=_FORM,
        number=parse_number(number[0]) if number else None,
        title=title,
        name=title,
        volume="",
        is_glued=False,
    )


def markdown_headings(lines: Sequence[Line], volumes: Collection[int]) -> list[Candidate]:
    """Return the headings of the highest level that has several, [] if none has; those of volumes do not count."""
    for level in LEVELS:
        every = (markdown_heading(line.plain, at, level) for at, line in enumerate(lines) if at not in volumes)
        found = [one for one in every if one]
        if len(found) >= LEAST_CHAPTERS:
            return found
    return []


def read_marks(lines: Sequence[Line]) -> tuple[list[Line], set[int]]:
    """Return the lines with underlined headings as `#` ones and without footnote marks, and where no heading can be.

    No heading stands in a fenced block or in a comment; both may span several lines.
    """
    hidden = _hidden(lines)
    found = [
        line if at in hidden or _NOTE.match(line.plain) else replace(line, text=_NOTE_MARK.sub("", line.text))
        for at, line in enumerate(lines)
    ]
    for at, line in enumerate(lines):
        if at and at not in hidden and _UNDERLINE.match(line.plain) and _is_underlined(lines, at - 1):
            marks = "#" if line.plain[0] == "=" else "##"
            heading = replace(found[at - 1], text=f"{marks} {found[at - 1].plain}")
            found[at - 1 : at + 1] = [heading, Line(line.number, "")]
    return found, hidden


def _is_underlined(lines: Sequence[Line], at: int) -> bool:
    """Return True for a short line that stands alone and is no sentence: marks below one part scenes."""
    plain = lines[at].plain
    is_short = bool(plain) and width(plain) <= LONGEST_UNDERLINED and is_blank(lines, at - 1)
    return is_short and not lines[at].is_prose and not _NO_TITLE.match(plain) and plain[-1] not in "。.，,；;"


def _hidden(lines: Sequence[Line]) -> set[int]:
    """Return the places inside of fences and comments; what is never closed hides nothing."""
    found: set[int] = set()
    start, end = 0, ""
    for at, line in enumerate(lines):
        if end:
            is_end = end in line.text if end == "-->" else line.plain.startswith(end) and not line.plain.strip(end[0])
            if is_end:
                found.update(range(start, at + 1))
                end = ""
        elif fence := _FENCE.match(line.text):
            start, end = at, fence["fence"]
        elif "<!--" in line.text and "-->" not in line.text.rpartition("<!--")[2]:
            start, end = at, "-->"
        elif line.plain.startswith("<!--"):
            found.add(at)
    return found
