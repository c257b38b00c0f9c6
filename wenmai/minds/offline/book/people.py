"""Drafts about the people of a book: who they are, where one of them appears first, who tells the story."""

import re
from collections import Counter
from collections.abc import Sequence

from nodes.roles import PlanRequest
from state.context import Language
from tools.story.linking import NameTable, fold
from wenmai.language.narration import is_first_person, narrated, pronoun_spans
from wenmai.minds.offline.book.central import Told, sentences_of, shortened
from wenmai.minds.offline.questions.asked import naming
from wenmai.minds.offline.questions.question import Question
from wenmai.minds.offline.reading import Numbered
from wenmai.minds.offline.wordings import say

ONE = re.compile(r"主角(?!们)|主人公|protagonist\b(?!s)|main character\b(?!s)|\b(?:hero|heroine)\b", re.IGNORECASE)
MOST_IN_HEAD = 8
MOST_OTHERS = 4
OPEN, CLOSE = "“「", "”」"


def numbered_by(request: PlanRequest, tool: str) -> list[Numbered]:
    """Return the evidence of a tool with its numbers, in the order of the evidence."""
    return [(n, piece) for n, piece in enumerate(request.evidence, 1) if piece["tool"] == tool]


def enumerated(names: Sequence[str], language: Language) -> str:
    """Return names as one phrase: 甲、乙和丙."""
    first = say("shared.between", language).join(names[:-1] or names)
    return f"{first}{say('people.and', language)}{names[-1]}" if len(names) > 1 else first


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
    end, first = say("shared.end", language), people[0]
    if ONE.search(question.text):
        count = _count("people.count", first[1], request, table)
        lead = say("people.lead", language, name=first[1], count=count)
        others = [name for _, name, _ in people[1 : 1 + MOST_OTHERS]]
        also = say("people.next", language, names=enumerated(others, language)) if others else ""
        return "\n".join([f"{lead}{end} [E{first[0]}]", rows[0], *([f"{also}{end} [E{people[1][0]}]"] if also else [])])
    head = say("people.head", language, names=enumerated([name for _, name, _ in people[:MOST_IN_HEAD]], language))
    return "\n".join([f"{head}{end} [E{first[0]}]", *rows])


def _count(key: str, name: str, request: PlanRequest, table: NameTable) -> str:
    """Return in how many passages a name stands; '' under a spoiler guard, where the table counts the whole book."""
    mentions = 0 if request.horizon else table.mentions(name)
    return say(key, request.language, n=mentions) if mentions else ""


def _row(name: str, sentence: str, number: int, request: PlanRequest, table: NameTable) -> str:
    """Return a person's line: name, other names and mentions in brackets, what the text says of them."""
    language = request.language
    spellings = dict.fromkeys(" ".join(alias.split()) for alias in table.aliases(name))
    others = [alias for alias in spellings if alias != name][:MOST_OTHERS]
    between = say("shared.between", language)
    parts = [part for part in (between.join(others), _count("people.detail", name, request, table)) if part]
    said = say("people.others", language, parts=say("people.between_parts", language).join(parts)) if parts else ""
    return f"{say('people.row', language, name=name, others=said, sentence=balanced(sentence))} [E{number}]"


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
    return f"{say('people.first', request.language, name=name, chapter=chapter, sentence=sentence)} [E{number}]"


def place_of(chapter: int | None, title: str | None, language: Language) -> str:
    """Return a chapter as its title is printed, else its number."""
    if title:
        return say("people.titled", language, title=title)
    return say("people.chapter", language, n=chapter) if chapter else say("people.preface", language)


def narrator_told(request: PlanRequest, question: Question, table: NameTable) -> str:
    """Return who tells the story, with a sentence that shows it; '' where nothing was found."""
    opened = numbered_by(request, "read_chapters")
    if not opened:
        return ""
    language = request.language
    if not is_first_person([piece["text"] for _, piece in opened]):
        return say("narrator.third_person", language, sentence=_first_sentence(sentences_of(opened[:1])[:1]))
    numbered = enumerate(request.evidence, 1)
    own = [(n, piece) for n, piece in numbered if piece["kind"] == "passage" and piece["library"] == request.library]
    saying = [one for one in sentences_of(opened) if pronoun_spans(narrated(one.text))]
    if not (name := _narrator(own, table)):
        return say("narrator.unnamed", language, sentence=_first_sentence(saying[:1]))
    told = [one for one in sentences_of(own) if naming(name, table).search(fold(one.text))]
    return say("narrator.first_person", language, name=name, sentence=_first_sentence([*told, *saying][:1]))


def _narrator(pieces: Sequence[Numbered], table: NameTable) -> str | None:
    """Return the person that most passages call "I": it is tagged in them although no spelling of it stands there."""
    meant = Counter(
        name
        for _, piece in pieces
        if pronoun_spans(narrated(piece["text"]))
        for name in piece["entities"]
        if not naming(name, table).search(fold(piece["text"]))
    )
    return next((name for name, _ in meant.most_common(1)), None)


def _first_sentence(told: Sequence[Told]) -> str:
    return f"{balanced(told[0].text)} [E{told[0].number}]" if told else ""
