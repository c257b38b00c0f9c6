"""Names of a statement that the evidence does not have, or has in another's place."""

from collections.abc import Sequence
from itertools import product

from nodes.checking.claim_reader import Asking, ReaderAnswer
from nodes.checking.claims import Claim
from nodes.checking.findings import ALIKE, LIKELY, SUPPORTED_SHARE, VERY_SURE, Action, Finding
from nodes.checking.grounds import Ground
from nodes.checking.quotes import quotes_of
from nodes.checking.wordings import POINTS
from tools.story.linking import Mention

PERSON = "Character"
POSSESSIVE = ("'s", "’s")
AROUND = 4
"""Letters that may stand around a name where the reader points at it."""
MOST_NAMES = 3
"""Names of a statement in whose place the reader is asked."""


def misnamed(claim: Claim) -> Finding | None:
    """Return a finding for a name that nothing has, or in whose place the evidence has another.

    A doubt alone changes nothing, but that a grader must see the draft.
    """
    mentions = _mentions(claim)
    asked = _entities(claim.material.table.find(claim.material.known))
    known = asked.union(*(ground.names for ground in claim.material.grounds))
    if any(not _entities([mention]) & known for mention in mentions):
        is_alike = any(ground.nearest(claim.words)[1] >= ALIKE for ground in claim.compared)
        return Finding("dropped" if is_alike else "flagged", claim.real, "name")
    if _names_others(claim, mentions):
        return Finding("flagged", claim.real, "name")
    doubts = {
        _doubted(claim, mention, mentions, asked, ground)
        for mention, ground in product(mentions[:MOST_NAMES], claim.compared)
    }
    if "flagged" in doubts:
        return Finding("flagged", claim.real, "name")
    is_doubted = "kept" in doubts or (claim.cited and _is_absent(claim, mentions, asked))
    return Finding("kept", claim.real, "name") if is_doubted else None


def _doubted(
    claim: Claim, mention: Mention, mentions: Sequence[Mention], asked: set[str], ground: Ground
) -> Action | None:
    """Return what becomes of a statement by what the reader says of a piece in the place of a name."""
    own = _entities([mention])
    is_named = bool(own & ground.names)
    if not is_named and own & asked:
        return None
    other = _other_name(claim, mention, ground)
    if other is None or _is_swapped_for(claim, mention, mentions, other, ground):
        return None
    return "flagged" if other.margin > VERY_SURE and is_named else "kept"


def _is_absent(claim: Claim, mentions: Sequence[Mention], asked: set[str]) -> bool:
    """Return True for a person of the statement that neither a cited piece nor the question names."""
    there = asked.union(*(ground.names for ground in claim.cited))
    return any(one.candidates[0].kind == PERSON and not _entities([one]) & there for one in mentions)


def _names_others(claim: Claim, mentions: Sequence[Mention]) -> bool:
    """Return True if a sentence of a cited piece says the statement of other persons than it names."""
    own = _entities(mentions)
    if not own or POINTS.search(claim.sentence):
        return False
    nearest = (ground.nearest(claim.words) for ground in claim.cited)
    named = [_entities(claim.material.table.find(sentence)) for sentence, share in nearest if share >= SUPPORTED_SHARE]
    return bool(named) and all(names and not names & own for names in named)


def _mentions(claim: Claim) -> list[Mention]:
    """Return the names of a statement outside of its quotations, each entity once."""
    quoted = quotes_of(claim.sentence)
    found = [one for one in claim.material.table.find(claim.sentence) if not any(one.text in quote for quote in quoted)]
    return list({mention.candidates[0].entity: mention for mention in found}.values())


def _entities(mentions: Sequence[Mention]) -> set[str]:
    return {name.entity for mention in mentions for name in mention.candidates}


def _other_name(claim: Claim, mention: Mention, ground: Ground) -> ReaderAnswer | None:
    """Return what the reader surely points at where the statement has a name, if it is another one of its kind."""
    reader, kind = claim.material.reader, mention.candidates[0].kind
    asking: Asking = "who" if kind == PERSON else "what"
    if reader is None or claim.sentence[mention.end :].startswith(POSSESSIVE):
        return None
    answer = reader.asked(claim.sentence, (mention.start, mention.end), asking, ground)
    if answer is None or answer.margin <= LIKELY:
        return None
    found = [one for one in claim.material.table.find(answer.words) if one.candidates[0].kind == kind]
    is_name = len(found) == 1 and len(answer.words.strip()) <= len(found[0].text) + AROUND
    return answer if is_name and not _entities(found) & _entities([mention]) else None


def _is_swapped_for(
    claim: Claim, mention: Mention, mentions: Sequence[Mention], other: ReaderAnswer, ground: Ground
) -> bool:
    """Return True if the words are another name of the statement, in whose place the reader does not say this one."""
    pointed = _entities(claim.material.table.find(other.words))
    rival = next((one for one in mentions if _entities([one]) & pointed), None)
    if rival is None:
        return False
    swapped = _other_name(claim, rival, ground)
    return swapped is None or not _entities(claim.material.table.find(swapped.words)) & _entities([mention])
