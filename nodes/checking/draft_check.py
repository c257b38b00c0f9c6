"""The check of a draft by code: what is invented, foreign or obeyed goes, marks move to where the words stand."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from nodes.checking.claim_reader import ClaimReader
from nodes.checking.claims import Claim, Material
from nodes.checking.contrary import is_contrary
from nodes.checking.figures import miscounted
from nodes.checking.findings import SUPPORTED_SHARE, Finding
from nodes.checking.foreign import addresses_in, without
from nodes.checking.grounds import grounds_of
from nodes.checking.kinds import answering, refuses
from nodes.checking.naming import misnamed
from nodes.checking.quotations import misquoted
from nodes.checking.rows import misread
from nodes.checking.statements import ENDS, Statement, left_of, statements_of
from nodes.checking.support import has_added, may_move, of_marks, supported
from nodes.checking.vouching import is_vouched
from nodes.checking.words import Segment
from nodes.results.citations import plain_text
from nodes.roles import AnswerReader
from state.draft import Draft, Mark
from state.grading import Note, NoteAction, NoteReason
from state.schema import Evidence
from tools.story.linking import NameTable

LONGEST_NOTE = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckRequest:
    """A model's draft to check.

    Attributes:
        question: the user's own; the draft may repeat its words, addresses and code.
        resolved: the question with what it refers to: its words may be repeated, and evidence may answer it although
            a draft refuses; unset: the question.
        evidence: that of the attempt.
        table: the names that the run knows.
        known: texts that the draft may repeat without a mark: what was asked and answered before.
    """

    question: str
    draft: Draft
    evidence: Sequence[Evidence]
    table: NameTable
    resolved: str = ""
    known: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class DraftCheck:
    """Checks drafts; `reader` opens the reader at its first use, None where it is missing."""

    reader: Callable[[], AnswerReader | None]
    segment: Segment

    async def __call__(self, request: CheckRequest) -> Draft:
        """Check a draft in a thread: reading takes time."""
        return await asyncio.to_thread(self.check, request)

    def check(self, request: CheckRequest) -> Draft:
        """Return what is left of a draft, with what was dropped, moved or flagged; without sentences, if nothing is.

        Of talk (`chat`), which states nothing of the material, only addresses, code and orders are looked for.
        """
        opened, draft = self.reader(), request.draft
        known = "\n".join([request.question, request.resolved, *request.known])
        material = Material(
            grounds=grounds_of(request.evidence, request.table),
            table=request.table,
            known=known,
            reader=ClaimReader(opened) if opened else None,
            segment=self.segment,
            is_chat=draft["status"] == "chat",
            asked=request.resolved or request.question,
        )
        statements = statements_of(draft["sentences"], request.evidence)
        rows = [(one, *checked(one, material, request.question)) for one in statements]
        notes = list(draft["notes"])
        for statement, _, finding in rows:
            if finding.reason and finding.action != "kept":
                pieces = [request.evidence[number - 1]["id"] for number in finding.marks]
                notes.append(note(finding.action, finding.reason, statement.sentence, pieces))
        left = [kept for _, kept, _ in rows if kept]
        is_refusal = refuses(left, material)
        if is_refusal and not material.is_chat and (ids := answering(material.asked, material)):
            notes.append(note("flagged", "answered", plain_text(draft["sentences"]).strip(), ids))
        is_sound = bool(left) and not any(finding.reason for _, _, finding in rows)
        is_refused = is_refusal and draft["status"] == "answer"
        return Draft(
            status="not_found" if is_refused else draft["status"],
            by=draft["by"],
            sentences=left_of([kept for _, kept, _ in rows]),
            refused="own_words" if is_refused else None,
            confidence=None,
            notes=notes,
            verified=is_sound and all(is_vouched(Claim(one, material)) for one in left if one.sentence),
        )


def checked(statement: Statement, material: Material, question: str) -> tuple[Statement | None, Finding]:
    """Return what is left of a statement, and what was found of it."""
    foreign = addresses_in(statement.sentence, question, Claim(statement, material).cited)
    if not foreign:
        finding = judged(statement, material)
        return None if finding.action == "dropped" else marked(statement, finding.marks, material), finding
    rest = shortened(statement, without(statement.text, foreign))
    finding = judged(rest, material)
    if finding.action == "dropped" or not (material.is_chat or Claim(rest, material).best[0] >= SUPPORTED_SHARE):
        return None, Finding("dropped", (), "address")
    return marked(rest, finding.marks, material), Finding("dropped", finding.marks, "address")


def marked(statement: Statement, numbers: Sequence[int], material: Material) -> Statement:
    """Return a statement that cites these pieces."""
    return statement.marked(numbers, [ground.piece for ground in material.grounds])


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
    there = Claim(marked(claim.statement, marks, claim.material), claim.material)
    if is_contrary(there) or has_added(there):
        return False
    if set(marks) <= set(claim.real):
        return True
    doubt = misnamed(there)
    return may_move(claim, marks) and (doubt is None or doubt.action == "kept")


def shortened(statement: Statement, text: str) -> Statement:
    """Return a statement of which something was taken, its marks at the end."""
    end = len(text.rstrip().rstrip(ENDS))
    marks = tuple(Mark(at=end, piece=mark["piece"], spaced=False) for mark in statement.marks)
    return Statement(text, marks, statement.numbers)


def note(action: NoteAction, reason: NoteReason, text: str, evidence: Sequence[str]) -> Note:
    """Return a note on a sentence."""
    return Note(action=action, reason=reason, text=text[:LONGEST_NOTE], evidence=list(evidence))
