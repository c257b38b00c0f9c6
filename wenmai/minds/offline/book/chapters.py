"""Drafts about the chapters of a book: how many, their titles, what one of them or the whole book tells."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate

from nodes.roles import PlanRequest
from state.context import Language
from tools.language import characters
from tools.story.chapters.headings import OUTSIDE
from tools.story.linking import NameTable
from wenmai.language.numerals import NUMERAL, parse_number
from wenmai.minds.offline.book.central import LONGEST, Numbered, Told, central_sentences, sentences_of
from wenmai.minds.offline.book.people import PREFACE, enumerated, numbered_by, people_in, place_of
from wenmai.minds.offline.questions.question import Question

MOST_TITLES = 40
MOST_PEOPLE = 3
CORE_OF_CHAPTER, CORE_OF_BOOK, IN_HEAD = 5, 5, 3
"""Central sentences that are quoted, and how many of them the first line may have."""
PERSON = "Character"
UNIT = re.compile(r"^(?:.{0,12}\s)?第\s*\S{1,9}?([回章节節话話])")
LABELLED = re.compile(
    rf"^(?:第\s*|chapter\s+)?([{NUMERAL}]+|[ivxlc]+|[a-z]+(?:-[a-z]+)?)\s*[回章节節话話]?[\s:：.、—–-]+(\S.*)$",
    re.IGNORECASE,
)
BLURB = re.compile(r"^(?:内容)?(?:简介|提要|梗概)\s*[:：]")
WHOLE: Mapping[Language, str] = {"zh": "全书", "en": "the book has "}
IT: Mapping[Language, str] = {"zh": "", "en": "it has "}
PART: Mapping[Language, str] = {"zh": "第{n}部", "en": "part {n} has "}
SO_FAR: Mapping[Language, str] = {"zh": "到目前读到的地方", "en": "as far as you have read "}
COUNTED: Mapping[Language, str] = {
    "zh": "{what}共 {n} {unit}{parts}{more}。",
    "en": "{what}{n} {unit}{parts}{more}.",
}
PARTS: Mapping[Language, str] = {"zh": "，分 {n} 部", "en": " in {n} parts"}
MORE: Mapping[Language, str] = {"zh": "，另有{titles}", "en": ", besides {titles}"}
REST: Mapping[Language, str] = {
    "zh": "其余 {n} {unit}从“{first}”到“{last}”。",
    "en": "The other {n} run from “{first}” to “{last}”.",
}
UNDIVIDED: Mapping[Language, str] = {"zh": "文本没有分章，全文是一章。", "en": "The text has no chapters."}
TITLE: Mapping[Language, str] = {"zh": "{place}的标题是“{title}”。", "en": "The title of {place} is “{title}”."}
UNTITLED: Mapping[Language, str] = {"zh": "{place}没有标题。", "en": "{place} has no title."}
LAST: Mapping[Language, str] = {
    "zh": "{so_far}最后一{unit}是“{title}”{after}。",
    "en": "The last chapter {so_far}is “{title}”{after}.",
}
AFTER: Mapping[Language, str] = {"zh": "，后面还有“{titles}”", "en": ", followed by “{titles}”"}
NUMBER: Mapping[Language, str] = {"zh": "第{n}{unit}", "en": "chapter {n}"}
CHAPTER_HEAD: Mapping[Language, str] = {
    "zh": "{chapter}主要写{names}：{core}",
    "en": "{chapter} is about {names}: {core}",
}
BARE_HEAD: Mapping[Language, str] = {"zh": "{chapter}：{core}", "en": "{chapter}: {core}"}
BOOK_HEAD: Mapping[Language, str] = {
    "zh": "这本书主要写{names}的故事：{core}",
    "en": "The book is about {names}: {core}",
}
OPENING: Mapping[Language, str] = {"zh": "开头：{text}", "en": "It opens: {text}"}
CORE: Mapping[Language, str] = {"zh": "经过：{text}", "en": "Then: {text}"}
ENDING: Mapping[Language, str] = {"zh": "结尾：{text}", "en": "It ends: {text}"}
LAST_READ: Mapping[Language, str] = {"zh": "读到的最后：{text}", "en": "The last that you have read: {text}"}


def chapters_counted(request: PlanRequest, question: Question, table: NameTable) -> str:
    """Return how many chapters there are, and their titles; '' where nothing was found."""
    rows = [row for row in numbered_by(request, "read_chapters") if row[1]["start"] is None]
    language, chapters = request.language, [row for row in rows if _is_chapter(row)]
    if not rows:
        return ""
    if len(rows) == 1 and not rows[0][1]["title"]:
        return f"{UNDIVIDED[language]} [E{rows[0][0]}]"
    others = [row for row in rows if row not in chapters and row[1]["title"]]
    listed = sorted([*chapters, *others], key=lambda row: row[0])
    hidden = max(0, _total(request) - len(rows))
    head = _counted(chapters, hidden, [piece["text"] for _, piece in others], _what(question.part, request), language)
    lines = [f"{piece['text']} [E{number}]" for number, piece in listed[:MOST_TITLES]]
    if left := listed[MOST_TITLES:]:
        rest = {"n": len(left) + hidden, "first": left[0][1]["text"], "last": left[-1][1]["text"]}
        lines.append(f"{REST[language].format(unit=_unit(chapters, language), **rest)} [E{left[-1][0]}]")
    return "\n".join([f"{head} [E{(chapters or listed)[-1][0]}]", *lines])


def _total(request: PlanRequest) -> int:
    """Return how many chapters the list has, of which the evidence may hold the ends alone; 0 where no call tells."""
    calls = [call for call in request.calls if call["tool"] == "read_chapters" and call["ok"]]
    return next((call["items"] for call in reversed(calls) if not {"chapters", "title"} & call["args"].keys()), 0)


def _what(part: int | None, request: PlanRequest) -> str:
    """Return what has the chapters: the book, a part of it, or what its reader has read."""
    what = PART if part else IT if request.horizon else WHOLE
    return (SO_FAR[request.language] if request.horizon else "") + what[request.language].format(n=part)


def _counted(chapters: Sequence[Numbered], hidden: int, others: Sequence[str], what: str, language: Language) -> str:
    parts = len({piece["part"] for _, piece in chapters})
    text = COUNTED[language].format(
        what=what,
        n=len(chapters) + hidden,
        unit=_unit(chapters, language),
        parts=PARTS[language].format(n=parts) if parts > 1 else "",
        more=MORE[language].format(titles=enumerated(others, language)) if others else "",
    )
    return text[0].upper() + text[1:]


def _is_chapter(row: Numbered) -> bool:
    """Return True for a chapter of the story: neither a preface without a title nor what stands outside the count."""
    title, number = row[1]["title"] or "", row[1]["chapter"]
    return not OUTSIDE.match(title) and not (number == 0 and not title)


def _unit(rows: Sequence[Numbered], language: Language) -> str:
    """Return what the book calls its chapters."""
    if language == "en":
        return "chapter" if len(rows) == 1 else "chapters"
    found = Counter(match[1] for _, piece in rows if (match := UNIT.match(piece["title"] or "")))
    return found.most_common(1)[0][0] if found else "章"


def titles_told(request: PlanRequest, question: Question, table: NameTable) -> str:
    """Return the titles of the chapters that are asked for; '' where there are none."""
    rows, section = numbered_by(request, "read_chapters"), question.section
    if section == -1:
        return _last_title(rows, request)
    if isinstance(section, int):
        rows = [row for row in rows if _is_chapter(row)][section : section + 1]
    unit = _unit(rows, request.language)
    titles = (_title(number, piece["chapter"], piece["title"], unit, request.language) for number, piece in rows)
    return "\n".join(titles)


def _title(number: int, chapter: int | None, title: str | None, unit: str, language: Language) -> str:
    place = NUMBER[language].format(n=chapter, unit=unit) if chapter else PREFACE[language]
    text = (
        TITLE[language].format(place=place, title=_bare(title, chapter))
        if title
        else UNTITLED[language].format(place=place)
    )
    return f"{text[0].upper()}{text[1:]} [E{number}]"


def _bare(title: str, number: int | None) -> str:
    """Return a title without the number that was told already; a number that is printed otherwise stays."""
    match = LABELLED.match(title)
    return match[2] if match and parse_number(match[1]) == number else title


def _last_title(rows: Sequence[Numbered], request: PlanRequest) -> str:
    """Return the last chapter's title, and what follows it outside the count."""
    language, chapters = request.language, [row for row in rows if _is_chapter(row)]
    if not chapters:
        return ""
    number, last = chapters[-1]
    behind = [piece["text"] for n, piece in rows if n > number]
    after = AFTER[language].format(titles=("”、“" if language == "zh" else "”, “").join(behind)) if behind else ""
    so_far = SO_FAR[language] if request.horizon else ""
    text = LAST[language].format(so_far=so_far, title=last["text"], unit=_unit(chapters, language), after=after)
    return f"{text} [E{number}]"


def chapter_told(request: PlanRequest, question: Question, table: NameTable) -> str:
    """Return what chapters tell: the people with the most central sentence, the opening, more of the core, the end."""
    rows = numbered_by(request, "read_chapters")
    if not rows:
        return ""
    first, last = rows[0][1], rows[-1][1]
    chapter = place_of(first["chapter"], first["title"], request.language)
    if (last["part"], last["chapter"]) != (first["part"], first["chapter"]):
        end = place_of(last["chapter"], last["title"], request.language)
        chapter = f"{chapter}到{end}" if request.language == "zh" else f"{chapter} to {end}"
    names = _people(rows, table)
    head = (CHAPTER_HEAD if names else BARE_HEAD)[request.language]
    shown = enumerated(names[:MOST_PEOPLE], request.language) if names else ""
    summary = _Summary(rows, spelled(names, table), first["title"] or "", CORE_OF_CHAPTER, ENDING)
    return summary.told(head, {"chapter": chapter, "names": shown}, request.language)


def about_the_book(request: PlanRequest, question: Question, table: NameTable) -> str:
    """Return what a book tells: its main characters, its opening, its most central sentences, its end."""
    rows = numbered_by(request, "read_chapters")
    if not rows:
        return ""
    names = list(dict.fromkeys(name for _, name, _ in people_in(request))) or _people(rows, table)
    head = BOOK_HEAD[request.language] if names else "{core}"
    shown = enumerated(names[: MOST_PEOPLE + 2], request.language) if names else ""
    ending = LAST_READ if request.horizon else ENDING
    summary = _Summary(rows, spelled(names, table), request.title, CORE_OF_BOOK, ending)
    return summary.told(head, {"names": shown}, request.language)


def spelled(names: Sequence[str], table: NameTable) -> dict[str, str]:
    """Return people by all their spellings."""
    return {alias: name for name in names for alias in (name, *table.aliases(name))}


@dataclass(frozen=True, slots=True)
class _Summary:
    """What is summed up: passages, people by spelling, a title, the most sentences, what stands before the last one."""

    rows: Sequence[Numbered]
    people: Mapping[str, str]
    title: str
    most: int
    ending: Mapping[Language, str]

    def told(self, head: str, words: Mapping[str, str], language: Language) -> str:
        """Return the lines: the core of it behind `head`, then the rest in story order, each sentence once."""
        told = sentences_of(self.rows)
        core = central_sentences(told, self.people, self.most, self.title) or told[: self.most]
        if not core:
            return ""
        blurb = [one for one in told if BLURB.match(one.text)]
        best = blurb[:1] or [one for one in told if one in _first_ones(core)]
        ends = {told[0]: OPENING, told[-1]: self.ending}
        rest = [one for one in told if one not in best and (one in core or one in ends)]
        lines = [ends.get(one, CORE)[language].format(text=one.marked) for one in rest]
        return "\n".join([head.format(**words, core=_joined(best, language)), *lines])


def _first_ones(core: Sequence[Told]) -> Sequence[Told]:
    """Return the best sentences that fit together in one line."""
    lengths = accumulate(len(one.text) for one in core[:IN_HEAD])
    fitting = sum(length <= characters(core[0].text, LONGEST) for length in lengths)
    return core[: max(1, fitting)]


def _joined(told: Sequence[Told], language: Language) -> str:
    """Return sentences as one, each with its mark."""
    between = "；" if language == "zh" else "; "
    bare = [one.text.rstrip("。.") for one in told]
    parts = [f"{text} [E{one.number}]" for text, one in zip(bare, told, strict=True)]
    return between.join(parts)


def _people(rows: Sequence[Numbered], table: NameTable) -> list[str]:
    """Return the people that passages name, the most often named first."""
    counts = Counter(
        mention.entity
        for _, piece in rows
        for mention in table.find(piece["text"])
        if mention.entity and table.kind(mention.entity) == PERSON
    )
    return [name for name, _ in sorted(counts.items(), key=lambda row: (-row[1], row[0]))]
