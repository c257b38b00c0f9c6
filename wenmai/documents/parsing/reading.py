"""A file's bytes to text, places and chunks: which reader a kind has."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from tools.errors import IngestError
from tools.wording import Words
from wenmai.documents.parsing.archives import check_archive
from wenmai.documents.parsing.chunking import chunked
from wenmai.documents.parsing.draft import MAX_CHARACTERS, Draft, TooLong
from wenmai.documents.parsing.kinds import MIME_TYPES, kind_of, refused
from wenmai.documents.parsing.office import read_pptx
from wenmai.documents.parsing.plain import read_markdown, read_text
from wenmai.documents.parsing.sheets import read_csv, read_xlsx
from wenmai.documents.parsing.webpages import read_docx, read_epub, read_html, read_pdf
from wenmai.ingestion.sources.decoding import Warn, decode

OTHER_KIND = Words("内容不是 {kind} 文件", "what it holds is no {kind} file")
EXPORT_ANEW = Words(
    "文件可能已损坏，或扩展名不对：请重新下载，或用原来的程序重新导出后再上传",
    "the file may be damaged or its extension wrong: fetch or export it anew and upload it again",
)
TOO_MANY = Words(
    "切分后有 {count:,} 段，上限是 {most:,} 段", "it is cut into {count:,} pieces, at most {most:,} are kept"
)
OTHER_FILE = Words("请换一个有正文的文件", "take a file with a text")
NO_TEXT = Words("没有文字", "it has no text")
SPLIT = Words("请拆成几个文件再上传", "split it into several files")
TOO_LONG = Words("正文超过 {most:,} 个字符", "its text has more than {most:,} characters")
MAX_CHUNKS = 5_000

BINARY: dict[str, Callable[[str, bytes, Draft], None]] = {
    "pdf": read_pdf,
    "docx": read_docx,
    "pptx": read_pptx,
    "xlsx": read_xlsx,
    "epub": read_epub,
}
TEXTUAL: dict[str, Callable[[str, Draft], None]] = {
    "text": read_text,
    "markdown": read_markdown,
    "html": read_html,
    "csv": read_csv,
}


def read(filename: str, data: bytes, size: int, overlap: int) -> dict[str, Any]:
    """Return `{mime_type, text, chunks: [[start, end, location]], warnings}`. Raises IngestError."""
    kind = kind_of(filename, data)
    draft = Draft()
    try:
        fill(kind, filename, data, draft)
    except TooLong as error:
        raise refused(filename, TOO_LONG.of(most=MAX_CHARACTERS), SPLIT) from error
    sections = draft.finished()
    if not sections:
        raise refused(filename, NO_TEXT, OTHER_FILE)
    text = draft.text[: sections[-1].end]
    pieces = chunked(text, sections, size, overlap)
    if len(pieces) > MAX_CHUNKS:
        raise refused(filename, TOO_MANY.of(count=len(pieces), most=MAX_CHUNKS), SPLIT)
    chunks = [piece.to_plain() for piece in pieces]
    return {"mime_type": MIME_TYPES[kind], "text": text, "chunks": chunks, "warnings": draft.warnings}


def fill(kind: str, filename: str, data: bytes, draft: Draft) -> None:
    """Read a file of a known kind."""
    if kind in ("docx", "pptx", "xlsx", "epub"):
        check_archive(filename, data, kind)
    if kind in BINARY:
        BINARY[kind](filename, data, draft)
    else:
        TEXTUAL[kind](decoded(filename, data, draft.warnings.append), draft)


def decoded(filename: str, data: bytes, warn: Warn) -> str:
    """Return a file's text. Raises IngestError, which names the format that the name promises."""
    try:
        return decode(Path(filename), data, warn)
    except IngestError as error:
        promised = Path(filename).suffix.lower().removeprefix(".")
        if promised not in BINARY:
            raise
        remedy = EXPORT_ANEW
        raise refused(filename, OTHER_KIND.of(kind=promised.upper()), remedy) from error
