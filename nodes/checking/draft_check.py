"""The check of a draft by code: what is invented, foreign or obeyed goes, marks move to where the words stand."""

import asyncio
import logging
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from nodes.checking.claims import (
    ANSWERABLE,
    ANSWERED,
    SUPPORTED_SHARE,
    CheckContext,
    DraftClaim,
    Finding,
    miscounted,
    misnamed,
    misquoted,
    misread,
)
from nodes.checking.evidence import ClaimReader, EvidenceText, Number, Segment, numbers_of, words_of
from nodes.checking.statements import ENDS, DraftStatement, left_of, sentences_of, statements_of
from nodes.checking.support import (
    are_vouched,
    has_added,
    has_another,
    has_exchanged,
    is_contrary,
    may_move,
    nearest_clauses,
    of_label,
    of_marks,
    supported,
)
from nodes.checking.wordings import ADDRESS, ASKS_ADDRESS, SENDS
from nodes.citations import plain_text
from nodes.roles import AnswerReader
from state.draft import Draft, Mark, Note, NoteAction, NoteReason, Sentence
from state.schema import Evidence
from tools.story.names import NameTable

_TRACES = re.compile(r"[（(]\s*[)）]|[:：]\s*(?=[。.；;）)]|$)")
_TARGET = re.compile(r"\]\(\s*([^)\s]*)")
SOUND = -2.8
"""Log odds of the reader's margin and the share of words from which on a sentence that nobody grades is borne out: of
careful paraphrases nine in ten have them, of sentences that stand elsewhere in the book one in six."""
MOST_PIECES = 6
"""Pieces that the reader is asked whether they answer what a draft refuses."""
log = logging.getLogger("wenmai.loop")


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
        draft = request.draft
        context = replace(
            self._context(request.evidence, request.table),
            known="\n".join([request.question, request.resolved, *request.known]),
            is_chat=draft["status"] == "chat",
            asked=request.resolved or request.question,
        )
        statements = statements_of(draft["sentences"], request.evidence)
        context = replace(context, counted=counted(statements, context))
        rows = [(one, *checked(one, context, request.question)) for one in statements]
        notes = list(draft["notes"])
        for statement, _, finding in rows:
            if finding.reason and finding.action != "kept":
                pieces = [request.evidence[number - 1]["id"] for number in finding.marks]
                notes.append(note(finding.action, finding.reason, finding.part or statement.sentence, pieces))
        left = [kept for _, kept, _ in rows if kept]
        claims = [DraftClaim(one, context) for one in left if one.sentence and not one.is_label]
        stating = [one for one in claims if not one.is_question]
        is_refusal = bool(stating) and all(one.is_refusal and not one.statement.marks for one in stating)
        if is_refusal and not context.is_chat and (ids := answering(context.asked, context)):
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
            verified=is_sound and are_vouched(claims),
        )

    def sound_sentences(
        self, groups: Sequence[Sequence[Sentence]], evidence: Sequence[Evidence], table: NameTable
    ) -> list[list[Sentence]]:
        """Return of each group of sentences, which answer nothing, those that evidence bears out and that cite it.

        A doubtful one goes: nobody grades it. Without a reader, what is cited must have most of its words.
        """
        shared = self._context(evidence, table)
        found = list[list[Sentence]]()
        for sentences in groups:
            statements = statements_of(sentences, evidence)
            reader = ClaimReader(shared.reader.reader) if shared.reader else None  # each may read as much as a draft
            context = replace(shared, reader=reader, counted=counted(statements, shared))
            left = [checked(one, context, "")[0] for one in statements]
            found.append(left_of([one if one and _is_sound(DraftClaim(one, context)) else None for one in left]))
        return found

    def _context(self, evidence: Sequence[Evidence], table: NameTable) -> CheckContext:
        opened = self.reader()
        return CheckContext(
            grounds=[EvidenceText(piece, table) for piece in evidence],
            table=table,
            known="",
            reader=ClaimReader(opened) if opened else None,
            segment=self.segment,
        )


def _is_sound(claim: DraftClaim) -> bool:
    """Return True if what a statement cites plainly says it."""
    if not claim.real or claim.statement.doubtful:
        return False
    return any(
        ground.share(claim.words) >= SUPPORTED_SHARE or ((odds := claim.odds(ground)) is not None and odds >= SOUND)
        for ground in claim.cited
    )


def checked(statement: DraftStatement, context: CheckContext, question: str) -> tuple[DraftStatement | None, Finding]:
    """Return what is left of a statement, and what was found of it."""
    # Those that neither the question has nor, asked for, a piece that the statement cites.
    grounds = DraftClaim(statement, context).cited if ASKS_ADDRESS.search(question) else ()
    found = [match[0] for match in ADDRESS.finditer(statement.sentence)]
    foreign = [one for one in found if not _stays(one, question, grounds)]
    if not foreign:
        finding = judged(statement, context)
        if finding.action == "dropped" and (halved := _halved(statement, finding, context)):
            return halved
        return None if finding.action == "dropped" else _left(statement, finding, context), finding
    text = statement.text
    for one in foreign:
        text = text.replace(one, "")
    text = _TRACES.sub("", text)  # the brackets that they leave empty
    end = len(text.rstrip().rstrip(ENDS))
    marks = tuple(Mark(at=end, piece=mark["piece"], spaced=False) for mark in statement.marks)
    rest = DraftStatement(text, marks, statement.numbers)
    finding = judged(rest, context)
    if finding.action == "dropped" or not (context.is_chat or DraftClaim(rest, context).best[0] >= SUPPORTED_SHARE):
        return None, Finding("dropped", (), "address")
    return _left(rest, finding, context), Finding("dropped", finding.marks, "address")


def _left(statement: DraftStatement, finding: Finding, context: CheckContext) -> DraftStatement:
    return replace(marked(statement, finding.marks, context), doubtful=finding.action == "flagged")


def _halved(statement: DraftStatement, whole: Finding, context: CheckContext) -> tuple[DraftStatement, Finding] | None:
    """Return what is left of a statement without the clause for which it would be dropped, None if it is all of it."""
    others = statement.clauses[1:]
    for clauses in [*([one] for one in reversed(others)), *(others[at:] for at in reversed(range(len(others) - 1)))]:
        rest = statement.without(clauses)
        finding = judged(rest, context) if rest else whole
        if rest and DraftClaim(rest, context).is_telling and finding.action in ("kept", "moved"):
            part = "".join(statement.text[slice(*one)] for one in clauses).strip("，,；; ")
            return _left(rest, finding, context), Finding("dropped", finding.marks, whole.reason, part)
    return None


def counted(statements: Sequence[DraftStatement], context: CheckContext) -> list[Number]:
    """Return the numbers that a sum may be of: those of sentences that cite a piece which has them."""
    return [
        one
        for statement in statements
        for known in [[other for at in context.named(statement.numbers) for other in context.grounds[at - 1].numbers]]
        for one in numbers_of(statement.sentence)
        if any(one.fits(other) for other in known)
    ]


def marked(statement: DraftStatement, numbers: Sequence[int], context: CheckContext) -> DraftStatement:
    return statement.marked(numbers, [ground.piece for ground in context.grounds])


def judged(statement: DraftStatement, context: CheckContext) -> Finding:
    """Return what becomes of a statement: orders first, then quotations, numbers, rows, names, and what says it."""
    claim = DraftClaim(statement, context)
    if claim.is_order:
        return Finding("dropped", (), "instruction")
    if context.is_chat or claim.says_nothing or claim.is_verbatim:
        return of_marks(claim)
    if statement.is_label:
        return of_label(claim)
    found = misquoted(claim) or miscounted(claim) or misread(claim)
    if found:
        return found
    doubt = misnamed(claim)
    if doubt and doubt.action != "kept":
        return doubt
    support = supported(claim)
    if support.action in ("kept", "moved") and (reason := _against(claim, support.marks)):
        return Finding("dropped" if reason == "contradicted" else "flagged", claim.real, reason)
    return doubt if doubt and support.reason is None else support


def _against(claim: DraftClaim, marks: Sequence[int]) -> NoteReason | None:
    """Return what speaks against a statement with these marks; new ones must name what says it."""
    there = DraftClaim(marked(claim.statement, marks, claim.context), claim.context)
    pairs = nearest_clauses(there)
    if is_contrary(pairs):
        return "contradicted"
    if has_exchanged(there):
        return "name"
    if has_added(there) or has_another(there, pairs):
        return "unsupported"
    if set(marks) <= set(claim.real):
        return None
    doubt = misnamed(there)
    return None if may_move(claim, marks) and (doubt is None or doubt.action == "kept") else "unsupported"


def note(action: NoteAction, reason: NoteReason, text: str, evidence: Sequence[str]) -> Note:
    return Note(action=action, reason=reason, text=text, evidence=list(evidence))


def _stays(address: str, question: str, cited: Sequence[EvidenceText]) -> bool:
    if address.startswith("!"):
        return False
    target = _TARGET.search(address)
    plain = (target[1] if target else address).strip("<>").casefold()
    if not plain or _names(question, plain):
        return bool(plain)
    sentences = (one["text"].strip() for ground in cited for one in sentences_of(ground.text, ()))
    # A sentence that sends its reader there gives no address.
    return any(_names(one, plain) and not SENDS.search(ADDRESS.sub("", one)) for one in sentences)


def _names(text: str, address: str) -> bool:
    """Return True if a text has an address whole, not as part of a longer one."""
    return any(match[0].strip("<>").casefold().rstrip("/.") == address.rstrip("/.") for match in ADDRESS.finditer(text))


def answering(question: str, context: CheckContext) -> list[str]:
    """Return the ids of the evidence that seems to answer a question; without a reader none does."""
    reader, words, ids = context.reader, words_of(question), list[str]()
    for ground in sorted(context.grounds, key=lambda ground: -ground.share(words))[:MOST_PIECES]:
        best = reader.answer(question, ground, words) if reader else None
        if best and best.margin >= ANSWERED and best.answerable >= ANSWERABLE:
            ids.append(ground.piece["id"])
    return ids
