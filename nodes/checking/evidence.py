"""The evidence as a draft is compared with it: words, quotations and numbers of a text; what the reader sees in it."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import Literal

from nodes.checking.wordings import ADDRESS, ORDERS, SENDS
from nodes.citations import letters
from nodes.roles import AnswerReader, ReadAnswer
from state.schema import Evidence
from tools.language import HAN, characters
from tools.story.names import NameTable
from tools.text.numerals import NUMERAL, ORDINAL_WORDS, UNIT_WORDS, parse_number, parse_ordinal
from tools.text.scripts import bigrams, simplified
from tools.text.sentences import statement_spans

Segment = Callable[[str], Sequence[str]]
"""Cuts Chinese text into words."""
LIGHT = frozenset("的了着之呢吧啊呀嘛个是") | {"the", "a", "an"}
"""Words that may be added or left out."""
CLAUSE_END = re.compile(r"[，,。.;；！!？?：:\n](?!\d)")
_CONTRACTED = re.compile(r"n['’]t\b")
_RUN = re.compile(rf"(?P<chinese>(?:{HAN.pattern})+)|(?:(?!{HAN.pattern})[^\W_])+")
_ENDINGS = re.compile(r"(?:ies|ied|ing|ed|es|s|y)$")
LEAST_CHINESE, LEAST_LATIN = 4, 12
"""Letters of a quotation that is compared; shorter ones are names and words that are only set apart."""
NEAR = 0.8
"""Share of a quotation's pairs of letters from which on a text has it, but for a slip."""
_QUOTED = re.compile(r"“([^“”]+)”|「([^「」]+)」|『([^『』]+)』|(?<!\w)\"([^\"\n]+)\"|(?<!\w)‘([^‘’\n]{12,})’(?!\w)")
_LEFT_OUT = re.compile(r"…+|\.{3,}|\[[^\]]*\]")
_TEN_THOUSAND = 10_000
_MULTIPLES = {"dozen": 12, "score": 20, "decade": 10, "decades": 10, "hundred": 100, "thousand": 1000, "million": 10**6}
_CHINESE_UNITS = {
    "年": "year",
    "月": "month",
    "星期": "week",
    "日": "day",
    "天": "day",
    "小时": "hour",
    "分钟": "minute",
}
_ADVERBS = {"twice": 2, "thrice": 3}
_MEASURES = "年月日天夜岁级里两斤枚块根文钱元次遍回章卷册副幅页吨米尺丈寸秒倍号层桌匹头只艘条架间座届亩石斗"
_FIGURES = r"\d+(?:,\d{3})*(?:\.\d+)?"
_CHINESE = re.compile(
    rf"(?P<vague>[几数多]?)(?P<number>{_FIGURES}|[{NUMERAL}万亿]+)(?P<measure>[{_MEASURES}个人名]|分钟|小时|公斤|千克|个(?:月|小时|时辰|星期)|)"
)
_ENGLISH = re.compile(
    rf"(?P<number>{_FIGURES}|(?<![a-z])(?:{UNIT_WORDS})(?:[ -](?:{UNIT_WORDS}|hundred|and))*(?![a-z]))"
    rf"(?:[ -](?P<multiple>{'|'.join(_MULTIPLES)})(?![a-z]))?"
    r"(?:[ -](?P<unit>year|month|week|day|hour|minute)s?(?![a-z]))?",
    re.IGNORECASE,
)
_ORDINAL = re.compile(
    rf"(?<![a-z])(?:(?:{UNIT_WORDS})(?: hundred(?: and)?)?[ -])*(?:{ORDINAL_WORDS})(?![a-z])|\b\d+(?:st|nd|rd|th)\b",
    re.IGNORECASE,
)
_PARTS = {"half": 2, "third": 3, "quarter": 4, "fourth": 4, "fifth": 5, "sixth": 6, "eighth": 8, "tenth": 10}
_SHARE = re.compile(
    rf"(?P<percent>{_FIGURES})\s*(?:[%％﹪]|per ?cent\b)"
    rf"|\b(?P<named>(?:{UNIT_WORDS})(?:-(?:{UNIT_WORDS}))?) per ?cent\b"
    rf"|百分之(?P<hundredths>{_FIGURES}|[{NUMERAL}]+)|(?P<whole>[{NUMERAL}]+)分之(?P<of_whole>[{NUMERAL}]+)"
    r"|(?P<tenths>[一二两三四五六七八九\d])成(?P<more>[一二三四五六七八九半]?)(?![功为长立员年就绩果本套语名交]|不变)"
    r"|(?P<half>一半|\bhalf(?= (?:of|the|all|its|his|her|their|our|my|your)\b))"
    rf"|\b(?P<count>an?|{UNIT_WORDS})[ -](?P<part>{'|'.join(_PARTS)})(?:s\b|(?= of\b))",
    re.IGNORECASE,
)
"""A share of a whole: 80%, 百分之八十, 八成, 五分之四, eighty percent, four fifths of."""
_FRACTION = re.compile(r"(?<![\d/.])(?P<part>\d{1,3})\s*/\s*(?P<whole>\d{1,3})(?![\d/])")
_FULL_WIDTH = str.maketrans("０１２３４５６７８９．／％", "0123456789./%")
_LIKELY = re.compile(r"[是会要得能有就没不]")
"""What stands behind 八成 where it means probably."""
_ADVERB = re.compile(rf"\b(?:{'|'.join(_ADVERBS)})\b", re.IGNORECASE)
_UNITS = frozenset("百千万亿")
"""Words like 千万, which means by all means, are made of them alone."""


def without_ending(word: str) -> str:
    """Return a word without its ending; one that is nothing else stays."""
    return _ENDINGS.sub("", word) or word


def clauses(text: str, segment: Segment) -> list[tuple[str, ...]]:
    """Return the words of each clause, light ones left out: Chinese ones as they are segmented, others, figures."""
    plain = _CONTRACTED.sub(" not", simplified(text).casefold())
    found = list[tuple[str, ...]]()
    for part in CLAUSE_END.split(plain):
        words = list[str]()
        for match in _RUN.finditer(part):
            if match["chinese"]:
                words += ["".join(char for char in word if char not in LIGHT) for word in segment(match[0])]
            else:
                words.append(match[0])
        found.append(tuple(word for word in words if word and word not in LIGHT))
    return [one for one in found if one]


def quotes_of(text: str) -> list[str]:
    """Return the quotations of a text that are long enough to be compared, without their marks."""
    found = (next(part for part in match.groups() if part) for match in _QUOTED.finditer(text))
    return [quote for quote in found if len(letters(quote)) >= (LEAST_CHINESE if HAN.search(quote) else LEAST_LATIN)]


def unquoted(text: str) -> str:
    return _QUOTED.sub("", text)


def holds(text: str, quote: str) -> bool:
    """Return True if a text, given by its letters, has every part of a quotation, in order; its marks do not count."""
    at = 0
    for part in filter(None, map(letters, _LEFT_OUT.split(quote))):
        found = text.find(part, at)
        if found < 0:
            return False
        at = found + len(part)
    return True


def likeness(text: str, quote: str) -> float:
    """Return the share of a quotation's pairs of letters that a text, given by its letters, has."""
    quoted = letters(quote)
    pairs = {a + b for a, b in pairwise(quoted)}
    return sum(pair in text for pair in pairs) / len(pairs) if pairs else 0.0


@dataclass(frozen=True, slots=True)
class Number:
    """A number at `[start:end]` of a text; a `loose` one may be part of a word, or only say a or both.

    `unit` is the unit of time behind it, % for a share, whose value is in percent, '' for any other word.
    """

    start: int
    end: int
    value: float
    loose: bool
    unit: str = ""

    def fits(self, other: "Number") -> bool:
        if "%" in (self.unit, other.unit) and self.unit != other.unit:
            share, plain = (self, other) if self.unit == "%" else (other, self)
            if not plain.unit and 0 < plain.value < 1:  # 0.8 is a share beside one
                return round(100 * plain.value, 6) == share.value
        return self.value == other.value and (not self.unit or not other.unit or self.unit == other.unit)


def numbers_of(text: str) -> list[Number]:
    """Return the numbers of a text in order; 4/5 is two, and a loose one for the share that it may be."""
    text = text.translate(_FULL_WIDTH)
    rest = _SHARE.sub(lambda match: " " * len(match[0]), text)
    return sorted({*_shares(text), *_chinese(rest), *_english(rest)}, key=lambda one: one.start)


def _shares(text: str) -> Iterator[Number]:
    for match in _SHARE.finditer(text):
        loose = bool(match["half"] or (match["tenths"] and _LIKELY.match(text, match.end())))
        yield Number(match.start(), match.end(), _percent(match), loose, "%")
    for match in _FRACTION.finditer(text):
        if (part := int(match["part"])) < (whole := int(match["whole"])):
            yield Number(match.start(), match.end(), float(round(100 * part / whole)), loose=True, unit="%")


def _percent(match: re.Match[str]) -> float:
    if written := match["percent"] or match["named"] or match["hundredths"]:
        return float(written.replace(",", "")) if written[0].isdigit() else float(parse_number(written) or 0)
    if tenths := match["tenths"]:
        more = match["more"]
        return 10.0 * (parse_number(tenths) or 0) + (5 if more == "半" else (parse_number(more) or 0) if more else 0)
    if match["half"]:
        return 50.0
    whole = parse_number(match["whole"]) if match["whole"] else _PARTS[match["part"].lower()]
    parts = parse_number(match["of_whole"] or match["count"]) or 1  # a third
    return float(round(100 * parts / whole)) if whole else 0.0


def _chinese(text: str) -> Iterator[Number]:
    for match in _CHINESE.finditer(text):
        written, measure = match["number"], match["measure"]
        value = _value(written)
        if value is None or match["vague"]:
            continue
        is_bare = not measure or measure in "个人名"
        is_word = is_bare and not written[0].isascii() and (len(written) == 1 or _UNITS.issuperset(written))
        loose = is_word or written in ("一", "1")
        unit = _CHINESE_UNITS.get(measure.removeprefix("个"), "")
        yield Number(match.start("number"), match.end("number"), value, loose, unit)


def _value(written: str) -> float | None:
    """Read figures with commas, or Chinese numerals with 万 and 亿."""
    if written[0].isascii():
        return float(written.replace(",", ""))
    total = 0.0
    for unit, size in (("亿", _TEN_THOUSAND**2), ("万", _TEN_THOUSAND)):
        head, found, written = written.rpartition(unit)
        part = parse_number(head) if found else 0
        if part is None:
            return None
        total += part * size
    part = parse_number(written) if written else 0
    return None if part is None else total + part


def _english(text: str) -> Iterator[Number]:
    for match in _ENGLISH.finditer(text):
        written = match["number"].lower()
        value = float(written.replace(",", "")) if written[0].isdigit() else parse_number(written.removesuffix(" and"))
        if value is None:
            continue
        multiple = _MULTIPLES.get((match["multiple"] or "").lower(), 1)
        end = match.end("multiple") if match["multiple"] else match.end("number")
        loose = written in ("one", "two") and multiple == 1
        yield Number(match.start(), end, value * multiple, loose, (match["unit"] or "").lower())
    for match in _ORDINAL.finditer(text):
        if (value := _place(match[0])) is not None:
            yield Number(match.start(), match.end(), value, loose=True)
    for match in _ADVERB.finditer(text):
        yield Number(match.start(), match.end(), float(_ADVERBS[match[0].lower()]), loose=True)


def _place(written: str) -> float | None:
    """Read an ordinal: first, twenty-third, two hundred and thirty-first, 4th."""
    head, found, rest = written.lower().rpartition(" hundred")
    last = parse_ordinal(rest.removeprefix(" and").strip(" -"))
    hundreds = parse_number(head) if found else 0
    return None if last is None or hundreds is None else float(100 * hundreds + last)


_WORD = re.compile(r"[^\W\d_]{3,}")
_COMMON = re.compile(
    r"the|and|was|were|are|has|had|have|his|hers?|him|she|they|them|their|its|that|this|these|those|with|from|for|but|not"
    r"|who|whom|whose|what|when|where|which|while|then|than|there|into|onto|over|upon|about|after|before|also|been|being"
    r"|did|does|done|very|more|most|some|such|only|own|out|all|any|can|could|would|should|will|shall|may|might",
    re.IGNORECASE,
)
_TELLING = re.compile(
    r"(?<=[，,…—])”[^“”\n]{1,40}[，,：:]“"
    r"|(?<=[，,])」[^「」\n]{1,40}[，,：:]「"
    r"|(?<=,)\"\s[^\"\n]{1,60}[,.:]\s\""
)
"""What stands between two parts of a speech."""
MOST_READS = 32
"""Texts that are read for a draft; what comes later is judged by its words alone."""
WINDOW = 280
"""Chinese characters of a text that is read, around the sentence that is nearest to the claim."""
Span = tuple[int, int]
Asking = Literal["who", "what"]
_ASKING: dict[Asking, tuple[str, str]] = {
    "who": ("谁", "who"),
    "what": ("什么", "what"),
}


def words_of(text: str) -> frozenset[str]:
    """Return what a text says as comparable units: pairs of Chinese characters, stems of longer words."""
    chinese = "".join(char if HAN.match(char) else " " for char in text)
    pairs = {pair for part in chinese.split() for pair in bigrams(part)}
    latin = (word.casefold() for word in _WORD.findall(HAN.sub(" ", text)) if not _COMMON.fullmatch(word))
    return frozenset(pairs | set(map(without_ending, latin)))


@dataclass(frozen=True)
class EvidenceText:
    """A piece of evidence; what only an order in it says is no ground for anything."""

    piece: Evidence
    table: NameTable

    @cached_property
    def text(self) -> str:
        """Its text and where it stands, without orders to the writer or reader of an answer."""
        kept: list[str] = []
        for line in self.piece["text"].split("\n"):
            sentences = [line[start:end] for start, end in statement_spans(line)]
            trusted = [
                one for one in sentences if not (ORDERS.search(one) or (SENDS.search(one) and ADDRESS.search(one)))
            ]
            kept += [line] if len(trusted) == len(sentences) else trusted
        return "\n".join(kept)

    @cached_property
    def letters(self) -> str:
        return letters(self.piece["text"])

    @cached_property
    def speech(self) -> str:
        """Its letters without what tells, within a speech, who speaks it."""
        return letters(_TELLING.sub("", self.piece["text"]))

    def has_quote(self, quote: str) -> bool:
        """Return True if it has a quotation, also where it is told in the middle who speaks, or its title has it."""
        return any(holds(text, quote) for text in (self.letters, self.speech, letters(self._place)))

    @cached_property
    def words(self) -> frozenset[str]:
        return words_of(f"{self.text}\n{self.piece['title'] or ''}")

    @cached_property
    def all_words(self) -> frozenset[str]:
        """What its text says, with the orders in it."""
        return words_of(self.piece["text"])

    @cached_property
    def numbers(self) -> list[Number]:
        """The numbers in it, those that may only be parts of words with them, and those of its place."""
        return [*numbers_of(self.piece["text"]), *numbers_of(self._place)]

    @property
    def _place(self) -> str:
        """Where it stands: chapter, part, title, source."""
        return " ".join(str(self.piece[key] or "") for key in ("chapter", "part", "title", "source", "location"))

    @cached_property
    def names(self) -> frozenset[str]:
        """The entities that it names or belongs to."""
        text = f"{self.piece['text']}\n{self.piece['title'] or ''}"
        found = {name.entity for mention in self.table.find(text) for name in mention.candidates}
        return frozenset(found | set(self.piece["entities"]))

    @cached_property
    def sentences(self) -> list[tuple[str, frozenset[str]]]:
        found = [self.text[start:end] for start, end in statement_spans(self.text)]
        return [(one, words_of(one)) for one in found]

    def nearest(self, wanted: frozenset[str]) -> tuple[str, float]:
        """Return the sentence that says most of some words, and the share of them that it says."""
        rows = [(len(wanted & words), sentence) for sentence, words in self.sentences]
        best = max(rows, key=lambda row: row[0], default=(0, ""))
        return best[1], best[0] / max(1, len(wanted))

    def share(self, wanted: frozenset[str]) -> float:
        return len(wanted & self.words) / max(1, len(wanted))


@dataclass(slots=True)
class ClaimReader:
    """A reader for one draft, which reads at most so many texts."""

    reader: AnswerReader
    left: int = MOST_READS
    _known: dict[tuple[str, str], ReadAnswer | None] = field(default_factory=dict)

    def margin(self, sentence: str, ground: EvidenceText, words: frozenset[str]) -> float | None:
        """Return the log odds that a piece has what a sentence says; None where no more may be read."""
        found = self._best(sentence, window(ground, words))
        return found.margin if found else None

    def in_place(self, sentence: str, span: Span, kind: Asking, ground: EvidenceText) -> tuple[str, float] | None:
        """Return what a piece says in place of a part of a sentence, and its log odds; None if nothing is read."""
        start, end = span
        asking = _ASKING[kind][0 if HAN.search(sentence) else 1]
        question = f"{sentence[:start]}{asking}{sentence[end:]}".rstrip("。.！!；; ") + "？"
        text = window(ground, words_of(sentence))
        found = self._best(question, text)
        return (text[slice(*found.span)], found.margin) if found else None

    def answer(self, question: str, ground: EvidenceText, words: frozenset[str]) -> ReadAnswer | None:
        return self._best(question, window(ground, words))

    def _best(self, question: str, text: str) -> ReadAnswer | None:
        key = (question, text)
        if key not in self._known and text.strip() and self.left > 0:
            self.left -= 1
            self._known[key] = max(self.reader.answers(question, text), key=lambda one: one.margin, default=None)
        return self._known.get(key)


def window(ground: EvidenceText, words: frozenset[str], longest: int = 0) -> str:
    """Return the part of a piece around the sentence that says most of some words; a short piece whole."""
    text = ground.text
    longest = longest or characters(text, WINDOW)
    if len(text) <= longest:
        return text
    sentences = [sentence for sentence, _ in ground.sentences]
    nearest = ground.nearest(words)[0]
    first = last = sentences.index(nearest) if nearest in sentences else 0
    for first_next, last_next in _growing(first, last, len(sentences)):
        if sum(map(len, sentences[first_next : last_next + 1])) > longest:
            break
        first, last = first_next, last_next
    return "\n".join(sentences[first : last + 1])


def _growing(first: int, last: int, count: int) -> Iterator[tuple[int, int]]:
    """Yield ever wider ranges, one sentence more before and behind in turn."""
    while first > 0 or last < count - 1:
        first = max(0, first - 1)
        yield first, last
        last = min(count - 1, last + 1)
        yield first, last
