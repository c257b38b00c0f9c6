"""What stands in a chapter and is no story (`notes.toml`): end marks, authors' and translators' notes, footnotes."""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import accumulate, pairwise

from tools.language import HAN
from wenmai.ingestion.chapters.records import LONG_LINE, Line, NoteKind, TextNote, is_blank, narrowed, text_before
from wenmai.language.lexicon import table

_START = re.compile(r"^\*{3}\s*START OF (?:THE|THIS) PROJECT GUTENBERG|^\*END\*?\s*THE SMALL PRINT", re.IGNORECASE)
_END = re.compile(
    r"^\*{3}\s*END OF (?:THE|THIS) PROJECT GUTENBERG|^End of (?:the |this )?Project Gutenberg", re.IGNORECASE
)
_CREDIT = re.compile(r"^(?:produced|transcribed|prepared|e-?text prepared|scanned) by\b", re.IGNORECASE)
CREDIT_WITHIN = 30  # lines behind the header in which the transcribers are named


def story_range(lines: Sequence[Line]) -> tuple[int, int]:
    """Return where the text begins behind its header, and where its licence begins."""
    start = next((at + 1 for at, line in enumerate(lines) if _START.match(line.plain)), 0)
    end = next((at for at, line in enumerate(lines[start:], start) if _END.match(line.plain)), len(lines))
    head = lines[start : start + CREDIT_WITHIN]
    credit = next((at for at, line in enumerate(head, start) if _CREDIT.match(line.plain)), None)
    if credit is not None:
        start = next((at for at in range(credit, end) if not lines[at].plain), credit + 1)
    return start, end


_BARE = re.compile(r"^\d{1,4}$")
LEAST_PAGES = 3
RISING_SHARE = 0.9
MOST_SKIPPED = 3  # pages without a number between two that have one


def page_lines(lines: Sequence[Line], headings: Collection[int]) -> set[int]:
    """Return the places of bare numbers that count up through the text and are no headings."""
    found = [at for at, line in enumerate(lines) if at not in headings and _BARE.match(narrowed(line.plain))]
    numbers = [int(narrowed(lines[at].plain)) for at in found]
    steps = [after - before for before, after in pairwise(numbers)]
    rising = sum(0 < step <= MOST_SKIPPED for step in steps)
    return set(found) if len(found) >= LEAST_PAGES and rising >= RISING_SHARE * len(steps) else set()


EDGE, LAST = ("edge",), ("edge", "last")
FIRST_PARAGRAPHS, LAST_PARAGRAPHS = 2, 4
"""Paragraphs at a chapter's beginning and end in which the notes of `edge` patterns are looked for."""
MOST_BEHIND_END = 1500  # characters behind （本章完） that are an author's; more are story
LONGEST_NOTE = 400
MANY_TIMES = 4  # a note to the end of a chapter is so many times shorter than the story before it, at least
FULL_LINE, LONGEST_LINE = 45, 90  # lengths of a line of English that is broken at a fixed width
_RULE = re.compile(r"^(?:[-—–=_*~·]\s?){3,}$")
_SENTENCE_END = re.compile(r"[.!?…][”’\"')\]]*$")
NEAR = 12  # lines between two that belong to one note, at most
_MARK = r"(?:[\[［〔【]\s*(?:注|註)?\s*(?:\d{1,3}|[一二三四五六七八九十]{1,3})\s*[\]］〕】]|[①-⑳]|[†‡])"
_FOOTNOTE = re.compile(rf"^\s*(?P<mark>{_MARK})\s*[:：.]?\s*\S")
_NOTES_HEAD = re.compile(r"^[【\[]?(?:注释|註釋|注解|尾注|脚注|notes|footnotes)[】\]]?[:：]?$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class NotePattern:
    """A shape of notes and where it counts."""

    kind: NoteKind
    where: str
    pattern: re.Pattern[str]


@cache
def patterns() -> tuple[NotePattern, ...]:
    rows = table("wenmai.ingestion.chapters", "notes.toml")

    def compiled(pattern: str) -> re.Pattern[str]:
        for place, meaning in rows["words"].items():
            pattern = pattern.replace(f"{{{place}}}", meaning)
        return re.compile(pattern, re.IGNORECASE)

    return tuple(
        NotePattern(row["kind"], row["where"], compiled(text)) for row in rows["note"] for text in row["patterns"]
    )


def line_kind(text: str, *wheres: str) -> NoteKind | None:
    """Return what kind of note a line is at these places beside anywhere, None for story."""
    if not text or len(text) > LONGEST_NOTE:
        return None
    return _kind_at(text, "line", *wheres)


def _kind_at(text: str, *wheres: str) -> NoteKind | None:
    return next((one.kind for one in patterns() if one.where in wheres and one.pattern.match(text)), None)


def separate(body: Sequence[Line]) -> tuple[list[Line], list[TextNote]]:
    """Return the story without its notes and the marks of its footnotes, and the notes."""
    story: list[Line] = []
    notes: list[TextNote] = []
    for line, kind in zip(body, _line_kinds(body), strict=True):
        if kind:
            notes.append(TextNote(kind, line.number, line.plain))
        else:
            story.append(line)
    footnotes = [_FOOTNOTE.match(note.text) for note in notes if note.kind == "footnote"]
    if marks := [re.escape(match["mark"]) for match in footnotes if match]:
        marked = re.compile("|".join(marks))
        story = [replace(line, text=marked.sub("", line.text)) for line in story]
    kept, inner = _without_inner(story)
    return kept, sorted([*notes, *inner], key=lambda note: note.line)


def _line_kinds(body: Sequence[Line]) -> list[NoteKind | None]:
    places = [at for at, line in enumerate(body) if line.plain]
    wheres: dict[int, tuple[str, ...]] = dict.fromkeys((*places[:FIRST_PARAGRAPHS], *places[-LAST_PARAGRAPHS:]), EDGE)
    wheres |= dict.fromkeys(places[-1:], LAST)
    kinds: list[NoteKind | None] = [line_kind(line.plain, *wheres.get(at, ())) for at, line in enumerate(body)]
    for at, kind in _further(body, kinds):
        kinds[at] = kinds[at] or kind
    for at in _footnotes(body):
        kinds[at] = kinds[at] or "footnote"
    ends = [at for at, kind in enumerate(kinds) if kind == "end"]
    if ends and sum(len(line.plain) for line in body[ends[-1] + 1 :]) <= MOST_BEHIND_END:
        for at in range(ends[-1] + 1, len(body)):
            kinds[at] = kinds[at] or ("author" if body[at].plain else None)
    return kinds


def _further(body: Sequence[Line], kinds: Sequence[NoteKind | None]) -> Iterator[tuple[int, NoteKind]]:
    """Yield the lines that belong to a note above them: the rest of its paragraph, or all to the mark of its end."""
    for at, line in enumerate(body):
        kind, end = kinds[at], at
        if head := _kind_at(line.plain, "head"):
            kind, end = head, _note_end(body, at)
        elif kind in ("author", "translator"):
            end = 1 + next((n for n in range(at, len(body)) if not _is_wrapped(body, n)), at)
        for n in range(at, end):
            if kind and body[n].plain:
                yield n, kind


def _note_end(body: Sequence[Line], head: int) -> int:
    """Return where a note ends below its label: at a mark, with the chapter if little is left, or a paragraph."""
    rest, size = range(head + 1, len(body)), accumulate(len(line.plain) for line in body[head + 1 :])
    near = [at for at, count in zip(rest, size, strict=True) if count <= MOST_BEHIND_END]
    is_framed = bool(_RULE.match(text_before(body, head)))
    marks = (at for at in near if _kind_at(body[at].plain, "close") or (is_framed and _RULE.match(body[at].plain)))
    if (mark := next(marks, None)) is not None:
        return mark + 1
    left = sum(len(line.plain) for line in body[head + 1 :])
    if left <= min(LONGEST_NOTE, sum(len(line.plain) for line in body[:head]) / MANY_TIMES):
        return len(body)
    first = next((at for at in rest if body[at].plain), len(body))
    return 1 + next((at for at in range(first, len(body)) if not _is_wrapped(body, at)), len(body) - 1)


def _is_wrapped(body: Sequence[Line], at: int) -> bool:
    """Return True for a full line of a fixed width that goes on on the next: no Chinese, no end of a sentence."""
    plain = body[at].plain
    is_full = FULL_LINE <= len(plain) <= LONGEST_LINE and not HAN.search(plain)
    return is_full and not _SENTENCE_END.search(plain) and not is_blank(body, at + 1)


def _footnotes(body: Sequence[Line]) -> Iterator[int]:
    """Yield the lines of footnotes: those whose mark stands in the text above them, or under 注释.

    A line that is indented by blanks goes on with the footnote above it.
    """
    if not any(_FOOTNOTE.match(line.plain) for line in body):
        return
    seen, is_listed, is_open = "", False, False
    for at, line in enumerate(body):
        plain = line.plain
        match = _FOOTNOTE.match(plain)
        if _NOTES_HEAD.match(plain):
            is_listed = any(_FOOTNOTE.match(one.plain) for one in body[at + 1 : at + 3])
            if is_listed:
                yield at
        elif match and (is_listed or match["mark"] in seen):
            is_open = True
            yield at
        elif plain and is_open and line.text.startswith(("  ", "\t")) and len(plain) <= 2 * LONG_LINE:
            yield at
        else:
            is_open = False
            seen += plain


def _without_inner(story: Sequence[Line]) -> tuple[list[Line], list[TextNote]]:
    """Cut the notes in brackets out of the lines that hold them; a bracket may span several lines."""
    text = "\n".join(line.text for line in story)
    spans: list[tuple[int, int, NoteKind]] = sorted(
        (match.start(), match.end(), one.kind)
        for one in patterns()
        if one.where == "inner"
        for match in one.pattern.finditer(text)
    )
    if not spans:
        return list(story), []
    notes, pieces, end, line, counted = [], [], 0, 0, 0
    for start, stop, kind in spans:
        if start >= end:
            start -= len(text[end:start]) - len(text[end:start].rstrip(" "))
            line += text.count("\n", counted, start)
            counted = start
            notes.append(TextNote(kind, story[line].number, text[start:stop].strip()))
            # A zero byte stands for a break that is cut out.
            pieces += [text[end:start], "\0" * text.count("\n", start, stop)]
            end = stop
    kept: list[Line] = []
    at = 0
    for piece in "".join([*pieces, text[end:]]).split("\n"):
        kept.append(Line(story[at].number, piece.replace("\0", "")))
        at += 1 + piece.count("\0")
    return kept, notes


def gathered(kind: NoteKind, lines: Sequence[Line]) -> list[TextNote]:
    """Return lines as notes; those of one place are one note, page numbers stay apart."""
    found: list[TextNote] = []
    last = 0
    for line in (line for line in lines if line.plain):
        if found and kind != "page" and line.number - last <= NEAR:
            found[-1] = replace(found[-1], text=f"{found[-1].text}\n{line.plain}")
        else:
            found.append(TextNote(kind, line.number, line.plain))
        last = line.number
    return found
