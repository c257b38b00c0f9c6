"""PDF through pypdf: the text layer, page by page."""

import io
import re
import unicodedata

from tools.documents.records import Location
from tools.language import CHINESE
from wenmai.documents.parsing.draft import Draft
from wenmai.documents.parsing.kinds import refused

MAX_PAGES = 5_000
WRAPPED_SHARE = 0.75  # a line this near to the longest of its page was broken by the layout
SENTENCE_ENDS = "。！？!?：:；;"
# PDF programs write 金 as the radical ⾦: another character, that no search would find.
RADICALS = re.compile(r"[\u2e80-\u2fdf]")


def read_pdf(filename: str, data: bytes, draft: Draft) -> None:
    """Read every page. Raises IngestError where a password is asked for, or no page has text."""
    from pypdf import PdfReader
    from pypdf.errors import DependencyError

    reader = PdfReader(io.BytesIO(data))
    try:
        locked = reader.is_encrypted and not reader.decrypt("")
    except (DependencyError, NotImplementedError):
        locked = True
    if locked:
        raise refused(filename, "PDF 设有密码", "请去掉密码后再上传")
    if len(reader.pages) > MAX_PAGES:
        raise refused(filename, f"有 {len(reader.pages):,} 页，上限是 {MAX_PAGES:,} 页", "请拆成几个文件再上传")
    for number, page in enumerate(reader.pages, 1):
        draft.begin(Location(page=number))
        for line in unwrapped(page.extract_text()):
            draft.line(line)
    if not draft.text.strip():
        raise refused(
            filename,
            f"{len(reader.pages)} 页都没有可提取的文字，可能是扫描件",
            "这里不提供文字识别（OCR）：请先用 OCR 软件转成带文字的 PDF",
        )


def unwrapped(text: str) -> list[str]:
    """Return the paragraphs of a page: lines that only the layout has broken are put together."""
    lines = [RADICALS.sub(plain_form, line).rstrip() for line in text.split("\n")]
    longest = max(map(width, lines), default=0)
    paragraphs: list[str] = []
    wraps = False
    for line in lines:
        if wraps and line.strip():
            paragraphs[-1] = joined(paragraphs[-1], line.lstrip())
        elif line.strip():
            paragraphs.append(line)
        wraps = width(line) >= WRAPPED_SHARE * longest and not line.endswith(tuple(SENTENCE_ENDS + "."))
    return paragraphs


def plain_form(radical: re.Match[str]) -> str:
    """Return the ordinary character of a radical."""
    return unicodedata.normalize("NFKC", radical[0])


def width(line: str) -> int:
    """Return how wide a line is set: a Chinese character takes two columns."""
    return len(line) + len(CHINESE.findall(line))


def joined(line: str, rest: str) -> str:
    """Put a broken line together: Chinese without a blank, a divided word without its hyphen."""
    if CHINESE.match(line[-1]) or CHINESE.match(rest[0]):
        return line + rest
    if line.endswith("-") and rest[0].islower():
        return line[:-1] + rest
    return f"{line} {rest}"
