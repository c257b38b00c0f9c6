"""Numbers of a statement that the evidence does not have, or has for something else."""

from itertools import product

from nodes.checking.claims import Claim
from nodes.checking.findings import ALIKE, VERY_SURE, Finding
from nodes.checking.grounds import Ground
from nodes.checking.numbers import Number, numbers_of
from nodes.checking.quotes import quotes_of


def miscounted(claim: Claim) -> Finding | None:
    """Return a finding for a number that the evidence contradicts, or lacks."""
    everything = numbers_of(claim.sentence)
    stated = [number for number in everything if not number.loose]
    grounds = claim.compared
    if not stated or not grounds:
        return None
    known = [*numbers_of(claim.material.known), *(one for ground in grounds for one in ground.numbers)]
    lost = [one for one in stated if not any(one.fits(other) for other in known)]
    lost = [one for one in lost if not _is_reckoned(one, [other for other in everything if other not in lost])]
    if lost:
        return Finding("dropped" if _contradicts(claim, grounds) else "flagged", claim.real, "number")
    return Finding("flagged", claim.real, "number") if any(_is_other(claim, one) for one in stated) else None


def _contradicts(claim: Claim, grounds: list[Ground]) -> bool:
    """Return True if a sentence of the evidence says about the same with other numbers."""
    nearest = (ground.nearest(claim.words) for ground in grounds)
    return any(share >= ALIKE and numbers_of(sentence) for sentence, share in nearest)


def _is_reckoned(number: Number, others: list[Number]) -> bool:
    """Return True if a number is the sum, difference or product of two others of its sentence."""
    pairs = product(others, others)
    return any(number.value in (a.value + b.value, a.value - b.value, a.value * b.value) for a, b in pairs if a != b)


def _is_other(claim: Claim, number: Number) -> bool:
    """Return True if the reader is very sure of another number where the statement has this one."""
    reader, span = claim.material.reader, (number.start, number.end)
    if reader is None or any(claim.sentence[slice(*span)] in quote for quote in quotes_of(claim.sentence)):
        return False
    for ground in claim.compared:
        found = reader.asked(claim.sentence, span, "number", ground)
        counted = numbers_of(found.words) if found and found.margin > VERY_SURE else []
        if counted and not any(number.fits(other) for other in counted):
            return True
    return False
