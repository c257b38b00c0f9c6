"""Headings with the lines under them to sections; what is no story goes with them as notes."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from wenmai.ingestion.chapters.contents import Run, label_place
from wenmai.ingestion.chapters.forms import Candidate, candidates
from wenmai.ingestion.chapters.lines import Line, has_prose, width
from wenmai.ingestion.chapters.markdown import markdown_heading
from wenmai.ingestion.chapters.notes import gathered, separate
from wenmai.ingestion.chapters.records import Kind, Section, TextNote, clean
from wenmai.ingestion.chapters.subtitles import with_subtitles

MIN_PREFACE = 60
"""Length in Chinese characters of a text before the first heading that makes a chapter 0; less is a title."""
_BLURB = re.compile(r"^[【\[]?(?:作品|内容)?(?:简介|文案|提要|梗概|书名|作者)")


@dataclass(slots=True)
class Cutter:
    """Makes sections of runs.

    Attributes:
        lines: all lines of the text.
        volume: the heading of the volume that the text is in.
        opening: the few lines of prose between a volume's heading and its first chapter, with which that begins.
        without_story: headings with nothing but notes under them.
    """

    lines: Sequence[Line]
    volume: str = ""
    opening: list[Line] = field(default_factory=list)
    without_story: list[Candidate] = field(default_factory=list)

    def sections(self, runs: Sequence[Run]) -> list[Section]:
        """Return the sections in their order; what is no story goes with the section before it, else with the first."""
        front, *headed = runs
        if not headed:
            return [self._whole(front.body)]
        only_volumes = not any(run.heading and run.heading.level == "chapter" for run in headed)
        headed = with_subtitles(headed)
        found, waiting = self._front(front.body, headed[0].heading)
        for run in headed:
            made, notes = self._section(run, is_volume_chapter=only_volumes)
            if made:
                found.append(replace(made, notes=(*waiting, *made.notes)))
                waiting = notes
            elif found:
                found[-1] = replace(found[-1], notes=(*found[-1].notes, *notes))
            else:
                waiting = [*waiting, *notes]
        return found

    def _whole(self, body: Sequence[Line]) -> Section:
        """Make one chapter of a text without chapters; a markdown title on its first line is the chapter's."""
        at = next((at for at, line in enumerate(body) if line.plain), 0)
        title = markdown_heading(body[at].plain) if body else None
        rest = body[at + 1 :] if title and any(line.plain for line in body[at + 1 :]) else body
        story, notes = separate(rest)
        return Section(number=1, title=title.title if title else "", text=text_of(story), notes=tuple(notes))

    def _front(self, body: Sequence[Line], first: Candidate | None) -> tuple[list[Section], list[TextNote]]:
        """Return a preface without a heading as chapter 0, and the title page, contents, blurb as notes."""
        label = label_place(body)
        head, rest = (body[:label], body[label:]) if label is not None else ((), body)
        table = next((at for at, line in enumerate(rest) if line.is_prose and not _is_row(line)), len(rest))
        table = table if label is not None else 0
        notes = [*gathered("front", head), *gathered("contents", rest[:table])]
        preface = rest[table:]
        story, inner = separate(preface)
        kept = [line for line in story if not _BLURB.match(line.plain)]
        text = text_of(kept)
        is_preface = width(text) >= MIN_PREFACE and has_prose(kept) and first is not None and first.level != "opening"
        if not is_preface:
            return [], [*notes, *gathered("front", preface)]
        blurb = [line for line in story if _BLURB.match(line.plain)]
        section = Section(number=0, title="", text=text, kind="opening", line=_first_number(kept))
        return [section], [*notes, *inner, *gathered("front", blurb)]

    def _section(self, run: Run, *, is_volume_chapter: bool) -> tuple[Section | None, list[TextNote]]:
        heading = run.heading
        if heading is None:
            return None, []
        if heading.volume and _volume_key(heading.volume) != _volume_key(self.volume):
            self.volume = heading.volume
        story, notes = separate(run.body)
        story, self.opening = [*self.opening, *story], []
        text, line = text_of(story), self.lines[heading.at].number
        if heading.level == "note":
            return None, gathered("author", [Line(line, heading.title), *run.body])
        if heading.level == "volume" and not is_volume_chapter:
            self.volume = heading.title
            if width(text) < MIN_PREFACE:
                self.opening = story if has_prose(story) else []
                return None, [*notes, *gathered("front", [] if self.opening else story)]
        if not text:
            self.without_story.append(heading)
            return None, notes
        kind = "opening" if heading.level == "volume" and not is_volume_chapter else kind_of(heading)
        number = 0 if kind == "opening" else heading.number
        return Section(
            number=number,
            title=heading.title,
            text=text,
            volume=self.volume,
            kind=kind,
            line=line,
            printed=self.lines[heading.at].plain,
            notes=tuple(notes),
        ), []


def kind_of(heading: Candidate) -> Kind:
    """Return what kind of section a heading begins."""
    kinds: dict[str, Kind] = {"opening": "opening", "closing": "closing", "extra": "extra", "inner": "inner"}
    return kinds.get(heading.level, "chapter")


def _is_row(line: Line) -> bool:
    """Return True for a row of a table of contents: a heading, or several entries that count up."""
    numbers = [int(one) for one in re.findall(r"(?<![\w.])(\d{1,3})(?=[.、\s])", line.plain)]
    return bool(candidates(line.plain)) or (len(numbers) > 2 and numbers == list(range(1, len(numbers) + 1)))


def text_of(lines: Sequence[Line]) -> str:
    """Return the text of lines."""
    return clean("\n".join(line.text for line in lines))


def _first_number(lines: Sequence[Line]) -> int:
    return next((line.number for line in lines if line.plain), 0)


def _volume_key(title: str) -> str:
    return re.sub(r"\s", "", title)
