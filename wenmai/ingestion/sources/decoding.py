"""Bytes to text in any usual encoding, with a check that the result reads like a story and not like noise."""

import codecs
import io
import re
import unicodedata
import zipfile
from collections.abc import Callable
from pathlib import Path

from charset_normalizer import from_bytes

from tools.messages import Message, Names, say
from wenmai.ingestion.sources.mending import FEW_STRAYS, REPLACED, common_share, mended
from wenmai.ingestion.sources.sources import Warn, refuse, unheard

MAX_BYTES = 64 * 1024 * 1024
ARCHIVES = frozenset({".epub", ".docx", ".pdf"})
"""Formats that hold pictures besides text."""
SAMPLE = 65_536
MAX_ODD_SHARE = 0.02
"""Share of characters that a text may hold outside letters, marks, digits, punctuation, symbols and blanks."""
MIN_COMMON_SHARE = 0.08
MAX_FEW_SHARE = 0.1
"""The same for a few such characters in a short text."""
LEAST_VALID = 2
"""Characters beyond ASCII to each stray byte, at least, in a text that is UTF-8."""
SHOWN_LINES = 10
_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_CONTROL = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b\][^\x07\x1b\n]{0,80}\x07|[\x01-\x08\x0e-\x1f\x7f]")
"""Codes of a terminal, and control characters that are no blank."""
_CHINESE = ("gb18030", "big5hkscs", "utf-16-le", "utf-16-be")

Contents = Callable[[Path], bytes]
"""Returns the bytes of a file."""


def read_bytes(path: Path) -> bytes:
    """Return the bytes of a file. Raises IngestError where it is missing, empty, too large or not readable."""
    check_size(path)
    try:
        return path.read_bytes()
    except OSError as exc:
        raise refuse(
            path,
            Message("ingest.reading_failed", reason=exc.strerror or exc),
            Message("ingest.check_path_and_permissions"),
        ) from exc


def check_size(path: Path) -> None:
    """Refuse a file that is empty, too large or not there. Raises IngestError."""
    most = 4 * MAX_BYTES if path.suffix.lower() in ARCHIVES else MAX_BYTES
    try:
        size = path.stat().st_size
    except OSError as exc:
        raise refuse(
            path,
            Message("ingest.reading_failed", reason=exc.strerror or exc),
            Message("ingest.check_path_and_permissions"),
        ) from exc
    if size == 0:
        raise refuse(path, Message("file.empty"), Message("file.choose_one_with_text"))
    if size > most:
        raise refuse(
            path, Message("ingest.file_too_large", size=size >> 20, most=most >> 20), Message("ingest.split_by_volume")
        )


def check_archive(path: Path, data: bytes) -> None:
    """Refuse what is no archive, and archives that would unpack to more than a text may hold. Raises IngestError."""
    remedy = Message("ingest.save_as_txt")
    if not zipfile.is_zipfile(io.BytesIO(data)):
        raise refuse(path, Message("ingest.damaged_or_other_format"), remedy)
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        size = sum(entry.file_size for entry in archive.infolist())
    if size > 4 * MAX_BYTES:
        raise refuse(path, Message("ingest.unpacked_size", size=size >> 20), Message("ingest.split_by_volume"))


def decode(path: Path, data: bytes, warn: Warn = unheard) -> str:
    """Decode a text file; a stray byte or control code costs its characters, and a warning names the line.

    Raises IngestError for binary data and for unknown encodings.
    """
    text = _with_bom(data) or _strict(data, "utf-8") or _mended_utf8(data) or _guess(data)
    if text is None or _is_binary(text):
        raise refuse(path, Message("ingest.unknown_encoding"), Message("ingest.save_as_utf8"))
    cleaned = _CONTROL.sub("", text).replace("\0", REPLACED)
    if not cleaned.strip():
        raise refuse(path, Message("ingest.no_text"), Message("file.choose_one_with_text"))
    for found, words in (
        (_CONTROL.findall, Message("ingest.control_characters")),
        (_strays, Message("ingest.undecodable_bytes")),
    ):
        if rows := [(number, len(signs)) for number, line in enumerate(text.split("\n"), 1) if (signs := found(line))]:
            shown = f"{Names([number for number, _ in rows[:SHOWN_LINES]])}{'…' if len(rows) > SHOWN_LINES else ''}"
            warn(say(words.key, name=path.name, lines=shown, sign=REPLACED, count=sum(count for _, count in rows)))
    return cleaned


def _strays(line: str) -> list[str]:
    return [char for char in line if char in (REPLACED, "\0")]


def _with_bom(data: bytes) -> str | None:
    found = next(((bom, name) for bom, name in _BOMS if data.startswith(bom)), None)
    return mended(data.removeprefix(found[0]), found[1]) if found else None


def _mended_utf8(data: bytes) -> str | None:
    """Return UTF-8 with stray bytes; another encoding has no valid sequences between its invalid ones."""
    text = mended(data, "utf-8")
    if text is None or sum(char > "\x7f" for char in text) < LEAST_VALID * text.count(REPLACED):
        return None
    return text


def _strict(data: bytes, encoding: str) -> str | None:
    try:
        return data.decode(encoding)
    except UnicodeDecodeError:
        return None


def _guess(data: bytes) -> str | None:
    """Take the Chinese encoding whose text has most common characters, else what charset-normalizer finds."""
    for decoded in (_strict, mended):
        texts = [text for text in (decoded(data, name) for name in _CHINESE) if text is not None]
        best = max(texts, key=common_share, default="")
        if common_share(best) >= MIN_COMMON_SHARE:
            return best
    match = from_bytes(data[:SAMPLE]).best()
    return _strict(data, match.encoding) if match else None


def _is_binary(text: str) -> bool:
    """Return True for more odd characters than a text has by accident."""
    sample = _CONTROL.sub(lambda match: match[0] if len(match[0]) == 1 else "", text[:SAMPLE])
    odd = sum(unicodedata.category(char)[0] == "C" and char not in "\n\r\t\u200b\ufeff\u3000" for char in sample)
    return odd > len(sample) * (MAX_FEW_SHARE if odd <= FEW_STRAYS else MAX_ODD_SHARE)
