"""A draft as statements with their marks, and back: a draft of which nothing changes stays as it is."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise, takewhile

from nodes.checking.wordings import ADDRESS
from nodes.results.citations import MARK
from tools.text.sentences import ITEM, sentence_spans

LEADS_ON = ("：", ":")
ENDS = "。！？!?.；;"


@dataclass(frozen=True, slots=True)
class Mark:
    """A mark `[E<number>]`, and where it is in its statement's text; `form` is how it was written."""

    at: int
    number: int
    form: str


@dataclass(frozen=True, slots=True)
class Statement:
    """A sentence of a draft with the blanks behind it, without its marks, which are kept beside it.

    `shared` are the numbers of the next marks in its line, which may stand for it too where it has none.
    """

    text: str
    marks: tuple[Mark, ...] = ()
    shared: tuple[int, ...] = ()

    @property
    def sentence(self) -> str:
        """The sentence without the blanks around it."""
        return self.text.strip()

    @property
    def numbers(self) -> list[int]:
        """The numbers of its marks, in order."""
        return [mark.number for mark in self.marks]

    @property
    def leads_on(self) -> bool:
        """Whether it only introduces what follows."""
        return self.sentence.rstrip("*_ ").endswith(LEADS_ON)

    def marked(self, numbers: Sequence[int]) -> "Statement":
        """Return the statement with these marks in place of its own; new ones come where the first was, or last."""
        if list(numbers) == self.numbers:
            return self
        at = self.marks[0].at if self.marks else len(self.text.rstrip().rstrip(ENDS))
        return replace(self, marks=tuple(Mark(at, number, f"[E{number}]") for number in dict.fromkeys(numbers)))

    def rendered(self) -> str:
        """Return the sentence with its marks."""
        pieces, last = [], 0
        for mark in self.marks:
            pieces += [self.text[last : mark.at], mark.form]
            last = mark.at
        return "".join([*pieces, self.text[last:]])


def statements_of(draft: str) -> list[Statement]:
    """Cut a draft into statements, none within an address; joined they are the draft again.

    A mark belongs to the sentence before it.
    """
    plain, places, removed = MARK.sub("", draft), [], 0
    for match in MARK.finditer(draft):
        places.append(Mark(match.start() - removed, int(match[1]), match[0]))
        removed += len(match[0])
    inside = {at for one in ADDRESS.finditer(plain) for at in range(one.start() + 1, one.end())}
    starts = [0, *(start for start, _ in sentence_spans(plain)[1:] if start not in inside), len(plain)]
    made = []
    for start, end in pairwise(starts):
        own = [mark for mark in places if start < mark.at <= end or (mark.at == start == 0)]
        made.append(Statement(plain[start:end], tuple(replace(mark, at=mark.at - start) for mark in own)))
    return _sharing(made)


def _sharing(statements: Sequence[Statement]) -> list[Statement]:
    """Return statements with the marks that those without may share: the next ones of their line."""
    made: list[Statement] = []
    ahead: tuple[int, ...] = ()
    for one in reversed(statements):
        ahead = () if "\n" in one.text.strip(" ") else ahead
        made.append(replace(one, shared=() if one.marks else ahead))
        ahead = tuple(one.numbers) or ahead
    return made[::-1]


_SOURCES = re.compile(
    r"\n[#*_\s]*(?:参考(?:资料|文献|来源)?|资料来源|引用(?:来源)?|来源|出处|注释?|脚注|references?|sources?|citations?|footnotes?|notes?)"
    r"[*_\s]*[:：]?[*_\s]*$",
    re.IGNORECASE | re.MULTILINE,
)
_SOURCE = re.compile(r"\s*(?:[-*•]|\d{1,3}[.)、])?\s*\[E\d+\](?P<defines>[:：])?|\s*$")


def without_sources(draft: str) -> str:
    """Return a draft without its sources or footnotes at the end: what it cites stands below an answer anyway."""
    lines = draft.rstrip().split("\n")
    count = sum(1 for _ in takewhile(_SOURCE.match, lines[:0:-1]))
    left = "\n".join(lines[: len(lines) - count])
    heading = next((one for one in _SOURCES.finditer(left) if one.end() == len(left)), None)
    if heading:
        return left[: heading.start()].rstrip()
    notes = [_SOURCE.match(line) for line in lines[len(lines) - count :] if line.strip()]
    return left.rstrip() if notes and all(one and one["defines"] for one in notes) else draft


def joined(statements: Sequence[Statement | None]) -> str:
    """Return the draft of what is left; None stands for what was dropped, with what only introduced it."""
    if None not in statements:
        return "".join(one.rendered() for one in statements if one)
    kept = ""
    for at, one in enumerate(statements):
        if one is None or (one.leads_on and not any(statements[at + 1 :])) or _is_empty_item(one, statements[at + 1 :]):
            continue
        kept += one.rendered()
    return kept.strip()


def _is_empty_item(one: Statement, following: Sequence[Statement | None]) -> bool:
    """Return True for the sign of an item whose statement was dropped."""
    return ITEM.fullmatch(one.sentence) is not None and (not following or following[0] is None)
