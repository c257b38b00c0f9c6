"""EPUB and DOCX through their libraries: each gives sections, or lines in which chapters are looked for."""

import io
import warnings
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from wenmai.ingestion.chapters.choice import ChapterChoice
from wenmai.ingestion.chapters.forms import candidates
from wenmai.ingestion.chapters.splitting import divide, titled_section
from wenmai.ingestion.sources.decoding import MAX_BYTES
from wenmai.ingestion.sources.sources import Division, clean, clean_title, refuse

BLOCKS = ("p", "div", "li", "blockquote", "h1", "h2", "h3", "h4", "h5", "h6", "br", "tr")
_REMEDY = "请检查文件是否完整，或另存为 txt 再导入"


def read_epub(path: Path, data: bytes, choice: ChapterChoice) -> Division:
    """Return the chapters of an EPUB by their headings, else one for each document of the spine."""
    documents = list(_spine(path, data))
    text = "\n".join(document for _, document in documents)
    division = divide(text, choice=choice)
    if len(division.sections) > 1 or choice:
        return division
    return Division(tuple(titled_section(title, clean(body)) for title, body in documents if body.strip()))


def read_docx(path: Path, data: bytes, choice: ChapterChoice) -> Division:
    """Return the chapters of a DOCX; a paragraph in the style Heading 1 counts as a markdown heading."""
    from docx import Document
    from docx.opc.exceptions import PackageNotFoundError

    _check_archive(path, data)
    try:
        document = Document(io.BytesIO(data))
    except (PackageNotFoundError, KeyError, ValueError) as exc:
        raise refuse(path, f"不是可读的 DOCX（{exc}）", _REMEDY) from exc
    lines = (_docx_line(paragraph.text, paragraph.style) for paragraph in document.paragraphs)
    return divide("\n".join(lines), markdown=True, choice=choice)


def _docx_line(text: str, style: object) -> str:
    name = str(getattr(style, "name", "") or "")
    return f"# {text}" if name == "Heading 1" and text.strip() else text


def _spine(path: Path, data: bytes) -> Iterator[tuple[str, str]]:
    """Yield (title, text) of each document in reading order."""
    _check_archive(path, data)
    for page in pages_of(str(path), io.BytesIO(data)):
        yield _html_text(page)


def pages_of(name: str, book: BinaryIO) -> Iterator[bytes]:
    """Yield the pages of an EPUB in reading order; `name` is what an error calls it. Raises IngestError."""
    import ebooklib  # type: ignore[import-untyped]  # the package has no stubs
    from ebooklib import epub

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # ebooklib announces its own future defaults on every read
            opened = epub.read_epub(book, options={"ignore_ncx": True})
    except (epub.EpubException, KeyError, ValueError, OSError, AttributeError) as exc:
        raise refuse(name, f"不是可读的 EPUB（{exc}）", _REMEDY) from exc
    by_id = {item.get_id(): item for item in opened.get_items_of_type(ebooklib.ITEM_DOCUMENT)}
    for reference, _ in opened.spine:
        item = by_id.get(reference)
        if item is not None and not isinstance(item, epub.EpubNav):
            yield item.get_content()


def _html_text(content: bytes) -> tuple[str, str]:
    """Return a document's heading and its text with one line per block."""
    from bs4 import BeautifulSoup

    soup = BeautifulSoup(content, "html.parser")
    for block in soup.find_all(BLOCKS):
        block.append("\n")
    for tag in soup.find_all(("script", "style", "title")):
        tag.decompose()
    heading = soup.find(("h1", "h2", "h3"))
    title = clean_title(heading.get_text()) if heading else ""
    lines = (line.strip() for line in soup.get_text().split("\n"))
    body = "\n".join(line for line in lines if line)
    is_known = any(one.number is not None or one.level == "opening" for one in candidates(title) if not one.form.run)
    return title, body if is_known else body.removeprefix(title).strip()


def _check_archive(path: Path, data: bytes) -> None:
    """Refuse what is no archive, and archives that would unpack to more than a text may hold."""
    if not zipfile.is_zipfile(io.BytesIO(data)):
        raise refuse(path, "文件已损坏或不是声明的格式", _REMEDY)
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        size = sum(entry.file_size for entry in archive.infolist())
    if size > 4 * MAX_BYTES:
        raise refuse(path, f"解压后有 {size >> 20} MB", "请按卷拆成几个文件再导入")
