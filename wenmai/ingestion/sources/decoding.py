"""Bytes to text in any usual encoding, with a check that the result reads like a story and not like noise.

Where a few bytes are wrong, each costs one character, not the book.
"""

import codecs
import io
import re
import unicodedata
import zipfile
from collections.abc import Callable
from pathlib import Path

from charset_normalizer import from_bytes

from tools.errors import IngestError
from tools.wording import Names, Text, Words

REFUSED = Words("无法导入 {path}：{reason}。{remedy}", "{path} cannot be imported: {reason}; {remedy}")
Warn = Callable[[str], None]
"""Takes a line that says what is odd in a file."""


def unheard(warning: str) -> None:
    """Drop a warning."""


def refuse(path: Path | str, reason: Text, remedy: Text) -> IngestError:
    """Build the one-line error that names the file, the reason and what to do."""
    return IngestError(REFUSED.of(path=path, reason=reason, remedy=remedy))


REPLACED = "\ufffd"
BYTES_TO_A_STRAY = 200
FEW_STRAYS = 8
"""A text has one stray byte to so many, at most; a short one has a few."""
LONGEST_CHARACTER = 4
WIDE = 2
"""Bytes of a Chinese character where it does not have three or four."""
ASCII = "\x7f"
AHEAD = 40
"""Bytes behind a stray one that show where the next character begins."""
# The commonest characters of simplified and traditional prose with its punctuation: a wrong table never yields them.
COMMON = frozenset(
    "，。：；！？“”「」、的一是不了人我在有他这這中大来來上国國个個到说說们們为為子和你地出道也时時年得就那要下以生"
    "会會自着著去之过過家学學对對可她里裡后後小么麼心多天而能好都然没沒日于於起还還发發成事只作当當想看文无無开開"
    "手十用主行方又如前所本见見经經头頭面公同三己老从從动動两兩长長曰其与與者此言将將军軍兵马馬"
)


def mended(data: bytes, encoding: str) -> str | None:
    """Return a text with U+FFFD for what is not of the encoding, None where that is too much."""
    parts: list[str] = []
    view, at, left = memoryview(data), 0, max(FEW_STRAYS, len(data) // BYTES_TO_A_STRAY)
    while left >= 0:
        try:
            return "".join((*parts, str(view[at:], encoding)))
        except UnicodeDecodeError as error:
            stray = at + error.start
            before = str(view[at:stray], encoding)
            parts += (before, REPLACED)
            is_wide = encoding != "utf-8" and before[-1:] > ASCII
            at = _next(data, stray, at + error.end, encoding, is_wide=is_wide)
            left -= 1
    return None


def _next(data: bytes, stray: int, end: int, encoding: str, *, is_wide: bool) -> int:
    """Return where text goes on behind stray bytes: where it is most like text, but not behind the line.

    Of equal places it is the first, after a wide character the one where another would end.
    """
    most = max(end, stray + (LONGEST_CHARACTER if encoding == "utf-8" else WIDE + 1))
    line = data.find(b"\n", stray + 1, most)
    ahead = stray + AHEAD

    def likeness(at: int) -> tuple[int, int]:
        """Return how many usual characters the bytes from here have; what is no character counts against."""
        text = str(data[at:ahead], encoding, "replace")[: None if ahead >= len(data) else -1]
        usual = sum(char in COMMON for char in text) - LONGEST_CHARACTER * text.count(REPLACED)
        return usual, -abs(at - stray - WIDE) if is_wide else -at

    return max(range(end, (most if line < 0 else max(end, line)) + 1), key=likeness)


def common_share(text: str) -> float:
    sample = text[:SAMPLE]
    return sum(char in COMMON for char in sample) / max(1, len(sample))


STRAY = Words(
    "{name}：第 {lines} 行有无法解码的字节，以 {sign} 代替，共 {count} 处",
    "{name}: bytes of line {lines} could not be decoded; {sign} stands for them, {count} times",
)
CONTROLS = Words(
    "{name}：第 {lines} 行有控制字符，已去掉，共 {count} 处",
    "{name}: line {lines} has control characters, which are left out, {count} times",
)
NO_TEXT = Words("没有正文", "it has no text")
AS_UTF8 = Words("请另存为 UTF-8 编码的文本再导入", "save it as a text in UTF-8 and import that")
NO_ENCODING = Words("不是文本，或编码无法识别", "it is no text, or its encoding is unknown")
UNPACKED = Words("解压后有 {size} MB", "it unpacks to {size} MB")
DAMAGED = Words("文件已损坏或不是声明的格式", "the file is damaged, or not of the format that its name says")
REMEDY = Words(
    "请检查文件是否完整，或另存为 txt 再导入", "see that the file is whole, or save it as txt and import that"
)
PATH = Words("请检查路径和权限", "check path and rights")
NOT_READ = Words("读取失败（{reason}）", "it cannot be read ({reason})")
SPLIT = Words("请按卷拆成几个文件再导入", "split it into files by volume and import those")
TOO_LARGE = Words("文件有 {size} MB，上限是 {most} MB", "the file has {size} MB, at most {most} are read")
OTHER_FILE = Words("请换一个有正文的文件", "take a file with a text")
EMPTY = Words("文件是空的", "the file is empty")
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
_BOMS = {  # those of UTF-32 first, which begin as those of UTF-16 do
    codecs.BOM_UTF8: "utf-8",
    codecs.BOM_UTF32_LE: "utf-32-le",
    codecs.BOM_UTF32_BE: "utf-32-be",
    codecs.BOM_UTF16_LE: "utf-16-le",
    codecs.BOM_UTF16_BE: "utf-16-be",
}
_STRAY = re.compile(rf"[{REPLACED}\0]")
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
        raise refuse(path, NOT_READ.of(reason=exc.strerror or exc), PATH) from exc


def check_size(path: Path) -> None:
    """Refuse a file that is empty, too large or not there. Raises IngestError."""
    most = 4 * MAX_BYTES if path.suffix.lower() in ARCHIVES else MAX_BYTES
    try:
        size = path.stat().st_size
    except OSError as exc:
        raise refuse(path, NOT_READ.of(reason=exc.strerror or exc), PATH) from exc
    if size == 0:
        raise refuse(path, EMPTY, OTHER_FILE)
    if size > most:
        raise refuse(path, TOO_LARGE.of(size=size >> 20, most=most >> 20), SPLIT)


def check_archive(path: Path, data: bytes) -> None:
    """Refuse what is no archive, and archives that would unpack to more than a text may hold. Raises IngestError."""
    remedy = REMEDY
    if not zipfile.is_zipfile(io.BytesIO(data)):
        raise refuse(path, DAMAGED, remedy)
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        size = sum(entry.file_size for entry in archive.infolist())
    if size > 4 * MAX_BYTES:
        raise refuse(path, UNPACKED.of(size=size >> 20), SPLIT)


def decode(path: Path, data: bytes, warn: Warn = unheard) -> str:
    """Decode a text file; a stray byte or control code costs its characters, and a warning names the line.

    Raises IngestError for binary data and for unknown encodings.
    """
    text = _decoded(data)
    if text is None or _is_binary(text):
        raise refuse(path, NO_ENCODING, AS_UTF8)
    cleaned = _CONTROL.sub("", text).replace("\0", REPLACED)
    if not cleaned.strip():
        raise refuse(path, NO_TEXT, OTHER_FILE)
    for odd, words in ((_CONTROL, CONTROLS), (_STRAY, STRAY)):
        if rows := [(at, len(signs)) for at, line in enumerate(text.split("\n"), 1) if (signs := odd.findall(line))]:
            shown = f"{Names([number for number, _ in rows[:SHOWN_LINES]])}{'…' if len(rows) > SHOWN_LINES else ''}"
            warn(words.say(name=path.name, lines=shown, sign=REPLACED, count=sum(count for _, count in rows)))
    return cleaned


def _decoded(data: bytes) -> str | None:
    """Return a text by its byte order mark, as UTF-8, as UTF-8 with stray bytes, or in the likeliest encoding."""
    if bom := next((bom for bom in _BOMS if data.startswith(bom)), None):
        text = mended(data.removeprefix(bom), _BOMS[bom])
    else:
        text = _strict(data, "utf-8")
    if text:
        return text
    text = mended(data, "utf-8")
    # Another encoding has no valid sequences between its invalid ones.
    if text and sum(char > "\x7f" for char in text) >= LEAST_VALID * text.count(REPLACED):
        return text
    return _guess(data)


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
