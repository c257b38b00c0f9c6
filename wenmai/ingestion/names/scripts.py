"""Scripts: lines that are spoken as `名字：…`, and who speaks them."""

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from tools.text.sentences import PROPERTY
from wenmai.formats.tables import CELL_JOINT
from wenmai.language.segmenting import segmenter, tag_of

_SPEAKER_LINE = re.compile(
    r"^\s*(?P<speaker>[^\s：:。！？，“”「」『』《》#>\-\[][^：:。！？，“”「」]{0,15})[：:](?=\s*\S)"
)
SCRIPT = 0.3
"""Share of a text's lines that are spoken as `名字：…` from which on it is a script."""
_NARRATED = re.compile(
    r"[曰道云问問說说答叫喝言叹笑骂喊思想议報报见教令付写禀启算声是]$|[了着]|\b(?:said|asked|replied|that)$"
)
"""Words before a colon that make a line narration (玄德曰：“…”) and not a script's line (玄德：…)."""
_ASIDE = re.compile(r"\s*[（(【\[].*$")
"""What a script puts behind a speaker: how he speaks."""
CHOICE = re.compile(
    r"^\s*(?:选项|選項|选择|選擇|choice|option)s?\s*\d*\s*[：:]|^\s*[-*]\s+(?:\[[ xX]\]|[☐☑])\s|^\s*>\s*\d+[.、)）]",
    re.MULTILINE | re.IGNORECASE,
)
_ADDRESSES = re.compile(r"[我你您咱俺妳]|[！？!?]|^[“\"「『‘]|\b(?:I|you|me|my|your|we|us|our)\b", re.IGNORECASE)
"""What is said to somebody; a label such as 地点： is followed by nothing of the kind."""
LEAST_OF_SCRIPT, LEAST_OF_WORD = 1 / 3, 1 / 2
"""Share of somebody's lines that must be said to somebody: in a script, and behind a common noun elsewhere."""
LEAST_LINES = 2
"""Lines that make a common noun a speaker outside of a script."""


def _speaker_of(line: str) -> tuple[str, re.Match[str]] | None:
    """Return the words before the colon of a line `名字：…` without an aside, and its beginning; None for others."""
    if (
        CELL_JOINT in line or PROPERTY in line or not (match := _SPEAKER_LINE.match(line))
    ):  # a row of a table, a property
        return None
    words = match["speaker"].strip()
    return _ASIDE.sub("", words).strip() or words, match


def spoken_line(line: str) -> re.Match[str] | None:
    """Return the beginning of a line that is spoken as `名字：…`, None for another one."""
    name, match = _speaker_of(line) or ("", None)
    return None if _NARRATED.search(name) else match


@dataclass(frozen=True, slots=True)
class SpeakerLine:
    """A line `名字：…`.

    Attributes:
        start: where the name stands.
        name: the words before the colon, without an aside: 派蒙（小声）.
        speech: what stands behind the colon.
        scripted: whether it stands in a script.
        sure: False where the words are rather a label (告示：) or the end of a narration (玄德曰：): only where they
            are the name of a person does that person speak.
    """

    start: int
    name: str
    speech: str
    scripted: bool
    sure: bool


def speaker_lines(text: str) -> list[SpeakerLine]:
    """Return the lines of a chapter that are, or may be, spoken as `名字：…`."""
    found, at = list[tuple[int, str, re.Match[str]]](), 0
    lines = text.splitlines(keepends=True)
    for line in lines:
        if not CHOICE.match(line) and (speaker := _speaker_of(line)):
            found.append((at, *speaker))
        at += len(line)
    spoken = [not _NARRATED.search(name) for _, name, _ in found]
    scripted = sum(spoken) >= SCRIPT * sum(1 for line in lines if line.strip())
    return [
        SpeakerLine(
            start=at + match.start("speaker"),
            name=name,
            speech=match.string[match.end() :].strip(),
            scripted=scripted,
            sure=is_spoken and (scripted or not segmenter().has_word(name)),
        )
        for (at, name, match), is_spoken in zip(found, spoken, strict=True)
    ]


def speaker_names(texts: Sequence[str]) -> list[str]:
    """Return the names of those who speak the lines `名字：…` of a source, in the order of their first ones."""
    lines = defaultdict[str, list[SpeakerLine]](list)
    for line in (line for text in texts for line in speaker_lines(text)):
        lines[line.name].append(line)
    return [name for name, own in lines.items() if _is_speaker(name, own)]


def _is_speaker(name: str, lines: Sequence[SpeakerLine]) -> bool:
    if len(name) < 2 or any(char.isdigit() for char in name):
        return False
    addressed = sum(bool(_ADDRESSES.search(line.speech)) for line in lines) / len(lines)
    if any(line.scripted and line.sure for line in lines):
        return addressed >= LEAST_OF_SCRIPT
    return len(lines) >= LEAST_LINES and addressed >= LEAST_OF_WORD and tag_of(name) == "n"
