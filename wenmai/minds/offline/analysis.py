"""What a question asks: its names, its type, its words, the chapters that it is about."""

from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from state.schema import QuestionType
from tools.story.linking import Mention, NameTable
from wenmai.language.numerals import parse_number
from wenmai.minds.offline import lexicon
from wenmai.minds.offline.words import content_words, expansions, masked

Kind = Literal["who", "relation", "evolution", "network", "journey", "how", "scene", "range", "attribute", "fact"]
HISTORY_KINDS: tuple[Kind, ...] = ("journey", "evolution")  # told over chapters, in story order
GRADER_TYPES: dict[Kind, QuestionType] = {
    "who": "fact",
    "relation": "relation",
    "evolution": "journey",
    "network": "relation",
    "journey": "journey",
    "how": "journey",
    "scene": "detail",
    "range": "fact",
    "attribute": "fact",
    "fact": "fact",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Analysis:
    """A question taken apart.

    Attributes:
        entities: canonical names in order of mention, each once.
        mentions: the names of the question where they stand, ambiguous ones too.
        plain: the question with its names blanked.
        spellings: the question's own spellings of names, ambiguous ones too.
        words: content words beside the names.
        aspect: what the answer is (person, place, number, …), None where the question does not tell.
        chapters: inclusive bounds where the question names chapters.
    """

    question: str
    kind: Kind
    entities: tuple[str, ...]
    mentions: tuple[Mention, ...]
    plain: str
    spellings: tuple[str, ...]
    words: tuple[str, ...]
    aspect: str | None
    chapters: tuple[int, int] | None

    @property
    def grader_type(self) -> QuestionType:
        """The type that the grader reports (S003-14)."""
        return GRADER_TYPES[self.kind]

    @property
    def is_outline(self) -> bool:
        """Whether it asks what chapters tell, and of nobody and nothing in them."""
        return self.chapters is not None and not self.mentions and lexicon.OUTLINE_WORDS.issuperset(self.words)

    def covers(self, chapter: int | None) -> bool:
        """Tell whether a chapter is one that the question names."""
        return self.chapters is not None and chapter is not None and self.chapters[0] <= chapter <= self.chapters[1]

    @property
    def synonyms(self) -> dict[str, tuple[str, ...]]:
        """Each content word with the other words for it."""
        return {word: (word, *expansions(word)) for word in self.words}


@lru_cache(maxsize=16)  # planner, ranker, grader and refiner ask for the same one a dozen times a turn
def analyse(question: str, table: NameTable) -> Analysis:
    """Take a resolved question apart."""
    mentions = table.find(question)
    entities = tuple(dict.fromkeys(m.entity for m in mentions if m.entity))
    chapters = chapter_range(question)
    plain = masked(question, mentions)
    return Analysis(
        question=question,
        kind=kind_of(question, entities, chapters),
        entities=entities,
        spellings=tuple(dict.fromkeys(m.text for m in mentions)),
        mentions=tuple(mentions),
        plain=plain,
        words=tuple(content_words(lexicon.CHAPTER_NUMBER.sub(" ", plain))),
        aspect=next((name for name, pattern in lexicon.ASPECTS if pattern.search(question)), None),
        chapters=chapters,
    )


def chapter_range(question: str) -> tuple[int, int] | None:
    """Return the chapters that a question names, 第三回 or 第3到5章."""
    match = lexicon.CHAPTER_NUMBER.search(question)
    if not match:
        return None
    first, last = match[1] or match[3], match[2] or match[4]
    start = parse_number(first)
    end = parse_number(last) if last else start
    return (min(start, end), max(start, end)) if start is not None and end is not None else None


def kind_of(question: str, entities: tuple[str, ...], chapters: tuple[int, int] | None) -> Kind:
    """Return the first type whose pattern fits (S003-14, story.md §1), mentions included."""
    return next(kind for kind, fits in rules(question, entities, chapters) if fits)


def rules(question: str, entities: tuple[str, ...], chapters: tuple[int, int] | None) -> list[tuple[Kind, bool]]:
    """Return the types in order of precedence, and whether each fits."""
    return [
        ("evolution", bool(lexicon.EVOLUTION.search(question)) and len(entities) >= 2),
        ("relation", bool(lexicon.RELATION.search(question)) and bool(entities)),
        ("journey", bool(lexicon.JOURNEY.search(question)) and bool(entities)),
        ("range", chapters is not None),
        ("scene", bool(lexicon.QUOTATION.search(question) or lexicon.SCENE.search(question))),
        ("who", bool(lexicon.WHO.search(question)) and len(entities) == 1),
        ("network", bool(lexicon.NETWORK.search(question))),
        ("how", bool(lexicon.HOW.search(question)) and bool(entities)),
        ("attribute", len(entities) == 1),
        ("fact", True),
    ]
