"""Headings as the user wants them: by a pattern, by the table of contents, none, or as a saved list says."""

import re
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import regex

from tools.errors import InputError
from tools.text.numerals import parse_number
from tools.text.patterns import BoundedPattern
from tools.wording import Words
from wenmai.ingestion.chapters.contents import lines_titled, listed_titles, places_by_text, squeezed
from wenmai.ingestion.chapters.headings import Candidate, HeadingForm, candidates
from wenmai.ingestion.chapters.records import Line, Section, SourceChapter, narrowed

EMPTY_LIST = Words("标题清单 {path} 是空的", "the list of headings {path} is empty")
NOT_UTF8 = Words("标题清单 {path} 不是 UTF-8 编码的文本", "the list of headings {path} is no text in UTF-8")
NOT_FOUND = Words(
    "标题清单里有 {count} 行在正文里找不到，第一行是：{line}",
    "{count} lines of the list of headings are not in the text, the first: {line}",
)
THE_LIST = Words("标题清单", "the list of headings")
NO_HEADING = Words(
    "没有一行是标题：{what} 与正文的任何一行都不符", "no line is a heading: {what} fits none of the text"
)
TOC, NONE = "toc", "none"
VOLUME_MARK = "=="
"""Begins the line of a volume in a saved list of headings; one that no line of the text bears is named by it."""
TITLE_MARK = "\t"
"""Stands in such a line between a heading as it is printed and the title that is shown in its place."""
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
            raise InputError(NO_HEADING.of(what=self.pattern or THE_LIST))
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
            raise InputError(NOT_FOUND.of(count=len(missing), line=missing[0]))
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
        raise InputError(NOT_UTF8.of(path=path)) from error
    if not rows:
        raise InputError(EMPTY_LIST.of(path=path))
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
