"""The answer with numbered citations, each of which quotes the sentence or the clauses that say its claim."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from itertools import accumulate, combinations

from nodes.checking.evidence import words_of
from nodes.citations import marks_of, with_words
from nodes.roles import AnswerReader
from state.draft import Sentence
from state.result import Citation
from state.schema import Evidence
from tools.language import CHINESE, characters
from tools.text.scripts import bigrams
from tools.text.sentences import statement_spans

BLANKS = re.compile(r"\s+")
Naming = Callable[[Evidence], str]
MAX_QUOTE = 200
"""Characters of a quote; twice as many in Latin script."""
WORDS_WORTH, LEAST_SEEN = 4.0, -20.0
"""Log odds that the share of a claim's words is worth beside the reader's, and the least of those. Chosen on 74
citations of careful drafts (2 wrong ones left of 14), checked on 44 others (5 of 12)."""
Span = tuple[int, int]
_CLAUSE = re.compile(r"[，,。.;；！!？?：:]+[”’」』\"]*(?!\d)|\n+|—+")


def cite(
    sentences: Sequence[Sentence],
    evidence: Sequence[Evidence],
    named: Naming,
    doubt: str = "",
    reader: AnswerReader | None = None,
) -> tuple[str, list[Citation], int]:
    """Return the text with [1], [2], …, the citations in order, and the number of marks that name nothing.

    A piece of evidence has one citation for each part of it that is quoted; a claim that no part says has that of the
    claim before. `named` gives a piece's label; `doubt` stands behind each sentence that is doubtful; `reader` helps to
    find what says a claim.
    """
    found: dict[tuple[str, str], Citation] = {}
    known = {piece["id"]: piece for piece in evidence}
    shown, last = list[str](), ""
    for one in sentences:
        begin = end = 0
        for mark in one["marks"]:
            if mark["at"] > end:
                begin, end = end, mark["at"]
            piece = known.get(mark["piece"] or "")
            if piece is None:
                shown.append("")
                continue
            claim = one["text"][begin : mark["at"]].rsplit("\n", 1)[-1].strip() or last
            made = citation(len(found) + 1, piece, claim, named, reader)
            if not bigrams(claim) & bigrams(made["quote"]):
                made = next((one for (id, _), one in found.items() if id == piece["id"]), made)
            shown.append(f"[{found.setdefault((piece['id'], made['quote']), made)['n']}]")
        last = one["text"].strip() or last
    starts = accumulate((len(one["text"]) for one in sentences), initial=0)
    ends = [
        (max([start + len(one["text"].rstrip()), *(start + mark["at"] for mark in one["marks"])]), doubt)
        for start, one in zip(starts, sentences, strict=False)
        if one.get("doubtful")
    ]
    placed = [(mark["at"], words) for mark, words in zip(marks_of(sentences), shown, strict=True)]
    return with_words(sentences, [*placed, *ends]), list(found.values()), shown.count("")


def citation(n: int, piece: Evidence, claim: str, named: Naming, reader: AnswerReader | None = None) -> Citation:
    text = piece.get("quote", piece["text"])
    quote, offset = best_quote(claim, text, is_whole=piece["kind"] == "document", reader=reader)
    start = None if piece["start"] is None else piece["start"] + offset
    return Citation(
        n=n,
        label=named(piece),
        evidence=piece["id"],
        source=piece["source"],
        part=piece["part"],
        chapter=piece["chapter"],
        title=piece["title"],
        quote=quote,
        start=start,
        end=None if start is None else start + len(quote),
        location=piece["location"],
    )


def best_quote(claim: str, text: str, *, is_whole: bool = False, reader: AnswerReader | None = None) -> tuple[str, int]:
    """Return the sentence that says a claim, or the clauses of it that do, and where it begins.

    A claim that the text has, if need be but for line breaks, is quoted with the clauses that it is of; with `is_whole`
    as it stands there: lines of a document are broken anywhere.
    """
    longest = characters(text, MAX_QUOTE)
    at = text.find(claim) if claim else -1
    extract = (at, at + len(claim)) if at >= 0 else found_joined(claim, text)
    if extract and is_whole and extract[1] - extract[0] <= longest:
        return text[slice(*extract)], extract[0]
    if at >= 0:
        first, last = at, at + len(claim)
    else:
        # Of a claim over line breaks one of its sentences, without a reader.
        spans = [span for span in statement_spans(text) if not extract or extract[0] <= span[0] < extract[1]]
        spans = spans or [extract or (0, len(text))]
        first, last = max(spans, key=_saying(claim, text, spans, None if extract else reader))
    start, end = _clauses(claim, text, (first, last), longest) if at >= 0 or last - first > longest else (first, last)
    quote = text[start:end]
    start += len(quote) - len(quote.lstrip())
    return _balanced(text, start, start + len(quote.strip()))


def _saying(
    claim: str, text: str, spans: Sequence[Span], reader: AnswerReader | None
) -> Callable[[Span], tuple[float, int]]:
    """Return what tells how surely a sentence of a text says a claim: its shared words, and the reader's log odds."""
    read = reader.answers(claim, text) if reader and len(spans) > 1 else ()
    wanted = words_of(claim)

    def odds(span: Span) -> tuple[float, int]:
        share = len(wanted & words_of(text[slice(*span)])) / max(1, len(wanted))
        seen = max((one.sentence(span) for one in read), default=0.0)
        return WORDS_WORTH * share + max(seen, LEAST_SEEN), -span[0]

    return odds


def _clauses(claim: str, text: str, span: Span, longest: int) -> Span:
    """Return the clauses that a span is of; where they are too long for a quote, those in a row that say most of it."""
    cuts = [0, *(one.end() for one in _CLAUSE.finditer(text)), len(text)]
    first = bisect_right(cuts, span[0]) - 1
    last = bisect_left(cuts, span[1])
    if cuts[last] - cuts[first] <= longest:
        return cuts[first], cuts[last]
    wanted, best = words_of(claim), (-1, 0, 0)
    for start, end in combinations(cuts[first : last + 1], 2):
        if end - start <= longest:
            best = max(best, (len(wanted & words_of(text[start:end])), -start, end))
    if best[0] >= 0:
        return -best[1], best[2]
    end = text.rfind(" ", span[0] + 1, span[0] + longest)  # a clause longer than a quote
    return span[0], end if end > 0 else min(span[1], span[0] + longest)


def _balanced(text: str, start: int, end: int) -> tuple[str, int]:
    """Return a span of a text without quotation marks at its ends that it neither opens nor closes."""
    for opened, closed in ("“”", "「」", "『』"):
        if text[start:end].count(opened) < text[start:end].count(closed) and text[end - 1] == closed:
            end -= 1
        elif text[start:end].count(opened) > text[start:end].count(closed) and text[start] == opened:
            start += 1
    return text[start:end], start


def found_joined(claim: str, text: str) -> tuple[int, int] | None:
    """Return the span of a claim in a text whose line breaks are ignored, None if it is not there."""
    (wanted, _), (plain, offsets) = unbroken(claim.strip()), unbroken(text)
    at = plain.find(wanted) if wanted else -1
    return (offsets[at], offsets[at + len(wanted) - 1] + 1) if at >= 0 else None


def unbroken(text: str) -> tuple[str, list[int]]:
    """Return a text with single blanks, none between Chinese characters, and the offset of each of its characters."""
    offsets: list[int] = []
    begin = 0
    for blanks in BLANKS.finditer(text):
        start, end = blanks.span()
        is_seam = bool(CHINESE.match(text[start - 1 : start]) and CHINESE.match(text[end : end + 1]))
        offsets += range(begin, start if is_seam else start + 1)
        begin = end
    offsets += range(begin, len(text))
    return "".join(" " if text[at].isspace() else text[at] for at in offsets), offsets
