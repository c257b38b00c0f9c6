"""Style names that a Chinese story gives its own people: 姓沈，名川，字伯舟 and 沈川，字伯舟."""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence

from wenmai.ingestion.sources.aliases import KnownName
from wenmai.language.lexicon import surname

SPELLED_OUT = re.compile(
    r"姓([\u4e00-\u9fff]{1,2})[，,]?名([\u4e00-\u9fff]{1,2})[，,]?\s*(?:表)?字([\u4e00-\u9fff]{2})(?=[，。；、：！？\s])"
)
BY_NAME = re.compile(r"([\u4e00-\u9fff]{2,8})[，,]?\s*(?:表)?字([\u4e00-\u9fff]{2})(?=[，。；、：！？\s])")
LONGEST_NAME = 4


def style_names(texts: Sequence[str], known: Iterable[KnownName]) -> list[KnownName]:
    """Return the known people with a style name in the text as an alias, alone and behind the surname.

    A name that several entities share is left out: the style name could be that of any of them.
    """
    owners: dict[str, list[KnownName]] = defaultdict(list)
    for entry in known:
        owners[entry.base].append(entry)
    found: dict[str, dict[str, None]] = defaultdict(dict)
    for text in texts:
        for name, style in style_name_pairs(text, owners):
            if len(owners[name]) == 1:
                found[name].update(dict.fromkeys([style, surname(name) + style]))
    return [
        KnownName(name=owners[name][0].name, kind=owners[name][0].kind, aliases=tuple(styles))
        for name, styles in found.items()
    ]


def style_name_pairs(text: str, names: Collection[str]) -> list[tuple[str, str]]:
    """Return (name, style name) for each introduction of a known name."""
    spelled = [(match[1] + match[2], match[3]) for match in SPELLED_OUT.finditer(text)]
    named = [(name, match[2]) for match in BY_NAME.finditer(text) for name in [ending(match[1], names)] if name]
    return [(name, style) for name, style in spelled + named if name in names and style != name]


def ending(text: str, names: Collection[str]) -> str:
    """Return the longest known name that a text ends with, '' if there is none."""
    ends = (text[-length:] for length in range(min(LONGEST_NAME, len(text)), 1, -1))
    return next((end for end in ends if end in names), "")
