"""Quotations of a statement that stand in another piece than the one it cites, or nowhere."""

import re

from nodes.checking.claims import Claim
from nodes.checking.findings import Finding
from nodes.checking.quotes import NEAR, likeness, quotes_of
from nodes.results.citations import letters

_SPEAKS = r"(?:(?<![小听传据])说|[问答喊写刻念唱叹骂吼嚷]|叫道|大叫)道?[着了过]?"
_SAYS = r"(?:said|says|asked|answered|cried|wrote|told|replied|reads)"
SPEECH = re.compile(
    rf"[：:,，]\s*[“「『\"]|{_SPEAKS}\s*[“「『\"]|[”」』\"][^，。！？“”「」『』\"]{{0,4}}?{_SPEAKS}(?=[。！？，；]|$)"
    rf"|\b{_SAYS}(?: \w+){{0,2}}\s*[“\"]|[”\"]\s*(?:[\w']+ ){{0,3}}{_SAYS}\b"
)
"""A sentence that gives words as somebody's own: the verb stands beside the quotation mark."""
TERM = 8
"""Letters below which words in quotation marks may be only a term of the writer."""


def misquoted(claim: Claim) -> Finding | None:
    """Return a finding where a quotation is not in what is cited: its mark moves, or it is no quotation."""
    quotes = [quote for quote in quotes_of(claim.sentence) if quote not in claim.material.known]
    if not quotes or all(any(ground.has_quote(quote) for ground in claim.cited) for quote in quotes):
        return None
    holders = [_holder(claim, quote) for quote in quotes]
    lost = [quote for quote, holder in zip(quotes, holders, strict=True) if holder is None]
    if not lost:
        return Finding("moved", list(dict.fromkeys(number for number in holders if number)), "quotation")
    if all(claim.is_foreign(quote) for quote in lost):
        return None
    is_term = not SPEECH.search(claim.sentence) and all(len(letters(quote)) < TERM for quote in lost)
    is_near = all(any(likeness(ground.letters, quote) >= NEAR for ground in claim.material.grounds) for quote in lost)
    return Finding("flagged" if is_term or is_near else "dropped", claim.real, "quotation")


def _holder(claim: Claim, quote: str) -> int | None:
    """Return the number of the piece that has a quotation, one that is cited first."""
    found = [number for number, ground in enumerate(claim.material.grounds, 1) if ground.has_quote(quote)]
    return next((number for number in claim.real if number in found), found[0] if found else None)
