"""The help of the commands: the code has the keys, and each text is looked up when it is shown."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from typer._click.formatting import HelpFormatter  # nothing else of typer names it

from tools.messages import HELP, say

HEADINGS = {"Options": "选项", "Arguments": "参数", "Commands": "命令"}
USAGE = {"[OPTIONS]": "[选项]", "COMMAND [ARGS]...": "命令 [参数]..."}
NOTES = {"default: ": "默认：", "required": "必填"}
OF_TYPER = {"Show this message and exit.": "help.app.help"}
ABOUT = ".about"  # ends the keys of commands
AFTER_FIRST_SENTENCE = r"(?s)(?<=\.) .*|(?<=。).+|\n.*"
ROW = r"(?s)(?P<help>.*?)(?P<note>\s*\[[^\[\]]*\])?"
PIECE = r"[\u2e80-\u9fff\uff00-\uffef][，。：；、）]*|[^\s\u2e80-\u9fff\uff00-\uffef]+\s*|\s+"
AS_IT_IS = "\b\n"  # in front of a paragraph that is wrapped already
LEAST_WIDTH = 10


class EnglishHelp(HelpFormatter):
    """A formatter of help that writes in English."""

    def write_text(self, text: str) -> None:
        """Write the paragraphs of a text."""
        super().write_text(text_of(text))

    def write_dl(self, rows: Sequence[tuple[str, str]], col_max: int = 30, col_spacing: int = 2) -> None:
        """Write options, arguments or commands with what they are for."""
        super().write_dl([(term, row_text(text, {})) for term, text in rows], col_max, col_spacing)


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
        super().write_text("\n\n".join(wrapped(one, width) for one in text_of(text).split("\n\n")))

    def write_dl(self, rows: Sequence[tuple[str, str]], col_max: int = 30, col_spacing: int = 2) -> None:
        """Write options, arguments or commands with what they are for."""
        width = self.width - min(max(len(term) for term, _ in rows), col_max) - col_spacing - 2
        told = [(term, wrapped(row_text(text, NOTES), max(width, LEAST_WIDTH))) for term, text in rows]
        super().write_dl(told, col_max, col_spacing)


def text_of(text: str) -> str:
    """Return a text of the help: the code has its key."""
    key = OF_TYPER.get(text, text)
    return say(key) if key.startswith(HELP) else " ".join(text.split())


def row_text(text: str, notes: Mapping[str, str]) -> str:
    """Return what an option is for, with its default and its bounds; of a command the first sentence."""
    found = re.fullmatch(ROW, text)
    assert found is not None  # the pattern takes every text
    help, note = text_of(found["help"]) if found["help"] else "", replaced(found["note"] or "", notes)
    return (re.sub(AFTER_FIRST_SENTENCE, "", help) if found["help"].endswith(ABOUT) else help) + note


def replaced(text: str, words: Mapping[str, str]) -> str:
    """Return a text with words in place of others."""
    for english, chinese in words.items():
        text = text.replace(english, chinese)
    return text


def wrapped(text: str, width: int) -> str:
    """Return a paragraph in lines of at most so many columns, which is wrapped no more."""
    return AS_IT_IS + "\n".join(lines_of(re.findall(PIECE, text), width))


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
    from unicodedata import east_asian_width  # not for English

    return sum(2 if east_asian_width(char) in "WF" else 1 for char in text)
