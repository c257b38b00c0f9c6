"""The marks of a draft: read from a model's text, and rendered as numbered citations with verbatim quotes."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from itertools import accumulate

from state.draft import Mark, Sentence
from state.result import Citation
from state.schema import Evidence
from tools.evidence import label_of
from tools.language import CHINESE, characters
from tools.tables.rows import FLAGS
from tools.text.scripts import simplified
from tools.text.sentences import sentence_spans

MARK = re.compile(r"\s?\[E(\d+)\]")
# Other forms of marks that models write: [E1, E2], ［E1］, 【证据E1、3】; [Context 1], [来源: 1], [^1].
_CALLED = r"(?:context|sources?|evidence|ref(?:erence)?|证据|资料|材料|来源|出处|引用)"
LISTED = re.compile(
    rf"[\[［【(（]\s*(?:{_CALLED}\s*[:：]?\s*)?(E\d{{1,4}}(?:\s*[,，、;；~～–-]\s*E?\d{{1,4}})*)\s*[\]］】)）]",
    re.IGNORECASE,
)
CONTEXT = re.compile(rf"[\[［【]\s*(?:{_CALLED}\s*[:：]?|\^)\s*(\d{{1,4}})\s*[\]］】]", re.IGNORECASE)
BARE = re.compile(r"\[(\d{1,4})\]")
LONGEST_RANGE = 50
NOT_LETTERS = re.compile(r"[\W_]+")
BLANKS = re.compile(r"\s+")
Naming = Callable[[Evidence], str]
MAX_QUOTE = 200
"""Characters of a quote; twice as many in Latin script."""


def plain_and_marks(text: str, evidence: Sequence[Evidence]) -> tuple[str, list[Mark]]:
    """Return a text without its marks `[E<n>]`, and these with their places in it."""
    marks, removed = list[Mark](), 0
    for match in MARK.finditer(text):
        number = int(match[1])
        piece = evidence[number - 1]["id"] if 0 < number <= len(evidence) else None
        marks.append(Mark(at=match.start() - removed, piece=piece, spaced=not match[0].startswith("[")))
        removed += len(match[0])
    return MARK.sub("", text), marks


def marks_of(sentences: Sequence[Sentence]) -> list[Mark]:
    """Return the marks of sentences with their places in the whole text."""
    starts = [0, *accumulate(len(one["text"]) for one in sentences)]
    return [
        Mark({**mark, "at": start + mark["at"]})
        for start, one in zip(starts, sentences, strict=False)
        for mark in one["marks"]
    ]


def plain_text(sentences: Sequence[Sentence]) -> str:
    return "".join(one["text"] for one in sentences)


def marked_text(sentences: Sequence[Sentence], evidence: Sequence[Evidence]) -> str:
    """Return the text of sentences with marks `[E<n>]`, as graders, traces and models see it."""
    known = {piece["id"]: number for number, piece in enumerate(evidence, 1)}
    marks = marks_of(sentences)
    return _with(sentences, [f"{' ' * mark['spaced']}[E{known.get(mark['piece'] or '', 0)}]" for mark in marks])


def _with(sentences: Sequence[Sentence], shown: Sequence[str]) -> str:
    """Return the text of sentences with these words in the places of its marks; what looks like a mark is none."""
    text, parts, last = without_marks(plain_text(sentences)), list[str](), 0
    for mark, words in zip(marks_of(sentences), shown, strict=True):
        parts += [text[last : mark["at"]], words]
        last = mark["at"]
    return "".join([*parts, text[last:]])


def without_marks(text: str) -> str:
    """Return a text in which nothing can be taken for a mark: other brackets around what looks like one.

    Texts have footnotes, [5] or [^5], of their own. The length stays.
    """
    for likeness in (LISTED, CONTEXT):
        text = likeness.sub(lambda match: f"〔{match[0][1:-1]}〕", text)
    return BARE.sub(r"［\1］", text)


def cited_pieces(sentences: Sequence[Sentence], evidence: Sequence[Evidence]) -> list[Evidence]:
    known = {piece["id"]: piece for piece in evidence}
    return [known[mark["piece"]] for one in sentences for mark in one["marks"] if mark["piece"] in known]


def cite(sentences: Sequence[Sentence], evidence: Sequence[Evidence], named: Naming) -> tuple[str, list[Citation], int]:
    """Return the text with [1], [2], …, the citations in order, and the number of marks that name nothing.

    A piece of evidence has one citation for each part of it that is quoted; a claim that no part says has that of the
    claim before. `named` gives a piece's label.
    """
    found: dict[tuple[str, str], Citation] = {}
    text, marks, known = plain_text(sentences), marks_of(sentences), {piece["id"]: piece for piece in evidence}
    shown, begin, last = list[str](), 0, 0
    for mark in marks:
        if mark["at"] > last:
            begin, last = last, mark["at"]
        piece = known.get(mark["piece"] or "")
        if piece is None:
            shown.append("")
            continue
        claim = text[begin : mark["at"]].rsplit("\n", 1)[-1].strip()
        made = citation(len(found) + 1, piece, claim, named)
        if not bigrams(claim) & bigrams(made["quote"]):
            made = next((one for (id, _), one in found.items() if id == piece["id"]), made)
        shown.append(f"[{found.setdefault((piece['id'], made['quote']), made)['n']}]")
    return _with(sentences, shown), list(found.values()), shown.count("")


def with_plain_marks(draft: str, evidence: Sequence[Evidence]) -> str:
    """Return a draft whose marks are [E1][E2], whatever brackets, lists and ranges the model used.

    A bare [2], or [^2], is a mark too, unless a piece of evidence has it as text.
    """

    def own(match: re.Match[str]) -> str:
        return match[0] if any(match[0] in piece["text"] for piece in evidence) else f"[E{match[1]}]"

    plain = CONTEXT.sub(own, draft)
    marked = LISTED.sub(lambda match: "".join(f"[E{n}]" for n in numbers_in(match[1])), plain)
    return BARE.sub(own, marked)


def as_draft(text: str, evidence: Sequence[Evidence]) -> str:
    """Return a model's text with plain marks; one of an instance becomes that of the value that its claim tells.

    A model sees all values of an instance under the number of the first one.
    """
    draft = with_plain_marks(text.strip(), evidence)
    return MARK.sub(lambda match: pinpointed(match, draft, evidence), draft)


def pinpointed(match: re.Match[str], draft: str, evidence: Sequence[Evidence]) -> str:
    """Return a mark, on the value of the same instance that the claim before it tells."""
    number = int(match[1])
    piece = evidence[number - 1] if 0 < number <= len(evidence) else None
    # Back to the mark before it, or to the start of the line.
    before = MARK.sub(lambda mark: "\0" * len(mark[0]), draft[: match.start()]).rstrip("\0")
    claim = before.rsplit("\0", 1)[-1].rsplit("\n", 1)[-1].strip()
    if piece is None or piece["kind"] != "property" or piece.get("value", "") in claim:
        return match[0]
    values = [
        (len(value), -at)
        for at, other in enumerate(evidence, 1)
        if (other["library"], other["source"], other["kind"]) == (piece["library"], piece["source"], "property")
        and (value := other.get("value", "")) not in ("", *piece["entities"])
        and (label_of(other) if value.lower() in FLAGS else value) in claim
    ]
    return match[0].replace(match[1], str(-max(values)[1])) if values else match[0]


def numbers_in(marks: str) -> list[int]:
    """Return the numbers of a list with ranges: E1, E3-E5."""
    numbers: list[int] = []
    for part in re.split(r"[,，、;；]", marks):
        ends = [int(number) for number in re.findall(r"\d+", part)]
        first, last = ends[0], ends[-1]
        numbers += range(first, last + 1) if first <= last < first + LONGEST_RANGE else [first, last]
    return numbers


def citation(n: int, piece: Evidence, claim: str, named: Naming) -> Citation:
    quote, offset = best_quote(claim, piece.get("quote", piece["text"]), is_whole=piece["kind"] == "document")
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


def best_quote(claim: str, text: str, *, is_whole: bool = False) -> tuple[str, int]:
    """Return the claim itself if the text contains it, else the sentence that shares most bigrams with it.

    If the text contains the claim but for line breaks, a sentence of that extract is returned, or with `is_whole` the
    extract itself with its breaks: lines of a document are broken anywhere.
    """
    longest = characters(text, MAX_QUOTE)
    at = text.find(claim) if claim else -1
    if at >= 0:
        return claim[:longest], at
    extract = found_joined(claim, text)
    if extract and is_whole and extract[1] - extract[0] <= longest:
        return text[slice(*extract)], extract[0]
    wanted = bigrams(claim)
    start, end = extract or (0, len(text))
    spans = sentence_spans(text, start, end) or [(0, len(text))]
    at, last = max(spans, key=lambda span: (len(wanted & bigrams(text[slice(*span)])), -span[0]))
    at += len(text[at:last]) - len(text[at:last].lstrip())
    sentence = text[at:last].rstrip()
    hits = [place for place in range(len(sentence) - 1) if sentence[place : place + 2].casefold() in wanted]
    if hits and hits[-1] + 2 > longest:  # too long for a quote: from where it has most of the wanted bigrams
        ends = {start: bisect_right(hits, start + longest - 2) - bisect_left(hits, start) for start in (0, *hits)}
        at += max(ends, key=lambda start: (ends[start], -start))
    return text[at:last].rstrip()[:longest], at


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


def bigrams(text: str) -> set[str]:
    """Return the character bigrams of a text, blanks and punctuation left out."""
    plain = letters(text)
    return {plain[i : i + 2] for i in range(len(plain) - 1)}


def letters(text: str) -> str:
    """Return a text without blanks and punctuation, its case and script folded."""
    return NOT_LETTERS.sub("", simplified(text).casefold())
