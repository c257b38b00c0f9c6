"""A statement of a draft beside the evidence: what it says, which pieces it cites, which of them says most of it."""

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cached_property
from typing import Literal

from nodes.checking.evidence import ClaimReader, EvidenceText, words_of
from nodes.checking.statements import Statement
from nodes.checking.wordings import (
    ASKS,
    ASSERTS,
    CUTS,
    DENIES,
    FILLS,
    FRAMES,
    LACKS,
    ORDERS,
    OVERRIDES,
    REFUSES,
    REPORTS,
    TO_USER,
)
from nodes.checking.words import Segment
from nodes.results.citations import letters
from state.draft import NoteAction, NoteReason
from tools.language import HAN
from tools.story.names import NameTable

Action = Literal["kept"] | NoteAction

SUPPORTED_SHARE = 0.6
"""Share of a sentence's words from which on a piece says the sentence."""
ALIKE = 0.4
"""Share from which on a sentence of a piece is about the same, so that another number or name in it contradicts."""
LEAST_SHARE = 0.2
"""Share below which, where there is no reader, a piece says nothing of a sentence."""
READ_SHARE, READ_LEAST = 8.0, -4.2
"""Log odds that the share of words is worth beside the reader's margin; less than so many in all is no support."""
READ_CLAUSE, CLAUSE_PAIRS = -6.4, 3
"""Log odds of the same kind below which a clause of so many pairs or words is nowhere, though its sentence may be."""
LIKELY, VERY_SURE = 0.0, 8.0
"""Margins of words that the reader points at instead of a name or a number."""
ANSWERED, ANSWERABLE = 2.0, 1.0
"""Log odds from which on a piece answers a question that a draft calls unanswered."""
SHORT_CHINESE, SHORT_LATIN = 10, 32
"""Letters below which a sentence without a mark states too little to be dropped."""
SUPPORTED_SHARE_SHORT = 0.8
"""Share of the words of so short a sentence from which on a sentence of a piece says it."""
WORDLESS_CHINESE, WORDLESS_LATIN = 4, 8
"""Letters below which it states nothing: yes, no, in short."""
CLAIMS_CHINESE, CLAIMS_LATIN = 4, 2
"""Pairs of characters, or words, beside a refusal from which on they are a statement of their own."""
LEAST_NAME_CHINESE, LEAST_NAME_LATIN = 2, 4
"""Letters of what a question and a refusal both name."""


@dataclass(frozen=True, slots=True)
class Finding:
    """What becomes of a statement.

    Attributes:
        action: `moved`: its marks changed, `flagged`: it stays, though the evidence does not show it.
        reason: why; None where nothing speaks against it. With `kept` it is a doubt that code cannot decide.
        marks: the numbers of the marks that it should have.
    """

    action: Action
    marks: Sequence[int]
    reason: NoteReason | None = None


@dataclass(frozen=True, slots=True)
class CheckContext:
    """What the statements of a draft are compared with.

    Attributes:
        grounds: the evidence, in the order of its numbers.
        table: the names that the library knows.
        known: the question and what was said before, which may be repeated without a mark.
        asked: the question alone.
        reader: None where it is missing.
        segment: cuts Chinese text into words.
        is_chat: the draft states nothing of the evidence.
    """

    grounds: Sequence[EvidenceText]
    table: NameTable
    known: str
    reader: ClaimReader | None
    segment: Segment
    is_chat: bool = False
    asked: str = ""

    def has(self, text: str) -> bool:
        """Return True if a text, or a known name in it, stands in the evidence."""
        named = {name.entity for mention in self.table.find(text) for name in mention.candidates}
        return any(letters(text) in ground.letters or named & ground.names for ground in self.grounds)


@dataclass(frozen=True)
class Claim:
    """A statement, read with its material."""

    statement: Statement
    context: CheckContext

    @cached_property
    def sentence(self) -> str:
        """The sentence."""
        return self.statement.sentence

    @cached_property
    def asserted(self) -> str:
        """The sentence without its clauses that refuse."""
        if not self._is_refusing(self.sentence):
            return self.sentence
        clauses = [one for one in CUTS.split(self.sentence) if not (self._is_refusing(one) or DENIES.search(one))]
        return "，".join(filter(None, clauses))

    def _is_refusing(self, text: str) -> bool:
        """Return True if a text says that the material does not say something, or lacks what was asked about."""
        return bool(REFUSES.search(text)) or (bool(LACKS.search(text)) and self._names_unknown(text))

    def _names_unknown(self, text: str) -> bool:
        """Return True if a text names what the question asks about, and nothing in the evidence does."""
        asked = self.context.asked
        found = SequenceMatcher(None, text, asked, autojunk=False).find_longest_match()
        name = text[found.a : found.a + found.size].strip()
        least = LEAST_NAME_CHINESE if HAN.search(name) else LEAST_NAME_LATIN
        return len(letters(name)) >= least and not self.context.has(name)

    @cached_property
    def words(self) -> frozenset[str]:
        """What it says."""
        return words_of(self.asserted)

    @cached_property
    def real(self) -> list[int]:
        """The numbers of its marks that name evidence."""
        return [number for number in self.statement.numbers if 0 < number <= len(self.context.grounds)]

    @cached_property
    def shared(self) -> list[int]:
        """The numbers of the marks behind it in its line that name evidence, where it has none itself."""
        return [number for number in self.statement.shared if 0 < number <= len(self.context.grounds)]

    @cached_property
    def cited(self) -> list[EvidenceText]:
        """The evidence that its marks name, or those that it shares."""
        return [self.context.grounds[number - 1] for number in self.real or self.shared]

    @cached_property
    def best(self) -> tuple[float, int]:
        """The share of it that the best piece says, and the number of that piece; a cited one first."""
        rows = [(ground.share(self.words), number) for number, ground in enumerate(self.context.grounds, 1)]
        return max(rows, key=lambda row: (row[0], row[1] in self.real, -row[1]), default=(0.0, 0))

    @property
    def compared(self) -> list[EvidenceText]:
        """The pieces that it is compared with: those that it cites, else the one that says most of it."""
        share, number = self.best
        return self.cited or ([self.context.grounds[number - 1]] if share else [])

    @property
    def is_short(self) -> bool:
        """Whether it has too few letters to state anything."""
        return len(letters(self.sentence)) < (SHORT_CHINESE if HAN.search(self.sentence) else SHORT_LATIN)

    def is_foreign(self, text: str) -> bool:
        """Return True if words of the sentence are in another script than all evidence: they cannot be compared."""
        is_chinese = bool(HAN.search(text))
        return all(is_chinese != bool(HAN.search(ground.piece["text"])) for ground in self.context.grounds)

    @property
    def is_known(self) -> bool:
        """Whether it only repeats what was asked or said before, or says no more than yes or no."""
        least = WORDLESS_CHINESE if HAN.search(self.sentence) else WORDLESS_LATIN
        known = words_of(self.context.known)
        return len(letters(self.sentence)) < least or len(self.words & known) >= SUPPORTED_SHARE * len(self.words)

    @property
    def is_refusal(self) -> bool:
        """Whether it says that the material does not say something, and nothing else."""
        if not self._is_refusing(self.sentence):
            return False
        beside = words_of(FILLS.sub(" ", self.asserted)) - words_of(self.context.known)
        return len(beside) < (CLAIMS_CHINESE if HAN.search(self.sentence) else CLAIMS_LATIN)

    @property
    def is_question(self) -> bool:
        """Whether it asks the user, or repeats what was asked; one that asserts something is none."""
        is_asked = ASKS.search(self.sentence) and not ASSERTS.search(self.sentence)
        return bool(is_asked) and (self.is_known or (bool(TO_USER.search(self.sentence)) and not self._presupposes))

    @property
    def _presupposes(self) -> bool:
        """Whether a question says more than it asks, of what neither the user nor one piece of the evidence says."""
        text = self.sentence
        for mention in self.context.table.find(text):
            text = text.replace(mention.text, " ")
        beside = words_of(FRAMES.sub(" ", text)) - words_of(self.context.known)
        said = max((len(beside & ground.words) for ground in self.context.grounds), default=0)
        return len(beside) - said >= (CLAIMS_CHINESE if HAN.search(self.sentence) else CLAIMS_LATIN)

    @property
    def says_nothing(self) -> bool:
        """Whether it states nothing of the material: an introduction, a question, a refusal."""
        return self.statement.leads_on or self.is_question or self.is_refusal or not self.words

    @property
    def is_verbatim(self) -> bool:
        """Whether a piece that it cites has it word for word."""
        return any(letters(self.sentence) in ground.letters for ground in self.cited)

    @property
    def is_order(self) -> bool:
        """Whether it gives an order, or only an order in the evidence says it.

        To report an order is to give none, nor is it one to say what a cited piece says word for word, but where that
        overrides the writer's own orders: who obeys an order of the material may well repeat it with its mark.
        """
        if REPORTS.search(self.sentence):
            return False
        if ORDERS.search(self.sentence):
            return not self.is_verbatim or bool(OVERRIDES.search(self.sentence))
        return self.best[0] < ALIKE and any(map(self._is_ordered_by, self._ordering))

    @property
    def _ordering(self) -> list[EvidenceText]:
        return [ground for ground in self.context.grounds if ground.all_words - ground.words]

    def _is_ordered_by(self, ground: EvidenceText) -> bool:
        return bool(self.words) and len(self.words & ground.all_words) >= SUPPORTED_SHARE * len(self.words)
