"""What a reader under a spoiler guard may not see of a book, reckoned from its text and its true chapters alone."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

from tools.records import Horizon

NOVELS = ("三国演义", "西游记", "红楼梦")
Kind = Literal["sentence", "words", "name", "title", "place", "count"]
LEAST_SENTENCE = 8  # characters of a sentence that counts
RUN = {True: 10, False: 7}  # characters (Chinese) or words (else) in a row that count as a piece of a sentence
LEAST_TITLE = {True: 4, False: 10}
ENDS = re.compile(r"[。！？!?；;…]+|\.(?=\s|$)|[“”「」\"]|(?:\r?\n){2,}|(?<=[\u3000-\u9fff\uff00-\uffef])\r?\n")
HAN = re.compile(r"[\u4e00-\u9fff]")
WORDS = re.compile(r"\w+")
COUNT = re.compile(r"(?<![第\d])(\d{1,4})\s*(?:章|回|chapters\b)", re.IGNORECASE)
PLACE = re.compile(r"(?:第\s*(?=\d{1,4}\s*[章回])|\b[Cc]hapter )(\d{1,4})")
OWN_WORDS = frozenset({"args", "as_of"})  # of a record: what the caller has named himself


@dataclass(frozen=True, slots=True, kw_only=True)
class TrueChapter:
    """A chapter as it is in the book."""

    part: int
    number: int
    title: str
    text: str


@dataclass(frozen=True, slots=True)
class Leak:
    """Something later than the guard, and where it was seen."""

    kind: Kind
    what: str
    where: str


def letters(text: str) -> str:
    """Return the letters and digits of a text alone."""
    return "".join(WORDS.findall(text)).lower()


@dataclass(frozen=True)
class Book:
    """A book with a guard: the last of `chapters` that its reader has read is number `read` of them, from 1.

    `names` are all names of the book, whoever found them.
    """

    name: str
    chapters: Sequence[TrueChapter]
    names: Sequence[str]
    read: int

    @property
    def horizon(self) -> Horizon:
        """The guard."""
        last = self.chapters[self.read - 1]
        return Horizon(last.part, last.number)

    @property
    def later(self) -> Sequence[TrueChapter]:
        """The chapters behind the guard."""
        return self.chapters[self.read :]

    @cached_property
    def is_chinese(self) -> bool:
        """Whether it is written in Chinese."""
        return len(HAN.findall(self.chapters[0].text[:1000])) > 100

    @cached_property
    def shown(self) -> str:
        """All that its reader has read, and the title on the cover."""
        read = [f"{one.title}\n\n{one.text}" for one in self.chapters[: self.read]]
        return "\n\n".join([f"the {self.name.replace('_', ' ')}", *read])

    @cached_property
    def hidden(self) -> str:
        """All that he has not."""
        return "\n\n".join(f"{one.title}\n\n{one.text}" for one in self.later)

    @cached_property
    def sentences(self) -> frozenset[str]:
        """The sentences, as their letters, that occur only behind the guard."""
        seen = letters(self.shown)
        return frozenset(one for one in sentences(self.hidden) if one not in seen)

    @cached_property
    def runs(self) -> frozenset[str]:
        """The rows of letters or words that occur only behind the guard."""
        return frozenset(runs(self.hidden, self.is_chinese)) - frozenset(runs(self.shown, self.is_chinese))

    @cached_property
    def later_names(self) -> Sequence[str]:
        """The names that occur only behind the guard, the most frequent first."""
        found = {name: self.hidden.count(name) for name in dict.fromkeys(self.names) if self._is_later(name)}
        return sorted(found, key=lambda name: (-found[name], name))

    @cached_property
    def known_names(self) -> Sequence[str]:
        """The names that the reader has met, the most frequent first."""
        found = {name: self.shown.count(name) for name in dict.fromkeys(self.names) if mentions(name, self.shown)}
        return sorted(found, key=lambda name: (-found[name], name))

    @cached_property
    def titles(self) -> Sequence[str]:
        """The titles of the later chapters that stand nowhere before."""
        seen, least = letters(self.shown), LEAST_TITLE[self.is_chinese]
        found = [letters(one.title) for one in self.later]
        return [one for one in dict.fromkeys(found) if len(one) >= least and one not in seen]

    def _is_later(self, name: str) -> bool:
        is_name = len(name) > 1 if HAN.search(name) else len(name) > 2 and name[:1].isupper()
        return is_name and mentions(name, self.hidden) and not mentions(name, self.shown)

    @cached_property
    def _name_pattern(self) -> re.Pattern[str]:
        found = sorted(self.later_names, key=len, reverse=True)
        return re.compile("|".join(map(bounded, found)) or r"(?!)")

    def leaks(self, text: str, typed: str, where: str) -> Iterator[Leak]:
        """Yield what a text tells of later chapters, but for the words that the user typed himself."""
        own, own_runs = letters(typed), frozenset(runs(typed, self.is_chinese))
        found = letters(text)
        for one in self.sentences.intersection(sentences(text)):
            if one not in own:
                yield Leak("sentence", one, where)
        for one in self.runs.intersection(runs(text, self.is_chinese)) - own_runs:
            yield Leak("words", one, where)
        for name in dict.fromkeys(self._name_pattern.findall(text)):
            if name.lower() not in typed.lower():
                yield Leak("name", name, where)
        for title in self.titles:
            if title in found and title not in own:
                yield Leak("title", title, where)
        yield from self._numbers(text, typed, where)

    def _numbers(self, text: str, typed: str, where: str) -> Iterator[Leak]:
        named, numbers = set(re.findall(r"\d+", typed)), [one.number for one in self.chapters[: self.read]]
        for count in COUNT.findall(text):
            if int(count) > self.read and count not in named and int(count) in (len(self.chapters), len(self.later)):
                yield Leak("count", count, where)
        for found in PLACE.finditer(text):
            if int(found[1]) > max(numbers) and found[1] not in named and found[0] not in self.shown:
                yield Leak("place", found[0], where)

    def leaks_of_record(self, value: object, typed: str, where: str, seen: set[str]) -> Iterator[Leak]:
        """Yield what plain data tells: each text of it, and each place that it names. `seen` takes the texts."""
        if isinstance(value, Mapping):
            yield from self._places(value, where)
            for key, one in value.items():
                at = f"{where}.{key}"
                yield from self.leaks_of_record(str(key), typed, at, seen)
                yield from self.leaks_of_record(texts_in(one) if key in OWN_WORDS else one, typed, at, seen)
        elif isinstance(value, list | tuple | set | frozenset):
            for one in value:
                yield from self.leaks_of_record(one, typed, where, seen)
        elif isinstance(value, str) and value.lstrip()[:1] in ("{", "[") and (data := loaded(value)) is not None:
            yield from self.leaks_of_record(data, typed, where, seen)
        elif isinstance(value, str):
            seen.add(value)
            yield from self.leaks(value, typed, where)

    def _places(self, value: Mapping[Any, Any], where: str) -> Iterator[Leak]:
        chapter, part = value.get("chapter"), value.get("part") or self.horizon.part
        if isinstance(chapter, int) and not self.horizon.shows(part, chapter):
            yield Leak("place", f"{part}, {chapter}", where)


def texts_in(value: object) -> object:
    """Return the texts of plain data; its numbers are the caller's own."""
    if isinstance(value, Mapping):
        return [texts_in(one) for one in value.values()]
    return [texts_in(one) for one in value] if isinstance(value, list | tuple) else value


def loaded(text: str) -> object:
    """Return the JSON that a text is, None where it is none."""
    try:
        return json.loads(text)
    except ValueError:
        return None


def sentences(text: str) -> set[str]:
    """Return the sentences of a text as their letters."""
    return {one for piece in ENDS.split(text) if len(one := letters(piece)) >= LEAST_SENTENCE}


def runs(text: str, is_chinese: bool) -> Iterator[str]:
    """Yield the rows of letters, or of words, of the length that counts."""
    units: Sequence[str] = letters(text) if is_chinese else [one.lower() for one in WORDS.findall(text)]
    size, joint = RUN[is_chinese], "" if is_chinese else " "
    return (joint.join(units[at : at + size]) for at in range(len(units) - size + 1))


def bounded(name: str) -> str:
    """Return the pattern of a name, which in other scripts than Chinese is a whole word."""
    return re.escape(name) if HAN.search(name) else rf"\b{re.escape(name)}\b"


def mentions(name: str, text: str) -> bool:
    """Return True if a text holds a name."""
    return name in text and re.search(bounded(name), text) is not None


def read_book(data: Path, name: str, names: Iterable[str] = ()) -> Book:
    """Return a book of the shared data, with a guard at a third of its chapters; `names` come beside its own."""
    chapters, own = _novel(data, name) if name in NOVELS else _marked(data / "books" / name)
    return Book(name, chapters, [*own, *names], max(1, len(chapters) // 3))


def text_of(data: Path, name: str) -> str:
    """Return a book as a plain text with its headings."""
    if name not in NOVELS:
        return (data / "books" / name / "text.txt").read_text("utf-8")
    return "\n\n".join(f"{one.title}\n\n{one.text}" for one in _novel(data, name)[0])


def _novel(data: Path, name: str) -> tuple[list[TrueChapter], list[str]]:
    rows = json.loads((data / "novels_zh" / f"{name}.json").read_text("utf-8"))["chapters"]
    chapters = [TrueChapter(part=1, number=at, title=row["title"], text=row["text"]) for at, row in enumerate(rows, 1)]
    if name != NOVELS[0]:
        return chapters, []
    known = json.loads((data / "sanguo" / "entity_aliases.json").read_text("utf-8"))["mention"]
    return chapters, [name for entity, aliases in known.items() for name in (entity, *aliases)]


def _marked(folder: Path) -> tuple[list[TrueChapter], list[str]]:
    text = (folder / "text.txt").read_bytes().decode("utf-8")
    gold: dict[str, Any] = json.loads((folder / "characters.json").read_text("utf-8"))
    parts: dict[str, int] = {}
    chapters = []
    for row in gold["chapters"]:
        part = parts.setdefault(row["part"], len(parts) + 1) if row["part"] else max(1, len(parts))
        number = row["number"] if isinstance(row["number"], int) else 0
        body = text[row["start"] : row["end"]]
        chapters.append(TrueChapter(part=part, number=number, title=row["title"], text=body))
    return chapters, [name for row in gold["characters"] for name in row["aliases"]]
