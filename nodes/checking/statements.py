"""The sentences of a draft: cut from a model's text, put beside the numbers of the evidence, and back."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise, takewhile

from nodes.checking.wordings import ADDRESS, ASKS_CODE, CLAUSE_BREAKS, FENCE, MARKUP
from nodes.citations import MARK, letters, plain_and_marks
from state.draft import Mark, Sentence
from state.schema import Evidence
from tools.text.sentences import ITEM, sentence_spans

LEADS_ON = ("：", ":")
ENDS = "。！？!?.；;"
PAIRS = ("“”", "「」", "『』", "()", "（）", "[]", "《》")
"""What must not be left open."""
_SOURCES = re.compile(
    r"\n[#*_\s]*(?:参考(?:资料|文献|来源)?|资料来源|引用(?:来源)?|来源|出处|注释?|脚注|references?|sources?|citations?|footnotes?|notes?)"
    r"[*_\s]*[:：]?[*_\s]*$",
    re.IGNORECASE | re.MULTILINE,
)
_SOURCE = re.compile(r"\s*(?:[-*•]|\d{1,3}[.)、])?\s*\[E\d+\](?P<defines>[:：])?|\s*$")


@dataclass(frozen=True, slots=True)
class DraftStatement:
    """A sentence of a draft, with the numbers of the evidence that it cites; 0 stands for a mark that names none.

    `shared` are the numbers of the marks that may stand for it too where it has none, `before` those of all sentences
    before it; a `doubtful` one stays, though nothing shows it; `items` counts the lines with marks below a headline;
    `is_label`: it stands in a line that only names what follows.
    """

    text: str
    marks: tuple[Mark, ...] = ()
    numbers: tuple[int, ...] = ()
    shared: tuple[int, ...] = ()
    doubtful: bool = False
    items: int = 0
    before: tuple[int, ...] = ()
    is_label: bool = False

    @property
    def cells(self) -> list[str]:
        """The cells of the head of a table; any other sentence is one."""
        is_head = self.is_label and "|" in self.sentence
        return [one for one in _CELL.split(self.sentence) if one] if is_head else [self.sentence]

    @property
    def sentence(self) -> str:
        return self.text.strip()

    @property
    def leads_on(self) -> bool:
        return self.sentence.rstrip("*_ ").endswith(LEADS_ON)

    @property
    def as_sentence(self) -> Sentence:
        found = Sentence(text=self.text, marks=list(self.marks), role="answer")
        return {**found, "doubtful": True} if self.doubtful else found

    def marked(self, numbers: Sequence[int], evidence: Sequence[Evidence]) -> "DraftStatement":
        """Return the statement with these marks in place of its own; new ones come where the first was, or last."""
        if tuple(numbers) == self.numbers:
            return self
        at = self.marks[0]["at"] if self.marks else self._body
        own = tuple(dict.fromkeys(numbers))
        marks = tuple(Mark(at=at, piece=evidence[number - 1]["id"], spaced=False) for number in own)
        return replace(self, marks=marks, numbers=own)

    @property
    def clauses(self) -> list[tuple[int, int]]:
        """The spans of its clauses, each with what separates it from the one before."""
        starts, last = [0], 0
        for match in CLAUSE_BREAKS.finditer(self.text, 0, self._body):
            is_number = self.text[match.start() - 1 : match.end() + 1].replace(",", "").isdigit()
            if self.text[last : match.start()].strip() and not is_number:
                starts.append(match.start())
            last = match.end()
        spans = list(pairwise([*starts, self._body]))
        return [
            (start, next((other[0] for other in spans[at + 1 :] if letters(self.text[slice(*other)])), self._body))
            for at, (start, end) in enumerate(spans)
            if at == 0 or letters(self.text[start:end])
        ]

    @property
    def _body(self) -> int:
        """Where its words end, before the full stop."""
        words = self.text.rstrip()
        return len((words.rstrip("| ") if words.lstrip().startswith("|") else words).rstrip(ENDS))

    def without(self, clauses: Sequence[tuple[int, int]]) -> "DraftStatement | None":
        """Return the statement without these clauses, None where what is left is no sentence.

        The first clause says what the others are about. Marks that stand behind them alone are those of the whole.
        """
        if not clauses or min(clauses)[0] == self.clauses[0][0]:
            return None
        text, marks = self.text, list(zip(self.marks, self.numbers, strict=True))
        for start, end in sorted(clauses, reverse=True):
            text = text[:start] + text[end:]
            kept = [(mark, number) for mark, number in marks if not start < mark["at"] <= end] or marks
            marks = [
                (Mark({**mark, "at": max(min(mark["at"], start), mark["at"] - end + start)}), number)
                for mark, number in kept
            ]
        if text.count('"') % 2 or any(text.count(pair[0]) != text.count(pair[1]) for pair in PAIRS):
            return None
        if text.rstrip() == text.rstrip().rstrip(ENDS) and (stops := [sign for sign in self.text if sign in ENDS]):
            text = f"{text.rstrip()}{stops[-1]}{text[len(text.rstrip()) :]}"  # the stop of a speech that is gone
        numbers = tuple(number for _, number in marks)
        return replace(self, text=text, marks=tuple(mark for mark, _ in marks), numbers=numbers)


_HEADING = re.compile(r"#{1,6}\s*(?P<words>[^#\s].*)")
_BOLD = re.compile(r"(?:[-*•]\s+|\(?\d{1,3}[.)、）]\s*)?\*\*(?P<words>[^*]+)\*\*\s*[:：]?")
_RULE = re.compile(r"(?:[-*_]\s*){3,}|\|?(?:\s*:?-+:?\s*\|)+(?:\s*:?-+:?\s*)?")
"""A line across the page, or between the head of a table and its rows."""
_CELL = re.compile(r"\s*\|\s*")


def label_lines(text: str) -> set[int]:
    """Return where the lines of Markdown begin that name what follows: headings, bold lines, heads and rules of tables.

    A sentence with its full stop names nothing, however it is set.
    """
    found, at = set[int](), 0
    lines = text.split("\n")
    for line, following in zip(lines, [*lines[1:], ""], strict=True):
        words = line.strip()
        named = _HEADING.fullmatch(words) or _BOLD.fullmatch(words)
        is_head = "|" in words and "|" in following and bool(_RULE.fullmatch(following.strip()))
        if is_head or _RULE.fullmatch(words) or (named and not named["words"].strip("*_ ").endswith(tuple(ENDS))):
            found.add(at)
        at += len(line) + 1
    return found


GOES_ON = re.compile(r"[”’」』\"](?:[，、；：,;]|[便就遂])")
"""What goes on behind a quotation that ends like a sentence: a comma, an adverb that begins no Chinese sentence."""


def sentences_of(text: str, evidence: Sequence[Evidence]) -> list[Sentence]:
    """Cut a text with marks `[E<n>]` into sentences, none within an address; a mark belongs to the sentence before."""
    plain, places = plain_and_marks(text, evidence)
    inside = {at for one in ADDRESS.finditer(plain) for at in range(one.start() + 1, one.end())}
    begun = [at for at, _ in sentence_spans(plain)[1:] if at not in inside and not GOES_ON.match(plain, at - 1)]
    starts = [0, *(at for one in begun if (at := _behind_bold(plain, one)) < len(plain)), len(plain)]
    found = []
    for start, end in pairwise(starts):
        own = [mark for mark in places if start < mark["at"] <= end or (mark["at"] == start == 0)]
        marks = [Mark({**mark, "at": mark["at"] - start}) for mark in own]
        found.append(Sentence(text=plain[start:end], marks=marks, role="answer"))
    return found


def _behind_bold(text: str, at: int) -> int:
    """Return where a sentence begins: what closes the bold words before it is theirs."""
    is_open = text.count("**", text.rfind("\n", 0, at) + 1, at) % 2
    return at + 2 if is_open and text.startswith("**", at) else at


def statements_of(sentences: Sequence[Sentence], evidence: Sequence[Evidence]) -> list[DraftStatement]:
    """Return sentences with the numbers of the evidence.

    Those without marks may share the next ones of their line; one that is a line for itself, as a headline is, those of
    the lines below it up to the next line without any.
    """
    known = {piece["id"]: number for number, piece in enumerate(evidence, 1)}
    found: list[DraftStatement] = []
    ahead: tuple[int, ...] = ()
    below, line, items = tuple[int, ...](), tuple[int, ...](), 0
    for at, one in reversed([*enumerate(sentences)]):
        numbers = tuple(known.get(mark["piece"] or "", 0) for mark in one["marks"])
        if "\n" in one["text"].strip(" "):
            # The line behind this one is whole.
            below, items = (tuple(dict.fromkeys((*line, *below))), items + 1) if line else ((), 0)
            ahead, line = (), ()
        is_line = not line and (at == 0 or "\n" in sentences[at - 1]["text"].strip(" "))
        shared = () if numbers else ahead or (below if is_line else ())
        found.append(
            DraftStatement(
                one["text"], tuple(one["marks"]), numbers, shared, one.get("doubtful", False), items if is_line else 0
            )
        )
        ahead, line = numbers or ahead, (*numbers, *line)
    before = list[int]()
    for at, statement in reversed([*enumerate(found)]):
        found[at] = replace(statement, before=tuple(dict.fromkeys(before)))
        before += statement.numbers
    return with_labels(found[::-1])


def with_labels(statements: Sequence[DraftStatement]) -> list[DraftStatement]:
    """Return statements, those without marks in lines that only name what follows as labels."""
    whole = "".join(one.text for one in statements)
    labels, begun = label_lines(whole), 0
    found = list[DraftStatement]()
    for one in statements:
        start = begun + len(one.text) - len(one.text.lstrip())
        is_label = not one.marks and whole.rfind("\n", 0, start) + 1 in labels
        found.append(replace(one, is_label=True) if is_label else one)
        begun += len(one.text)
    return found


def left_of(statements: Sequence[DraftStatement | None]) -> list[Sentence]:
    """Return the sentences of what is left; None stands for what was dropped, with what only introduced it."""
    is_whole = None not in statements
    statements = statements if is_whole else without_bare_labels(statements)
    kept = [
        one.as_sentence
        for at, one in enumerate(statements)
        if one
        and (is_whole or any(statements[at + 1 :]) or not one.leads_on)
        and (is_whole or any(statements[at + 1 : at + 2]) or not ITEM.fullmatch(one.sentence))
    ]
    if is_whole or not "".join(one["text"] for one in kept).strip():
        return kept if is_whole else []
    first, blanks = kept[0], len(kept[0]["text"]) - len(kept[0]["text"].lstrip())  # before the first of them
    marks = [Mark({**mark, "at": max(0, mark["at"] - blanks)}) for mark in first["marks"]]
    kept[0] = {**first, "text": first["text"][blanks:], "marks": marks}
    last = kept[-1]
    end = max([len(last["text"].rstrip()), *(mark["at"] for mark in last["marks"])])
    return [*kept[:-1], {**last, "text": last["text"][:end]}]


def without_bare_labels(statements: Sequence[DraftStatement | None]) -> list[DraftStatement | None]:
    """Return what is left without the labels below which everything was dropped."""
    found = [*statements]
    for at, one in reversed([*enumerate(statements)]):
        if one and one.is_label:
            below = [*takewhile(lambda other: not (other and other.is_label), found[at + 1 :])]
            if below and not any(below):
                found[at] = None
    return found


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


def without_code(draft: str, question: str, material: str) -> tuple[str, list[str]]:
    """Return a draft without code and markup, and what was taken; what was asked for and the material has stays.

    A fenced block stays where code was asked for, or where the material has it; of one with marks or words of the
    material, whatever its form, only the fence goes.
    """
    asked, taken, parts = bool(ASKS_CODE.search(question)), list[str](), list[str]()
    last = 0
    for block in FENCE.finditer(draft):
        parts.append(_without_markup(draft[last : block.start()], question, material if asked else "", taken))
        inner = block[0].strip("`\n ")
        body = block[0].strip("`").partition("\n")[2].strip()
        if asked or inner in material or (body and body in material):
            parts.append(block[0])
        elif is_prose(block[0], material):
            parts.append(_without_markup(body, question, "", taken) + "\n")
        else:
            taken.append(block[0].strip())
        last = block.end()
    return "".join([*parts, _without_markup(draft[last:], question, material if asked else "", taken)]), taken


def is_prose(block: str, material: str) -> bool:
    """Return True if a fenced block is no code: its lines cite evidence, or stand there."""
    lines = [line for line in block.strip("`").partition("\n")[2].split("\n") if letters(line)]
    known = letters(material)
    return bool(lines) and all(MARK.search(line) or letters(line) in known for line in lines)


def _without_markup(text: str, question: str, material: str, taken: list[str]) -> str:
    """Return a text without tags, also those that only show when others are gone; add them to what was taken."""

    def removed(match: re.Match[str]) -> str:
        if match[0] in question or match[0] in material:
            return match[0]
        taken.append(match[0].strip())
        return ""

    while (left := MARKUP.sub(removed, text)) != text:
        text = left
    return text
