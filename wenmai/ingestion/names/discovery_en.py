"""English name discovery (see discovery.py)."""

import re
from collections import Counter
from collections.abc import Sequence

from wenmai.ingestion.sources.aliases import KnownName
from wenmai.language.lexicon import words

MIN_COUNT = 3
MIN_SPEAKING = 0.04
_TITLE = (
    r"(?:Mr|Mrs|Ms|Miss|Dr|Captain|Capt|Sir|Lady|Lord|King|Queen|"
    r"Prince|Princess|Professor|Colonel|Major|Doctor|Father|Sister|Brother|Aunt|Uncle)\.?"
)
_NAME = re.compile(rf"\b(?:{_TITLE}\s+)?[A-Z][a-z]+(?:[-'][A-Z][a-z]+)?(?:\s+(?:of\s+)?[A-Z][a-z]+){{0,2}}")
_TITLED = re.compile(rf"^{_TITLE}\s+")
_OPENS = re.compile(r"(?:^|[.!?]['\"”’)]*\s+|[\"“‘'(]\s*|\n\s*)$")
_SPEAKS = re.compile(
    r"^[\"”’]?,?\s+(?:said|asked|replied|cried|answered|whispered|shouted|told|laughed|smiled|nodded|looked|thought|knew|felt"
    r"|went|came|took|had|was|turned|stood|sat|saw|heard|stared|walked|ran|gave|made|began|opened|put)\b"
)
_SPOKEN = re.compile(r"\b(?:said|asked|replied|cried|answered|whispered|shouted)\s+$")
_PLACED = re.compile(
    r"\b(?:in|at|to|from|near|toward|towards|through|outside|inside|into|of|on|off|reached|left)\s+(?:the\s+)?$"
)
_PLACE = re.compile(
    r"\b(?:Island|Isle|Bay|Harbour|Harbor|Street|River|Mountain|Hill|House|Castle|City|Town|Point|Reef|Sea|Forest|Bridge|Tower|Lighthouse|Inn|Square|Road|Port)$"
)
_GROUP = re.compile(
    r"\b(?:Guild|Company|Council|Navy|Army|Order|Brotherhood|Society|Union|House of \w+|Club|Church|Clan|Crew)$"
)
_STOP = frozenset(
    words("""
    The A An And But Or If When Then There This That These Those He She It They We You I His Her Its Their
    My Your Our What Who Why How Where Which While After Before As At By For From In Into Of On To With
    Without Not No Yes Oh Ah Well Now So Once Only Even Still Just Never Always Perhaps Maybe Chapter Part
    Book Monday Tuesday Wednesday Thursday Friday Saturday Sunday January February March April May June July
    August September October November December God Christmas English French One Two Three Some All Every
    Each Nothing Something Everyone Nobody Come Go Let Do Did Is Was Are Were Be Have Had
    """)
)


def discover_english(texts: Sequence[str], taken: set[str]) -> list[KnownName]:
    """Return capitalised names that occur inside sentences; First and Last are aliases where one owner has them."""
    counts, inside, speaking, placed = Counter[str](), Counter[str](), Counter[str](), Counter[str]()
    for text in texts:
        for match in _NAME.finditer(text):
            name, start = _trimmed(" ".join(match[0].split()), match.start())
            if not name:
                continue
            before = text[max(0, start - 24) : start]
            after = text[match.end() : match.end() + 16]
            counts[name] += 1
            inside[name] += not _OPENS.search(before)
            speaking[name] += bool(_SPEAKS.match(after) or _SPOKEN.search(before))
            placed[name] += bool(_PLACED.search(before))
    kept = [name for name, count in counts.items() if name not in taken and _stands(name, counts, inside)]
    kinds = {name: _kind(name, counts[name], speaking[name], placed[name]) for name in kept}
    return _joined({name: kind for name, kind in kinds.items() if kind}, counts, taken)


def _trimmed(name: str, start: int) -> tuple[str, int]:
    """Drop stop words at the beginning of a run of capitalised words."""
    words = name.split(" ")
    while words and words[0] in _STOP:
        start += len(words[0]) + 1
        words = words[1:]
    return " ".join(words), start


def _stands(name: str, counts: Counter[str], inside: Counter[str]) -> bool:
    return counts[name] >= (MIN_COUNT if " " not in name else 2) and inside[name] >= max(1, counts[name] // 10)


def _kind(name: str, count: int, speaking: int, placed: int) -> str | None:
    if _GROUP.search(name):
        return "Organization"
    if _PLACE.search(name):
        return "Location"
    if _TITLED.match(name) or (speaking / count >= MIN_SPEAKING and speaking >= placed / 4):
        return "Character"
    return "Location" if placed / count >= 0.4 else ("Character" if " " in name else None)


def _joined(kinds: dict[str, str], counts: Counter[str], taken: set[str]) -> list[KnownName]:
    """Make First, Last and Title Last aliases of First Last where exactly one full name has them."""
    full = [
        n for n, kind in kinds.items() if kind == "Character" and " " in n and not _TITLED.match(n) and " of " not in n
    ]
    owners: dict[str, set[str]] = {}
    for name in full:
        words = name.split(" ")
        for alias in (words[0], words[-1]):
            owners.setdefault(alias, set()).add(name)
    aliases: dict[str, list[str]] = {}
    for name in kinds:
        bare = _TITLED.sub("", name)
        found = owners.get(bare, set()) if kinds[name] == "Character" else set()
        if name not in full and len(found) == 1:
            aliases.setdefault(next(iter(found)), []).append(name)
    for alias, found in owners.items():
        if len(found) == 1 and alias not in kinds and alias not in taken:
            aliases.setdefault(next(iter(found)), []).append(alias)
    joined = {alias for group in aliases.values() for alias in group}
    ordered = sorted((n for n in kinds if n not in joined), key=lambda n: (-counts[n], n))
    return [KnownName(name=n, kind=kinds[n], aliases=tuple(dict.fromkeys(aliases.get(n, ())))) for n in ordered]
