"""Which heads of triples are of one type: those that the same relations describe.

A frequent relation whose heads hardly overlap with those of the types before it founds a type; then every head goes to
the type whose heads have its relations (naive Bayes with add-one smoothing, a few rounds).
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from math import log

# Chosen on the three domains of KdConv, whose heads are films with people, music with musicians, and sights.
UNIVERSAL = 0.5  # a relation of so many heads tells nothing
LEAST = 0.05  # a type has so many of the heads
LEAST_HEADS = 5
OVERLAP = 0.1  # share of a founder's heads that an earlier one may have as well
ROUNDS = 5

Heads = Mapping[str, frozenset[str]]


def kinds_of(heads: Heads) -> tuple[dict[str, int], list[list[str]]]:
    """Return the number of each head's type, and for each type the relations that tell it best, best first."""
    having = Counter(name for names in heads.values() for name in names)
    telling = {name for name, many in having.items() if many <= UNIVERSAL * len(heads)}
    founders = founding(heads, [name for name, _ in having.most_common() if name in telling])
    if len(founders) < 2:
        return dict.fromkeys(heads, 0), [[name for name, _ in having.most_common()]]
    chosen = {head: first(names, founders) for head, names in heads.items()}
    known = {head: names & telling for head, names in heads.items()}
    for _ in range(ROUNDS):
        chosen = assigned(known, chosen, len(founders))
    return numbered(known, chosen, len(founders))


def founding(heads: Heads, order: Sequence[str]) -> list[str]:
    """Return the relations that found types, the most frequent first."""
    members = {name: {head for head, names in heads.items() if name in names} for name in order}
    least = max(LEAST_HEADS, LEAST * len(heads))
    founders: list[str] = []
    for name in order:
        own = members[name]
        if len(own) >= least and all(len(own & members[other]) <= OVERLAP * len(own) for other in founders):
            founders.append(name)
    return founders


def first(names: frozenset[str], founders: Sequence[str]) -> int | None:
    """Return the type of the one founder that a head has; None where it has none or several."""
    found = [number for number, founder in enumerate(founders) if founder in names]
    return found[0] if len(found) == 1 else None


def assigned(heads: Heads, chosen: Mapping[str, int | None], count: int) -> dict[str, int | None]:
    """Return each head's most likely type by its relations."""
    sizes = Counter(number for number in chosen.values() if number is not None)
    having = [Counter[str]() for _ in range(count)]
    for head, number in chosen.items():
        if number is not None:
            having[number].update(heads[head])
    return {head: likeliest(names, having, sizes) for head, names in heads.items()}


def likeliest(names: frozenset[str], having: Sequence[Counter[str]], sizes: Counter[int]) -> int | None:
    """Return the type under which these relations are most likely."""
    if not names:
        return None
    scores = [
        log(sizes[number] + 1) + sum(log((counts[name] + 1) / (sizes[number] + 2)) for name in names)
        for number, counts in enumerate(having)
    ]
    return scores.index(max(scores))


def numbered(heads: Heads, chosen: Mapping[str, int | None], count: int) -> tuple[dict[str, int], list[list[str]]]:
    """Return types without gaps, the heads that nothing describes as the last one."""
    used = sorted({number for number in chosen.values() if number is not None})
    places = {number: place for place, number in enumerate(used)}
    last = len(used)
    kinds = {head: last if number is None else places[number] for head, number in chosen.items()}
    typical = [telling(heads, kinds, place) for place in range(last + (None in chosen.values()))]
    return kinds, typical


def telling(heads: Heads, kinds: Mapping[str, int], kind: int) -> list[str]:
    """Return a type's relations, those first that many of its heads and few others have."""
    inside = Counter(name for head, names in heads.items() if kinds[head] == kind for name in names)
    everywhere = Counter(name for names in heads.values() for name in names)
    return sorted(inside, key=lambda name: (-(inside[name] ** 2) / everywhere[name], name))
