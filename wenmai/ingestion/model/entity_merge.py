"""One table of names from the findings in many pieces, and the merges that a model proposes.

Every spelling that the model names becomes an entity of its own, and what it calls an alias is a merge of one into
another: so each can be undone by itself. An alias that the model gives to several entities is no merge; it is left to
the rules of `names`, and a generic term (父亲, 老人) is none at all. What a person's dictionary holds is
never merged away.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from tools.language import HAN
from wenmai.ingestion.model.reader import Read
from wenmai.ingestion.model.schema import KINDS, FoundEntity
from wenmai.ingestion.sources.aliases import KnownName, merge
from wenmai.language.lexicon import proper_names

LONGEST_NAME = 40
_PRONOUN = re.compile(
    r"[我你您他她它俺咱吾汝尔余予朕孤彼其](?:们|等|辈|俩)?|自己|大家|众人|那人|此人|这人|那个人|这个人|"
    r"(?:i|me|he|she|it|they|we|you|him|her|them|us|his|its|their|the|a|an)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class MergedEntities:
    """Names as entities and the merges among them; `dropped` spellings do not stand in the text."""

    names: list[KnownName]
    proposals: dict[str, str]
    dropped: int


@dataclass(slots=True)
class _Votes:
    """What the pieces say: how often a name is one, of which kind, which spelling is whose."""

    named: Counter[str] = field(default_factory=Counter)
    kinds: dict[str, Counter[str]] = field(default_factory=dict)
    owners: dict[str, Counter[str]] = field(default_factory=dict)
    dropped: int = 0


def merge_found_entities(
    rows: Iterable[Read], known: Sequence[KnownName], texts: Mapping[tuple[str, int], str]
) -> MergedEntities:
    """Join the entities of all pieces; `known` are those that a person named."""
    given = _spellings(known)
    everything = "\n".join(texts.values())
    votes = _Votes()
    for piece, answer in rows:
        text = texts.get((piece.task_id, piece.chapter), "")
        for entity in answer.found.entities if answer.found else ():
            _vote(votes, entity, given, text, everything)
    shared = {alias for alias, owners in votes.owners.items() if len(owners) > 1 and alias not in votes.named}
    proposals = _proposals(votes, {entry.name for entry in known}, shared)
    return MergedEntities(names=_names(votes, shared, given), proposals=proposals, dropped=votes.dropped)


def _spellings(known: Sequence[KnownName]) -> dict[str, str | None]:
    found: dict[str, str | None] = {}
    for entry in known:
        for spelling in dict.fromkeys((entry.name, entry.base, *entry.aliases)):
            found[spelling] = entry.name if found.get(spelling, entry.name) == entry.name else None
    return found


def _vote(votes: _Votes, entity: FoundEntity, given: dict[str, str | None], text: str, everything: str) -> None:
    """Count an entity: its name stands somewhere in the source, its aliases in the chapter."""
    spellings = proper_names(list(dict.fromkeys(s.strip() for s in (entity.name, *entity.aliases) if s.strip())))
    usable = [
        s
        for at, s in enumerate(spellings)
        if is_name(s) and s in (everything if at == 0 and s == entity.name else text)
    ]
    votes.dropped += sum(is_name(s) for s in spellings) - len(usable)
    if not usable:
        return
    head = given.get(usable[0], usable[0])
    if head is None:  # a spelling that a person gave to several entities decides nothing
        return
    votes.named[head] += 1
    votes.kinds.setdefault(head, Counter())[entity.kind if entity.kind in KINDS else "Character"] += 1
    for alias in usable[1:]:
        if alias not in given and alias != head:
            votes.owners.setdefault(alias, Counter())[head] += 1


def is_name(spelling: str) -> bool:
    """Return True for what may be a name: no pronoun, no single Chinese character, no sentence."""
    if _PRONOUN.fullmatch(spelling) or len(spelling) > LONGEST_NAME or "\n" in spelling:
        return False
    return len(spelling) > 1 or not HAN.match(spelling)


def _proposals(votes: _Votes, given: set[str], shared: set[str]) -> dict[str, str]:
    """Return name -> entity for each group of spellings that the model takes for one."""
    heads: dict[str, str] = {}

    def head(name: str) -> str:
        while heads.get(name, name) != name:
            name = heads[name]
        return name

    def rank(name: str) -> tuple[bool, int, int, str]:
        """Order what may give a group its name: a person's choice, the most frequent name, the longest."""
        return name not in given, -votes.named[name], -len(name), name

    for alias, owners in votes.owners.items():
        if alias in shared or len(owners) > 1:
            continue
        ends = sorted({head(alias), head(next(iter(owners)))}, key=rank)
        if len(ends) == 2 and not set(ends) <= given:
            heads[ends[1]] = ends[0]
    return {name: head(name) for name in heads}


def _names(votes: _Votes, shared: set[str], given: dict[str, str | None]) -> list[KnownName]:
    """Return every spelling as an entity; shared ones as aliases of each that may be meant."""
    entities = [
        KnownName(
            name=name,
            kind=votes.kinds[name].most_common(1)[0][0],
            aliases=tuple(sorted(alias for alias in shared if name in votes.owners[alias])),
        )
        for name in votes.named
    ]
    own = [
        KnownName(name=alias, kind=votes.kinds[next(iter(owners))].most_common(1)[0][0])
        for alias, owners in votes.owners.items()
        if alias not in shared and alias not in votes.named and alias not in given
    ]
    return merge(entities, own)
