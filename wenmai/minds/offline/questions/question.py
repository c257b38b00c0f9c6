"""What a question asks: kind, names, chapters, words; and how its names and words are looked for in a text."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Literal, cast, get_args

from state.draft import QuestionType
from state.schema import Evidence
from tools.language import HAN
from tools.networks.words import blanked
from tools.story.list_characters import Introducing
from tools.story.names import NameMention, NameTable, fold
from tools.text.numerals import parse_number
from tools.text.scripts import bigrams, inverse_frequency, simplified
from tools.text.words import stem
from tools.text.words import words_of as words_in
from wenmai.language.lexicon import patterns, table, word_set
from wenmai.language.narration import narrated, pronoun_spans
from wenmai.language.segmenting import segmenter
from wenmai.language.spans import Span, meet

CONTENT_TAGS = ("n", "v", "a", "t", "i", "l", "j", "z", "s", "m", "b", "eng", "x")
_ENGLISH_WORD = re.compile(r"[A-Za-z][A-Za-z'’-]*|\d+")
SILENT = ("question_words", "stop_words")


@cache
def word_table(name: str) -> frozenset[str]:
    return word_set(table("wenmai.minds.offline.questions", "words.toml")[name])


def content_words(text: str) -> list[str]:
    """Return the words that say what a text is about, in order, each once."""
    if not HAN.search(text):
        stop = word_table("english_stop")
        words = (re.sub("['’]s$", "", word) for word in _ENGLISH_WORD.findall(text.lower()))  # who's
        return list(dict.fromkeys(stem(word) for word in words if word not in stop))
    tagged = segmenter().tag(text, False)  # guessed words join what does not belong together
    words = (word.strip() for word, tag in tagged if tag.startswith(CONTENT_TAGS) and re.search(r"\w", word))
    return list(dict.fromkeys(one for one in words if not any(one in word_table(name) for name in SILENT)))


HISTORIES = ("history", "evolution", "deeds")

KindOfBook = Literal[
    "abilities",
    "again",
    "asked",
    "chapters",
    "title",
    "characters",
    "narrator",
    "recap",
    "open",
    "order",
    "book",
    "chapter",
]
Kind = Literal[KindOfBook, "last", "first", "met", "evolution", "relation", "history", "deeds", "way", "who", "fact"]
GRADER_TYPES: dict[Kind, QuestionType] = {"relation": "relation", "evolution": "journey", "history": "journey"}
WITHOUT_SEARCH: frozenset[Kind] = frozenset({"abilities", "again", "asked"})
_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
PLACES = patterns("wenmai.minds.offline.questions", "places.toml")
ABOUT_THE_BOOK: frozenset[Kind] = frozenset(get_args(KindOfBook))
"""Kinds that ask of no one: a name in the question blocks them."""
OF_A_CHAPTER: frozenset[Kind] = frozenset({"title", "chapter", "deeds"})
"""Kinds that need a chapter."""
OF_ALL: frozenset[Kind] = frozenset({"book", "order", "open"})
"""Kinds that ask of the whole book: a chapter blocks them."""
LEAST_NAMES: Mapping[Kind, int] = {
    "first": 1,
    "last": 1,
    "met": 2,
    "history": 1,
    "deeds": 1,
    "way": 1,
    "who": 1,
    "evolution": 2,
    "relation": 2,
}
"""Kinds that need so many names."""
KINDS = cast("Mapping[Kind, re.Pattern[str]]", patterns("wenmai.minds.offline.questions"))
"""The first of them that fits tells the kind."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ParsedQuestion:
    """A question taken apart.

    Attributes:
        mentions: names where they stand, ambiguous ones too.
        entities: canonical names in order of mention, each once.
        chapters: inclusive bounds where it names chapters.
        section: a chapter that it names otherwise: -1 for the last one, -2 for the one before, or words of its title
            (楔子, epilogue).
        part: of the chapters.
    """

    text: str
    kind: Kind
    mentions: tuple[NameMention, ...]
    entities: tuple[str, ...]
    chapters: tuple[int, int] | None
    section: int | str | None = None
    part: int | None = None

    @property
    def asks_identity(self) -> bool:
        """True where it asks who a person is, and not who is something of that person's."""
        return self.kind == "who" and len(self.mentions) == 1 and not words_of(self)

    def covers(self, chapter: int | None) -> bool:
        return self.chapters is not None and chapter is not None and self.chapters[0] <= chapter <= self.chapters[1]


@lru_cache(maxsize=16)  # planner, ranker, grader and refiner ask for the same one
def understood(text: str, table: NameTable) -> ParsedQuestion:
    """Take a resolved question apart; a name inside the number of a chapter (第十三章) is none."""
    chapters, section, place = _place(text)
    mentions = tuple(one for one in table.find(text) if not place or not meet((one.start, one.end), place))
    titles = [match.span() for match in PLACES["title"].finditer(text)]
    asked = [one for one in mentions if not any(meet((one.start, one.end), title) for title in titles)]
    entities = tuple(dict.fromkeys(mention.entity for mention in mentions if mention.entity))
    is_until = bool(chapters and chapters[0] == chapters[1] and PLACES["until"].search(text))
    kind = kind_of(text, entities, asked, placed=bool(place), is_until=is_until)
    if kind == "recap" and chapters:
        chapters = 0, chapters[1] - bool(PLACES["before"].search(text))
    part = parse_number(found[1] or found[2]) if (found := PLACES["part"].search(text)) else None
    return ParsedQuestion(
        text=text, kind=kind, mentions=mentions, entities=entities, chapters=chapters, section=section, part=part
    )


def kind_of(
    text: str, entities: tuple[str, ...], asked: Sequence[NameMention], *, placed: bool, is_until: bool = False
) -> Kind:
    """Return the first kind whose pattern fits.

    Names that a question asks about block what asks about the book; `placed`: it names a chapter, which with
    `is_until` is the end of what is asked about.
    """
    for kind, wording in KINDS.items():
        match = wording.search(text)
        if not match or len(entities) < LEAST_NAMES.get(kind, 0):
            continue
        # A common word that tells the kind (title) blocks nothing, although something bears it as a name (Title).
        within = (one for one in asked if match.start() <= one.start and one.end <= match.end())
        words = [one for one in within if one.text.isascii() and one.text.islower()]
        if kind in ABOUT_THE_BOOK and len(words) < len(asked):
            continue
        if (kind in OF_A_CHAPTER and not placed) or (kind in OF_ALL and placed):
            continue
        if kind == "recap" and placed and not is_until:
            continue  # a recap of a chapter is that of a chapter
        return kind
    return "fact"


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


@dataclass(frozen=True, slots=True)
class QuestionParts:
    """A question as its parts are looked for in a text.

    Attributes:
        names: those that it asks about, each with a pattern of all of its spellings for folded texts.
        pairs: bigrams of its words beside the names.
        others: those words, of a question in Latin script.
        introducing: what tells who the person is that it asks about; None for another question.
    """

    names: Mapping[str, re.Pattern[str]]
    pairs: frozenset[str]
    words: tuple[str, ...]
    introducing: Introducing | None = None
    others: tuple[str, ...] = ()

    @classmethod
    def of(cls, question: ParsedQuestion, table: NameTable) -> "QuestionParts":
        names = {name: naming(name, table) for name in question.entities}
        rest = blanked(question.text, question.mentions)
        introducing = Introducing.of(spellings_of(question.entities[0], table)) if question.kind == "who" else None
        others = () if HAN.search(rest) else tuple(content_words(rest))
        return cls(names, frozenset(bigrams(rest)), tuple(content_words(question.text)), introducing, others)

    @classmethod
    def nameless(cls, question: str) -> "QuestionParts":
        """Take a question apart where there is no list of names."""
        return cls({}, frozenset(bigrams(question)), tuple(content_words(question)))

    def named(self, text: str, piece: Evidence) -> float:
        """Return the share of the asked names in a part of a piece of evidence; 1 where none is asked.

        A person that the piece means without a name, as it does its narrator, is meant in all of it.
        """
        if not self.names:
            return 1.0
        part, whole = fold(text), fold(piece["text"])
        own = piece["entities"]
        meant = {name for name, pattern in self.names.items() if name in own and not pattern.search(whole)}
        return sum(name in meant or bool(self.names[name].search(part)) for name in self.names) / len(self.names)

    def to_narrator(self, question: str, piece: Evidence) -> str:
        """Return a question as it is asked of a piece that one of its people narrates: 我 and I stand for the name."""
        whole = fold(piece["text"])
        for name, pattern in self.names.items():
            if name in piece["entities"] and not pattern.search(whole) and pronoun_spans(narrated(piece["text"])):
                found = pattern.search(fold(question))
                return question if found is None else _with_pronoun(question, found.span())
        return question

    def is_about(self, words: str) -> bool:
        """Return True if words are a name that the question says itself, and not asks about: no answer to who."""
        return self.introducing is None and any(one.fullmatch(fold(words.strip())) for one in self.names.values())

    def introduced(self, sentence: str) -> float:
        """Return how much a sentence says of who the person in question is, at least 0."""
        return max(0.0, self.introducing.points(sentence)) if self.introducing else 0.0

    def worded(self, text: str, piece: Evidence) -> float:
        """Return the share of the question's bigrams beside its names in a part of a piece of evidence.

        Most bigrams of English stand in any text: of a passage whole words count.
        """
        if self.others and piece["kind"] == "passage":
            known = set(words_in(text))
            return sum(set(words_in(word)) <= known for word in self.others) / len(self.others)
        return len(self.pairs & bigrams(text)) / len(self.pairs) if self.pairs else 0.0


_CLASSICAL, _MODERN = re.compile("[之乎者也矣焉曰其]"), re.compile("[的了着吗呢吧们这那]")
LEAST_CLASSICAL = 0.02
"""Particles of classical Chinese in its texts; more of modern ones make a text a modern one."""


@lru_cache(maxsize=64)
def is_classical(text: str) -> bool:
    particles = len(_CLASSICAL.findall(text))
    return particles >= LEAST_CLASSICAL * len(text) and particles > 2 * len(_MODERN.findall(text))


@cache
def _classical_words() -> list[tuple[re.Pattern[str], list[str]]]:
    words = table("wenmai.minds.offline.questions", "classical.toml")["words"]
    return [(re.compile(modern), own.split()) for modern, own in words.items()]


def in_classical(question: str, text: str) -> str:
    """Return a question with the words that a text of classical Chinese has for its own, where it has not these."""
    if not is_classical(text):
        return question
    known = simplified(text)
    for modern, words in _classical_words():
        own = next((one for one in words if simplified(one) in known), None)
        if own and (found := modern.search(question)) and found[0] not in known:
            question = f"{question[: found.start()]}{own}{question[found.end() :]}"
    return question


_AUXILIARY = re.compile(
    r"\b(?:do|does|did|is|are|was|were|has|had|have|can|could|will|would|should|must|may)\s+$", re.IGNORECASE
)
_OWNER = re.compile(r"['’]s?\b")


def _with_pronoun(question: str, name: Span) -> str:
    before, behind = question[: name[0]], question[name[1] :]
    if HAN.search(question):
        return f"{before}我{behind}"
    if owner := _OWNER.match(behind):
        return f"{before}my{behind[owner.end() :]}"
    return f"{before}I{behind}" if _AUXILIARY.search(before) else question


def context_of(sentences: Sequence[tuple[int, int]], span: tuple[int, int], text: str) -> str:
    at = [number for number, one in enumerate(sentences) if one[0] < span[1] and span[0] < one[1]] or [0]
    first, last = max(0, at[0] - 1), min(len(sentences) - 1, at[-1] + 1)
    return text[sentences[first][0] : sentences[last][1]]


@lru_cache(maxsize=64)  # each piece of evidence is looked through for the same few names
def naming(name: str, table: NameTable) -> re.Pattern[str]:
    """Return a pattern that finds a name by any spelling in a folded text, as a whole word where words have borders."""
    spellings = map(fold, spellings_of(name, table))
    return re.compile("|".join(rf"(?<![a-z0-9]){re.escape(one)}(?![a-z0-9])" for one in spellings))


def spellings_of(name: str, table: NameTable) -> Sequence[str]:
    return table.aliases(name) or [name]


def shares(question: str, texts: Sequence[str]) -> list[float]:
    """Return 0..1 for each text: the share of the question's bigrams in it; rare ones weigh more."""
    folded = [fold(text) for text in texts]
    pairs = sorted(bigrams(question))  # sums of floats depend on the order
    weights = {pair: inverse_frequency(sum(pair in text for text in folded), len(folded)) for pair in pairs}
    total = sum(weights.values())
    return [sum(weight for pair, weight in weights.items() if pair in text) / (total or 1.0) for text in folded]


SPELLINGS = 3  # other spellings of a name in a query, the most mentioned first


def words_of(question: ParsedQuestion) -> list[str]:
    return content_words(blanked(question.text, question.mentions))


def expanded(question: ParsedQuestion, table: NameTable) -> str:
    """Return names, each with its other spellings, the most mentioned first, then the words."""
    names: list[str] = []
    for name in question.entities:
        others = [one for one in table.entities.get(name, ()) if one.text != name]
        others.sort(key=lambda one: (-one.mentions, one.text))
        names += [name, *(one.text for one in others[:SPELLINGS])]
    return " ".join(dict.fromkeys([*names, *words_of(question)])) or question.text
