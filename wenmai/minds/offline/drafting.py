"""The draft from what was read: the sentence that answers, one more where it adds something, and where else to look."""

from collections.abc import Sequence
from dataclasses import dataclass

from nodes.drafts import NOTHING
from nodes.prompts.planner import user_text
from nodes.results.citations import BARE, CONTEXT, LISTED, plain_and_marks
from state.context import Language
from state.draft import Draft, Refusal, Sentence, SentenceRole
from state.schema import Evidence
from tools.text.sentences import on_one_line
from wenmai.minds.offline.calibration import REFUSAL, REFUSAL_OF_FILES
from wenmai.minds.offline.questions.asked import Asked
from wenmai.minds.offline.reading import Numbered, Read, readable
from wenmai.minds.offline.wordings import say

SECOND = 0.8
"""Share of the first sentence's probability from which on a second one belongs to the answer: a rival of it."""
SEE_ALSO = 0.06
"""Probability from which on a passage is worth a look."""
MOST_SEE_ALSO, MOST_EDGES = 2, 2
MOST_STAGES, STAGE = 6, 0.2
"""Sentences of a history, and how probable each must be."""


@dataclass(frozen=True, slots=True)
class Told:
    """Lines of an answer, with marks `[E<n>]`.

    Attributes:
        lines: what answers.
        also: where else to look.
        probability: that the first line answers, 0 to 1, as far as what was read tells.
    """

    lines: Sequence[str]
    also: Sequence[str] = ()
    probability: float = 0.0


def drafted(reads: Sequence[Read], language: Language) -> Told | None:
    """Return the sentence that answers, with a rival of it; None where nothing answers surely enough.

    Args:
        reads: what was read, the likeliest answer first.
        language: of the answer.
    """
    if not reads or reads[0].probability < (REFUSAL_OF_FILES if reads[0].piece["kind"] == "document" else REFUSAL):
        return None
    best, *others = distinct(reads)
    lines = [marked(best)]
    if others and others[0].probability >= SECOND * best.probability:
        lines.append(marked(others.pop(0)))
    return Told(lines, see_also(others, language), best.probability)


def joined(edges: Sequence[Numbered], reads: Sequence[Read], language: Language) -> Told:
    """Return what joins two people as the graph has it, then the passages that tell of both."""
    lines = [f"{unmarked(' '.join(readable(piece).split()))} [E{number}]" for number, piece in edges[:MOST_EDGES]]
    return Told(lines, see_also([one for one in distinct(reads) if one.piece["kind"] == "passage"], language))


def see_also(reads: Sequence[Read], language: Language) -> list[str]:
    """Return the lines that say where else to look; a file has its place beside passages of a story."""
    also = [one for one in reads if one.probability >= SEE_ALSO]
    files = [one for one in also if one.piece["kind"] == "document"]
    if files and files[0] not in also[:MOST_SEE_ALSO]:
        also.insert(MOST_SEE_ALSO - 1, files[0])
    return [f"{say('reading.see', language)}{marked(one)}" for one in also[:MOST_SEE_ALSO]]


def staged(reads: Sequence[Read], asked: Asked) -> Told | None:
    """Return a history in the order of the story: the likeliest sentences, where none is likely those with the name."""
    found = distinct(reads)
    likely = [one for one in found if one.probability >= STAGE]
    kept = (likely or [one for one in found if asked.named(one.sentence, one.piece) == 1])[:MOST_STAGES]
    kept.sort(key=lambda one: (one.piece["event_order"] or 0, one.number))
    return Told([marked(one) for one in kept], (), surest(reads, kept[0].piece)) if kept else None


def surest(reads: Sequence[Read], *pieces: Evidence) -> float:
    """Return the probability of the likeliest answer in some pieces, 0 where none was read."""
    ids = {piece["id"] for piece in pieces}
    return max((one.probability for one in reads if one.piece["id"] in ids), default=0.0)


def written(told: Told, evidence: Sequence[Evidence], confidence: float, *notices: str) -> Draft:
    """Return the draft of lines whose marks are numbered by the evidence; notices say something of the answer."""
    rows: list[tuple[SentenceRole, str]] = [
        *(("answer", line) for line in told.lines),
        *(("see_also", line) for line in told.also),
        *(("notice", line) for line in notices),
    ]
    sentences = []
    for at, (role, line) in enumerate(rows, 1):
        text, marks = plain_and_marks(line, evidence)
        sentences.append(Sentence(text=text + "\n" * (at < len(rows)), marks=marks, role=role))
    return Draft({**NOTHING, "status": "answer", "by": "rules", "sentences": sentences, "confidence": confidence})


def refused(
    language: Language, why: Refusal, confidence: float | None, more: str = "", also: Sequence[Sentence] = ()
) -> Draft:
    """Return the refusal, and what it says besides."""
    sentence = Sentence(text=user_text("not_found", language) + more, marks=[], role="answer")
    draft = Draft({**NOTHING, "status": "not_found", "by": "rules", "refused": why, "confidence": confidence})
    return {**draft, "sentences": [sentence, *also]}


def marked(read: Read) -> str:
    """Return a sentence on one line, with the mark of its evidence."""
    return f"{unmarked(on_one_line(read.sentence))} [E{read.number}]"


def unmarked(text: str) -> str:
    """Return a quotation whose own [E1], (E1, E2) and [2] cannot be taken for marks of the answer."""
    for way in (LISTED, CONTEXT):
        text = way.sub(lambda match: f"〔{match[0][1:-1]}〕", text)
    return BARE.sub(r"［\1］", text)


def distinct(reads: Sequence[Read]) -> list[Read]:
    """Return the reads without those whose sentence was there already: windows and passages overlap."""
    found: list[Read] = []
    for read in reads:
        if not any(read.sentence in other.sentence or other.sentence in read.sentence for other in found):
            found.append(read)
    return found
