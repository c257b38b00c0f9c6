"""Headings with the lines under them to sections; what is no story goes with them as notes."""

import re
from collections.abc import Sequence, Set
from dataclasses import dataclass, field, replace
from itertools import pairwise

from tools.language import HAN
from tools.messages import say
from wenmai.ingestion.chapters.choice import (
    NO_CHOICE,
    ChapterChoice,
    Run,
    by_contents,
    label_place,
    markdown_heading,
    markdown_headings,
    read_marks,
    without_contents,
)
from wenmai.ingestion.chapters.headings import Candidate, RefusedHeading, candidates, judge
from wenmai.ingestion.chapters.notes import gathered, page_lines, separate, story_range
from wenmai.ingestion.chapters.records import (
    Division,
    Kind,
    LeftOut,
    Line,
    Section,
    TextNote,
    clean,
    clean_title,
    has_prose,
    is_blank,
    lines_of,
    width,
)

LONGEST_SUBTITLE, LONGEST_CLOSE_SUBTITLE = 30, 15
"""Length of a title on the line below in Chinese characters, and where no blank line follows it."""
SUBTITLED_SHARE = 2 / 3  # of the headings without a title, so many must have one on the line below
_SPEECH = "“「『\"‘'"
_TITLE_CASE = re.compile(
    r"[“‘\"']?[A-Z\d](?:(?!\b[a-z]{5,}|(?<=[a-z]{4})[.;]\s).)*\b[A-Z](?:(?!\b[a-z]{5,}|(?<=[a-z]{4})[.;]\s).)*(?<![,;.])"
)
"""A line of at least two words with a capital, all long ones among them."""


def with_subtitles(runs: Sequence[Run]) -> list[Run]:
    """Add the line below to headings without a title, in a text that has its titles there."""
    untitled = [
        run
        for run in runs
        if run.heading and run.heading.level == "chapter" and run.heading.number is not None and not run.heading.name
    ]
    titled = {run.heading: new for run in untitled if (new := _titled(run))}
    if not untitled or len(titled) < SUBTITLED_SHARE * len(untitled):
        return list(runs)
    return [titled.get(run.heading, run) for run in runs]


def _titled(run: Run) -> Run | None:
    """Return a run with its first line as a title where that is short and stands alone, else None."""
    at, heading = next((at for at, line in enumerate(run.body) if line.plain), None), run.heading
    if at is None or heading is None:
        return None
    text, rest = run.body[at].plain, run.body[at + 1 :]
    is_apart = is_blank(run.body, at + 1)
    is_titled = bool(_TITLE_CASE.fullmatch(text))  # what is printed as a title needs no blank line, and may be long
    longest = LONGEST_CLOSE_SUBTITLE if not (is_apart or is_titled) else LONGEST_SUBTITLE
    if width(text) > longest or not has_prose(rest) or (candidates(text) and not candidates(text)[0].name):
        return None
    if not is_titled and (text[0] in _SPEECH or text[-1] in "。；，,;”」…."):
        return None
    if not (is_apart or is_titled) and re.search(r"[，,。！？!?：:]", text):
        return None
    join = " " if HAN.search(heading.title) else ": "
    return Run(replace(heading, title=f"{heading.title}{join}{clean_title(text)}", name=text), rest)


MIN_PREFACE = 60
"""Length in Chinese characters of a text before the first heading that makes a chapter 0; less is a title."""
_BLURB = re.compile(r"^[【\[]?(?:作品|内容)?(?:简介|文案|提要|梗概|书名|作者)")


@dataclass(slots=True)
class Cutter:
    """Makes sections of runs.

    Attributes:
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
        line = next((line.number for line in kept if line.plain), 0)
        section = Section(number=0, title="", text=text, kind="opening", line=line)
        return [section], [*notes, *inner, *gathered("front", blurb)]

    def _section(self, run: Run, *, is_volume_chapter: bool) -> tuple[Section | None, list[TextNote]]:
        heading = run.heading
        if heading is None:
            return None, []
        if heading.volume and "".join(heading.volume.split()) != "".join(self.volume.split()):
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
    kinds: dict[str, Kind] = {"opening": "opening", "closing": "closing", "extra": "extra", "inner": "inner"}
    return kinds.get(heading.level, "chapter")


def _is_row(line: Line) -> bool:
    """Return True for a row of a table of contents: a heading, or several entries that count up."""
    numbers = [int(one) for one in re.findall(r"(?<![\w.])(\d{1,3})(?=[.、\s])", line.plain)]
    return bool(candidates(line.plain)) or (len(numbers) > 2 and numbers == list(range(1, len(numbers) + 1)))


def text_of(lines: Sequence[Line]) -> str:
    return clean("\n".join(line.text for line in lines))


def divide(text: str, *, markdown: bool = False, choice: ChapterChoice = NO_CHOICE) -> Division:
    """Cut the text of a file into sections at its headings; without any it is one section numbered 1.

    With `markdown` its headings count where no line is a chapter's heading. Raises InputError where the choice, which
    decides in place of the rules, fits no line.
    """
    lines = lines_of(text)
    start, end = story_range(lines)
    licence = [*gathered("licence", lines[:start]), *gathered("licence", lines[end:])]
    lines = lines[start:end]
    lines, hidden = read_marks(lines) if markdown else (lines, set[int]())
    headings, refused = _headings(lines, hidden, markdown=markdown, choice=choice)
    pages = page_lines(lines, {one.at for one in headings})
    runs, entries, empty = without_contents(_runs(lines, headings, pages))
    notes = [*licence, *gathered("page", [lines[at] for at in sorted(pages)])]
    notes += [TextNote("contents", lines[one.at].number, one.title) for one in entries]
    left_out = [LeftOut(lines[one.candidate.at].number, one.candidate.title, one.reason) for one in refused]
    cutter = Cutter(lines)
    sections = cutter.sections(runs)
    left_out += [
        LeftOut(lines[one.at].number, one.title, say("chapters.heading_without_text"))
        for one in (*empty, *cutter.without_story)
    ]
    if sections and notes:
        first = replace(sections[0], notes=tuple(sorted([*notes, *sections[0].notes], key=lambda one: one.line)))
        sections = [first, *sections[1:]]
    return Division(tuple(sections), tuple(sorted(left_out, key=lambda one: one.line)))


def titled_section(title: str, text: str, number: int | None = None) -> Section:
    """Make a section of a chapter that its file names.

    The number of its title goes before `number`, which a title outside of the count (尾声, 番外) does not take.
    """
    known = next((one for one in candidates(title) if not one.form.run), None)
    kind = kind_of(known) if known else "chapter"
    story, notes = separate(lines_of(text))
    if kind == "opening":
        number = 0
    elif known and (known.number is not None or kind != "chapter"):
        number = known.number
    return Section(number=number, title=title, text=text_of(story), kind=kind, notes=tuple(notes))


def _headings(
    lines: Sequence[Line], hidden: Set[int], *, markdown: bool, choice: ChapterChoice
) -> tuple[Sequence[Candidate], Sequence[RefusedHeading]]:
    """Return the headings as they are chosen, else as the rules judge them; none stands on a hidden line."""
    if choice:
        return choice.chosen(lines), ()
    lines = [replace(line, text="") if at in hidden else line for at, line in enumerate(lines)]
    found, refused = judge(lines)
    if any(one.level == "chapter" for one in found):
        return found, refused
    volumes = {one.at for one in found if one.level == "volume"}
    marked = (markdown_headings(lines, volumes) or markdown_headings(lines, ())) if markdown else []
    plain = marked or by_contents(lines)
    places = {one.at for one in plain}
    others = [one for one in found if one.at not in places]
    return sorted([*others, *plain], key=lambda one: one.at), refused


def _runs(lines: Sequence[Line], headings: Sequence[Candidate], pages: set[int]) -> list[Run]:
    """Return the lines under each heading, without page numbers; the first run has no heading."""
    places = [-1, *(one.at for one in headings), len(lines)]
    bodies = [tuple(lines[at] for at in range(start + 1, end) if at not in pages) for start, end in pairwise(places)]
    return [Run(heading, body) for heading, body in zip([None, *headings], bodies, strict=True)]
