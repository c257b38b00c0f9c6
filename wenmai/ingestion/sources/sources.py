"""The chapters of a source as they stand in its files, before they have a place in a library."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from tools.errors import IngestError

_PARAGRAPH = re.compile(r"\u3000{2,}")
_CONTINUED = re.compile(r"[（(\s]?(?:[上中下续續]|continued)[)）]?$", re.IGNORECASE)
_BREAKS = re.compile(r"\n{3,}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """A heading with its text, in file order. `number` is None where the heading carries none."""

    number: int | None
    title: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceChapter:
    """A chapter of one task. `order` counts from 0 inside the task."""

    task_id: str
    task_name: str
    number: int
    title: str
    text: str
    order: int
    source_file: str


def clean(text: str) -> str:
    """Give a text Unix line ends, and a line break where a run of wide blanks stands for a paragraph."""
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\ufeff", "")
    return _BREAKS.sub("\n\n", _PARAGRAPH.sub("\n", text)).strip()


def clean_title(title: str) -> str:
    """Give a heading single blanks."""
    return " ".join(title.split())


def refuse(path: Path | str, reason: str, remedy: str) -> IngestError:
    """Build the one-line error that names the file, the reason and what to do."""
    return IngestError(f"无法导入 {path}：{reason}。{remedy}")


def number_sections(sections: Iterable[Section], stem: str, source_file: str) -> list[SourceChapter]:
    """Give every section its number and task: where numbers start again, task `<stem>#<part>` begins.

    A section without a number follows its predecessor. The number just used continues that chapter (第五回 上, 下).
    A number that is printed twice by mistake counts once.
    """
    parts: list[list[Section]] = [[]]
    for section in _corrected(list(sections)):
        if section.text.strip():
            _place(section, parts)
    return [
        SourceChapter(
            task_id=stem if at == 1 else f"{stem}#{at}",
            task_name=stem if at == 1 else f"{stem} {at}",
            number=section.number or 0,
            title=section.title,
            text=section.text,
            order=order,
            source_file=source_file,
        )
        for at, part in enumerate(parts, 1)
        for order, section in enumerate(part)
    ]


def _corrected(sections: list[Section]) -> list[Section]:
    """Return the sections with their true numbers: a second 第四章 of another title before 第六章 is the fifth."""
    numbered = [at for at, section in enumerate(sections) if section.number is not None and section.text.strip()]
    found = list(sections)
    for before, at, after in zip(numbered, numbered[1:], numbered[2:], strict=False):
        number = found[before].number or 0
        is_repeated = found[at].number == number and sections[after].number == number + 2
        if is_repeated and found[at].title != found[before].title and not _CONTINUED.search(found[at].title):
            found[at] = replace(found[at], number=number + 1)
    return found


def _continues(section: Section, first: Section) -> bool:
    """Return True if the number just used goes on; a second 第一回 right after the first begins a part instead."""
    return section.number != (first.number or 1) or bool(_CONTINUED.search(section.title))


def _place(section: Section, parts: list[list[Section]]) -> None:
    current = parts[-1]
    last = current[-1] if current else None
    if section.number is None:
        current.append(replace(section, number=(last.number or 0) + 1 if last else 1))
    elif last and section.number == last.number and _continues(section, current[0]):
        current[-1] = replace(last, title=last.title or section.title, text=f"{last.text}\n\n{section.text}")
    elif any(section.number == other.number for other in current):
        parts.append([section])
    else:
        current.append(section)
