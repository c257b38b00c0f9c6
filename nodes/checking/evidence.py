"""The evidence as a draft is compared with it: what each piece says, and what the reader sees in it."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

from nodes.checking.wordings import ADDRESS, ORDERS, SENDS
from nodes.checking.words import Number, holds, numbers_of, stem
from nodes.results.citations import bigrams, letters
from nodes.roles import AnswerReader, ReadAnswer
from state.schema import Evidence
from tools.language import HAN, characters
from tools.story.names import NameTable
from tools.text.sentences import statement_spans

_WORD = re.compile(r"[^\W\d_]{3,}")
_COMMON = re.compile(
    r"the|and|was|were|are|has|had|have|his|hers?|him|she|they|them|their|its|that|this|these|those|with|from|for|but|not"
    r"|who|whom|whose|what|when|where|which|while|then|than|there|into|onto|over|upon|about|after|before|also|been|being"
    r"|did|does|done|very|more|most|some|such|only|own|out|all|any|can|could|would|should|will|shall|may|might",
    re.IGNORECASE,
)
_TELLING = re.compile(
    r"(?<=[，,…—])”[^“”\n]{1,40}[，,：:]“"
    r"|(?<=[，,])」[^「」\n]{1,40}[，,：:]「"
    r"|(?<=,)\"\s[^\"\n]{1,60}[,.:]\s\""
)
"""What stands between two parts of a speech."""
MOST_READS = 32
"""Texts that are read for a draft; what comes later is judged by its words alone."""
WINDOW = 280
"""Chinese characters of a text that is read, around the sentence that is nearest to the claim."""
Span = tuple[int, int]
Asking = Literal["who", "what", "number"]
_ASKING: dict[Asking, tuple[str, str]] = {
    "who": ("谁", "who"),
    "what": ("什么", "what"),
    "number": ("多少", "how many"),
}


def words_of(text: str) -> frozenset[str]:
    """Return what a text says as comparable units: pairs of Chinese characters, stems of longer words."""
    chinese = "".join(char if HAN.match(char) else " " for char in text)
    pairs = {pair for part in chinese.split() for pair in bigrams(part)}
    latin = (word.casefold() for word in _WORD.findall(HAN.sub(" ", text)) if not _COMMON.fullmatch(word))
    return frozenset(pairs | set(map(stem, latin)))


@dataclass(frozen=True)
class EvidenceText:
    """A piece of evidence; what only an order in it says is no ground for anything."""

    piece: Evidence
    table: NameTable

    @cached_property
    def text(self) -> str:
        """Its text and where it stands, without orders to the writer or reader of an answer."""
        return "\n".join(_trusted(self.piece["text"]))

    @cached_property
    def letters(self) -> str:
        """The letters of its whole text."""
        return letters(self.piece["text"])

    @cached_property
    def speech(self) -> str:
        """Its letters without what tells, within a speech, who speaks it."""
        return letters(_TELLING.sub("", self.piece["text"]))

    def has_quote(self, quote: str) -> bool:
        """Return True if it has a quotation, also where it is told in the middle who speaks."""
        return holds(self.letters, quote) or holds(self.speech, quote)

    @cached_property
    def words(self) -> frozenset[str]:
        """What its text says."""
        return words_of(f"{self.text}\n{self.piece['title'] or ''}")

    @cached_property
    def all_words(self) -> frozenset[str]:
        """What its text says, with the orders in it."""
        return words_of(self.piece["text"])

    @cached_property
    def numbers(self) -> list[Number]:
        """The numbers in it, those that may only be parts of words with them, and those of its place."""
        place = (self.piece[key] for key in ("chapter", "part", "title", "source", "location"))
        return [*numbers_of(self.piece["text"]), *numbers_of(" ".join(str(one or "") for one in place))]

    @cached_property
    def names(self) -> frozenset[str]:
        """The entities that it names or belongs to."""
        text = f"{self.piece['text']}\n{self.piece['title'] or ''}"
        found = {name.entity for mention in self.table.find(text) for name in mention.candidates}
        return frozenset(found | set(self.piece["entities"]))

    @cached_property
    def sentences(self) -> list[tuple[str, frozenset[str]]]:
        """Its sentences, each with what it says."""
        found = [self.text[start:end] for start, end in statement_spans(self.text)]
        return [(one, words_of(one)) for one in found]

    def nearest(self, wanted: frozenset[str]) -> tuple[str, float]:
        """Return the sentence that says most of some words, and the share of them that it says."""
        rows = [(len(wanted & words), sentence) for sentence, words in self.sentences]
        best = max(rows, key=lambda row: row[0], default=(0, ""))
        return best[1], best[0] / max(1, len(wanted))

    def share(self, wanted: frozenset[str]) -> float:
        """Return the share of some words that the piece says."""
        return len(wanted & self.words) / max(1, len(wanted))


def _trusted(text: str) -> list[str]:
    """Return the lines of a text without the sentences that give orders or send their reader somewhere."""
    kept: list[str] = []
    for line in text.split("\n"):
        sentences = [line[start:end] for start, end in statement_spans(line)]
        trusted = [one for one in sentences if not (ORDERS.search(one) or (SENDS.search(one) and ADDRESS.search(one)))]
        kept += [line] if len(trusted) == len(sentences) else trusted
    return kept


@dataclass(slots=True)
class ClaimReader:
    """A reader for one draft, which reads at most so many texts."""

    reader: AnswerReader
    left: int = MOST_READS
    _known: dict[tuple[str, str], ReadAnswer | None] = field(default_factory=dict)

    def margin(self, sentence: str, ground: EvidenceText, words: frozenset[str]) -> float | None:
        """Return the log odds that a piece has what a sentence says; None where no more may be read."""
        found = self._best(sentence, window(ground, words))
        return found.margin if found else None

    def asked(self, sentence: str, span: Span, kind: Asking, ground: EvidenceText) -> "ReaderAnswer | None":
        """Return what a piece says in place of a part of a sentence, None if nothing is read."""
        start, end = span
        asking = _ASKING[kind][0 if HAN.search(sentence) else 1]
        question = f"{sentence[:start]}{asking}{sentence[end:]}".rstrip("。.！!；; ") + "？"
        text = window(ground, words_of(sentence))
        found = self._best(question, text)
        return ReaderAnswer(text, text[slice(*found.span)], found.span[0], found.margin) if found else None

    def answer(self, question: str, ground: EvidenceText, words: frozenset[str]) -> ReadAnswer | None:
        """Return the best answer of a piece."""
        return self._best(question, window(ground, words))

    def _best(self, question: str, text: str) -> ReadAnswer | None:
        key = (question, text)
        if key not in self._known and text.strip() and self.left > 0:
            self.left -= 1
            self._known[key] = max(self.reader.answers(question, text), key=lambda one: one.margin, default=None)
        return self._known.get(key)


@dataclass(frozen=True, slots=True)
class ReaderAnswer:
    """What a text says where a sentence was asked: the words, where in the text, and the log odds of them."""

    text: str
    words: str
    start: int
    margin: float


def window(ground: EvidenceText, words: frozenset[str]) -> str:
    """Return the part of a piece around the sentence that says most of some words; a short piece whole."""
    text = ground.text
    longest = characters(text, WINDOW)
    if len(text) <= longest:
        return text
    sentences = [sentence for sentence, _ in ground.sentences]
    nearest = ground.nearest(words)[0]
    first = last = sentences.index(nearest) if nearest in sentences else 0
    for first_next, last_next in _growing(first, last, len(sentences)):
        if sum(map(len, sentences[first_next : last_next + 1])) > longest:
            break
        first, last = first_next, last_next
    return "\n".join(sentences[first : last + 1])


def _growing(first: int, last: int, count: int) -> Iterator[tuple[int, int]]:
    """Yield ever wider ranges, one sentence more before and behind in turn."""
    while first > 0 or last < count - 1:
        first = max(0, first - 1)
        yield first, last
        last = min(count - 1, last + 1)
        yield first, last
