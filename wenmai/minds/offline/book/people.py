"""Drafts about the people of a book: who they are, where one of them appears first."""

import re
from collections.abc import Mapping, Sequence

from nodes.roles import PlanRequest
from state.context import Language
from tools.story.linking import NameTable
from wenmai.minds.offline.book.central import Numbered, shortened
from wenmai.minds.offline.questions.question import Question

ONE = re.compile(r"主角(?!们)|主人公|protagonist\b(?!s)|main character\b(?!s)|\b(?:hero|heroine)\b", re.IGNORECASE)
MOST_IN_HEAD = 8
MOST_OTHERS = 4
LEAD: Mapping[Language, str] = {
    "zh": "主角应该是{name}，书中提到此人最多{count}",
    "en": "The main character seems to be {name}, who is mentioned most{count}",
}
HEAD: Mapping[Language, str] = {"zh": "主要人物有{names}", "en": "The main characters are {names}"}
NEXT: Mapping[Language, str] = {"zh": "提到较多的还有{names}", "en": "Others who are mentioned often: {names}"}
COUNT: Mapping[Language, str] = {"zh": "（{n} 段）", "en": " ({n} passages)"}
DETAIL: Mapping[Language, str] = {"zh": "{n} 段", "en": "{n} passages"}
FIRST: Mapping[Language, str] = {
    "zh": "{name}最早出现在{chapter}：{sentence}",
    "en": "{name} first appears in {chapter}: {sentence}",
}
CHAPTER: Mapping[Language, str] = {"zh": "第{n}章", "en": "chapter {n}"}
TITLED: Mapping[Language, str] = {"zh": "“{title}”", "en": "“{title}”"}
PREFACE: Mapping[Language, str] = {"zh": "正文之前", "en": "the pages before chapter 1"}
ROW: Mapping[Language, str] = {"zh": "{name}{others}：{sentence}", "en": "{name}{others}: {sentence}"}
OTHERS: Mapping[Language, str] = {"zh": "（{parts}）", "en": " ({parts})"}
OPEN, CLOSE = "“「", "”」"


def numbered_by(request: PlanRequest, tool: str) -> list[Numbered]:
    """Return the evidence of a tool with its numbers, in the order of the evidence."""
    return [(n, piece) for n, piece in enumerate(request.evidence, 1) if piece["tool"] == tool]


def enumerated(names: Sequence[str], language: Language) -> str:
    """Return names as one phrase: 甲、乙和丙."""
    between, last = ("、", "和") if language == "zh" else (", ", " and ")
    return names[0] if len(names) == 1 else between.join(names[:-1]) + last + names[-1]


def people_in(request: PlanRequest) -> list[tuple[int, str, str]]:
    """Return the people that were listed: number of the piece, name, introducing sentence."""
    rows = numbered_by(request, "list_characters")
    return [(n, piece["entities"][0], shortened(piece["text"])) for n, piece in rows if piece["entities"]]


def characters_listed(request: PlanRequest, question: Question, table: NameTable) -> str:
    """Return who the people are: the first line names them, then one line for each; '' without any."""
    language, people = request.language, people_in(request)
    if not people:
        return ""
    rows = [_row(name, sentence, n, request, table) for n, name, sentence in people]
    end, first = "。" if language == "zh" else ".", people[0]
    if ONE.search(question.text):
        count = _count(COUNT, first[1], request, table)
        lead = f"{LEAD[language].format(name=first[1], count=count)}{end} [E{first[0]}]"
        others = [name for _, name, _ in people[1 : 1 + MOST_OTHERS]]
        also = NEXT[language].format(names=enumerated(others, language)) if others else ""
        return "\n".join([lead, rows[0], *([f"{also}{end} [E{people[1][0]}]"] if also else [])])
    names = enumerated([name for _, name, _ in people[:MOST_IN_HEAD]], language)
    return "\n".join([f"{HEAD[language].format(names=names)}{end} [E{first[0]}]", *rows])


def _count(texts: Mapping[Language, str], name: str, request: PlanRequest, table: NameTable) -> str:
    """Return in how many passages a name stands; '' under a spoiler guard, where the table counts the whole book."""
    mentions = 0 if request.horizon else table.mentions(name)
    return texts[request.language].format(n=mentions) if mentions else ""


def _row(name: str, sentence: str, number: int, request: PlanRequest, table: NameTable) -> str:
    """Return a person's line: name, other names and mentions in brackets, what the text says of them."""
    language = request.language
    spellings = dict.fromkeys(" ".join(alias.split()) for alias in table.aliases(name))
    others = [alias for alias in spellings if alias != name][:MOST_OTHERS]
    between = "、" if language == "zh" else ", "
    parts = [part for part in (between.join(others), _count(DETAIL, name, request, table)) if part]
    said = OTHERS[language].format(parts=("，" if language == "zh" else ", ").join(parts)) if parts else ""
    return f"{ROW[language].format(name=name, others=said, sentence=balanced(sentence))} [E{number}]"


def balanced(sentence: str) -> str:
    """Return a sentence without a quotation mark at its edge whose other half is outside of it."""
    for opening, closing in zip(OPEN, CLOSE, strict=True):
        if sentence.endswith(closing) and opening not in sentence:
            sentence = sentence[:-1]
        if sentence.startswith(opening) and closing not in sentence:
            sentence = sentence[1:]
    return sentence


def first_told(request: PlanRequest, question: Question, table: NameTable) -> str:
    """Return where a person appears first, with the sentence; '' where nothing was found."""
    rows = numbered_by(request, "list_characters")
    if not rows:
        return ""
    number, piece = min(rows, key=lambda row: (row[1]["event_order"] or 0, row[1]["start"] or 0))
    name = piece["entities"][0] if piece["entities"] else question.entities[0]
    chapter = place_of(piece["chapter"], piece["title"], request.language)
    sentence = balanced(shortened(piece["text"]))
    return f"{FIRST[request.language].format(name=name, chapter=chapter, sentence=sentence)} [E{number}]"


def place_of(chapter: int | None, title: str | None, language: Language) -> str:
    """Return a chapter as its title is printed, else its number."""
    if title:
        return TITLED[language].format(title=title)
    return CHAPTER[language].format(n=chapter) if chapter else PREFACE[language]
