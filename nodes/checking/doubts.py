"""What the evidence lacks or contradicts of a statement: numbers, quotations, names, rows of a network."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

from nodes.checking.claims import ALIKE, LIKELY, SUPPORTED_SHARE, VERY_SURE, Action, Claim, Finding
from nodes.checking.evidence import Asking, EvidenceText, ReaderAnswer, words_of
from nodes.checking.wordings import POINTS
from nodes.checking.words import NEAR, Number, likeness, numbers_of, quotes_of
from nodes.results.citations import letters
from tools.story.names import Mention

_SPEAKS = r"(?:(?<![小听传据])说|[问答喊写刻念唱叹骂吼嚷]|叫道|大叫)道?[着了过]?"
_SAYS = r"(?:said|says|asked|answered|cried|wrote|told|replied|reads)"
SPEECH = re.compile(
    rf"[：:,，]\s*[“「『\"]|{_SPEAKS}\s*[“「『\"]|[”」』\"][^，。！？“”「」『』\"]{{0,4}}?{_SPEAKS}(?=[。！？，；]|$)"
    rf"|\b{_SAYS}(?: \w+){{0,2}}\s*[“\"]|[”\"]\s*(?:[\w']+ ){{0,3}}{_SAYS}\b"
)
"""A sentence that gives words as somebody's own: the verb stands beside the quotation mark."""
TERM = 8
"""Letters below which words in quotation marks may be only a term of the writer."""
PERSON = "Character"
POSSESSIVE = ("'s", "’s")
AROUND = 4
"""Letters that may stand around a name where the reader points at it."""
MOST_NAMES = 3
"""Names of a statement in whose place the reader is asked."""
MOST_MARKS = 3
_IS = r"\s*(?:是|为|叫做?|[:：]|(?:of [^,.;]{1,60} )?(?:is|was|are|were)\b)"
"""What stands between what is told of an instance and its value."""


def miscounted(claim: Claim) -> Finding | None:
    """Return a finding for a number that the evidence contradicts, or lacks."""
    everything = numbers_of(claim.sentence)
    stated = [number for number in everything if not number.loose]
    grounds = claim.compared
    if not stated or not grounds:
        return None
    known = [*numbers_of(claim.context.known), *(one for ground in grounds for one in ground.numbers)]
    lost = [one for one in stated if not any(one.fits(other) for other in known)]
    lost = [one for one in lost if not _is_reckoned(one, [other for other in everything if other not in lost])]
    if lost:
        nearest = (ground.nearest(claim.words) for ground in grounds)
        is_contradicted = any(share >= ALIKE and numbers_of(sentence) for sentence, share in nearest)
        return Finding("dropped" if is_contradicted else "flagged", claim.real, "number")
    return Finding("flagged", claim.real, "number") if any(_is_other(claim, one) for one in stated) else None


def _is_reckoned(number: Number, others: list[Number]) -> bool:
    """Return True if a number is the sum, difference or product of two others of its sentence."""
    pairs = product(others, others)
    return any(number.value in (a.value + b.value, a.value - b.value, a.value * b.value) for a, b in pairs if a != b)


def _is_other(claim: Claim, number: Number) -> bool:
    """Return True if the reader is very sure of another number where the statement has this one."""
    reader, span = claim.context.reader, (number.start, number.end)
    if reader is None or any(claim.sentence[slice(*span)] in quote for quote in quotes_of(claim.sentence)):
        return False
    for ground in claim.compared:
        found = reader.asked(claim.sentence, span, "number", ground)
        counted = numbers_of(found.words) if found and found.margin > VERY_SURE else []
        if counted and not any(number.fits(other) for other in counted):
            return True
    return False


def misquoted(claim: Claim) -> Finding | None:
    """Return a finding where a quotation is not in what is cited: its mark moves, or it is no quotation."""
    quotes = [quote for quote in quotes_of(claim.sentence) if quote not in claim.context.known]
    if not quotes or all(any(ground.has_quote(quote) for ground in claim.cited) for quote in quotes):
        return None
    holders = [_holder(claim, quote) for quote in quotes]
    lost = [quote for quote, holder in zip(quotes, holders, strict=True) if holder is None]
    if not lost:
        return Finding("moved", list(dict.fromkeys(number for number in holders if number)), "quotation")
    if all(claim.is_foreign(quote) for quote in lost):
        return None
    is_term = not SPEECH.search(claim.sentence) and all(len(letters(quote)) < TERM for quote in lost)
    is_near = all(any(likeness(ground.letters, quote) >= NEAR for ground in claim.context.grounds) for quote in lost)
    return Finding("flagged" if is_term or is_near else "dropped", claim.real, "quotation")


def _holder(claim: Claim, quote: str) -> int | None:
    """Return the number of the piece that has a quotation, one that is cited first."""
    found = [number for number, ground in enumerate(claim.context.grounds, 1) if ground.has_quote(quote)]
    return next((number for number in claim.real if number in found), found[0] if found else None)


def misnamed(claim: Claim) -> Finding | None:
    """Return a finding for a name that nothing has, or in whose place the evidence has another.

    A doubt alone changes nothing, but that a grader must see the draft.
    """
    mentions = _mentions(claim)
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
    is_doubted = "kept" in doubts or (claim.cited and _is_absent(claim, mentions, asked))
    return Finding("kept", claim.real, "name") if is_doubted else None


def _doubted(
    claim: Claim, mention: Mention, mentions: Sequence[Mention], asked: set[str], ground: EvidenceText
) -> Action | None:
    """Return what becomes of a statement by what the reader says of a piece in the place of a name."""
    own = _entities([mention])
    is_named = bool(own & ground.names)
    if not is_named and own & asked:
        return None
    other = _other_name(claim, mention, ground)
    if other is None or _is_swapped_for(claim, mention, mentions, other, ground):
        return None
    return "flagged" if other.margin > VERY_SURE and is_named else "kept"


def _is_absent(claim: Claim, mentions: Sequence[Mention], asked: set[str]) -> bool:
    """Return True for a person of the statement that neither a cited piece nor the question names."""
    there = asked.union(*(ground.names for ground in claim.cited))
    return any(one.candidates[0].kind == PERSON and not _entities([one]) & there for one in mentions)


def _names_others(claim: Claim, mentions: Sequence[Mention]) -> bool:
    """Return True if a sentence of a cited piece says the statement of other persons than it names."""
    own = _entities(mentions)
    if not own or POINTS.search(claim.sentence):
        return False
    nearest = (ground.nearest(claim.words) for ground in claim.cited)
    named = [_entities(claim.context.table.find(sentence)) for sentence, share in nearest if share >= SUPPORTED_SHARE]
    return bool(named) and all(names and not names & own for names in named)


def _mentions(claim: Claim) -> list[Mention]:
    """Return the names of a statement outside of its quotations, each entity once."""
    quoted = quotes_of(claim.sentence)
    found = [one for one in claim.context.table.find(claim.sentence) if not any(one.text in quote for quote in quoted)]
    return list({mention.candidates[0].entity: mention for mention in found}.values())


def _entities(mentions: Sequence[Mention]) -> set[str]:
    return {name.entity for mention in mentions for name in mention.candidates}


def _other_name(claim: Claim, mention: Mention, ground: EvidenceText) -> ReaderAnswer | None:
    """Return what the reader surely points at where the statement has a name, if it is another one of its kind."""
    reader, kind = claim.context.reader, mention.candidates[0].kind
    asking: Asking = "who" if kind == PERSON else "what"
    if reader is None or claim.sentence[mention.end :].startswith(POSSESSIVE):
        return None
    answer = reader.asked(claim.sentence, (mention.start, mention.end), asking, ground)
    if answer is None or answer.margin <= LIKELY:
        return None
    found = [one for one in claim.context.table.find(answer.words) if one.candidates[0].kind == kind]
    is_name = len(found) == 1 and len(answer.words.strip()) <= len(found[0].text) + AROUND
    return answer if is_name and not _entities(found) & _entities([mention]) else None


def _is_swapped_for(
    claim: Claim, mention: Mention, mentions: Sequence[Mention], other: ReaderAnswer, ground: EvidenceText
) -> bool:
    """Return True if the words are another name of the statement, in whose place the reader does not say this one."""
    pointed = _entities(claim.context.table.find(other.words))
    rival = next((one for one in mentions if _entities([one]) & pointed), None)
    if rival is None:
        return False
    swapped = _other_name(claim, rival, ground)
    return swapped is None or not _entities(claim.context.table.find(swapped.words)) & _entities([mention])


@dataclass(frozen=True, slots=True)
class NetworkRow:
    """A row of a network: what is told of an instance under a label, and whether a statement has each of them."""

    ground: EvidenceText
    number: int
    claim: Claim

    @property
    def name(self) -> str:
        """The instance."""
        return self.ground.piece["entities"][0]

    @property
    def label(self) -> str:
        """The property or relation."""
        return (self.ground.piece["location"] or "").rpartition(" / ")[2]

    @property
    def is_of_statement(self) -> bool:
        """Whether the statement names its instance and its label."""
        return self.name in self.claim.sentence and self.label in self.claim.sentence

    @property
    def is_asserted(self) -> bool:
        """Whether the statement says that it is something under its label."""
        return self.is_of_statement and re.search(re.escape(self.label) + _IS, self.claim.sentence) is not None

    @property
    def has_value(self) -> bool:
        """Whether the statement has its value: the letters, the numbers or most of the words."""
        value, claim = self.ground.piece.get("value", ""), self.claim
        numbers, words = numbers_of(value), words_of(value)
        if letters(value) in letters(claim.sentence):
            return True
        if numbers:
            return all(any(one.fits(other) for other in numbers_of(claim.sentence)) for one in numbers)
        return bool(words) and len(words & claim.words) >= SUPPORTED_SHARE * len(words)


def misread(claim: Claim) -> Finding | None:
    """Return a finding where all that a statement cites are rows and one contradicts it, or others tell it."""
    rows = [
        NetworkRow(ground, number, claim) for number, ground in enumerate(claim.context.grounds, 1) if _is_row(ground)
    ]
    if not claim.real or not set(claim.real) <= {row.number for row in rows} or claim.is_foreign(claim.sentence):
        return None
    with_value = {(row.name, row.label) for row in rows if row.has_value}
    if any(row.is_asserted and (row.name, row.label) not in with_value for row in rows):
        return Finding("flagged", claim.real, "unsupported")
    having = [row.number for row in rows if row.is_of_statement and row.has_value]
    if having and not set(having) & set(claim.real):
        return Finding("moved", having[:MOST_MARKS], "unsupported")
    return None


def _is_row(ground: EvidenceText) -> bool:
    """Return True for a row with a value that is not the name of its own instance."""
    return ground.piece.get("value") not in (None, "", *ground.piece["entities"][:1])
