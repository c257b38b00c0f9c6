"""Instances that a question names by their ids: product 17, 产品 17, 17 号产品, ALFKI."""

import re
from collections import Counter
from collections.abc import Iterator
from itertools import groupby
from typing import NamedTuple

from tools.language import is_chinese
from tools.networks.lexicon import Known, Lexicon
from tools.networks.words import terms_in
from tools.story.linking import fold

CODE = re.compile(r"(?<![A-Za-z0-9])[A-Za-z0-9][A-Za-z0-9_-]+(?![A-Za-z0-9])")
ID_BEHIND = re.compile(
    r"\s*(?:(?:with\s+)?(?:the\s+)?(?:id|no\.?|number|nr\.?)|编号|代码|号码?)?\s*(?:为|是|=|#|:|：)?\s*(?P<id>[A-Za-z0-9][\w-]*?)(?![A-Za-z0-9_-])",
    re.IGNORECASE,
)
ID_BEFORE = re.compile(
    r"(?:(?:编号|代码|\bid)\s*(?:为|是|=)?\s*(?P<id>[A-Za-z0-9_-]+)\s*号?的?|(?<![A-Za-z0-9])(?P<no>[A-Za-z0-9_-]+)\s*号)\s*$",
    re.I,
)
AND_ZH, AND_EN = "和", " and "


class Spot(NamedTuple):
    """Where a text names an instance by its id."""

    start: int
    end: int
    known: Known


def identified(text: str, lexicon: Lexicon, *, bare: bool = False) -> tuple[str, list[tuple[str, str]]]:
    """Return a question with names in place of ids, product 17, 产品 17, 17 号产品, and each id with its name.

    An instance that has no name but its id stays as it is written, unless it is to stand `bare`, without its type.
    An id that several networks have means the instance of each.
    """

    def is_plain(spot: Spot) -> bool:
        named, name = text[spot.start : spot.end], spot.known.name
        return (bare and len(lexicon.known(name)) == 1) if name == spot.known.id else not lexicon.table.find(named)

    told: list[tuple[str, str]] = []
    free = len(text) + 1
    found = sorted(spots(text, lexicon), key=lambda one: (-one.end, one.start))
    for (start, end), group in groupby(found, key=lambda one: (one.start, one.end)):
        named, names = text[start:end], list(dict.fromkeys(spot.known.name for spot in group if is_plain(spot)))
        if end <= free and names:
            told[:0] = [(named, name) for name in names]
            text = f"{text[:start]}{(AND_ZH if is_chinese(text) else AND_EN).join(names)}{text[end:]}"
            free = start
    return text, told


def spots(text: str, lexicon: Lexicon) -> Iterator[Spot]:
    """Give where ids stand beside the names of their types, and ids of letters wherever they stand."""
    for schema in lexicon.schemas.values():
        for term in terms_in(text, schema):
            behind, before = ID_BEHIND.match(text, term.end), ID_BEFORE.search(text[: term.start])
            beside = [(behind, term.start, behind.end())] if behind else []
            beside += [(before, before.start(), term.end)] if before else []
            for found, start, end in beside if term.kind == "type" else ():
                if one := lexicon.ids.get((schema.id, term.id, fold(found["id"] or found.groupdict().get("no") or ""))):
                    yield Spot(start, end, one)
    for token in CODE.finditer(text):
        owners = lexicon.codes.get(fold(token[0]), ())
        holders = Counter(one.network_id for one in owners)
        yield from (Spot(*token.span(), one) for one in owners if max(holders.values()) == 1)
