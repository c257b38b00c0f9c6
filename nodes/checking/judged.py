"""What a grader's verdict on the claims of a draft does to its sentences: they go, in part or whole, or are flagged."""

from collections.abc import Sequence
from dataclasses import replace

from nodes.checking.claims import SUPPORTED_SHARE
from nodes.checking.draft_check import note
from nodes.checking.evidence import words_of
from nodes.checking.statements import DraftStatement, left_of, statements_of
from nodes.checking.wordings import REFUSES
from nodes.citations import letters
from nodes.roles import JudgedClaim
from state.draft import Draft, Note, NoteReason
from state.schema import Evidence


def judged_draft(
    draft: Draft, claims: Sequence[JudgedClaim], evidence: Sequence[Evidence]
) -> tuple[Draft, list[JudgedClaim]]:
    """Return what is left of a draft, and those of its claims that are.

    What a grader calls contradicted goes, and what both it and the check by code see no support for; what it alone
    doubts is flagged. Headings, bold labels and heads of tables are no claims.
    """
    statements = statements_of(draft["sentences"], evidence)
    labels = {letters(one.sentence) for one in statements if one.is_label}
    claims = [one for one in claims if letters(one.text) not in labels]
    against: list[list[JudgedClaim]] = [[] for _ in statements]
    left, nowhere = list[JudgedClaim](), list[JudgedClaim]()
    for claim in claims:
        places = _places(claim.text, statements) if claim.supported != "yes" else []
        nowhere += [claim] if claim.supported == "no" and not places else []
        for at in places:
            against[at].append(claim)
        if not places or (claim.supported == "no" and not any(statements[at].doubtful for at in places)):
            left.append(claim)
    notes = [*draft["notes"], *(note("flagged", "unsupported", one.text, ()) for one in nowhere)]
    if not any(against):
        return {**draft, "notes": notes}, left
    found: list[DraftStatement | None] = [*statements]
    for at, (statement, wrong) in enumerate(zip(statements, against, strict=True)):
        if wrong:
            notes = [one for one in notes if one["text"] != statement.sentence]
            found[at], more = _judged(statement, wrong, [piece["id"] for piece in evidence])
            notes += more
    return {**draft, "sentences": left_of(found), "notes": notes}, left


def _judged(
    statement: DraftStatement, wrong: Sequence[JudgedClaim], ids: Sequence[str]
) -> tuple[DraftStatement | None, list[Note]]:
    """Return what is left of a statement of which a grader does not see these claims supported, and the notes."""
    refuted = [one for one in wrong if one.supported == "contradicted" or statement.doubtful]
    left: DraftStatement | None = statement
    notes = list[Note]()
    if refuted:
        parts = sorted({span for one in refuted for span in _clauses_of(one.text, statement)})
        left = statement.without(parts)
        gone = "".join(statement.text[slice(*part)] for part in parts).strip("，,；; ") if left else statement.sentence
        reason: NoteReason = (
            "contradicted" if any(one.supported == "contradicted" for one in refuted) else "unsupported"
        )
        notes.append(note("dropped", reason, gone, ()))
    if left:
        # What code doubted of it is gone, or the grader has seen the rest supported.
        left = replace(left, doubtful=len(refuted) < len(wrong))
    if left and left.doubtful:
        pieces = [ids[number - 1] for number in left.numbers if number]
        notes.append(note("flagged", "unsupported", left.sentence, pieces))
    return left, notes


def _places(claim: str, statements: Sequence[DraftStatement]) -> list[int]:
    """Return the statements that a claim quotes whole, else the one that has it, or most of its words."""
    said, words = letters(claim), words_of(claim)
    rows = [
        (at, letters(one.sentence), one) for at, one in enumerate(statements) if not (_refuses(one) or one.is_label)
    ]
    quoted = [at for at, written, one in rows if words_of(one.sentence) and written in said and not one.leads_on]
    if quoted:
        return quoted
    shared = [(said in written, len(words & words_of(one.sentence)), at) for at, written, one in rows]
    has_it, count, at = max(shared, key=lambda row: (row[0], row[1], -row[2]), default=(False, 0, 0))
    return [at] if said and (has_it or (words and count >= SUPPORTED_SHARE * len(words))) else []


def _refuses(statement: DraftStatement) -> bool:
    return not statement.marks and bool(REFUSES.search(statement.sentence))


def _clauses_of(claim: str, statement: DraftStatement) -> list[tuple[int, int]]:
    """Return the clauses of a statement that a claim is of."""
    words, said = words_of(claim), letters(claim)
    found = list[tuple[int, int]]()
    for span in statement.clauses:
        clause = statement.text[slice(*span)]
        own = words_of(clause)
        if letters(clause) in said or (own and len(own & words) >= SUPPORTED_SHARE * len(own)):
            found.append(span)
    return found
