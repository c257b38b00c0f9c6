"""Which candidates are headings: judged by shape, by the lines around them, and by the run of numbers."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest

from tools.language import HAN
from tools.wording import Words
from wenmai.ingestion.chapters.forms import UNGLUED, Candidate, best_run, candidates
from wenmai.ingestion.chapters.lines import Line, is_blank, width
from wenmai.ingestion.chapters.notes import PROSE, Refused, without_inner_notes

NO_CHAPTERS = Words("下面没有章", "no chapter below it")
WITHIN = Words("章内的小节", "a section within a chapter")
LEAST_SCORE = 3
ORDINAL, CHAPTER, SECTION = "ordinal-en", "chapter", "section"
"""Names of forms."""
LONG_TITLE, TOO_LONG_TITLE = 30, 45
_STOP = re.compile(r"[。.]+[”’」』\"')）】]*$")
_GOES_ON = re.compile(r"[，,；;、]$")
_COMMA = re.compile(r"[，,；;]")
_INNER_STOP = re.compile(r"[。！？!?；;][^”’」』\"')）】\s。！？!?]|[.!?]\s+\S")
_SPEECH = re.compile(r"[“「『\"].*[”」』\"][^”」』\"]*[说說道问問曰喊叫]|[:：][“「『\"]")
_LOWER = re.compile(r"^[a-z]|^,")
_APART_MARK = re.compile(r"[:：.—–-]")


@dataclass(frozen=True, slots=True)
class Weights:
    """What speaks for a heading (positive) and for prose (negative)."""

    apart: int = 3
    glued: int = -1
    blank: int = 1
    next_number: int = 3
    later_number: int = 1
    number_back: int = -2
    number_taken: int = -3
    stop: int = -2
    goes_on: int = -6
    comma: int = -1
    glued_comma: int = -2
    inner_stop: int = -2
    speech: int = -3
    lower_case: int = -6
    long: int = -1
    too_long: int = -2
    other_form: int = -1
    other_word: int = -5


WEIGHTS = Weights()


@dataclass(frozen=True, slots=True)
class Judgement:
    headings: tuple[Candidate, ...]
    refused: tuple[Refused, ...]


def judge(lines: Sequence[Line]) -> Judgement:
    found = [one for at, line in enumerate(lines) for one in candidates(line.plain, at)]
    sure, nested = _without_nested([one for one in found if not one.form.run])
    kept, refused = _scored(sure, lines)
    kept = _with_run(kept, [one for one in found if one.form.run], lines)
    kept, lost = _volumes(kept)
    kept, stories = without_inner_notes(kept, lines)
    return Judgement(tuple(kept), tuple(sorted(refused + lost + nested + stories, key=lambda one: one.candidate.at)))


def _without_nested(found: Sequence[Candidate]) -> tuple[list[Candidate], list[Refused]]:
    """Leave out the sections (第一节) that divide chapters: their numbers begin again in each."""
    sections, chapter, last, is_nested = [], 0, 0, False
    for one in found:
        if one.form.name == SECTION:
            sections.append(one)
            is_nested |= (one.number or 0) <= max(chapter, last)
            last = one.number or 0
        elif one.form.name == CHAPTER and not _doubtful(one):
            chapter = max(chapter, one.number or 0)
    if not is_nested or not chapter:
        return list(found), []
    return [one for one in found if one.form.name != SECTION], [Refused(one, WITHIN.say()) for one in sections]


def _with_run(kept: list[Candidate], found: Sequence[Candidate], lines: Sequence[Line]) -> list[Candidate]:
    """Add a run of bare numbers where no other heading is numbered; THE FIRST CHAPTER is then a volume's."""
    chapters = [one for one in kept if one.level == "chapter"]
    if not all(one.form.name == ORDINAL for one in chapters) or len(chapters) > 1:
        return kept
    taken = {one.at for one in kept}
    run = best_run([one for one in found if one.at not in taken], lines, kept)
    if run and run[0].number == 1:
        kept = [replace(one, form=replace(one.form, level="volume")) if one in chapters else one for one in kept]
    return sorted([*kept, *run], key=lambda one: one.at)


def _scored(found: Sequence[Candidate], lines: Sequence[Line]) -> tuple[list[Candidate], list[Refused]]:
    style = _Style.of(found)
    kept: list[Candidate] = []
    refused: list[Refused] = []
    last = 0
    for one, following in zip(found, _next_sure(found), strict=True):
        score = shape_score(one, lines, style) + (_number_score(one, last, following) if one.level == "chapter" else 0)
        if score < LEAST_SCORE:
            refused.append(Refused(one, PROSE.say()))
            continue
        kept.append(one)
        last = _last_number(one, last)
    return kept, refused


def _next_sure(found: Sequence[Candidate]) -> list[int | None]:
    numbers: list[int | None] = []
    number: int | None = None
    for one in reversed(found):
        numbers.append(number)
        number = one.number if one.level == "chapter" and not _doubtful(one) else number
    return numbers[::-1]


def _last_number(one: Candidate, last: int) -> int:
    if one.level == "volume" or one.volume:
        return 0 if one.number == 1 or one.level == "volume" else one.number or last
    return one.number or last if one.level == "chapter" else last


@dataclass(frozen=True, slots=True)
class _Style:
    """How most numbered headings of a text are printed."""

    form: str
    glued: bool

    @classmethod
    def of(cls, found: Sequence[Candidate]) -> "_Style":
        clean = [one for one in found if one.level == "chapter" and not _GOES_ON.search(one.name)]
        counts = Counter(one.form.name for one in clean)
        form = counts.most_common(1)[0][0] if counts else ""
        named = [one for one in clean if one.name and not _COMMA.search(one.name)]
        return cls(form, 2 * sum(one.is_glued for one in named) > len(named))


def _is_lower(one: Candidate) -> bool:
    """Return True for English that goes on in lower case: Chapter 2 of the old book."""
    head = one.title[: len(one.title) - len(one.name)]
    return bool(_LOWER.search(one.name)) and not HAN.search(head) and not _APART_MARK.search(head)


def _doubtful(one: Candidate) -> bool:
    return one.is_glued or _is_lower(one) or bool(_STOP.search(one.name) or _GOES_ON.search(one.name))


def shape_score(one: Candidate, lines: Sequence[Line], style: _Style) -> int:
    name, w = one.name, WEIGHTS
    score = (0 if style.glued else w.glued) if one.is_glued else w.apart
    if one.is_glued and style.glued:
        score += w.next_number - w.later_number
    score += w.blank * (is_blank(lines, one.at - 1) + is_blank(lines, one.at + 1))
    score += sum(weight for pattern, weight in _patterns(one) if pattern.search(name))
    score += w.too_long if width(name) > TOO_LONG_TITLE else w.long if width(name) > LONG_TITLE else 0
    if one.level == "chapter" and style.form and one.form.name != style.form:
        score += w.other_form
    if one.level in (*UNGLUED, "extra") and one.title[0].islower():
        score += w.lower_case
    if one.is_glued and name[0] in one.form.not_before:
        score += w.other_word
    if _is_lower(one):
        score += w.lower_case
    return score


def _patterns(one: Candidate) -> tuple[tuple[re.Pattern[str], int], ...]:
    w = WEIGHTS
    return (
        (_STOP, w.stop),
        (_GOES_ON, w.goes_on),
        (_COMMA, w.glued_comma if one.is_glued else w.comma),
        (_INNER_STOP, w.inner_stop),
        (_SPEECH, w.speech),
    )


def _number_score(one: Candidate, last: int, following: int | None) -> int:
    number, w = one.number or 0, WEIGHTS
    if _doubtful(one) and number == following:
        return w.number_taken
    if number == last + 1:
        return w.next_number
    if number > last or not _doubtful(one):
        return w.later_number if number > last else 0
    return w.number_back


def _volumes(kept: Sequence[Candidate]) -> tuple[list[Candidate], list[Refused]]:
    """Keep the volumes that hold chapters; where no line is a chapter's heading, volumes are the chapters."""
    if not any(one.level == "chapter" for one in kept):
        return list(kept), []
    found: list[Candidate] = []
    lost: list[Refused] = []
    for one, after in zip_longest(kept, kept[1:]):
        if one.level == "volume" and (after is None or after.level in ("volume", "closing", "note", "extra")):
            lost.append(Refused(one, NO_CHAPTERS.say()))
        else:
            found.append(one)
    return found, lost
