"""What a question asks: its names, its type, the chapters that it is about, the words that say what it is about."""

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files
from typing import Literal, cast, get_args

from state.draft import QuestionType
from tools.language import HAN
from tools.story.names import Mention, NameTable
from tools.text.numerals import parse_number
from wenmai.language.patterns import patterns
from wenmai.language.segmenting import segmenter
from wenmai.language.spans import Span, meet

CONTENT_TAGS = ("n", "v", "a", "t", "i", "l", "j", "z", "s", "m", "b", "eng", "x")
_ENGLISH_WORD = re.compile(r"[A-Za-z][A-Za-z'’-]*|\d+")
_ENDINGS = ("'s", "’s", "ing", "ed", "es", "s")
LEAST_STEM = 3
SILENT = ("question_words", "stop_words")


@cache
def word_table(name: str) -> frozenset[str]:
    """Return one of the lists of words."""
    text = files("wenmai.minds.offline.questions").joinpath("words.toml").read_text(encoding="utf-8")
    return frozenset(str(tomllib.loads(text)[name]).split())


def content_words(text: str) -> list[str]:
    """Return the words that say what a text is about, in order, each once."""
    if not HAN.search(text):
        stop = word_table("english_stop")
        return list(dict.fromkeys(_stem(word) for word in _ENGLISH_WORD.findall(text.lower()) if word not in stop))
    tagged = segmenter().tag(text, False)  # guessed words join what does not belong together
    return list(dict.fromkeys(word.strip() for word, tag in tagged if tag.startswith(CONTENT_TAGS) and _says(word)))


def _says(word: str) -> bool:
    return bool(re.search(r"\w", word)) and not any(word.strip() in word_table(name) for name in SILENT)


def _stem(word: str) -> str:
    """Return an English word without its commonest endings."""
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= LEAST_STEM:
            return word[: -len(ending)]
    return word


HISTORIES = ("history", "evolution")

KindOfBook = Literal["abilities", "again", "asked", "chapters", "title", "characters", "narrator", "book", "chapter"]
Kind = Literal[KindOfBook, "first", "evolution", "relation", "history", "who", "fact"]
GRADER_TYPES: dict[Kind, QuestionType] = {"relation": "relation", "evolution": "journey", "history": "journey"}
WITHOUT_SEARCH: frozenset[Kind] = frozenset({"abilities", "again", "asked"})
_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
PLACES = patterns("wenmai.minds.offline.questions", "places.toml")
ABOUT_THE_BOOK: frozenset[Kind] = frozenset(get_args(KindOfBook))
"""Kinds that ask of no one: a name in the question blocks them."""
OF_A_CHAPTER: frozenset[Kind] = frozenset({"title", "chapter"})
"""Kinds that need a chapter."""
LEAST_NAMES: Mapping[Kind, int] = {"first": 1, "history": 1, "who": 1, "evolution": 2, "relation": 2}
"""Kinds that need so many names."""
KINDS = cast("Mapping[Kind, re.Pattern[str]]", patterns("wenmai.minds.offline.questions"))
"""The first of them that fits tells the kind."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question taken apart.

    Attributes:
        text: as resolved.
        kind: what it asks for.
        mentions: names where they stand, ambiguous ones too.
        entities: canonical names in order of mention, each once.
        chapters: inclusive bounds where it names chapters.
        section: a chapter that it names otherwise: -1 for the last one, -2 for the one before, or words of its title
            (楔子, epilogue).
        part: of the chapters.
    """

    text: str
    kind: Kind
    mentions: tuple[Mention, ...]
    entities: tuple[str, ...]
    chapters: tuple[int, int] | None
    section: int | str | None = None
    part: int | None = None

    @property
    def grader_type(self) -> QuestionType:
        """The type that the grader reports."""
        return GRADER_TYPES.get(self.kind, "fact")

    def covers(self, chapter: int | None) -> bool:
        """Return True for a chapter that the question names."""
        return self.chapters is not None and chapter is not None and self.chapters[0] <= chapter <= self.chapters[1]


@lru_cache(maxsize=16)  # planner, ranker, grader and refiner ask for the same one
def understood(text: str, table: NameTable) -> Question:
    """Take a resolved question apart; a name inside the number of a chapter (第十三章) is none."""
    chapters, section, place = _place(text)
    mentions = tuple(one for one in table.find(text) if not place or not meet((one.start, one.end), place))
    titles = [match.span() for match in PLACES["title"].finditer(text)]
    asked = [one for one in mentions if not any(meet((one.start, one.end), title) for title in titles)]
    entities = tuple(dict.fromkeys(mention.entity for mention in mentions if mention.entity))
    kind = kind_of(text, entities, asked, placed=bool(place))
    part = parse_number(found[1] or found[2]) if (found := PLACES["part"].search(text)) else None
    return Question(
        text=text, kind=kind, mentions=mentions, entities=entities, chapters=chapters, section=section, part=part
    )


def kind_of(text: str, entities: tuple[str, ...], asked: Sequence[Mention], *, placed: bool) -> Kind:
    """Return the first kind whose pattern fits.

    Args:
        text: the question.
        entities: the canonical names in it.
        asked: names that it asks about: they block what asks about the book.
        placed: it names a chapter.
    """
    for kind, wording in KINDS.items():
        match = wording.search(text)
        if not match or len(entities) < LEAST_NAMES.get(kind, 0):
            continue
        if kind in ABOUT_THE_BOOK and any(not _is_word_of(mention, match) for mention in asked):
            continue
        if (kind in OF_A_CHAPTER and not placed) or (kind == "book" and placed):
            continue
        return kind
    return "fact"


def _is_word_of(mention: Mention, match: re.Match[str]) -> bool:
    """Return True for a common word that tells the kind (title), although something bears it as a name (Title)."""
    start, end = match.span()
    return mention.text.isascii() and mention.text.islower() and start <= mention.start and mention.end <= end


def _place(text: str) -> tuple[tuple[int, int] | None, int | str | None, Span | None]:
    """Return the chapters that a question names by number, or else by place or title, and where it does."""
    if match := PLACES["from_the_last"].search(text):
        number = parse_number(match[1])
        return None, -number if number else None, match.span()
    if match := PLACES["chapter"].search(text):
        beside = PLACES["beside"].search(text[: match.start()])
        return _bounds(match), beside[1] if beside else None, match.span()
    if match := PLACES["ordinal"].search(text):
        number = _ORDINALS.index(match[1].lower()) + 1
        return (number, number), None, match.span()
    if match := PLACES["last"].search(text):
        return None, -1, match.span()
    match = PLACES["outside"].search(text)
    return (None, match[0], match.span()) if match else (None, None, None)


def _bounds(match: re.Match[str]) -> tuple[int, int] | None:
    first, last = match[1] or match[3], match[2] or match[4]
    start, end = parse_number(first), parse_number(last or first)
    return (min(start, end), max(start, end)) if start is not None and end is not None else None
