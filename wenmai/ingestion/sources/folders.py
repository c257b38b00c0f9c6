"""The files of a folder: those that are read, in natural order, and those that are skipped."""

import re
from collections.abc import Collection
from pathlib import Path

from tools.wording import Text, Words

FILE = Words("{name}（{kind}）", "{name} ({kind})")
OUTSIDE = Words("链接到文件夹之外", "a link that leads out of the folder")
NO_SUFFIX = Words("没有扩展名", "it has no extension")
NO_READER = Words("不支持 {suffix}", "{suffix} is not read")
_SYSTEM_FILES = frozenset(("thumbs.db", "desktop.ini"))


def readable(folder: Path, suffixes: Collection[str]) -> list[Path]:
    """Return the files of some formats within a folder, sorted by natural order."""
    return [file for file in _files(folder) if file.suffix.lower() in suffixes and _is_within(folder, file)]


def skipped(folder: Path, suffixes: Collection[str]) -> list[str]:
    """Return the files of other formats, each with the reason; those of a system are no one's."""
    rows = []
    for file in _files(folder):
        if file.suffix.lower() not in suffixes:
            kind: Text = NO_READER.of(suffix=file.suffix) if file.suffix else NO_SUFFIX
        elif not _is_within(folder, file):
            kind = OUTSIDE
        else:
            continue
        rows.append(FILE.say(name=file.relative_to(folder).as_posix(), kind=kind))
    return rows


def _files(folder: Path) -> list[Path]:
    files = [file for file in folder.rglob("*") if file.is_file() and not _is_hidden(file.relative_to(folder))]
    return sorted(files, key=_natural)


def _is_within(folder: Path, file: Path) -> bool:
    """Return False for a link that leads out of the folder."""
    return file.resolve().is_relative_to(folder.resolve())


def _is_hidden(name: Path) -> bool:
    return name.name.lower() in _SYSTEM_FILES or any(part.startswith((".", "~$", "__MACOSX")) for part in name.parts)


def _natural(path: Path) -> list[tuple[int, str]]:
    """Sort key in which chapter10 follows chapter9."""
    return [(int(piece), "") if piece.isdigit() else (-1, piece) for piece in re.split(r"(\d+)", str(path))]
