"""Refusals in a draft's own words, and evidence that answers all the same."""

from collections.abc import Sequence

from nodes.checking.claims import Claim, Material
from nodes.checking.findings import ANSWERABLE, ANSWERED
from nodes.checking.grounds import words_of
from nodes.checking.statements import Statement

MOST_PIECES = 6


def refuses(statements: Sequence[Statement], material: Material) -> bool:
    """Return True if a draft only says that the material does not answer."""
    claims = [Claim(one, material) for one in statements if one.said]
    telling = [one for one in claims if not one.is_question]
    return bool(telling) and all(one.is_refusal and not one.statement.marks for one in telling)


def answering(question: str, material: Material) -> list[str]:
    """Return the ids of the evidence that seems to answer a question; without a reader none does."""
    reader, words = material.reader, words_of(question)
    if reader is None:
        return []
    ranked = sorted(material.grounds, key=lambda ground: -ground.share(words))[:MOST_PIECES]
    found = [(ground, reader.answer(question, ground, words)) for ground in ranked]
    return [
        ground.piece["id"]
        for ground, best in found
        if best and best.margin >= ANSWERED and best.answerable >= ANSWERABLE
    ]
