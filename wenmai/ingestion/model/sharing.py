"""The answer to a call shared out among its pieces: each finding goes to the chapter whose text bears it out.

A quotation belongs to the piece that the model names. Where it stands in a later one alone it belongs there: what is
told a chapter too late gives nothing away. It never moves to an earlier chapter.
"""

from collections.abc import Iterable, Sequence

from wenmai.ingestion.model.pieces import Piece
from wenmai.ingestion.model.schema import COSTS, Answer, Findings, FoundEntity, Reading


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
