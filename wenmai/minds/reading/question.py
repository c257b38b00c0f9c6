"""What a question asks: its names, its type, the chapters that it is about."""

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Literal

from state.schema import QuestionType
from tools.story.linking import Mention, NameTable
from wenmai.language.numerals import parse_number

Kind = Literal[
    "abilities",
    "again",
    "asked",
    "chapters",
    "characters",
    "narrator",
    "first",
    "chapter",
    "evolution",
    "relation",
    "history",
    "who",
    "fact",
]
GRADER_TYPES: dict[Kind, QuestionType] = {"relation": "relation", "evolution": "journey", "history": "journey"}
WITHOUT_SEARCH: frozenset[Kind] = frozenset({"abilities", "again", "asked"})
_NUMBER = r"[0-9０-９零〇一二三四五六七八九十百两廿卅]+"
CHAPTER = re.compile(
    rf"第\s*({_NUMBER})\s*(?:[回章节](?!合)|\s*[到至]\s*第?\s*({_NUMBER})\s*[回章节])"
    r"|chapters?\s+(\d+)(?:\s*(?:-|to)\s*(\d+))?",
    re.IGNORECASE,
)
ABOUT_THE_BOOK: frozenset[Kind] = frozenset(
    {"abilities", "again", "asked", "chapters", "characters", "narrator", "chapter"}
)
"""Kinds that ask of no one: a name in the question blocks them."""
LEAST_NAMES: Mapping[Kind, int] = {"first": 1, "history": 1, "who": 1, "evolution": 2, "relation": 2}
"""Kinds that need so many names."""
_PATTERNS: tuple[tuple[Kind, re.Pattern[str]], ...] = tuple(
    (row["name"], re.compile("|".join(row["patterns"]), re.IGNORECASE))
    for row in tomllib.loads(files("wenmai.minds.reading").joinpath("patterns.toml").read_text(encoding="utf-8"))[
        "kind"
    ]
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question taken apart.

    Attributes:
        text: as resolved.
        kind: what it asks for.
        mentions: names where they stand, ambiguous ones too.
        entities: canonical names in order of mention, each once.
        chapters: inclusive bounds where it names chapters.
    """

    text: str
    kind: Kind
    mentions: tuple[Mention, ...]
    entities: tuple[str, ...]
    chapters: tuple[int, int] | None

    @property
    def grader_type(self) -> QuestionType:
        """The type that the grader reports."""
        return GRADER_TYPES.get(self.kind, "fact")

    def covers(self, chapter: int | None) -> bool:
        """Return True for a chapter that the question names."""
        return self.chapters is not None and chapter is not None and self.chapters[0] <= chapter <= self.chapters[1]


@lru_cache(maxsize=16)  # planner, ranker, grader and refiner ask for the same one
def understood(text: str, table: NameTable) -> Question:
    """Take a resolved question apart."""
    mentions = tuple(table.find(text))
    entities = tuple(dict.fromkeys(mention.entity for mention in mentions if mention.entity))
    chapters = chapter_range(text)
    kind = kind_of(text, entities, chapters, named=bool(mentions))
    return Question(text=text, kind=kind, mentions=mentions, entities=entities, chapters=chapters)


def kind_of(text: str, entities: tuple[str, ...], chapters: tuple[int, int] | None, *, named: bool) -> Kind:
    """Return the first kind whose pattern fits; a name that is asked about blocks what asks about the book."""
    for kind, pattern in _PATTERNS:
        if (kind in ABOUT_THE_BOOK and named) or (kind == "chapter" and not chapters):
            continue
        if len(entities) >= LEAST_NAMES.get(kind, 0) and pattern.search(text):
            return kind
    return "fact"


def chapter_range(text: str) -> tuple[int, int] | None:
    """Return the chapters that a question names, 第三回 or 第3到5章."""
    match = CHAPTER.search(text)
    if not match:
        return None
    first, last = match[1] or match[3], match[2] or match[4]
    start, end = parse_number(first), parse_number(last or first)
    return (min(start, end), max(start, end)) if start is not None and end is not None else None
