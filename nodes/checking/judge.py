"""What becomes of one statement: orders first, then quotations, numbers, names, and whether anything says it."""

from nodes.checking.claims import Claim, Material
from nodes.checking.contrary import is_contrary
from nodes.checking.figures import miscounted
from nodes.checking.findings import Finding
from nodes.checking.naming import misnamed
from nodes.checking.quotations import misquoted
from nodes.checking.rows import misread
from nodes.checking.statements import Statement
from nodes.checking.support import has_added, of_marks, supported


def judged(statement: Statement, material: Material) -> Finding:
    """Return what becomes of a statement."""
    claim = Claim(statement, material)
    if claim.is_order:
        return Finding("dropped", (), "instruction")
    if material.is_chat or claim.says_nothing or claim.is_verbatim:
        return of_marks(claim)
    found = misquoted(claim) or miscounted(claim) or misread(claim)
    if found:
        return found
    doubt = misnamed(claim)
    if doubt and doubt.action != "kept":
        return doubt
    support = supported(claim)
    if support.action == "kept" and (is_contrary(claim) or has_added(claim)):
        return Finding("flagged", claim.real, "unsupported")
    return doubt if doubt and support.reason is None else support
