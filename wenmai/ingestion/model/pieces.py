"""Chapters in pieces, each with a key that depends on its content alone, and the calls in which a model reads them.

The answer to a call is shared out among its pieces: a quotation belongs to the piece that the model names. Where it
stands in a later one alone it belongs there: what is told a chapter too late gives nothing away. It never moves to an
earlier chapter.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from state.context import Language
from wenmai.ingestion.chapters.records import SourceChapter
from wenmai.ingestion.model.schema import COSTS, Answer, Findings, FoundEntity, Reading
from wenmai.ingestion.passages import digest

PIECE = 4_000
"""Characters of a piece: long enough to know who `he` is, short enough to cost little where it stays unread."""
CALL = 8_000
"""Characters of the pieces of a call, unless the settings say otherwise."""
LENGTH_FACTOR: dict[Language, int] = {"zh": 1, "en": 2}
"""How many characters say as much as a Chinese one; half a word takes about as many tokens."""
LEAST = 400
"""A piece whose answer is too long is halved down to this."""
_PARAGRAPH = re.compile(r"[^\n]*\n*")

ChapterId = tuple[str, int | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """A span of a chapter; `text` is the chapter's from `start` on."""

    task_id: str
    chapter: int
    title: str
    text: str
    start: int
    language: Language

    @property
    def end(self) -> int:
        return self.start + len(self.text)

    @property
    def content(self) -> str:
        return digest(self.language, self.title, self.text)

    def key(self, mark: str) -> str:
        """Identity of its answer under a model and prompt version."""
        return digest(mark, self.content)


def pieces_of(chapters: Sequence[SourceChapter], language: Language) -> list[Piece]:
    """Cut chapters at ends of paragraphs into pieces of nearly equal length."""
    return [piece for chapter in chapters for piece in _cut(chapter, language)]


def calls_of(pieces: Sequence[Piece], size: int = CALL) -> list[tuple[Piece, ...]]:
    """Join pieces in reading order to calls of at most `size` characters, in English twice as many, or of one piece."""
    calls: list[tuple[Piece, ...]] = []
    room = 0
    for piece in pieces:
        if calls and len(piece.text) <= room:
            calls[-1] = (*calls[-1], piece)
        else:
            calls.append((piece,))
            room = size * LENGTH_FACTOR[piece.language]
        room -= len(piece.text)
    return calls


def halves(piece: Piece) -> tuple[Piece, Piece] | None:
    """Cut a piece in two at the paragraph nearest to its middle; None where it is too short for that."""
    spans = list(spans_of(piece.text, -(-len(piece.text) // 2)))
    if len(piece.text) < 2 * LEAST or len(spans) < 2:
        return None
    cut = spans[0][1]
    return (
        replace(piece, text=piece.text[:cut]),
        replace(piece, text=piece.text[cut:], start=piece.start + cut),
    )


def _cut(chapter: SourceChapter, language: Language) -> Iterator[Piece]:
    count = max(1, -(-len(chapter.text) // PIECE))
    for start, end in spans_of(chapter.text, -(-len(chapter.text) // count)):
        if chapter.text[start:end].strip():
            yield Piece(
                task_id=chapter.task_id,
                chapter=chapter.number,
                title=chapter.title,
                text=chapter.text[start:end],
                start=start,
                language=language,
            )


def spans_of(text: str, size: int) -> Iterator[tuple[int, int]]:
    """Yield spans of whole paragraphs, of `size` characters or little more; a longer paragraph is cut hard."""
    start = 0
    for match in _PARAGRAPH.finditer(text):
        while match.end() - start > 2 * size and match.end() - match.start() > size:
            yield start, start + size
            start += size
        if match.end() - start >= size:
            yield start, match.end()
            start = match.end()
    if start < len(text):
        yield start, len(text)


def shared_findings(reading: Reading, pieces: Sequence[Piece]) -> list[Findings | None]:
    """Return the findings in each piece; None for those of several behind the last one that the answer tells of."""
    numbers = [told.number for told in reading.pieces if told.number <= len(pieces)]
    last = max(numbers, default=0) if len(pieces) > 1 else 1
    made = [Findings() if number <= last else None for number in range(1, len(pieces) + 1)]
    for entity in reading.entities:
        for at, own in _by_piece(entity, pieces):
            if (findings := made[at]) is not None:
                findings.entities.append(own)
    for told in reading.pieces:
        for relation in told.relations:
            _holder(made, pieces, told.number, relation.evidence).relations.append(relation)
        for event in told.events:
            _holder(made, pieces, told.number, event.evidence).events.append(event)
        for reference in told.references:
            _holder(made, pieces, told.number, reference.quote).references.append(reference)
    return made


def _holder(made: Sequence[Findings | None], pieces: Sequence[Piece], number: int, quotation: str) -> Findings:
    """Return the findings of the named piece, or of the first later one that has the quotation.

    Where none has it, it stays with the named one, which drops and counts it.
    """
    first = min(max(number - 1, 0), len(pieces) - 1)
    words = quotation.strip()
    at = next((at for at in range(first, len(pieces)) if words and words in pieces[at].text), first)
    return made[at] or made[first] or Findings()


def _by_piece(entity: FoundEntity, pieces: Sequence[Piece]) -> Iterable[tuple[int, FoundEntity]]:
    """Give an entity to each piece that has one of its spellings, with the aliases of that piece.

    The first of them also gets the aliases that stand nowhere: they are dropped there, and counted.
    """
    spellings = [entity.name, *entity.aliases]
    here = [[one for one in entity.aliases if one.strip() in piece.text] for piece in pieces]
    holding = [
        at for at, piece in enumerate(pieces) if any(one.strip() and one.strip() in piece.text for one in spellings)
    ]
    nowhere = [one for one in entity.aliases if not any(one in found for found in here)]
    for at in holding or [0]:
        aliases = [*here[at], *nowhere]
        nowhere = []
        yield at, entity.model_copy(update={"aliases": aliases})


def shared_costs(cost: Answer, pieces: Sequence[Piece]) -> list[Answer]:
    """Return a call's cost in shares by the length of the pieces; the first one bears the call and the rest."""
    whole = sum(len(piece.text) for piece in pieces)
    shares = [{name: getattr(cost, name) * len(piece.text) // whole for name in COSTS} for piece in pieces]
    for name in COSTS:
        shares[0][name] += getattr(cost, name) - sum(share[name] for share in shares)
    return [cost.model_copy(update=dict(share)) for share in shares]
