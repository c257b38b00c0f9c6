"""The draft from what was read: the sentence that answers, one more where it adds something, and where else to look."""

from collections.abc import Sequence

from nodes.prompts.chinese import user_text
from nodes.results.citations import BARE, CONTEXT, LISTED
from state.context import Language
from tools.text.sentences import on_one_line
from wenmai.minds.offline.calibration import REFUSAL, REFUSAL_OF_FILES
from wenmai.minds.offline.questions.asked import Asked
from wenmai.minds.offline.questions.speech import Speech
from wenmai.minds.offline.reading import Read, readable
from wenmai.minds.offline.sentences import Numbered
from wenmai.minds.offline.wordings import say

SECOND = 0.8
"""Share of the first sentence's probability from which on a second one belongs to the answer: a rival of it."""
SEE_ALSO = 0.06
"""Probability from which on a passage is worth a look."""
MOST_SEE_ALSO, MOST_EDGES = 2, 2
MOST_STAGES, STAGE = 6, 0.2
"""Sentences of a history, and how probable each must be."""


def drafted(reads: Sequence[Read], language: Language) -> str:
    """Return the draft with a mark behind each sentence, or the refusal where nothing answers surely enough.

    Args:
        reads: what was read, the likeliest answer first.
        language: of the answer.
    """
    if not reads or reads[0].probability < (REFUSAL_OF_FILES if reads[0].piece["kind"] == "document" else REFUSAL):
        return user_text("not_found", language)
    best, *others = distinct(reads)
    lines = [marked(best)]
    if others and others[0].probability >= SECOND * best.probability:
        lines.append(marked(others.pop(0)))
    return "\n".join([*lines, *see_also(others, language)])


def joined(edges: Sequence[Numbered], reads: Sequence[Read], language: Language) -> str:
    """Return what joins two people as the graph has it, then the passages that tell of both."""
    lines = [f"{unmarked(' '.join(readable(piece).split()))} [E{number}]" for number, piece in edges[:MOST_EDGES]]
    others = [one for one in distinct(reads) if one.piece["kind"] == "passage"]
    return "\n".join([*lines, *see_also(others, language)])


def see_also(reads: Sequence[Read], language: Language) -> list[str]:
    """Return the lines that say where else to look; a file has its place beside passages of a story."""
    also = [one for one in reads if one.probability >= SEE_ALSO]
    files = [one for one in also if one.piece["kind"] == "document"]
    if files and files[0] not in also[:MOST_SEE_ALSO]:
        also.insert(MOST_SEE_ALSO - 1, files[0])
    return [f"{say('reading.see', language)}{marked(one)}" for one in also[:MOST_SEE_ALSO]]


def staged(reads: Sequence[Read], asked: Asked, language: Language) -> str:
    """Return a history in the order of the story: the likeliest sentences, where none is likely those with the name."""
    found = distinct(reads)
    likely = [one for one in found if one.probability >= STAGE]
    kept = (likely or [one for one in found if asked.named(one.sentence, one.piece) == 1])[:MOST_STAGES]
    if not kept:
        return user_text("not_found", language)
    return "\n".join(marked(one) for one in sorted(kept, key=lambda one: (one.piece["event_order"] or 0, one.number)))


def told_speech(speech: Speech, language: Language) -> str:
    """Return who said quoted words, and the words."""
    speaker, words = (unmarked(" ".join(part.split())) for part in (speech.speaker, speech.words))
    return f"{say('reading.said', language, speaker=speaker, words=words)} [E{speech.number}]"


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
