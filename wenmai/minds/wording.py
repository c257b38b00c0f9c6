"""The mind for a small model: the offline mind finds and decides, the model words, code checks what it wrote.

One streamed call of about 1,000 tokens, no tools. Where the model's words fail the check the offline answer stands, and
the notes of the draft say so; what the offline mind refuses, lists or counts is no question for a small model.
"""

import asyncio
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from langchain_core.messages import AIMessage, HumanMessage, SystemMessage

from nodes.checking.claims import SHORT_CHINESE, SHORT_LATIN
from nodes.checking.draft_check import CheckRequest, DraftCheck
from nodes.checking.evidence import EvidenceText, numbers_of, window, words_of
from nodes.checking.statements import DraftStatement
from nodes.citations import cited_pieces, letters
from nodes.drafts import NOTHING, finish_of, read_draft
from nodes.plan import CUT
from nodes.prompts.wording import ABOUT, INSTRUCTIONS, MATERIAL, NOT_FOUND, material
from nodes.roles import Mind, Planner, PlanRequest, Ranker, Reply
from state.context import Language
from state.draft import Draft, Note, NoteReason, Sentence
from state.schema import Evidence
from tools.language import HAN, characters, tokens
from tools.records import Chapter, Relation
from tools.story.names import EntityLinker, NameTable
from tools.text.scripts import simplified
from tools.text.sentences import on_one_line
from wenmai.ingestion.contracts import TaggedChapter
from wenmai.ingestion.names.names import TextMention
from wenmai.ingestion.patterns.extraction import find_relations
from wenmai.ingestion.patterns.statements import ReadChapter
from wenmai.minds.model.caller import Breaker, ModelCaller
from wenmai.minds.model.client import ModelSettings, Provider
from wenmai.minds.model.providers.exchange import whole_calls
from wenmai.minds.offline.counting import asks_mentions, asks_times
from wenmai.minds.offline.drafting import distinct_reads, draft_from, events_asked, first_cited
from wenmai.minds.offline.memories import asks_memories
from wenmai.minds.offline.networks.asking import is_network
from wenmai.minds.offline.questions.question import (
    ABOUT_THE_BOOK,
    HISTORIES,
    ParsedQuestion,
    QuestionParts,
    naming,
    understood,
)
from wenmai.minds.offline.questions.speech import asks_speaker
from wenmai.minds.offline.reading import Read, SentencePicker, read, readable
from wenmai.minds.offline.scoring import stated_probability

MOST_WINDOWS, WINDOW_TOKENS = 6, 850
"""Pieces of text that the model is shown, and the tokens that they take in all."""
WINDOW_CHARACTERS = 150
"""Chinese characters of a window: the sentence that may answer, and whole ones beside it."""
MOST_SENTENCES = 2
RIVAL = 0.8
"""Share of the best probability from which on what the reader sees in another place may be the model's answer."""
SAID = 0.5
"""Share of the words of an answer from which on other words say it."""
DIRECTED = frozenset({"TEACHER_OF", "LEADER_OF", "OWNER_OF", "MEMBER_OF"})
"""Relations that hold in one direction alone."""
SAID_BY_ROLE = frozenset({"FAMILY_OF", "PARTNER_OF"})
"""Relations whose description says what the first is to the second: father, teacher."""
_LEAD = re.compile(r"^\W*(?:回答|答案?|answer|a)\s*[:：]\s*", re.IGNORECASE)
_MARKS = re.compile(
    r"\s*[\[［【(（]\s*(?:材料|资料|来源|context|source|material|e)?\s*\d{1,2}\s*[\]］】)）]", re.IGNORECASE
)
_FENCE = re.compile(r"```\w*\n?|\n?```")
_ENDED = re.compile(r"[。！？!?.”」』\"…]\s*$")


@dataclass(frozen=True, slots=True)
class ShownWindow:
    """A part of a piece of evidence as the model sees it; `names` are people that it means without naming them."""

    piece: Evidence
    text: str
    names: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Found:
    """What the offline mind has found for a question that may be worded."""

    draft: Draft
    question: ParsedQuestion
    table: NameTable
    reads: Sequence[Read]
    windows: Sequence[ShownWindow]


@dataclass(frozen=True, slots=True)
class WordingPlanner:
    """Plans as the offline mind does; what that would answer the model words, once, in the first attempt."""

    offline: Planner
    ranker: Ranker
    caller: ModelCaller
    linker: EntityLinker
    check: DraftCheck

    async def plan(self, request: PlanRequest) -> Reply:
        """Return the offline mind's calls, its draft, or that draft as the model words it. Raises ModelError."""
        draft = await self.offline.plan(request)
        if isinstance(draft, AIMessage) or request.small_talk or request.attempt > 1:
            return draft
        found = await self.found(draft, request)
        if found is None:
            return draft
        asked = MATERIAL[request.language].format(
            material=material([one_line(one, request.language) for one in found.windows]), question=request.resolved
        )
        messages = [SystemMessage(INSTRUCTIONS[request.language]), HumanMessage(asked)]
        reply = await self.caller.turn(messages, stream=request.stream)
        return await self.worded(reply, found, request)

    async def found(self, draft: Draft, request: PlanRequest) -> Found | None:
        """Return what the model is shown, best first; None for an answer that needs no other words, or bears none."""
        table = await self.linker.table(request.library, request.horizon)
        question = understood(simplified(request.resolved), table)
        if not is_worded(draft, question, request):
            return None
        ranked = await self.ranker.rank(
            question.text, request.evidence, request.calls, request.library, request.horizon
        )
        reader, asked = self.check.reader() or SentencePicker(), QuestionParts.of(question, table)
        reads = await read(reader, question.text, asked, ranked)
        lines = first_cited(draft["sentences"], request.evidence)
        edges = [piece for piece in lines if "edge" in piece]
        windows = windows_of(edges, reads, question, table)
        return Found(draft, question, table, reads, windows) if windows else None

    async def worded(self, reply: AIMessage, found: Found, request: PlanRequest) -> Draft:
        """Return the model's words with marks where the check and the reader bear them out, else the offline draft."""
        text = plain_reply(reply, request.language)
        if not letters(text) or letters(text) == letters(NOT_FOUND[request.language]):
            return replaced(found.draft, text, "answered")
        if whole_calls(reply.text):
            return replaced(found.draft, text, "code")
        seen = max((one.probability for one in found.reads if is_said(one.answer, text)), default=0.0)
        best = max((one.probability for one in found.reads), default=0.0)
        is_relation = found.question.kind == "relation" and any("edge" in one.piece for one in found.windows)
        if not is_relation and seen < RIVAL * best:
            return replaced(found.draft, text, "unsupported")
        if len(letters(text)) < (SHORT_CHINESE if HAN.search(text) else SHORT_LATIN):
            return found.draft  # it says the same in fewer words than a sentence has
        plain = read_draft(text, request.question, [*request.evidence])
        sentences = [self.marked(one, found, request) for one in plain["sentences"]]
        draft = Draft({**NOTHING, "status": "answer", "by": "model", "sentences": sentences})
        checked = await self.check(
            CheckRequest(
                question=request.question,
                resolved=request.resolved,
                draft=draft,
                evidence=request.evidence,
                table=found.table,
                known=[said for turn in request.session["turns"] for said in (turn["resolved"], turn["answer"])],
            )
        )
        faults: list[NoteReason] = [
            one["reason"] for one in [*plain["notes"], *checked["notes"]] if one["action"] != "moved"
        ]
        if faults or checked["status"] != "answer" or not checked["sentences"]:
            return replaced(found.draft, text, faults[0] if faults else "unsupported")
        edges = [piece for piece in request.evidence if "edge" in piece]
        if await asyncio.to_thread(is_against, text, edges, found.table):
            return replaced(found.draft, text, "contradicted")
        others = [one for one in found.draft["sentences"] if one["role"] == "see_also"]
        also = [one for one in others if not is_said(one["text"], text)]
        confidence = found.draft["confidence"] if is_relation else seen
        kept = [Sentence({**one, "text": one["text"].strip()}) for one in checked["sentences"]]
        return draft_from([*kept, *also], confidence or 0.0)

    def marked(self, sentence: Sentence, found: Found, request: PlanRequest) -> Sentence:
        """Return a sentence with the mark of the piece that says it: by the reader, by words, numbers and names."""
        text = sentence["text"]
        words, numbers = words_of(text), numbers_of(text)
        names = {one.entity for one in found.table.find(text) if one.entity}

        def support(window: ShownWindow) -> float:
            ground = EvidenceText(window.piece, found.table)
            said = len(words & words_of(window.text)) / max(1, len(words))
            own = [one for one in found.reads if one.piece["id"] == window.piece["id"] and is_said(one.answer, text)]
            has = sum(any(one.fits(other) for other in ground.numbers) for one in numbers) / max(1, len(numbers))
            named = len(names & ground.names) / max(1, len(names))
            return said + has + named + max((one.probability for one in own), default=0.0)

        best = max(found.windows, key=support).piece["id"]
        at = next(number for number, piece in enumerate(request.evidence, 1) if piece["id"] == best)
        return DraftStatement(text).marked([at], request.evidence).as_sentence


def small_mind(
    provider: Provider, breaker: Breaker, model: ModelSettings, linker: EntityLinker, offline: Mind, check: DraftCheck
) -> Mind:
    """Return the offline mind with a model that words its answers."""
    caller = ModelCaller(provider, breaker, model)
    planner = WordingPlanner(offline.planner, offline.ranker, caller, linker, check)
    return replace(offline, name=provider.name, planner=planner, agent_model=model.id)


def is_worded(draft: Draft, question: ParsedQuestion, request: PlanRequest) -> bool:
    """Return True for an answer that was read in texts, or that an edge between two people states.

    Books, chapters, lives, lists, counts and orders are lines of which none may be lost; what is computed stays so.
    """
    if draft["status"] != "answer" or question.kind in (*ABOUT_THE_BOOK, *HISTORIES, "first"):
        return False
    is_listed = asks_times(question.text) or asks_mentions(question.text) or asks_memories(request)
    if is_listed or events_asked(question.text) or asks_speaker(question.text):
        return False
    answers = [one for one in draft["sentences"] if one["role"] == "answer"]
    cited = cited_pieces(answers, request.evidence)
    if not cited or any(is_network(piece) or piece["kind"] in ("property", "memory") for piece in cited):
        return False
    if question.kind == "relation" and "edge" in cited[0]:
        return True
    return stated_probability(question, request.evidence, first_cited(answers, request.evidence)) is None


def windows_of(
    edges: Sequence[Evidence], reads: Sequence[Read], question: ParsedQuestion, table: NameTable
) -> list[ShownWindow]:
    """Return what the model is shown: stated relations, then whole sentences around what the reader points at."""
    windows = [ShownWindow(piece, on_one_line(readable(piece))) for piece in edges]
    room = WINDOW_TOKENS - sum(tokens(one.text) for one in windows)
    for one in distinct_reads(reads):
        if len(windows) == MOST_WINDOWS or any(letters(one.sentence) in letters(known.text) for known in windows):
            continue
        ground, longest = EvidenceText(one.piece, table), characters(one.piece["text"], WINDOW_CHARACTERS)
        text = on_one_line(window(ground, words_of(one.sentence), longest))
        room -= tokens(text)
        if windows and room < 0:
            break
        meant = [name for name in question.entities if name in one.piece["entities"]]
        names = [name for name in meant if not naming(name, table).search(text.casefold())]
        windows.append(ShownWindow(one.piece, text, names))
    return windows


def one_line(window: ShownWindow, language: Language) -> str:
    place = window.piece["location"] or window.piece["title"] or ""
    about = ABOUT[language].format(names=", ".join(window.names)) if window.names else ""
    return f"{place}{about}{': ' if place or about else ''}{window.text}"


def plain_reply(reply: AIMessage, language: Language) -> str:
    """Return the first sentences of a reply, each once: without fences, numbers of the material, or a broken end."""
    text = _MARKS.sub("", _LEAD.sub("", _FENCE.sub("", reply.text).strip())).strip()
    if letters(text).startswith(letters(NOT_FOUND[language])):
        return NOT_FOUND[language]
    sentences = [one["text"] for one in read_draft(text, "", [])["sentences"] if letters(one["text"])]
    if finish_of(reply) == CUT and sentences and not _ENDED.search(sentences[-1]):
        sentences.pop()
    once = {letters(one): one for one in reversed(sentences[:MOST_SENTENCES])}
    return "".join(reversed(once.values())).strip()


def is_said(answer: str, text: str) -> bool:
    """Return True if a text says what the reader points at, in the same or in other words."""
    wanted = words_of(answer)
    if letters(answer) in letters(text):
        return bool(letters(answer))
    return bool(wanted) and len(wanted & words_of(text)) >= SAID * len(wanted)


def replaced(draft: Draft, text: str, reason: NoteReason) -> Draft:
    """Return the offline draft, which says what the model wrote and why that does not stand."""
    pieces = [mark["piece"] for one in draft["sentences"] for mark in one["marks"] if mark["piece"]]
    note = Note(action="replaced", reason=reason, text=text, evidence=list(dict.fromkeys(pieces)))
    return {**draft, "notes": [*draft["notes"], note]}


def is_against(text: str, edges: Sequence[Evidence], table: NameTable) -> bool:
    """Return True if a text states a relation of two entities that an edge of the graph has the other way."""
    known = {(edge["source"], edge["target"], edge["type"]): edge for piece in edges if (edge := piece.get("edge"))}
    for one in stated_relations(text, table) if known else ():
        same = known.get((one.source, one.target, one.type))
        turned = known.get((one.target, one.source, one.type))
        if one.type in DIRECTED and turned and not same:
            return True
        told = letters(one.description).removeprefix("之")
        if one.type not in SAID_BY_ROLE or not told:
            continue
        if one.type == "FAMILY_OF" and same and same["description"] and told not in letters(same["description"]):
            return True
        if turned and not same and told == letters(turned["description"] or "").removeprefix("之"):
            return True
    return False


def stated_relations(text: str, table: NameTable) -> list[Relation]:
    """Return the relations that a text states, as they are found in a chapter."""
    found = [one for one in table.find(text) if one.entity]
    mentions = tuple(TextMention(one.start, one.end, one.entity) for one in found if one.entity)
    kinds = {name: kind for one in mentions if (kind := table.kind(name := one.entity))}
    chapter = Chapter(library="", task_id="", part=1, number=None, title="", text=text, digest="", order=0)
    tagged = TaggedChapter(chapter=chapter, passages=(), mentions=mentions, speakers=(), kinds=kinds)
    return find_relations(ReadChapter.of(tagged))
