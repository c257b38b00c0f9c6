"""Headings: lines that may be one by their shape (`forms.toml`), judged by the lines and the numbers around them."""

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import pairwise, zip_longest
from typing import Literal

from tools.language import HAN
from tools.messages import say
from tools.text.numerals import NUMERAL, ORDINAL_WORDS, UNIT_WORDS, parse_number, parse_ordinal
from wenmai.ingestion.chapters.notes import line_kind
from wenmai.ingestion.chapters.records import Line, has_prose, is_blank, narrowed, text_before, width
from wenmai.language.lexicon import table

Level = Literal["volume", "chapter", "opening", "closing", "extra", "inner", "note"]
LONGEST = 80
OPENERS = tuple('([【《〈“‘「『"')  # marks that part a name from the number before it
UNGLUED: tuple[Level, ...] = ("opening", "closing", "inner", "note")
"""Words of these levels are headings only where a blank, a mark or nothing follows."""
_WORD = rf"(?:{UNIT_WORDS})(?:[\s-]+(?:and\s+)?(?:{UNIT_WORDS}|hundred))*"
_ROMAN = r"(?-i:[IVXLCDM]{1,8}|[Ⅰ-Ⅻ])"
PLACES = {
    "{zh}": rf"[{NUMERAL}]{{1,9}}",
    "{han}": f"[{re.sub('[0-9０-９-]', '', NUMERAL)}]{{1,7}}",
    "{dig}": r"\d{1,4}",
    "{year}": r"(?:1\d{3}|20\d{2}|[一二][〇○零一二三四五六七八九]{3})",
    "{roman}": _ROMAN,
    "{word}": _WORD,
    "{en}": rf"(?:\d{{1,4}}|{_WORD}|[ivxlcdm]{{1,8}}|[Ⅰ-Ⅻ])",
    "{ord}": rf"(?:(?:{UNIT_WORDS})[\s-]+)?(?:{ORDINAL_WORDS}|\d+(?:st|nd|rd|th))",
}
"""What stands for the placeholders of the patterns."""
_VOLUME_BEFORE = (
    r"(?P<volume>(?:第\s*{zh}\s*[部卷编編篇册冊集]|[卷部]\s*{zh}|[上中下][卷部册冊篇])[^。！？!?，,]{0,20}?(?=第\s*{zh}\s*[章回节節话話])"
    r"|(?:part|book|volume|vol\.?)\s*{en}[\s,.:—–-]+(?=ch(?:apter|ap)?\b))"
)
_DECORATION = r"^(?:[#*=~☆★◆◇■□●○◎※]{1,6}[、\s]*|[-—–]{2,}\s*)?(?P<open>[【〖〔「『<〈]|[(\[](?=第|chapter))?\s*"
_LEAD = r"(?:《[^》]{1,30}》[\s:]*)?(?:(?:正文|VIP|公众|免费|默认)(?:卷|章节)?[\s:]*|正文卷?)?"
_CLOSE = r"[\])】〗〕」』>〉]"
_FRAME = re.compile(r"(?P<mark>[-—–·•|*~=]{1,6})\s*(?P<inner>[^\s-].*?)\s*(?P=mark)")
FRAMED = "framed"  # the form of a number between two marks (- 3 -), which is a page's more often than a chapter's
_APART = re.compile(r"^[\s:、.．·,—–-]+|^$")


@dataclass(frozen=True, slots=True)
class HeadingForm:
    """A shape of headings; a `run` form counts only in a run of numbers that counts up."""

    name: str
    level: Level
    pattern: re.Pattern[str]
    run: bool = False
    not_before: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A line that may be a heading.

    Attributes:
        at: its place among the lines.
        number: None where it is not numbered.
        title: the whole heading as printed, without decoration and without the volume.
        name: what follows the number.
        volume: the volume that the same line names, '' if none.
        is_glued: whether the name follows the number without a blank or a mark.
    """

    at: int
    form: HeadingForm
    number: int | None
    title: str
    name: str
    volume: str
    is_glued: bool

    @property
    def level(self) -> Level:
        return self.form.level


@cache
def forms() -> tuple[HeadingForm, ...]:
    rows = table("wenmai.ingestion.chapters", "forms.toml")["form"]
    return tuple(HeadingForm(**row | {"pattern": _compiled(row["pattern"])}) for row in rows)


def _compiled(pattern: str) -> re.Pattern[str]:
    for place, meaning in PLACES.items():
        pattern = pattern.replace(place, meaning)
    return re.compile(pattern, re.IGNORECASE)


@cache
def _lead() -> re.Pattern[str]:
    return _compiled(f"{_DECORATION}{_LEAD}(?:{_VOLUME_BEFORE})?")


def candidates(text: str, at: int = 0) -> list[Candidate]:
    """Return what a line may be as a heading, the surest form first; [] for prose and blank lines."""
    line = text.strip()
    if not line or len(line) > LONGEST:
        return []
    if frame := _FRAME.fullmatch(line):
        inner = candidates(frame["inner"], at)
        return [replace(one, form=replace(one.form, name=FRAMED)) if one.form.run else one for one in inner]
    plain = narrowed(line)
    lead = _lead().match(plain)
    start = lead.end() if lead else 0
    found = []
    for form in forms():
        match = form.pattern.match(plain, start)
        if match and (one := _candidate(line, plain, form, match, lead, at)):
            found.append(one)
            if not form.run:
                break
    return found


def _candidate(
    line: str, plain: str, form: HeadingForm, match: re.Match[str], lead: re.Match[str] | None, at: int
) -> Candidate | None:
    groups = match.groupdict()
    number = _number(groups.get("n"))
    if groups.get("n") and number is None:
        return None
    closing = re.compile(_CLOSE).match(plain, match.end()) if lead and lead["open"] else None
    end = closing.end() if closing else match.end()
    rest = plain[end:]
    is_apart = bool(closing) or plain[end - 1] in ")]" or rest.startswith(OPENERS) or bool(_APART.match(rest))
    if not is_apart and (form.run or form.level in UNGLUED):
        return None
    name = _APART.sub("", rest, count=1)
    printed = line[len(line) - len(name) :] if name else ""
    if lead and lead["open"] and not closing:
        printed = re.sub(f"{_CLOSE}$", "", printed)
    head = line[match.start() : match.end()]
    has_bracket = bool(lead and lead["open"])
    title = f"{head} {printed}" if has_bracket else line[match.start() :]
    return Candidate(
        at=at,
        form=form,
        number=number,
        title=" ".join(re.sub(r"\s*(?:[#*=~☆★◆◇■□●○◎※]+|[-—–]{2,})$", "", title).split()),
        name=" ".join(printed.split()),
        volume=" ".join(lead["volume"].split()) if lead and lead["volume"] else "",
        is_glued=not is_apart,
    )


def _number(text: str | None) -> int | None:
    if text is None:
        return None
    ordinal = parse_ordinal(re.sub(r"^the\s+", "", text, flags=re.IGNORECASE))
    return parse_number(text) if ordinal is None else ordinal


YEAR = "year"  # the form of chapters that are named by years
LEAST_NUMBERED = 3
LEAST_BODY = 200  # characters between the headings of a run in the midst of a text, on average; fewer are a list
LEAST_START = 5  # length from which a run may begin with another number than 0 or 1
LEAST_OPENING = 2  # the same at the beginning of a text
LONGEST_NAME = 30
MOST_MISSING = 2
_NO_NAME = re.compile(r"[。；;，,：:、]$|^[“”「『\"‘'a-z]|[。；;]")
_SENTENCE_END = re.compile(r"[。！？!?.…—*～~][”’」』\"')）】]*$")
WHOLE_SENTENCES = 0.7
"""Share of bare numbers that stand behind the end of a sentence, if they are chapters and not pages."""


def best_run(found: Sequence[Candidate], lines: Sequence[Line], others: Sequence[Candidate]) -> list[Candidate]:
    """Return the run of numbers that divides a text, [] if there is none, of candidates of run forms.

    Where one of the `others` is a volume's heading, numbers may begin again.
    """
    volumes = [one.at for one in others if one.level == "volume"]
    names = dict.fromkeys(one.form.name for one in found)
    runs = [_run_of(name, [one for one in found if one.form.name == name], lines, volumes) for name in names]
    fit = [run for run in runs if run and _divides(run, lines, min([run[0].at, *(one.at for one in others)]))]
    return max(fit, key=lambda run: (len(run), -run[0].at), default=[])


def _run_of(name: str, found: Sequence[Candidate], lines: Sequence[Line], volumes: Sequence[int]) -> list[Candidate]:
    """Return the run of a form; years, and numbers between two marks, count where blank lines part them from all."""
    if name not in (YEAR, FRAMED):
        return _run(found, volumes)
    apart = [one for one in found if is_blank(lines, one.at - 1) and is_blank(lines, one.at + 1)]
    if name == YEAR:  # years are not the numbers of their chapters, and never go back
        years = [(one.number or 0, one.name) for one in apart]
        is_rising = all(after[0] >= before[0] and after != before for before, after in pairwise(years))
        return [replace(one, number=None) for one in apart] if is_rising else []
    run = _run([one for one in apart if not one.name], volumes)
    is_sure = len(run) >= LEAST_NUMBERED and _behind_sentences(run, lines) == 1
    return run if is_sure and run == apart else []


def _run(found: Sequence[Candidate], volumes: Sequence[int]) -> list[Candidate]:
    """Return the candidates that count up; a volume, or a whole run of its own, begins again at 1.

    A number behind a gap counts where no later line fills the gap.
    """
    bare = {one.at for one in found if not one.name}
    own = [one for one in found if not (one.name and one.at - 1 in bare)]  # below a number: I Meet Sir Henry, a title
    good = [one for one in own if width(one.name) <= LONGEST_NAME and not _NO_NAME.search(one.name)]
    latest = {one.number or 0: place for place, one in enumerate(good)}
    run: list[Candidate] = []
    for place, one in enumerate(good):
        number = one.number or 0
        if not run:
            if number <= 1 or _counts_on(good, place, LEAST_START if place else LEAST_OPENING):
                run.append(one)
            continue
        wanted = (run[-1].number or 0) + 1
        is_behind_gap = wanted < number <= wanted + MOST_MISSING and latest.get(wanted, 0) <= place
        is_in_new_volume = bisect_right(volumes, run[-1].at) < bisect_left(volumes, one.at)
        begins_again = number == 1 and (is_in_new_volume or _counts_on(good, place, LEAST_NUMBERED))
        if number == wanted or is_behind_gap or begins_again:
            run.append(one)
    return run


def _counts_on(found: Sequence[Candidate], place: int, least: int) -> bool:
    first = found[place].number or 0
    return [one.number for one in found[place : place + least]] == list(range(first, first + least))


def _divides(run: Sequence[Candidate], lines: Sequence[Line], start: int) -> bool:
    """Return True if a run has running text between all its numbers, and is no list and no row of page numbers.

    `start` is the place of the first heading of any kind.
    """
    ends = [*(one.at for one in run[1:]), len(lines)]
    bodies = [lines[one.at + 1 : end] for one, end in zip(run, ends, strict=True)]
    has_text = _has_sentence if run[0].form.name == YEAR else has_prose
    if len(run) < 2 or not all(has_text(body) for body in bodies):
        return False
    if not any(one.name for one in run) and _behind_sentences(run, lines) < WHOLE_SENTENCES:
        return False
    if not has_prose(lines[:start]):
        return True
    size = sum(len(line.plain) for body in bodies for line in body)
    is_whole = (run[0].number or 0) <= 1 or len(run) >= LEAST_START
    return is_whole and (len(run) >= LEAST_NUMBERED and size >= LEAST_BODY * len(run))


def _has_sentence(lines: Sequence[Line]) -> bool:
    return any(_SENTENCE_END.search(line.plain) for line in lines)


def _behind_sentences(run: Sequence[Candidate], lines: Sequence[Line]) -> float:
    return sum(bool(_SENTENCE_END.search(text_before(lines, one.at))) for one in run[1:]) / len(run[1:])


LONGEST_HEADED = 3000  # characters under the heading of an author's note between two chapters; more are story
NOTICE, LABEL = "notice", "label"  # names of forms
LEAST_SCORE = 3
ORDINAL, CHAPTER, SECTION = "ordinal-en", "chapter", "section"  # names of forms
LONG_TITLE, TOO_LONG_TITLE = 30, 45
_STOP = re.compile(r"[。.]+[”’」』\"')）】]*$")
_GOES_ON = re.compile(r"[，,；;、]$")
_COMMA = re.compile(r"[，,；;]")
_INNER_STOP = re.compile(r"[。！？!?；;][^”’」』\"')）】\s。！？!?]|[.!?]\s+\S")
_SPEECH = re.compile(r"[“「『\"].*[”」』\"][^”」』\"]*[说說道问問曰喊叫]|[:：][“「『\"]")
_LOWER = re.compile(r"^[a-z]|^,")
_APART_MARK = re.compile(r"[:：.—–-]")


@dataclass(frozen=True, slots=True)
class HeadingWeights:
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


WEIGHTS = HeadingWeights()


@dataclass(frozen=True, slots=True)
class RefusedHeading:
    candidate: Candidate
    reason: str


def judge(lines: Sequence[Line]) -> tuple[list[Candidate], list[RefusedHeading]]:
    """Return the headings of a text, and the lines that look like one and are none, both in order."""
    found = [one for at, line in enumerate(lines) for one in candidates(line.plain, at)]
    sure, nested = _without_nested([one for one in found if not one.form.run])
    kept, refused = _scored(sure, lines)
    kept = _with_run(kept, [one for one in found if one.form.run], lines)
    kept, lost = _volumes(kept)
    kept, stories = without_inner_notes(kept, lines)
    return kept, sorted(refused + lost + nested + stories, key=lambda one: one.candidate.at)


def _without_nested(found: Sequence[Candidate]) -> tuple[list[Candidate], list[RefusedHeading]]:
    """Leave out the sections (第一节) that divide chapters: their numbers begin again in each."""
    sections, chapter, last, is_nested = [], 0, 0, False
    for one in found:
        if one.form.name == SECTION:
            sections.append(one)
            is_nested |= (one.number or 0) <= max(chapter, last)
            last = one.number or 0
        elif one.form.name == CHAPTER and not _is_doubtful(one):
            chapter = max(chapter, one.number or 0)
    if not is_nested or not chapter:
        return list(found), []
    return [one for one in found if one.form.name != SECTION], [
        RefusedHeading(one, say("chapters.section_within_chapter")) for one in sections
    ]


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


def _scored(found: Sequence[Candidate], lines: Sequence[Line]) -> tuple[list[Candidate], list[RefusedHeading]]:
    style = _Style.of(found)
    kept: list[Candidate] = []
    refused: list[RefusedHeading] = []
    last = 0
    for one, following in zip(found, _next_sure(found), strict=True):
        score = shape_score(one, lines, style) + (_number_score(one, last, following) if one.level == "chapter" else 0)
        if score < LEAST_SCORE:
            refused.append(RefusedHeading(one, say("chapters.reads_like_prose")))
            continue
        kept.append(one)
        last = _last_number(one, last)
    return kept, refused


def _next_sure(found: Sequence[Candidate]) -> list[int | None]:
    numbers: list[int | None] = []
    number: int | None = None
    for one in reversed(found):
        numbers.append(number)
        number = one.number if one.level == "chapter" and not _is_doubtful(one) else number
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


def _is_doubtful(one: Candidate) -> bool:
    return one.is_glued or _is_lower(one) or bool(_STOP.search(one.name) or _GOES_ON.search(one.name))


def shape_score(one: Candidate, lines: Sequence[Line], style: _Style) -> int:
    """Weigh a candidate by its own shape and the lines around it."""
    name, w = one.name, WEIGHTS
    score = (0 if style.glued else w.glued) if one.is_glued else w.apart
    if one.is_glued and style.glued:
        score += w.next_number - w.later_number
    score += w.blank * (is_blank(lines, one.at - 1) + is_blank(lines, one.at + 1))
    weighed = (
        (_STOP, w.stop),
        (_GOES_ON, w.goes_on),
        (_COMMA, w.glued_comma if one.is_glued else w.comma),
        (_INNER_STOP, w.inner_stop),
        (_SPEECH, w.speech),
    )
    score += sum(weight for pattern, weight in weighed if pattern.search(name))
    score += w.too_long if width(name) > TOO_LONG_TITLE else w.long if width(name) > LONG_TITLE else 0
    if one.level == "chapter" and style.form and one.form.name != style.form:
        score += w.other_form
    if one.level in (*UNGLUED, "extra") and one.title[0].islower():
        score += w.lower_case
    if one.is_glued and name[0] in one.form.not_before:
        score += w.other_word
    return score + (w.lower_case if _is_lower(one) else 0)


def _number_score(one: Candidate, last: int, following: int | None) -> int:
    number, w = one.number or 0, WEIGHTS
    if _is_doubtful(one) and number == following:
        return w.number_taken
    if number == last + 1:
        return w.next_number
    if number > last or not _is_doubtful(one):
        return w.later_number if number > last else 0
    return w.number_back


def _volumes(kept: Sequence[Candidate]) -> tuple[list[Candidate], list[RefusedHeading]]:
    """Keep the volumes that hold chapters; where no line is a chapter's heading, volumes are the chapters.

    Where several in a row have one number and names of their own, these are the tales of a collection: 卷一 考城隍.
    """
    if not any(one.level == "chapter" for one in kept):
        numbers = [one.number for one in kept if one.level == "volume" and one.name]
        are_tales = any(number is not None and number == after for number, after in pairwise(numbers))
        return [_tale(one) if are_tales and one.level == "volume" else one for one in kept], []
    found: list[Candidate] = []
    lost: list[RefusedHeading] = []
    for one, after in zip_longest(kept, kept[1:]):
        if one.level == "volume" and (after is None or after.level in ("volume", "closing", "note", "extra")):
            lost.append(RefusedHeading(one, say("chapters.part_without_chapters")))
        else:
            found.append(one)
    return found, lost


def _tale(heading: Candidate) -> Candidate:
    """Return the heading of a tale, which is counted within the volume that stands before its name."""
    if not heading.name:
        return heading
    volume = heading.title.removesuffix(heading.name).rstrip(" :：·")
    return replace(heading, number=None, title=heading.name, volume=volume)


def without_inner_notes(
    kept: Sequence[Candidate], lines: Sequence[Line]
) -> tuple[list[Candidate], list[RefusedHeading]]:
    """Keep the headings of notes that are short; 公告 counts before the story and behind a chapter's end alone.

    The label of a note that ends at its paragraph is no heading within the story, nor is one right under a chapter's.
    """
    found: list[Candidate] = []
    lost: list[RefusedHeading] = []
    has_begun = False
    for one, after in zip_longest(kept, kept[1:]):
        if one.level == "note" and has_begun:
            above = found[-1]
            is_right_under = above.level == "chapter" and not any(line.plain for line in lines[above.at + 1 : one.at])
            if one.form.name == LABEL or is_right_under:
                continue
            size = sum(len(line.plain) for line in lines[one.at : after.at if after else len(lines)])
            is_notice = one.form.name == NOTICE and line_kind(text_before(lines, one.at)) != "end"
            if size > LONGEST_HEADED or is_notice:
                lost.append(RefusedHeading(one, say("chapters.reads_like_prose")))
                continue
        has_begun |= one.level in ("chapter", "opening")
        found.append(one)
    return found, lost
