"""DOCX, HTML and PDF to chapters, read as uploaded documents are."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from tools.wording import Words
from wenmai.formats.blocks import Unreadable
from wenmai.formats.docx import docx_blocks
from wenmai.formats.pages import page_blocks, parsed
from wenmai.formats.pdf import read_pages
from wenmai.formats.wrapping import SENTENCE_ENDS, joined
from wenmai.ingestion.chapters.choice import ChapterChoice
from wenmai.ingestion.chapters.splitting import divide
from wenmai.ingestion.sources.decoding import check_archive, decode
from wenmai.ingestion.sources.headings import divide_blocks
from wenmai.ingestion.sources.sources import Division, Warn, refuse

OF_FILE = Words("{name}：{warning}", "{name}: {warning}")
LEAST_PAGES = 3
_GOES_ON = tuple("，、,;；-")
_CLOSED = (*SENTENCE_ENDS, *"”’」』…\"'")
LEAST_LINE = 15
"""Characters of the last paragraph of a page, at least, if it goes on on the next."""


def read_docx(path: Path, data: bytes, choice: ChapterChoice, warn: Warn) -> Division:
    """Return the chapters of a DOCX. Raises IngestError."""
    check_archive(path, data)
    try:
        return divide_blocks(docx_blocks(data), choice)
    except Unreadable as error:
        raise refuse(path, error.reason, error.remedy) from error


def read_html(path: Path, data: bytes, choice: ChapterChoice, warn: Warn) -> Division:
    """Return the chapters of a web page. Raises IngestError."""
    return divide_blocks(page_blocks(parsed(decode(path, data, warn))), choice)


def read_pdf(path: Path, data: bytes, choice: ChapterChoice, warn: Warn) -> Division:
    """Return the chapters of a PDF. Raises IngestError."""
    try:
        found = read_pages(data)
    except Unreadable as error:
        raise refuse(path, error.reason, error.remedy) from error
    for warning in found.warnings:
        warn(OF_FILE.say(name=path.name, warning=warning))
    return divide("\n".join(running(found.pages)), choice=choice)


def running(pages: Sequence[Sequence[str]]) -> list[str]:
    """Return the paragraphs of pages without running heads; one that a page breaks is whole."""
    ends = Counter(end for page in pages for end in {line.strip() for line in (*page[:1], *page[-1:])})
    heads = {end for end, count in ends.items() if count >= max(LEAST_PAGES, len(pages) // 2)}
    found: list[str] = []
    for page in pages:
        lines = [line for at, line in enumerate(page) if at not in (0, len(page) - 1) or line.strip() not in heads]
        if found and lines and _goes_on(found[-1]):
            found[-1] = joined(found[-1], lines.pop(0).lstrip())
        found += lines
    return found


def _goes_on(line: str) -> bool:
    """Return True if a paragraph does not end with its page."""
    return line.endswith(_GOES_ON) or (len(line) >= LEAST_LINE and not line.endswith(_CLOSED))
