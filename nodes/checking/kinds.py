"""Words of one kind, of which one excludes another: a day, a unit, a relative, a colour, an opposite.

A line of `kinds.txt` is a kind; `|` stands between words of one meaning.
"""

from collections import defaultdict
from collections.abc import Iterable
from importlib.resources import files

from nodes.checking.evidence import without_ending

Kinds = dict[str, list[tuple[int, int]]]


def _read(lines: Iterable[str]) -> Kinds:
    """Return the kinds of each word, each with the number of its meaning there."""
    found: Kinds = defaultdict(list)
    for kind, line in enumerate(lines):
        for meaning, words in enumerate(line.split()):
            for word in words.split("|"):
                for form in {without_ending(word), without_ending(f"{word}s")} if word.isascii() else {word}:
                    found[form].append((kind, meaning))
    return found


_OF = _read(files("nodes.checking").joinpath("kinds.txt").read_text("utf-8").splitlines())


def exclude(one: str, other: str) -> bool:
    """Return True if two words are of one kind with other meanings; each is a stem.

    Of two words of one length the one part in which they differ may be of one kind: left hand, right hand.
    """
    if _differ(one, other):
        return True
    parts = [pair for pair in zip(one, other, strict=False) if pair[0] != pair[1]]
    return len(one) == len(other) > 1 and len(parts) == 1 and not one.isascii() and _differ(*parts[0])


def _differ(one: str, other: str) -> bool:
    ours, theirs = dict(_OF.get(one, ())), dict(_OF.get(other, ()))
    shared = ours.keys() & theirs.keys()
    return bool(shared) and all(ours[kind] != theirs[kind] for kind in shared)
