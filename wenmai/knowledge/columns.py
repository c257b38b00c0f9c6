"""Plain CSV files as columns: what their values are, and whether they can be keys."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from tools.errors import InputError
from tools.language import is_chinese
from tools.tables.names import glossary, says_id, says_name, singular, without_name, words_of
from tools.wording import Words
from wenmai.knowledge.parsing import csv_records
from wenmai.knowledge.spec import DataType

NO_ENCODING = Words(
    "{path} 不是 UTF-8 或 GB18030 文本：请先转换编码", "{path} is no text in UTF-8 or GB18030: convert it first"
)
NOT_READ = Words("无法读取 {path}（{reason}）", "{path} cannot be read ({reason})")
DELIMITERS = ",;\t|"
ENCODINGS = ("utf-8-sig", "gb18030")
LONG_TEXT = 60  # characters; longer values on the average are texts
WHOLE = re.compile(r"[+-]?(?:0|[1-9]\d{0,17})")
DECIMAL = re.compile(r"[+-]?\d+\.\d+(?:[eE][+-]?\d+)?")
DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
TIME = re.compile(r"\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}.*")
KEY_TYPES = frozenset({"integer", "string"})
TITLE = "title"  # of a work, its name; of people, their job
DISTINCT = 0.9  # share of different values from which titles name rows
PART_NAMES = (("contact",), ("first",), ("last",), ("user",), ("middle",), ("given",), ("family",))


@dataclass(frozen=True)
class Column:
    """A column of a file; an empty cell is None."""

    header: str
    cells: Sequence[str | None]

    @cached_property
    def words(self) -> tuple[str, ...]:
        """The words of the header."""
        return words_of(self.header)

    @cached_property
    def values(self) -> frozenset[str]:
        """The different values."""
        return frozenset(cell for cell in self.cells if cell is not None)

    @cached_property
    def is_unique(self) -> bool:
        """Whether no value is there twice and none is missing."""
        return bool(self.cells) and len(self.values) == len(self.cells)

    @cached_property
    def type(self) -> DataType:
        """The data type that all values are of."""
        patterns: tuple[tuple[DataType, re.Pattern[str]], ...] = (("integer", WHOLE), ("date", DATE))
        for name, pattern in patterns:
            if self.values and all(map(pattern.fullmatch, self.values)):
                return name
        if self.values and all(WHOLE.fullmatch(one) or DECIMAL.fullmatch(one) for one in self.values):
            return "float"
        if self.values and all(TIME.fullmatch(one) or DATE.fullmatch(one) for one in self.values):
            return "datetime"
        filled = [cell for cell in self.cells if cell is not None]
        return "text" if sum(map(len, filled)) > LONG_TEXT * max(1, len(filled)) else "string"

    @property
    def may_be_key(self) -> bool:
        """Whether each row has a value of its own that can name it."""
        return self.is_unique and self.type in KEY_TYPES


@dataclass(frozen=True)
class TableFile:
    """A CSV file: its name's words in the singular, and its columns."""

    path: Path
    columns: Sequence[Column]

    @cached_property
    def words(self) -> tuple[str, ...]:
        """The words of the file's name, the last in the singular."""
        words = words_of(self.path.stem)
        return (*words[:-1], singular(words[-1])) if words else (self.path.stem,)

    @property
    def name(self) -> str:
        """What its rows are called."""
        return " ".join(self.words)

    def column(self, header: str) -> Column:
        """Return the column of a header that is there."""
        return next(one for one in self.columns if one.header == header)

    @cached_property
    def key(self) -> str:
        """The header of the column that tells its rows apart; '' where none does."""
        ranked = [(self._key_rank(one, at), -at, one.header) for at, one in enumerate(self.columns) if one.may_be_key]
        rank, _, header = max(ranked, default=(0, 0, ""))
        return header if rank else ""

    def _key_rank(self, column: Column, at: int) -> int:
        """Return how much a unique column looks like the key."""
        own = column.words[:-1] == self.words[-len(column.words) + 1 :] or column.words[:-1] == self.words
        if says_id(column.words):
            return 4 if own or len(column.words) == 1 else 3
        return 2 if says_name(column.words) and column.type == "string" else int(at == 0)

    @cached_property
    def name_column(self) -> str:
        """The header of the column that people call its rows by; '' where there is none."""
        ranked = [(self._name_rank(one), -at, one.header) for at, one in enumerate(self.columns)]
        rank, _, header = max(ranked, default=(0, 0, ""))
        return header if rank else ""

    def _name_rank(self, column: Column) -> int:
        """Return how much a column looks like the name of its rows."""
        if column.type != "string" or not says_name(column.words) or 2 * len(column.values) < len(column.cells):
            return 0
        rest = without_name(column.words)
        if column.words[-1] == TITLE and (not rest or not self._is_own(rest)):
            return int(len(column.values) >= DISTINCT * len(column.cells)) * (1 if rest else 3)
        if self._is_own(rest):
            return 4
        return 3 if rest == ("company",) else 1 if rest in PART_NAMES else 2

    def _is_own(self, rest: Sequence[str]) -> bool:
        """Return True if what stands before name in a header means the rows of this file."""
        own = {self.name, self.words[-1], *glossary().names.get(self.name, ())}
        said = " ".join(rest)
        return said in ("", "full") or said in own or self.words[-1] in rest or is_part(said, self.name)


def is_part(said: str, name: str) -> bool:
    """Return True if a Chinese word is a part of another one: 书 of 图书."""
    return is_chinese(said) and (said in name or name in said)


def read_tables(folder: Path) -> list[TableFile]:
    """Return the CSV files of a folder that have rows. Raises InputError."""
    files = sorted(path for path in folder.iterdir() if path.suffix.lower() in (".csv", ".tsv"))
    return [table for table in map(read_table, files) if table.columns and table.columns[0].cells]


def read_table(path: Path) -> TableFile:
    """Return a CSV file, whatever its delimiter, in UTF-8 or GB18030. Raises InputError."""
    text = decoded(path)
    rows = [row for _, row in csv_records(path, text, delimiter_of(text))]
    headers = list(rows[0]) if rows else []
    return TableFile(path, [Column(one, [stripped(row[one]) for row in rows]) for one in headers])


def stripped(cell: str | None) -> str | None:
    """Return a cell without blanks around it; one of blanks alone is empty."""
    return (cell or "").strip() or None


def decoded(path: Path) -> str:
    """Return the text of a file. Raises InputError."""
    for encoding in ENCODINGS:
        try:
            return path.read_text(encoding=encoding)
        except UnicodeDecodeError:
            continue
        except OSError as error:
            raise InputError(NOT_READ.of(path=path, reason=error.strerror)) from error
    raise InputError(NO_ENCODING.of(path=path))


def delimiter_of(text: str) -> str:
    """Return the delimiter of a CSV text: the one that its first line has most."""
    return max(DELIMITERS, key=text.partition("\n")[0].count)
