"""Whether anything in the evidence says what a statement says, and which piece."""

from collections.abc import Sequence

from nodes.checking.claims import Claim
from nodes.checking.findings import (
    ALIKE,
    CLAUSE_PAIRS,
    LEAST_SHARE,
    LIKELY,
    READ_CLAUSE,
    READ_LEAST,
    READ_SHARE,
    SUPPORTED_SHARE,
    SUPPORTED_SHARE_SHORT,
    Finding,
)
from nodes.checking.grounds import Ground, words_of
from nodes.checking.quotes import unquoted
from nodes.checking.wordings import CONCLUDES, CUTS

BARELY = 0.15
"""Share below which, without a reader, a piece that is cited says nothing of a statement."""


def supported(claim: Claim) -> Finding:
    """Return what becomes of a statement by the support that it has."""
    share, number = claim.best
    if claim.real:
        return _of_marked(claim, share, number)
    if any(_may_say(claim, ground, ground.share(claim.words), LEAST_SHARE) for ground in claim.cited):
        return Finding("kept", [])
    if share >= SUPPORTED_SHARE and not (claim.is_short and _is_scattered(claim, number)):
        return Finding("moved", [number], "unmarked")
    if claim.is_short and claim.is_known and not claim.statement.numbers:
        return Finding("kept", [])
    if (claim.is_short and not claim.statement.numbers) or claim.is_foreign(claim.sentence):
        return Finding("flagged", [], "unmarked")
    may_say = _may_say(claim, claim.material.grounds[number - 1], share, LEAST_SHARE) if number else False
    if may_say or CONCLUDES.search(claim.sentence):
        return Finding("flagged", [], "unmarked")
    return Finding("dropped", [], "unsupported")


def _of_marked(claim: Claim, share: float, number: int) -> Finding:
    """Return the finding for a statement whose marks name evidence: they move where another piece says it."""
    shares = [(ground, ground.share(claim.words)) for ground in claim.cited]
    if any(own >= SUPPORTED_SHARE for _, own in shares) or claim.is_foreign(claim.sentence):
        return of_marks(claim)
    if share >= SUPPORTED_SHARE and max(own for _, own in shares) < SUPPORTED_SHARE / 2:
        return Finding("moved", [number], "unsupported")
    if any(_may_say(claim, ground, own, BARELY) for ground, own in shares):
        return of_marks(claim)
    return Finding("flagged", claim.real, "unsupported")


def may_move(claim: Claim, to: Sequence[int]) -> bool:
    """Return True if a statement may get the marks of other pieces: a sentence says all of it, or the reader sees it.

    Shared words alone may be those of another person or another act.
    """
    return all(_is_said_by(claim, claim.material.grounds[number - 1]) for number in to if number not in claim.real)


def _is_said_by(claim: Claim, ground: Ground) -> bool:
    reader, nearest = claim.material.reader, ground.nearest(claim.words)[1]
    margin = reader.margin(claim.asserted, ground, claim.words) if reader else None
    if margin is None or nearest >= SUPPORTED_SHARE_SHORT:
        return nearest >= SUPPORTED_SHARE
    return margin >= LIKELY


def has_added(claim: Claim) -> bool:
    """Return True if the reader sees a clause of a statement nowhere in what it cites."""
    return not claim.is_foreign(claim.sentence) and any(
        _is_added(claim, clause) for clause in CUTS.split(unquoted(claim.asserted)) if clause
    )


def _is_added(claim: Claim, clause: str) -> bool:
    reader, words = claim.material.reader, words_of(clause)
    if reader is None or not claim.cited or len(words) < CLAUSE_PAIRS:
        return False
    rows = [(ground, ground.share(words)) for ground in claim.cited]
    if any(share >= ALIKE for _, share in rows):
        return False
    odds = [(reader.margin(clause, ground, words), READ_SHARE * share) for ground, share in rows]
    return all(margin is not None and margin + worth < READ_CLAUSE for margin, worth in odds)


def _is_scattered(claim: Claim, number: int) -> bool:
    """Return True if no one sentence of a piece says the statement."""
    return claim.material.grounds[number - 1].nearest(claim.words)[1] < SUPPORTED_SHARE_SHORT


def _may_say(claim: Claim, ground: Ground, share: float, least: float) -> bool:
    """Return True if a piece may say the statement: by the reader, or where it is missing by the share of words."""
    reader = claim.material.reader
    margin = reader.margin(claim.asserted, ground, claim.words) if reader else None
    return share >= least if margin is None else margin + READ_SHARE * share >= READ_LEAST


def of_marks(claim: Claim) -> Finding:
    """Return the finding for a statement of which only invented marks are at fault, if any."""
    if claim.real == list(claim.statement.numbers):
        return Finding("kept", claim.real)
    return Finding("moved", claim.real, "unmarked")
