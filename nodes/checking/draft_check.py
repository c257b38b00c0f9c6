"""The check of a draft by code: what is invented, foreign or obeyed goes, marks move to where the words stand."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from nodes.checking.claim_reader import ClaimReader
from nodes.checking.claims import Claim, Material
from nodes.checking.contrary import is_contrary
from nodes.checking.figures import miscounted
from nodes.checking.findings import SUPPORTED_SHARE, Finding
from nodes.checking.foreign import addresses_in, without, without_code
from nodes.checking.grounds import grounds_of
from nodes.checking.kinds import answering, refuses
from nodes.checking.naming import misnamed
from nodes.checking.quotations import misquoted
from nodes.checking.rows import misread
from nodes.checking.statements import Statement, joined, statements_of, without_sources
from nodes.checking.support import has_added, may_move, of_marks, supported
from nodes.checking.vouching import is_vouched
from nodes.checking.words import Segment
from nodes.roles import AnswerReader
from state.grading import Note, NoteAction, NoteReason
from state.schema import Evidence
from tools.story.linking import NameTable

LONGEST_NOTE = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckRequest:
    """A draft to check.

    Attributes:
        question: the user's own; the draft may repeat its words, addresses and code.
        resolved: the question with what it refers to: its words may be repeated, and evidence may answer it although
            a draft refuses; unset: the question.
        evidence: that of the attempt, in the order of the marks.
        table: the names that the run knows.
        known: texts that the draft may repeat without a mark: what was asked and answered before.
        is_chat: it states nothing of the material: only addresses, code and orders are looked for.
    """

    question: str
    draft: str
    evidence: Sequence[Evidence]
    table: NameTable
    resolved: str = ""
    known: Sequence[str] = ()
    is_chat: bool = False


@dataclass(frozen=True, slots=True)
class CheckedDraft:
    """A draft that was checked.

    Attributes:
        text: what is left of it, '' if nothing is.
        notes: what was dropped, moved or flagged.
        is_refusal: it only says that the material does not answer.
        is_verified: every statement cites a piece that has it word for word.
    """

    text: str
    notes: list[Note]
    is_refusal: bool
    is_verified: bool


@dataclass(frozen=True, slots=True)
class DraftCheck:
    """Checks drafts; `reader` opens the reader at its first use, None where it is missing."""

    reader: Callable[[], AnswerReader | None]
    segment: Segment

    async def __call__(self, request: CheckRequest) -> CheckedDraft:
        """Check a draft in a thread: reading takes time."""
        return await asyncio.to_thread(self.check, request)

    def check(self, request: CheckRequest) -> CheckedDraft:
        """Check a draft."""
        opened = self.reader()
        known = "\n".join([request.question, request.resolved, *request.known])
        grounds = grounds_of(request.evidence, request.table)
        material = Material(
            grounds=grounds,
            table=request.table,
            known=known,
            reader=ClaimReader(opened) if opened else None,
            segment=self.segment,
            is_chat=request.is_chat,
            asked=request.resolved or request.question,
        )
        texts = "\n".join(piece["text"] for piece in request.evidence)
        draft, code = without_code(without_sources(request.draft), request.question, texts)
        rows = [(one, *checked(one, material, request.question)) for one in statements_of(draft)]
        notes = [note("dropped", "code", one, ()) for one in code]
        for statement, _, finding in rows:
            if finding.reason and finding.action != "kept":
                pieces = [request.evidence[number - 1]["id"] for number in finding.marks]
                notes.append(note(finding.action, finding.reason, statement.sentence, pieces))
        left = [kept for _, kept, _ in rows if kept]
        is_refusal = refuses(left, material)
        if is_refusal and not request.is_chat and (ids := answering(request.resolved or request.question, material)):
            notes.append(note("flagged", "answered", draft.strip(), ids))
        is_sound = bool(left) and not any(finding.reason for _, _, finding in rows)
        is_verified = is_sound and all(is_vouched(Claim(one, material)) for one in left if one.sentence)
        return CheckedDraft(joined([kept for _, kept, _ in rows]), notes, is_refusal, is_verified)


def checked(statement: Statement, material: Material, question: str) -> tuple[Statement | None, Finding]:
    """Return what is left of a statement, and what was found of it."""
    foreign = addresses_in(statement.sentence, question, Claim(statement, material).cited)
    if not foreign:
        finding = judged(statement, material)
        return None if finding.action == "dropped" else statement.marked(finding.marks), finding
    rest = shortened(statement, without(statement.text, foreign))
    finding = judged(rest, material)
    if finding.action == "dropped" or not (material.is_chat or Claim(rest, material).best[0] >= SUPPORTED_SHARE):
        return None, Finding("dropped", (), "address")
    return rest.marked(finding.marks), Finding("dropped", finding.marks, "address")


def judged(statement: Statement, material: Material) -> Finding:
    """Return what becomes of a statement: orders first, then quotations, numbers, rows, names, and what says it."""
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
    if support.action in ("kept", "moved") and not _stands(claim, support.marks):
        return Finding("flagged", claim.real, "unsupported")
    return doubt if doubt and support.reason is None else support


def _stands(claim: Claim, marks: Sequence[int]) -> bool:
    """Return True if nothing speaks against a statement with these marks; new ones must name what says it."""
    there = Claim(claim.statement.marked(marks), claim.material)
    if is_contrary(there) or has_added(there):
        return False
    if set(marks) <= set(claim.real):
        return True
    doubt = misnamed(there)
    return may_move(claim, marks) and (doubt is None or doubt.action == "kept")


def shortened(statement: Statement, text: str) -> Statement:
    """Return a statement of which something was taken, its marks at the end."""
    return Statement(text).marked(statement.numbers)


def note(action: NoteAction, reason: NoteReason, text: str, evidence: Sequence[str]) -> Note:
    """Return a note on a sentence."""
    return Note(action=action, reason=reason, text=text[:LONGEST_NOTE], evidence=list(evidence))
