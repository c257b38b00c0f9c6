"""Texts in the notation of Aozora Bunko: readings, marks of layout, foreign characters, the legend and the colophon."""

import re
from collections.abc import Iterator

from wenmai.formats.blocks import Block

_RUBY = re.compile(r"(?<=[一-鿿々〆〇ヵヶ※])《[ぁ-ゖァ-ヺー・]{1,30}》")
_READING = re.compile(r"《[^《》\n]{1,60}》")
_MARK = re.compile(r"［＃[^［］]*(?:［[^［］]*］[^［］]*)*］")
_FOREIGN = re.compile(
    r"※［＃[^］]*?(?:U\+(?P<code>[0-9A-Fa-f]{4,5})"
    r"|第[34]水準(?P<plane>[12])-(?P<row>\d{1,2})-(?P<cell>\d{1,2}))[^］]*］"
)
_HEADING = re.compile(r"［＃(?:「[^」\n]*」は|ここから)?(?:同行|窓)?(?P<size>[大中小])見出し］")
_LEGEND = re.compile(r"^-{10,}\n【テキスト中に現れる記号について】\n.*?^-{10,}$", re.MULTILINE | re.DOTALL)
_COLOPHON = re.compile(r"^底本：", re.MULTILINE)
LEVELS = {"大": 1, "中": 2, "小": 3}
LEAST_READINGS = 2


def is_aozora(text: str) -> bool:
    """Return True for a text with the legend or the marks of this notation, or with several readings in 《》."""
    if "《" not in text and "［＃" not in text:
        return False
    is_marked = _LEGEND.search(text) or (_MARK.search(text) and _COLOPHON.search(text))
    return bool(is_marked) or len(_RUBY.findall(text)) >= LEAST_READINGS


def aozora_blocks(text: str) -> Iterator[Block]:
    """Yield a text's lines without the notation; its title is one of level 0, legend and colophon are notes."""
    legend, colophon = _LEGEND.search(text), _COLOPHON.search(text)
    end = colophon.start() if colophon else len(text)
    front, story = (text[: legend.start()], text[legend.end() : end]) if legend else ("", text[:end])
    if not legend and colophon:
        front, _, story = story.strip().partition("\n\n")
    for at, line in enumerate(line for line in map(plain_line, front.split("\n")) if line):
        yield Block(text=line, level=0 if at == 0 else None)
    for line in story.split("\n"):
        heading = _HEADING.search(line)
        if plain := plain_line(line):
            yield Block(text=plain, level=LEVELS[heading["size"]] if heading else None)
    for note in (legend[0] if legend else "", text[end:]):
        yield from (Block(text=line, is_note=True) for line in map(str.strip, note.split("\n")) if line.strip("- "))


def plain_line(line: str) -> str:
    line = _MARK.sub("", _FOREIGN.sub(_character, line))
    return _READING.sub("", line).replace("｜", "").strip()


def _character(mark: re.Match[str]) -> str:
    """Return the character that a mark describes by its place in Unicode or JIS X 0213, 〓 for an unknown one."""
    if mark["code"]:
        return chr(int(mark["code"], 16))
    code = bytes((int(mark["row"]) + 0xA0, int(mark["cell"]) + 0xA0))
    return (code if mark["plane"] == "1" else b"\x8f" + code).decode("euc_jis_2004", "replace").replace("\ufffd", "〓")
