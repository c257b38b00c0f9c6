"""First-level headings of markdown, which divide a text that has no chapters of its own."""

import re

from tools.text.numerals import NUMERAL, parse_number
from wenmai.ingestion.chapters.forms import Candidate, Form
from wenmai.ingestion.chapters.records import clean_title

_MARKDOWN = re.compile(r"^#\s+(.+?)\s*#*$")
_NUMBER = re.compile(rf"^(?:\d+|[{NUMERAL}]+)(?=[\s.、:：])")
_FORM = Form("markdown", "chapter", _MARKDOWN)


def markdown_heading(text: str, at: int = 0) -> Candidate | None:
    """Recognise a first-level markdown heading."""
    match = _MARKDOWN.match(text)
    if not match:
        return None
    number = _NUMBER.match(match[1])
    title = clean_title(match[1])
    return Candidate(
        at=at,
        form=_FORM,
        number=parse_number(number[0]) if number else None,
        title=title,
        name=title,
        volume="",
        is_glued=False,
    )
