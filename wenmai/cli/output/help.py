"""The help of the commands in Chinese: the code has it in English, and each text is looked up when it is shown."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from unicodedata import east_asian_width

from typer._click.formatting import HelpFormatter  # nothing else of typer names it

TABLE = Path(__file__).with_name("help.json")  # read without importlib.resources and tomllib, which load longer
HEADINGS = {"Options": "选项", "Arguments": "参数", "Commands": "命令"}
USAGE = {"[OPTIONS]": "[选项]", "COMMAND [ARGS]...": "命令 [参数]..."}
NOTES = {"default: ": "默认：", "required": "必填"}
ROW = re.compile(r"(?P<help>.*?)(?P<note>\s*\[[^\[\]]*\])?", re.DOTALL)
PIECE = re.compile(r"[\u2e80-\u9fff\uff00-\uffef][，。：；、）]*|[^\s\u2e80-\u9fff\uff00-\uffef]+\s*|\s+")
AS_IT_IS = "\b\n"  # in front of a paragraph that is wrapped already
LEAST_WIDTH = 10


class ChineseHelp(HelpFormatter):
    """A formatter of help that writes in Chinese."""

    def write_usage(self, prog: str, args: str = "", prefix: str | None = None) -> None:
        """Write how a command is called."""
        super().write_usage(prog, replaced(args, USAGE), "用法：")

    def write_heading(self, heading: str) -> None:
        """Write a heading."""
        self.write(f"{'':>{self.current_indent}}{HEADINGS.get(heading, heading)}：\n")

    def write_text(self, text: str) -> None:
        """Write the paragraphs of a text."""
        width = self.width - self.current_indent
        super().write_text("\n\n".join(wrapped(in_chinese(one), width) for one in text.split("\n\n")))

    def write_dl(self, rows: Sequence[tuple[str, str]], col_max: int = 30, col_spacing: int = 2) -> None:
        """Write options, arguments or commands with what they are for."""
        width = self.width - min(max(len(term) for term, _ in rows), col_max) - col_spacing - 2
        told = [(term, wrapped(row_in_chinese(text), max(width, LEAST_WIDTH))) for term, text in rows]
        super().write_dl(told, col_max, col_spacing)


@cache
def table() -> Mapping[str, str]:
    """Return the Chinese texts by the English ones."""
    texts: Mapping[str, str] = json.loads(TABLE.read_text(encoding="utf-8"))
    return texts


def in_chinese(text: str) -> str:
    """Return a text of the help in Chinese; of one that is cut short its first sentence, an unknown one as it is."""
    told = " ".join(text.split())
    if told in table():
        return table()[told]
    begun = told.removesuffix("...").rstrip(". ")
    whole = next((chinese for english, chinese in table().items() if begun and english.startswith(begun)), None)
    return told if whole is None else f"{whole.partition('。')[0]}。"


def row_in_chinese(text: str) -> str:
    """Return what is told of an option in Chinese, with its default and its bounds."""
    found = ROW.fullmatch(text)
    assert found is not None  # the pattern takes every text
    return (in_chinese(found["help"]) if found["help"] else "") + replaced(found["note"] or "", NOTES)


def replaced(text: str, words: Mapping[str, str]) -> str:
    """Return a text with words in place of others."""
    for english, chinese in words.items():
        text = text.replace(english, chinese)
    return text


def wrapped(text: str, width: int) -> str:
    """Return a paragraph in lines of at most so many columns, which is wrapped no more."""
    return AS_IT_IS + "\n".join(lines_of(PIECE.findall(text), width))


def lines_of(pieces: Iterable[str], width: int) -> Iterator[str]:
    """Yield lines of pieces that are never broken: a Chinese character is two columns wide."""
    line = ""
    for piece in pieces:
        if line and columns(line + piece.rstrip()) > width:
            yield line.rstrip()
            line = ""
        line += piece
    yield line.rstrip()


def columns(text: str) -> int:
    """Return how many columns of a terminal a text takes."""
    return sum(2 if east_asian_width(char) in "WF" else 1 for char in text)
