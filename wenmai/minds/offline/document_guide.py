"""Which calls of the document tools a question needs (documents.md §3): by meaning, by exact words, or the list."""

import re
from typing import Any

from tools.documents.keyword_search import NAME as KEYWORD_SEARCH
from tools.documents.list_documents import NAME as LIST_DOCUMENTS
from tools.documents.semantic_search import NAME as SEMANTIC_SEARCH
from tools.language import is_chinese
from wenmai.minds.offline.words import content_words

Call = tuple[str, dict[str, Any]]

FILES = r"(?:文件|文档|资料|附件|材料|档案)"
# 需要哪些文件, 是什么材料 ask what a document says.
LISTING = re.compile(
    rf"(?<![要需备交供带])(?!(?<=[是用])什么材料)(?:哪些|什么|几[个份篇本]|多少[个份篇本]?|所有的?|全部的?){FILES}(?:可用|可查|可以[用查看]|吗|呢|了|供\w+)?[？?。！!]*$"
    rf"|(?:列出|列一?下|看看|显示)[^，。？]{{0,8}}{FILES}(?:列表|清单|目录)?[。？?！!]*$|{FILES}(?:列表|清单)"
)
LISTING_EN = re.compile(
    r"^(?:please\s+)?(?:(?:what|which|how many)\s+(?:\w+\s+)?(?:documents?|files?)\s+(?:are|do|have|can|did)\b"
    r"(?!.*\b(?:say|mention|contain|describe|discuss|about|cover|refer|tell|explain)\w*\b)"
    r"|(?:list|show)\s+(?:me\s+)?(?:\w+\s+){0,3}(?:documents?|files?)\W*$)",
    re.IGNORECASE,
)
QUOTED = re.compile(r"[\"“「『]([^\"”」』]{2,60})[\"”」』]")
# Part numbers, codes, versions, long numbers: what a search by meaning blurs.
CODE = re.compile(
    r"(?<![A-Za-z0-9])(?=[A-Za-z0-9._/-]*\d)(?:[A-Za-z][A-Za-z0-9._/-]{2,}|\d[\d.,/-]{3,}[A-Za-z]*)(?![A-Za-z0-9])"
)
SPOKEN_OF = re.compile(
    rf"{FILES}|上传|手册|合同|报告|说明书|\b(?:documents?|files?|uploaded|manual|report|contract)\b", re.IGNORECASE
)
MOST_WORDS = 6


def asks_for_list(question: str) -> bool:
    """Tell whether a question asks which documents there are, not what stands in them."""
    return (LISTING if is_chinese(question) else LISTING_EN).search(question.strip()) is not None


def asks_for_documents(question: str) -> bool:
    """Tell whether a question speaks of files, so that a story comes behind them."""
    return SPOKEN_OF.search(question) is not None


def exact_terms(question: str) -> list[str]:
    """Return the phrases between quotes and the codes of a question."""
    quoted = QUOTED.findall(question)
    return list(dict.fromkeys([*quoted, *(code.rstrip(".,") for code in CODE.findall(QUOTED.sub(" ", question)))]))


def document_calls(question: str, queries: list[str], *, searched: bool, is_weak: bool) -> list[Call]:
    """Return the calls for a question in their order; words are looked for too where meaning has found too little."""
    if asks_for_list(question):
        return [(LIST_DOCUMENTS, {})]
    by_meaning: list[Call] = [(SEMANTIC_SEARCH, {"query": query}) for query in [question, *queries]]
    exact = exact_terms(question)
    if exact:
        return [(KEYWORD_SEARCH, {"keywords": " ".join(f'"{term}"' for term in exact)}), *by_meaning]
    words = content_words(question)[:MOST_WORDS]
    return by_meaning + ([(KEYWORD_SEARCH, {"keywords": " ".join(words)})] if searched and is_weak and words else [])
