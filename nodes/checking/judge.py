"""What becomes of one statement: orders first, then quotations, numbers, names, and whether anything says it."""

from nodes.checking.claims import Claim, Material
from nodes.checking.figures import miscounted
from nodes.checking.findings import Finding
from nodes.checking.naming import misnamed
from nodes.checking.quotations import misquoted
from nodes.checking.statements import Statement
from nodes.checking.support import of_marks, supported


def judged(statement: Statement, material: Material) -> Finding:
    """Return what becomes of a statement."""
    claim = Claim(statement, material)
    if claim.is_order:
        return Finding("dropped", (), "instruction")
    if material.is_chat or claim.says_nothing or claim.is_verbatim:
        return of_marks(claim)
    found = misquoted(claim) or miscounted(claim)
    if found:
        return found
    doubt = misnamed(claim)
    if doubt and doubt.action != "kept":
        return doubt
    support = supported(claim)
    return doubt if doubt and support.reason is None else support
