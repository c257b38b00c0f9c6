"""Drafts about the people of a book: who they are, where one of them appears first, who tells the story."""

import re
from collections import Counter
from collections.abc import Sequence

from nodes.roles import PlanRequest
from state.context import Language
from state.draft import Sentence
from state.schema import Evidence
from tools.story.names import NameTable, fold
from wenmai.language.narration import is_first_person, narrated, pronoun_spans
from wenmai.minds.offline.book.central import QuotedSentence, sentences_of, shortened
from wenmai.minds.offline.questions.asked import naming
from wenmai.minds.offline.questions.question import Question
from wenmai.minds.offline.wordings import cited, say, say_cited, sentence

ONE = re.compile(r"主角(?!们)|主人公|protagonist\b(?!s)|main character\b(?!s)|\b(?:hero|heroine)\b", re.IGNORECASE)
MOST_IN_HEAD = 8
MOST_OTHERS = 4
OPEN, CLOSE = "“「", "”」"


def pieces_by(request: PlanRequest, tool: str) -> list[Evidence]:
    """Return the evidence of a tool in its order."""
    return [piece for piece in request.evidence if piece["tool"] == tool]


def enumerated(names: Sequence[str], language: Language) -> str:
    """Return names as one phrase: 甲、乙和丙."""
    first = say("shared.between", language).join(names[:-1] or names)
    return f"{first}{say('people.and', language)}{names[-1]}" if len(names) > 1 else first


def people_in(request: PlanRequest) -> list[tuple[str, str, str]]:
    """Return the people that were listed: id of the piece, name, introducing sentence."""
    rows = pieces_by(request, "list_characters")
    return [(piece["id"], piece["entities"][0], shortened(piece["text"])) for piece in rows if piece["entities"]]


def characters_listed(request: PlanRequest, question: Question, table: NameTable) -> list[Sentence]:
    """Return who the people are: the first line names them, then one line for each; [] without any."""
    language, people = request.language, people_in(request)
    if not people:
        return []
    rows = [_row(person, request, table) for person in people]
    end, first = say("shared.end", language), people[0]
    if ONE.search(question.text):
        count = _count("people.count", first[1], request, table)
        lead = say("people.lead", language, name=first[1], count=count)
        others = [name for _, name, _ in people[1 : 1 + MOST_OTHERS]]
        also = say("people.next", language, names=enumerated(others, language)) if others else ""
        return [cited(f"{lead}{end}", first[0]), rows[0], *([cited(f"{also}{end}", people[1][0])] if also else [])]
    head = say("people.head", language, names=enumerated([name for _, name, _ in people[:MOST_IN_HEAD]], language))
    return [cited(f"{head}{end}", first[0]), *rows]


def _count(key: str, name: str, request: PlanRequest, table: NameTable) -> str:
    """Return in how many passages a name stands; '' under a spoiler guard, where the table counts the whole book."""
    mentions = 0 if request.horizon else table.mentions(name)
    return say(key, request.language, n=mentions) if mentions else ""


def _row(person: tuple[str, str, str], request: PlanRequest, table: NameTable) -> Sentence:
    """Return a person's line: name, other names and mentions in brackets, what the text says of them."""
    (piece, name, text), language = person, request.language
    spellings = dict.fromkeys(" ".join(alias.split()) for alias in table.aliases(name))
    others = [alias for alias in spellings if alias != name][:MOST_OTHERS]
    between = say("shared.between", language)
    parts = [part for part in (between.join(others), _count("people.detail", name, request, table)) if part]
    said = say("people.others", language, parts=say("people.between_parts", language).join(parts)) if parts else ""
    return cited(say("people.row", language, name=name, others=said, sentence=balanced(text)), piece)


def balanced(sentence: str) -> str:
    """Return a sentence without a quotation mark at its edge whose other half is outside of it."""
    for opening, closing in zip(OPEN, CLOSE, strict=True):
        if sentence.endswith(closing) and opening not in sentence:
            sentence = sentence[:-1]
        if sentence.startswith(opening) and closing not in sentence:
            sentence = sentence[1:]
    return sentence


def first_appearance(request: PlanRequest, question: Question, table: NameTable) -> list[Sentence]:
    """Return where a person appears first, with the sentence; [] where nothing was found."""
    rows = pieces_by(request, "list_characters")
    if not rows:
        return []
    piece = min(rows, key=lambda row: (row["event_order"] or 0, row["start"] or 0))
    name = piece["entities"][0] if piece["entities"] else question.entities[0]
    chapter = place_of(piece["chapter"], piece["title"], request.language)
    quote = balanced(shortened(piece["text"]))
    return [cited(say("people.first", request.language, name=name, chapter=chapter, sentence=quote), piece["id"])]


def place_of(chapter: int | None, title: str | None, language: Language) -> str:
    """Return a chapter as its title is printed, else its number."""
    if title:
        return say("people.titled", language, title=title)
    return say("people.chapter", language, n=chapter) if chapter else say("people.preface", language)


def narrator_lines(request: PlanRequest, question: Question, table: NameTable) -> list[Sentence]:
    """Return who tells the story, with a sentence that shows it; [] where nothing was found."""
    opened = pieces_by(request, "read_chapters")
    if not opened:
        return []
    language = request.language
    if not is_first_person([piece["text"] for piece in opened]):
        return [say_cited("narrator.third_person", language, sentence=_first_sentence(sentences_of(opened[:1])))]
    passages = (piece for piece in request.evidence if piece["kind"] == "passage")
    own = [piece for piece in passages if piece["library"] == request.library]
    saying = [one for one in sentences_of(opened) if pronoun_spans(narrated(one.text))]
    if not (name := _narrator(own, table)):
        return [say_cited("narrator.unnamed", language, sentence=_first_sentence(saying))]
    naming_it = [one for one in sentences_of(own) if naming(name, table).search(fold(one.text))]
    quote = _first_sentence([*naming_it, *saying])
    return [say_cited("narrator.first_person", language, name=name, sentence=quote)]


def _narrator(pieces: Sequence[Evidence], table: NameTable) -> str | None:
    """Return the person that most passages call "I": it is tagged in them although no spelling of it stands there."""
    meant = Counter(
        name
        for piece in pieces
        if pronoun_spans(narrated(piece["text"]))
        for name in piece["entities"]
        if not naming(name, table).search(fold(piece["text"]))
    )
    return next((name for name, _ in meant.most_common(1)), None)


def _first_sentence(found: Sequence[QuotedSentence]) -> Sentence:
    return cited(balanced(found[0].text), found[0].piece) if found else sentence()
