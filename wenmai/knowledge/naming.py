"""Ids and names for what people named in any language (ASCII only)."""

import re
from collections.abc import Collection
from itertools import count

LONGEST = 40
OTHER = re.compile(r"[^a-z0-9]+")


def identifier(text: str, taken: Collection[str]) -> str:
    """Return an id for a name: its Latin letters, Chinese as pinyin; a number behind it if it is taken."""
    from pypinyin import lazy_pinyin

    spelled = "_".join(lazy_pinyin(text)).casefold().replace("ü", "v")
    base = OTHER.sub("_", spelled).strip("_")[:LONGEST].rstrip("_") or "x"
    if base not in taken:
        return base
    return next(name for n in count(2) if (name := f"{base[: LONGEST - len(str(n)) - 1]}_{n}") not in taken)


def identifiers(texts: Collection[str], reserved: Collection[str] = ()) -> dict[str, str]:
    """Return an id for each name, in order, none of them reserved."""
    found: dict[str, str] = {}
    taken = set(reserved)
    for text in texts:
        found[text] = identifier(text, taken)
        taken.add(found[text])
    return found
