"""A text to sections: headings, what is under them, and what is no story."""

from collections.abc import Sequence, Set
from dataclasses import replace
from itertools import pairwise

from tools.wording import Words
from wenmai.ingestion.chapters.choice import NO_CHOICE, ChapterChoice, by_contents
from wenmai.ingestion.chapters.contents import Run, without_contents
from wenmai.ingestion.chapters.cutting import Cutter, kind_of, text_of
from wenmai.ingestion.chapters.forms import Candidate, candidates
from wenmai.ingestion.chapters.judging import judge
from wenmai.ingestion.chapters.licence import story_range
from wenmai.ingestion.chapters.lines import Line, lines_of
from wenmai.ingestion.chapters.markdown import markdown_headings, read_marks
from wenmai.ingestion.chapters.note_headings import Refused
from wenmai.ingestion.chapters.notes import gathered, separate
from wenmai.ingestion.chapters.pages import page_lines
from wenmai.ingestion.chapters.records import Division, LeftOut, Section, TextNote

EMPTY = Words("标题下没有正文", "no text under the heading")


def divide(text: str, *, markdown: bool = False, choice: ChapterChoice = NO_CHOICE) -> Division:
    """Cut a text into sections at its headings; without any it is one section numbered 1.

    Args:
        text: the whole text of a file.
        markdown: whether markdown headings count where no line is a chapter's heading.
        choice: what decides the headings in place of the rules.

    Raises:
        InputError: the choice fits no line.
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
    left_out += [LeftOut(lines[one.at].number, one.title, EMPTY.say()) for one in (*empty, *cutter.without_story)]
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
) -> tuple[Sequence[Candidate], Sequence[Refused]]:
    """Return the headings as they are chosen, else as the rules judge them; none stands on a hidden line."""
    if choice:
        return choice.chosen(lines), ()
    lines = [replace(line, text="") if at in hidden else line for at, line in enumerate(lines)]
    judgement = judge(lines)
    if any(one.level == "chapter" for one in judgement.headings):
        return judgement.headings, judgement.refused
    volumes = {one.at for one in judgement.headings if one.level == "volume"}
    marked = (markdown_headings(lines, volumes) or markdown_headings(lines, ())) if markdown else []
    plain = marked or by_contents(lines)
    places = {one.at for one in plain}
    others = [one for one in judgement.headings if one.at not in places]
    return sorted([*others, *plain], key=lambda one: one.at), judgement.refused


def _runs(lines: Sequence[Line], headings: Sequence[Candidate], pages: set[int]) -> list[Run]:
    """Return the lines under each heading, without page numbers; the first run has no heading."""
    places = [-1, *(one.at for one in headings), len(lines)]
    bodies = [tuple(lines[at] for at in range(start + 1, end) if at not in pages) for start, end in pairwise(places)]
    return [Run(heading, body) for heading, body in zip([None, *headings], bodies, strict=True)]
