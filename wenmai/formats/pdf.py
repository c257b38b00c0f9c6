"""PDF: the text layer page by page, columns in reading order through pdf_oxide; pages without text are named."""

import io
import json
import logging
import re
import unicodedata
from dataclasses import dataclass
from typing import Any

from tools.wording import Names, Words
from wenmai.formats.blocks import Unreadable
from wenmai.formats.wrapping import paragraphs

TOO_LONG = Words("有 {count:,} 页，上限是 {most:,} 页", "it has {count:,} pages, at most {most:,} are read")
UNLOCK = Words("请去掉密码后再上传", "take the password off and upload it again")
LOCKED = Words("PDF 设有密码", "the PDF has a password")
NOTHING = Words("{count} 页都没有可提取的文字{why}", "none of its {count} pages has a text{why}")
SCANNED = Words("，可能是扫描件", ", perhaps it was scanned")
UNMAPPED_ALL = Words("，字体没有到 Unicode 的对照表", ", its fonts have no map to Unicode")
EXPORT_ANEW = Words("请用原来的程序重新导出", "export it anew with the program that made it")
NO_PDF = Words("不是可读的 PDF（{reason}）", "it is no PDF that can be read ({reason})")
MAX_PAGES = 5_000
SHOWN_PAGES = 20
# PDF programs write 金 as the radical ⾦: another character, that no search would find.
RADICALS = re.compile(r"[\u2e80-\u2fdf]")
PAGE_NUMBER = re.compile(r"[-—–·\s]*(?:第\s*)?\d{1,4}(?:\s*页)?(?:\s*/\s*\d{1,4})?[-—–·\s]*")
LEAST_NUMBERED = 2
UNMAPPED = "glyph_mapping_missing"
IDENTITY = ("/Identity-H", "/Identity-V")
SPLIT = Words("请拆成几个文件再上传", "split it into several files")
OCR = Words(
    "这里不提供文字识别（OCR）：请先用 OCR 软件转成带文字的 PDF",
    "letters in pictures are not read here (OCR): make a PDF with a text of it first",
)
NO_TEXT = Words(
    "第 {pages} 页没有文字层，可能是扫描页，未读", "page {pages}: without a layer of text, perhaps scanned; not read"
)
NO_MAP = Words(
    "第 {pages} 页的字体没有到 Unicode 的对照表，其文字读不出或不可靠",
    "page {pages}: a font without a map to Unicode, its letters are missing or cannot be trusted",
)


@dataclass(frozen=True, slots=True)
class PdfText:
    """The paragraphs of each page, and what could not be read."""

    pages: list[list[str]]
    warnings: list[str]


def read_pages(data: bytes) -> PdfText:
    """Read every page. Raises Unreadable where a password is asked for, or no page has text."""
    from pdf_oxide import PdfDocument, disable_logging

    disable_logging()
    logging.getLogger("pypdf").setLevel(logging.CRITICAL)  # what it mends is of no interest
    maps = _unmapped_pages(data)
    texts: list[str | None] = []  # None where the letters of a page have no meaning
    try:
        document = PdfDocument.from_bytes(data)
        for page in range(document.page_count()):
            is_unmapped = json.loads(document.classify_page(page)).get("reason") == UNMAPPED
            texts.append(None if is_unmapped else str(document.extract_text(page)))
    except (RuntimeError, ValueError, OSError) as error:
        raise Unreadable(NO_PDF.of(reason=error), EXPORT_ANEW) from error
    plain = [RADICALS.sub(lambda radical: unicodedata.normalize("NFKC", radical[0]), text or "") for text in texts]
    pages = [paragraphs("\n".join(lines)) for lines in _without_numbers([text.strip().split("\n") for text in plain])]
    if not any(pages):
        why = UNMAPPED_ALL if None in texts else SCANNED
        raise Unreadable(NOTHING.of(count=len(pages), why=why), OCR)
    unmapped = sorted({*maps, *(at for at, text in enumerate(texts, 1) if text is None)})
    empty = [at for at, lines in enumerate(pages, 1) if not lines and at not in unmapped]
    warnings = [
        words.say(pages=f"{Names(found[:SHOWN_PAGES])}{'…' if len(found) > SHOWN_PAGES else ''}")
        for words, found in ((NO_TEXT, empty), (NO_MAP, unmapped))
        if found
    ]
    return PdfText(pages, warnings)


def _without_numbers(pages: list[list[str]]) -> list[list[str]]:
    """Return the lines of pages without page numbers, which stand at the same end of at least half of them."""
    for end in (0, -1):
        numbered = [page for page in pages if PAGE_NUMBER.fullmatch(page[end])]
        if len(numbered) >= max(LEAST_NUMBERED, len(pages) / 2):
            for page in numbered:
                page.pop(end)
                page.extend([""] * (not page))
    return pages


def _unmapped_pages(data: bytes) -> list[int]:
    """Return the pages with a font whose letters are mapped to no characters. Raises Unreadable."""
    from pypdf import PdfReader
    from pypdf.errors import DependencyError, PdfReadError

    try:
        reader = PdfReader(io.BytesIO(data))
        if reader.is_encrypted and not reader.decrypt(""):
            raise Unreadable(LOCKED, UNLOCK)
        if len(reader.pages) > MAX_PAGES:
            raise Unreadable(TOO_LONG.of(count=len(reader.pages), most=MAX_PAGES), SPLIT)
        return [at for at, page in enumerate(reader.pages, 1) if _has_unmapped(page)]
    except (DependencyError, NotImplementedError) as error:
        raise Unreadable(LOCKED, UNLOCK) from error
    except PdfReadError as error:
        raise Unreadable(NO_PDF.of(reason=error), EXPORT_ANEW) from error


def _has_unmapped(page: Any) -> bool:
    """Return True if a page shows text in a font without a map."""
    resources: Any = page.get("/Resources")
    fonts: Any = resources.get_object().get("/Font") if resources else None
    names = [name for name, font in fonts.get_object().items() if _is_unmapped(font.get_object())] if fonts else []
    contents = page.get_contents() if names else None
    shown = contents.get_data() if contents is not None else b""
    return any(re.search(rb"%s[\s\d.]+Tf" % re.escape(name.encode()), shown) for name in names)


def _is_unmapped(font: Any) -> bool:
    """Return True for a font that numbers its letters as it likes and says nowhere what they mean."""
    if font.get("/Encoding") not in IDENTITY or "/ToUnicode" in font:
        return False
    inner = [one.get_object() for one in font.get("/DescendantFonts") or ()]
    return all((one.get("/CIDSystemInfo") or {}).get("/Ordering", "Identity") == "Identity" for one in inner)
