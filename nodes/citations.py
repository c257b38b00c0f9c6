"""The marks of a draft: read from a model's text, and put back where they were."""

import re
from collections.abc import Sequence
from itertools import accumulate

from state.draft import Mark, Sentence
from state.schema import Evidence
from tools.evidence import label_of
from tools.tables.rows import FLAGS
from tools.text.scripts import simplified

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
    shown = [f"{' ' * mark['spaced']}[E{known.get(mark['piece'] or '', 0)}]" for mark in marks]
    return with_words(sentences, [(mark["at"], words) for mark, words in zip(marks, shown, strict=True)])


def with_words(sentences: Sequence[Sentence], shown: Sequence[tuple[int, str]]) -> str:
    """Return the text of sentences with these words in these places; what looks like a mark is none."""
    text, parts, last = without_marks(plain_text(sentences)), list[str](), 0
    for at, words in sorted(((inside_row(text, at), words) for at, words in shown), key=lambda one: one[0]):
        parts += [text[last:at], words]
        last = at
    return "".join([*parts, text[last:]])


def inside_row(text: str, at: int) -> int:
    """Return a place in a text; behind the last bar of a table's row, where nothing is shown, the end of its words."""
    row = text[text.rfind("\n", 0, at) + 1 : at].rstrip()
    is_row = row.lstrip().startswith("|") and row.endswith("|") and not text[at:].partition("\n")[0].strip()
    words = row[:-1].rstrip()
    return text.rfind("\n", 0, at) + 1 + len(words) if is_row and words.strip("| ") else at


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


def letters(text: str) -> str:
    """Return a text without blanks and punctuation, its case and script folded."""
    return NOT_LETTERS.sub("", simplified(text).casefold())
