"""The grammar of headings (`forms.toml`): which lines may be headings, by their shape alone."""

import re
import tomllib
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Literal

from tools.text.numerals import NUMERAL, ORDINAL_WORDS, UNIT_WORDS, parse_number, parse_ordinal
from wenmai.ingestion.chapters.lines import narrowed

Level = Literal["volume", "chapter", "opening", "closing", "extra", "inner", "note"]
LONGEST = 80
OPENERS = tuple('([【《〈“‘「『"')
"""Marks that part a name from the number before it."""
UNGLUED: tuple[Level, ...] = ("opening", "closing", "inner", "note")
"""Words of these levels are headings only where a blank, a mark or nothing follows."""
_WORD = rf"(?:{UNIT_WORDS})(?:[\s-]+(?:and\s+)?(?:{UNIT_WORDS}|hundred))*"
_ROMAN = r"(?-i:[IVXLCDM]{1,8}|[Ⅰ-Ⅻ])"
PLACES = {
    "{zh}": rf"[{NUMERAL}]{{1,9}}",
    "{han}": f"[{re.sub('[0-9０-９-]', '', NUMERAL)}]{{1,7}}",
    "{dig}": r"\d{1,4}",
    "{year}": r"(?:1\d{3}|20\d{2}|[一二][〇○零一二三四五六七八九]{3})",
    "{roman}": _ROMAN,
    "{word}": _WORD,
    "{en}": rf"(?:\d{{1,4}}|{_WORD}|[ivxlcdm]{{1,8}}|[Ⅰ-Ⅻ])",
    "{ord}": rf"(?:(?:{UNIT_WORDS})[\s-]+)?(?:{ORDINAL_WORDS}|\d+(?:st|nd|rd|th))",
}
"""What stands for the placeholders of the patterns."""
_VOLUME_BEFORE = (
    r"(?P<volume>(?:第\s*{zh}\s*[部卷编編篇册冊集]|[卷部]\s*{zh}|[上中下][卷部册冊篇])[^。！？!?，,]{0,20}?(?=第\s*{zh}\s*[章回节節话話])"
    r"|(?:part|book|volume|vol\.?)\s*{en}[\s,.:—–-]+(?=ch(?:apter|ap)?\b))"
)
_DECORATION = r"^(?:[#*=~☆★◆◇■□●○◎※]{1,6}[、\s]*|[-—–]{2,}\s*)?(?P<open>[【〖〔「『<〈]|[(\[](?=第|chapter))?\s*"
_LEAD = r"(?:《[^》]{1,30}》[\s:]*)?(?:(?:正文|VIP|公众|免费|默认)(?:卷|章节)?[\s:]*|正文卷?)?"
_CLOSE = r"[\])】〗〕」』>〉]"
_FRAME = re.compile(r"(?P<mark>[-—–·•|*~=]{1,6})\s*(?P<inner>[^\s-].*?)\s*(?P=mark)")
FRAMED = "framed"
"""The form of a number between two marks (- 3 -), which is a page's more often than a chapter's."""
_APART = re.compile(r"^[\s:、.．·,—–-]+|^$")


@dataclass(frozen=True, slots=True)
class Form:
    """A shape of headings; a `run` form counts only in a run of numbers that counts up."""

    name: str
    level: Level
    pattern: re.Pattern[str]
    run: bool = False
    not_before: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A line that may be a heading.

    Attributes:
        at: its place among the lines.
        number: None where it is not numbered.
        title: the whole heading as printed, without decoration and without the volume.
        name: what follows the number.
        volume: the volume that the same line names, '' if none.
        is_glued: whether the name follows the number without a blank or a mark.
    """

    at: int
    form: Form
    number: int | None
    title: str
    name: str
    volume: str
    is_glued: bool

    @property
    def level(self) -> Level:
        """What kind of heading it would be."""
        return self.form.level


@cache
def forms() -> tuple[Form, ...]:
    """Return the grammar, in the order in which forms are tried."""
    rows = tomllib.loads((Path(__file__).parent / "forms.toml").read_text(encoding="utf-8"))["form"]
    return tuple(
        Form(
            name=row["name"],
            level=row["level"],
            pattern=re.compile(_filled(row["pattern"]), re.IGNORECASE),
            run=row.get("run", False),
            not_before=row.get("not_before", ""),
        )
        for row in rows
    )


def _filled(pattern: str) -> str:
    for place, meaning in PLACES.items():
        pattern = pattern.replace(place, meaning)
    return pattern


@cache
def _lead() -> re.Pattern[str]:
    return re.compile(_filled(f"{_DECORATION}{_LEAD}(?:{_VOLUME_BEFORE})?"), re.IGNORECASE)


def candidates(text: str, at: int = 0) -> list[Candidate]:
    """Return what a line may be as a heading, the surest form first; [] for prose and blank lines."""
    line = text.strip()
    if not line or len(line) > LONGEST:
        return []
    if frame := _FRAME.fullmatch(line):
        inner = candidates(frame["inner"], at)
        return [replace(one, form=replace(one.form, name=FRAMED)) if one.form.run else one for one in inner]
    plain = narrowed(line)
    lead = _lead().match(plain)
    start = lead.end() if lead else 0
    found = []
    for form in forms():
        match = form.pattern.match(plain, start)
        if match and (one := _candidate(line, plain, form, match, lead, at)):
            found.append(one)
            if not form.run:
                break
    return found


def _candidate(
    line: str, plain: str, form: Form, match: re.Match[str], lead: re.Match[str] | None, at: int
) -> Candidate | None:
    groups = match.groupdict()
    number = _number(groups.get("n"))
    if groups.get("n") and number is None:
        return None
    closing = re.compile(_CLOSE).match(plain, match.end()) if lead and lead["open"] else None
    end = closing.end() if closing else match.end()
    rest = plain[end:]
    is_apart = bool(closing) or plain[end - 1] in ")]" or rest.startswith(OPENERS) or bool(_APART.match(rest))
    if not is_apart and (form.run or form.level in UNGLUED):
        return None
    name = _APART.sub("", rest, count=1)
    printed = line[len(line) - len(name) :] if name else ""
    if lead and lead["open"] and not closing:
        printed = re.sub(f"{_CLOSE}$", "", printed)
    head = line[match.start() : match.end()]
    has_bracket = bool(lead and lead["open"])
    title = f"{head} {printed}" if has_bracket else line[match.start() :]
    return Candidate(
        at=at,
        form=form,
        number=number,
        title=" ".join(re.sub(r"\s*(?:[#*=~☆★◆◇■□●○◎※]+|[-—–]{2,})$", "", title).split()),
        name=" ".join(printed.split()),
        volume=" ".join(lead["volume"].split()) if lead and lead["volume"] else "",
        is_glued=not is_apart,
    )


def _number(text: str | None) -> int | None:
    if text is None:
        return None
    ordinal = parse_ordinal(re.sub(r"^the\s+", "", text, flags=re.IGNORECASE))
    return parse_number(text) if ordinal is None else ordinal
