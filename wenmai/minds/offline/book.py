"""Questions about the book as a whole, its chapters, its people, who tells it: the calls that they need, the drafts."""

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, groupby
from typing import Any

from nodes.roles import PlanRequest
from state.context import Language
from state.draft import Sentence
from state.schema import Evidence
from tools.formatting import ROW
from tools.language import characters, is_chinese
from tools.records import PERSON
from tools.story.names import EntityLinker, NameTable, fold
from tools.story.read_chapters import MOST_CHAPTERS
from tools.story.telling import LONGEST, SHORTEST, central_sentences, shortened
from tools.text.books import OUTSIDE
from tools.text.numerals import NUMERAL, parse_number
from tools.text.scripts import simplified
from tools.text.sentences import sentence_spans
from wenmai.language.narration import is_first_person, narrated, pronoun_spans
from wenmai.minds.offline.calls import NARRATIVE, SEARCH, Call
from wenmai.minds.offline.drafting import events_asked
from wenmai.minds.offline.questions.question import WITHOUT_SEARCH, Kind, ParsedQuestion, naming, understood
from wenmai.minds.offline.wordings import cited, enumeration, say, say_cited, sentence


@dataclass(frozen=True, slots=True)
class QuotedSentence:
    """A sentence of a piece of evidence, on one line, with the piece's id."""

    piece: str
    text: str

    @property
    def cited(self) -> Sentence:
        return cited(self.text, self.piece)


def sentences_of(pieces: Sequence[Evidence]) -> list[QuotedSentence]:
    """Return the sentences of pieces in order, each once; passages may overlap."""
    found: dict[str, QuotedSentence] = {}
    for piece in pieces:
        for start, end in sentence_spans(piece["text"]):
            line = shortened(piece["text"][start:end])
            if len(line) >= SHORTEST:
                found.setdefault(line, QuotedSentence(piece["id"], line))
    return list(found.values())


ONE = re.compile(r"主角(?!们)|主人公|protagonist\b(?!s)|main character\b(?!s)|\b(?:hero|heroine)\b", re.IGNORECASE)
MOST_IN_HEAD = 8
MOST_OTHERS = 4
OPEN, CLOSE = "“「", "”」"


def pieces_by(request: PlanRequest, tool: str) -> list[Evidence]:
    return [piece for piece in request.evidence if piece["tool"] == tool]


def enumerated(names: Sequence[str], language: Language) -> str:
    """Return names as one phrase: 甲、乙和丙."""
    first = say("offline.shared.between", language).join(names[:-1] or names)
    return f"{first}{say('offline.people.and', language)}{names[-1]}" if len(names) > 1 else first


def people_in(request: PlanRequest) -> list[tuple[str, str, str]]:
    """Return the people that were listed: id of the piece, name, introducing sentence."""
    rows = pieces_by(request, "list_characters")
    return [(piece["id"], piece["entities"][0], shortened(piece["text"])) for piece in rows if piece["entities"]]


def characters_listed(request: PlanRequest, question: ParsedQuestion, table: NameTable) -> list[Sentence]:
    """Return who the people are: the first line names them, then one line for each; [] without any."""
    language, people = request.language, people_in(request)
    if not people:
        return []
    rows = [_row(person, request, table) for person in people]
    end, first = say("offline.shared.end", language), people[0]
    if ONE.search(question.text):
        count = _count("offline.people.count", first[1], request, table)
        lead = say("offline.people.lead", language, name=first[1], count=count)
        others = [name for _, name, _ in people[1 : 1 + MOST_OTHERS]]
        also = say("offline.people.next", language, names=enumerated(others, language)) if others else ""
        return [cited(f"{lead}{end}", first[0]), rows[0], *([cited(f"{also}{end}", people[1][0])] if also else [])]
    head = say(
        "offline.people.head", language, names=enumerated([name for _, name, _ in people[:MOST_IN_HEAD]], language)
    )
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
    between = say("offline.shared.between", language)
    parts = [part for part in (between.join(others), _count("offline.people.detail", name, request, table)) if part]
    said = (
        say("offline.people.others", language, parts=say("offline.people.between_parts", language).join(parts))
        if parts
        else ""
    )
    return cited(say("offline.people.row", language, name=name, others=said, sentence=balanced(text)), piece)


def balanced(sentence: str) -> str:
    """Return a sentence without a quotation mark at its edge whose other half is outside of it."""
    for opening, closing in zip(OPEN, CLOSE, strict=True):
        if sentence.endswith(closing) and opening not in sentence:
            sentence = sentence[:-1]
        if sentence.startswith(opening) and closing not in sentence:
            sentence = sentence[1:]
    return sentence


def first_appearance(request: PlanRequest, question: ParsedQuestion, table: NameTable) -> list[Sentence]:
    """Return where a person appears first, with the sentence; [] where nothing was found."""
    rows = pieces_by(request, "list_characters")
    if not rows:
        return []
    piece = min(rows, key=lambda row: (row["event_order"] or 0, row["start"] or 0))
    name = piece["entities"][0] if piece["entities"] else question.entities[0]
    chapter = place_of(piece["chapter"], piece["title"], request.language)
    quote = balanced(shortened(piece["text"]))
    return [
        cited(say("offline.people.first", request.language, name=name, chapter=chapter, sentence=quote), piece["id"])
    ]


def place_of(chapter: int | None, title: str | None, language: Language) -> str:
    """Return a chapter as its title is printed, else its number."""
    if title:
        return say("offline.people.titled", language, title=title)
    return say("offline.people.chapter", language, n=chapter) if chapter else say("offline.people.preface", language)


def narrator_lines(request: PlanRequest, question: ParsedQuestion, table: NameTable) -> list[Sentence]:
    """Return who tells the story, with a sentence that shows it; [] where nothing was found."""
    opened = pieces_by(request, "read_chapters")
    if not opened:
        return []
    language = request.language
    if not is_first_person([piece["text"] for piece in opened]):
        return [
            say_cited("offline.narrator.third_person", language, sentence=_first_sentence(sentences_of(opened[:1])))
        ]
    passages = (piece for piece in request.evidence if piece["kind"] == "passage")
    own = [piece for piece in passages if piece["library"] == request.library]
    saying = [one for one in sentences_of(opened) if pronoun_spans(narrated(one.text))]
    # The person that most passages call "I": it is tagged in them although no spelling of it stands there.
    meant = Counter(
        name
        for piece in own
        if pronoun_spans(narrated(piece["text"]))
        for name in piece["entities"]
        if not naming(name, table).search(fold(piece["text"]))
    )
    if not (name := next((name for name, _ in meant.most_common(1)), "")):
        return [say_cited("offline.narrator.unnamed", language, sentence=_first_sentence(saying))]
    naming_it = [one for one in sentences_of(own) if naming(name, table).search(fold(one.text))]
    quote = _first_sentence([*naming_it, *saying])
    return [say_cited("offline.narrator.first_person", language, name=name, sentence=quote)]


def _first_sentence(found: Sequence[QuotedSentence]) -> Sentence:
    return cited(balanced(found[0].text), found[0].piece) if found else sentence()


MOST_TITLES = 40
MOST_PEOPLE = 3
OF_CHAPTER, OF_BOOK, OF_END, IN_HEAD = 8, 24, 5, 3
"""Telling sentences of a chapter, of a book, of what was read last; how many of them the first line may have."""
TOGETHER, LATEST = 3, 2
"""Passages that are read of how two met, and of where a person is named last."""
UNIT = re.compile(r"^(?:.{0,12}\s)?第\s*\S{1,9}?([回章节節话話])")
LABELLED = re.compile(
    rf"^(?:第\s*|chapter\s+)?([{NUMERAL}]+|[ivxlc]+|[a-z]+(?:-[a-z]+)?)\s*[回章节節话話]?[\s:：.、—–-]+(\S.*)$",
    re.IGNORECASE,
)
BLURB = re.compile(r"^(?:内容)?(?:简介|提要|梗概)\s*[:：]")
WHOLE = [0, -1]
"""The chapters of a whole book, for read_chapters."""
BEHIND = 12
"""Titles before one that is counted from the last: extras behind the last chapter are not counted."""
PEOPLE_OF_A_SUMMARY = 6
NAMING_WORDS: Mapping[str, str] = {"zh": "我叫 我的名字是 我姓", "en": "my name is, I am called, they call me"}
Lines = Callable[[PlanRequest, ParsedQuestion, NameTable], list[Sentence]]


def book_calls(question: ParsedQuestion, toolkits: Sequence[str], *, brief: bool = True) -> list[Call]:
    """Return the calls for a question about the book, [] for another one; `brief`: for an answer that quotes."""
    if question.kind not in LINES or not SEARCH.keys() & set(toolkits):
        return []
    if question.kind == "characters":
        return [("list_characters", {})]
    if question.kind == "first":
        return [("list_characters", {"names": [question.entities[0]]})]
    if question.kind == "last":
        return [("read_passage", {"names": [question.entities[0]], "which": "last", "count": LATEST})]
    if question.kind == "chapters":
        return [("read_chapters", {"part": question.part} if question.part else {})]
    if question.kind in ("title", "chapter"):
        which = _chapters_meant(question)
        most = {"sentences": OF_CHAPTER} if brief and question.kind == "chapter" else {}
        return [("read_chapters", {**which, **most})] if which else []
    most = {"sentences": OF_BOOK} if brief else {}
    if question.kind == "open":
        end = {"chapters": [-1, -1], **({"sentences": OF_END} if brief else {})}
        return [("read_chapters", end), *([] if brief else [("read_chapters", {"chapters": WHOLE})])]
    if question.kind in ("book", "order", "recap"):
        which = {"part": question.part} if question.part else {}
        which = {"chapters": list(question.chapters or WHOLE), **which, **most}
        people: list[Call] = [] if question.kind == "order" else [("list_characters", {"top_k": PEOPLE_OF_A_SUMMARY})]
        return [("read_chapters", which), *people]
    search = next(tool for kit, tool in SEARCH.items() if kit in toolkits)
    naming = NAMING_WORDS["zh" if is_chinese(question.text) else "en"]  # what narrators say of themselves
    return [("read_chapters", {"chapters": WHOLE, **most}), (search, {"query": naming})]


def opening_calls(question: ParsedQuestion, toolkits: Sequence[str], table: NameTable) -> list[Call]:
    """Return what a model is shown of a question about the book, or about two of its people; [] for another one."""
    kits = [kit for kit in SEARCH if kit in toolkits]
    if not kits or question.kind in WITHOUT_SEARCH:
        return []
    search = SEARCH[kits[0]]
    if events := events_asked(question.text):
        return [(search, {"query": event}) for event in events]
    if question.kind == "met":
        return meeting_calls(question, kits[0], table)
    if question.kind == "relation" and NARRATIVE in kits:
        first, second = question.entities[:2]
        return [(search, {"query": question.text}), ("find_connection", {"entity1": first, "entity2": second})]
    return book_calls(question, toolkits, brief=False)


def meeting_calls(question: ParsedQuestion, kit: str, table: NameTable) -> list[Call]:
    """Return the calls for how two met: the first passages with both, and a search among those of the rarer one."""
    names = list(question.entities[:2])
    rarer = min(names, key=table.mentions)
    filters = {"characters": [rarer]} if kit == NARRATIVE else {"entity_filter": rarer}
    together = {"names": names, "count": TOGETHER}
    return [("read_passage", together), (SEARCH[kit], {"query": question.text, **filters})]


@dataclass(frozen=True, slots=True)
class BookReader:
    """Tells what a model is shown at once of a question about a book as a whole."""

    linker: EntityLinker

    async def __call__(self, request: PlanRequest) -> list[Call]:
        """Return the calls; [] for another question, or without a story. Raises StoreError."""
        if not request.library:
            return []
        table = await self.linker.table(request.library, request.horizon)
        return opening_calls(understood(simplified(request.resolved), table), request.toolkits, table)


def _chapters_meant(question: ParsedQuestion) -> dict[str, Any]:
    """Return which chapters a question means, as read_chapters takes them; {} where nothing tells."""
    titles = {"titles_only": True} if question.kind == "title" else {}
    part = {"part": question.part} if question.part else {}
    if question.chapters:
        named = {"title": question.section} if isinstance(question.section, str) else {}
        return {"chapters": list(question.chapters), **named, **part, **titles}
    if isinstance(question.section, int):
        ends = [max(question.section - BEHIND, -MOST_CHAPTERS), -1] if titles else [question.section] * 2
        return {"chapters": ends, **part, **titles}
    return {"title": question.section, **part, **titles} if question.section else {}


def asks_of_book(request: PlanRequest, question: ParsedQuestion) -> bool:
    """Return True for a question about the book; a run without a story, and rag mode's one retrieval, have none."""
    return question.kind in LINES and request.mode != "rag" and bool(SEARCH.keys() & set(request.toolkits))


def chapter_count(request: PlanRequest, question: ParsedQuestion, table: NameTable) -> list[Sentence]:
    """Return how many chapters there are, and their titles; [] where nothing was found."""
    rows = [row for row in pieces_by(request, "read_chapters") if row["start"] is None]
    language, chapters = request.language, [row for row in rows if _is_chapter(row)]
    if not rows:
        return []
    if len(rows) == 1 and not rows[0]["title"]:
        return [cited(say("offline.chapters.undivided", language), rows[0]["id"])]
    titled = [row for row in rows if row in chapters or row["title"]]
    others = [row["text"] for row in titled if row not in chapters]
    # How many chapters the list has, of which the evidence may hold the ends alone.
    calls = [call for call in request.calls if call["tool"] == "read_chapters" and call["ok"]]
    lists = (call["items"] for call in reversed(calls) if not {"chapters", "title"} & call["args"].keys())
    hidden = max(0, next(lists, 0) - len(rows))
    head = _counted(chapters, hidden, others, question.part, request)
    lines = [cited(row["text"], row["id"]) for row in titled[:MOST_TITLES]]
    if left := titled[MOST_TITLES:]:
        ends = {"first": left[0]["text"], "last": left[-1]["text"]}
        rest = say("offline.chapters.rest", language, n=len(left) + hidden, unit=_unit(chapters, language), **ends)
        lines.append(cited(rest, left[-1]["id"]))
    return [cited(head, (chapters or titled)[-1]["id"]), *lines]


def _counted(
    chapters: Sequence[Evidence], hidden: int, others: Sequence[str], part: int | None, request: PlanRequest
) -> str:
    language = request.language
    so_far = say("offline.chapters.so_far", language) if request.horizon else ""
    what = so_far + say(
        "offline.chapters.part" if part else "offline.chapters.it" if request.horizon else "offline.chapters.whole",
        language,
        n=part,
    )
    parts = len({piece["part"] for piece in chapters})
    told = say("offline.chapters.parts", language, n=parts) if parts > 1 else ""
    more = say("offline.chapters.more", language, titles=enumerated(others, language)) if others else ""
    n, unit = len(chapters) + hidden, _unit(chapters, language)
    text = say("offline.chapters.counted", language, what=what, n=n, unit=unit, parts=told, more=more)
    return text[0].upper() + text[1:]


def _is_chapter(row: Evidence) -> bool:
    """Return True for a chapter of the story: neither a preface without a title nor what stands outside the count."""
    title, number = row["title"] or "", row["chapter"]
    return not OUTSIDE.match(title) and not (number == 0 and not title)


def _unit(rows: Sequence[Evidence], language: Language) -> str:
    if language == "en":
        return "chapter" if len(rows) == 1 else "chapters"
    found = Counter(match[1] for piece in rows if (match := UNIT.match(piece["title"] or "")))
    return found.most_common(1)[0][0] if found else "章"


def chapter_titles(request: PlanRequest, question: ParsedQuestion, table: NameTable) -> list[Sentence]:
    rows, section = pieces_by(request, "read_chapters"), question.section
    if section == -1:
        return _last_title(rows, request)
    if isinstance(section, int):
        rows = [row for row in rows if _is_chapter(row)][section : section + 1]
    language, unit, lines = request.language, _unit(rows, request.language), list[Sentence]()
    for piece in rows:
        chapter, title = piece["chapter"], piece["title"] or ""
        place = (
            say("offline.chapters.number", language, n=chapter, unit=unit)
            if chapter
            else say("offline.people.preface", language)
        )
        label = LABELLED.match(title)
        # Without the number that was told already; one that is printed otherwise stays.
        bare = label[2] if label and parse_number(label[1]) == chapter else title
        text = say(
            "offline.chapters.title" if title else "offline.chapters.untitled", language, place=place, title=bare
        )
        lines.append(cited(text[0].upper() + text[1:], piece["id"]))
    return lines


def _last_title(rows: Sequence[Evidence], request: PlanRequest) -> list[Sentence]:
    """Return the last chapter's title, and what follows it outside the count."""
    language, chapters = request.language, [row for row in rows if _is_chapter(row)]
    if not chapters:
        return []
    last = chapters[-1]
    behind = [piece["text"] for piece in rows[rows.index(last) + 1 :]]
    between = say("offline.chapters.between_titles", language)
    after = say("offline.chapters.after", language, titles=between.join(behind)) if behind else ""
    so_far = say("offline.chapters.so_far", language) if request.horizon else ""
    unit = _unit(chapters, language)
    text = say("offline.chapters.last", language, so_far=so_far, title=last["text"], unit=unit, after=after)
    return [cited(text, last["id"])]


def chapter_summary(request: PlanRequest, question: ParsedQuestion, table: NameTable) -> list[Sentence]:
    """Return what chapters tell: the people with the most central sentence, then the others in story order."""
    rows = pieces_by(request, "read_chapters")
    if not rows:
        return []
    first, last = rows[0], rows[-1]
    chapter = place_of(first["chapter"], first["title"], request.language)
    names = _people(rows, table)
    shown = enumerated(names[:MOST_PEOPLE], request.language) if names else ""
    head = "offline.chapters.chapter_head" if names else "offline.chapters.bare_head"
    summary = _Summary(request, rows, spelled(names, table), first["title"] or "")
    if (last["part"], last["chapter"]) != (first["part"], first["chapter"]):
        end = place_of(last["chapter"], last["title"], request.language)
        chapter = say("offline.chapters.range", request.language, first=chapter, last=end)
        return summary.by_chapter(head, {"chapter": chapter, "names": shown})
    return summary.of_one(head, {"chapter": chapter, "names": shown})


def book_summary(request: PlanRequest, question: ParsedQuestion, table: NameTable) -> list[Sentence]:
    """Return what a book tells, or has told so far: its main characters, then each chapter in its own sentences."""
    rows = pieces_by(request, "read_chapters")
    if not rows:
        return []
    names = list(dict.fromkeys(name for _, name, _ in people_in(request))) or _people(rows, table)
    is_recap = question.kind == "recap" or request.horizon is not None
    head = "offline.chapters.recap_head" if is_recap else "offline.chapters.book_head"
    head = head if names else "offline.chapters.bare_book_head"
    shown = enumerated(names[: MOST_PEOPLE + 2], request.language) if names else ""
    last = rows[-1]
    until = place_of(last["chapter"], last["title"], request.language)
    summary = _Summary(request, rows, spelled(names, table), request.title)
    return summary.by_chapter(head, {"names": shown, "until": until})


def last_appearance(request: PlanRequest, question: ParsedQuestion, table: NameTable) -> list[Sentence]:
    """Return where a person is named last, as far as the reader knows; [] where nothing was found."""
    name = question.entities[0]
    rows = [piece for piece in pieces_by(request, "read_passage") if name in piece["entities"]]
    if not rows:
        return []
    piece = max(rows, key=lambda row: row["event_order"] or 0)
    quotes = sentences_of([piece])
    named = [one for one in quotes if naming(name, table).search(fold(one.text))] or quotes
    chapter = place_of(piece["chapter"], piece["title"], request.language)
    key = "offline.people.last_so_far" if request.horizon else "offline.people.last"
    return [say_cited(key, request.language, name=name, chapter=chapter, sentence=named[-1].cited)]


def meeting_lines(request: PlanRequest, question: ParsedQuestion, table: NameTable) -> list[Sentence]:
    """Return where two people are named together first; [] where no passage names both."""
    names = question.entities[:2]
    rows = [piece for piece in pieces_by(request, "read_passage") if set(names) <= set(piece["entities"])]
    if not rows:
        return []
    piece = min(rows, key=lambda row: row["event_order"] or 0)
    quotes = sentences_of([piece])
    count = [sum(bool(naming(name, table).search(fold(one.text))) for name in names) for one in quotes]
    best = quotes[max(range(len(quotes)), key=lambda at: (count[at], -at))]
    chapter = place_of(piece["chapter"], piece["title"], request.language)
    words = {"names": enumerated(names, request.language), "chapter": chapter}
    return [say_cited("offline.people.together", request.language, **words, sentence=best.cited)]


def ending_lines(request: PlanRequest) -> list[Sentence]:
    """Return what was read last, which is the nearest to what was left open; only a model could say what is."""
    shown = shown_rows(request, pieces_by(request, "read_chapters"))
    return [one.cited for one in shown]


def spelled(names: Sequence[str], table: NameTable) -> dict[str, str]:
    return {alias: name for name in names for alias in (name, *table.aliases(name))}


def shown_rows(request: PlanRequest, pieces: Sequence[Evidence]) -> list[QuotedSentence]:
    """Return what calls have shown of pieces, in their order: words of the text, or a model's; else their sentences."""
    known = {piece["id"] for piece in pieces}
    rows = [row for call in request.calls if call["ok"] for row in ROW.findall(call["content"]) if row[0] in known]
    return list(dict.fromkeys(QuotedSentence(id, words) for id, words in rows)) or sentences_of(pieces)


@dataclass(frozen=True, slots=True)
class _Summary:
    """What is summed up: the pieces that were shown, people by spelling, a title."""

    request: PlanRequest
    rows: Sequence[Evidence]
    people: Mapping[str, str]
    title: str

    def of_one(self, head: str, words: Mapping[str, str]) -> list[Sentence]:
        """Return the lines on one chapter: the core behind `head`, then the rest in story order."""
        told, language = shown_rows(self.request, self.rows), self.request.language
        best = self._best(told)
        ends = {told[0]: "offline.chapters.opening", told[-1]: "offline.chapters.ending"}
        rest = [one for one in told if one not in best]
        lines = [say_cited(ends.get(one, "offline.chapters.core"), language, text=one.cited) for one in rest]
        return [self._head(head, words, best), *lines, self._note(told)]

    def by_chapter(self, head: str, words: Mapping[str, str]) -> list[Sentence]:
        """Return the lines on several chapters: the core behind `head`, then a line for each."""
        told, language = shown_rows(self.request, self.rows), self.request.language
        best, pieces = self._best(told), {piece["id"]: piece for piece in self.rows}

        def place(one: QuotedSentence) -> str:
            piece = pieces[one.piece]
            return piece["title"] or place_of(piece["chapter"], None, language)

        lines = list[Sentence]()
        for chapter, group in groupby(told, place):
            own = enumeration(" " * (language == "en"), [one.cited for one in group])
            lines.append(say_cited("offline.chapters.row", language, chapter=chapter, text=own))
        return [self._head(head, words, best), *lines, self._note(told)]

    def _best(self, told: Sequence[QuotedSentence]) -> list[QuotedSentence]:
        """Return the blurb, or as many of the most central sentences as fit together in one line."""
        if blurb := [one for one in told if BLURB.match(one.text)]:
            return blurb[:1]
        core = central_sentences([one.text for one in told], self.people, IN_HEAD, self.title) or [0]
        lengths = accumulate(len(told[at].text) for at in core)
        fitting = sum(length <= characters(told[core[0]].text, LONGEST) for length in lengths)
        return [told[at] for at in sorted(core[: max(1, fitting)])]

    def _head(self, key: str, words: Mapping[str, str], best: Sequence[QuotedSentence]) -> Sentence:
        language = self.request.language
        parts = [cited(one.text.rstrip("。."), one.piece) for one in best]
        core = enumeration(say("offline.chapters.between_sentences", language), parts)
        return say_cited(key, language, **words, core=core)

    def _note(self, told: Sequence[QuotedSentence]) -> Sentence:
        """Return what the lines are: sentences of the text, or a model's."""
        texts = {piece["id"]: " ".join(piece["text"].split()) for piece in self.rows}
        quoted = all(cut(one.text) in texts[one.piece] for one in told)
        key = "offline.chapters.extracts" if quoted else "offline.chapters.by_model"
        return {**sentence(say(key, self.request.language)), "role": "notice"}


def cut(line: str) -> str:
    """Return the beginning of a line, which stands in the text also where the line is cut, or has several sentences."""
    return " ".join(line.split())[:SHORTEST]


def _people(rows: Sequence[Evidence], table: NameTable) -> list[str]:
    """Return the people that passages name, the most often named first."""
    counts = Counter(
        mention.entity
        for piece in rows
        for mention in table.find(piece["text"])
        if mention.entity and table.kind(mention.entity) == PERSON
    )
    return [name for name, _ in sorted(counts.items(), key=lambda row: (-row[1], row[0]))]


LINES: Mapping[Kind, Lines] = {
    "characters": characters_listed,
    "first": first_appearance,
    "chapters": chapter_count,
    "title": chapter_titles,
    "chapter": chapter_summary,
    "book": book_summary,
    "narrator": narrator_lines,
    "recap": book_summary,
    "order": book_summary,
    "last": last_appearance,
    "open": lambda *_: [],
}
