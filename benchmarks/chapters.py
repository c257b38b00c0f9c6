"""Chapters of nine real books against their true lists, and what of their notes is left in the story.

    python benchmarks/chapters.py ../shared/data [--json FILE]

`books/*/characters.json` hold chapters and `not_story` ranges made by hand; a novel of `novels_zh` is read as the
plain text that its titles and texts make. Exits with 1 where a list is not the true one.
"""

import argparse
import json
import re
import sys
import tempfile
import time
from collections.abc import Sequence, Set
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from wenmai.ingestion.chapters.records import SourceChapter
from wenmai.ingestion.sources.loaders import load_source

NOVELS = ("三国演义", "西游记", "红楼梦")
LONG_LINE = 8
"""Characters of a line that counts as lost story; shorter ones are end marks."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TrueChapter:
    """A chapter as it is: number (None: outside of the count), title, part, the lines of its story."""

    number: int | None
    title: str
    part: str | None
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """What was found in a book: right chapters, lines of notes in the story, lines of the story that are lost."""

    book: str
    chapters: int
    found: int
    right: int
    notes: int
    notes_in_story: int
    story_lost: int
    seconds: float

    @property
    def is_exact(self) -> bool:
        """Whether the list of chapters is the true one."""
        return self.chapters == self.found == self.right


def squeezed(text: str) -> str:
    """Return a text without blanks."""
    return re.sub(r"\s+", "", text)


def compared(book: str, path: Path, true: Sequence[TrueChapter], notes: Sequence[str]) -> Row:
    """Read a file and compare it with its true chapters."""
    started = time.perf_counter()
    found = sorted(load_source(path).chapters, key=lambda one: one.line)
    seconds = time.perf_counter() - started
    pairs = list(zip(true, found, strict=False))
    story = squeezed("".join(one.text for one in found))
    return Row(
        book=book,
        chapters=len(true),
        found=len(found),
        right=sum(is_right(one, chapter) for one, chapter in pairs) if same_parts(true, found) else 0,
        notes=len(notes),
        notes_in_story=sum(squeezed(note) in story for note in notes),
        story_lost=sum(squeezed(line) not in squeezed(chapter.text) for one, chapter in pairs for line in one.lines),
        seconds=round(seconds, 2),
    )


def is_right(true: TrueChapter, found: SourceChapter) -> bool:
    """Return True if a chapter has its title and, if it is in the count, its number."""
    return squeezed(true.title) in squeezed(found.title) and true.number in (None, found.number)


def same_parts(true: Sequence[TrueChapter], found: Sequence[SourceChapter]) -> bool:
    """Return True if chapters of one part are of one part, and those of two are of two; a prologue goes with either."""
    named = {(one.part, chapter.task_id) for one, chapter in zip(true, found, strict=False) if one.part}
    return len(named) == len({part for part, _ in named}) == len({task for _, task in named})


def hand_made(folder: Path) -> tuple[list[TrueChapter], list[str]]:
    """Return the chapters and the notes of one of the six books."""
    raw = (folder / "text.txt").read_bytes().decode("utf-8")
    gold = json.loads((folder / "characters.json").read_text("utf-8"))
    notes = [line for one in gold["not_story"] for line in long_lines(raw[one["start"] : one["end"]])]
    rows = gold["chapters"]
    printed = {squeezed(str(row[name])) for row in rows for name in ("heading", "title", "part")}
    left_out = {*printed, *map(squeezed, notes)}
    return [_true(row, raw[row["start"] : row["end"]], left_out) for row in rows], notes


def _true(row: dict[str, Any], text: str, left_out: Set[str]) -> TrueChapter:
    """Return a chapter with the lines of its story: those that are neither headings nor notes."""
    number = row["number"] if isinstance(row["number"], int) else None
    lines = tuple(line for line in long_lines(text) if squeezed(line) not in left_out)
    return TrueChapter(number=number, title=row["title"], part=row["part"], lines=lines[row["title"] in lines[0] :])


def long_lines(text: str) -> list[str]:
    """Return the lines of a text that are long enough to be told apart."""
    return [line for line in text.splitlines() if len(line.strip()) >= LONG_LINE]


def novel(data: Path, name: str, folder: Path) -> tuple[Path, list[TrueChapter]]:
    """Write a novel as plain text; return the file and its chapters."""
    rows = json.loads((data / "novels_zh" / f"{name}.json").read_text("utf-8"))["chapters"]
    path = folder / f"{name}.txt"
    path.write_text("\n".join(f"{row['title']}\n{row['text']}\n" for row in rows), encoding="utf-8")
    true = [
        TrueChapter(number=row["n"] + 1, title=row["title"], part=None, lines=tuple(long_lines(row["text"])[1:]))
        for row in rows
    ]
    return path, true


def rows_of(data: Path) -> list[Row]:
    """Return what was found in each book."""
    rows = []
    for folder in sorted(path for path in (data / "books").iterdir() if path.is_dir()):
        true, notes = hand_made(folder)
        rows.append(compared(folder.name, folder / "text.txt", true, notes))
    with tempfile.TemporaryDirectory() as scratch:
        for name in NOVELS:
            path, true = novel(data, name, Path(scratch))
            rows.append(compared(name, path, true, ()))
    return rows


def main() -> int:
    """Print a table, write the figures, and tell by the exit code whether every list is exact."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    rows = rows_of(arguments.data)
    table = Table("book", "chapters", "found", "right", "notes", "in the story", "story lost", "seconds")
    for row in rows:
        table.add_row(*map(str, asdict(row).values()))
    Console().print(table)
    if arguments.json:
        arguments.json.write_text(json.dumps([asdict(row) for row in rows], ensure_ascii=False, indent=1) + "\n")
    return 0 if all(row.is_exact for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
