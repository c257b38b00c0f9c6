"""The evidence as a draft is compared with it: letters, words, numbers and names of each piece, read once."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from nodes.checking.numbers import Number, numbers_of
from nodes.checking.quotes import holds
from nodes.checking.wordings import ADDRESS, ORDERS, SENDS
from nodes.checking.words import stem
from nodes.results.citations import bigrams, letters
from state.schema import Evidence
from tools.language import HAN
from tools.story.linking import NameTable
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


def words_of(text: str) -> frozenset[str]:
    """Return what a text says as comparable units: pairs of Chinese characters, stems of longer words."""
    chinese = "".join(char if HAN.match(char) else " " for char in text)
    pairs = {pair for part in chinese.split() for pair in bigrams(part)}
    latin = (word.casefold() for word in _WORD.findall(HAN.sub(" ", text)) if not _COMMON.fullmatch(word))
    return frozenset(pairs | set(map(stem, latin)))


@dataclass(frozen=True)
class Ground:
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


def grounds_of(evidence: Sequence[Evidence], table: NameTable) -> list[Ground]:
    """Return the grounds of a draft, in the order of its evidence."""
    return [Ground(piece, table) for piece in evidence]


def _trusted(text: str) -> list[str]:
    """Return the lines of a text without the sentences that give orders or send their reader somewhere."""
    kept: list[str] = []
    for line in text.split("\n"):
        sentences = [line[start:end] for start, end in statement_spans(line)]
        trusted = [one for one in sentences if not _is_order(one)]
        kept += [line] if len(trusted) == len(sentences) else trusted
    return kept


def _is_order(sentence: str) -> bool:
    return bool(ORDERS.search(sentence) or (SENDS.search(sentence) and ADDRESS.search(sentence)))
