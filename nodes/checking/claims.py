"""A statement of a draft beside the evidence: what it says and cites; numbers, quotations, names, rows against it."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cached_property
from itertools import product
from typing import Literal

from nodes.checking.evidence import (
    NEAR,
    Asking,
    ClaimReader,
    EvidenceText,
    Number,
    Segment,
    likeness,
    numbers_of,
    quotes_of,
    words_of,
)
from nodes.checking.statements import DraftStatement
from nodes.checking.wordings import (
    ASKS,
    ASSERTS,
    CLAUSE_BREAKS,
    DENIES,
    FRAMES,
    LACKS,
    ORDERS,
    OVERRIDES,
    REFERRING_WORDS,
    REFUSAL_FILLERS,
    REFUSES,
    REPORTS,
    TO_USER,
    YES_OR_NO,
)
from nodes.citations import letters
from state.draft import NoteAction, NoteReason
from state.schema import Evidence
from tools.evidence import label_of
from tools.language import HAN
from tools.records import PERSON
from tools.story.names import NameMention, NameTable
from tools.tables.rows import FLAGS

Action = Literal["kept"] | NoteAction

SUPPORTED_SHARE = 0.6
"""Share of a sentence's words from which on a piece says the sentence."""
ALIKE = 0.4
"""Share from which on a sentence of a piece is about the same, so that another number or name in it contradicts."""
LEAST_SHARE = 0.2
"""Share below which, where there is no reader, a piece says nothing of a sentence, nor contradicts a number of it."""
READ_SHARE, READ_LEAST = 8.0, -4.2
"""Log odds that the share of words is worth beside the reader's margin; less than so many in all is no support."""
READ_CLAUSE, CLAUSE_PAIRS = -6.4, 3
"""Log odds of the same kind below which a clause of so many pairs or words is nowhere, though its sentence may be."""
LIKELY, VERY_SURE = 0.0, 8.0
"""Margins of words that the reader points at instead of a name."""
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
        part: what of the statement is meant; '' for all of it.
    """

    action: Action
    marks: Sequence[int]
    reason: NoteReason | None = None
    part: str = ""


@dataclass(frozen=True, slots=True)
class CheckContext:
    """What the statements of a draft are compared with.

    Attributes:
        grounds: the evidence, in the order of its numbers.
        table: the names that the library knows.
        known: the question and what was said before, which may be repeated without a mark.
        asked: the question alone.
        counted: numbers of the draft's sentences that cite pieces which have them.
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
    counted: Sequence[Number] = ()

    def named(self, numbers: Sequence[int]) -> list[int]:
        """Return those of some numbers that name evidence."""
        return [number for number in numbers if 0 < number <= len(self.grounds)]

    def has(self, text: str) -> bool:
        """Return True if a text, or a known name in it, stands in the evidence."""
        named = {name.entity for mention in self.table.find(text) for name in mention.candidates}
        return any(letters(text) in ground.letters or named & ground.names for ground in self.grounds)


@dataclass(frozen=True)
class DraftClaim:
    statement: DraftStatement
    context: CheckContext

    @cached_property
    def sentence(self) -> str:
        return self.statement.sentence

    @cached_property
    def asserted(self) -> str:
        """The sentence without its clauses that refuse."""
        if not self._is_refusing(self.sentence):
            return self.sentence
        clauses = [
            one for one in CLAUSE_BREAKS.split(self.sentence) if not (self._is_refusing(one) or DENIES.search(one))
        ]
        return "，".join(filter(None, clauses))

    def _is_refusing(self, text: str) -> bool:
        """Return True if a text says that the material does not say something, or lacks what was asked about."""
        if REFUSES.search(text) or not LACKS.search(text):
            return bool(REFUSES.search(text))
        found = SequenceMatcher(None, text, self.context.asked, autojunk=False).find_longest_match()
        name = text[found.a : found.a + found.size].strip()
        least = LEAST_NAME_CHINESE if HAN.search(name) else LEAST_NAME_LATIN
        return len(letters(name)) >= least and not self.context.has(name)

    @cached_property
    def words(self) -> frozenset[str]:
        return words_of(self.asserted)

    @cached_property
    def real(self) -> list[int]:
        """The numbers of its marks that name evidence."""
        return self.context.named(self.statement.numbers)

    @cached_property
    def shown_by(self) -> list[int]:
        """The numbers of its marks that name evidence, without any those that it shares."""
        return self.real or self.context.named(self.statement.shared)

    @cached_property
    def cited(self) -> list[EvidenceText]:
        """The evidence that its marks name, or those that it shares."""
        return [self.context.grounds[number - 1] for number in self.shown_by]

    def odds(self, ground: EvidenceText) -> float | None:
        """Return the log odds that a piece says it, by the reader and the shared words; None where nothing is read."""
        reader = self.context.reader
        margin = reader.margin(self.asserted, ground, self.words) if reader else None
        return None if margin is None else margin + READ_SHARE * ground.share(self.words)

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
        """Whether it has too few letters to state anything; in the head of a table each cell has."""
        least = SHORT_CHINESE if HAN.search(self.sentence) else SHORT_LATIN
        return max(len(letters(one)) for one in self.statement.cells or [""]) < least

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
        beside = words_of(REFUSAL_FILLERS.sub(" ", self.asserted)) - words_of(self.context.known)
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
        """Whether it states nothing of the material: an introduction, a question, a refusal, yes or no."""
        is_bare = not self.statement.numbers and YES_OR_NO.fullmatch(self.sentence) is not None
        return self.statement.leads_on or self.is_question or self.is_refusal or is_bare or not self.words

    @property
    def is_telling(self) -> bool:
        """Whether it has enough words for a statement; a refusal needs none of its own."""
        least = CLAIMS_CHINESE if HAN.search(self.sentence) else CLAIMS_LATIN
        return self.is_refusal or len(self.words) >= least

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
        ordering = (ground for ground in self.context.grounds if ground.all_words - ground.words)
        least = SUPPORTED_SHARE * max(1, len(self.words))
        return self.best[0] < ALIKE and any(len(self.words & ground.all_words) >= least for ground in ordering)


_SPEAKS = r"(?:(?<![小听传据])说|[问答喊写刻念唱叹骂吼嚷]|叫道|大叫)道?[着了过]?"
_SAYS = r"(?:said|says|asked|answered|cried|wrote|told|replied|reads)"
SPEECH = re.compile(
    rf"[：:,，]\s*[“「『\"]|{_SPEAKS}\s*[“「『\"]|[”」』\"][^，。！？“”「」『』\"]{{0,4}}?{_SPEAKS}(?=[。！？，；]|$)"
    rf"|\b{_SAYS}(?: \w+){{0,2}}\s*[“\"]|[”\"]\s*(?:[\w']+ ){{0,3}}{_SAYS}\b"
)
"""A sentence that gives words as somebody's own: the verb stands beside the quotation mark."""
TERM = 8
"""Letters below which words in quotation marks may be only a term of the writer."""
POSSESSIVE = ("'s", "’s")
AROUND = 4
"""Letters that may stand around a name where the reader points at it."""
MOST_NAMES = 3
"""Names of a statement in whose place the reader is asked."""
MOST_MARKS = 10
"""Rows that tell one statement: a list of as many neighbours as a network gives."""
LONGEST_SAME = 20
"""Letters of a value from which on it is a text that may be told in other words."""
_IS = r"\s*(?:是|为|叫做?|[:：]|(?:of [^,.;]{1,60} )?(?:is|was|are|were)\b)"
"""What stands between what is told of an instance and its value."""


def miscounted(claim: DraftClaim) -> Finding | None:
    """Return a finding for a number that the evidence contradicts, or lacks."""
    everything = numbers_of(claim.sentence)
    stated = [number for number in everything if not number.loose]
    grounds = claim.compared
    if not stated or not grounds:
        return None
    known = [*numbers_of(claim.context.known), *(one for ground in grounds for one in ground.numbers)]
    shares = [one for one in everything if one.unit == "%" and any(one.fits(other) for other in known)]
    stated = [one for one in stated if not any(share.start <= one.start < share.end for share in shares)]
    lost = [one for one in stated if not any(one.fits(other) for other in known)]
    others = [*(one for one in everything if one not in lost), *claim.context.counted]
    reckoned = {float(claim.statement.items)} | {
        value
        for a, b in product(others, others)
        if a != b
        for value in (a.value + b.value, a.value - b.value, a.value * b.value)
    }
    if all(one.value in reckoned for one in lost):
        return None
    units = {one.unit for one in lost if one.unit}
    nearest = [(numbers_of(sentence), share) for sentence, share in (one.nearest(claim.words) for one in grounds)]
    is_contradicted = any(
        share >= (LEAST_SHARE if units.intersection(one.unit for one in numbers) else ALIKE)
        for numbers, share in nearest
        if numbers
    )
    return Finding("dropped" if is_contradicted else "flagged", claim.real, "number")


def misquoted(claim: DraftClaim) -> Finding | None:
    """Return a finding where a quotation is not in what is cited: its mark moves, or it is no quotation."""
    quotes = [quote for quote in quotes_of(claim.sentence) if quote not in claim.context.known]
    if not quotes or all(any(ground.has_quote(quote) for ground in claim.cited) for quote in quotes):
        return None
    grounds = list(enumerate(claim.context.grounds, 1))
    having = [[number for number, ground in grounds if ground.has_quote(quote)] for quote in quotes]
    holders = [next((one for one in claim.real if one in found), next(iter(found), None)) for found in having]
    lost = [quote for quote, holder in zip(quotes, holders, strict=True) if holder is None]
    if not lost:
        return Finding("moved", list(dict.fromkeys(number for number in holders if number)), "quotation")
    if all(claim.is_foreign(quote) for quote in lost):
        return None
    is_term = not SPEECH.search(claim.sentence) and all(len(letters(quote)) < TERM for quote in lost)
    is_near = all(any(likeness(ground.letters, quote) >= NEAR for ground in claim.context.grounds) for quote in lost)
    return Finding("flagged" if is_term or is_near else "dropped", claim.real, "quotation")


def misnamed(claim: DraftClaim) -> Finding | None:
    """Return a finding for a name that nothing has, or in whose place the evidence has another.

    A doubt alone changes nothing, but that a grader must see the draft.
    """
    quoted = quotes_of(claim.sentence)
    found = [one for one in claim.context.table.find(claim.sentence) if not any(one.text in quote for quote in quoted)]
    mentions = list({mention.candidates[0].entity: mention for mention in found}.values())
    asked = _entities(claim.context.table.find(claim.context.known))
    known = asked.union(*(ground.names for ground in claim.context.grounds))
    if any(not _entities([mention]) & known for mention in mentions):
        is_alike = any(ground.nearest(claim.words)[1] >= ALIKE for ground in claim.compared)
        return Finding("dropped" if is_alike else "flagged", claim.real, "name")
    if _names_others(claim, mentions):
        return Finding("flagged", claim.real, "name")
    doubts = {
        _doubted(claim, mention, mentions, asked, ground)
        for mention, ground in product(mentions[:MOST_NAMES], claim.compared)
    }
    if "flagged" in doubts:
        return Finding("flagged", claim.real, "name")
    there = asked.union(*(ground.names for ground in claim.cited))
    people = [one for one in mentions if one.candidates[0].kind == PERSON]
    is_absent = bool(claim.cited) and any(not _entities([one]) & there for one in people)
    return Finding("kept", claim.real, "name") if is_absent or "kept" in doubts else None


def _doubted(
    claim: DraftClaim, mention: NameMention, mentions: Sequence[NameMention], asked: set[str], ground: EvidenceText
) -> Action | None:
    """Return what becomes of a statement by what the reader says of a piece in the place of a name."""
    own = _entities([mention])
    is_named = bool(own & ground.names)
    if not is_named and own & asked:
        return None
    other = _other_name(claim, mention, ground)
    if other is None:
        return None
    table = claim.context.table
    pointed = _entities(table.find(other[0]))
    rival = next((one for one in mentions if _entities([one]) & pointed), None)
    swapped = _other_name(claim, rival, ground) if rival else None
    if rival and (swapped is None or not _entities(table.find(swapped[0])) & own):
        return None  # another name of the statement, in whose place the reader does not say this one
    return "flagged" if other[1] > VERY_SURE and is_named else "kept"


def _names_others(claim: DraftClaim, mentions: Sequence[NameMention]) -> bool:
    """Return True if a sentence of a cited piece says the statement of other persons than it names."""
    own = _entities(mentions)
    if not own or REFERRING_WORDS.search(claim.sentence):
        return False
    nearest = (ground.nearest(claim.words) for ground in claim.cited)
    named = [_entities(claim.context.table.find(sentence)) for sentence, share in nearest if share >= SUPPORTED_SHARE]
    return bool(named) and all(names and not names & own for names in named)


def _entities(mentions: Sequence[NameMention]) -> set[str]:
    return {name.entity for mention in mentions for name in mention.candidates}


def _other_name(claim: DraftClaim, mention: NameMention, ground: EvidenceText) -> tuple[str, float] | None:
    """Return what the reader surely points at where the statement has a name, if it is another one of its kind."""
    reader, kind = claim.context.reader, mention.candidates[0].kind
    asking: Asking = "who" if kind == PERSON else "what"
    if reader is None or claim.sentence[mention.end :].startswith(POSSESSIVE):
        return None
    words, margin = reader.in_place(claim.sentence, (mention.start, mention.end), asking, ground) or ("", 0.0)
    if margin <= LIKELY:
        return None
    found = [one for one in claim.context.table.find(words) if one.candidates[0].kind == kind]
    is_name = len(found) == 1 and len(words.strip()) <= len(found[0].text) + AROUND
    return (words, margin) if is_name and not _entities(found) & _entities([mention]) else None


def misread(claim: DraftClaim) -> Finding | None:
    """Return a finding where all that a statement cites are rows of a network.

    One of them contradicts it, others tell it, or none says anything of it.
    """
    rows = {n: one for n, one in enumerate(claim.context.grounds, 1) if "value" in one.piece}
    if not claim.real or not set(claim.real) <= rows.keys() or claim.is_foreign(claim.sentence):
        return None
    held = [row_of(one.piece) for one in rows.values()]
    asserted = {
        (one.name, one.label)
        for one in held
        if one.name in claim.sentence and re.search(re.escape(one.label) + _IS, claim.sentence)
    }  # the statement says that the instance is something under its label
    with_value = {(one.name, one.label) for one in held if _has_value(claim, one.value)}
    if {(one.name, one.label) for one in held if one.value != one.name} & asserted - with_value:
        return Finding("dropped", claim.real, "contradicted")
    cited = [row_of(rows[number].piece) for number in claim.real]
    if any(_is_told(claim, rows[number], cited, held, _touches) for number in claim.real):
        return None
    telling = [number for number, one in rows.items() if _is_told(claim, one, cited, held, _has_value)]
    with_label = [number for number in telling if row_of(rows[number].piece).label in claim.sentence]
    own = {one.source for one in cited}
    of_instance = [number for number in telling if rows[number].piece["source"] in own]
    if found := with_label or of_instance or telling:
        return Finding("moved", found[:MOST_MARKS], "unsupported")
    return (
        None if any(_is_reworded(claim, one) for one in claim.cited) else Finding("flagged", claim.real, "unsupported")
    )


def _is_reworded(claim: DraftClaim, ground: EvidenceText) -> bool:
    """Return True if the reader sees a statement in a value that may be said in other words.

    A text may, and a word of another script.
    """
    value, reader = row_of(ground.piece).value, claim.context.reader
    is_translated = bool(HAN.search(value)) != bool(HAN.search(claim.sentence)) and not re.search(r"\d", value)
    if reader is None or not (is_translated or len(letters(value)) > LONGEST_SAME):
        return False
    margin = reader.margin(claim.asserted, ground, claim.words)
    return margin is None or margin >= LIKELY


@dataclass(frozen=True, slots=True)
class NetworkRow:
    """A row of a network: what an instance has under a label, a value or the name of another instance."""

    name: str
    label: str
    value: str
    source: str | None


def row_of(piece: Evidence) -> NetworkRow:
    return NetworkRow(next(iter(piece["entities"]), ""), label_of(piece), piece.get("value", ""), piece["source"])


def _is_told(
    claim: DraftClaim,
    ground: EvidenceText,
    cited: Sequence[NetworkRow],
    rows: Sequence[NetworkRow],
    has: Callable[[DraftClaim, str], bool],
) -> bool:
    """Return True if a statement tells what a row says: most of its words, or its value, and of no other instance.

    The instance may be left out; a row of two hops is of the value of another row that is cited.
    """
    row = row_of(ground.piece)
    if ground.share(claim.words) >= SUPPORTED_SHARE:
        return True
    is_told = _has_words(claim, row.label) if row.value.lower() in FLAGS else has(claim, row.value)
    if row.value in ("", row.name) or not is_told:
        return False
    beside = {one.value for one in rows if one.name == row.name}
    others = {one.name for one in rows if one.name in claim.sentence} - beside - {row.name}
    is_named = row.name in claim.sentence or _has_words(claim, row.name)
    return not others or is_named or any(one.value == row.name for one in cited)


def _has_value(claim: DraftClaim, value: str) -> bool:
    """Return True if a statement has a value: its numbers, or without any its letters or most of its words."""
    if numbers := numbers_of(value):  # by its letters 1.5 is said by 15, and 2 by 2012
        return all(any(one.fits(other) for other in numbers_of(claim.sentence)) for one in numbers)
    return letters(value) in letters(claim.sentence) or _has_words(claim, value)


def _has_words(claim: DraftClaim, text: str) -> bool:
    words = words_of(text)
    return bool(words) and len(words & claim.words) >= SUPPORTED_SHARE * len(words)


def _touches(claim: DraftClaim, value: str) -> bool:
    """Return True if a statement has something of a value: a word, a number."""
    return (
        _has_value(claim, value)
        or bool(words_of(value) & claim.words)
        or any(one.fits(other) for one in numbers_of(value) for other in numbers_of(claim.sentence))
    )
