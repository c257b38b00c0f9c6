"""Keywords of a query by the extraction rule of memory.md §2."""

import re
from dataclasses import dataclass

from tools.memory.keywords import extract_keywords
from tools.recall.keywords import ExpandedKeyword, ExpandRequest, Expansion
from tools.recall.outputs import KeywordType
from wenmai.language.segmenting import cut, segmenter

TIME = re.compile(r"[今明昨前后]天|上?下?个?[周月年]|星期|刚才|最近|之前|上次|yesterday|today|tomorrow|week|month|year")


@dataclass(frozen=True, slots=True)
class OfflineExpander:
    """Needs no model: the words of query and context themselves."""

    async def expand(self, request: ExpandRequest) -> Expansion:
        """Return the weightiest words, the given ones first."""
        text = " ".join(part for part in (request.query, request.context) if part)
        given = [ExpandedKeyword(keyword=word, type=kind_of(word)) for word in request.given]
        found = [
            ExpandedKeyword(keyword=one.keyword, weight=one.weight, type=kind_of(one.keyword))
            for one in extract_keywords(text, cut)
            if one.keyword not in request.given
        ]
        kept = [*given, *found][: request.most]
        return Expansion(keywords=tuple(kept), expanded_query=" ".join([request.query, *request.given]))


def kind_of(word: str) -> KeywordType:
    """Return the type of a word by its part of speech: names entities, verbs actions."""
    if TIME.search(word):
        return "time"
    tag = segmenter().tag(word, False)[0][1]
    if tag.startswith(("nr", "ns", "nt", "nz")):
        return "entity"
    if tag.startswith("t"):
        return "time"
    return "action" if tag.startswith("v") else "concept"
