"""Extractive answers from uploaded documents, and when they hold none (DOC-06)."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from nodes.roles import PlanRequest
from nodes.sentences import sentence_spans
from state.context import Language
from state.schema import Evidence
from tools.documents.list_documents import NAME as LIST_DOCUMENTS
from tools.documents.words import words_of
from tools.story.linking import NameTable, fold
from wenmai.minds.offline.analysis import Analysis, analyse
from wenmai.minds.offline.document_guide import asks_for_list, exact_terms
from wenmai.minds.offline.document_quotes import quotations
from wenmai.minds.offline.document_rows import MOST_ROWS, asked_rows, counted, distinct
from wenmai.minds.offline.matching import Term, Weights, coverage, terms_of
from wenmai.minds.offline.outsiders import names_outsiders
from wenmai.minds.offline.place_told import lacks_place, tells_place
from wenmai.minds.offline.refusal import OUTSIDE
from wenmai.minds.offline.snippets import Cue, unmarked
from wenmai.minds.offline.strangers import people
from wenmai.minds.offline.words import content_words

NO_NAMES = NameTable.build(())
QUOTED_CHUNKS = 3
QUOTE_CHARACTERS = 160
# What makes it likely that a chunk answers: the weighted share of the question's content words in it (`said`), the
# plain share of all its words, single characters and pairs of Chinese among them (`held`), and its cosine
# (multilingual-e5-small). Fitted by logistic regression on half of the questions of CMRC 2018 and DRCD, with five
# chunks that hold the passage and with five that do not; the other half was kept for judging it.
NEAR = 0.9  # a usual cosine of a passage that answers
NEARER, FARTHER = 0.04, -0.03  # what a cosine may add at most: other embedders have other scales


@dataclass(frozen=True, slots=True, kw_only=True)
class Sureness:
    """How a chunk's signs are added up, and how much is enough."""

    said: float
    held: float
    cosine: float
    least: float


SEEN_NEAR = Sureness(said=1.9, held=11.4, cosine=52.0, least=6.4)
BY_WORDS = Sureness(said=2.3, held=12.6, cosine=0.0, least=7.2)  # found without a cosine
# Words that ask how much, how long, when: an answer has a number in their place (五天, three months), never them.
ASKED = re.compile(
    r"(?:需?要|得|应)?(?:花费?|付|交|收)?多少钱|几个?(?:[年月日天周岁点次人位名件台条层楼号块元种份篇项家间]|小时|分钟|星期)?|多少"
    r"|多(?:长时间|长|久|大|高|远|重|深|宽|快)|什么时候|[是了]?什么|(?:哪|何)(?:一|几)?[年月日天时]"
    r"|\bhow (?:many|much|long|often|far|old|big|large|tall|high|deep|soon|fast)\b",
    re.IGNORECASE,
)
# Words that ask where, and what is done there: a sentence of the thing with a place answers in words of its own.
WHERE = re.compile(
    r"(?:存放|摆放|停放|放置|安置|保管|[放摆搁存收])?(?:[在到去从]|位于|放在)?(?:哪里|哪儿|哪裡|何处|何處|(?:什么|哪个)地方|哪(?=[了？?。]|$))"
    r"(?:可以|能够?)?(?:找到?|[拿取领])?|\bwhere\b",
    re.IGNORECASE,
)
PLACED = re.compile(r"\b(?:kept|stored|located|situated|placed|found|find|stands?|lies?)\b", re.IGNORECASE)
PRICE = re.compile(r"多少钱|\bhow much (?:money|(?:do|does|did|will|would)\b.*\bcosts?)\b", re.IGNORECASE)
# An amount: a number with its currency, or behind what is paid; 费时两天 and 元旦 are none.
MONEY = re.compile(
    r"(?:\d|[一二两三四五六七八九十百千万亿半])\s*[万千百亿]?\s*(?:元(?!旦)|块(?:钱|[，。；\s]|$)|[美欧日]元|人民币|港币|英镑)|[¥￥$€£]\s*\d"
    r"|(?:价格?|单价|金额|费用?(?![时力电心事解]))[^\d\n，。；]{0,8}\d[\d,.]*(?![\d.,]|\s*(?:[天日年月周次个台小名人%]|分钟))|免费"
    r"|\b(?:\d[\d,.]*|hundred|thousand|ten|twenty|fifty) ?(?:yuan|dollars?|euros?|pounds?|usd|eur|rmb|cny)\b"
    r"|\b(?:usd|eur|rmb|cny) ?\d|\b(?:costs?|price|fee)s?\b[^\d\n.]{0,16}\d|\bfree of charge\b|\b(?:is|are|for) free\b"
)
IDENTITY = re.compile(r"^[^的，]{2,8}(?:是谁|是什么人|是何人)[？?]?$")
HALF = 0.5
BESIDE_BEST = 0.6  # share of the best chunk's coverage from which another one is quoted too
# What a sentence of a modern document has that answers such a question.
CUES: Mapping[str, re.Pattern[str]] = {
    "place": re.compile(
        r"在|位于|坐落|设于|[放存挂置][于在]|[室楼层厅库区路街号柜架]|\b(?:at|in|on|near|beside|from)\b"
    ),
    "number": re.compile(r"\d|[一二三四五六七八九十百千万两半]+[^，。、的]|%|％"),
    "time": re.compile(r"\d{1,4}\s*[年月日点时]|\d{1,2}:\d{2}|\b(?:19|20)\d\d\b|[一二三四五六七八九十]+[月日]"),
    "reason": re.compile(r"因为|因|由于|为了|以便|所以|because|since|due to|so that|in order to"),
    "person": re.compile(r"[\u4e00-\u9fff]{2,4}(?:先生|女士|经理|主任|教授|负责)|\b[A-Z][a-z]+ [A-Z][a-z]+\b"),
}
COUNTED: Mapping[Language, str] = {"zh": "共有 {count} 个文档：", "en": "There are {count} documents:"}
# Of rag mode, which lists nothing: what its one search came upon.
SEEN: Mapping[Language, str] = {"zh": "检索到 {count} 个文档：", "en": "The search found {count} documents:"}
# A search need not have found every part of a table, so this is no count of the table.
ROWS: Mapping[Language, str] = {
    "zh": "检索到的内容里有 {count} 行符合：",
    "en": "{count} rows of what was found match:",
}
ONE = {
    "There are 1 documents:": "There is 1 document:",
    "The search found 1 documents:": "The search found 1 document:",
}


@dataclass(frozen=True, slots=True)
class Reading:
    """A question with what weighs its words within the chunks that were found."""

    analysis: Analysis
    terms: Sequence[Term]
    weights: Weights
    words: frozenset[str]

    @classmethod
    def of(cls, question: str, pieces: Sequence[Evidence]) -> "Reading":
        """Read a question against chunks; the words that ask how much weigh nothing."""
        analysis = analyse(question, NO_NAMES)
        rest = ASKED.sub(" ", analysis.plain)
        words = content_words(rest) or analysis.words
        analysis = replace(analysis, words=tuple(words))
        terms = terms_of(analysis, NO_NAMES)
        held = frozenset(words_of(rest)) or frozenset(words_of(question))
        return cls(analysis, terms, Weights.of(terms, question, pieces), held)

    def said(self, piece: Evidence) -> float:
        """Return 0..1: the weighted share of the question's words that a chunk, its file name or its place holds."""
        return coverage(told(piece), self.terms, self.weights)

    def held(self, piece: Evidence) -> float:
        """Return 0..1: the share of all the question's words that a chunk, its file name or its place holds."""
        return len(self.words.intersection(words_of(told(piece)))) / max(1, len(self.words))

    def names(self, piece: Evidence, exact: Sequence[str]) -> bool:
        """Tell whether a chunk has the codes and phrases of the question beside half of its other words."""
        return self.said(piece) >= HALF and all(term in fold(told(piece)) for term in exact)

    def rows(self, piece: Evidence) -> list[int]:
        """Return the numbers of a chunk's lines that are rows of a table which the question asks for."""
        return asked_rows(self.analysis.question, self.analysis.words, piece["text"], above(piece))

    def distinct_rows(self, chunks: Sequence[Evidence]) -> dict[str, list[int]]:
        """Return the asked rows of each chunk, by its id; what chunks share is a row of one of them."""
        found = distinct(chunks, [self.rows(piece) for piece in chunks])
        return {piece["id"]: rows for piece, rows in zip(chunks, found, strict=True)}

    def enough(self, piece: Evidence) -> bool:
        """Tell whether a chunk says enough of the question."""
        if PRICE.search(self.analysis.question) and not MONEY.search(fold(told(piece))):
            return False
        if lacks_place(self.analysis.question, told(piece)):
            return False
        return self.places(piece) or enough(self.said(piece), self.held(piece), piece["score"])

    def places(self, piece: Evidence) -> bool:
        """Tell whether a where-question's chunk has a sentence with all its other content words and a place."""
        question, text = self.analysis.question, piece["text"]
        wanted = [fold(word) for word in content_words(PLACED.sub(" ", WHERE.sub(" ", question)))]
        if not wanted or not WHERE.search(question):
            return False
        sentences = (fold(" ".join(text[start:end].split())) for start, end in sentence_spans(text))
        return any(all(has_word(one, word) for word in wanted) and tells_place(one, wanted) for one in sentences)


def has_word(text: str, word: str) -> bool:
    """Tell whether a folded text has a word, an English one whole, whatever its ending: kit is not in kitchens."""
    if not word.isascii():
        return word in text
    return re.search(rf"(?<![a-z0-9]){re.escape(word)}(?:'s|s|es|ed|ing)?(?![a-z0-9])", text) is not None


def told(piece: Evidence) -> str:
    """Return a chunk with the name and the headings that it stands under."""
    return f"{above(piece)}\n{piece['text']}"


def above(piece: Evidence) -> str:
    """Return the name of a chunk's file and its place in it."""
    return "\n".join(part for part in (piece["source"], piece["location"]) if part)


def document_lines(request: PlanRequest, pieces: Sequence[Evidence]) -> list[str]:
    """Return quoted sentences with their marks, [] where the chunks do not answer."""
    numbers = {piece["id"]: number for number, piece in enumerate(request.evidence, 1)}
    listed = [piece for piece in pieces if piece["tool"] == LIST_DOCUMENTS]
    if asks_for_list(request.resolved):
        return listing(listed, COUNTED, request) or listing(pieces, SEEN, request)
    chunks = list({piece["id"]: piece for piece in pieces if piece["tool"] != LIST_DOCUMENTS}.values())
    reading = Reading.of(request.resolved, chunks)
    rows = reading.distinct_rows(chunks)
    chosen = quoted(reading, chunks, rows) if holds_answer(reading, chunks) else []
    cue = Cue(CUES.get(reading.analysis.aspect or ""))
    count = counted(request.resolved, list(rows.values())) if chosen else None
    return [
        *([ROWS[request.language].format(count=count)] if count else []),
        *(
            f"{unmarked(text)} [E{numbers[piece['id']]}]"
            for piece in chosen
            for text in quotations(
                piece, rows[piece["id"]][:MOST_ROWS], reading.terms, reading.weights, cue, QUOTE_CHARACTERS
            )
        ),
    ]


def listing(pieces: Sequence[Evidence], head: Mapping[Language, str], request: PlanRequest) -> list[str]:
    """Return the files of some pieces, each once; [] without any."""
    files = {piece["source"]: piece["id"] for piece in reversed(pieces)}
    numbers = {piece["id"]: number for number, piece in enumerate(request.evidence, 1)}
    names = [f"- {name} [E{numbers[id]}]" for name, id in reversed(files.items())]
    told = head[request.language].format(count=len(names))
    return [ONE.get(told, told), *names] if names else []


def quoted(reading: Reading, chunks: Sequence[Evidence], rows: Mapping[str, Sequence[int]]) -> list[Evidence]:
    """Return the chunks to quote: tables with rows that are asked for, else what says nearly as much as the best."""
    tables = [piece for piece in chunks if rows[piece["id"]]]
    if tables:
        return tables[:QUOTED_CHUNKS]
    said = {piece["id"]: reading.said(piece) for piece in chunks}
    best = max(said.values())
    near = [piece for piece in chunks if said[piece["id"]] >= BESIDE_BEST * best]
    return sorted(near, key=lambda piece: -said[piece["id"]])[:QUOTED_CHUNKS]


def holds_answer(reading: Reading, chunks: Sequence[Evidence]) -> bool:
    """Tell whether the chunks answer: they know every name and code of the question, and one says enough of it."""
    question = reading.analysis.question
    if not chunks or OUTSIDE.search(question):
        return False
    known = fold("\n".join(told(piece) for piece in chunks))
    exact = [fold(term) for term in [*exact_terms(question), *asked_person(question)]]
    if any(term not in known for term in exact):
        return False
    if names_outsiders(reading.analysis, known):
        return False
    return any(
        reading.enough(piece) or reading.rows(piece) or (exact and reading.names(piece, exact)) for piece in chunks
    )


def asked_person(question: str) -> list[str]:
    """Return whom a question asks for who he is: his name is all that a chunk can have of it."""
    return list(people(question)) if IDENTITY.search(question) else []


def enough(said: float, held: float, cosine: float | None) -> bool:
    """Tell whether these signs of a chunk are enough to answer from it."""
    sure = BY_WORDS if cosine is None else SEEN_NEAR
    nearness = 0.0 if cosine is None else min(NEARER, max(FARTHER, cosine - NEAR))
    return sure.said * said + sure.held * held + sure.cosine * nearness >= sure.least


def is_weak(question: str, evidence: Sequence[Evidence]) -> bool:
    """Tell whether a search has found too little to answer from."""
    chunks = [piece for piece in evidence if piece["kind"] == "document"]
    return not holds_answer(Reading.of(question, chunks), chunks)
