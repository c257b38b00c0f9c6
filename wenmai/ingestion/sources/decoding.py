"""Bytes to text in any usual encoding, with a check that the result reads like a story and not like noise."""

import codecs
import unicodedata
from collections.abc import Callable
from pathlib import Path

from charset_normalizer import from_bytes

from wenmai.ingestion.sources.sources import refuse

MAX_BYTES = 64 * 1024 * 1024
ARCHIVES = frozenset({".epub", ".docx"})
"""Formats that hold pictures besides text."""
SAMPLE = 65_536
MAX_ODD_SHARE = 0.02
"""Share of characters that a text may hold outside letters, marks, digits, punctuation, symbols and blanks."""
MIN_COMMON_SHARE = 0.08
_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_CHINESE = ("gb18030", "big5hkscs", "utf-16-le", "utf-16-be")
# The commonest characters of simplified and traditional prose with its punctuation: a wrong table never yields them.
_COMMON = frozenset(
    "，。：；！？“”「」、的一是不了人我在有他这這中大来來上国國个個到说說们們为為子和你地出道也时時年得就那要下以生"
    "会會自着著去之过過家学學对對可她里裡后後小么麼心多天而能好都然没沒日于於起还還发發成事只作当當想看文无無开開"
    "手十用主行方又如前所本见見经經头頭面公同三己老从從动動两兩长長曰其与與者此言将將军軍兵马馬"
)


Contents = Callable[[Path], bytes]
"""Returns the bytes of a file."""


def read_bytes(path: Path) -> bytes:
    """Return the bytes of a file. Raises IngestError where it is missing, empty, too large or not readable."""
    most = 4 * MAX_BYTES if path.suffix.lower() in ARCHIVES else MAX_BYTES
    try:
        size = path.stat().st_size
        if size == 0:
            raise refuse(path, "文件是空的", "请换一个有正文的文件")
        if size > most:
            raise refuse(path, f"文件有 {size >> 20} MB，上限是 {most >> 20} MB", "请按卷拆成几个文件再导入")
        return path.read_bytes()
    except OSError as exc:
        raise refuse(path, f"读取失败（{exc.strerror or exc}）", "请检查路径和权限") from exc


def decode(path: Path, data: bytes) -> str:
    """Decode a text file. Raises IngestError for binary data and for unknown encodings."""
    text = _with_bom(data) or _strict(data, "utf-8") or _guess(data)
    if text is None or "\0" in text or _odd_share(text) > MAX_ODD_SHARE:
        raise refuse(path, "不是文本，或编码无法识别", "请另存为 UTF-8 编码的文本再导入")
    if not text.strip():
        raise refuse(path, "没有正文", "请换一个有正文的文件")
    return text


def _with_bom(data: bytes) -> str | None:
    encoding = next((name for bom, name in _BOMS if data.startswith(bom)), None)
    return _strict(data, encoding) if encoding else None


def _strict(data: bytes, encoding: str) -> str | None:
    try:
        return data.decode(encoding)
    except UnicodeDecodeError:
        return None


def _guess(data: bytes) -> str | None:
    """Take the Chinese encoding whose text has most common characters, else what charset-normalizer finds."""
    decoded = [text for text in (_strict(data, name) for name in _CHINESE) if text is not None]
    best = max(decoded, key=_common_share, default=None)
    if best is not None and _common_share(best) >= MIN_COMMON_SHARE:
        return best
    match = from_bytes(data[:SAMPLE]).best()
    return _strict(data, match.encoding) if match else None


def _common_share(text: str) -> float:
    sample = text[:SAMPLE]
    return sum(char in _COMMON for char in sample) / max(1, len(sample))


def _odd_share(text: str) -> float:
    sample = text[:SAMPLE]
    odd = sum(unicodedata.category(char)[0] == "C" and char not in "\n\r\t\u200b\ufeff\u3000" for char in sample)
    return odd / max(1, len(sample))
