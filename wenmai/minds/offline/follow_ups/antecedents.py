"""Which pieces of the talk words stand for: the likeliest of the right kind, spelled as the talk spells them."""

from collections.abc import Collection, Sequence

from wenmai.minds.offline.follow_ups.mentions import GENDERS, PATTERNS, Referent, kind_of
from wenmai.minds.offline.follow_ups.names import Name

SECOND = 0.6
"""How likely another antecedent must be, as a share of the best."""
_BEFORE = " ，。,“”\"'？?：:\n"
_BEHIND = f"{_BEFORE}."


def meant(
    found: Sequence[tuple[str, float]], referring: str, names: Sequence[Name], others: Collection[str] = ()
) -> list[str]:
    """Return what words stand for, [] if nothing fits.

    A plural can mean several; where something is left out, it can be a person and a thing.

    Args:
        found: pieces of the talk, the likeliest first.
        referring: the words in lower case; '' is something left out.
        names: those of the talk.
        others: what they do not stand for.
    """
    kind, gender = kind_of(referring), GENDERS.get(referring)
    people = {name.text for name in names if name.is_person}
    wrong = {name.text for name in names if gender and name.gender not in ("", gender)}
    pieces = [(text, sure) for words, sure in found if (text := _spelled(words, names)) and text not in others]
    pieces = [one for one in pieces if one[0] not in wrong] or pieces
    fitting = [one for one in pieces if _fits(one[0], kind, people)] or ([] if kind == "place" else pieces)
    taken = list(dict.fromkeys(text for text, sure in fitting if sure >= SECOND * fitting[0][1]))
    if kind == "several":
        return taken
    other = [text for text in taken[1:] if (text in people) != (taken[0] in people) and text not in taken[0]]
    return [*taken[:1], *(other[:1] if kind == "gap" else [])]


def _spelled(words: str, names: Sequence[Name]) -> str:
    """Return the known name that these words are most of, or any that they are a part of, else the words."""
    words = PATTERNS["dangling"].sub("", words.lstrip(_BEFORE).rstrip(_BEHIND))
    if not words or (len(words) == 1 and not any(name.text == words for name in names)):
        return ""
    same = [name.text for name in names if name.is_known and name.text in words and 2 * len(name.text) > len(words)]
    wider = [name.text for name in names if words in name.text]
    return next(iter([*same, *reversed(wider)]), words)


def _fits(text: str, kind: Referent, people: Collection[str]) -> bool:
    """Return True if a name can be what words of a kind stand for."""
    if kind in ("person", "several"):
        return text in people
    return kind not in ("place", "thing") or text not in people
