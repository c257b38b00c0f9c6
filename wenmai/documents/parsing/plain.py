"""Markdown and plain text: headings as sections, lines by their numbers."""

import re

from tools.documents.records import Location
from wenmai.documents.parsing.draft import Draft, tidy
from wenmai.formats.blocks import table_rows
from wenmai.ingestion.chapters.headings import judge
from wenmai.ingestion.chapters.records import Line

MARKDOWN_HEADING = re.compile(r"^(#{1,6})\s+(.*?)\s*#*\s*$")
FENCE = re.compile(r"^\s*(```|~~~)")
TABLE_LINE = re.compile(r"^\s*\|.*\|\s*$")
TABLE_RULE = re.compile(r"^\s*\|(?:\s*:?-+:?\s*\|)+\s*$")
SECTIONS = ("chapter", "opening", "closing", "extra", "inner")
"""Levels of headings in a story that begin a section of a document."""
CELL_END = re.compile(r"(?<!\\)\|")


def read_text(text: str, draft: Draft) -> None:
    """Read lines; those that are a chapter's heading (第三回 …, Chapter 3) begin a section."""
    draft.begin(Location())
    lines = [Line(number, line) for number, line in enumerate(tidy(text).rstrip().split("\n"), 1)]
    headings = {one.at for one in judge(lines).headings if not one.form.run and one.level in SECTIONS}
    for at, line in enumerate(lines):
        if at in headings:
            draft.heading(1, line.text)
        else:
            draft.line(line.text, line.number)


def read_markdown(text: str, draft: Draft) -> None:
    """Read lines, headings outside of code, and tables row by row."""
    draft.begin(Location())
    fenced = False
    table: list[str] = []
    for number, line in enumerate(tidy(text).rstrip().split("\n"), 1):
        fenced ^= bool(FENCE.match(line))
        if TABLE_LINE.match(line) and not fenced:
            table.append(line)
            continue
        read_table(table, draft, number)
        table = []
        heading = None if fenced else MARKDOWN_HEADING.match(line)
        if heading:
            draft.heading(len(heading[1]), heading[2])
        else:
            draft.line(line, number)
    read_table(table, draft, len(text.split("\n")))


def read_table(lines: list[str], draft: Draft, after: int) -> None:
    """Add the rows of a table that ends before a line; without a rule under its head it is text with bars."""
    first = after - len(lines)
    if len(lines) < 2 or not TABLE_RULE.match(lines[1]):
        for number, line in enumerate(lines, first):
            draft.line(line, number)
        return
    cells = [[cell.strip() for cell in CELL_END.split(line.strip()[1:-1])] for line in (lines[0], *lines[2:])]
    for row in table_rows(cells):
        draft.line(row, first)
