"""Keywords of a query from an expander, and the cleaning of a model's answer."""

import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, get_args

from tools.recall.schemas import KeywordType

MOST_EXPANDED = 5  # keywords that expand a search, as the default of extract_search_keywords
FENCE = re.compile(r"^\s*```[a-zA-Z]*\s*|\s*```\s*$")
TYPES: Mapping[str, KeywordType] = MappingProxyType({kind: kind for kind in get_args(KeywordType)})


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpandedKeyword:
    keyword: str
    weight: float = 1.0
    type: KeywordType = "concept"


@dataclass(frozen=True, slots=True, kw_only=True)
class Expansion:
    """The keywords of a query, the heaviest first, and the query in more words."""

    keywords: tuple[ExpandedKeyword, ...]
    expanded_query: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpandRequest:
    """A query whose keywords are wanted; `given` ones are known already."""

    query: str
    context: str | None = None
    given: tuple[str, ...] = ()
    most: int = MOST_EXPANDED


def read_expansion(text: str, most: int) -> Expansion:
    """Return a model's JSON answer, cleaned. Raises ValueError for any other answer."""
    answer = json.loads(FENCE.sub("", text))
    if isinstance(answer, list):
        answer = {"keywords": answer}
    if not isinstance(answer, Mapping) or not isinstance(answer.get("keywords", []), list):
        raise ValueError("expected an object with the list keywords")
    query = answer.get("expanded_query")
    return Expansion(
        keywords=cleaned(answer.get("keywords", []), most), expanded_query=query if isinstance(query, str) else ""
    )


def cleaned(rows: Sequence[Any], most: int) -> tuple[ExpandedKeyword, ...]:
    """Return at most `most` usable keywords: no blanks, no duplicates, clamped weights, unknown types as concepts."""
    found: dict[str, ExpandedKeyword] = {}
    for row in rows:
        fields = row if isinstance(row, Mapping) else {"keyword": row}
        word = fields.get("keyword")
        if isinstance(word, str) and word.strip():
            one = ExpandedKeyword(
                keyword=word.strip(), weight=weight(fields.get("weight", 1.0)), type=kind_of(fields.get("type"))
            )
            found.setdefault(one.keyword.casefold(), one)
    return tuple(found.values())[:most]


def kind_of(value: object) -> KeywordType:
    return TYPES.get(str(value).strip().casefold(), "concept")


def weight(value: object) -> float:
    try:
        number = float(value)  # type: ignore[arg-type]  # any object may come
    except (TypeError, ValueError):
        return 1.0
    return 1.0 if math.isnan(number) else min(1.0, max(0.0, number))
