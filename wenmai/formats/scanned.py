"""What a scan leaves in a text: blanks between Chinese characters, running heads with page numbers, divided words."""

import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

from tools.text.sentences import STOPS

_HAN = r"[\u3007\u3400-\u9fff]"
_SIGN = r"[\u3007\u3400-\u9fff\u3001\u3002\uff01-\uff0f\uff1a-\uff1f“”‘’《》〈〉「」『』…—]"
_SPACED = re.compile(rf"(?<={_HAN}) (?={_HAN})")
_CLOSE = re.compile(rf"(?<={_HAN})(?={_HAN})")
_BLANK = re.compile(rf"(?<={_SIGN}) (?={_SIGN})")
SPACED_SHARE = 0.5
"""Share of neighbouring Chinese characters that a blank parts, if the blanks come from a scan."""
LEAST_PAIRS = 8
_HEAD = re.compile(r"^\s*(?:(?P<before>\d{1,4})\s{2,}(?P<left>\S.*?)|(?P<right>\S.*?)\s{2,}(?P<behind>\d{1,4}))\s*$")
_FRAMED = re.compile(r"^\s*[-—–·]{1,3}\s*\d{1,4}\s*[-—–·]{1,3}\s*$")
LEAST_HEADS, LONGEST_HEAD = 2, 200  # characters
_DIVIDED = re.compile(r"(?<=[a-z])-\n(?=[a-z])(\S+)[ \t]*")


def without_scan_marks(text: str) -> str:
    """Return a text as it was before it was scanned; the same text where nothing shows a scan."""
    lines = text.split("\n")
    is_spaced = has_blanks(text)
    heads = running_heads(lines) | (
        {at for at, line in enumerate(lines) if _FRAMED.match(line)} if is_spaced else set()
    )
    if heads:
        text = "\n".join(_without(lines, heads))
        text = _DIVIDED.sub(r"\1\n", text)
    return _BLANK.sub("", text) if is_spaced else text


def has_blanks(text: str) -> bool:
    """Return True if blanks stand between most Chinese characters."""
    spaced, close = len(_SPACED.findall(text)), len(_CLOSE.findall(text))
    return spaced >= LEAST_PAIRS and spaced >= SPACED_SHARE * (spaced + close)


def running_heads(lines: Sequence[str]) -> set[int]:
    """Return the places of lines with the same words and page numbers that count up."""
    short = {at: line for at, line in enumerate(lines) if len(line) <= LONGEST_HEAD}
    found = {at: match for at, line in short.items() if (match := _HEAD.match(line))}
    words = {at: " ".join((match["left"] or match["right"]).split()).casefold() for at, match in found.items()}
    numbers = {at: int(match["before"] or match["behind"]) for at, match in found.items()}
    counts = Counter(words.values())
    kept: set[int] = set()
    for head in (head for head, count in counts.items() if count >= LEAST_HEADS):
        places = [at for at in found if words[at] == head]
        pages = [numbers[at] for at in places]
        if all(before < after for before, after in pairwise(pages)):
            kept.update(places)
    return kept


def _without(lines: Sequence[str], heads: set[int]) -> list[str]:
    """Return the lines without heads; a sentence that a page breaks goes on without a gap."""
    found: list[str] = []
    is_gap = False
    for at, line in enumerate(lines):
        if at in heads:
            is_gap = True
        elif not line.strip() and is_gap:
            continue
        else:
            if is_gap:
                while found and not found[-1].strip():
                    found.pop()
                is_broken = bool(found) and not found[-1].rstrip().endswith((*STOPS, "."))
                found += [] if is_broken or not found else [""]
            is_gap = False
            found.append(line)
    return found
