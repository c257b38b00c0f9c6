"""Text of an encoding in which a few bytes are wrong: each costs one character, not the book."""

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
SAMPLE = 65_536
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
    places = range(end, (most if line < 0 else max(end, line)) + 1)
    return max(
        places,
        key=lambda at: (_likeness(data, at, stray + AHEAD, encoding), -abs(at - stray - WIDE) if is_wide else -at),
    )


def _likeness(data: bytes, start: int, end: int, encoding: str) -> int:
    """Return how many usual characters bytes have; what is no character counts against."""
    text = str(data[start:end], encoding, "replace")[: None if end >= len(data) else -1]
    return sum(char in COMMON for char in text) - LONGEST_CHARACTER * text.count(REPLACED)


def common_share(text: str) -> float:
    sample = text[:SAMPLE]
    return sum(char in COMMON for char in sample) / max(1, len(sample))
