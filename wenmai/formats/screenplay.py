"""Screenplays, in Fountain or as plain text: scenes are chapters, a cue in capitals speaks the lines below it.

After the syntax of fountain.io; indents, by which plain screenplays set cues and speeches apart, do not count.
"""

import re
from collections.abc import Iterator, Sequence

from wenmai.formats.blocks import Block

LEAST_SCENES = 2
LEAST_CUES = 2
LONGEST_CUE = 80  # characters
_SCENE = re.compile(
    r"^(?:\d+[A-Z]?[.\s]\s*)?(?P<scene>(?:INT|EXT|EST|INT\.?/EXT|I/E|内景|外景|内/外景)[. 、：:/].*?)"
    r"(?:\s+#?\d+[A-Z]?#?)?$"
)
_FORCED_SCENE = re.compile(r"^\.(?=[^.\s])(?P<scene>.+)$")
_CUE = re.compile(r"^@(?P<forced>\S.*)$|^(?P<cue>[A-ZÀ-Þ0-9][A-ZÀ-Þ0-9 .'’#-]*)(?:\s*\([^()]*\))*\s*\^?$")
_ASIDE = re.compile(r"\s*\([^()]*\)\s*\^?$")
_TRANSITION = re.compile(
    r"^(?:>.*[^<]|[A-Z ]+ TO:|FADE (?:IN|OUT)[:.]?|CUT TO BLACK\.?|\(?(?:MORE|CONTINUED|CONT[’']D)\)?:?)$"
)
_PAGE = re.compile(r"^(?:\d{1,3}\.?|={3,}|=.*)$")
_TITLE_KEY = re.compile(r"^(?P<key>[A-Z][A-Za-z ]{2,20}):\s*(?P<value>.*)$")
_COMMENT = re.compile(r"/\*.*?\*/|\[\[.*?\]\]", re.DOTALL)
_EMPHASIS = re.compile(r"(?<![\\\w])([*_]{1,3})(?=\S)(.+?)(?<=\S)\1(?!\w)")


def is_screenplay(text: str) -> bool:
    """Return True for a plain text with headings of scenes and cues."""
    lines = [line.strip() for line in text.split("\n")]
    cues = sum(_is_cue(lines, at) for at in range(len(lines)))
    return sum(bool(_SCENE.match(line)) for line in lines) >= LEAST_SCENES and cues >= LEAST_CUES


def screenplay_blocks(text: str) -> list[Block]:
    return list(_blocks(_COMMENT.sub("", text)))


def _is_cue(lines: Sequence[str], at: int) -> bool:
    """Return True for a line in capitals behind a blank one with a speech right below it."""
    line = lines[at]
    if len(line) > LONGEST_CUE or not (match := _CUE.match(line)) or _SCENE.match(line) or _TRANSITION.match(line):
        return False
    has_letter = match["forced"] or any(char.isalpha() for char in match["cue"])
    is_below_blank = at == 0 or not lines[at - 1]
    return bool(has_letter) and is_below_blank and at + 1 < len(lines) and bool(lines[at + 1])


def _blocks(text: str) -> Iterator[Block]:
    lines = [line.strip() for line in text.split("\n")]
    start = _body(lines)
    yield from (Block(text=line) for line in lines[:start] if line)
    at = start
    while at < len(lines):
        line = lines[at]
        if scene := _SCENE.match(line) or _FORCED_SCENE.match(line):
            yield Block(text=scene["scene"].strip(), level=2)
        elif line.startswith("#"):
            yield Block(text=line.lstrip("# "), level=1)
        elif _is_cue(lines, at):
            end = next((n for n in range(at + 1, len(lines)) if not lines[n]), len(lines))
            yield from _speech(line, lines[at + 1 : end])
            at = end
        elif line and not _TRANSITION.match(line) and not _PAGE.match(line):
            end = next((n for n in range(at + 1, len(lines)) if not lines[n]), len(lines))
            yield Block(text=_plain(" ".join(lines[at:end]).lstrip("!>").rstrip("<")))
            at = end
        at += 1


def _body(lines: Sequence[str]) -> int:
    """Return where the text begins behind a title page, which is lines `Key: value`."""
    first = next((at for at, line in enumerate(lines) if line), 0)
    if not lines or not _TITLE_KEY.match(lines[first]) or _TRANSITION.match(lines[first]):
        return 0
    return next((at for at in range(first, len(lines)) if not lines[at]), len(lines))


def _speech(cue: str, lines: Sequence[str]) -> Iterator[Block]:
    name = _ASIDE.sub("", cue.removeprefix("@").rstrip("^ "))
    while name != (shorter := _ASIDE.sub("", name)):
        name = shorter
    said = " ".join(line for line in lines if not re.fullmatch(r"\([^()]*\)", line))
    if said:
        yield Block(text=f"{name.title() if name.isupper() else name}: {_plain(said)}")


def _plain(text: str) -> str:
    return " ".join(_EMPHASIS.sub(r"\2", text).replace("\\*", "*").split())
